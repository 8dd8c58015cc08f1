// SPDX-License-Identifier: Apache-2.0
#include "plot.h"

#include "base/error.h"
#include "scene/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum
{
    pathMax = 600,
};

// The plane in which a path is drawn: the two axes along which the device moves most.
typedef struct palView
{
    int across, up; // axes drawn, 0..2
    int depth;      // axis looked along
    double level;   // m, where the surface is cut
    double low[3], high[3];
} palView;

static double component(palVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static palResult cannotDraw(palError* error, const char* path, const char* what)
{
    palError_Set(error, pal_errorFile, "%s", what);
    palError_At(error, path, 0, 0);
    return palError_Remedy(error, "install gnuplot (package gnuplot-nox), or run without --plot");
}

// The extent of the device's path, from the recording.
static bool findExtent(const char* path, palView* view)
{
    FILE* file = fopen(path, "r");
    if (file == NULL)
        return false;
    char line[1024];
    bool any = false;
    for (int i = 0; i < 3; i++)
        view->low[i] = INFINITY, view->high[i] = -INFINITY;
    while (fgets(line, sizeof line, file) != NULL)
    {
        double x[3];
        if (sscanf(line, "%*[^,],%lf,%lf,%lf", &x[0], &x[1], &x[2]) != 3)
            continue;
        any = true;
        for (int i = 0; i < 3; i++)
        {
            view->low[i] = fmin(view->low[i], x[i]);
            view->high[i] = fmax(view->high[i], x[i]);
        }
    }
    fclose(file);
    return any;
}

// Looks along the axis of least motion; a tie, or no motion, looks along z.
static void chooseView(palView* view)
{
    view->depth = 2;
    for (int i = 0; i < 2; i++)
        if (view->high[i] - view->low[i] < view->high[view->depth] - view->low[view->depth] - 1e-12)
            view->depth = i;
    view->across = view->depth == 0 ? 2 : 0;
    view->up = view->depth == 1 ? 2 : 1;
    view->level = 0.5 * (view->low[view->depth] + view->high[view->depth]);
}

// The segment in which a triangle meets the cutting plane, as a line of numbers each end.
static void sliceTriangle(FILE* file, const palView* view, const palVec3 corners[3])
{
    palVec3 ends[3];
    int count = 0;
    for (int i = 0; i < 3; i++)
    {
        palVec3 a = corners[i];
        palVec3 b = corners[(i + 1) % 3];
        double da = component(a, view->depth) - view->level;
        double db = component(b, view->depth) - view->level;
        if ((da < 0.0) != (db < 0.0))
            ends[count++] = palLerp(a, b, da / (da - db));
    }
    if (count < 2)
        return;
    for (int i = 0; i < 2; i++)
        fprintf(file, "%.9g %.9g\n", 1e3 * component(ends[i], view->across),
                1e3 * component(ends[i], view->up));
    fprintf(file, "\n\n");
}

static bool writeSlice(const char* path, const palView* view, const palWorld* world)
{
    FILE* file = fopen(path, "w");
    if (file == NULL)
        return false;
    fprintf(file, "0 nan\n\n\n"); // an empty slice is still a data file
    for (int i = 0; i < world->count; i++)
    {
        const palSurface* surface = &world->colliders[i].surface;
        for (int t = 0; t < surface->triangleCount; t++)
        {
            const int* corner = surface->triangles[t];
            palVec3 corners[3] = {surface->vertices[corner[0]], surface->vertices[corner[1]],
                                  surface->vertices[corner[2]]};
            sliceTriangle(file, view, corners);
        }
    }
    return fclose(file) == 0;
}

static const char style[] = "set datafile separator ','\n"
                            "set grid lc rgb '#dddddd'\n"
                            "set border lc rgb '#444444'\n"
                            "set key outside top center horizontal\n";

static void writePathPlot(FILE* script, const palView* view, const char* title)
{
    static const char* const names[3] = {"x", "y", "z"};
    // Columns of haptic.csv: device 2..4, proxy 5..7, force 8..10.
    int da = 2 + view->across, du = 2 + view->up;
    int pa = 5 + view->across, pu = 5 + view->up;
    double width = view->high[view->across] - view->low[view->across];
    double height = view->high[view->up] - view->low[view->up];
    double margin = 0.08 * fmax(width, height) + 1e-3;
    fprintf(script, "set title '%s: device and proxy'\n", title);
    fprintf(script, "set xlabel '%s (mm)'\nset ylabel '%s (mm)'\n", names[view->across],
            names[view->up]);
    fprintf(script, "set xrange [%g:%g]\nset yrange [%g:%g]\n",
            1e3 * (view->low[view->across] - margin), 1e3 * (view->high[view->across] + margin),
            1e3 * (view->low[view->up] - margin), 1e3 * (view->high[view->up] + margin));
    fprintf(script,
            "plot 'slice.dat' using (column(1)):(column(2)) with lines lw 2 lc rgb '#888888' title "
            "'surface', \\\n"
            " 'haptic.csv' skip 1 using (1e3*column(%d)):(1e3*column(%d)):"
            "(1e3*(column(%d)-column(%d))):(1e3*(column(%d)-column(%d))) every 4 with vectors "
            "nohead lw 0.5 lc rgb '#9ecae1' title 'coupling', \\\n"
            " 'haptic.csv' skip 1 using (1e3*column(%d)):(1e3*column(%d)) with lines lw 1.5 lc rgb "
            "'#1f77b4' title 'device', \\\n"
            " 'haptic.csv' skip 1 using (1e3*column(%d)):(1e3*column(%d)) with lines lw 1.5 lc rgb "
            "'#2ca02c' title 'proxy'\n",
            da, du, pa, da, pu, du, da, du, pa, pu);
}

static void writeForcePlot(FILE* script, const char* title)
{
    fprintf(script, "reset\n%s", style);
    fprintf(script, "set title '%s: force on the hand'\n", title);
    fprintf(script, "set xlabel 't (s)'\nset ylabel 'force (N)'\n");
    fprintf(script, "plot 'haptic.csv' skip 1 using 1:8 with lines lc rgb '#d62728' title 'x', \\\n"
                    " '' skip 1 using 1:9 with lines lc rgb '#2ca02c' title 'y', \\\n"
                    " '' skip 1 using 1:10 with lines lc rgb '#1f77b4' title 'z', \\\n"
                    " '' skip 1 using 1:(sqrt($8**2+$9**2+$10**2)) with lines lw 1.5 lc rgb "
                    "'#222222' title 'magnitude'\n");
}

static void writeStepPlot(FILE* script, const char* title)
{
    fprintf(script, "reset\n%s", style);
    fprintf(script, "set title '%s: time of a high-rate step'\n", title);
    fprintf(script, "set xlabel 'step (µs)'\nset ylabel 'steps'\nset logscale xy\n"
                    "set style fill solid 0.6 noborder\nset yrange [0.5:*]\n"
                    "bin(v) = 10**(floor(log10(v > 1e-3 ? v : 1e-3)*20)/20.0)\n"
                    "plot 'haptic.csv' skip 1 using (bin($18)):(1.0) smooth frequency with "
                    "boxes lc rgb '#1f77b4' title 'high-rate steps'\n");
}

// Each figure twice: SVG for pages, PNG for a quick look.
static bool writeScript(const char* path, const palView* view, const char* title)
{
    FILE* script = fopen(path, "w");
    if (script == NULL)
        return false;
    static const char* const terminals[2] = {
        "set terminal svg size 900,480 font 'sans,12' background 'white'\nformat = 'svg'\n",
        "set terminal pngcairo size 1100,580 font 'sans,11'\nformat = 'png'\n",
    };
    for (int i = 0; i < 2; i++)
    {
        fprintf(script, "reset\n%s%s", terminals[i], style);
        // The slice is separated by blanks: gnuplot reads both with this set.
        fprintf(script, "set datafile separator ', '\nset output 'path.'.format\n");
        writePathPlot(script, view, title);
        fprintf(script, "set output 'force.'.format\n");
        writeForcePlot(script, title);
        fprintf(script, "set output 'step.'.format\n");
        writeStepPlot(script, title);
        fprintf(script, "unset output\n");
    }
    return fclose(script) == 0;
}

palResult palPlotRun(const char* directory, const palSession* session, palError* error)
{
    char path[pathMax];
    palView view = {0};
    snprintf(path, sizeof path, "%s/haptic.csv", directory);
    if (!findExtent(path, &view))
        return cannotDraw(error, path, "the recording cannot be read");
    chooseView(&view);
    snprintf(path, sizeof path, "%s/slice.dat", directory);
    if (!writeSlice(path, &view, palSession_World(session)))
        return cannotDraw(error, path, strerror(errno));
    const palScene* scene = palSession_Scene(session);
    char title[128];
    snprintf(title, sizeof title, "%s, %s", scene->name, scene->method.name);
    snprintf(path, sizeof path, "%s/plot.gp", directory);
    if (!writeScript(path, &view, title))
        return cannotDraw(error, path, strerror(errno));

    char command[pathMax + 64];
    if (strchr(directory, '\'') != NULL)
        return cannotDraw(error, directory,
                          "cannot draw into a directory with a quote in its name");
    snprintf(command, sizeof command, "cd '%s' && gnuplot plot.gp 2> plot.log", directory);
    int status = system(command);
    if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    {
        snprintf(path, sizeof path, "%s/plot.log", directory);
        return cannotDraw(error, path, "gnuplot failed; its messages are in this file");
    }
    snprintf(path, sizeof path, "%s/plot.log", directory);
    remove(path);
    return pal_ok;
}

// SPDX-License-Identifier: Apache-2.0
#include "plot.h"

#include "api/session.h"
#include "base/error.h"
#include "base/file.h"
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum
{
    pathMax = 600,
};

static palResult cannotDraw(palError* error, const char* path, const char* what)
{
    palError_Set(error, pal_errorFile, "%s", what);
    palError_At(error, path, 0, 0);
    return palError_Remedy(error, "install gnuplot (package gnuplot-nox), or run without --plot");
}

// Writes the end points of a segment of the slice, one line per point, in mm.
typedef struct palSliceFile
{
    FILE* file;
    const palView* view;
} palSliceFile;

static void writeSegment(void* user, palVec3 a, palVec3 b)
{
    const palSliceFile* slice = user;
    const palVec3 ends[2] = {a, b};
    for (int i = 0; i < 2; i++)
        fprintf(slice->file, "%.9g %.9g\n", 1e3 * palComponent(ends[i], slice->view->across),
                1e3 * palComponent(ends[i], slice->view->up));
    fprintf(slice->file, "\n\n");
}

// The data of the plots.
typedef struct palPlot
{
    palView view;
    const palSceneBodies* world; // borrowed
    char title[128];
} palPlot;

static void writeSlice(const void* data, FILE* file)
{
    const palPlot* plot = data;
    fprintf(file, "0 nan\n\n\n"); // so that an empty slice is a valid data file
    palView_Slice(&plot->view, plot->world, writeSegment, &(palSliceFile){file, &plot->view});
}

static const char style[] = "set datafile separator ','\n"
                            "set grid lc rgb '#dddddd'\n"
                            "set border lc rgb '#444444'\n"
                            "set key outside top center horizontal\n";

static bool isAnySoft(const palSceneBodies* world)
{
    for (int i = 0; i < world->count; i++)
        if (world->colliders[i].soft != NULL)
            return true;
    return false;
}

static void writePathPlot(FILE* script, const palView* view, const char* title, bool isSoft)
{
    // Columns of haptic.csv: device 2..4, proxy 5..7, force 8..10.
    int da = 2 + view->across, du = 2 + view->up;
    int pa = 5 + view->across, pu = 5 + view->up;
    double width = view->high[view->across] - view->low[view->across];
    double height = view->high[view->up] - view->low[view->up];
    double margin = 0.08 * fmax(width, height) + 1e-3;
    fprintf(script, "set title '%s: device and proxy' noenhanced\n", title);
    fprintf(script, "set xlabel '%s (mm)'\nset ylabel '%s (mm)'\n", palAxisName(view->across),
            palAxisName(view->up));
    fprintf(script, "set xrange [%g:%g]\nset yrange [%g:%g]\n",
            1e3 * (view->low[view->across] - margin), 1e3 * (view->high[view->across] + margin),
            1e3 * (view->low[view->up] - margin), 1e3 * (view->high[view->up] + margin));
    fprintf(script,
            "plot 'slice.dat' using (column(1)):(column(2)) with lines lw 2 lc rgb '#888888' title "
            "'surface%s', \\\n"
            " 'haptic.csv' skip 1 using (1e3*column(%d)):(1e3*column(%d)):"
            "(1e3*(column(%d)-column(%d))):(1e3*(column(%d)-column(%d))) every 4 with vectors "
            "nohead lw 0.5 lc rgb '#9ecae1' title 'coupling', \\\n"
            " 'haptic.csv' skip 1 using (1e3*column(%d)):(1e3*column(%d)) with lines lw 1.5 lc rgb "
            "'#1f77b4' title 'device', \\\n"
            " 'haptic.csv' skip 1 using (1e3*column(%d)):(1e3*column(%d)) with lines lw 1.5 lc rgb "
            "'#2ca02c' title 'proxy'\n",
            isSoft ? " at rest" : "", da, du, pa, da, pu, du, da, du, pa, pu);
}

static void writeForcePlot(FILE* script, const char* title)
{
    fprintf(script, "reset\n%s", style);
    fprintf(script, "set title '%s: force on the hand' noenhanced\n", title);
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
    fprintf(script, "set title '%s: time of a high-rate step' noenhanced\n", title);
    fprintf(script, "set xlabel 'step (µs)'\nset ylabel 'steps'\nset logscale xy\n"
                    "set style fill solid 0.6 noborder\nset yrange [0.5:*]\n"
                    "bin(v) = 10**(floor(log10(v > 1e-3 ? v : 1e-3)*20)/20.0)\n"
                    "plot 'haptic.csv' skip 1 using (bin($18)):(1.0) smooth frequency with "
                    "boxes lc rgb '#1f77b4' title 'high-rate steps'\n");
}

// Each figure is written as SVG and as PNG.
static void writeScript(const void* data, FILE* script)
{
    const palPlot* plot = data;
    static const char* const terminals[2] = {
        "set terminal svg size 900,480 font 'sans,12' background 'white'\nformat = 'svg'\n",
        "set terminal pngcairo size 1100,580 font 'sans,11'\nformat = 'png'\n",
    };
    for (int i = 0; i < 2; i++)
    {
        fprintf(script, "reset\n%s%s", terminals[i], style);
        // The slice uses blanks as separators, the CSV files commas: this setting reads both.
        fprintf(script, "set datafile separator ', '\nset output 'path.'.format\n");
        writePathPlot(script, &plot->view, plot->title, isAnySoft(plot->world));
        fprintf(script, "set output 'force.'.format\n");
        writeForcePlot(script, plot->title);
        fprintf(script, "set output 'step.'.format\n");
        writeStepPlot(script, plot->title);
        fprintf(script, "unset output\n");
    }
}

// In single quotes gnuplot accepts every character except the quote and the line end; both are
// replaced.
static void setTitle(palPlot* plot, const palScene* scene)
{
    snprintf(plot->title, sizeof plot->title, "%s, %s", scene->name, scene->method.name);
    for (char* c = plot->title; *c != '\0'; c++)
        if (*c == '\'' || (unsigned char)*c < 0x20)
            *c = ' ';
}

palResult palPlotRun(const char* directory, const palSession* session, palError* error)
{
    char path[pathMax];
    palRecorded recorded;
    palResult result = palRecorded_Load(&recorded, directory, error);
    if (result != pal_ok)
        return result;
    palPlot plot = {.view = palMakeView(&recorded), .world = palSession_Bodies(session)};
    setTitle(&plot, palSession_Scene(session));
    palRecorded_Free(&recorded);
    snprintf(path, sizeof path, "%s/slice.dat", directory);
    result = palWriteFile(path, writeSlice, &plot, error);
    if (result != pal_ok)
        return result;
    snprintf(path, sizeof path, "%s/plot.gp", directory);
    result = palWriteFile(path, writeScript, &plot, error);
    if (result != pal_ok)
        return result;

    char command[pathMax + 64];
    if (strchr(directory, '\'') != NULL)
        return cannotDraw(error, directory,
                          "cannot plot into a directory with a quote in its name");
    snprintf(command, sizeof command, "cd -- '%s' && gnuplot plot.gp 2> plot.log", directory);
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

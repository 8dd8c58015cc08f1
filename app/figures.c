// SPDX-License-Identifier: Apache-2.0
#include "figures.h"

#include "chart.h"
#include "view.h"

#include <stdlib.h>

static const double panelWidth = 520.0;  // of a drawing area, in SVG units
static const double panelHeight = 180.0; // of a drawing over time

// An excerpt of the path, small enough to show the distance between device and proxy.
typedef struct palExcerpt
{
    palView view;
    int begin, end;     // steps
    double xLow, xHigh; // mm
    double yLow, yHigh;
    double perNewton; // mm per newton, length of the force lines
    int stride;       // in steps, between drawn steps
} palExcerpt;

// ---------------------------------------------------------------------------------------------
// The excerpt

// The mean distance of device and proxy in contact, and the median step in contact.
static double contactDepth(const palRecorded* recorded, int* middle)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < recorded->count; i++)
        if (recorded->steps[i].active > 0)
        {
            sum += palDistance(recorded->steps[i].device, recorded->steps[i].proxy);
            count++;
        }
    int counted = 0;
    *middle = recorded->count / 2;
    for (int i = 0; i < recorded->count && counted < (count + 1) / 2; i++)
        if (recorded->steps[i].active > 0 && ++counted == (count + 1) / 2)
            *middle = i;
    return count > 0 ? sum / count : 0.0;
}

static double meanForce(const palRecorded* recorded, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; i++)
        sum += palLength(recorded->steps[i].force);
    return sum / (end - begin);
}

// Extends the vertical range of the excerpt to the paths of the hand and of every proxy.
static void fitHeight(palExcerpt* excerpt, const palReport* report)
{
    double low = INFINITY, high = -INFINITY;
    for (int r = 0; r < report->runCount; r++)
        for (int i = excerpt->begin; i < excerpt->end && i < report->runs[r].recorded.count; i++)
        {
            const palRecordedStep* step = &report->runs[r].recorded.steps[i];
            double a = 1e3 * palComponent(step->device, excerpt->view.up);
            double b = 1e3 * palComponent(step->proxy, excerpt->view.up);
            low = fmin(low, fmin(a, b));
            high = fmax(high, fmax(a, b));
        }
    double width = excerpt->xHigh - excerpt->xLow;
    double middle = 0.5 * (low + high);
    double half = fmin(fmax(0.5 * (high - low) + 0.1 * width, 0.15 * width), 0.5 * width);
    excerpt->yLow = middle - half;
    excerpt->yHigh = middle + half;
}

// Chooses an excerpt about eighty penetration depths wide, around the median contact step of the
// first run: 2.5 wavelengths of the paper's sine.
static palExcerpt chooseExcerpt(const palReport* report)
{
    const palRecorded* recorded = &report->runs[0].recorded;
    palExcerpt excerpt = {.view = palMakeView(recorded)};
    const palView* view = &excerpt.view;
    int middle;
    double depth = contactDepth(recorded, &middle);
    double extent = fmax(view->high[view->across] - view->low[view->across],
                         view->high[view->up] - view->low[view->up]);
    double width = fmax(fmin(depth > 0.0 ? 80.0 * depth : INFINITY, 1.1 * extent), 1e-3);
    palVec3 centre = recorded->steps[middle].device;
    double x = palComponent(centre, view->across);
    double y = palComponent(centre, view->up);

    // The time interval around the middle in which the hand stays within that width.
    excerpt.begin = excerpt.end = middle;
    for (int direction = -1; direction <= 1; direction += 2)
        for (int i = middle; i >= 0 && i < recorded->count; i += direction)
        {
            palVec3 at = recorded->steps[i].device;
            if (fabs(palComponent(at, view->across) - x) > 0.5 * width ||
                fabs(palComponent(at, view->up) - y) > 0.5 * width)
                break;
            if (direction < 0)
                excerpt.begin = i;
            else
                excerpt.end = i + 1;
        }
    excerpt.xLow = 1e3 * (x - 0.5 * width);
    excerpt.xHigh = 1e3 * (x + 0.5 * width);
    fitHeight(&excerpt, report);
    double force = meanForce(recorded, excerpt.begin, excerpt.end);
    excerpt.perNewton = force > 0.0 ? 0.08 * 1e3 * width / force : 0.0;
    excerpt.stride = 1 + (excerpt.end - excerpt.begin) / 300;
    return excerpt;
}

// ---------------------------------------------------------------------------------------------
// Pictures

typedef struct palSlicePath
{
    palChart* chart;
    const palExcerpt* excerpt;
} palSlicePath;

static void drawSegment(void* user, palVec3 a, palVec3 b)
{
    const palSlicePath* slice = user;
    const palView* view = &slice->excerpt->view;
    double ax = 1e3 * palComponent(a, view->across), bx = 1e3 * palComponent(b, view->across);
    double ay = 1e3 * palComponent(a, view->up), by = 1e3 * palComponent(b, view->up);
    bool isVisible = fmax(ax, bx) >= slice->excerpt->xLow &&
                     fmin(ax, bx) <= slice->excerpt->xHigh &&
                     fmax(ay, by) >= slice->excerpt->yLow && fmin(ay, by) <= slice->excerpt->yHigh;
    if (!isVisible)
        return;
    palChart_Move(slice->chart, ax, ay);
    palChart_Line(slice->chart, bx, by);
}

// Lines from device to proxy, lines from the proxy along the force, or dots at either.
typedef enum palMark
{
    pal_markCoupling,
    pal_markForce,
    pal_markDevice,
    pal_markProxy,
} palMark;

static void drawMarks(palChart* chart, const palExcerpt* excerpt, const palRecorded* recorded,
                      palMark mark, const char* style)
{
    const palView* view = &excerpt->view;
    palChart_BeginPath(chart, style);
    for (int i = excerpt->begin; i < excerpt->end && i < recorded->count; i += excerpt->stride)
    {
        const palRecordedStep* step = &recorded->steps[i];
        palVec3 device = palScale(1e3, step->device);
        palVec3 proxy = palScale(1e3, step->proxy);
        palVec3 tip = palMulAdd(proxy, excerpt->perNewton, step->force);
        palVec3 from = mark == pal_markProxy || mark == pal_markForce ? proxy : device;
        palVec3 to = mark == pal_markCoupling ? proxy : tip;
        if (mark == pal_markDevice || mark == pal_markProxy)
        {
            palChart_Dot(chart, palComponent(from, view->across), palComponent(from, view->up));
            continue;
        }
        palChart_Move(chart, palComponent(from, view->across), palComponent(from, view->up));
        palChart_Line(chart, palComponent(to, view->across), palComponent(to, view->up));
    }
    palChart_EndPath(chart);
}

static void drawPath(FILE* file, const palReport* report, const palExcerpt* excerpt, int run)
{
    const palRecorded* recorded = &report->runs[run].recorded;
    char xLabel[16], yLabel[16];
    snprintf(xLabel, sizeof xLabel, "%s (mm)", palAxisName(excerpt->view.across));
    snprintf(yLabel, sizeof yLabel, "%s (mm)", palAxisName(excerpt->view.up));
    palChart chart =
        palChart_Begin(file, &(palChartDef){
                                 .title = report->runs[run].method,
                                 .xLabel = xLabel,
                                 .yLabel = yLabel,
                                 .xLow = excerpt->xLow,
                                 .xHigh = excerpt->xHigh,
                                 .yLow = excerpt->yLow,
                                 .yHigh = excerpt->yHigh,
                                 .width = panelWidth,
                                 .height = panelWidth * (excerpt->yHigh - excerpt->yLow) /
                                           (excerpt->xHigh - excerpt->xLow),
                             });
    palChart_BeginPath(&chart, "surface");
    palView_Slice(&excerpt->view, report->world, drawSegment, &(palSlicePath){&chart, excerpt});
    palChart_EndPath(&chart);
    drawMarks(&chart, excerpt, recorded, pal_markCoupling, "coupling");
    drawMarks(&chart, excerpt, recorded, pal_markForce, "force");
    drawMarks(&chart, excerpt, recorded, pal_markDevice, "device");
    drawMarks(&chart, excerpt, recorded, pal_markProxy, "proxy");
    palChart_End(&chart);
}

// Quantities plotted over time.
static double forceAt(const palRecorded* recorded, int i)
{
    return palLength(recorded->steps[i].force);
}

static double jumpAt(const palRecorded* recorded, int i)
{
    return i > 0 ? palDistance(recorded->steps[i].force, recorded->steps[i - 1].force) : 0.0;
}

typedef double palQuantityFn(const palRecorded* recorded, int i);

// The upper end of the axis: the largest value of all runs plus a margin.
static double axisMax(const palReport* report, palQuantityFn* quantity)
{
    double valueMax = 0.0;
    for (int r = 0; r < report->runCount; r++)
        for (int i = 0; i < report->runs[r].recorded.count; i++)
            valueMax = fmax(valueMax, quantity(&report->runs[r].recorded, i));
    return valueMax > 0.0 ? 1.05 * valueMax : 1.0;
}

// Begins a chart over the time of a run.
static palChart beginOverTime(FILE* file, const palReportRun* run, double low, double high,
                              const char* label)
{
    const palRecorded* recorded = &run->recorded;
    double first = recorded->steps[0].t;
    return palChart_Begin(file,
                          &(palChartDef){
                              .title = run->method,
                              .xLabel = "t (s)",
                              .yLabel = label,
                              .xLow = first,
                              .xHigh = fmax(recorded->steps[recorded->count - 1].t, first + 1e-3),
                              .yLow = low,
                              .yHigh = high,
                              .width = panelWidth,
                              .height = panelHeight,
                          });
}

// The same axes for every run, so that panels can be compared. x and y are scratch for all steps.
static void drawOverTime(FILE* file, const palReportRun* run, palQuantityFn* quantity,
                         double valueMax, const char* label, const char* style, double* x,
                         double* y)
{
    const palRecorded* recorded = &run->recorded;
    for (int i = 0; i < recorded->count; i++)
    {
        x[i] = recorded->steps[i].t;
        y[i] = quantity(recorded, i);
    }
    palChart chart = beginOverTime(file, run, 0.0, valueMax, label);
    palChart_Series(&chart, style, x, y, recorded->count);
    palChart_End(&chart);
}

// The force along one axis, with the same range for all runs.
static void drawComponent(FILE* file, const palReport* report, int axis, const char* name,
                          double* x, double* y)
{
    double low = 0.0, high = 0.0;
    for (int r = 0; r < report->runCount; r++)
        for (int i = 0; i < report->runs[r].recorded.count; i++)
        {
            double f = palComponent(report->runs[r].recorded.steps[i].force, axis);
            low = fmin(low, f);
            high = fmax(high, f);
        }
    double margin = fmax(0.05 * (high - low), 1e-3);
    char label[32];
    snprintf(label, sizeof label, "F along %s (N)", palAxisName(axis));
    fprintf(file, "</div>\n<h2>%s</h2>\n<div class=\"panels\">\n", name);
    for (int r = 0; r < report->runCount; r++)
    {
        const palRecorded* recorded = &report->runs[r].recorded;
        for (int i = 0; i < recorded->count; i++)
        {
            x[i] = recorded->steps[i].t;
            y[i] = palComponent(recorded->steps[i].force, axis);
        }
        palChart chart = beginOverTime(file, &report->runs[r], low - margin, high + margin, label);
        palChart_Series(&chart, "line", x, y, recorded->count);
        palChart_End(&chart);
    }
}

// The time of each low-rate step, and the part of it for contact.
static void drawCosts(FILE* file, const palReport* report, double* x, double* y)
{
    double valueMax = 1e-3;
    for (int r = 0; r < report->runCount; r++)
        for (int i = 0; i < report->runs[r].recorded.lowCount; i++)
            valueMax = fmax(valueMax, 1.05 * report->runs[r].recorded.lows[i].step);
    fprintf(file, "</div>\n<h2>Time of a low-rate step</h2>\n<p>Upper curve: whole step; lower "
                  "curve: collision detection and contact response.</p>\n<div "
                  "class=\"panels\">\n");
    for (int r = 0; r < report->runCount; r++)
    {
        const palRecorded* recorded = &report->runs[r].recorded;
        int count = recorded->lowCount < recorded->count ? recorded->lowCount : recorded->count;
        palChart chart = beginOverTime(file, &report->runs[r], 0.0, valueMax, "step (ms)");
        for (int pass = 0; pass < 2; pass++)
        {
            for (int i = 0; i < count; i++)
            {
                x[i] = recorded->lows[i].t;
                y[i] = pass == 0 ? recorded->lows[i].step : recorded->lows[i].solve;
            }
            palChart_Series(&chart, pass == 0 ? "line" : "line jump", x, y, count);
        }
        palChart_End(&chart);
    }
}

bool palReport_DrawFigures(const palReport* report, FILE* file)
{
    int valueMax = 0;
    for (int r = 0; r < report->runCount; r++)
        valueMax =
            report->runs[r].recorded.count > valueMax ? report->runs[r].recorded.count : valueMax;
    double* x = malloc((size_t)valueMax * sizeof *x);
    double* y = malloc((size_t)valueMax * sizeof *y);
    if (x == NULL || y == NULL)
    {
        free(x);
        free(y);
        return false;
    }
    palExcerpt excerpt = chooseExcerpt(report);
    fprintf(file,
            "<h2>Path of the proxy</h2>\n<p>Excerpt of %.3g s, equal scale on both axes. The "
            "coupling connects the hand (<b class=\"k-device\">dots</b>) with the proxy "
            "(<b class=\"k-proxy\">dots</b>); the lines from the proxy are the force on the hand, "
            "%.2g mm per newton.</p>\n<div class=\"panels\">\n",
            report->runs[0].recorded.steps[excerpt.end - 1].t -
                report->runs[0].recorded.steps[excerpt.begin].t,
            excerpt.perNewton);
    for (int r = 0; r < report->runCount; r++)
        drawPath(file, report, &excerpt, r);
    fprintf(file, "</div>\n<h2>Force on the hand</h2>\n<div class=\"panels\">\n");
    for (int r = 0; r < report->runCount; r++)
        drawOverTime(file, &report->runs[r], forceAt, axisMax(report, forceAt), "|F| (N)", "line",
                     x, y);
    fprintf(file, "</div>\n<h2>Change of force per step</h2>\n"
                  "<div class=\"panels\">\n");
    for (int r = 0; r < report->runCount; r++)
        drawOverTime(file, &report->runs[r], jumpAt, axisMax(report, jumpAt), "|ΔF| (N)",
                     "line jump", x, y);
    if (palScene_HandAt(report->scene, 0)->hasTool)
    {
        drawComponent(file, report, excerpt.view.up, "Normal force", x, y);
        drawComponent(file, report, excerpt.view.across, "Tangential force, along the stroke", x,
                      y);
        drawCosts(file, report, x, y);
    }
    fprintf(file, "</div>\n");
    free(x);
    free(y);
    return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "figures.h"

#include "chart.h"
#include "view.h"

#include <stdlib.h>

static const double panelWidth = 520.0;  // of a drawing area, in SVG units
static const double panelHeight = 180.0; // of a drawing over time

// A part of the path, small enough to see the distance between device and proxy.
typedef struct palOuttake
{
    palView view;
    int begin, end;     // steps
    double xLow, xHigh; // mm
    double yLow, yHigh;
    double perNewton; // mm that a newton is drawn long
    int stride;       // every so many steps are drawn
} palOuttake;

// ---------------------------------------------------------------------------------------------
// The outtake

// Mean distance of device and proxy while in contact, and the step in the middle of the contacts.
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
    int passed = 0;
    *middle = recorded->count / 2;
    for (int i = 0; i < recorded->count && passed < (count + 1) / 2; i++)
        if (recorded->steps[i].active > 0 && ++passed == (count + 1) / 2)
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

// Extends the outtake over what the hand and every proxy do in it.
static void fitHeight(palOuttake* outtake, const palReport* report)
{
    double low = INFINITY, high = -INFINITY;
    for (int r = 0; r < report->runCount; r++)
        for (int i = outtake->begin; i < outtake->end && i < report->runs[r].recorded.count; i++)
        {
            const palRecordedStep* step = &report->runs[r].recorded.steps[i];
            double a = 1e3 * palComponent(step->device, outtake->view.up);
            double b = 1e3 * palComponent(step->proxy, outtake->view.up);
            low = fmin(low, fmin(a, b));
            high = fmax(high, fmax(a, b));
        }
    double width = outtake->xHigh - outtake->xLow;
    double middle = 0.5 * (low + high);
    double half = fmin(fmax(0.5 * (high - low) + 0.1 * width, 0.15 * width), 0.5 * width);
    outtake->yLow = middle - half;
    outtake->yHigh = middle + half;
}

// About eighty depths wide, in the middle of the contacts of the first run: of the paper's sine two
// and a half waves.
static palOuttake chooseOuttake(const palReport* report)
{
    const palRecorded* recorded = &report->runs[0].recorded;
    palOuttake outtake = {.view = palMakeView(recorded)};
    const palView* view = &outtake.view;
    int middle;
    double depth = contactDepth(recorded, &middle);
    double extent = fmax(view->high[view->across] - view->low[view->across],
                         view->high[view->up] - view->low[view->up]);
    double width = fmax(fmin(depth > 0.0 ? 80.0 * depth : INFINITY, 1.1 * extent), 1e-3);
    palVec3 centre = recorded->steps[middle].device;
    double x = palComponent(centre, view->across);
    double y = palComponent(centre, view->up);

    // The stretch of time around the middle in which the hand stays within that width.
    outtake.begin = outtake.end = middle;
    for (int direction = -1; direction <= 1; direction += 2)
        for (int i = middle; i >= 0 && i < recorded->count; i += direction)
        {
            palVec3 at = recorded->steps[i].device;
            if (fabs(palComponent(at, view->across) - x) > 0.5 * width ||
                fabs(palComponent(at, view->up) - y) > 0.5 * width)
                break;
            if (direction < 0)
                outtake.begin = i;
            else
                outtake.end = i + 1;
        }
    outtake.xLow = 1e3 * (x - 0.5 * width);
    outtake.xHigh = 1e3 * (x + 0.5 * width);
    fitHeight(&outtake, report);
    double force = meanForce(recorded, outtake.begin, outtake.end);
    outtake.perNewton = force > 0.0 ? 0.08 * 1e3 * width / force : 0.0;
    outtake.stride = 1 + (outtake.end - outtake.begin) / 300;
    return outtake;
}

// ---------------------------------------------------------------------------------------------
// Pictures

typedef struct palSlicePath
{
    palChart* chart;
    const palOuttake* outtake;
} palSlicePath;

static void drawSegment(void* user, palVec3 a, palVec3 b)
{
    const palSlicePath* slice = user;
    const palView* view = &slice->outtake->view;
    double ax = 1e3 * palComponent(a, view->across), bx = 1e3 * palComponent(b, view->across);
    double ay = 1e3 * palComponent(a, view->up), by = 1e3 * palComponent(b, view->up);
    bool seen = fmax(ax, bx) >= slice->outtake->xLow && fmin(ax, bx) <= slice->outtake->xHigh &&
                fmax(ay, by) >= slice->outtake->yLow && fmin(ay, by) <= slice->outtake->yHigh;
    if (!seen)
        return;
    palChart_Move(slice->chart, ax, ay);
    palChart_Line(slice->chart, bx, by);
}

// Lines from device to proxy, from proxy along the force, or the dots of either.
typedef enum palMark
{
    pal_markCoupling,
    pal_markForce,
    pal_markDevice,
    pal_markProxy,
} palMark;

static void drawMarks(palChart* chart, const palOuttake* outtake, const palRecorded* recorded,
                      palMark mark, const char* style)
{
    const palView* view = &outtake->view;
    palChart_BeginPath(chart, style);
    for (int i = outtake->begin; i < outtake->end && i < recorded->count; i += outtake->stride)
    {
        const palRecordedStep* step = &recorded->steps[i];
        palVec3 device = palScale(1e3, step->device);
        palVec3 proxy = palScale(1e3, step->proxy);
        palVec3 tip = palMulAdd(proxy, outtake->perNewton, step->force);
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

static void drawPath(FILE* file, const palReport* report, const palOuttake* outtake, int run)
{
    const palRecorded* recorded = &report->runs[run].recorded;
    char xLabel[16], yLabel[16];
    snprintf(xLabel, sizeof xLabel, "%s (mm)", palAxisName(outtake->view.across));
    snprintf(yLabel, sizeof yLabel, "%s (mm)", palAxisName(outtake->view.up));
    palChart chart =
        palChart_Begin(file, &(palChartDef){
                                 .title = report->runs[run].method,
                                 .xLabel = xLabel,
                                 .yLabel = yLabel,
                                 .xLow = outtake->xLow,
                                 .xHigh = outtake->xHigh,
                                 .yLow = outtake->yLow,
                                 .yHigh = outtake->yHigh,
                                 .width = panelWidth,
                                 .height = panelWidth * (outtake->yHigh - outtake->yLow) /
                                           (outtake->xHigh - outtake->xLow),
                             });
    palChart_BeginPath(&chart, "surface");
    palView_Slice(&outtake->view, report->world, drawSegment, &(palSlicePath){&chart, outtake});
    palChart_EndPath(&chart);
    drawMarks(&chart, outtake, recorded, pal_markCoupling, "coupling");
    drawMarks(&chart, outtake, recorded, pal_markForce, "force");
    drawMarks(&chart, outtake, recorded, pal_markDevice, "device");
    drawMarks(&chart, outtake, recorded, pal_markProxy, "proxy");
    palChart_End(&chart);
}

// What is drawn over time.
static double forceAt(const palRecorded* recorded, int i)
{
    return palLength(recorded->steps[i].force);
}

static double jumpAt(const palRecorded* recorded, int i)
{
    return i > 0 ? palDistance(recorded->steps[i].force, recorded->steps[i - 1].force) : 0.0;
}

typedef double palQuantityFn(const palRecorded* recorded, int i);

static double largest(const palReport* report, palQuantityFn* quantity)
{
    double most = 0.0;
    for (int r = 0; r < report->runCount; r++)
        for (int i = 0; i < report->runs[r].recorded.count; i++)
            most = fmax(most, quantity(&report->runs[r].recorded, i));
    return most > 0.0 ? 1.05 * most : 1.0;
}

// A frame over the time of a run.
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

// The same axes for every run, so that panels can be compared. x and y have room for every step.
static void drawOverTime(FILE* file, const palReportRun* run, palQuantityFn* quantity, double most,
                         const char* label, const char* style, double* x, double* y)
{
    const palRecorded* recorded = &run->recorded;
    for (int i = 0; i < recorded->count; i++)
    {
        x[i] = recorded->steps[i].t;
        y[i] = quantity(recorded, i);
    }
    palChart chart = beginOverTime(file, run, 0.0, most, label);
    palChart_Series(&chart, style, x, y, recorded->count);
    palChart_End(&chart);
}

// The force along one axis, all runs in the same frame.
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

// What each low-rate step cost, and how much of it was contact.
static void drawCosts(FILE* file, const palReport* report, double* x, double* y)
{
    double most = 1e-3;
    for (int r = 0; r < report->runCount; r++)
        for (int i = 0; i < report->runs[r].recorded.lowCount; i++)
            most = fmax(most, 1.05 * report->runs[r].recorded.lows[i].step);
    fprintf(file, "</div>\n<h2>Cost of a low-rate step</h2>\n<p>Above the whole step, below "
                  "collision detection and constrained response.</p>\n<div class=\"panels\">\n");
    for (int r = 0; r < report->runCount; r++)
    {
        const palRecorded* recorded = &report->runs[r].recorded;
        int count = recorded->lowCount < recorded->count ? recorded->lowCount : recorded->count;
        palChart chart = beginOverTime(file, &report->runs[r], 0.0, most, "step (ms)");
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
    int most = 0;
    for (int r = 0; r < report->runCount; r++)
        most = report->runs[r].recorded.count > most ? report->runs[r].recorded.count : most;
    double* x = malloc((size_t)most * sizeof *x);
    double* y = malloc((size_t)most * sizeof *y);
    if (x == NULL || y == NULL)
    {
        free(x);
        free(y);
        return false;
    }
    palOuttake outtake = chooseOuttake(report);
    fprintf(file,
            "<h2>Where the proxy goes</h2>\n<p>An outtake of %.3g s at equal scale. The hand "
            "(<b class=\"k-device\">dots</b>) is tied to the proxy "
            "(<b class=\"k-proxy\">dots</b>) by the coupling; the lines from the proxy are "
            "the force on the hand, %.2g mm a newton.</p>\n<div class=\"panels\">\n",
            report->runs[0].recorded.steps[outtake.end - 1].t -
                report->runs[0].recorded.steps[outtake.begin].t,
            outtake.perNewton);
    for (int r = 0; r < report->runCount; r++)
        drawPath(file, report, &outtake, r);
    fprintf(file, "</div>\n<h2>Force on the hand</h2>\n<div class=\"panels\">\n");
    for (int r = 0; r < report->runCount; r++)
        drawOverTime(file, &report->runs[r], forceAt, largest(report, forceAt), "|F| (N)", "line",
                     x, y);
    fprintf(file, "</div>\n<h2>Change of the force from step to step</h2>\n"
                  "<div class=\"panels\">\n");
    for (int r = 0; r < report->runCount; r++)
        drawOverTime(file, &report->runs[r], jumpAt, largest(report, jumpAt), "|ΔF| (N)",
                     "line jump", x, y);
    if (report->scene->hasTool)
    {
        drawComponent(file, report, outtake.view.up, "Force across the stroke: normal", x, y);
        drawComponent(file, report, outtake.view.across, "Force along the stroke: tangential", x,
                      y);
        drawCosts(file, report, x, y);
    }
    fprintf(file, "</div>\n");
    free(x);
    free(y);
    return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include "figures.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void palReport_Compare(palReport* report)
{
    const palRecorded* first = &report->runs[0].recorded;
    for (int r = 0; r < report->runCount; r++)
    {
        const palRecorded* other = &report->runs[r].recorded;
        double apart = 0.0, size = 0.0;
        for (int i = 0; i < first->count && i < other->count; i++)
        {
            apart += palLengthSquared(palSub(other->steps[i].force, first->steps[i].force));
            size += palLengthSquared(first->steps[i].force);
        }
        report->runs[r].difference = size > 0.0 ? sqrt(apart / size) : 0.0;
    }
}

// ---------------------------------------------------------------------------------------------
// The table

static const double degrees = 180.0 / PAL_PI;

typedef double palCellFn(const palReportRun* run);

static double distanceMax(const palReportRun* run)
{
    return 1e3 * run->measure.surfaceDistance.max;
}

static double distanceP99(const palReportRun* run)
{
    return 1e3 * palHistogram_Percentile(&run->measure.surfaceDistance, 0.99);
}

static double penetrationMax(const palReportRun* run)
{
    return 1e3 * run->measure.penetration.max;
}

static double forceMean(const palReportRun* run)
{
    return palHistogram_Mean(&run->measure.force);
}

static double forceMax(const palReportRun* run)
{
    return run->measure.force.max;
}

static double jumpP99(const palReportRun* run)
{
    return palHistogram_Percentile(&run->measure.forceJump, 0.99);
}

static double jumpMax(const palReportRun* run)
{
    return run->measure.forceJump.max;
}

static double turnP99(const palReportRun* run)
{
    return degrees * palHistogram_Percentile(&run->measure.forceTurn, 0.99);
}

static double turnMax(const palReportRun* run)
{
    return degrees * run->measure.forceTurn.max;
}

static double differenceShare(const palReportRun* run)
{
    return 100.0 * run->difference;
}

static double energy(const palReportRun* run)
{
    return 1e3 * run->measure.energy;
}

static double contactSteps(const palReportRun* run)
{
    return (double)run->measure.contactSteps;
}

static double heldSteps(const palReportRun* run)
{
    return (double)run->measure.heldSteps;
}

static double unconvergedSteps(const palReportRun* run)
{
    return (double)run->measure.unconverged;
}

static double iterationsMean(const palReportRun* run)
{
    return palHistogram_Mean(&run->measure.iterations);
}

static double iterationsMax(const palReportRun* run)
{
    return run->measure.iterations.max;
}

static double residualMax(const palReportRun* run)
{
    return run->measure.residual.max;
}

static double tickMean(const palReportRun* run)
{
    return 1e6 * palHistogram_Mean(&run->high.stepTime);
}

static double tickP99(const palReportRun* run)
{
    return 1e6 * palHistogram_Percentile(&run->high.stepTime, 0.99);
}

static double lowMean(const palReportRun* run)
{
    return 1e3 * palHistogram_Mean(&run->low.stepTime);
}

static double lowP99(const palReportRun* run)
{
    return 1e3 * palHistogram_Percentile(&run->low.stepTime, 0.99);
}

typedef struct palRow
{
    const char* key; // in results.json, with the unit at its end
    const char* name;
    const char* unit;
    palCellFn* cell;
} palRow;

static const palRow rows[] = {
    {"surface_distance_p99_mm", "proxy to surface in contact, p99", "mm", distanceP99},
    {"surface_distance_max_mm", "proxy to surface in contact, largest", "mm", distanceMax},
    {"penetration_max_mm", "depth of the proxy inside, largest", "mm", penetrationMax},
    {"force_mean_N", "force, mean", "N", forceMean},
    {"force_max_N", "force, largest", "N", forceMax},
    {"force_jump_p99_N", "change of force in a step, p99", "N", jumpP99},
    {"force_jump_max_N", "change of force in a step, largest", "N", jumpMax},
    {"force_turn_p99_deg", "turn of force in a step, p99", "°", turnP99},
    {"force_turn_max_deg", "turn of force in a step, largest", "°", turnMax},
    {"force_difference_percent", "force difference to the first method, RMS", "%", differenceShare},
    {"energy_mJ", "energy given to the hand", "mJ", energy},
    {"contact_steps", "steps in contact", "", contactSteps},
    {"box_held_steps", "steps held by the trust region", "", heldSteps},
    {"unconverged_steps", "steps not converged", "", unconvergedSteps},
    {"iterations_mean", "iterations, mean", "", iterationsMean},
    {"iterations_max", "iterations, largest", "", iterationsMax},
    {"residual_max_m", "residual, largest", "m", residualMax},
    {"haptic_step_mean_us", "high-rate step, mean", "µs", tickMean},
    {"haptic_step_p99_us", "high-rate step, p99", "µs", tickP99},
    {"low_step_mean_ms", "low-rate step, mean", "ms", lowMean},
    {"low_step_p99_ms", "low-rate step, p99", "ms", lowP99},
};
static const int rowCount = sizeof rows / sizeof rows[0];

static void writeTable(FILE* file, const palReport* report)
{
    fprintf(file, "<h2>In numbers</h2>\n<table>\n<thead><tr><th>quantity</th><th>unit</th>");
    for (int r = 0; r < report->runCount; r++)
        fprintf(file, "<th>%s</th>", report->runs[r].method);
    fprintf(file, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < rowCount; i++)
    {
        fprintf(file, "<tr><td>%s</td><td>%s</td>", rows[i].name, rows[i].unit);
        for (int r = 0; r < report->runCount; r++)
            fprintf(file, "<td>%.4g</td>", rows[i].cell(&report->runs[r]));
        fprintf(file, "</tr>\n");
    }
    fprintf(file, "</tbody>\n</table>\n");
}

// ---------------------------------------------------------------------------------------------
// The page

static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--ink:#1d2430;--soft:#5d6775;--grid:#e6e9ee;"
    "--edge:#9aa4b2;--surface:#39414e;--device:#1f6fd1;--coupling:#8fbcf0;--proxy:#17803d;"
    "--force:#5cb87f;--line:#1f6fd1;--jump:#c2410c}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14181f;--ink:#e4e8ee;--soft:#97a3b3;"
    "--grid:#2a313c;--edge:#566172;--surface:#c9d1dc;--device:#6cb0ff;--coupling:#2f5f96;"
    "--proxy:#5fe08f;--force:#2c7a4b;--line:#6cb0ff;--jump:#ff9152}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);"
    "max-width:1500px;margin:0 auto;padding:24px}\n"
    "h1{font-size:1.6em;margin:0}h2{font-size:1.15em;margin:1.6em 0 .3em}\n"
    "p{margin:.3em 0;color:var(--soft);max-width:60em}\n"
    ".panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:14px}\n"
    "svg{width:100%;height:auto;display:block}svg svg{overflow:hidden}\n"
    "path{fill:none;stroke-linecap:round;stroke-linejoin:round}\n"
    "text{font:11px system-ui,sans-serif;fill:var(--soft)}"
    "text.title{font-size:14px;font-weight:600;fill:var(--ink)}\n"
    ".grid{stroke:var(--grid);stroke-width:1}"
    ".frame{fill:none;stroke:var(--edge);stroke-width:1}\n"
    ".surface{stroke:var(--surface);stroke-width:2}"
    ".coupling{stroke:var(--coupling);stroke-width:.6}"
    ".force{stroke:var(--force);stroke-width:.6}\n"
    ".device{stroke:var(--device);stroke-width:2.4}.proxy{stroke:var(--proxy);stroke-width:3}\n"
    ".line{stroke:var(--line);stroke-width:1.1}.line.jump{stroke:var(--jump)}\n"
    ".k-device{color:var(--device)}.k-proxy{color:var(--proxy)}\n"
    "table{border-collapse:collapse;margin-top:.5em;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.25em 1em .25em 0;text-align:right;border-bottom:1px solid var(--grid)}"
    "th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}"
    "td:nth-child(2){color:var(--soft)}\n";

// Text from the scene file, with what HTML reserves written out.
static void writeText(FILE* file, const char* text)
{
    for (; *text != '\0'; text++)
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            fprintf(file, "&#%d;", *text);
        else
            fputc(*text, file);
}

static void writeHead(FILE* file, const palReport* report)
{
    const palScene* scene = report->scene;
    fprintf(file, "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    writeText(file, scene->name);
    fprintf(file, ": methods compared</title>\n<style>\n%s</style></head>\n<body>\n<h1>", style);
    writeText(file, scene->name);
    fprintf(file, "</h1>\n<p>");
    writeText(file, scene->description);
    fprintf(file,
            "</p>\n<p>%g s of the same trajectory; high rate %g ms, low rate %g ms, its "
            "results arrive after %g ms; contacts sought within %g mm. palpate %s.</p>\n",
            scene->time.seconds, 1e3 * scene->time.dt, 1e3 * scene->time.lowDt,
            1e3 * scene->time.latency, 1e3 * scene->method.radius, palVersion());
}

palResult palReport_WriteHtml(const palReport* report, const char* path, palError* error)
{
    FILE* file = fopen(path, "w");
    bool written = file != NULL;
    if (written)
    {
        writeHead(file, report);
        bool drawn = palReport_DrawFigures(report, file);
        writeTable(file, report);
        fprintf(file, "</body>\n</html>\n");
        written = !ferror(file);
        written = fclose(file) == 0 && written;
        if (!drawn)
            return palError_Memory(error, "the figures", 0);
    }
    if (written)
        return pal_ok;
    palError_Set(error, pal_errorFile, "cannot write: %s", strerror(errno));
    palError_At(error, path, 0, 0);
    return palError_Remedy(error, "choose another directory with --out, or make room");
}

palResult palReport_WriteJson(const palReport* report, const char* path, palError* error)
{
    const palScene* scene = report->scene;
    palJson json = {0};
    palJson_BeginObject(&json, NULL);
    palJson_Text(&json, "scene", scene->name);
    palJson_Text(&json, "file", scene->file);
    palJson_Text(&json, "version", palVersion());
    palJson_Number(&json, "seconds", scene->time.seconds);
    palJson_Number(&json, "dt_s", scene->time.dt);
    palJson_Number(&json, "low_dt_s", scene->time.lowDt);
    palJson_Number(&json, "latency_s", scene->time.latency);
    palJson_BeginArray(&json, "methods");
    for (int r = 0; r < report->runCount; r++)
    {
        palJson_BeginObject(&json, NULL);
        palJson_Text(&json, "method", report->runs[r].method);
        for (int i = 0; i < rowCount; i++)
            palJson_Number(&json, rows[i].key, rows[i].cell(&report->runs[r]));
        palJson_End(&json);
    }
    palJson_End(&json);
    palJson_End(&json);
    palResult result = palJson_WriteFile(&json, path, error);
    palJson_Free(&json);
    return result;
}

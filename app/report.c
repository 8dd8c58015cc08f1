// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include "figures.h"
#include "page.h"
#include "sideways.h"
#include "view.h"

#include "base/error.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

void palReport_Compare(palReport* report)
{
    const palRecorded* first = &report->runs[0].recorded;
    for (int r = 0; r < report->runCount; r++)
    {
        const palRecorded* other = &report->runs[r].recorded;
        double difference = 0.0, reference = 0.0;
        for (int i = 0; i < first->count && i < other->count; i++)
        {
            difference += palLengthSquared(palSub(other->steps[i].force, first->steps[i].force));
            reference += palLengthSquared(first->steps[i].force);
        }
        report->runs[r].difference = reference > 0.0 ? sqrt(difference / reference) : 0.0;
        report->runs[r].sideways = palSidewaysRms(other, palMakeView(first).across);
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

static double differencePercent(const palReportRun* run)
{
    return 100.0 * run->difference;
}

static double sideways(const palReportRun* run)
{
    return run->sideways;
}

static double energy(const palReportRun* run)
{
    return 1e3 * run->measure.energy;
}

static double handEnergy(const palReportRun* run)
{
    return 1e3 * run->measure.handEnergy;
}

static double handEnergyLargest(const palReportRun* run)
{
    return 1e3 * run->measure.handEnergyLargest;
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

static double describedMean(const palReportRun* run)
{
    return palHistogram_Mean(&run->measure.described);
}

static double describedMax(const palReportRun* run)
{
    return run->measure.described.max;
}

static double constraintsMax(const palReportRun* run)
{
    return run->measure.constraints.max;
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

static double tickMax(const palReportRun* run)
{
    return 1e6 * run->high.stepTime.max;
}

static double lowMax(const palReportRun* run)
{
    return 1e3 * run->low.stepTime.max;
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
    const char* key; // in results.json, ends with the unit
    const char* name;
    const char* unit;
    palCellFn* cell;
} palRow;

static const palRow rows[] = {
    {"surface_distance_p99_mm", "distance of proxy and surface in contact, p99", "mm", distanceP99},
    {"surface_distance_max_mm", "distance of proxy and surface in contact, largest", "mm",
     distanceMax},
    {"penetration_max_mm", "penetration of the proxy, largest", "mm", penetrationMax},
    {"force_mean_N", "force, mean", "N", forceMean},
    {"force_max_N", "force, largest", "N", forceMax},
    {"force_jump_p99_N", "change of force per step, p99", "N", jumpP99},
    {"force_jump_max_N", "change of force per step, largest", "N", jumpMax},
    {"force_turn_p99_deg", "change of force direction per step, p99", "°", turnP99},
    {"force_turn_max_deg", "change of force direction per step, largest", "°", turnMax},
    {"force_difference_percent", "force difference to the first method, RMS", "%",
     differencePercent},
    {"force_sideways_rms_N", "force along the stroke above 5 Hz, RMS", "N", sideways},
    {"energy_mJ", "work of the force on the device", "mJ", energy},
    {"hand_energy_mJ", "energy received by the simulated hand", "mJ", handEnergy},
    {"hand_energy_largest_mJ", "energy received by the simulated hand, largest", "mJ",
     handEnergyLargest},
    {"contact_steps", "steps in contact", "", contactSteps},
    {"box_held_steps", "steps limited by the trust region", "", heldSteps},
    {"unconverged_steps", "steps without convergence", "", unconvergedSteps},
    {"described_mean", "contacts per low-rate update, mean", "", describedMean},
    {"described_max", "contacts per low-rate update, largest", "", describedMax},
    {"constraints_max", "constraint rows per step, largest", "", constraintsMax},
    {"iterations_mean", "iterations, mean", "", iterationsMean},
    {"iterations_max", "iterations, largest", "", iterationsMax},
    {"residual_max_m", "residual, largest", "m", residualMax},
    {"haptic_step_mean_us", "high-rate step, mean", "µs", tickMean},
    {"haptic_step_p99_us", "high-rate step, p99", "µs", tickP99},
    {"haptic_step_max_us", "high-rate step, largest", "µs", tickMax},
    {"low_step_mean_ms", "low-rate step, mean", "ms", lowMean},
    {"low_step_p99_ms", "low-rate step, p99", "ms", lowP99},
    {"low_step_max_ms", "low-rate step, largest", "ms", lowMax},
};
static const int rowCount = sizeof rows / sizeof rows[0];

bool palReport_Quantity(const palReportRun* run, const char* key, palQuantity* quantity)
{
    for (int i = 0; i < rowCount; i++)
    {
        if (strcmp(rows[i].key, key) != 0)
            continue;
        *quantity = (palQuantity){rows[i].name, rows[i].unit, rows[i].cell(run)};
        return true;
    }
    return false;
}

// A dash for what the run does not know.
static void writeCell(FILE* file, double value)
{
    if (isnan(value))
        fprintf(file, "<td>–</td>");
    else
        fprintf(file, "<td>%.4g</td>", value);
}

static void writeTable(FILE* file, const palReport* report)
{
    fprintf(file, "<h2>Results</h2>\n<table>\n<thead><tr><th>quantity</th><th>unit</th>");
    for (int r = 0; r < report->runCount; r++)
        fprintf(file, "<th>%s</th>", report->runs[r].method);
    fprintf(file, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < rowCount; i++)
    {
        fprintf(file, "<tr><td>%s</td><td>%s</td>", rows[i].name, rows[i].unit);
        for (int r = 0; r < report->runCount; r++)
            writeCell(file, rows[i].cell(&report->runs[r]));
        fprintf(file, "</tr>\n");
    }
    fprintf(file, "</tbody>\n</table>\n");
}

// ---------------------------------------------------------------------------------------------
// The page

static void writeHead(FILE* file, const palReport* report)
{
    const palScene* scene = report->scene;
    palPage_Begin(file, scene->name, "methods compared");
    fprintf(file, "<p>");
    palPage_Text(file, scene->description);
    fprintf(file,
            "</p>\n<p>The same trajectory for %g s; high-rate period %g ms, low-rate period %g ms "
            "with a latency of %g ms; contacts within %g mm. palpate %s.</p>\n",
            scene->time.seconds, 1e3 * scene->time.dt, 1e3 * scene->time.lowDt,
            1e3 * scene->time.latency, 1e3 * scene->method.radius, palVersion());
}

typedef struct palPageJob
{
    const palReport* report;
    bool* isDrawn; // false: out of memory for the figures
} palPageJob;

static void writePage(const void* data, FILE* file)
{
    const palPageJob* job = data;
    writeHead(file, job->report);
    *job->isDrawn = palReport_DrawFigures(job->report, file);
    writeTable(file, job->report);
    palPage_End(file);
}

palResult palReport_WriteHtml(const palReport* report, const char* path, palError* error)
{
    bool isDrawn = false;
    const palPageJob job = {report, &isDrawn};
    palResult result = palWriteFile(path, writePage, &job, error);
    return result == pal_ok && !isDrawn ? palError_Memory(error, "the figures", 0) : result;
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

// SPDX-License-Identifier: Apache-2.0
// The report of a comparison: the same trajectory with several methods, as a self-contained HTML
// file with inline SVG figures.
#ifndef PAL_APP_REPORT_H
#define PAL_APP_REPORT_H

#include "recorded.h"
#include "runtime/engine.h"
#include "runtime/measure.h"
#include "scene/bodies.h"

enum
{
    pal_reportRunsMax = 16,
};

/// One method's run.
typedef struct palReportRun
{
    const char* method;
    palRecorded recorded;        // owned
    palMeasure measure;          // the measured quantities of the run
    palLoopStatistics high, low; // step times
    double difference;           // RMS of the force difference to the first run / RMS of its force
    double sideways;             // N, RMS, sideways.h
} palReportRun;

typedef struct palReport
{
    const palScene* scene;       // borrowed
    const palSceneBodies* world; // borrowed
    palReportRun* runs;          // borrowed, [runCount]
    int runCount;
} palReport;

/// Computes each run's force difference to the first and its sideways oscillation.
void palReport_Compare(palReport* report);

/// A quantity of a run, as in the table of the report.
typedef struct palQuantity
{
    const char* name;
    const char* unit;
    double value; // in that unit
} palQuantity;

/// The quantity with this key in results.json. Returns false if it does not exist.
bool palReport_Quantity(const palReportRun* run, const char* key, palQuantity* quantity);

/// Writes the report.
palResult palReport_WriteHtml(const palReport* report, const char* path, palError* error);
/// Writes the same quantities as JSON.
palResult palReport_WriteJson(const palReport* report, const char* path, palError* error);

#endif

// SPDX-License-Identifier: Apache-2.0
// The page of a comparison: the same trajectory under several methods, as one HTML file that needs
// nothing else. Pictures are inline SVG.
#ifndef PAL_APP_REPORT_H
#define PAL_APP_REPORT_H

#include "recorded.h"
#include "runtime/engine.h"
#include "runtime/measure.h"
#include "scene/world.h"

enum
{
    pal_reportRunsMax = 16,
};

/// One method's run.
typedef struct palReportRun
{
    const char* method;
    palRecorded recorded;        // owned
    palMeasure measure;          // what the run is judged by
    palLoopStatistics high, low; // step times
    double difference;           // RMS of the force difference to the first run / RMS of its force
} palReportRun;

typedef struct palReport
{
    const palScene* scene; // borrowed
    const palWorld* world; // borrowed
    palReportRun* runs;    // borrowed, [runCount]
    int runCount;
} palReport;

/// Fills in each run's difference to the first.
void palReport_Compare(palReport* report);

/// A number of a run, as the table of the page has it.
typedef struct palQuantity
{
    const char* name;
    const char* unit;
    double value; // in that unit
} palQuantity;

/// The quantity that results.json calls `key`. False: there is none.
bool palReport_Quantity(const palReportRun* run, const char* key, palQuantity* quantity);

/// Writes the page.
palResult palReport_WriteHtml(const palReport* report, const char* path, palError* error);
/// Writes the same numbers as JSON.
palResult palReport_WriteJson(const palReport* report, const char* path, palError* error);

#endif

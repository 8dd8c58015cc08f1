// SPDX-License-Identifier: Apache-2.0
// Running one scene under several methods, and what comes of it: a recording of each, the page that
// shows them side by side, and their numbers.
#ifndef PAL_APP_COMPARISON_H
#define PAL_APP_COMPARISON_H

#include "options.h"
#include "report.h"
#include "scene/session.h"

typedef struct palComparisonDef
{
    const char* scene;         // as the command line calls it
    const palOptionList* sets; // borrowed: scene changes
    double seconds;            // length of each run; NaN: the scene's own
    const char* out;           // directory: gets METHOD/, report.html and results.json
    bool quiet;                // no progress, no notes
} palComparisonDef;

typedef struct palComparison
{
    palReport report;    // its runs are owned
    palSession* session; // owned: the last one, for its scene and world
} palComparison;

palResult palComparison_Init(palComparison* comparison, palError* error);
void palComparison_Free(palComparison* comparison);

/// Adds a method to those that will run, unless it is there already. False: no such method.
bool palComparison_Add(palComparison* comparison, const char* method);

/// Runs every method and writes all that comes of it.
palResult palComparison_Run(palComparison* comparison, const palComparisonDef* def,
                            palError* error);

#endif

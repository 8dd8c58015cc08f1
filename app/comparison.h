// SPDX-License-Identifier: Apache-2.0
// Runs one scene with several methods and writes a recording of each, a report page that compares
// them, and their results as JSON.
#ifndef PAL_APP_COMPARISON_H
#define PAL_APP_COMPARISON_H

#include "api/session.h"
#include "options.h"
#include "report.h"

typedef struct palComparisonDef
{
    const char* scene;         // name or path, as on the command line
    const palOptionList* sets; // borrowed: scene changes
    double seconds;            // length of each run; NaN: that of the scene
    const char* out;           // directory for METHOD/, report.html and results.json
    bool quiet;                // do not print progress and notes
} palComparisonDef;

typedef struct palComparison
{
    palReport report;    // its runs are owned
    palSession* session; // owned: of the last run, for its scene and world
} palComparison;

palResult palComparison_Init(palComparison* comparison, palError* error);
void palComparison_Free(palComparison* comparison);

/// Adds a method to the list, unless it is in it already. Returns false for an unknown method.
bool palComparison_Add(palComparison* comparison, const char* method);

/// Runs every method in the list, or if it is empty all that support the scene, and writes the
/// results.
palResult palComparison_Run(palComparison* comparison, const palComparisonDef* def,
                            palError* error);

#endif

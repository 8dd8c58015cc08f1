// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include "base/error.h"
#include "scene_path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

palResult palComparison_Init(palComparison* comparison, palError* error)
{
    *comparison = (palComparison){0};
    comparison->report.runs = calloc(pal_reportRunsMax, sizeof *comparison->report.runs);
    return comparison->report.runs != NULL ? pal_ok : palError_Memory(error, "a comparison", 0);
}

void palComparison_Free(palComparison* comparison)
{
    palSession_Destroy(comparison->session);
    for (int i = 0; i < comparison->report.runCount; i++)
        palRecorded_Free(&comparison->report.runs[i].recorded);
    free(comparison->report.runs);
    *comparison = (palComparison){0};
}

bool palComparison_Add(palComparison* comparison, const char* name)
{
    palReport* report = &comparison->report;
    const palMethodEntry* method = palFindMethod(name);
    if (method == NULL)
        return false;
    bool known = false;
    for (int i = 0; i < report->runCount; i++)
        known |= report->runs[i].method == method->name;
    if (!known && report->runCount < pal_reportRunsMax)
        report->runs[report->runCount++].method = method->name;
    return true;
}

// Adds all methods that support the scene.
static palResult addSuitable(palComparison* comparison, const palComparisonDef* def,
                             const char* path, palError* error)
{
    palSceneSets sets = {0};
    palSceneSets_AddList(&sets, def->sets);
    palMessages messages = {0};
    palScene* scene = malloc(sizeof *scene);
    if (scene == NULL)
        return palError_Memory(error, "a scene", sizeof *scene);
    palResult result = palScene_Load(path, sets.items, sets.count, scene, &messages, error);
    for (int i = 0; result == pal_ok && palMethodAt(i) != NULL; i++)
        if (palScene_Fits(scene, palMethodAt(i)))
            palComparison_Add(comparison, palMethodAt(i)->name);
    palMessages_Free(&messages);
    if (result == pal_ok)
        palScene_Free(scene);
    free(scene);
    return result;
}

// The data of the progress line.
typedef struct palProgress
{
    const char* method;
    int index, count;
} palProgress;

static void showProgress(void* user, double done)
{
    const palProgress* progress = user;
    fprintf(stderr, "\r%d/%d %s %3.0f %%", progress->index + 1, progress->count, progress->method,
            100.0 * done);
    if (done >= 1.0)
        fprintf(stderr, "\r%60s\r", "");
}

static palResult runMethod(palComparison* comparison, const palComparisonDef* def,
                           const char* scene, int index, palError* error)
{
    palReport* report = &comparison->report;
    palReportRun* run = &report->runs[index];
    char directory[512];
    palSceneSets sets = {0};
    palSceneSets_AddList(&sets, def->sets);
    palSceneSets_Add(&sets, "method.name", run->method);
    palSceneSets_AddSeconds(&sets, def->seconds);
    palSessionDef sessionDef = palDefaultSessionDef();
    sessionDef.scene = scene;
    sessionDef.sets = sets.items;
    sessionDef.setCount = sets.count;
    palResult result = palSession_Create(&sessionDef, &comparison->session, error);
    if (result != pal_ok)
        return result;

    int shown = 0;
    if (index == 0 && !def->quiet)
        palPrintMessages(comparison->session, &shown);
    snprintf(directory, sizeof directory, "%s/%s", def->out, run->method);
    palProgress progress = {run->method, index, report->runCount};
    palRunDef runDef = {
        .directory = directory,
        .progress = isatty(STDERR_FILENO) && !def->quiet ? showProgress : NULL,
        .user = &progress,
    };
    result = palSession_Run(comparison->session, &runDef, error);
    if (result == pal_ok)
        result = palRecorded_Load(&run->recorded, directory, error);
    if (result != pal_ok)
        return result;
    run->measure = *palSession_Measure(comparison->session);
    run->high = palSession_Engine(comparison->session)->highStatistics;
    run->low = palSession_Engine(comparison->session)->loops[0].statistics;
    return pal_ok;
}

static palResult writeReport(const palComparison* comparison, const char* out, palError* error)
{
    char path[600];
    snprintf(path, sizeof path, "%s/results.json", out);
    palResult result = palReport_WriteJson(&comparison->report, path, error);
    if (result != pal_ok)
        return result;
    snprintf(path, sizeof path, "%s/report.html", out);
    return palReport_WriteHtml(&comparison->report, path, error);
}

palResult palComparison_Run(palComparison* comparison, const palComparisonDef* def, palError* error)
{
    palReport* report = &comparison->report;
    char path[pal_scenePathMax];
    palResult result = palScenePath_Find(def->scene, path, error);
    if (result == pal_ok && report->runCount == 0)
        result = addSuitable(comparison, def, path, error);
    for (int i = 0; i < report->runCount && result == pal_ok; i++)
    {
        palSession_Destroy(comparison->session);
        comparison->session = NULL;
        result = runMethod(comparison, def, path, i, error);
    }
    if (result != pal_ok)
        return result;
    report->scene = palSession_Scene(comparison->session);
    report->world = palSession_Bodies(comparison->session);
    palReport_Compare(report);
    return writeReport(comparison, def->out, error);
}

// SPDX-License-Identifier: Apache-2.0
#include "options.h"
#include "report.h"
#include "scene_path.h"

#include "base/spelling.h"
#include "scene/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct palCompareOptions
{
    const char* methods;
    const char* out;
    double seconds;
    palOptionList sets;
    bool quiet;
} palCompareOptions;

// What the progress line shows.
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

static int unknownMethod(const char* word)
{
    const char* names[pal_reportRunsMax];
    int count = 0;
    for (int i = 0; palMethodAt(i) != NULL && count < pal_reportRunsMax; i++)
        names[count++] = palMethodAt(i)->name;
    const char* near = palNearestWord(word, names, count);
    fprintf(stderr, "palpate compare: error: unknown method '%s'", word);
    if (near != NULL)
        fprintf(stderr, "; did you mean '%s'?\n", near);
    else
    {
        fprintf(stderr, "; there are:");
        for (int i = 0; i < count; i++)
            fprintf(stderr, " %s", names[i]);
        fprintf(stderr, "\n");
    }
    return 2;
}

// The methods that are asked for, each once; all where none is. Returns the exit code.
static int findMethods(const char* list, palReport* report)
{
    for (int i = 0; list == NULL && palMethodAt(i) != NULL && i < pal_reportRunsMax; i++)
        report->runs[report->runCount++].method = palMethodAt(i)->name;
    while (list != NULL && *list != '\0')
    {
        char word[64];
        size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        const palMethodOps* method = palFindMethod(word);
        if (method == NULL)
            return unknownMethod(word);
        bool known = false;
        for (int i = 0; i < report->runCount; i++)
            known |= report->runs[i].method == method->name;
        if (!known && report->runCount < pal_reportRunsMax)
            report->runs[report->runCount++].method = method->name;
        list += length + (list[length] == ',');
    }
    if (report->runCount > 0)
        return 0;
    fprintf(stderr, "palpate compare: error: --methods names none\n");
    return 2;
}

static palResult runMethod(const palCompareOptions* options, const char* scene, palReport* report,
                           int index, palSession** session, palError* error)
{
    palReportRun* run = &report->runs[index];
    char directory[512];
    char seconds[40];
    palSceneSets sets;
    palSceneSets_Init(&sets, &options->sets);
    palSceneSets_Add(&sets, "method.name", run->method);
    snprintf(seconds, sizeof seconds, "%.17g", options->seconds);
    if (!isnan(options->seconds))
        palSceneSets_Add(&sets, "time.seconds", seconds);
    palSessionDef def = palDefaultSessionDef();
    def.scene = scene;
    def.sets = sets.items;
    def.setCount = sets.count;
    palResult result = palSession_Create(&def, session, error);
    if (result != pal_ok)
        return result;

    int shown = 0;
    if (index == 0 && !options->quiet)
        palTellMessages(*session, &shown);
    snprintf(directory, sizeof directory, "%s/%s", options->out, run->method);
    palProgress progress = {run->method, index, report->runCount};
    palRunDef runDef = {
        .directory = directory,
        .progress = isatty(STDERR_FILENO) && !options->quiet ? showProgress : NULL,
        .user = &progress,
    };
    result = palSession_Run(*session, &runDef, error);
    if (result == pal_ok)
        result = palRecorded_Load(&run->recorded, directory, error);
    if (result != pal_ok)
        return result;
    run->measure = *palSession_Measure(*session);
    run->high = palSession_Engine(*session)->highStatistics;
    run->low = palSession_Engine(*session)->lowStatistics;
    return pal_ok;
}

// Runs every method; the last session stays, for its scene and world.
static palResult runAll(const palCompareOptions* options, const char* scene, palReport* report,
                        palSession** session, palError* error)
{
    *session = NULL;
    for (int i = 0; i < report->runCount; i++)
    {
        palSession_Destroy(*session);
        palResult result = runMethod(options, scene, report, i, session, error);
        if (result != pal_ok)
            return result;
    }
    report->scene = palSession_Scene(*session);
    report->world = palSession_World(*session);
    return pal_ok;
}

static palResult writeReport(const palCompareOptions* options, palReport* report, palError* error)
{
    char path[600];
    palReport_Compare(report);
    snprintf(path, sizeof path, "%s/results.json", options->out);
    palResult result = palReport_WriteJson(report, path, error);
    if (result != pal_ok)
        return result;
    snprintf(path, sizeof path, "%s/report.html", options->out);
    return palReport_WriteHtml(report, path, error);
}

static void printShort(const palCompareOptions* options, const palReport* report)
{
    printf("%-12s %22s %22s %22s\n", "", "off the surface (mm)", "change of force (N)",
           "high-rate step (us)");
    for (int i = 0; i < report->runCount; i++)
    {
        const palReportRun* run = &report->runs[i];
        printf("%-12s %22.4g %22.4g %22.3g\n", run->method, 1e3 * run->measure.surfaceDistance.max,
               run->measure.forceJump.max, 1e6 * palHistogram_Mean(&run->high.stepTime));
    }
    printf("wrote %s/report.html, results.json and a recording of each\n", options->out);
}

static int compare(const palCompareOptions* options, const char* scene, palReport* report)
{
    palError error = {0};
    char path[pal_scenePathMax];
    palSession* session = NULL;
    palResult result = palScenePath_Find(scene, path, &error);
    if (result == pal_ok)
        result = runAll(options, path, report, &session, &error);
    if (result == pal_ok)
        result = writeReport(options, report, &error);
    if (result == pal_ok && !options->quiet)
        printShort(options, report);
    palSession_Destroy(session);
    for (int i = 0; i < report->runCount; i++)
        palRecorded_Free(&report->runs[i].recorded);
    return result == pal_ok ? 0 : palTell(&error);
}

static int run(int argc, char** argv)
{
    palCompareOptions options = {.out = "out/compare", .seconds = NAN};
    const palOption table[] = {
        {"methods", pal_optionText, &options.methods, "A,B,C",
         "which, in this order (default: all)"},
        {"set", pal_optionList, &options.sets, "KEY=VALUE",
         "change a scene value, for example "
         "objects.0.friction=0.3; may be repeated"},
        {"seconds", pal_optionNumber, &options.seconds, "S", "length of the run"},
        {"out", pal_optionText, &options.out, "DIR",
         "where the report goes (default: out/compare)"},
        {"quiet", pal_optionFlag, &options.quiet, NULL, "print nothing but errors"},
    };
    const char* scene;
    int count = palOptions_Parse(&pal_commandCompare, table, sizeof table / sizeof table[0], argc,
                                 argv, 1, &scene);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (count == 0)
    {
        fprintf(stderr, "palpate compare: error: which scene? See palpate compare --help\n");
        return 2;
    }
    palReport report = {.runs = calloc(pal_reportRunsMax, sizeof *report.runs)};
    if (report.runs == NULL)
    {
        fprintf(stderr, "palpate compare: error: out of memory\n");
        return 1;
    }
    int code = findMethods(options.methods, &report);
    if (code == 0)
        code = compare(&options, scene, &report);
    free(report.runs);
    return code;
}

const palCommand pal_commandCompare = {
    .name = "compare",
    .summary = "the same trajectory under several methods: one report with plots and a table",
    .usage = "SCENE [options]",
    .examples = "  palpate compare scenes/sine-static.yaml\n"
                "  palpate compare scenes/sine-static.yaml --methods accurate,standard --out "
                "out/sine\n"
                "  palpate compare scenes/statue.yaml --set time.low_dt=0.066\n",
    .run = run,
};

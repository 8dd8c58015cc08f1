// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct palCompareOptions
{
    const char* methods;
    const char* out;
    double seconds;
    palOptionList sets;
    bool quiet;
} palCompareOptions;

static int unknownMethod(const char* word)
{
    const char* names[pal_reportRunsMax];
    int count = 0;
    for (int i = 0; palMethodAt(i) != NULL && count < pal_reportRunsMax; i++)
        names[count++] = palMethodAt(i)->name;
    char all[256] = "available methods:";
    for (int i = 0; i < count; i++)
    {
        size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, " %s", names[i]);
    }
    return palPrintUnknown(&pal_commandCompare, "method", word, names, count, all);
}

// Adds the requested methods, each once. Returns the exit code.
static int findMethods(const char* list, palComparison* comparison)
{
    while (list != NULL && *list != '\0')
    {
        char word[64];
        size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        if (!palComparison_Add(comparison, word))
            return unknownMethod(word);
        list += length + (list[length] == ',');
    }
    if (list == NULL || comparison->report.runCount > 0)
        return 0;
    return palPrintUsageError(&pal_commandCompare, "--methods is empty");
}

static void printShort(const palCompareOptions* options, const palReport* report)
{
    printf("%-12s %22s %22s %22s\n", "", "surface distance (mm)", "change of force (N)",
           "high-rate step (us)");
    for (int i = 0; i < report->runCount; i++)
    {
        const palReportRun* run = &report->runs[i];
        printf("%-12s %22.4g %22.4g %22.3g\n", run->method, 1e3 * run->measure.surfaceDistance.max,
               run->measure.forceJump.max, 1e6 * palHistogram_Mean(&run->high.stepTime));
    }
    printf("wrote %s/report.html, results.json and a recording per method\n", options->out);
}

static int compare(const palCompareOptions* options, const char* scene, palComparison* comparison)
{
    palError error = {0};
    palComparisonDef def = {
        .scene = scene,
        .sets = &options->sets,
        .seconds = options->seconds,
        .out = options->out,
        .quiet = options->quiet,
    };
    if (palComparison_Run(comparison, &def, &error) != pal_ok)
        return palPrintError(&error);
    if (!options->quiet)
        printShort(options, &comparison->report);
    return 0;
}

static int run(int argc, char** argv)
{
    palCompareOptions options = {.out = "out/compare", .seconds = NAN};
    const palOption table[] = {
        {"methods", pal_optionText, &options.methods, "A,B,C",
         "methods to compare, in this order (default: all suitable ones)"},
        {"set", pal_optionList, &options.sets, "KEY=VALUE",
         "change a scene value, for example "
         "objects.0.friction=0.3; may be repeated"},
        {"seconds", pal_optionNumber, &options.seconds, "S", "length of the run"},
        {"out", pal_optionText, &options.out, "DIR",
         "directory of the report (default: out/compare)"},
        {"quiet", pal_optionFlag, &options.quiet, NULL, "print only errors"},
    };
    const char* scene;
    int count = palOptions_Parse(&pal_commandCompare, table, sizeof table / sizeof table[0], argc,
                                 argv, 1, &scene);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (count == 0)
        return palPrintUsageError(&pal_commandCompare, "no scene given");
    palComparison comparison;
    palError error = {0};
    if (palComparison_Init(&comparison, &error) != pal_ok)
        return palPrintError(&error);
    int code = findMethods(options.methods, &comparison);
    if (code == 0)
        code = compare(&options, scene, &comparison);
    palComparison_Free(&comparison);
    return code;
}

const palCommand pal_commandCompare = {
    .name = "compare",
    .summary = "run the same trajectory with several methods: a report with plots and a table",
    .usage = "SCENE [options]",
    .examples = "  palpate compare scenes/sine-static.yaml\n"
                "  palpate compare scenes/sine-static.yaml --methods accurate,standard --out "
                "out/sine\n"
                "  palpate compare scenes/statue.yaml --set time.low_dt=0.066\n",
    .run = run,
};

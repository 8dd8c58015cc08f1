// SPDX-License-Identifier: Apache-2.0
#include "bench.h"
#include "options.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

static const palBenchmark* const benchmarks[] = {
    &pal_benchFactor,     &pal_benchProximity, &pal_benchSoft,    &pal_benchShell, &pal_benchSolve,
    &pal_benchTick,       &pal_benchAccurate,  &pal_benchBeam,    &pal_benchFeel,  &pal_benchLinear,
    &pal_benchCompliance, &pal_benchWorld,     &pal_benchImpulse,
};
static const int benchmarkCount = sizeof benchmarks / sizeof benchmarks[0];

static int unknownBenchmark(const char* word)
{
    const char* names[sizeof benchmarks / sizeof benchmarks[0]];
    for (int i = 0; i < benchmarkCount; i++)
        names[i] = benchmarks[i]->name;
    return palPrintUnknown(&pal_commandBench, "benchmark", word, names, benchmarkCount,
                           "see palpate bench --list");
}

static int list(void)
{
    for (int i = 0; i < benchmarkCount; i++)
        printf("%-12s %s\n", benchmarks[i]->name, benchmarks[i]->summary);
    return 0;
}

static int runOne(const palBenchmark* benchmark, const palBenchSettings* settings, palJson* json)
{
    if (settings->table)
        printf("%s: %s\n  %-44s %13s %13s %10s\n", benchmark->name, benchmark->summary, "",
               "palpate", "baseline", "ratio");
    palJson_BeginObject(json, NULL);
    palJson_Text(json, "name", benchmark->name);
    palJson_Text(json, "summary", benchmark->summary);
    palJson_BeginArray(json, "cases");
    int code = benchmark->run(settings, json);
    palJson_End(json);
    palJson_End(json);
    if (code != 0)
        fprintf(stderr, "palpate bench: error: %s failed\n", benchmark->name);
    return code;
}

// Runs the named benchmark, or all.
static int runAll(const char* name, const palBenchSettings* settings, palJson* json)
{
    int code = 0;
    palJson_BeginObject(json, NULL);
    palJson_Text(json, "version", palVersion());
    palJson_Bool(json, "quick", settings->quick);
    palJson_BeginArray(json, "benchmarks");
    for (int i = 0; i < benchmarkCount && code == 0; i++)
        if (name == NULL || strcmp(name, benchmarks[i]->name) == 0)
            code = runOne(benchmarks[i], settings, json);
    palJson_End(json);
    palJson_End(json);
    return code;
}

static int makeDirectory(const char* directory)
{
    palError error;
    if (palMakeDirectories(directory))
        return 0;
    palCannotWrite(directory, &error);
    return palPrintError(&error);
}

static int writeReport(const palJson* json, const char* directory)
{
    char path[4096];
    palError error;
    snprintf(path, sizeof path, "%s/bench.json", directory);
    return palJson_WriteFile(json, path, &error) == pal_ok ? 0 : palPrintError(&error);
}

static int run(int argc, char** argv)
{
    palBenchSettings settings = {0};
    bool asJson = false;
    bool asList = false;
    const palOption options[] = {
        {"quick", pal_optionFlag, &settings.quick, NULL, "smaller sizes and fewer repetitions"},
        {"json", pal_optionFlag, &asJson, NULL, "print JSON instead of the table"},
        {"out", pal_optionText, &settings.out, "DIR", "also write DIR/bench.json, and figures"},
        {"list", pal_optionFlag, &asList, NULL, "print the benchmarks' names"},
    };
    const char* name = NULL;
    int count = palOptions_Parse(&pal_commandBench, options, sizeof options / sizeof options[0],
                                 argc, argv, 1, &name);
    if (count < 0)
        return count == -1 ? 0 : 2;
    if (asList)
        return list();
    bool known = count == 0;
    for (int i = 0; i < benchmarkCount && !known; i++)
        known = strcmp(name, benchmarks[i]->name) == 0;
    if (!known)
        return unknownBenchmark(name);

    settings.table = !asJson;
    settings.turns = settings.quick ? 5 : 15;
    palJson json = {0};
    int code = settings.out != NULL ? makeDirectory(settings.out) : 0;
    if (code == 0)
        code = runAll(name, &settings, &json);
    if (code == 0 && settings.out != NULL)
        code = writeReport(&json, settings.out);
    if (code == 0 && asJson)
        return palPrintJson(&json);
    palJson_Free(&json);
    return code;
}

const palCommand pal_commandBench = {
    .name = "bench",
    .summary = "measure computing times and compare them with a baseline",
    .usage = "[NAME] [options]",
    .examples =
        "  palpate bench                    all benchmarks, a few minutes\n"
        "  palpate bench proximity --quick  one benchmark, a few seconds\n"
        "  palpate bench feel --out out     with figures of the force on a soft body\n"
        "  palpate bench --json --out out   JSON on standard output and in out/bench.json\n",
    .run = run,
};

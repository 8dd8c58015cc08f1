// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    maxTurns = 64,
};

static int compareDoubles(const void* a, const void* b)
{
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compareDoubles);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static int64_t threadTime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1000000000LL * now.tv_sec + now.tv_nsec;
}

// The duration of one call, s.
static double timeCall(const palBenchCase* c, void (*call)(void*))
{
    int64_t start = c->isThreadTime ? threadTime() : palClock_Now();
    call(c->context);
    return 1e-9 * (double)((c->isThreadTime ? threadTime() : palClock_Now()) - start);
}

// Writes the members common to all cases.
static void beginCase(palJson* json, const char* name, const char* unit, double ours)
{
    palJson_BeginObject(json, NULL);
    palJson_Text(json, "name", name);
    palJson_Text(json, "unit", unit);
    palJson_Number(json, "ours", ours);
}

static double ratioOf(double ours, double baseline)
{
    return ours > 0.0 ? baseline / ours : 0.0;
}

static void putBaseline(palJson* json, const char* name, double ours, double baseline)
{
    palJson_Text(json, "baseline_name", name);
    palJson_Number(json, "baseline", baseline);
    palJson_Number(json, "ratio", ratioOf(ours, baseline));
}

// Prints a row of the table; baselineName is NULL without a baseline.
static void printRow(const char* name, const char* unit, double ours, const char* baselineName,
                     double baseline)
{
    printf("  %-44s %10.4g %-2s", name, ours, unit);
    if (baselineName != NULL)
        printf(" %10.4g %-2s %8.2f x  %s", baseline, unit, ratioOf(ours, baseline), baselineName);
    printf("\n");
    fflush(stdout);
}

palBenchTimes palBench_Compare(const palBenchSettings* settings, const palBenchCase* benchCase,
                               palJson* json)
{
    const palBenchCase* c = benchCase;
    double scale = (strcmp(c->unit, "ms") == 0 ? 1e3 : 1e6) / c->operations;
    int turns = settings->turns < maxTurns ? settings->turns : maxTurns;
    double times[2][maxTurns];

    // One repetition to warm the caches, not measured.
    c->ours(c->context);
    if (c->baseline != NULL)
        c->baseline(c->context);
    for (int i = 0; i < turns; i++)
    {
        times[0][i] = scale * timeCall(c, c->ours);
        times[1][i] = c->baseline != NULL ? scale * timeCall(c, c->baseline) : NAN;
    }
    // median() sorts the times: the smallest is first.
    double ours = median(times[0], turns);
    double baseline = c->baseline != NULL ? median(times[1], turns) : NAN;

    beginCase(json, c->name, c->unit, ours);
    palJson_Number(json, "ours_least", times[0][0]);
    if (c->baseline != NULL)
    {
        putBaseline(json, c->baselineName, ours, baseline);
        palJson_Number(json, "baseline_least", times[1][0]);
    }
    palJson_Whole(json, "operations", c->operations);
    palJson_Whole(json, "turns", turns);
    palJson_End(json);
    if (settings->table)
        printRow(c->name, c->unit, ours, c->baseline != NULL ? c->baselineName : NULL, baseline);
    return (palBenchTimes){ours, baseline};
}

void palBench_Put(const palBenchSettings* settings, const palBenchMeasured* measured, palJson* json)
{
    const palBenchMeasured* m = measured;
    beginCase(json, m->name, m->unit, m->ours);
    if (!isnan(m->oursP99))
        palJson_Number(json, "ours_p99", m->oursP99);
    if (m->baselineName != NULL)
        putBaseline(json, m->baselineName, m->ours, m->baseline);
    if (m->operations > 0)
        palJson_Whole(json, "operations", m->operations);
    palJson_End(json);
    if (!settings->table)
        return;
    printRow(m->name, m->unit, m->ours, m->baselineName, m->baseline);
    if (!isnan(m->oursP99))
        printRow("  p99", m->unit, m->oursP99, NULL, NAN);
}

void palBench_Tell(const palBenchSettings* settings, const char* name, const char* unit,
                   double ours, const char* baselineName, double baseline, palJson* json)
{
    beginCase(json, name, unit, ours);
    putBaseline(json, baselineName, ours, baseline);
    palJson_End(json);
    if (settings->table)
        printRow(name, unit, ours, baselineName, baseline);
}

void palBench_Bound(const palBenchSettings* settings, const char* name, const char* unit,
                    double value, double allowed, palJson* json)
{
    beginCase(json, name, unit, value);
    if (isfinite(allowed))
        palJson_Number(json, "allowed", allowed);
    palJson_End(json);
    if (!settings->table)
        return;
    printf("  %-44s %10.4g %-2s", name, value, unit);
    if (isfinite(allowed))
        printf(" %10.4g %-2s allowed", allowed, unit);
    printf("\n");
    fflush(stdout);
}

//--------------------------------------------------------------------------------------------------
// Figures

int palBench_WriteCurves(const palBenchSettings* settings, const char* name, palFileWriter* write,
                         const void* curves)
{
    char path[4096], text[2048];
    palError error;
    snprintf(path, sizeof path, "%s/%s", settings->out, name);
    if (palWriteFile(path, write, curves, &error) == pal_ok)
        return 0;
    palError_Format(&error, text, sizeof text);
    fprintf(stderr, "palpate bench: error: %s\n", text);
    return 2;
}

int palBench_Draw(const palBenchSettings* settings, const char* script)
{
    char command[4200];
    if (strpbrk(settings->out, "'\\\n") != NULL)
    {
        fprintf(stderr,
                "palpate bench: error: %s: cannot draw figures in this directory; use a directory "
                "without quotes and backslashes for --out\n",
                settings->out);
        return 2;
    }
    snprintf(command, sizeof command, "cd -- '%s' && gnuplot", settings->out);
    FILE* gnuplot = popen(command, "w");
    if (gnuplot != NULL)
        fputs(script, gnuplot);
    if (gnuplot != NULL && pclose(gnuplot) == 0)
        return 0;
    fprintf(stderr,
            "palpate bench: error: gnuplot is not installed or failed; install gnuplot-nox; the "
            "data of the curves are in %s\n",
            settings->out);
    return 1;
}

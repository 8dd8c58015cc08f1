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

// Seconds of one call.
static double timeCall(void (*call)(void*), void* context)
{
    int64_t start = palClock_Now();
    call(context);
    return 1e-9 * (double)(palClock_Now() - start);
}

static void printRow(const palBenchCase* c, double ours, double baseline)
{
    printf("  %-44s %10.3f %s", c->name, ours, c->unit);
    if (c->baseline != NULL)
        printf(" %10.3f %s %8.2f x  %s", baseline, c->unit, baseline / ours, c->baselineName);
    printf("\n");
    fflush(stdout);
}

void palBench_Compare(const palBenchSettings* settings, const palBenchCase* benchCase,
                      palJson* json)
{
    const palBenchCase* c = benchCase;
    double scale = (strcmp(c->unit, "ms") == 0 ? 1e3 : 1e6) / c->operations;
    int turns = settings->turns < maxTurns ? settings->turns : maxTurns;
    double times[2][maxTurns];

    // One turn to warm the caches, not counted.
    c->ours(c->context);
    if (c->baseline != NULL)
        c->baseline(c->context);
    for (int i = 0; i < turns; i++)
    {
        times[0][i] = scale * timeCall(c->ours, c->context);
        times[1][i] = c->baseline != NULL ? scale * timeCall(c->baseline, c->context) : NAN;
    }
    double ours = median(times[0], turns);
    double baseline = c->baseline != NULL ? median(times[1], turns) : NAN;

    palJson_BeginObject(json, NULL);
    palJson_Text(json, "name", c->name);
    palJson_Text(json, "unit", c->unit);
    palJson_Number(json, "ours", ours);
    palJson_Number(json, "ours_least", times[0][0]);
    if (c->baseline != NULL)
    {
        palJson_Text(json, "baseline_name", c->baselineName);
        palJson_Number(json, "baseline", baseline);
        palJson_Number(json, "baseline_least", times[1][0]);
        palJson_Number(json, "ratio", baseline / ours);
    }
    palJson_Whole(json, "operations", c->operations);
    palJson_Whole(json, "turns", turns);
    palJson_End(json);
    if (settings->table)
        printRow(c, ours, baseline);
}

void palBench_Put(const palBenchSettings* settings, const palBenchMeasured* measured, palJson* json)
{
    const palBenchMeasured* m = measured;
    palJson_BeginObject(json, NULL);
    palJson_Text(json, "name", m->name);
    palJson_Text(json, "unit", m->unit);
    palJson_Number(json, "ours", m->ours);
    if (!isnan(m->oursP99))
        palJson_Number(json, "ours_p99", m->oursP99);
    if (m->baselineName != NULL)
    {
        palJson_Text(json, "baseline_name", m->baselineName);
        palJson_Number(json, "baseline", m->baseline);
        palJson_Number(json, "ratio", m->baseline / m->ours);
    }
    if (m->operations > 0)
        palJson_Whole(json, "operations", m->operations);
    palJson_End(json);
    if (!settings->table)
        return;
    printf("  %-44s %10.3f %s", m->name, m->ours, m->unit);
    if (m->baselineName != NULL)
        printf(" %10.3f %s %8.2f x  %s", m->baseline, m->unit, m->baseline / m->ours,
               m->baselineName);
    printf("\n");
    if (!isnan(m->oursP99))
        printf("  %-44s %10.3f %s\n", "  p99", m->oursP99, m->unit);
    fflush(stdout);
}

void palBench_Tell(const palBenchSettings* settings, const char* name, const char* unit,
                   double ours, const char* baselineName, double baseline, palJson* json)
{
    palJson_BeginObject(json, NULL);
    palJson_Text(json, "name", name);
    palJson_Text(json, "unit", unit);
    palJson_Number(json, "ours", ours);
    palJson_Text(json, "baseline_name", baselineName);
    palJson_Number(json, "baseline", baseline);
    palJson_Number(json, "ratio", ours > 0.0 ? baseline / ours : 0.0);
    palJson_End(json);
    if (!settings->table)
        return;
    printf("  %-44s %10.3f %-2s %10.3f %-2s %8.2f x  %s\n", name, ours, unit, baseline, unit,
           ours > 0.0 ? baseline / ours : 0.0, baselineName);
    fflush(stdout);
}

void palBench_Bound(const palBenchSettings* settings, const char* name, const char* unit,
                    double value, double allowed, palJson* json)
{
    palJson_BeginObject(json, NULL);
    palJson_Text(json, "name", name);
    palJson_Text(json, "unit", unit);
    palJson_Number(json, "ours", value);
    if (isfinite(allowed))
        palJson_Number(json, "allowed", allowed);
    palJson_End(json);
    if (!settings->table)
        return;
    printf("  %-44s %10.3f %-2s", name, value, unit);
    if (isfinite(allowed))
        printf(" %10.3f %-2s allowed", allowed, unit);
    printf("\n");
    fflush(stdout);
}

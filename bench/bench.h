// SPDX-License-Identifier: Apache-2.0
// Benchmarks: each is one palBenchmark, listed in app/command_bench.c.
//
// Times on a shared machine wander by tens of percent, so ours and the baseline run in turns, many
// times, and the medians are compared: the ratio within one run is the figure to quote.
#ifndef PAL_BENCH_BENCH_H
#define PAL_BENCH_BENCH_H

#include "base/file.h"
#include "base/json.h"

typedef struct palBenchSettings
{
    bool quick;      // a few seconds in all: smaller sizes, fewer turns
    bool table;      // print a row a case to standard output
    int turns;       // times that each side of a case runs
    const char* out; // a directory that exists, for curves and figures; NULL: none are wanted
} palBenchSettings;

typedef struct palBenchmark
{
    const char* name;
    const char* summary; // one line
    /// Runs its cases, which add themselves to the JSON array that is open. Returns the exit code.
    int (*run)(const palBenchSettings* settings, palJson* json);
} palBenchmark;

extern const palBenchmark pal_benchFactor;
extern const palBenchmark pal_benchFeel;
extern const palBenchmark pal_benchProximity;
extern const palBenchmark pal_benchShell;
extern const palBenchmark pal_benchSoft;
extern const palBenchmark pal_benchSolve;
extern const palBenchmark pal_benchTick;
extern const palBenchmark pal_benchAccurate;
extern const palBenchmark pal_benchBeam;
extern const palBenchmark pal_benchLinear;
extern const palBenchmark pal_benchCompliance;

/// One comparison: the same work, ours and the baseline's.
typedef struct palBenchCase
{
    const char* name;
    const char* baselineName; // NULL where there is no baseline
    const char* unit;         // of the time of one operation: "us" or "ms"
    int operations;           // that one call does
    void (*ours)(void* context);
    void (*baseline)(void* context); // NULL where there is none
    void* context;
} palBenchCase;

/// Runs a case, adds it to the JSON, and prints its row where a table is wanted.
void palBench_Compare(const palBenchSettings* settings, const palBenchCase* benchCase,
                      palJson* json);

/// A comparison whose figures the benchmark took itself.
typedef struct palBenchMeasured
{
    const char* name;
    const char* baselineName; // NULL where there is no baseline
    const char* unit;
    double ours, oursP99; // the latter NAN where there is none
    double baseline;
    int operations;
} palBenchMeasured;

/// Adds it to the JSON, and prints its row where a table is wanted.
void palBench_Put(const palBenchSettings* settings, const palBenchMeasured* measured,
                  palJson* json);

/// A row whose figures are not times of calls: ours beside the baseline's. Adds it to the JSON, and
/// prints it where a table is wanted.
void palBench_Tell(const palBenchSettings* settings, const char* name, const char* unit,
                   double ours, const char* baselineName, double baseline, palJson* json);

/// The same for a figure with no baseline but a bound, or, INFINITY, none.
void palBench_Bound(const palBenchSettings* settings, const char* name, const char* unit,
                    double value, double allowed, palJson* json);

/// Writes a file of curves into the directory of settings->out. Returns the exit code, after the
/// trouble was told.
int palBench_WriteCurves(const palBenchSettings* settings, const char* name, palFileWriter* write,
                         const void* curves);

/// Has gnuplot run a script in that directory. Likewise.
int palBench_Draw(const palBenchSettings* settings, const char* script);

#endif

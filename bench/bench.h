// SPDX-License-Identifier: Apache-2.0
// Benchmarks: each is one palBenchmark, listed in app/command_bench.c.
//
// Times on a shared machine vary by tens of percent, so ours and the baseline are run alternately,
// many times, and the medians are compared: quote the ratio within one run, not the times.
#ifndef PAL_BENCH_BENCH_H
#define PAL_BENCH_BENCH_H

#include "base/file.h"
#include "base/json.h"

typedef struct palBenchSettings
{
    bool quick;      // a few seconds in total: smaller sizes, fewer repetitions
    bool table;      // print one row per case to standard output
    int turns;       // repetitions of ours and of the baseline in each case
    const char* out; // existing directory for curves and figures; NULL: do not write any
} palBenchSettings;

typedef struct palBenchmark
{
    const char* name;
    const char* summary; // one line
    /// Runs the cases and adds them to the open JSON array. Returns the exit code.
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
extern const palBenchmark pal_benchWorld;
extern const palBenchmark pal_benchImpulse;

/// One comparison: the same work by ours and by the baseline.
typedef struct palBenchCase
{
    const char* name;
    const char* baselineName; // NULL without a baseline
    const char* unit;         // of the time per operation: "us" or "ms"
    int operations;           // per call
    void (*ours)(void* context);
    void (*baseline)(void* context); // NULL without a baseline
    void* context;
    bool isThreadTime; // processor time of this thread, not the clock: of work that waits for none
} palBenchCase;

/// Medians of the time per operation.
typedef struct palBenchTimes
{
    double ours, baseline; // in the unit of the case; baseline: NAN without one
} palBenchTimes;

/// Runs a case, adds it to the JSON, and prints its row if settings->table is set.
palBenchTimes palBench_Compare(const palBenchSettings* settings, const palBenchCase* benchCase,
                               palJson* json);

/// A comparison whose values the benchmark has measured.
typedef struct palBenchMeasured
{
    const char* name;
    const char* baselineName; // NULL without a baseline
    const char* unit;
    double ours, oursP99; // oursP99: NAN if not measured
    double baseline;
    int operations;
} palBenchMeasured;

/// Adds it to the JSON, and prints its row if settings->table is set.
void palBench_Put(const palBenchSettings* settings, const palBenchMeasured* measured,
                  palJson* json);

/// A row whose values are not durations of calls: ours and the baseline's. Adds it to the JSON, and
/// prints it if settings->table is set.
void palBench_Tell(const palBenchSettings* settings, const char* name, const char* unit,
                   double ours, const char* baselineName, double baseline, palJson* json);

/// The same for a value with an upper bound instead of a baseline; INFINITY: no bound.
void palBench_Bound(const palBenchSettings* settings, const char* name, const char* unit,
                    double value, double allowed, palJson* json);

/// Writes a file with curves into the directory settings->out. Returns the exit code; errors are
/// printed.
int palBench_WriteCurves(const palBenchSettings* settings, const char* name, palFileWriter* write,
                         const void* curves);

/// Runs a gnuplot script in that directory. Returns the exit code; errors are printed.
int palBench_Draw(const palBenchSettings* settings, const char* script);

#endif

// SPDX-License-Identifier: Apache-2.0
// A plain answer to "is my scene too heavy?" and "how fast may the hand move?".
#ifndef PAL_RUNTIME_VERDICT_H
#define PAL_RUNTIME_VERDICT_H

#include "base/json.h"
#include "runtime/engine.h"

typedef struct palVerdict
{
    bool highFits;      // p99 of the high-rate step within its period, misses below 0.1 %
    bool lowFits;       // p99 of the low-rate step within its period
    double usableSpeed; // m/s: reach / (ΔT + latency), or less: at which the joints between bodies
                        // of different rates were seen to hold
    double reach;       // m: radius of the smallest trust region that was seen, or half its box
    char text[1536];
} palVerdict;

/// From what was measured by others, for observers of a run in progress: of the engine only its
/// definition and what may be read at any time.
palVerdict palJudge(const palEngine* engine, const palLoopStatistics* high,
                    const palLoopStatistics* low);

/// From what the engine measured; after a run.
palVerdict palMakeVerdict(const palEngine* engine);

/// The verdict and the engine's own statistics (step times, lateness, misses, snapshot age, the
/// safety of the first hand) as members of the open object.
void palVerdict_Write(const palVerdict* verdict, const palEngine* engine, palJson* json);
/// The ticks in which a description ended before a new one came, likewise.
void palWriteHeld(const palEngine* engine, palJson* json);
/// What the safety layer of a hand did, likewise.
void palWriteSafety(const palSafetyCounts* counts, palJson* json);

#endif

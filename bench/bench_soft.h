// SPDX-License-Identifier: Apache-2.0
// The parts of `palpate bench soft` that have a file of their own.
#ifndef PAL_BENCH_BENCH_SOFT_H
#define PAL_BENCH_BENCH_SOFT_H

#include "bench.h"

/// The high rate's problem of a tool that strokes a soft block in 25 contacts (bench_soft_tick.c).
int palBenchSoft_Ticks(const palBenchSettings* settings, palJson* json);

/// Low-rate steps of bodies too large for a factor a step (bench_soft_large.c).
int palBenchSoft_Large(const palBenchSettings* settings, palJson* json);

#endif

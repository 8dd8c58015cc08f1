// SPDX-License-Identifier: Apache-2.0
// Parts of `palpate bench soft` in separate files.
#ifndef PAL_BENCH_BENCH_SOFT_H
#define PAL_BENCH_BENCH_SOFT_H

#include "bench.h"

/// The high-rate problem of a tool that strokes a soft block with 25 contacts (bench_soft_tick.c).
int palBenchSoft_Ticks(const palBenchSettings* settings, palJson* json);

/// The surface of a soft ball after a step, with the queries of a hand (bench_soft_surface.c).
int palBenchSoft_Surface(const palBenchSettings* settings, palJson* json);

/// Low-rate steps of bodies too large for one factorisation per step (bench_soft_large.c).
int palBenchSoft_Large(const palBenchSettings* settings, palJson* json);

#endif

// SPDX-License-Identifier: Apache-2.0
// Steps of many rigid bodies: a part of `palpate bench world`.
#ifndef PAL_BENCH_BENCH_PILE_H
#define PAL_BENCH_BENCH_PILE_H

#include "bench.h"

void palBenchPile_Run(const palBenchSettings* settings, palJson* json);

#endif

// SPDX-License-Identifier: Apache-2.0
// A hand among rigid bodies: a part of `palpate bench world`.
#ifndef PAL_BENCH_FIT_H
#define PAL_BENCH_FIT_H

#include "bench.h"

void palBenchFit_Run(const palBenchSettings* settings, palJson* json);

#endif

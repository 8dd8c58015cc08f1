// SPDX-License-Identifier: Apache-2.0
// CHOLMOD as the baseline of the factor benchmark, on one thread. It has parts under the GPL, so
// the program does not link it: the library is loaded here when the benchmark runs.
#ifndef PAL_BENCH_CHOLMOD_BASELINE_H
#define PAL_BENCH_CHOLMOD_BASELINE_H

#include "linalg/block_matrix.h"

typedef struct palCholmod palCholmod;

typedef struct palCholmodOps
{
    /// Takes a copy of A and analyses it. Supernodal (GPL) or simplicial (LGPL). NULL on failure.
    palCholmod* (*create)(const palBlockMatrix* A, bool supernodal);
    void (*destroy)(palCholmod* cholmod);
    /// Analyses again.
    bool (*analyse)(palCholmod* cholmod);
    bool (*factor)(palCholmod* cholmod);
    /// x = A⁻¹ b for `count` vectors, one after the other, solved together.
    bool (*solve)(palCholmod* cholmod, int count, const double* b, double* x);
} palCholmodOps;

/// NULL in a build without CHOLMOD's headers, or where the library is not installed.
const palCholmodOps* palCholmodBaseline(void);

#endif

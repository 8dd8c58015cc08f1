// SPDX-License-Identifier: Apache-2.0
// CHOLMOD as the baseline of the factor benchmark, on one thread. Parts of it are under the GPL, so
// the program does not link it: the library is loaded when the benchmark runs.
#ifndef PAL_BENCH_CHOLMOD_BASELINE_H
#define PAL_BENCH_CHOLMOD_BASELINE_H

#include "linalg/block_matrix.h"

typedef struct palCholmod palCholmod;

typedef struct palCholmodOps
{
    /// Copies and analyses A. Supernodal (GPL) or simplicial (LGPL). NULL on failure.
    palCholmod* (*create)(const palBlockMatrix* A, bool supernodal);
    void (*destroy)(palCholmod* cholmod);
    /// Repeats the analysis.
    bool (*analyse)(palCholmod* cholmod);
    bool (*factor)(palCholmod* cholmod);
    /// x = A⁻¹ b for `count` vectors, stored consecutively, in one blocked solve.
    bool (*solve)(palCholmod* cholmod, int count, const double* b, double* x);
} palCholmodOps;

/// NULL if built without the headers of CHOLMOD, or if the library is not installed.
const palCholmodOps* palCholmodBaseline(void);

#endif

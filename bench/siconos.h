// SPDX-License-Identifier: Apache-2.0
// Siconos Numerics as the baseline of `palpate bench solve` and as the oracle of the tests. It is
// loaded when it is asked for, not linked: no other command of the program pays for it.
//
// Siconos exits on bad input and can report success with a wrong answer: run it in a child process
// where the input is not known to be good, and compute the residual of what it returns.
#ifndef PAL_BENCH_SICONOS_H
#define PAL_BENCH_SICONOS_H

#include <palpate/solve.h>

typedef struct palSiconos palSiconos;

typedef struct palSiconosOps
{
    const char* name;
    /// The problem in Siconos' form: all rows unilateral (an LCP), or all blocks cones of three
    /// rows. NULL for any other problem, and without memory. W is copied.
    palSiconos* (*create)(const palContactProblem* problem);
    void (*destroy)(palSiconos* siconos);
    /// Cones: its nonsmooth Gauss-Seidel; an LCP: Lemke's method, then Gauss-Seidel where that
    /// gives up. From λ = 0. Returns Siconos' own verdict, 0 for success.
    int (*solve)(palSiconos* siconos, double tolerance, int maxIterations, double* lambda);
} palSiconosOps;

/// NULL in a build without Siconos' headers, or where the library is not installed.
const palSiconosOps* palSiconosBaseline(void);

#endif

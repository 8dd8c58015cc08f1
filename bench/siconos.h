// SPDX-License-Identifier: Apache-2.0
// Siconos Numerics as the baseline of `palpate bench solve` and as the reference of the tests. It
// is loaded when it is needed, not linked: other commands of the program do not load it.
//
// Siconos exits on invalid input and can report success with a wrong solution: run it in a child
// process if the input may be invalid, and compute the residual of the solution.
#ifndef PAL_BENCH_SICONOS_H
#define PAL_BENCH_SICONOS_H

#include <palpate/solve.h>

typedef struct palSiconos palSiconos;

typedef struct palSiconosOps
{
    const char* name;
    /// Converts a problem for Siconos: all rows unilateral (an LCP), or all blocks cones of three
    /// rows. NULL for any other problem, and if out of memory. W is copied.
    palSiconos* (*create)(const palContactProblem* problem);
    void (*destroy)(palSiconos* siconos);
    /// Cones: nonsmooth Gauss-Seidel; an LCP: Lemke's method, then Gauss-Seidel if that fails.
    /// Starts from λ = 0. Returns the status of Siconos, 0 for success.
    int (*solve)(palSiconos* siconos, double tolerance, int maxIterations, double* lambda);
} palSiconosOps;

/// NULL if built without the headers of Siconos, or if the library is not installed.
const palSiconosOps* palSiconosBaseline(void);

#endif

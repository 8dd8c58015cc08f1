// SPDX-License-Identifier: Apache-2.0
// Lemke's method for a linear problem: the fallback of block principal pivoting. It ends in a
// solution, or proves that there is none, for every semi-definite W; slower, but it cannot cycle
// in the ways that block pivoting can.
#ifndef PAL_SOLVE_LEMKE_H
#define PAL_SOLVE_LEMKE_H

#include "solve/run.h"

typedef enum palLemkeEnd
{
    pal_lemkeSolved,
    pal_lemkeRay,    // no solution, if W is semi-definite
    pal_lemkeBudget, // pivots or time ended
} palLemkeEnd;

/// Solves the run's problem, whose laws must be linear. Writes λ to workspace->lambda where solved.
palLemkeEnd palLemke(palRun* run);

#endif

// SPDX-License-Identifier: Apache-2.0
// Lemke's method for a linear problem: the fallback of block principal pivoting. For every
// semi-definite W it finds a solution or proves that there is none. It is slower than block
// pivoting but does not cycle like it.
#ifndef PAL_SOLVE_LEMKE_H
#define PAL_SOLVE_LEMKE_H

#include "solve/run.h"

typedef enum palLemkeEnd
{
    pal_lemkeSolved,
    pal_lemkeRay,    // no solution, if W is semi-definite
    pal_lemkeBudget, // the limit of pivots or time was reached
} palLemkeEnd;

/// Solves the run's problem, whose laws must be linear. Writes λ to workspace->lambda if solved.
palLemkeEnd palLemke(palRun* run);

#endif

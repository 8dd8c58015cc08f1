// SPDX-License-Identifier: Apache-2.0
// Random contact problems with known properties, for tests and benchmarks.
//
// A random J over `dofs` degrees of freedom and a `local` compliance of each row give
//
//     W = J C Jᵀ + local · I,   C = diag from 1 down to 1/conditioning, in mm/N.
//
// The free motion v from a state with zero gaps gives δ_free = J v. The total motion zero satisfies
// every law, so that a solution exists even with redundant rows.
#ifndef PAL_SOLVE_SAMPLE_H
#define PAL_SOLVE_SAMPLE_H

#include <palpate/solve.h>

typedef struct palSampleDef
{
    uint64_t seed;
    int contacts;
    palLaw law;          // of the contacts; with the largest number of rows that the law allows
    int joints;          // bilateral rows before the contacts
    int dofs;            // with fewer dofs than rows and no local compliance, rows are redundant
    double local;        // relative to the mean of J C Jᵀ's diagonal
    double conditioning; // >= 1
    double pressed;      // fraction of the contacts that the free motion violates
    double muLow;        // friction: uniform between the two
    double muHigh;
} palSampleDef;

/// Ten contacts with the exact cone, friction 0.5, half of them pressed, well conditioned.
palSampleDef palDefaultSampleDef(void);

palResult palSampleProblem(const palSampleDef* def, palStoredProblem* stored, palError* error);

#endif

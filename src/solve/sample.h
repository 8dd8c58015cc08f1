// SPDX-License-Identifier: Apache-2.0
// Random contact problems with known properties, for tests and benchmarks.
//
// Rows J of `dofs` random motions and a compliance `local` of each row's own give
//     W = J C Jᵀ + local · I,   C = diag from 1 down to 1/conditioning, in mm/N.
// The bodies' free motion v, from where all gaps are zero, gives δ_free = J v: the motion "stay"
// satisfies every law, so that a solution exists, redundant rows or not.
#ifndef PAL_SOLVE_SAMPLE_H
#define PAL_SOLVE_SAMPLE_H

#include <palpate/solve.h>

typedef struct palSampleDef
{
    uint64_t seed;
    int contacts;
    palLaw law;          // of the contacts; rows a contact: the most that the law allows
    int joints;          // bilateral rows before the contacts
    int dofs;            // with fewer than the rows and no local compliance, rows are redundant
    double local;        // relative to the mean of J C Jᵀ's diagonal
    double conditioning; // >= 1
    double pressed;      // share of the contacts that the free motion violates
    double muLow;        // friction: uniform between the two
    double muHigh;
} palSampleDef;

/// Ten contacts with the exact cone, friction 0.5, half of them pressed, well conditioned.
palSampleDef palDefaultSampleDef(void);

palResult palSampleProblem(const palSampleDef* def, palStoredProblem* stored, palError* error);

#endif

// SPDX-License-Identifier: Apache-2.0
// How a body, a soft one or a wire, answers forces along a few rows of constraints: its reduction
// (body/reduction.h) to M⁻¹Jᵀ, x1, x2 and x3 of every row. More rows than the usual number of
// columns has room for at full depth get fewer vectors each, down to x1 alone.
#ifndef PAL_BODY_ROW_SPACE_H
#define PAL_BODY_ROW_SPACE_H

#include "body/reduction.h"

enum
{
    pal_rowSpaceColumns = 152, // raw vectors that are usual
    pal_rowSpaceExtras = 5,    // A⁻¹ of the unbalanced force, its successor, the velocity,
                               // and of that the translation and the rotation as a whole
    pal_rowSpaceRowsMax = pal_modesMax - pal_rowSpaceExtras, // of one body
};

typedef struct palRowSpace
{
    palReducedBody body; // owned
    palReducedBody* bodies[1];
    palReduction reduction; // owned: of it alone
    double* work;           // owned
    int rowCapacity;
    int depth;     // vectors a row
    bool factored; // false where the system was not positive definite
} palRowSpace;

/// For at most `rowCapacity` rows, no more than pal_rowSpaceRowsMax. It is not to be moved then.
palResult palRowSpace_Init(palRowSpace* space, const palReducible* body, int rowCapacity,
                           palError* error);
void palRowSpace_Free(palRowSpace* space);

void palRowSpace_Archive(palRowSpace* space, palArchive* archive);

/// Linearises the body and builds the modes for forces along `rows`. `balance`, [size] N, are the
/// forces that act on it from outside now: what they balance is not unbalanced. Modes get the step
/// h. No allocation. Returns false, and no modes, where the system could not be factored.
bool palRowSpace_Build(palRowSpace* space, const palSparseRow* rows, int rowCount,
                       const double* balance, double h);

#endif

// SPDX-License-Identifier: Apache-2.0
// From the columns of a subspace V to modes: V turned so that it is orthonormal in M and VᵀKV is
// diagonal. Only the products of the columns are asked for.
#ifndef PAL_BODY_GRAM_H
#define PAL_BODY_GRAM_H

#include "body/modes.h"

#include <stddef.h>

/// The products of some columns with each other.
typedef struct palGram
{
    int columns;       // at most pal_modesMax
    double* mass;      // [columns][columns]: VᵀMV, upper triangle. Overwritten
    double* stiffness; // [columns][columns]: VᵀKV. Overwritten
    double* work;      // [palGram_WorkSize()] of as many columns or more
} palGram;

/// Numbers of `work` for so many columns.
size_t palGram_WorkSize(int columns);

/// turn [columns][modes], row by row: mode i is Σ turn[j][i] times column j; and its eigenvalue
/// k[i], ascending. Returns how many modes there are; dependent directions are dropped. 0 where the
/// columns are not finite. No allocation.
int palGram_Diagonalise(const palGram* gram, double* turn, double* k);

#endif

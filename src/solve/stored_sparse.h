// SPDX-License-Identifier: Apache-2.0
// A sparse problem that owns its arrays: read from a file, or a sample.
#ifndef PAL_SOLVE_STORED_SPARSE_H
#define PAL_SOLVE_STORED_SPARSE_H

#include "solve/sparse.h"

typedef struct palStoredSparse
{
    palSparseProblem problem; // its pointers refer to the owned arrays below
    palInverseMass* bodies;   // owned
    palPairRow* J;            // owned
    double* gapFree;          // owned
    double* softness;         // owned
    palContactBlock* blocks;  // owned
    int (*ends)[2];           // owned
    double* lambda;           // owned; a guess from the file, or zeros
    bool hasGuess;
} palStoredSparse;

/// Allocates zeroed arrays for a problem of at most this size; the caller fills them.
palResult palStoredSparse_Init(palStoredSparse* stored, int bodyCount, int rows, int blockCount,
                               palError* error);
void palStoredSparse_Free(palStoredSparse* stored);

#endif

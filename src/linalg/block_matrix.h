// SPDX-License-Identifier: Apache-2.0
// A symmetric matrix of 3x3 blocks whose sparsity pattern is fixed at set-up: a node is a block
// row, its three coordinates are scalar rows 3 node .. 3 node + 2.
//
// Only the lower triangle is stored, row by row: the blocks of block row i are slots
// rowStart[i] .. rowStart[i + 1] - 1, with ascending columns, of which the last is the diagonal
// block (i, i). Every diagonal block is in the pattern. A block is nine numbers, row-major,
// blocks[slot].m; the diagonal blocks are symmetric, and the factorisation reads only their lower
// triangle.
//
// Assembly looks up the slots once, at set-up; a step only adds:
//
//     set-up:  slot[k] = palBlockMatrix_Slot(&A, row, column), row >= column
//     step:    palBlockMatrix_Clear(&A);  palBlockMatrix_Add(&A, slot[k], block); ...
//
// A pair of nodes with row < column is the transposed block at (column, row).
#ifndef PAL_LINALG_BLOCK_MATRIX_H
#define PAL_LINALG_BLOCK_MATRIX_H

#include "math/mat3.h"

typedef struct palBlockMatrix
{
    int nodeCount;
    int blockCount;  // stored blocks, including the diagonal ones
    int* rowStart;   // owned, [nodeCount + 1]
    int* columns;    // owned, [blockCount]: the block column of a slot, <= its row
    palMat3* blocks; // owned, [blockCount]: the values
} palBlockMatrix;

/// Takes the pattern from pairs of nodes, in any order and direction, with or without duplicates;
/// the diagonal need not be listed. The values are zero. A node out of range is an error.
palResult palBlockMatrix_Init(palBlockMatrix* A, int nodeCount, const int (*pairs)[2],
                              size_t pairCount, palError* error);

/// The pattern of elements with `nodesEach` nodes, nodes[element * nodesEach + k]: all pairs of
/// nodes of each element.
palResult palBlockMatrix_InitElements(palBlockMatrix* A, int nodeCount, const int* nodes,
                                      int nodesEach, int elementCount, palError* error);
/// The pattern of another matrix; the values are zero.
palResult palBlockMatrix_InitLike(palBlockMatrix* A, const palBlockMatrix* other, palError* error);
void palBlockMatrix_Free(palBlockMatrix* A);

/// The slot of block (row, column), row >= column, or -1 if it is not in the pattern.
int palBlockMatrix_Slot(const palBlockMatrix* A, int row, int column);

void palBlockMatrix_Clear(palBlockMatrix* A);

/// A.blocks[slot] += block
static inline void palBlockMatrix_Add(palBlockMatrix* A, int slot, palMat3 block)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A->blocks[slot].m[i][j] += block.m[i][j];
}

/// y = A x, both [3 nodeCount], not overlapping.
void palBlockMatrix_Multiply(const palBlockMatrix* A, const double* x, double* y);

/// y = D x and y = Dᵀ x for a block diagonal D; y may be x.
void palBlocks_Apply(const palMat3* D, int nodeCount, const double* x, double* y);
void palBlocks_ApplyTransposed(const palMat3* D, int nodeCount, const double* x, double* y);

/// r = b - A x; r may be b.
void palBlockMatrix_Residual(const palBlockMatrix* A, const double* b, const double* x, double* r);

#endif

// SPDX-License-Identifier: Apache-2.0
// Symbolic analysis of a Cholesky factor, everything that follows from the pattern: which columns
// are factored together, the storage layout, and the index lists of the assembly. Computed once and
// used by every factorisation.
//
// Columns of L with (nearly) the same rows form a front, a dense matrix that is factored at once
// (the multifrontal method: I. S. Duff and J. K. Reid, ACM TOMS 9(3), 1983; J. W. H. Liu, SIAM
// Review 34(1), 1992). The front of columns p with rows r below them:
//
//     [ F_pp      ]   entries of A, plus the update blocks of the child fronts,
//     [ F_rp  C   ]   factored:  F_pp = L1 L1ᵀ,  F_rp = L2 L1ᵀ,  update block: C - L2 L2ᵀ
//
// Fronts are numbered in postorder: children come before their parents.
//
// PADDED ROWS. The columns of a front are padded to a multiple of four by columns of the identity,
// and the rows below by zeros to a multiple of the unit, so that no kernel has to treat a
// remainder. Vectors in elimination order have `rowCount` rows, those of front f at firstRow ..
// firstRow + columns - 1; padding rows hold zero. nodeRow maps a node to the first of its three
// rows.
//
// STORAGE of front f, column by column:
//     factor + factorOffset   [stride x columns]: L1 over L2. Row i of column j is at i + j stride.
//                             The diagonal holds reciprocals; entries above it are undefined.
//     update + updateOffset   [belowStride x belowStride]: C; only the lower triangle is used.
// An update block is in use until its parent has been factored. Those of even and of odd depth in
// the tree are kept on two stacks, so that a parent's block never overlaps those of its children.
#ifndef PAL_LINALG_SYMBOLIC_H
#define PAL_LINALG_SYMBOLIC_H

#include "linalg/block_matrix.h"

enum
{
    pal_frontGroup = 4, // columns that the kernels process at a time
};

typedef struct palFront
{
    int parent;      // the front to which C is added; -1 for a root
    int firstRow;    // padded row of its first column
    int pivots;      // columns without padding
    int columns;     // with padding
    int below;       // rows below, without padding
    int belowStride; // with padding
    int stride;      // rows of the stored columns: at least columns + belowStride
    int rowStart;    // its rows below: rows[rowStart .. rowStart + belowStride - 1]
    int runStart;    // position of C in the parent: runs[runStart .. runStart + runCount - 1]
    int runCount;    //
    int entryStart;  // its blocks of A: entries[entryStart .. entryStart + entryCount - 1]
    int entryCount;  //
    int childStart;  // its children: children[childStart .. childStart + childCount - 1]
    int childCount;  //
    int64_t factorOffset;
    int64_t updateOffset;
} palFront;

/// `count` rows of C, from row `from` on, that are contiguous in the parent's front, from `to` on.
typedef struct palRun
{
    int from;
    int to; // a row of the parent's front: a pivot row if less than `columns`, else a row below
    int count;
} palRun;

/// A block of A and its position in the front.
typedef struct palEntry
{
    int slot;        // of the matrix
    int offset;      // of its first element in the front's stored columns
    bool transposed; // the elimination order reverses the pair (row, column)
} palEntry;

typedef struct palSymbolic
{
    int nodeCount;
    int frontCount;
    int entryCount;     // blocks of A
    int rowCount;       // padded rows; row `rowCount` is an extra row that padding refers to
    int unit;           // rows below are padded to a multiple of this: 4 or 8
    int largestStride;  // of any front
    int64_t factorSize; // numbers stored for L
    int64_t updateSize; // peak size of the update blocks, numbers
    double flops;       // of a factorisation, including padding; a multiply-add counts as two
    palFront* fronts;   // owned, [frontCount]
    int* rows;          // owned: padded rows; padding refers to rowCount
    int* children;      // owned: fronts
    palRun* runs;       // owned
    palEntry* entries;  // owned
    int* nodeRow;       // owned, [nodeCount]
    int* rowDof;        // owned, [rowCount]: 3 node + axis, or -1 for padding
    int* rowFront;      // owned, [rowCount]: the front that has it as a column
} palSymbolic;

/// Analyses the pattern of A. `unit`: the row padding that the kernels require.
palResult palSymbolic_Init(palSymbolic* symbolic, const palBlockMatrix* A, int unit,
                           palError* error);
void palSymbolic_Free(palSymbolic* symbolic);

#endif

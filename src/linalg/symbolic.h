// SPDX-License-Identifier: Apache-2.0
// Everything about a Cholesky factor that follows from the pattern: which columns are factored
// together, what lies where, and which numbers are added where. Made once; a factorisation only
// follows it.
//
// Columns of L with (nearly) the same rows form a front, a dense matrix that is factored at once
// (the multifrontal method: I. S. Duff and J. K. Reid, ACM TOMS 9(3), 1983; J. W. H. Liu, SIAM
// Review 34(1), 1992). The front of columns p with rows r below them:
//
//     [ F_pp      ]   entries of A, and what the fronts of the tree's children hand up,
//     [ F_rp  C   ]   factored:  F_pp = L1 L1ᵀ,  F_rp = L2 L1ᵀ,  handed up: C - L2 L2ᵀ
//
// Fronts are numbered in postorder: children come before their parents.
//
// PADDED ROWS. The columns of a front are padded to a multiple of four by columns of the identity,
// and so are the rows below, with zeros, so that no kernel meets a remainder. Vectors in the order
// of elimination have `rowCount` rows, those of front f at firstRow .. firstRow + columns - 1; rows
// of padding hold zero. nodeRow leads from a node to its three rows.
//
// STORAGE of front f, column by column:
//     factor + factorOffset   [stride x columns]: L1 over L2. Row i of column j is at i + j stride.
//                             The diagonal holds the reciprocals of L's; above it is no meaning.
//     update + updateOffset   [belowStride x belowStride]: C; the lower triangle counts.
// Update blocks are alive from their front to its parent. Those of even and of odd depth in the
// tree lie in two stacks, so that a parent's block never lies on its children's.
#ifndef PAL_LINALG_SYMBOLIC_H
#define PAL_LINALG_SYMBOLIC_H

#include "linalg/block_matrix.h"

enum
{
    pal_frontGroup = 4, // columns that the kernels take at a time
};

typedef struct palFront
{
    int parent;      // the front that takes this one's C; -1 for a root
    int firstRow;    // of its columns, among the padded rows
    int pivots;      // its columns without padding
    int columns;     // with padding
    int below;       // rows below, without padding
    int belowStride; // with padding
    int stride;      // rows of the stored columns: at least columns + belowStride
    int rowStart;    // its rows below: rows[rowStart .. rowStart + belowStride - 1]
    int runStart;    // where C goes in the parent: runs[runStart .. runStart + runCount - 1]
    int runCount;    //
    int entryStart;  // its part of A: entries[entryStart .. entryStart + entryCount - 1]
    int entryCount;  //
    int childStart;  // its children: children[childStart .. childStart + childCount - 1]
    int childCount;  //
    int64_t factorOffset;
    int64_t updateOffset;
} palFront;

/// `count` rows of C, from row `from` on, that lie together in the parent's front, from `to` on.
typedef struct palRun
{
    int from;
    int to; // a row of the parent's front: below `columns` a column of its own, else a row below
    int count;
} palRun;

/// A block of A and where it goes.
typedef struct palEntry
{
    int slot;        // of the matrix
    int offset;      // of its first element in the front's stored columns
    bool transposed; // the order of elimination turned the pair round
} palEntry;

typedef struct palSymbolic
{
    int nodeCount;
    int frontCount;
    int entryCount;     // blocks of A
    int rowCount;       // padded rows; row `rowCount` is a spare one that padding may point to
    int unit;           // that the rows below are padded to a multiple of: 4 or 8
    int largestStride;  // of any front
    int64_t factorSize; // numbers stored for L
    int64_t updateSize; // numbers that live update blocks take at most
    double flops;       // of a factorisation, a fused product and sum counted as two; with padding
    palFront* fronts;   // owned, [frontCount]
    int* rows;          // owned: padded rows; padding points to rowCount
    int* children;      // owned: fronts
    palRun* runs;       // owned
    palEntry* entries;  // owned
    int* nodeRow;       // owned, [nodeCount]
    int* rowDof;        // owned, [rowCount]: 3 node + axis, or -1 for padding
    int* rowFront;      // owned, [rowCount]: whose column it is
} palSymbolic;

/// Analyses the pattern of A. `unit`: what the kernels want rows padded to.
palResult palSymbolic_Init(palSymbolic* symbolic, const palBlockMatrix* A, int unit,
                           palError* error);
void palSymbolic_Free(palSymbolic* symbolic);

#endif

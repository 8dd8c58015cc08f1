// SPDX-License-Identifier: Apache-2.0
// The elimination order: nested dissection of the matrix graph (METIS), its elimination tree and
// the column counts of the factor. All in nodes, that is, in block rows.
//
// The elimination tree: the parent of column j is the first row below the diagonal in which column
// j of L has a block. Column j modifies only columns on the path from j to its root, which is why
// the forward solve of a right-hand side with few entries is short (linalg/reach.h).
#ifndef PAL_LINALG_ORDERING_H
#define PAL_LINALG_ORDERING_H

#include "linalg/block_matrix.h"

typedef struct palOrdering
{
    int nodeCount;
    int* node;   // owned, [nodeCount]: the node at a place (position in the elimination order); a
                 // postorder of the tree
    int* place;  // owned, [nodeCount]: the place of a node; the inverse of `node`
    int* parent; // owned, [nodeCount]: parent of a place in the tree, a later place; -1 for a root
    int* below;  // owned, [nodeCount]: blocks of L below the diagonal in the column of a place

    // The graph: the neighbours of a node are neighbours[start[node]..start[node + 1] - 1].
    int* start;      // owned, [nodeCount + 1]
    int* neighbours; // owned, excluding the node itself
} palOrdering;

palResult palOrdering_Init(palOrdering* ordering, const palBlockMatrix* A, palError* error);
void palOrdering_Free(palOrdering* ordering);

#endif

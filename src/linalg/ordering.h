// SPDX-License-Identifier: Apache-2.0
// The order of elimination: nested dissection of the matrix graph (METIS), its elimination tree and
// the sizes of the factor's columns. All in nodes, that is in block rows.
//
// The elimination tree: the parent of column j is the first row below the diagonal in which column
// j of L has a block. What column j changes lies on the way from j to its root, which is why a
// right-hand side with few entries has a short forward solve (linalg/reach.h).
#ifndef PAL_LINALG_ORDERING_H
#define PAL_LINALG_ORDERING_H

#include "linalg/block_matrix.h"

typedef struct palOrdering
{
    int nodeCount;
    int* node;   // owned, [nodeCount]: the node that is eliminated k-th; a postorder of the tree
    int* place;  // owned, [nodeCount]: when a node is eliminated; the inverse of `node`
    int* parent; // owned, [nodeCount]: of a place in the tree, a later place, or -1 for a root
    int* below;  // owned, [nodeCount]: blocks of L below the diagonal in the column of a place

    // The graph: the neighbours of a node are neighbours[start[node]..start[node + 1] - 1].
    int* start;      // owned, [nodeCount + 1]
    int* neighbours; // owned, without the node itself
} palOrdering;

palResult palOrdering_Init(palOrdering* ordering, const palBlockMatrix* A, palError* error);
void palOrdering_Free(palOrdering* ordering);

#endif

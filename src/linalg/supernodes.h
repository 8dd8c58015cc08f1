// SPDX-License-Identifier: Apache-2.0
// Which columns are factored together: columns of one structure, and more where a larger front with
// a few zeros in it costs less time than two small ones.
#ifndef PAL_LINALG_SUPERNODES_H
#define PAL_LINALG_SUPERNODES_H

#include "linalg/ordering.h"

typedef struct palSupernodes
{
    int count;
    int* parent; // owned, [count]: a later supernode, or -1
    int* start;  // owned, [count + 1]: the nodes of s are node[start[s]..start[s + 1] - 1]
    int* node;   // owned, [nodeCount]: the matrix's nodes in the order of elimination
    int* below;  // owned, [count]: nodes in the rows below
} palSupernodes;

/// Supernodes in postorder, children that need much memory first.
palResult palSupernodes_Init(palSupernodes* supernodes, const palOrdering* ordering,
                             palError* error);
void palSupernodes_Free(palSupernodes* supernodes);

#endif

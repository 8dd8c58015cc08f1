// SPDX-License-Identifier: Apache-2.0
// Supernodes: columns that are factored together. These are columns of equal structure, and more if
// a larger front with some explicit zeros takes less time than two small ones.
#ifndef PAL_LINALG_SUPERNODES_H
#define PAL_LINALG_SUPERNODES_H

#include "linalg/ordering.h"

typedef struct palSupernodes
{
    int count;
    int* parent; // owned, [count]: a later supernode, or -1
    int* start;  // owned, [count + 1]: the nodes of s are node[start[s]..start[s + 1] - 1]
    int* node;   // owned, [nodeCount]: the matrix's nodes in elimination order
    int* below;  // owned, [count]: nodes in the rows below
} palSupernodes;

/// Supernodes in postorder; children are ordered for the smallest peak memory.
palResult palSupernodes_Init(palSupernodes* supernodes, const palOrdering* ordering,
                             palError* error);
void palSupernodes_Free(palSupernodes* supernodes);

#endif

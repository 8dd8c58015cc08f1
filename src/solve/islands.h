// SPDX-License-Identifier: Apache-2.0
// Islands: groups of bodies that blocks connect, each of which can be solved and put to sleep on
// its own. Bodies that do not move connect nothing.
#ifndef PAL_SOLVE_ISLANDS_H
#define PAL_SOLVE_ISLANDS_H

#include <palpate/base.h>

/// The result of the last search. Islands are numbered by their first body; within an island bodies
/// and blocks keep their order. A body that moves and has no block is an island of its own.
typedef struct palContactIslands
{
    int bodyCapacity;
    int blockCapacity;
    int count;         // of islands
    int* islandOfBody; // owned, [bodyCount]; -1: does not move
    int* bodies;     // owned, [bodyCount]: those of island i from bodyStart[i] to bodyStart[i + 1]
    int* bodyStart;  // owned, [count + 1]; behind the last come the bodies that do not move
    int* blocks;     // owned, [blockCount]: the same for blocks
    int* blockStart; // owned, [count + 1]; behind the last come the blocks of bodies that do not
    int* parent;     // owned, scratch
} palContactIslands;

palResult palContactIslands_Init(palContactIslands* islands, int bodiesMax, int blocksMax,
                                 palError* error);
void palContactIslands_Free(palContactIslands* islands);

/// Finds the islands of at most bodiesMax bodies and blocksMax blocks and returns their number.
/// ends: the two bodies of each block; -1: the world, which does not move. O((bodies + blocks) log
/// bodies), deterministic, real-time.
int palContactIslands_Find(palContactIslands* islands, int bodyCount, const bool* isFixed,
                           int blockCount, const int (*ends)[2]);

#endif

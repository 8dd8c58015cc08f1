// SPDX-License-Identifier: Apache-2.0
#include "solve/islands.h"

#include "base/error.h"

#include <stdlib.h>

palResult palContactIslands_Init(palContactIslands* islands, int bodiesMax, int blocksMax,
                                 palError* error)
{
    size_t bodies = (size_t)bodiesMax, blocks = (size_t)blocksMax;
    *islands = (palContactIslands){.bodyCapacity = bodiesMax, .blockCapacity = blocksMax};
    islands->islandOfBody = calloc(bodies + 1, sizeof(int));
    islands->bodies = calloc(bodies + 1, sizeof(int));
    islands->bodyStart = calloc(bodies + 2, sizeof(int));
    islands->blocks = calloc(blocks + 1, sizeof(int));
    islands->blockStart = calloc(bodies + 2, sizeof(int));
    islands->parent = calloc(bodies + 1, sizeof(int));
    if (islands->islandOfBody != NULL && islands->bodies != NULL && islands->bodyStart != NULL &&
        islands->blocks != NULL && islands->blockStart != NULL && islands->parent != NULL)
        return pal_ok;
    palContactIslands_Free(islands);
    return palError_Memory(error, "the islands of bodies", (5 * bodies + blocks) * sizeof(int));
}

void palContactIslands_Free(palContactIslands* islands)
{
    free(islands->islandOfBody);
    free(islands->bodies);
    free(islands->bodyStart);
    free(islands->blocks);
    free(islands->blockStart);
    free(islands->parent);
    *islands = (palContactIslands){0};
}

// The first body of a group; the path to it is halved on the way.
static int findRoot(int* parent, int body)
{
    while (parent[body] != body)
        body = parent[body] = parent[parent[body]];
    return body;
}

static bool moves(const bool* isFixed, int body)
{
    return body >= 0 && !isFixed[body];
}

// The island of a block, that of either body that moves; -1: none does.
static int islandOfBlock(const palContactIslands* islands, const int ends[2])
{
    int first = ends[0] >= 0 ? islands->islandOfBody[ends[0]] : -1;
    return first >= 0 || ends[1] < 0 ? first : islands->islandOfBody[ends[1]];
}

// Numbers the groups by their first body.
static int numberIslands(palContactIslands* islands, int bodyCount, const bool* isFixed)
{
    int count = 0;
    for (int i = 0; i < bodyCount; i++)
    {
        int root = findRoot(islands->parent, i);
        islands->islandOfBody[i] = isFixed[i]  ? -1
                                   : root == i ? count++
                                               : islands->islandOfBody[root];
    }
    return count;
}

// start[i + 1] holds the number of members of island i, start[0] is 0: turns the numbers into
// starts, shifted by one entry so that placing the members moves each to its island's end.
static void sumCounts(int* start, int count)
{
    int sum = 0;
    for (int i = 1; i <= count; i++)
    {
        int members = start[i];
        start[i] = sum;
        sum += members;
    }
}

// Joins the bodies that blocks connect into groups.
static void unite(int* parent, int bodyCount, const bool* isFixed, int blockCount,
                  const int (*ends)[2])
{
    for (int i = 0; i < bodyCount; i++)
        parent[i] = i;
    for (int b = 0; b < blockCount; b++)
    {
        if (!moves(isFixed, ends[b][0]) || !moves(isFixed, ends[b][1]))
            continue;
        int first = findRoot(parent, ends[b][0]);
        int second = findRoot(parent, ends[b][1]);
        parent[first > second ? first : second] = first > second ? second : first;
    }
}

int palContactIslands_Find(palContactIslands* islands, int bodyCount, const bool* isFixed,
                           int blockCount, const int (*ends)[2])
{
    unite(islands->parent, bodyCount, isFixed, blockCount, ends);
    int count = islands->count = numberIslands(islands, bodyCount, isFixed);

    // Counting sort of bodies and blocks.
    for (int i = 0; i <= count; i++)
        islands->bodyStart[i] = islands->blockStart[i] = 0;
    int fixedBody = 0, fixedBlock = 0; // where those begin: behind all others
    for (int i = 0; i < bodyCount; i++)
        if (!isFixed[i])
            islands->bodyStart[islands->islandOfBody[i] + 1]++, fixedBody++;
    for (int b = 0; b < blockCount; b++)
        if (islandOfBlock(islands, ends[b]) >= 0)
            islands->blockStart[islandOfBlock(islands, ends[b]) + 1]++, fixedBlock++;
    sumCounts(islands->bodyStart, count);
    sumCounts(islands->blockStart, count);
    for (int i = 0; i < bodyCount; i++)
    {
        int* place = isFixed[i] ? &fixedBody : &islands->bodyStart[islands->islandOfBody[i] + 1];
        islands->bodies[(*place)++] = i;
    }
    for (int b = 0; b < blockCount; b++)
    {
        int island = islandOfBlock(islands, ends[b]);
        int* place = island < 0 ? &fixedBlock : &islands->blockStart[island + 1];
        islands->blocks[(*place)++] = b;
    }
    return count;
}

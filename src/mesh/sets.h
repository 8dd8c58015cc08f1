// SPDX-License-Identifier: Apache-2.0
// Disjoint sets (union-find) of 0..count-1 as trees in an array of parents. A root is the lowest
// member of its set, and every parent is lower than its children.
#ifndef PAL_MESH_SETS_H
#define PAL_MESH_SETS_H

#include <stdbool.h>

static inline void palSets_Clear(int* parent, int count)
{
    for (int i = 0; i < count; i++)
        parent[i] = i;
}

/// The root of i's set, with path halving.
static inline int palSets_Find(int* parent, int i)
{
    while (parent[i] != i)
    {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/// Joins the sets of i and j. Returns whether they were different.
static inline bool palSets_Join(int* parent, int i, int j)
{
    int a = palSets_Find(parent, i);
    int b = palSets_Find(parent, j);
    parent[a > b ? a : b] = a < b ? a : b;
    return a != b;
}

/// Replaces every entry by the index of its set, from 0 in the order of the roots. Returns the
/// number of sets.
static inline int palSets_Number(int* parent, int count)
{
    int sets = 0;
    for (int i = 0; i < count; i++)
        parent[i] = parent[i] == i ? sets++ : parent[parent[i]];
    return sets;
}

#endif

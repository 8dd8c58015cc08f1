// SPDX-License-Identifier: Apache-2.0
// A tree over boxes that change from step to step: those that moving triangles sweep through.
//
// It is arranged once, by halving along the longest side, and refitted in linear time; no answer
// depends on the arrangement. Nothing is allocated after Init. Boxes of a soft surface may be
// computed where a query comes (swept_boxes.h).
#ifndef PAL_COLLIDE_BOX_TREE_H
#define PAL_COLLIDE_BOX_TREE_H

#include "mesh/surface.h"

typedef struct palBoxTree
{
    int count;        // of boxes
    int leafCount;    // a power of two; leaf i holds order[starts[i]] .. order[starts[i + 1] - 1]
    int* order;       // owned, [count]
    int* starts;      // owned, [leafCount + 1]
    palBounds* nodes; // owned, [2 leafCount]: the root is 1, the children of i are 2i and 2i + 1;
                      // leaf i is node leafCount + i
    struct palSweptBoxes* swept; // borrowed: what computes boxes late; NULL: all are there
} palBoxTree;

palResult palBoxTree_Init(palBoxTree* tree, int count, const palBounds* boxes, palError* error);
void palBoxTree_Free(palBoxTree* tree);

/// Updates the tree for the present boxes; as many as at Init.
void palBoxTree_Refit(palBoxTree* tree, const palBounds* boxes);

/// Updates the nodes below one, and itself.
void palBoxTree_RefitBelow(const palBoxTree* tree, const palBounds* boxes, int node);

/// Calls visit(index, data) for every box that shares a point with `box`, in a repeatable order.
void palBoxTree_Visit(const palBoxTree* tree, const palBounds* boxes, palBounds box,
                      void (*visit)(int index, void* data), void* data);

/// Whether a box may share a point with `box`: false only where none does. Boxes that were not
/// computed yet are not looked at one by one.
bool palBoxTree_MayMeet(const palBoxTree* tree, palBounds box);

static inline palBounds palMakeBounds(palVec3 a)
{
    return (palBounds){a, a};
}

static inline palBounds palBounds_Union(palBounds a, palBounds b)
{
    // Comparisons rather than fmin and fmax, which are calls: coordinates are finite here.
    return (palBounds){
        .low = {a.low.x < b.low.x ? a.low.x : b.low.x, a.low.y < b.low.y ? a.low.y : b.low.y,
                a.low.z < b.low.z ? a.low.z : b.low.z},
        .high = {a.high.x > b.high.x ? a.high.x : b.high.x,
                 a.high.y > b.high.y ? a.high.y : b.high.y,
                 a.high.z > b.high.z ? a.high.z : b.high.z},
    };
}

static inline palBounds palBounds_With(palBounds box, palVec3 a)
{
    return palBounds_Union(box, palMakeBounds(a));
}

static inline palBounds palBounds_Grown(palBounds box, double by)
{
    palVec3 margin = {by, by, by};
    return (palBounds){palSub(box.low, margin), palAdd(box.high, margin)};
}

static inline bool palBounds_Meet(palBounds a, palBounds b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Two trees against each other, each in its own frame, and one tree against a box or a half-space.
// Boxes are compared in the frame of either tree in turn, rounded outward: what is near is never
// left out.
#ifndef PAL_COLLIDE_BVH_PAIR_H
#define PAL_COLLIDE_BVH_PAIR_H

#include "collide/bvh_tree.h"
#include "math/mat3.h"
#include "mesh/surface.h"

/// A tree and what its subtrees own (mesh_features.h).
typedef struct palBvhSide
{
    const palBvh* bvh;    // borrowed
    const uint8_t* below; // borrowed
} palBvhSide;

/// A child of a node, and with it a box.
typedef struct palBvhChild
{
    int32_t node;
    int32_t lane;
} palBvhChild;

/// Receives leaves that may be near each other. Returns false to end the walk.
typedef bool palLeafPairVisitor(palBvhChild leafA, palBvhChild leafB, void* data);
/// Receives a leaf that may be near. Returns false to end the walk.
typedef bool palLeafVisitor(int leaf, void* data);

/// Visits the pairs of leaves whose boxes may be within `distance`; R and x take the frame of a to
/// that of b. Pairs of subtrees that own nothing that can touch are left out. Returns how many
/// pairs of subtrees and leaves were left when the visitor ended the walk.
int palBvhPair_Visit(const palBvhSide* a, const palBvhSide* b, const palMat3* R, palVec3 x,
                     double distance, palLeafPairVisitor* visit, void* data);

/// Visits the leaves that may meet a box in the frame of the tree.
int palBvh_VisitBox(const palBvh* bvh, palBounds box, palLeafVisitor* visit, void* data);

/// Visits the leaves that own vertices and may have one with normal · x <= offset.
int palBvh_VisitBelow(const palBvhSide* side, palVec3 normal, double offset, palLeafVisitor* visit,
                      void* data);

#endif

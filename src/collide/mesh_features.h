// SPDX-License-Identifier: Apache-2.0
// Which vertices, edges and faces of a closed mesh can touch another body first, and where each is
// looked for.
//
// Two surfaces touch with vertices on faces and edges on edges. An edge between triangles of one
// plane touches nothing that the rim of the plane does not touch as well, and a groove nothing at
// all; so only ridges count as edges, and as vertices only those at which ridges end, meet or bend.
// Every such feature is owned by one triangle, and a pair of features is tested where their two
// owners are near each other: once.
#ifndef PAL_COLLIDE_MESH_FEATURES_H
#define PAL_COLLIDE_MESH_FEATURES_H

#include "collide/bvh.h"
#include "mesh/topology.h"

enum
{
    pal_ownsVertex = 1,
    pal_ownsEdge = 2,
};

typedef struct palMeshFeatures
{
    uint8_t* owned;  // owned, [triangleCount]: bit k: corner k, bit 3 + k: edge k belongs to it
    int* patches;    // owned, [triangleCount]: the lowest triangle of the plane that it is part of
    int* starStarts; // owned, [vertexCount + 1]
    int* star;       // owned, [2 edgeCount]: the vertices at the other ends of a vertex' edges
    uint8_t* below;  // owned, [8 nodes of the tree]: pal_ownsVertex, pal_ownsEdge: whether any
                     // triangle below that child does
} palMeshFeatures;

/// Of a closed surface, its topology and its tree, which stay as they are.
palResult palMeshFeatures_Init(palMeshFeatures* features, const palSurface* surface,
                               const palTopology* topology, const palBvh* bvh, palError* error);
void palMeshFeatures_Free(palMeshFeatures* features);

/// Whether no edge that leaves a vertex rises against a unit direction by more than the sine
/// `slack`: whether the surface sticks out there in that direction.
bool palMeshFeatures_SticksOut(const palMeshFeatures* features, const palSurface* surface,
                               int vertex, palVec3 direction, double slack);

/// Whether two subtrees may have features that touch.
static inline bool palMeshFeatures_CanTouch(unsigned a, unsigned b)
{
    return (((a | b) & pal_ownsVertex) | (a & b & pal_ownsEdge)) != 0;
}

#endif

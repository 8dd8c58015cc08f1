// SPDX-License-Identifier: Apache-2.0
// The hierarchy's memory, shared by its builder, its refit and its two sets of kernels.
//
// Nodes stand in depth-first order, so a child's index is larger than its parent's and a backward
// pass meets children first. Triangles stand in the order of the leaves, so the triangles below any
// child are one run of `order`.
#ifndef PAL_COLLIDE_BVH_TREE_H
#define PAL_COLLIDE_BVH_TREE_H

#include "collide/placement.h"
#include "collide/triangle.h"

#include <float.h>

enum
{
    pal_bvhWidth = 8,     // children a node, triangles a leaf: one AVX register of floats
    pal_bvhFourWidth = 4, // triangles tested at once: one AVX register of doubles

    // Splits above this depth are chosen by area; deeper ranges are halved, so that no arrangement
    // of triangles makes the tree deeper than this plus log2 of their number.
    pal_bvhChosenDepth = 40,
    pal_bvhDepthMax = pal_bvhChosenDepth + 32,

    // Every level leaves at most seven siblings waiting.
    pal_bvhStackSize = pal_bvhDepthMax * (pal_bvhWidth - 1) + 1,

    pal_bvhNoChild = INT32_MIN,
};

/// Eight boxes, four cache lines. A lane without a child has NaN for its box: it fails every test.
typedef struct palBvhNode
{
    float low[3][pal_bvhWidth];  // relative to the tree's origin, rounded outward, m
    float high[3][pal_bvhWidth]; // m
    int32_t child[pal_bvhWidth]; // a node; ~leaf; pal_bvhNoChild
    int32_t end[pal_bvhWidth];   // one past the child's last place in `order`; the first is the end
                                 // of the child before, for child 0 the beginning of the node
} palBvhNode;

/// Up to eight triangles, two cache lines. Lanes left over repeat the last triangle.
typedef struct palBvhLeaf
{
    int32_t vertex[3][pal_bvhWidth]; // [corner], into the tree's vertices and points
    int32_t triangle[pal_bvhWidth];  // as the surface numbers them
} palBvhLeaf;

/// A vertex in one AVX register, and in half of one, to the nearest float. Both stand in the order
/// in which leaves meet them, so that the corners of a leaf are near each other in memory.
typedef struct palBvhVertex
{
    double x[4]; // m; the last is zero
} palBvhVertex;

typedef struct palBvhPoint
{
    float x[4]; // relative to the tree's origin, m; the last is zero
} palBvhPoint;

/// The set of kernels that a tree runs on: scalar, or AVX2 with the same answers.
typedef struct palBvhKernels
{
    void (*place)(palBvh* bvh, const palVec3* vertices);        // takes all vertices over
    void (*fit)(const palBvh* bvh, int begin, int end);         // the boxes of nodes begin .. end-1
    void (*fitLane)(const palBvh* bvh, int32_t node, int lane); // one box, from those below it
    bool (*closest)(const palBvh* bvh, palVec3 point, double maxDistance, palClosest* closest);
    int (*within)(const palBvh* bvh, palVec3 centre, double radius, int capacity, int* triangles);
    bool (*firstCrossing)(const palBvh* bvh, const palSegment* segment, palCrossing* crossing);
} palBvhKernels;

struct palBvh
{
    const palBvhKernels* kernels; // borrowed, static
    palBvhNode* nodes;            // owned, [nodeCount], 64-byte aligned; the root is node 0
    palBvhLeaf* leaves;           // owned, [leafCount], 64-byte aligned
    palBvhVertex* vertices;       // owned, [vertexCount], 64-byte aligned
    palBvhPoint* points;          // owned, [vertexCount], 64-byte aligned
    int32_t* source;              // owned, [vertexCount], the surface's vertex of each
    int32_t* order;               // owned, [triangleCount + 7], triangles in the order of the
                                  // leaves; a leaf's worth can be read at any
    int nodeCount;
    int leafCount;
    int vertexCount; // those that triangles use
    int triangleCount;
    int nodeCapacity;
    int leafCapacity;
    palVec3 origin; // a point of the surface; keeps the boxes' floats small, m
    float extent;   // no coordinate of a box is larger, m

    // Of the surface of a soft body: what of the tree is fitted only where a query comes
    // (bvh_deferred.c).
    struct palBvhDeferred* deferred; // owned; NULL: the whole tree is always fitted
    int32_t* pending; // in `deferred`, [-leafCount .. nodeCount-1], by a child's code: its cluster,
                      // which is not fitted; or one of the below
};

enum
{
    pal_bvhFitted = -1, // its box, and all below it, are those of the triangles
    pal_bvhLoose = -2,  // its box is large enough; some cluster below is not fitted
};

extern const palBvhKernels pal_bvhScalarKernels;

/// The AVX2 kernels, or NULL where this build or this processor has none.
const palBvhKernels* palBvhAvx2Kernels(void);

/// Runs the tree on the scalar kernels, or on the best that the processor has.
void palBvh_UseScalar(palBvh* bvh, bool scalar);

static inline palVec3 palBvh_Corner(const palBvh* bvh, const palBvhLeaf* leaf, int lane, int corner)
{
    const double* x = bvh->vertices[leaf->vertex[corner][lane]].x;
    return (palVec3){x[0], x[1], x[2]};
}

/// Finds `extent` from the boxes of the root.
void palBvh_FindExtent(palBvh* bvh);

/// Fits a cluster: its vertices, its boxes and that of itself.
void palBvh_FitCluster(const palBvh* bvh, int cluster);
void palBvhDeferred_Destroy(struct palBvhDeferred* deferred);
/// Says that the whole tree is fitted.
void palBvhDeferred_SetFitted(struct palBvhDeferred* deferred, const palBvh* bvh);

/// The next smaller and larger floats, or the ones after; also right for what a double rounded.
static inline float palFloatBelow(float x)
{
    return x - (fabsf(x) * 0x1p-23f + FLT_MIN);
}

static inline float palFloatAbove(float x)
{
    return x + (fabsf(x) * 0x1p-23f + FLT_MIN);
}

/// Arranges the triangles into nodes and leaves and orders their vertices, without boxes and
/// coordinates.
palResult palBvh_Arrange(palBvh* bvh, const palSurface* surface, palError* error);

#endif

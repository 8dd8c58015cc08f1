// SPDX-License-Identifier: Apache-2.0
// The walks through the tree, written once. bvh_scalar.c and bvh_avx2.c define the kernels below
// for one node or one leaf, then include this file: each gets walks with its kernels inlined.
//
// Boxes are compared in single precision, with the query's side rounded outward and the bound
// raised by more than the comparison can round: a box is left out only where no triangle in it can
// matter. Every decision that reaches an answer is made in double precision at a leaf.
#ifndef PAL_COLLIDE_BVH_QUERIES_H
#define PAL_COLLIDE_BVH_QUERIES_H

#include "collide/bvh_tree.h"

#include <float.h>
#include <string.h>

// A query point relative to the tree's origin, between two floats on each axis.
typedef struct pointBounds
{
    float low[3];
    float high[3];
} pointBounds;

// A segment relative to the tree's origin. A box is entered through its near planes and left
// through its far planes; each has its own rounding of the start.
typedef struct segmentBounds
{
    float nearStart[3];
    float farStart[3];
    float inverse[3]; // 1 / direction
    bool backward[3]; // the near plane is the high one
} segmentBounds;

// The kernels. Masks have one bit a lane.

// The lanes whose box is within `bound` of the point; squared distances, m².
static inline unsigned nodeDistances(const palBvhNode* node, const pointBounds* point, float bound,
                                     float distances[pal_bvhWidth]);
// The lanes whose box has a point within `bound`, those that lie whole within `inside`, m², and
// those that are leaves.
static inline unsigned nodeReach(const palBvhNode* node, const pointBounds* point, float bound,
                                 float inside, unsigned* contained, unsigned* leaves);
// The lanes whose box is entered at or before `bound`, and where along the segment.
static inline unsigned nodeEntries(const palBvhNode* node, const segmentBounds* segment,
                                   float bound, float entries[pal_bvhWidth]);
// The triangles whose squared distance is at most `bound`; m².
static inline unsigned blockDistances(const palBvh* bvh, const palBvhBlock* block, palVec3 point,
                                      double bound, double distances[pal_bvhBlockWidth]);
// The triangles crossed at or before `bound`, and where along the segment.
static inline unsigned blockCrossings(const palBvh* bvh, const palBvhBlock* block,
                                      const palSegment* segment, double bound,
                                      double crossings[pal_bvhBlockWidth]);

// Relative room for rounding: a box test of six roundings errs by less than 2^-21.
static const double boxMargin = 0x1p-20;

// The next smaller and larger floats, or the ones after; also right for what a double rounded.
static inline float roundDown(double x)
{
    float f = (float)x;
    return f - (fabsf(f) * 0x1p-23f + FLT_MIN);
}

static inline float roundUp(double x)
{
    float f = (float)x;
    return f + (fabsf(f) * 0x1p-23f + FLT_MIN);
}

static inline float raiseBound(double x)
{
    return (float)(x * (1.0 + boxMargin)) + FLT_MIN;
}

static inline float lowerBound(double x)
{
    return (float)(x * (1.0 - boxMargin)) - FLT_MIN;
}

static inline pointBounds boundPoint(const palBvh* bvh, palVec3 point)
{
    palVec3 x = palSub(point, bvh->origin);
    return (pointBounds){
        .low = {roundDown(x.x), roundDown(x.y), roundDown(x.z)},
        .high = {roundUp(x.x), roundUp(x.y), roundUp(x.z)},
    };
}

// A child that waits for its visit, and the least that can be found in it.
typedef struct waiting
{
    float least;
    int32_t child;
} waiting;

// Puts the children of the mask on the stack, the most promising on top.
static inline int pushChildren(waiting* stack, int count, const palBvhNode* node,
                               const float least[pal_bvhWidth], unsigned mask)
{
    const int bottom = count;
    for (; mask != 0; mask &= mask - 1)
    {
        int lane = __builtin_ctz(mask);
        int i = count++;
        for (; i > bottom && stack[i - 1].least < least[lane]; i--)
            stack[i] = stack[i - 1];
        stack[i] = (waiting){least[lane], node->child[lane]};
    }
    return count;
}

// The best triangle so far: the least value, and of equal values the lowest index.
typedef struct candidate
{
    double value; // squared distance, or place along a segment
    int32_t triangle;
    const palBvhBlock* block; // borrowed, NULL while there is none
    int lane;
} candidate;

static inline void keepBest(candidate* best, const palBvhBlock* block, const double* values,
                            unsigned mask)
{
    for (; mask != 0; mask &= mask - 1)
    {
        int lane = __builtin_ctz(mask);
        int32_t triangle = block->triangle[lane];
        if (values[lane] < best->value ||
            (values[lane] == best->value && triangle < best->triangle))
            *best = (candidate){values[lane], triangle, block, lane};
    }
}

static bool findClosest(const palBvh* bvh, palVec3 point, double maxDistance, palClosest* closest)
{
    *closest = (palClosest){.triangle = -1};
    if (!(maxDistance >= 0.0))
        return false;

    // A little more than the square, which may have been rounded; the distance decides at the end.
    candidate best = {.value = maxDistance * maxDistance * (1.0 + 0x1p-50), .triangle = INT32_MAX};
    float bound = raiseBound(best.value);
    const pointBounds bounds = boundPoint(bvh, point);
    waiting stack[pal_bvhStackSize];
    stack[0] = (waiting){0.0f, 0};
    int count = 1;
    while (count > 0)
    {
        waiting next = stack[--count];
        if (next.least > bound)
            continue;
        if (next.child >= 0)
        {
            const palBvhNode* node = &bvh->nodes[next.child];
            float distances[pal_bvhWidth];
            unsigned mask = nodeDistances(node, &bounds, bound, distances);
            count = pushChildren(stack, count, node, distances, mask);
            continue;
        }
        const palBvhBlock* block = &bvh->blocks[~next.child];
        double distances[pal_bvhBlockWidth];
        unsigned mask = blockDistances(bvh, block, point, best.value, distances);
        if (mask != 0)
        {
            keepBest(&best, block, distances, mask);
            bound = raiseBound(best.value);
        }
    }
    if (best.block == NULL || sqrt(best.value) > maxDistance)
        return false;
    *closest = palClosestOnTriangle(point, palBvh_Corner(bvh, best.block, best.lane, 0),
                                    palBvh_Corner(bvh, best.block, best.lane, 1),
                                    palBvh_Corner(bvh, best.block, best.lane, 2));
    closest->triangle = best.triangle;
    return true;
}

// Triangles being collected; more may be found than there is room for.
typedef struct collection
{
    int* triangles;
    int capacity;
    int count;
} collection;

static inline void collectRun(collection* found, const int32_t* run, int length)
{
    int room = found->capacity - found->count;
    int copied = length < room ? length : room;
    if (copied > 0)
        memcpy(found->triangles + found->count, run, (size_t)copied * sizeof *run);
    found->count += length;
}

// Collects some of a leaf's triangles. Where there is room all four are written, each over the last
// that was not wanted: which ones are wanted is hard to predict for a branch.
static inline void collectLanes(collection* found, const int32_t leaf[pal_bvhBlockWidth],
                                unsigned mask)
{
    if (found->capacity - found->count >= pal_bvhBlockWidth)
    {
        for (int i = 0; i < pal_bvhBlockWidth; i++)
        {
            found->triangles[found->count] = leaf[i];
            found->count += mask >> i & 1;
        }
        return;
    }
    for (; mask != 0; mask &= mask - 1)
    {
        if (found->count < found->capacity)
            found->triangles[found->count] = leaf[__builtin_ctz(mask)];
        found->count++;
    }
}

// A node that waits for its visit, and where in `order` its triangles begin.
typedef struct waitingRun
{
    int32_t node;
    int32_t begin;
} waitingRun;

static inline int32_t laneBegin(const palBvhNode* node, int32_t begin, int lane)
{
    return lane > 0 ? node->end[lane - 1] : begin;
}

// The lanes of a leaf that are triangles of their own.
static inline unsigned leafLanes(const palBvhNode* node, int32_t begin, int lane)
{
    return (1u << (node->end[lane] - laneBegin(node, begin, lane))) - 1;
}

static int findWithin(const palBvh* bvh, palVec3 centre, double radius, int capacity,
                      int* triangles)
{
    if (!(radius >= 0.0))
        return 0;
    collection found = {triangles, capacity, 0};
    const double radiusSquared = radius * radius;
    const float bound = raiseBound(radiusSquared);
    const float inside = lowerBound(radiusSquared);
    const pointBounds bounds = boundPoint(bvh, centre);
    waitingRun stack[pal_bvhStackSize];
    stack[0] = (waitingRun){0, 0};
    int count = 1;
    while (count > 0)
    {
        waitingRun next = stack[--count];
        const palBvhNode* node = &bvh->nodes[next.node];
        unsigned contained, leaves;
        unsigned mask = nodeReach(node, &bounds, bound, inside, &contained, &leaves);
        contained &= mask;
        for (unsigned m = mask & ~contained & leaves; m != 0; m &= m - 1)
            __builtin_prefetch(&bvh->blocks[~node->child[__builtin_ctz(m)]]);

        // One loop a kind, so that each kind's branches are the same every time.
        for (unsigned m = mask & ~contained & ~leaves; m != 0; m &= m - 1)
        {
            int lane = __builtin_ctz(m);
            stack[count++] = (waitingRun){node->child[lane], laneBegin(node, next.begin, lane)};
        }
        for (unsigned m = contained & ~leaves; m != 0; m &= m - 1)
        {
            int32_t begin = laneBegin(node, next.begin, __builtin_ctz(m));
            collectRun(&found, bvh->order + begin, node->end[__builtin_ctz(m)] - begin);
        }
        for (unsigned m = contained & leaves; m != 0; m &= m - 1)
        {
            int lane = __builtin_ctz(m);
            collectLanes(&found, bvh->order + laneBegin(node, next.begin, lane),
                         leafLanes(node, next.begin, lane));
        }
        for (unsigned m = mask & ~contained & leaves; m != 0; m &= m - 1)
        {
            int lane = __builtin_ctz(m);
            const palBvhBlock* block = &bvh->blocks[~node->child[lane]];
            double distances[pal_bvhBlockWidth];
            unsigned near = blockDistances(bvh, block, centre, radiusSquared, distances);
            collectLanes(&found, block->triangle, near & leafLanes(node, next.begin, lane));
        }
    }
    return found.count;
}

static inline segmentBounds boundSegment(const palBvh* bvh, const palSegment* segment)
{
    const double origin[3] = {bvh->origin.x, bvh->origin.y, bvh->origin.z};
    double start[3];
    double size = bvh->extent;
    for (int k = 0; k < 3; k++)
    {
        start[k] = segment->origin[k] - origin[k];
        size = fmax(size, fabs(start[k]) + fabs(segment->direction[k]));
    }

    // The crossing test shears by up to the whole size and errs by some 1e-15 of it.
    const double pad = 1e-12 * size;
    const float steepest = 1e30f; // stands for 1/0
    segmentBounds bounds;
    for (int k = 0; k < 3; k++)
    {
        float low = roundDown(start[k] - pad);
        float high = roundUp(start[k] + pad);
        float inverse = (float)(1.0 / segment->direction[k]);
        bounds.backward[k] = signbit(segment->direction[k]);
        bounds.nearStart[k] = bounds.backward[k] ? low : high;
        bounds.farStart[k] = bounds.backward[k] ? high : low;
        bounds.inverse[k] = fabsf(inverse) < steepest ? inverse : copysignf(steepest, inverse);
    }
    return bounds;
}

static bool findFirstCrossing(const palBvh* bvh, const palSegment* segment, palCrossing* crossing)
{
    candidate best = {.value = 1.0, .triangle = INT32_MAX};
    float bound = raiseBound(best.value);
    const segmentBounds bounds = boundSegment(bvh, segment);
    waiting stack[pal_bvhStackSize];
    stack[0] = (waiting){0.0f, 0};
    int count = 1;
    while (count > 0)
    {
        waiting next = stack[--count];
        if (next.least > bound)
            continue;
        if (next.child >= 0)
        {
            const palBvhNode* node = &bvh->nodes[next.child];
            float entries[pal_bvhWidth];
            unsigned mask = nodeEntries(node, &bounds, bound, entries);
            count = pushChildren(stack, count, node, entries, mask);
            continue;
        }
        const palBvhBlock* block = &bvh->blocks[~next.child];
        double crossings[pal_bvhBlockWidth];
        unsigned mask = blockCrossings(bvh, block, segment, best.value, crossings);
        if (mask != 0)
        {
            keepBest(&best, block, crossings, mask);
            bound = raiseBound(best.value);
        }
    }
    if (best.block == NULL)
        return false;
    palVec3 start = {segment->origin[0], segment->origin[1], segment->origin[2]};
    palVec3 direction = {segment->direction[0], segment->direction[1], segment->direction[2]};
    *crossing = (palCrossing){best.triangle, best.value, palMulAdd(start, best.value, direction)};
    return true;
}

#endif

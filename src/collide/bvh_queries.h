// SPDX-License-Identifier: Apache-2.0
// The walks through the tree, written once. bvh_scalar.c and bvh_avx2.c include this file and
// define the kernels below for one node or one leaf: each gets walks with its kernels inlined.
//
// Queries walk in two ways. findLeast goes to the most promising child first and leaves out what
// cannot be better than the best so far: closest points and first crossings are two pairs of
// visitors to it. findWithin takes all there is, in any order, and whole subtrees without looking
// into them.
//
// Boxes and, at a leaf, the corners of its eight triangles are compared in single precision, with
// the query's side rounded outward and the bound raised by more than the comparison can round: a
// box or a triangle is left out only where it cannot matter. Every decision that reaches an answer
// is made in double precision, on the few triangles that are left.
#ifndef PAL_COLLIDE_BVH_QUERIES_H
#define PAL_COLLIDE_BVH_QUERIES_H

#include "collide/bvh_tree.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

// A query point relative to the tree's origin.
typedef struct pointQuery
{
    palVec3 point; // the query point, m
    float low[3];  // the point lies between two floats on each axis
    float high[3];
    float nearest[3];   // and is nearest to these
    float slack;        // how far the rounding of corners can move a triangle, m
    float reachSquared; // no triangle that is farther, slack included, matters, m²
} pointQuery;

// A segment relative to the tree's origin. A box is entered through its near planes and left
// through its far planes; each has its own rounding of the start.
typedef struct segmentQuery
{
    const palSegment* segment; // borrowed
    float nearStart[3];
    float farStart[3];
    float inverse[3]; // 1 / direction
    bool backward[3]; // the near plane is the high one
} segmentQuery;

// Children that wait for their visit, and the least that can be found in each. A node's worth can
// be written above the top.
typedef struct waiting
{
    float least[pal_bvhStackSize + pal_bvhWidth];
    int32_t child[pal_bvhStackSize + pal_bvhWidth];
    int count;
} waiting;

// The kernels. Masks have one bit a lane.

// The lanes whose box is within `bound` of the point; squared distances, m².
static inline unsigned nodeDistances(const palBvhNode* node, const pointQuery* query, float bound,
                                     float distances[pal_bvhWidth]);
// The lanes whose box has a point within `bound`, those that lie whole within `inside`, m², and
// those that are leaves.
static inline unsigned nodeReach(const palBvhNode* node, const pointQuery* query, float bound,
                                 float inside, unsigned* contained, unsigned* leaves);
// The lanes whose box is entered at or before `bound`, and where along the segment.
static inline unsigned nodeEntries(const palBvhNode* node, const segmentQuery* query, float bound,
                                   float entries[pal_bvhWidth]);
// Puts the children of the mask on top of those that wait, the most promising last.
static inline void pushChildren(waiting* stack, const palBvhNode* node,
                                const float least[pal_bvhWidth], unsigned mask);
// The triangles of a leaf that may be within the query's reach, and those that have a corner within
// `inside`, m².
//
// A triangle is apart where all its corners are beyond the reach along one direction. The sum d of
// the three corners, which points to the middle, is a good one: apart where v·d > reach |d| for
// each corner v, in squares (v·d)² > reach² |d|². FLT_MIN on the right is more than can underflow;
// where the left overflows, the right does too unless the triangle is apart.
static inline unsigned leafReach(const palBvh* bvh, const palBvhLeaf* leaf, const pointQuery* query,
                                 float inside, unsigned* cornered);
// Of four lanes of a leaf the triangles whose squared distance is at most `bound`; m².
static inline unsigned fourDistances(const palBvh* bvh, const palBvhLeaf* leaf,
                                     const int lanes[pal_bvhFourWidth], palVec3 point, double bound,
                                     double distances[pal_bvhFourWidth]);
// Of four lanes of a leaf the triangles crossed at or before `bound`, and where.
static inline unsigned fourCrossings(const palBvh* bvh, const palBvhLeaf* leaf,
                                     const int lanes[pal_bvhFourWidth], const palSegment* segment,
                                     double bound, double crossings[pal_bvhFourWidth]);

// Takes the vertices over, in double and, relative to the tree's origin, in single precision.
static inline void placeVertices(palBvh* bvh, const palVec3* vertices);
// Writes the box of a leaf's triangles into one lane of the node.
static inline void fitLeaf(const palBvh* bvh, palBvhNode* node, int lane);
// Writes the box around all of a node's children into one lane of its parent.
static inline void fitChild(palBvhNode* parent, int lane, const palBvhNode* node);

// Relative room for rounding: a box test of six roundings errs by less than 2^-21. Of a corner each
// coordinate errs by 2^-23 of the largest there is and v·d by 2^-22 of |v| |d|, together less than
// 2^-20 of the largest coordinate along d.
static const double margin = 0x1p-20;

static inline float raiseBound(double x)
{
    return (float)(x * (1.0 + margin)) + FLT_MIN;
}

static inline float lowerBound(double x)
{
    return (float)(x * (1.0 - margin)) - FLT_MIN;
}

static inline pointQuery makePointQuery(const palBvh* bvh, palVec3 point)
{
    palVec3 x = palSub(point, bvh->origin);
    pointQuery query = {.point = point, .nearest = {(float)x.x, (float)x.y, (float)x.z}};
    float size = 0.0f;
    for (int k = 0; k < 3; k++)
    {
        query.low[k] = palFloatBelow(query.nearest[k]);
        query.high[k] = palFloatAbove(query.nearest[k]);
        size = fabsf(query.nearest[k]) > size ? fabsf(query.nearest[k]) : size;
    }
    query.slack = (float)margin * (bvh->extent + size);
    return query;
}

// Says that nothing beyond a distance matters.
static inline void limitReach(pointQuery* query, double distanceSquared)
{
    double reach = sqrt(distanceSquared) + query->slack;
    query->reachSquared = raiseBound(reach * reach);
}

// The best triangle so far: the least value, and of equal values the lowest index.
typedef struct candidate
{
    double value; // squared distance, or place along a segment
    float bound;  // no box where all is larger can matter
    int32_t triangle;
    const palBvhLeaf* leaf; // borrowed, NULL while there is none
    int lane;
} candidate;

static inline candidate makeCandidate(double value)
{
    return (candidate){.value = value, .bound = raiseBound(value), .triangle = INT32_MAX};
}

static inline void keepBest(candidate* best, const palBvhLeaf* leaf, const int* lanes,
                            const double* values, unsigned mask)
{
    for (; mask != 0; mask &= mask - 1)
    {
        int i = __builtin_ctz(mask);
        int32_t triangle = leaf->triangle[lanes[i]];
        if (values[i] < best->value || (values[i] == best->value && triangle < best->triangle))
            *best = (candidate){values[i], raiseBound(values[i]), triangle, leaf, lanes[i]};
    }
}

// Takes up to four lanes out of a mask; the last stands in for those that are missing.
static inline unsigned takeFour(unsigned mask, int lanes[pal_bvhFourWidth])
{
    unsigned rest = mask;
    for (int i = 0; i < pal_bvhFourWidth; i++)
    {
        mask = rest != 0 ? rest : mask;
        lanes[i] = __builtin_ctz(mask);
        rest = mask & (mask - 1);
    }
    return rest;
}

// What a search looks at: the boxes of a node, which it bounds from below, and the triangles of a
// leaf, of which it keeps the best.
typedef unsigned nodeVisitor(const palBvhNode* node, const void* query, float bound,
                             float least[pal_bvhWidth]);
typedef void leafVisitor(const palBvh* bvh, const palBvhLeaf* leaf, void* query, candidate* best);

// Returns whether anything is better than what `best` came with. Inlined with its visitors.
INLINE bool findLeast(const palBvh* bvh, void* query, nodeVisitor* visitNode,
                      leafVisitor* visitLeaf, candidate* best)
{
    waiting stack;
    stack.least[0] = 0.0f;
    stack.child[0] = 0;
    stack.count = 1;
    while (stack.count > 0)
    {
        int top = --stack.count;
        int32_t child = stack.child[top];
        if (stack.least[top] > best->bound)
            continue;
        if (bvh->pending != NULL && bvh->pending[child] >= 0)
            palBvh_FitCluster(bvh, bvh->pending[child]);
        if (child < 0)
        {
            visitLeaf(bvh, &bvh->leaves[~child], query, best);
            continue;
        }
        const palBvhNode* node = &bvh->nodes[child];
        float least[pal_bvhWidth];
        unsigned mask = visitNode(node, query, best->bound, least);
        pushChildren(&stack, node, least, mask);
    }
    return best->leaf != NULL;
}

// Closest points.

INLINE unsigned closestBoxes(const palBvhNode* node, const void* query, float bound,
                             float least[pal_bvhWidth])
{
    return nodeDistances(node, query, bound, least);
}

INLINE void closestTriangles(const palBvh* bvh, const palBvhLeaf* leaf, void* query,
                             candidate* best)
{
    pointQuery* q = query;
    unsigned cornered;
    unsigned near = leafReach(bvh, leaf, q, 0.0f, &cornered);
    while (near != 0)
    {
        int lanes[pal_bvhFourWidth];
        double distances[pal_bvhFourWidth];
        near = takeFour(near, lanes);
        unsigned mask = fourDistances(bvh, leaf, lanes, q->point, best->value, distances);
        if (mask == 0)
            continue;
        keepBest(best, leaf, lanes, distances, mask);
        limitReach(q, best->value);
    }
}

static bool findClosest(const palBvh* bvh, palVec3 point, double maxDistance, palClosest* closest)
{
    *closest = (palClosest){.triangle = -1};
    if (!(maxDistance >= 0.0))
        return false;

    // A little more than the square, which may have been rounded; the distance decides at the end.
    candidate best = makeCandidate(maxDistance * maxDistance * (1.0 + 0x1p-50));
    pointQuery query = makePointQuery(bvh, point);
    limitReach(&query, best.value);
    bool found = findLeast(bvh, &query, closestBoxes, closestTriangles, &best);
    if (!found || sqrt(best.value) > maxDistance)
        return false;
    *closest = palClosestOnTriangle(point, palBvh_Corner(bvh, best.leaf, best.lane, 0),
                                    palBvh_Corner(bvh, best.leaf, best.lane, 1),
                                    palBvh_Corner(bvh, best.leaf, best.lane, 2));
    closest->triangle = best.triangle;
    return true;
}

// First crossings.

static inline segmentQuery makeSegmentQuery(const palBvh* bvh, const palSegment* segment)
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
    segmentQuery query = {.segment = segment};
    for (int k = 0; k < 3; k++)
    {
        float low = palFloatBelow((float)(start[k] - pad));
        float high = palFloatAbove((float)(start[k] + pad));
        float inverse = (float)(1.0 / segment->direction[k]);
        query.backward[k] = signbit(segment->direction[k]);
        query.nearStart[k] = query.backward[k] ? low : high;
        query.farStart[k] = query.backward[k] ? high : low;
        query.inverse[k] = fabsf(inverse) < steepest ? inverse : copysignf(steepest, inverse);
    }
    return query;
}

INLINE unsigned crossedBoxes(const palBvhNode* node, const void* query, float bound,
                             float least[pal_bvhWidth])
{
    return nodeEntries(node, query, bound, least);
}

INLINE void crossedTriangles(const palBvh* bvh, const palBvhLeaf* leaf, void* query,
                             candidate* best)
{
    static const int halves[2][pal_bvhFourWidth] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    const segmentQuery* q = query;
    for (int i = 0; i < 2; i++)
    {
        double crossings[pal_bvhFourWidth];
        unsigned mask = fourCrossings(bvh, leaf, halves[i], q->segment, best->value, crossings);
        keepBest(best, leaf, halves[i], crossings, mask);
    }
}

static bool findFirstCrossing(const palBvh* bvh, const palSegment* segment, palCrossing* crossing)
{
    candidate best = makeCandidate(1.0);
    segmentQuery query = makeSegmentQuery(bvh, segment);
    if (!findLeast(bvh, &query, crossedBoxes, crossedTriangles, &best))
        return false;
    palVec3 start = {segment->origin[0], segment->origin[1], segment->origin[2]};
    palVec3 direction = {segment->direction[0], segment->direction[1], segment->direction[2]};
    *crossing = (palCrossing){best.triangle, best.value, palMulAdd(start, best.value, direction)};
    return true;
}

// The box of one child, from those below it.

static void fitLane(const palBvh* bvh, int32_t n, int lane)
{
    palBvhNode* node = &bvh->nodes[n];
    if (node->child[lane] >= 0)
        fitChild(node, lane, &bvh->nodes[node->child[lane]]);
    else if (node->child[lane] != pal_bvhNoChild)
        fitLeaf(bvh, node, lane);
}

// All within a radius.

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

// Collects some of a leaf's triangles. Where there is room all eight are written, each over the
// last that was not wanted: which ones are wanted is hard to predict for a branch.
static inline void collectLanes(collection* found, const int32_t leaf[pal_bvhWidth], unsigned mask)
{
    if (found->capacity - found->count >= pal_bvhWidth)
    {
        for (int i = 0; i < pal_bvhWidth; i++)
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

// A ball, and the same as seen by boxes and corners.
typedef struct ballQuery
{
    pointQuery centre;
    double radiusSquared; // m²
    float bound;          // a box that is farther has nothing within
    float inside;         // a box that reaches no farther is whole within
    float cornerInside;   // so is a triangle with a corner no farther, at least in part
} ballQuery;

static inline ballQuery makeBallQuery(const palBvh* bvh, palVec3 centre, double radius)
{
    ballQuery ball = {.centre = makePointQuery(bvh, centre), .radiusSquared = radius * radius};
    limitReach(&ball.centre, ball.radiusSquared);
    ball.bound = raiseBound(ball.radiusSquared);
    ball.inside = lowerBound(ball.radiusSquared);
    double deep = radius - ball.centre.slack;
    ball.cornerInside = deep > 0.0 ? lowerBound(deep * deep) : -1.0f;
    return ball;
}

// The lanes of a leaf that are within: computed only where the corners do not decide it.
static inline unsigned lanesWithin(const palBvh* bvh, const palBvhLeaf* leaf, const ballQuery* ball)
{
    unsigned within;
    unsigned unsure = leafReach(bvh, leaf, &ball->centre, ball->cornerInside, &within) & ~within;
    while (unsure != 0)
    {
        int lanes[pal_bvhFourWidth];
        double distances[pal_bvhFourWidth];
        unsure = takeFour(unsure, lanes);
        unsigned mask =
            fourDistances(bvh, leaf, lanes, ball->centre.point, ball->radiusSquared, distances);
        for (; mask != 0; mask &= mask - 1)
            within |= 1u << lanes[__builtin_ctz(mask)];
    }
    return within;
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

// Takes what a node's leaves have and what is whole within. Returns the children to look into.
static inline unsigned collectNode(const palBvh* bvh, waitingRun at, const ballQuery* ball,
                                   collection* found)
{
    const palBvhNode* node = &bvh->nodes[at.node];
    unsigned contained, leaves;
    unsigned mask = nodeReach(node, &ball->centre, ball->bound, ball->inside, &contained, &leaves);
    contained &= mask;
    for (unsigned m = mask & ~contained & leaves; m != 0; m &= m - 1)
        __builtin_prefetch(&bvh->leaves[~node->child[__builtin_ctz(m)]]);

    // One loop a kind, so that each kind's branches are the same every time.
    for (unsigned m = contained & ~leaves; m != 0; m &= m - 1)
    {
        int32_t begin = laneBegin(node, at.begin, __builtin_ctz(m));
        collectRun(found, bvh->order + begin, node->end[__builtin_ctz(m)] - begin);
    }
    for (unsigned m = contained & leaves; m != 0; m &= m - 1)
    {
        int lane = __builtin_ctz(m);
        collectLanes(found, bvh->order + laneBegin(node, at.begin, lane),
                     leafLanes(node, at.begin, lane));
    }
    for (unsigned m = mask & ~contained & leaves; m != 0; m &= m - 1)
    {
        int lane = __builtin_ctz(m);
        const palBvhLeaf* leaf = &bvh->leaves[~node->child[lane]];
        unsigned within = lanesWithin(bvh, leaf, ball);
        collectLanes(found, leaf->triangle, within & leafLanes(node, at.begin, lane));
    }
    return mask & ~contained & ~leaves;
}

// Fits what lies below a node and within the ball: all that the query looks at is as if the whole
// tree were fitted, and found in the same order. Where it is only to be counted, what lies whole
// within need not be fitted. Returns whether all below the node is fitted.
static bool fitWithin(const palBvh* bvh, int32_t n, const ballQuery* ball, bool isCount)
{
    const palBvhNode* node = &bvh->nodes[n];
    unsigned contained, leaves;
    unsigned mask = nodeReach(node, &ball->centre, ball->bound, ball->inside, &contained, &leaves);
    bool isFitted = true;
    mask &= isCount ? ~contained : ~0u;
    for (int i = 0; i < pal_bvhWidth && node->child[i] != pal_bvhNoChild; i++)
    {
        int32_t child = node->child[i];
        bool isReached = (mask >> i & 1) != 0;
        if (isReached && bvh->pending[child] >= 0)
            palBvh_FitCluster(bvh, bvh->pending[child]);
        else if (isReached && bvh->pending[child] == pal_bvhLoose &&
                 fitWithin(bvh, child, ball, isCount))
        {
            fitLane(bvh, n, i);
            bvh->pending[child] = pal_bvhFitted;
        }
        isFitted = isFitted && bvh->pending[child] == pal_bvhFitted;
    }
    return isFitted;
}

static int findWithin(const palBvh* bvh, palVec3 centre, double radius, int capacity,
                      int* triangles)
{
    if (!(radius >= 0.0))
        return 0;
    collection found = {triangles, capacity, 0};
    const ballQuery ball = makeBallQuery(bvh, centre, radius);
    if (bvh->pending != NULL)
        fitWithin(bvh, 0, &ball, capacity <= 0);
    waitingRun stack[pal_bvhStackSize];
    stack[0] = (waitingRun){0, 0};
    int count = 1;
    while (count > 0)
    {
        waitingRun at = stack[--count];
        const palBvhNode* node = &bvh->nodes[at.node];
        for (unsigned m = collectNode(bvh, at, &ball, &found); m != 0; m &= m - 1)
        {
            int lane = __builtin_ctz(m);
            stack[count++] = (waitingRun){node->child[lane], laneBegin(node, at.begin, lane)};
        }
    }
    return found.count;
}

// Refit: children stand behind their parents, so the last node comes first.

static void fitNodes(const palBvh* bvh, int begin, int end)
{
    for (int n = end - 1; n >= begin; n--)
        for (int i = 0; i < pal_bvhWidth; i++)
            fitLane(bvh, n, i);
}

#endif

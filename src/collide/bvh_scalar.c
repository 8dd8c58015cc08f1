// SPDX-License-Identifier: Apache-2.0
// The hierarchy's kernels in plain C: the same arithmetic as bvh_avx2.c, one lane after another.
#include "collide/bvh_queries.h"

// As the vector instructions order and choose: the second where either is NaN.
static inline float minFloat(float a, float b)
{
    return a < b ? a : b;
}

static inline float maxFloat(float a, float b)
{
    return a > b ? a : b;
}

static inline float dotFloat(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline unsigned nodeDistances(const palBvhNode* node, const pointQuery* query, float bound,
                                     float distances[pal_bvhWidth])
{
    unsigned mask = 0;
    for (int i = 0; i < pal_bvhWidth; i++)
    {
        float gap[3];
        for (int k = 0; k < 3; k++)
        {
            float below = node->low[k][i] - query->high[k];
            float above = query->low[k] - node->high[k][i];
            gap[k] = maxFloat(0.0f, maxFloat(below, above));
        }
        distances[i] = dotFloat(gap, gap);
        mask |= (unsigned)(distances[i] <= bound) << i;
    }
    return mask;
}

static inline unsigned nodeReach(const palBvhNode* node, const pointQuery* query, float bound,
                                 float inside, unsigned* contained, unsigned* leaves)
{
    float distances[pal_bvhWidth];
    unsigned mask = nodeDistances(node, query, bound, distances);
    *contained = 0;
    *leaves = 0;
    for (int i = 0; i < pal_bvhWidth; i++)
    {
        float reach[3];
        for (int k = 0; k < 3; k++)
            reach[k] = maxFloat(query->high[k] - node->low[k][i], node->high[k][i] - query->low[k]);
        *contained |= (unsigned)(dotFloat(reach, reach) <= inside) << i;
        *leaves |= (unsigned)(node->child[i] < 0) << i;
    }
    return mask;
}

static inline unsigned nodeEntries(const palBvhNode* node, const segmentQuery* query, float bound,
                                   float entries[pal_bvhWidth])
{
    unsigned mask = 0;
    for (int i = 0; i < pal_bvhWidth; i++)
    {
        float enter[3], leave[3];
        for (int k = 0; k < 3; k++)
        {
            float low = node->low[k][i];
            float high = node->high[k][i];
            enter[k] =
                ((query->backward[k] ? high : low) - query->nearStart[k]) * query->inverse[k];
            leave[k] = ((query->backward[k] ? low : high) - query->farStart[k]) * query->inverse[k];
        }
        float entry = maxFloat(0.0f, maxFloat(enter[0], maxFloat(enter[1], enter[2])));
        float exit = minFloat(bound, minFloat(leave[0], minFloat(leave[1], leave[2])));
        entries[i] = entry * (float)(1.0 - margin);
        mask |= (unsigned)(entries[i] <= exit * (float)(1.0 + margin)) << i;
    }
    return mask;
}

static inline void pushChildren(waiting* stack, const palBvhNode* node,
                                const float least[pal_bvhWidth], unsigned mask)
{
    const int bottom = stack->count;
    for (; mask != 0; mask &= mask - 1)
    {
        int lane = __builtin_ctz(mask);
        int i = stack->count++;
        for (; i > bottom && stack->least[i - 1] < least[lane]; i--)
        {
            stack->least[i] = stack->least[i - 1];
            stack->child[i] = stack->child[i - 1];
        }
        stack->least[i] = least[lane];
        stack->child[i] = node->child[lane];
    }
}

static inline unsigned leafReach(const palBvh* bvh, const palBvhLeaf* leaf, const pointQuery* query,
                                 float inside, unsigned* cornered)
{
    unsigned mask = 0;
    *cornered = 0;
    for (int i = 0; i < pal_bvhWidth; i++)
    {
        float corner[3][3], d[3];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                corner[c][k] = bvh->points[leaf->vertex[c][i]].x[k] - query->nearest[k];
        for (int k = 0; k < 3; k++)
            d[k] = corner[0][k] + corner[1][k] + corner[2][k];
        float height = INFINITY;
        float least = INFINITY;
        for (int c = 0; c < 3; c++)
        {
            height = minFloat(dotFloat(corner[c], d), height);
            least = minFloat(dotFloat(corner[c], corner[c]), least);
        }
        height = maxFloat(height, 0.0f);
        float far = query->reachSquared * (dotFloat(d, d) + FLT_MIN) + FLT_MIN;
        mask |= (unsigned)!(height * height > far) << i;
        *cornered |= (unsigned)(least <= inside) << i;
    }
    return mask;
}

static inline unsigned fourDistances(const palBvh* bvh, const palBvhLeaf* leaf,
                                     const int lanes[pal_bvhFourWidth], palVec3 point, double bound,
                                     double distances[pal_bvhFourWidth])
{
    unsigned mask = 0;
    for (int i = 0; i < pal_bvhFourWidth; i++)
    {
        distances[i] = palTriangleDistanceSquared(point, palBvh_Corner(bvh, leaf, lanes[i], 0),
                                                  palBvh_Corner(bvh, leaf, lanes[i], 1),
                                                  palBvh_Corner(bvh, leaf, lanes[i], 2));
        mask |= (unsigned)(distances[i] <= bound) << i;
    }
    return mask;
}

static inline unsigned fourCrossings(const palBvh* bvh, const palBvhLeaf* leaf,
                                     const int lanes[pal_bvhFourWidth], const palSegment* segment,
                                     double bound, double crossings[pal_bvhFourWidth])
{
    unsigned mask = 0;
    for (int i = 0; i < pal_bvhFourWidth; i++)
    {
        crossings[i] = palSegmentCrossing(segment, palBvh_Corner(bvh, leaf, lanes[i], 0),
                                          palBvh_Corner(bvh, leaf, lanes[i], 1),
                                          palBvh_Corner(bvh, leaf, lanes[i], 2));
        mask |= (unsigned)(crossings[i] <= bound) << i;
    }
    return mask;
}

static inline void fitLeaf(const palBvh* bvh, palBvhNode* node, int lane)
{
    const int32_t* vertex = bvh->leaves[~node->child[lane]].vertex[0];
    for (int k = 0; k < 3; k++)
    {
        float low = INFINITY;
        float high = -INFINITY;
        for (int i = 0; i < 3 * pal_bvhWidth; i++)
        {
            float x = bvh->points[vertex[i]].x[k];
            low = minFloat(x, low);
            high = maxFloat(x, high);
        }
        node->low[k][lane] = palFloatBelow(low);
        node->high[k][lane] = palFloatAbove(high);
    }
}

static inline void fitChild(palBvhNode* parent, int lane, const palBvhNode* node)
{
    for (int k = 0; k < 3; k++)
    {
        float low = INFINITY;
        float high = -INFINITY;
        for (int i = 0; i < pal_bvhWidth; i++)
        {
            low = minFloat(node->low[k][i], low);
            high = maxFloat(node->high[k][i], high);
        }
        parent->low[k][lane] = low;
        parent->high[k][lane] = high;
    }
}

static inline void placeVertices(palBvh* bvh, const palVec3* vertices)
{
    for (int i = 0; i < bvh->vertexCount; i++)
    {
        palVec3 x = vertices[bvh->source[i]];
        palVec3 y = palSub(x, bvh->origin);
        bvh->vertices[i] = (palBvhVertex){{x.x, x.y, x.z, 0.0}};
        bvh->points[i] = (palBvhPoint){{(float)y.x, (float)y.y, (float)y.z, 0.0f}};
    }
}

const palBvhKernels pal_bvhScalarKernels = {
    .place = placeVertices,
    .fit = fitNodes,
    .fitLane = fitLane,
    .closest = findClosest,
    .within = findWithin,
    .firstCrossing = findFirstCrossing,
};

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

static inline unsigned nodeDistances(const palBvhNode* node, const pointBounds* point, float bound,
                                     float distances[pal_bvhWidth])
{
    unsigned mask = 0;
    for (int i = 0; i < pal_bvhWidth; i++)
    {
        float gap[3];
        for (int k = 0; k < 3; k++)
        {
            float below = node->low[k][i] - point->high[k];
            float above = point->low[k] - node->high[k][i];
            gap[k] = maxFloat(0.0f, maxFloat(below, above));
        }
        distances[i] = gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2];
        mask |= (unsigned)(distances[i] <= bound) << i;
    }
    return mask;
}

static inline unsigned nodeReach(const palBvhNode* node, const pointBounds* point, float bound,
                                 float inside, unsigned* contained, unsigned* leaves)
{
    float distances[pal_bvhWidth];
    unsigned mask = nodeDistances(node, point, bound, distances);
    *contained = 0;
    *leaves = 0;
    for (int i = 0; i < pal_bvhWidth; i++)
    {
        float reach[3];
        for (int k = 0; k < 3; k++)
            reach[k] = maxFloat(point->high[k] - node->low[k][i], node->high[k][i] - point->low[k]);
        float farthest = reach[0] * reach[0] + reach[1] * reach[1] + reach[2] * reach[2];
        *contained |= (unsigned)(farthest <= inside) << i;
        *leaves |= (unsigned)(node->child[i] < 0) << i;
    }
    return mask;
}

static inline unsigned nodeEntries(const palBvhNode* node, const segmentBounds* segment,
                                   float bound, float entries[pal_bvhWidth])
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
                ((segment->backward[k] ? high : low) - segment->nearStart[k]) * segment->inverse[k];
            leave[k] =
                ((segment->backward[k] ? low : high) - segment->farStart[k]) * segment->inverse[k];
        }
        float entry = maxFloat(0.0f, maxFloat(enter[0], maxFloat(enter[1], enter[2])));
        float exit = minFloat(bound, minFloat(leave[0], minFloat(leave[1], leave[2])));
        entries[i] = entry * (float)(1.0 - boxMargin);
        mask |= (unsigned)(entries[i] <= exit * (float)(1.0 + boxMargin)) << i;
    }
    return mask;
}

static inline unsigned blockDistances(const palBvh* bvh, const palBvhBlock* block, palVec3 point,
                                      double bound, double distances[pal_bvhBlockWidth])
{
    unsigned mask = 0;
    for (int i = 0; i < pal_bvhBlockWidth; i++)
    {
        distances[i] = palTriangleDistanceSquared(point, palBvh_Corner(bvh, block, i, 0),
                                                  palBvh_Corner(bvh, block, i, 1),
                                                  palBvh_Corner(bvh, block, i, 2));
        mask |= (unsigned)(distances[i] <= bound) << i;
    }
    return mask;
}

static inline unsigned blockCrossings(const palBvh* bvh, const palBvhBlock* block,
                                      const palSegment* segment, double bound,
                                      double crossings[pal_bvhBlockWidth])
{
    unsigned mask = 0;
    for (int i = 0; i < pal_bvhBlockWidth; i++)
    {
        crossings[i] =
            palSegmentCrossing(segment, palBvh_Corner(bvh, block, i, 0),
                               palBvh_Corner(bvh, block, i, 1), palBvh_Corner(bvh, block, i, 2));
        mask |= (unsigned)(crossings[i] <= bound) << i;
    }
    return mask;
}

// Writes the box of a leaf's triangles into one lane of the node.
static void fitLeaf(const palBvh* bvh, palBvhNode* node, int lane)
{
    const palBvhBlock* block = &bvh->blocks[~node->child[lane]];
    const double origin[3] = {bvh->origin.x, bvh->origin.y, bvh->origin.z};
    for (int k = 0; k < 3; k++)
    {
        double low = INFINITY;
        double high = -INFINITY;
        for (int i = 0; i < 3 * pal_bvhBlockWidth; i++)
        {
            double x = bvh->vertices[block->vertex[i % 3][i / 3]].x[k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        node->low[k][lane] = roundDown(low - origin[k]);
        node->high[k][lane] = roundUp(high - origin[k]);
    }
}

// Writes the box around all of a node's children into one lane of its parent.
static void fitChild(palBvhNode* parent, int lane, const palBvhNode* node)
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

static void fit(palBvh* bvh)
{
    for (int n = bvh->nodeCount - 1; n >= 0; n--)
    {
        palBvhNode* node = &bvh->nodes[n];
        for (int i = 0; i < pal_bvhWidth; i++)
        {
            if (node->child[i] >= 0)
                fitChild(node, i, &bvh->nodes[node->child[i]]);
            else if (node->child[i] != pal_bvhNoChild)
                fitLeaf(bvh, node, i);
        }
    }
}

const palBvhKernels pal_bvhScalarKernels = {
    .fit = fit,
    .closest = findClosest,
    .within = findWithin,
    .firstCrossing = findFirstCrossing,
};

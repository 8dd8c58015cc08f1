// SPDX-License-Identifier: Apache-2.0
#include "collide/bvh_pair.h"

#include "collide/mesh_features.h"

#include <float.h>

enum
{
    // Each expansion leaves at most seven siblings waiting, and both trees are gone down; the walk
    // begins with all pairs of the two roots' children.
    pairStackSize = 2 * pal_bvhStackSize + pal_bvhWidth * pal_bvhWidth,
};

typedef struct Waiting
{
    palBvhChild a, b;
} Waiting;

// A box in the frame of a tree, relative to its origin, rounded outward.
typedef struct FloatBox
{
    float low[3];
    float high[3];
} FloatBox;

static int32_t childOf(const palBvh* bvh, palBvhChild at)
{
    return bvh->nodes[at.node].child[at.lane];
}

// The sides of a child's box, added up.
static float sizeOf(const palBvh* bvh, palBvhChild at)
{
    const palBvhNode* node = &bvh->nodes[at.node];
    float size = 0.0f;
    for (int k = 0; k < 3; k++)
        size += node->high[k][at.lane] - node->low[k][at.lane];
    return size;
}

static float roundDown(double x)
{
    return (float)x - (fabsf((float)x) * 0x1p-23f + FLT_MIN);
}

static float roundUp(double x)
{
    return (float)x + (fabsf((float)x) * 0x1p-23f + FLT_MIN);
}

// The way from the frame of one tree to another, as its boxes need it.
typedef struct Turn
{
    palMat3 R;
    double size[3][3]; // |R|
    palVec3 x;         // from the one's origin to the other's, m
    double grow;       // m
} Turn;

static Turn makeTurn(const palBvh* from, const palBvh* to, palMat3 R, palVec3 x, double grow)
{
    Turn turn = {.R = R, .grow = grow};
    turn.x = palSub(palAdd(palMat3Apply(R, from->origin), x), to->origin);
    for (int i = 0; i < 9; i++)
        turn.size[i / 3][i % 3] = fabs(R.m[i / 3][i % 3]);
    // What the rounding of a rotation takes.
    turn.grow += 1e-12 * (from->extent + palLength(turn.x));
    return turn;
}

// A child's box in the frame of the other tree.
static FloatBox turnedBox(const palBvh* bvh, palBvhChild at, const Turn* turn)
{
    const palBvhNode* node = &bvh->nodes[at.node];
    double centre[3], half[3];
    for (int k = 0; k < 3; k++)
    {
        double low = node->low[k][at.lane], high = node->high[k][at.lane];
        centre[k] = 0.5 * (low + high);
        half[k] = 0.5 * (high - low);
    }
    const double x[3] = {turn->x.x, turn->x.y, turn->x.z};
    FloatBox box;
    for (int k = 0; k < 3; k++)
    {
        const double *row = turn->R.m[k], *size = turn->size[k];
        double middle = x[k] + row[0] * centre[0] + row[1] * centre[1] + row[2] * centre[2];
        double reach = turn->grow + size[0] * half[0] + size[1] * half[1] + size[2] * half[2];
        box.low[k] = roundDown(middle - reach);
        box.high[k] = roundUp(middle + reach);
    }
    return box;
}

// The children of a node that meet a box. A lane without a child has NaN, which fails.
static unsigned meetingLanes(const palBvhNode* node, const FloatBox* box)
{
    int32_t meets[pal_bvhWidth];
    for (int i = 0; i < pal_bvhWidth; i++)
        meets[i] = ((node->low[0][i] <= box->high[0]) & (node->high[0][i] >= box->low[0]) &
                    (node->low[1][i] <= box->high[1]) & (node->high[1][i] >= box->low[1]) &
                    (node->low[2][i] <= box->high[2]) & (node->high[2][i] >= box->low[2]));
    unsigned mask = 0;
    for (int i = 0; i < pal_bvhWidth; i++)
        mask |= (unsigned)meets[i] << i;
    return mask;
}

// Puts the pairs of one child of a and the near children of a node of b on the stack, or the other
// way around.
static int expand(const palBvhSide* one, palBvhChild at, const palBvhSide* other, int32_t node,
                  const Turn* turn, bool otherIsB, Waiting* stack, int count)
{
    FloatBox box = turnedBox(one->bvh, at, turn);
    unsigned owned = one->below[pal_bvhWidth * at.node + at.lane];
    for (unsigned m = meetingLanes(&other->bvh->nodes[node], &box); m != 0; m &= m - 1)
    {
        palBvhChild child = {node, __builtin_ctz(m)};
        if (palMeshFeatures_CanTouch(owned, other->below[pal_bvhWidth * node + child.lane]))
            stack[count++] = otherIsB ? (Waiting){at, child} : (Waiting){child, at};
    }
    return count;
}

int palBvhPair_Visit(const palBvhSide* a, const palBvhSide* b, const palMat3* R, palVec3 x,
                     double distance, palLeafPairVisitor* visit, void* data)
{
    palMat3 back = palMat3Transpose(*R);
    const Turn toB = makeTurn(a->bvh, b->bvh, *R, x, distance);
    const Turn toA = makeTurn(b->bvh, a->bvh, back, palNeg(palMat3Apply(back, x)), distance);
    Waiting stack[pairStackSize];
    int count = 0;
    for (int i = pal_bvhWidth - 1; i >= 0; i--)
        if (a->bvh->nodes[0].child[i] != pal_bvhNoChild)
            count = expand(a, (palBvhChild){0, i}, b, 0, &toB, true, stack, count);
    while (count > 0)
    {
        Waiting at = stack[--count];
        int32_t childA = childOf(a->bvh, at.a), childB = childOf(b->bvh, at.b);
        if (childA < 0 && childB < 0)
        {
            if (!visit(at.a, at.b, data))
                return count + 1;
        }
        else if (childA < 0 || (childB >= 0 && sizeOf(b->bvh, at.b) >= sizeOf(a->bvh, at.a)))
            count = expand(a, at.a, b, childB, &toB, true, stack, count);
        else
            count = expand(b, at.b, a, childA, &toA, false, stack, count);
    }
    return 0;
}

// The children of a node that a walk goes on to, a bit each.
typedef unsigned LaneTest(const void* context, int32_t node);

// Visits the leaves below all children that pass a test.
static int walk(const palBvh* bvh, LaneTest* test, const void* context, palLeafVisitor* visit,
                void* data)
{
    int32_t stack[pal_bvhStackSize + pal_bvhWidth];
    int count = 0;
    stack[count++] = 0;
    while (count > 0)
    {
        int32_t child = stack[--count];
        if (child < 0)
        {
            if (!visit(~child, data))
                return count + 1;
            continue;
        }
        for (unsigned m = test(context, child); m != 0; m &= m - 1)
            stack[count++] = bvh->nodes[child].child[__builtin_ctz(m)];
    }
    return 0;
}

typedef struct InBox
{
    const palBvh* bvh; // borrowed
    FloatBox box;
} InBox;

static unsigned testBox(const void* context, int32_t node)
{
    const InBox* in = context;
    return meetingLanes(&in->bvh->nodes[node], &in->box);
}

int palBvh_VisitBox(const palBvh* bvh, palBounds box, palLeafVisitor* visit, void* data)
{
    const double low[3] = {box.low.x, box.low.y, box.low.z};
    const double high[3] = {box.high.x, box.high.y, box.high.z};
    const double origin[3] = {bvh->origin.x, bvh->origin.y, bvh->origin.z};
    InBox in = {.bvh = bvh};
    for (int k = 0; k < 3; k++)
    {
        double rounding = 1e-12 * (fabs(origin[k]) + fabs(low[k]) + fabs(high[k]));
        in.box.low[k] = roundDown(low[k] - origin[k] - rounding);
        in.box.high[k] = roundUp(high[k] - origin[k] + rounding);
    }
    return walk(bvh, testBox, &in, visit, data);
}

typedef struct Below
{
    const palBvhSide* side; // borrowed
    double n[3];
    double limit; // m
} Below;

static unsigned testBelow(const void* context, int32_t node)
{
    const Below* below = context;
    const palBvhNode* at = &below->side->bvh->nodes[node];
    const double* n = below->n;
    unsigned mask = 0;
    for (int i = 0; i < pal_bvhWidth; i++)
    {
        double lowest = 0.0;
        for (int k = 0; k < 3; k++)
            lowest += n[k] * (double)(n[k] > 0.0 ? at->low[k][i] : at->high[k][i]);
        if (lowest <= below->limit && below->side->below[pal_bvhWidth * node + i] & pal_ownsVertex)
            mask |= 1u << i;
    }
    return mask;
}

int palBvh_VisitBelow(const palBvhSide* side, palVec3 normal, double offset, palLeafVisitor* visit,
                      void* data)
{
    const palBvh* bvh = side->bvh;
    Below below = {side, {normal.x, normal.y, normal.z}, offset - palDot(normal, bvh->origin)};
    below.limit += 1e-12 * (fabs(offset) + palLength(bvh->origin) + bvh->extent);
    return walk(bvh, testBelow, &below, visit, data);
}

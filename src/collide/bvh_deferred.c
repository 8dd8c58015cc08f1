// SPDX-License-Identifier: Apache-2.0
// The tree over the surface of a soft body, fitted where queries come.
//
// The tree is cut into clusters: subtrees whose vertices hang on few nodes of the body, such as
// those of one brick and its neighbours, however many triangles lie there. After a step the box of
// a cluster is that of its nodes, since every vertex is a mean of them, and the boxes above it are
// fitted to those; a query that comes to such a box has the cluster fitted first.
#include "base/error.h"
#include "collide/box_tree.h"
#include "collide/bvh_tree.h"

#include <stdlib.h>
#include <string.h>

enum
{
    nodesMost = 27, // of a cluster, more or less the corners of 2 x 2 bricks of a surface;
    leavesFew = 8,  // but it need not be cut where there are no more leaves than this
};

// Of the coordinates: more than the rounding of a mean of nodes and of its weights.
static const double rounding = 1e-13;

typedef struct Cluster
{
    int32_t parent;             // the node, and
    int lane;                   // the lane of it, that the cluster is below
    int nodeBegin, nodeEnd;     // of the tree; none of a leaf
    int vertexBegin, vertexEnd; // in palBvhDeferred.vertices
    int cornerBegin, cornerEnd; // in palBvhDeferred.corners
    double overhang; // the largest sum of negative weights of a vertex: it may lie outside of the
                     // box of its nodes by this share of it
} Cluster;

typedef struct palBvhDeferred
{
    palPlacement* placement; // borrowed
    Cluster* clusters;       // owned
    int32_t* upper;          // owned: the nodes above the clusters, parents first
    int32_t* vertices;       // owned: the tree's vertices that each cluster uses
    int32_t* corners;        // owned: the nodes of the body that those hang on
    int32_t* pending;        // owned, [leafCount + nodeCount]: palBvh.pending begins within
    int clusterCount;
    int upperCount;
    int vertexCount;
    int cornerCount;
} palBvhDeferred;

// ---------------------------------------------------------------------------------------------
// Cutting

// What lies below a node.
typedef struct Below
{
    int nodeEnd; // nodes: from itself on
    int leafBegin, leafEnd;
} Below;

typedef struct Cutter
{
    const palBvh* bvh;
    palBvhDeferred* deferred; // counted; filled where its arrays are there
    Below* below;             // owned, [nodes of the tree]
    int* vertexMarks;         // owned, [vertices of the tree]: the last gathering that met each
    int* nodeMarks;           // owned, [nodes of the body]
    int gathering;
} Cutter;

// Children stand behind their parents.
static void findBelow(Cutter* cutter)
{
    const palBvh* bvh = cutter->bvh;
    for (int n = bvh->nodeCount - 1; n >= 0; n--)
    {
        Below below = {n + 1, bvh->leafCount, 0};
        for (int i = 0; i < pal_bvhWidth && bvh->nodes[n].child[i] != pal_bvhNoChild; i++)
        {
            int32_t child = bvh->nodes[n].child[i];
            Below of = child >= 0 ? cutter->below[child] : (Below){n + 1, ~child, ~child + 1};
            below.nodeEnd = of.nodeEnd > below.nodeEnd ? of.nodeEnd : below.nodeEnd;
            below.leafBegin = of.leafBegin < below.leafBegin ? of.leafBegin : below.leafBegin;
            below.leafEnd = of.leafEnd > below.leafEnd ? of.leafEnd : below.leafEnd;
        }
        cutter->below[n] = below;
    }
}

// Whether the vertices below hang on more nodes than a cluster is to have.
static bool hasManyNodes(Cutter* cutter, const Below* below)
{
    const palBvh* bvh = cutter->bvh;
    const palSkin* skin = &cutter->deferred->placement->skin;
    int count = 0;
    cutter->gathering++;
    for (int l = below->leafBegin; l < below->leafEnd && count <= nodesMost; l++)
        for (int k = 0; k < 3 * pal_bvhWidth; k++)
        {
            int vertex = bvh->source[bvh->leaves[l].vertex[k % 3][k / 3]];
            for (int e = vertex * skin->nodesEach; e < (vertex + 1) * skin->nodesEach; e++)
            {
                int* mark = &cutter->nodeMarks[skin->nodes[e]];
                count += skin->weights[e] != 0.0 && *mark != cutter->gathering;
                *mark = skin->weights[e] != 0.0 ? cutter->gathering : *mark;
            }
        }
    return count > nodesMost;
}

// Appends a number to a list, or counts it where there is no list yet.
static void append(int32_t* list, int* count, int32_t value)
{
    if (list != NULL)
        list[*count] = value;
    (*count)++;
}

// Adds the nodes that a vertex hangs on. Returns the sum of its negative weights.
static double addNodes(Cutter* cutter, int vertex)
{
    palBvhDeferred* deferred = cutter->deferred;
    const palSkin* skin = &deferred->placement->skin;
    double negative = 0.0;
    for (int e = vertex * skin->nodesEach; e < (vertex + 1) * skin->nodesEach; e++)
    {
        int* mark = &cutter->nodeMarks[skin->nodes[e]];
        negative += fmax(0.0, -skin->weights[e]);
        if (skin->weights[e] == 0.0 || *mark == cutter->gathering)
            continue;
        *mark = cutter->gathering;
        append(deferred->corners, &deferred->cornerCount, skin->nodes[e]);
    }
    return negative;
}

static void addCluster(Cutter* cutter, int32_t parent, int lane, const Below* below)
{
    const palBvh* bvh = cutter->bvh;
    palBvhDeferred* deferred = cutter->deferred;
    int32_t child = bvh->nodes[parent].child[lane];
    Cluster cluster = {
        .parent = parent,
        .lane = lane,
        .nodeBegin = child >= 0 ? child : 0,
        .nodeEnd = child >= 0 ? below->nodeEnd : 0,
        .vertexBegin = deferred->vertexCount,
        .cornerBegin = deferred->cornerCount,
    };
    cutter->gathering++;
    for (int l = below->leafBegin; l < below->leafEnd; l++)
        for (int k = 0; k < 3 * pal_bvhWidth; k++)
        {
            int32_t vertex = bvh->leaves[l].vertex[k % 3][k / 3];
            if (cutter->vertexMarks[vertex] == cutter->gathering)
                continue;
            cutter->vertexMarks[vertex] = cutter->gathering;
            append(deferred->vertices, &deferred->vertexCount, vertex);
            cluster.overhang = fmax(cluster.overhang, addNodes(cutter, bvh->source[vertex]));
        }
    cluster.vertexEnd = deferred->vertexCount;
    cluster.cornerEnd = deferred->cornerCount;
    if (deferred->clusters != NULL)
        deferred->clusters[deferred->clusterCount] = cluster;
    deferred->clusterCount++;
}

// Cuts what lies below a node; the depth is bounded by pal_bvhDepthMax.
static void cut(Cutter* cutter, int32_t n)
{
    const palBvhNode* node = &cutter->bvh->nodes[n];
    append(cutter->deferred->upper, &cutter->deferred->upperCount, n);
    for (int i = 0; i < pal_bvhWidth && node->child[i] != pal_bvhNoChild; i++)
    {
        int32_t child = node->child[i];
        Below below = child >= 0 ? cutter->below[child] : (Below){0, ~child, ~child + 1};
        if (below.leafEnd - below.leafBegin > leavesFew && hasManyNodes(cutter, &below))
            cut(cutter, child);
        else
            addCluster(cutter, n, i, &below);
    }
}

// Counts the clusters and what they have, makes room, and lists them.
static bool cutTree(Cutter* cutter)
{
    const palBvh* bvh = cutter->bvh;
    palBvhDeferred* deferred = cutter->deferred;
    size_t codes = (size_t)bvh->leafCount + (size_t)bvh->nodeCount;
    findBelow(cutter);
    cut(cutter, 0);
    deferred->clusters = calloc((size_t)deferred->clusterCount, sizeof *deferred->clusters);
    deferred->upper = calloc((size_t)deferred->upperCount, sizeof *deferred->upper);
    deferred->vertices = calloc((size_t)deferred->vertexCount, sizeof *deferred->vertices);
    deferred->corners = calloc((size_t)deferred->cornerCount + 1, sizeof *deferred->corners);
    deferred->pending = malloc(codes * sizeof *deferred->pending);
    if (deferred->clusters == NULL || deferred->upper == NULL || deferred->vertices == NULL ||
        deferred->corners == NULL || deferred->pending == NULL)
        return false;
    for (size_t i = 0; i < codes; i++)
        deferred->pending[i] = pal_bvhFitted;
    deferred->clusterCount = deferred->upperCount = 0;
    deferred->vertexCount = deferred->cornerCount = 0;
    cut(cutter, 0);
    return true;
}

palResult palBvh_Bind(palBvh* bvh, palPlacement* placement, palError* error)
{
    palBvhDeferred* deferred = calloc(1, sizeof *deferred);
    Cutter cutter = {
        .bvh = bvh,
        .deferred = deferred,
        .below = malloc((size_t)bvh->nodeCount * sizeof *cutter.below),
        .vertexMarks = calloc((size_t)bvh->vertexCount, sizeof *cutter.vertexMarks),
        .nodeMarks = calloc((size_t)placement->nodeCount + 1, sizeof *cutter.nodeMarks),
    };
    bool isMade = false;
    if (deferred != NULL && cutter.below != NULL && cutter.vertexMarks != NULL &&
        cutter.nodeMarks != NULL)
    {
        deferred->placement = placement;
        isMade = cutTree(&cutter);
    }
    free(cutter.below);
    free(cutter.vertexMarks);
    free(cutter.nodeMarks);
    if (!isMade)
    {
        palBvhDeferred_Destroy(deferred);
        return palError_Memory(error, "the clusters of a soft surface",
                               (size_t)bvh->vertexCount * sizeof *cutter.vertexMarks);
    }
    bvh->deferred = deferred;
    bvh->pending = deferred->pending + bvh->leafCount;
    return pal_ok;
}

void palBvhDeferred_Destroy(palBvhDeferred* deferred)
{
    if (deferred == NULL)
        return;
    free(deferred->clusters);
    free(deferred->upper);
    free(deferred->vertices);
    free(deferred->corners);
    free(deferred->pending);
    free(deferred);
}

// ---------------------------------------------------------------------------------------------
// Fitting

// The box of all nodes that a cluster hangs on, with what its vertices may lie outside of it.
static void boundCluster(palBvh* bvh, const Cluster* cluster)
{
    const palBvhDeferred* deferred = bvh->deferred;
    const palVec3* x = deferred->placement->nodes;
    palBvhNode* parent = &bvh->nodes[cluster->parent];
    palBounds box = palMakeBounds(x[deferred->corners[cluster->cornerBegin]]);
    for (int i = cluster->cornerBegin + 1; i < cluster->cornerEnd; i++)
        box = palBounds_With(box, x[deferred->corners[i]]);
    double size = fmax(palLength(box.low), palLength(box.high)) + palDistance(box.low, box.high);
    palVec3 more = palScale(cluster->overhang, palSub(box.high, box.low));
    palVec3 low = palSub(palSub(box.low, more), bvh->origin);
    palVec3 high = palSub(palAdd(box.high, more), bvh->origin);
    const double lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
    double slack = rounding * (1.0 + cluster->overhang) * size;
    for (int k = 0; k < 3; k++)
    {
        parent->low[k][cluster->lane] = palFloatBelow((float)(lows[k] - slack));
        parent->high[k][cluster->lane] = palFloatAbove((float)(highs[k] + slack));
    }
}

void palBvh_Defer(palBvh* bvh)
{
    palBvhDeferred* deferred = bvh->deferred;
    bvh->origin = palPlacement_Vertex(deferred->placement, bvh->source[0]);
    for (int i = 0; i < deferred->clusterCount; i++)
    {
        const Cluster* cluster = &deferred->clusters[i];
        boundCluster(bvh, cluster);
        bvh->pending[bvh->nodes[cluster->parent].child[cluster->lane]] = i;
    }
    // Children stand behind their parents.
    for (int i = deferred->upperCount - 1; i >= 0; i--)
    {
        int32_t n = deferred->upper[i];
        bvh->pending[n] = pal_bvhLoose;
        for (int k = 0; k < pal_bvhWidth; k++)
        {
            int32_t child = bvh->nodes[n].child[k];
            if (child >= 0 && bvh->pending[child] == pal_bvhLoose)
                bvh->kernels->fitLane(bvh, n, k);
        }
    }
    palBvh_FindExtent(bvh);
}

void palBvh_FitCluster(const palBvh* bvh, int index)
{
    const palBvhDeferred* deferred = bvh->deferred;
    const Cluster* cluster = &deferred->clusters[index];
    for (int i = cluster->vertexBegin; i < cluster->vertexEnd; i++)
    {
        int32_t v = deferred->vertices[i];
        palVec3 x = palPlacement_Vertex(deferred->placement, bvh->source[v]);
        palVec3 y = palSub(x, bvh->origin);
        bvh->vertices[v] = (palBvhVertex){{x.x, x.y, x.z, 0.0}};
        bvh->points[v] = (palBvhPoint){{(float)y.x, (float)y.y, (float)y.z, 0.0f}};
    }
    bvh->kernels->fit(bvh, cluster->nodeBegin, cluster->nodeEnd);
    bvh->kernels->fitLane(bvh, cluster->parent, cluster->lane);
    bvh->pending[bvh->nodes[cluster->parent].child[cluster->lane]] = pal_bvhFitted;
}

void palBvhDeferred_SetFitted(palBvhDeferred* deferred, const palBvh* bvh)
{
    for (int i = 0; i < deferred->clusterCount; i++)
    {
        const Cluster* cluster = &deferred->clusters[i];
        bvh->pending[bvh->nodes[cluster->parent].child[cluster->lane]] = pal_bvhFitted;
    }
    for (int i = 0; i < deferred->upperCount; i++)
        bvh->pending[deferred->upper[i]] = pal_bvhFitted;
}

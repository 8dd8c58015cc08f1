// SPDX-License-Identifier: Apache-2.0
#include "collide/swept_boxes.h"

#include "base/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum
{
    nodesMost = 27, // of a cluster, more or less the corners of 2 x 2 bricks of a surface
};

// Of the coordinates: more than the rounding of a mean of nodes and of its weights.
static const double rounding = 1e-13;

// The triangles below a node of the tree, [*begin, *end) of its order.
static void rangeOf(const palBoxTree* tree, int node, int* begin, int* end)
{
    int first = node, last = node;
    while (first < tree->leafCount)
    {
        first = 2 * first;
        last = 2 * last + 1;
    }
    *begin = tree->starts[first - tree->leafCount];
    *end = tree->starts[last - tree->leafCount + 1];
}

// Walks the body nodes that the triangles of a range hang on, each once, and stops after `most`.
// Appends them to the corners where there is a list. Returns how many.
static int gather(palSweptBoxes* swept, const palBoxTree* tree, int begin, int end, int most,
                  int* marks, int mark)
{
    const palPlacement* place = swept->places[0];
    const palSkin* skin = &place->skin;
    int count = 0;
    for (int i = begin; i < end && count <= most; i++)
        for (int k = 0; k < 3; k++)
        {
            int vertex = place->surface.triangles[tree->order[i]][k];
            for (int e = vertex * skin->nodesEach; e < (vertex + 1) * skin->nodesEach; e++)
            {
                int node = skin->nodes[e];
                if (skin->weights[e] == 0.0 || marks[node] == mark)
                    continue;
                marks[node] = mark;
                if (swept->corners != NULL && most == INT_MAX)
                    swept->corners[swept->cornerCount + count] = node;
                count++;
            }
        }
    return count;
}

typedef struct Cutter
{
    palSweptBoxes* swept;
    const palBoxTree* tree;
    int* marks; // by node of the body: the last gathering that met it
    int mark;
} Cutter;

// Cuts what lies below a node: counts clusters, nodes above them and corners, and lists them where
// there is room.
static void cut(Cutter* c, int node)
{
    palSweptBoxes* swept = c->swept;
    int begin, end;
    rangeOf(c->tree, node, &begin, &end);
    bool isLeaf = node >= c->tree->leafCount;
    if (!isLeaf && gather(swept, c->tree, begin, end, nodesMost, c->marks, ++c->mark) > nodesMost)
    {
        if (swept->upper != NULL)
            swept->upper[swept->upperCount] = node;
        swept->upperCount++;
        cut(c, 2 * node);
        cut(c, 2 * node + 1);
        return;
    }
    int corners = gather(swept, c->tree, begin, end, INT_MAX, c->marks, ++c->mark);
    if (swept->clusters != NULL)
        swept->clusters[swept->clusterCount] = (palSweptCluster){
            node, begin, end, swept->cornerCount, swept->cornerCount + corners, 0.0};
    swept->clusterCount++;
    swept->cornerCount += corners;
}

static double largestOverhang(const palSkin* skin)
{
    double most = 0.0;
    for (int v = 0; v < skin->vertexCount; v++)
    {
        double negative = 0.0;
        for (int e = v * skin->nodesEach; e < (v + 1) * skin->nodesEach; e++)
            negative += fmax(0.0, -skin->weights[e]);
        most = fmax(most, negative);
    }
    return most;
}

static bool makeRoom(palSweptBoxes* swept, const palBoxTree* tree, const palSurface* surface)
{
    size_t nodes = 2 * (size_t)tree->leafCount;
    size_t bits = (size_t)(surface->vertexCount > surface->triangleCount ? surface->vertexCount
                                                                         : surface->triangleCount);
    swept->clusters = calloc((size_t)swept->clusterCount + 1, sizeof *swept->clusters);
    swept->upper = calloc((size_t)swept->upperCount + 1, sizeof *swept->upper);
    swept->corners = calloc((size_t)swept->cornerCount + 1, sizeof *swept->corners);
    swept->pending = malloc(nodes * sizeof *swept->pending);
    swept->marks = calloc(bits / 64 + 1, sizeof *swept->marks);
    if (!swept->clusters || !swept->upper || !swept->corners || !swept->pending || !swept->marks)
        return false;
    memset(swept->pending, 0xff, nodes * sizeof *swept->pending); // -1
    return true;
}

palResult palSweptBoxes_Create(palBoxTree* tree, palBounds* boxes, palPlacement* before,
                               palPlacement* after, palSweptBoxes** swept, palError* error)
{
    palSweptBoxes* made = calloc(1, sizeof *made);
    int* marks = calloc((size_t)before->nodeCount + 1, sizeof *marks);
    *swept = made;
    bool isMade = made != NULL && marks != NULL;
    if (isMade)
    {
        made->places[0] = before;
        made->places[1] = after;
        made->boxes = boxes;
        made->overhang = largestOverhang(&before->skin);
        Cutter cutter = {made, tree, marks, 0};
        cut(&cutter, 1);
        isMade = makeRoom(made, tree, &before->surface);
        made->clusterCount = made->upperCount = made->cornerCount = 0;
        if (isMade)
            cut(&cutter, 1);
    }
    free(marks);
    if (isMade)
        return pal_ok;
    palSweptBoxes_Destroy(made);
    *swept = NULL;
    return palError_Memory(error, "the clusters of a moving surface",
                           (size_t)before->surface.triangleCount * sizeof *boxes);
}

void palSweptBoxes_Destroy(palSweptBoxes* swept)
{
    if (swept == NULL)
        return;
    free(swept->clusters);
    free(swept->upper);
    free(swept->corners);
    free(swept->pending);
    free(swept->marks);
    free(swept);
}

// The box of all nodes that a cluster hangs on, before and after, with what its vertices may lie
// outside of it; and how far these may move, but for rounding.
static palBounds boundCluster(const palSweptBoxes* swept, palSweptCluster* cluster)
{
    double most = 0.0;
    palBounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = cluster->cornerBegin; i < cluster->cornerEnd; i++)
    {
        palVec3 before = swept->places[0]->nodes[swept->corners[i]];
        palVec3 after = swept->places[1]->nodes[swept->corners[i]];
        box = palBounds_With(palBounds_With(box, before), after);
        most = fmax(most, palLengthSquared(palSub(after, before)));
    }
    if (cluster->cornerBegin == cluster->cornerEnd)
        return box;
    palVec3 size = palSub(box.high, box.low);
    double slack = rounding * (1.0 + swept->overhang) *
                   (palLength(box.low) + palLength(box.high) + palLength(size));
    cluster->travel = (1.0 + 2.0 * swept->overhang) * (1.0 + 1e-9) * sqrt(most);
    palVec3 margin = palMulAdd(palMakeVec3(slack, slack, slack), swept->overhang, size);
    return (palBounds){palSub(box.low, margin), palAdd(box.high, margin)};
}

void palSweptBoxes_Defer(palSweptBoxes* swept, palBoxTree* tree)
{
    for (int i = 0; i < swept->clusterCount; i++)
    {
        palSweptCluster* cluster = &swept->clusters[i];
        tree->nodes[cluster->node] = boundCluster(swept, cluster);
        swept->pending[cluster->node] = i;
    }
    for (int i = swept->upperCount - 1; i >= 0; i--)
    {
        int n = swept->upper[i];
        tree->nodes[n] = palBounds_Union(tree->nodes[2 * n], tree->nodes[2 * n + 1]);
    }
}

static double travelOf(const palSweptBoxes* swept, const palBoxTree* tree,
                       const palSweptCluster* cluster)
{
    double most = 0.0;
    for (int i = cluster->triangleBegin; i < cluster->triangleEnd; i++)
        for (int k = 0; k < 3; k++)
        {
            int vertex = swept->places[0]->surface.triangles[tree->order[i]][k];
            palVec3 before = palPlacement_Vertex(swept->places[0], vertex);
            palVec3 after = palPlacement_Vertex(swept->places[1], vertex);
            most = fmax(most, palLengthSquared(palSub(before, after)));
        }
    return sqrt(most);
}

double palSweptBoxes_Travel(const palSweptBoxes* swept, const palBoxTree* tree)
{
    const palSweptCluster* farthest = swept->clusters;
    for (int i = 1; i < swept->clusterCount; i++)
        if (swept->clusters[i].travel > farthest->travel)
            farthest = &swept->clusters[i];
    double most = travelOf(swept, tree, farthest);
    for (int i = 0; i < swept->clusterCount; i++)
        if (swept->clusters[i].travel > most)
            most = fmax(most, travelOf(swept, tree, &swept->clusters[i]));
    return most;
}

static palBounds sweptBox(const palSweptBoxes* swept, int triangle)
{
    const int* v = swept->places[0]->surface.triangles[triangle];
    palBounds box = palMakeBounds(palPlacement_Vertex(swept->places[0], v[0]));
    for (int k = 0; k < 3; k++)
        box = palBounds_With(palBounds_With(box, palPlacement_Vertex(swept->places[0], v[k])),
                             palPlacement_Vertex(swept->places[1], v[k]));
    return box;
}

void palSweptBoxes_Fit(const palSweptBoxes* swept, const palBoxTree* tree, int index)
{
    const palSweptCluster* cluster = &swept->clusters[index];
    for (int i = cluster->triangleBegin; i < cluster->triangleEnd; i++)
        swept->boxes[tree->order[i]] = sweptBox(swept, tree->order[i]);
    palBoxTree_RefitBelow(tree, swept->boxes, cluster->node);
    swept->pending[cluster->node] = -1;
}

void palSweptBoxes_SetFitted(palSweptBoxes* swept)
{
    for (int i = 0; i < swept->clusterCount; i++)
        swept->pending[swept->clusters[i].node] = -1;
}

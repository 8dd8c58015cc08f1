// SPDX-License-Identifier: Apache-2.0
// Arranging triangles into a tree: top-down splits by the surface area heuristic over bins
// (Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007), eight children
// gathered into one node by splitting the largest first.
#include "base/error.h"
#include "collide/bvh_tree.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum
{
    binCount = 16,
    alignment = 64, // bytes, a cache line
};

// The low corner and the high one negated, so that a box grows by taking the least of each of eight
// numbers, which compilers do four at a time. Numbers 3 and 7 mean nothing.
typedef struct box
{
    float least[8];
} box;

typedef struct item
{
    box bounds; // of one triangle, relative to the origin
    int32_t triangle;
} item;

// Items begin .. end-1.
typedef struct range
{
    box bounds;
    int begin;
    int end;
    int depth;
} range;

typedef struct bin
{
    box bounds;
    int count;
} bin;

// A cut between bins of one axis: bins below `first` go left.
typedef struct cut
{
    int axis; // -1 where there is none
    int first;
    float cost;
    box left, right; // bounds of the items on either side
} cut;

// Maps twice an item's centre to its bin.
typedef struct binning
{
    float low[4];
    float scale[4]; // 0 where all centres are the same
} binning;

typedef struct builder
{
    palBvh* bvh;
    item* items; // owned
    bool failed; // out of memory
} builder;

static const box emptyBox = {{FLT_MAX, FLT_MAX, FLT_MAX, 0, FLT_MAX, FLT_MAX, FLT_MAX, 0}};

static inline void growBox(box* restrict a, const box* restrict b)
{
    for (int k = 0; k < 8; k++)
        a->least[k] = b->least[k] < a->least[k] ? b->least[k] : a->least[k];
}

// How likely a query is to visit the box: half its area, and a little for its length, so that
// triangles in a row, which have no area, are still distinguished. x, y and z are its lengths,
// negated.
static inline float weight(const box* b)
{
    float x = b->least[0] + b->least[4];
    float y = b->least[1] + b->least[5];
    float z = b->least[2] + b->least[6];
    return x * y + y * z + z * x + 0.01f * (x * x + y * y + z * z);
}

static inline int leavesFor(int count)
{
    return (count + pal_bvhWidth - 1) / pal_bvhWidth;
}

// The bin of an item along each axis.
static inline void binsOf(const binning* map, const item* it, int bins[4])
{
    const float* least = it->bounds.least;
    for (int k = 0; k < 4; k++)
    {
        int index = (int)((least[k] - least[k + 4] - map->low[k]) * map->scale[k]);
        bins[k] = index < binCount ? index : binCount - 1;
    }
}

static binning makeBinning(const builder* b, const range* r)
{
    box centres = emptyBox;
    for (int i = r->begin; i < r->end; i++)
    {
        const float* least = b->items[i].bounds.least;
        box centre;
        for (int k = 0; k < 4; k++)
        {
            centre.least[k] = least[k] - least[k + 4];
            centre.least[k + 4] = least[k + 4] - least[k];
        }
        growBox(&centres, &centre);
    }
    binning map = {0};
    for (int k = 0; k < 3; k++)
    {
        float extent = -centres.least[k + 4] - centres.least[k];
        map.low[k] = centres.least[k];
        map.scale[k] = extent > 0.0f ? binCount / extent : 0.0f;
        if (!isfinite(map.scale[k]))
            map.scale[k] = 0.0f;
    }
    return map;
}

// The cheapest cut of one axis: sum over both sides of weight times leaves.
static void findCut(const bin bins[binCount], int axis, cut* best)
{
    box right[binCount];
    float rightCost[binCount];
    box bounds = emptyBox;
    int count = 0;
    for (int i = binCount - 1; i > 0; i--)
    {
        growBox(&bounds, &bins[i].bounds);
        count += bins[i].count;
        right[i] = bounds;
        rightCost[i] = count > 0 ? weight(&bounds) * (float)leavesFor(count) : -1.0f;
    }
    bounds = emptyBox;
    count = 0;
    for (int i = 1; i < binCount; i++)
    {
        growBox(&bounds, &bins[i - 1].bounds);
        count += bins[i - 1].count;
        if (count == 0 || rightCost[i] < 0.0f)
            continue;
        float cost = rightCost[i] + weight(&bounds) * (float)leavesFor(count);
        if (best->axis < 0 || cost < best->cost)
            *best = (cut){axis, i, cost, bounds, right[i]};
    }
}

static cut chooseCut(const builder* b, const range* r, const binning* map)
{
    bin bins[3][binCount];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < binCount; i++)
            bins[k][i] = (bin){emptyBox, 0};
    for (int i = r->begin; i < r->end; i++)
    {
        const item* it = &b->items[i];
        int index[4];
        binsOf(map, it, index);
        for (int k = 0; k < 3; k++)
        {
            bin* target = &bins[k][index[k]];
            growBox(&target->bounds, &it->bounds);
            target->count++;
        }
    }
    cut best = {.axis = -1};
    for (int k = 0; k < 3; k++)
        if (map->scale[k] > 0.0f)
            findCut(bins[k], k, &best);
    return best;
}

// Moves the items left of the cut to the front. Returns where the right side begins.
static int partition(builder* b, const range* r, const binning* map, const cut* c)
{
    int left = r->begin;
    int right = r->end;
    while (left < right)
    {
        item* it = &b->items[left];
        int index[4];
        binsOf(map, it, index);
        if (index[c->axis] < c->first)
        {
            left++;
            continue;
        }
        item other = b->items[--right];
        b->items[right] = *it;
        *it = other;
    }
    return left;
}

static box boundItems(const builder* b, int begin, int end)
{
    box bounds = emptyBox;
    for (int i = begin; i < end; i++)
        growBox(&bounds, &b->items[i].bounds);
    return bounds;
}

// Cuts a range in two where that is cheapest; in the middle, at a whole leaf, where the range is
// too deep or its centres are all the same.
static void splitRange(builder* b, const range* r, range* left, range* right)
{
    const range whole = *r;
    int middle = whole.begin + pal_bvhWidth * leavesFor((whole.end - whole.begin) / 2);
    cut best = {.axis = -1};
    if (whole.depth < pal_bvhChosenDepth)
    {
        binning map = makeBinning(b, &whole);
        best = chooseCut(b, &whole, &map);
        if (best.axis >= 0)
            middle = partition(b, &whole, &map, &best);
    }
    if (best.axis < 0)
    {
        best.left = boundItems(b, whole.begin, middle);
        best.right = boundItems(b, middle, whole.end);
    }
    *left = (range){best.left, whole.begin, middle, whole.depth + 1};
    *right = (range){best.right, middle, whole.end, whole.depth + 1};
}

// Splits the heaviest child until there are eight, or none that is larger than a full tree one
// level lower: nodes with few children then stand at the top, where they are few, and those above
// the leaves are well filled. The children stay in the order of their items.
static int gatherChildren(builder* b, const range* r, range children[pal_bvhWidth])
{
    int full = pal_bvhWidth;
    while (full < (r->end - r->begin + pal_bvhWidth - 1) / pal_bvhWidth)
        full *= pal_bvhWidth;
    int count = 1;
    children[0] = *r;
    while (count < pal_bvhWidth)
    {
        int heaviest = -1;
        for (int i = 0; i < count; i++)
            if (children[i].end - children[i].begin > full &&
                (heaviest < 0 || weight(&children[i].bounds) > weight(&children[heaviest].bounds)))
                heaviest = i;
        if (heaviest < 0)
            break;
        range* at = &children[heaviest];
        memmove(at + 1, at, (size_t)(count - heaviest) * sizeof *at);
        range parent = *at;
        splitRange(b, &parent, at, at + 1);
        count++;
    }
    return count;
}

// Makes room for one more element in an aligned array; NULL gets the capacity it is to begin with.
static bool reserve(void** array, size_t size, int used, int* capacity)
{
    if (*array != NULL && used < *capacity)
        return true;
    size_t wanted = (size_t)*capacity;
    if (*array != NULL)
        wanted += wanted / 2 + 1;
    void* larger = aligned_alloc(alignment, wanted * size);
    if (larger == NULL)
        return false;
    if (*array != NULL)
        memcpy(larger, *array, (size_t)used * size);
    free(*array);
    *array = larger;
    *capacity = (int)wanted;
    return true;
}

// Takes the next leaf for the triangles of a range. Returns the child's code.
static int32_t arrangeLeaf(builder* b, const range* r)
{
    palBvh* bvh = b->bvh;
    void* leaves = bvh->leaves;
    b->failed |= !reserve(&leaves, sizeof *bvh->leaves, bvh->leafCount, &bvh->leafCapacity);
    bvh->leaves = leaves;
    if (b->failed)
        return pal_bvhNoChild;
    palBvhLeaf* leaf = &bvh->leaves[bvh->leafCount];
    for (int i = 0; i < pal_bvhWidth; i++)
        leaf->triangle[i] = b->items[r->begin + i < r->end ? r->begin + i : r->end - 1].triangle;
    return ~bvh->leafCount++;
}

// Makes the node of a range and everything below it; the depth is bounded by pal_bvhDepthMax.
static int32_t arrangeNode(builder* b, const range* r)
{
    palBvh* bvh = b->bvh;
    void* nodes = bvh->nodes;
    b->failed |= !reserve(&nodes, sizeof *bvh->nodes, bvh->nodeCount, &bvh->nodeCapacity);
    bvh->nodes = nodes;
    if (b->failed)
        return pal_bvhNoChild;
    int32_t index = bvh->nodeCount++;
    range children[pal_bvhWidth];
    int count = gatherChildren(b, r, children);
    for (int i = 0; i < pal_bvhWidth; i++)
    {
        int32_t child = pal_bvhNoChild;
        if (i < count && children[i].end - children[i].begin <= pal_bvhWidth)
            child = arrangeLeaf(b, &children[i]);
        else if (i < count)
            child = arrangeNode(b, &children[i]);
        palBvhNode* node = &bvh->nodes[index];
        node->child[i] = child;
        node->end[i] = i < count ? children[i].end : r->end;
        for (int k = 0; k < 3; k++)
            node->low[k][i] = node->high[k][i] = NAN;
    }
    return index;
}

static void setItems(builder* b, const palSurface* surface)
{
    palVec3 origin = surface->vertices[surface->triangles[0][0]];
    for (int i = 0; i < surface->triangleCount; i++)
    {
        const int* corners = surface->triangles[i];
        item* it = &b->items[i];
        *it = (item){emptyBox, i};
        for (int k = 0; k < 3; k++)
        {
            palVec3 x = palSub(surface->vertices[corners[k]], origin);
            float low[3] = {(float)x.x, (float)x.y, (float)x.z};
            box point = {{low[0], low[1], low[2], 0.0f, -low[0], -low[1], -low[2], 0.0f}};
            growBox(&it->bounds, &point);
        }
    }
}

// Numbers the vertices in the order in which the leaves meet them.
static palResult orderVertices(palBvh* bvh, const palSurface* surface, palError* error)
{
    const size_t count = (size_t)surface->vertexCount;
    int32_t* number = malloc(count * sizeof *number);
    bvh->source = malloc(count * sizeof *bvh->source);
    if (number == NULL || bvh->source == NULL)
    {
        free(number);
        return palError_Memory(error, "the hierarchy's vertices", count * sizeof *number);
    }
    memset(number, -1, count * sizeof *number);
    for (int i = 0; i < bvh->leafCount; i++)
    {
        palBvhLeaf* leaf = &bvh->leaves[i];
        for (int k = 0; k < 3 * pal_bvhWidth; k++)
        {
            int lane = k / 3;
            int vertex = surface->triangles[leaf->triangle[lane]][k % 3];
            if (number[vertex] < 0)
            {
                bvh->source[bvh->vertexCount] = vertex;
                number[vertex] = bvh->vertexCount++;
            }
            leaf->vertex[k % 3][lane] = number[vertex];
        }
    }
    free(number);
    const size_t used = (size_t)(bvh->vertexCount + 3) / 4 * 4; // whole cache lines
    bvh->vertices = aligned_alloc(alignment, used * sizeof *bvh->vertices);
    bvh->points = aligned_alloc(alignment, used * sizeof *bvh->points);
    if (bvh->vertices == NULL || bvh->points == NULL)
        return palError_Memory(error, "the hierarchy's vertices", used * sizeof *bvh->vertices);
    return pal_ok;
}

static palResult arrange(builder* b, const palSurface* surface, palError* error)
{
    palBvh* bvh = b->bvh;
    const size_t count = (size_t)surface->triangleCount;
    b->items = malloc(count * sizeof *b->items);
    bvh->order = calloc(count + pal_bvhWidth - 1, sizeof *bvh->order);
    if (b->items == NULL || bvh->order == NULL)
        return palError_Memory(error, "the triangles' bounds", count * sizeof *b->items);

    // Usual numbers, so that the arrays seldom grow: 6 triangles a leaf, 5 children a node.
    bvh->triangleCount = surface->triangleCount;
    bvh->leafCapacity = surface->triangleCount / 6 + 1;
    bvh->nodeCapacity = surface->triangleCount / 24 + 1;
    setItems(b, surface);
    range all = {boundItems(b, 0, surface->triangleCount), 0, surface->triangleCount, 0};
    arrangeNode(b, &all);
    if (b->failed)
        return palError_Memory(error, "the hierarchy's nodes",
                               2 * (size_t)bvh->leafCapacity * sizeof *bvh->leaves);
    for (size_t i = 0; i < count; i++)
        bvh->order[i] = b->items[i].triangle;

    return orderVertices(bvh, surface, error);
}

palResult palBvh_Arrange(palBvh* bvh, const palSurface* surface, palError* error)
{
    builder b = {.bvh = bvh};
    palResult result = arrange(&b, surface, error);
    free(b.items);
    return result;
}

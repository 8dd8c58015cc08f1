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

typedef struct box
{
    float low[3];
    float high[3];
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
} cut;

// Maps twice an item's centre to its bin.
typedef struct binning
{
    float low[3];
    float scale[3]; // 0 where all centres are the same
} binning;

typedef struct builder
{
    palBvh* bvh;
    item* items; // owned
    bool failed; // out of memory
} builder;

static const box emptyBox = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

static inline void growBox(box* a, const box* b)
{
    for (int k = 0; k < 3; k++)
    {
        a->low[k] = b->low[k] < a->low[k] ? b->low[k] : a->low[k];
        a->high[k] = b->high[k] > a->high[k] ? b->high[k] : a->high[k];
    }
}

// How likely a query is to visit the box: half its area, and a little for its length, so that
// triangles in a row, which have no area, are still told apart.
static inline float weight(const box* b)
{
    float x = b->high[0] - b->low[0];
    float y = b->high[1] - b->low[1];
    float z = b->high[2] - b->low[2];
    return x * y + y * z + z * x + 0.01f * (x * x + y * y + z * z);
}

static inline int blocksFor(int count)
{
    return (count + pal_bvhBlockWidth - 1) / pal_bvhBlockWidth;
}

static inline int binOf(const binning* map, const item* it, int k)
{
    float centre = it->bounds.low[k] + it->bounds.high[k];
    int index = (int)((centre - map->low[k]) * map->scale[k]);
    return index < binCount ? index : binCount - 1;
}

static binning makeBinning(const builder* b, const range* r)
{
    box centres = emptyBox;
    for (int i = r->begin; i < r->end; i++)
    {
        const box* bounds = &b->items[i].bounds;
        box centre;
        for (int k = 0; k < 3; k++)
            centre.low[k] = centre.high[k] = bounds->low[k] + bounds->high[k];
        growBox(&centres, &centre);
    }
    binning map;
    for (int k = 0; k < 3; k++)
    {
        float extent = centres.high[k] - centres.low[k];
        map.low[k] = centres.low[k];
        map.scale[k] = extent > 0.0f ? binCount / extent : 0.0f;
        if (!isfinite(map.scale[k]))
            map.scale[k] = 0.0f;
    }
    return map;
}

// The cheapest cut of one axis: sum over both sides of weight times blocks.
static void findCut(const bin bins[binCount], int axis, cut* best)
{
    float rightCost[binCount];
    box bounds = emptyBox;
    int count = 0;
    for (int i = binCount - 1; i > 0; i--)
    {
        growBox(&bounds, &bins[i].bounds);
        count += bins[i].count;
        rightCost[i] = count > 0 ? weight(&bounds) * (float)blocksFor(count) : -1.0f;
    }
    bounds = emptyBox;
    count = 0;
    for (int i = 1; i < binCount; i++)
    {
        growBox(&bounds, &bins[i - 1].bounds);
        count += bins[i - 1].count;
        if (count == 0 || rightCost[i] < 0.0f)
            continue;
        float cost = rightCost[i] + weight(&bounds) * (float)blocksFor(count);
        if (best->axis < 0 || cost < best->cost)
            *best = (cut){axis, i, cost};
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
        for (int k = 0; k < 3; k++)
        {
            bin* target = &bins[k][binOf(map, it, k)];
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
        if (binOf(map, it, c->axis) < c->first)
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

static range makeRange(const builder* b, int begin, int end, int depth)
{
    range r = {emptyBox, begin, end, depth};
    for (int i = begin; i < end; i++)
        growBox(&r.bounds, &b->items[i].bounds);
    return r;
}

// Cuts a range in two where that is cheapest; in the middle, at a whole block, where the range is
// too deep or its centres are all the same.
static void splitRange(builder* b, const range* r, range* left, range* right)
{
    int middle = r->begin + pal_bvhBlockWidth * blocksFor((r->end - r->begin) / 2);
    if (r->depth < pal_bvhChosenDepth)
    {
        binning map = makeBinning(b, r);
        cut best = chooseCut(b, r, &map);
        if (best.axis >= 0)
            middle = partition(b, r, &map, &best);
    }
    range whole = *r;
    *left = makeRange(b, whole.begin, middle, whole.depth + 1);
    *right = makeRange(b, middle, whole.end, whole.depth + 1);
}

// Splits the heaviest child until there are eight, or none that is larger than a full tree one
// level lower: nodes with few children then stand at the top, where they are few, and those above
// the leaves are well filled. The children stay in the order of their items.
static int gatherChildren(builder* b, const range* r, range children[pal_bvhWidth])
{
    int full = pal_bvhBlockWidth;
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

// Takes the next block for the triangles of a leaf. Returns the child's code.
static int32_t arrangeLeaf(builder* b, const range* r)
{
    palBvh* bvh = b->bvh;
    void* blocks = bvh->blocks;
    b->failed |= !reserve(&blocks, sizeof *bvh->blocks, bvh->blockCount, &bvh->blockCapacity);
    bvh->blocks = blocks;
    if (b->failed)
        return pal_bvhNoChild;
    palBvhBlock* block = &bvh->blocks[bvh->blockCount];
    for (int i = 0; i < pal_bvhBlockWidth; i++)
        block->triangle[i] = b->items[r->begin + i < r->end ? r->begin + i : r->end - 1].triangle;
    return ~bvh->blockCount++;
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
        if (i < count && children[i].end - children[i].begin <= pal_bvhBlockWidth)
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
            box point = {{(float)x.x, (float)x.y, (float)x.z},
                         {(float)x.x, (float)x.y, (float)x.z}};
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
    for (int i = 0; i < bvh->blockCount; i++)
    {
        palBvhBlock* block = &bvh->blocks[i];
        for (int k = 0; k < 3 * pal_bvhBlockWidth; k++)
        {
            int lane = k / 3;
            int vertex = surface->triangles[block->triangle[lane]][k % 3];
            if (number[vertex] < 0)
            {
                bvh->source[bvh->vertexCount] = vertex;
                number[vertex] = bvh->vertexCount++;
            }
            block->vertex[k % 3][lane] = number[vertex];
        }
    }
    free(number);
    const size_t used = (size_t)(bvh->vertexCount + 1) / 2 * 2; // whole cache lines
    bvh->vertices = aligned_alloc(alignment, used * sizeof *bvh->vertices);
    if (bvh->vertices == NULL)
        return palError_Memory(error, "the hierarchy's vertices", used * sizeof *bvh->vertices);
    return pal_ok;
}

static palResult arrange(builder* b, const palSurface* surface, palError* error)
{
    palBvh* bvh = b->bvh;
    const size_t count = (size_t)surface->triangleCount;
    b->items = malloc(count * sizeof *b->items);
    bvh->order = calloc(count + pal_bvhBlockWidth - 1, sizeof *bvh->order);
    if (b->items == NULL || bvh->order == NULL)
        return palError_Memory(error, "the triangles' bounds", count * sizeof *b->items);

    // Usual numbers, so that the arrays seldom grow: 3 triangles a leaf, 5 children a node.
    bvh->triangleCount = surface->triangleCount;
    bvh->blockCapacity = surface->triangleCount / 3 + 1;
    bvh->nodeCapacity = surface->triangleCount / 15 + 1;
    setItems(b, surface);
    range all = makeRange(b, 0, surface->triangleCount, 0);
    arrangeNode(b, &all);
    if (b->failed)
        return palError_Memory(error, "the hierarchy's nodes",
                               2 * (size_t)bvh->blockCapacity * sizeof *bvh->blocks);
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

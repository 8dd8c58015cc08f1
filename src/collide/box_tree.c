// SPDX-License-Identifier: Apache-2.0
#include "collide/box_tree.h"

#include "base/error.h"
#include "collide/swept_boxes.h"

#include <stdlib.h>

enum
{
    leafSize = 4,   // boxes, about
    stackSize = 64, // more than the depth: a level leaves one sibling waiting
};

static double centreAlong(const palBounds* box, int axis)
{
    return axis == 0   ? box->low.x + box->high.x
           : axis == 1 ? box->low.y + box->high.y
                       : box->low.z + box->high.z;
}

// The longest axis of the box about the centres of order[begin .. end - 1].
static int longestAxis(const int* order, int begin, int end, const palBounds* boxes)
{
    double length[3];
    for (int axis = 0; axis < 3; axis++)
    {
        double low = INFINITY, high = -INFINITY;
        for (int i = begin; i < end; i++)
        {
            double centre = centreAlong(&boxes[order[i]], axis);
            low = fmin(low, centre);
            high = fmax(high, centre);
        }
        length[axis] = high - low;
    }
    return length[0] >= length[1] && length[0] >= length[2] ? 0 : length[1] >= length[2] ? 1 : 2;
}

// Hoare's selection: afterwards no centre before `middle` is beyond one at or after it.
static void halve(int* order, int begin, int end, int middle, int axis, const palBounds* boxes)
{
    int low = begin, high = end - 1;
    while (low < high)
    {
        double pivot = centreAlong(&boxes[order[(low + high) / 2]], axis);
        int i = low, j = high;
        while (i <= j)
        {
            while (centreAlong(&boxes[order[i]], axis) < pivot)
                i++;
            while (centreAlong(&boxes[order[j]], axis) > pivot)
                j--;
            if (i > j)
                break;
            int swap = order[i];
            order[i++] = order[j];
            order[j--] = swap;
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

// Arranges the boxes below a node, of which `leaves` leaves begin at `firstLeaf`.
static void arrange(palBoxTree* tree, int firstLeaf, int leaves, int begin, int end,
                    const palBounds* boxes)
{
    tree->starts[firstLeaf] = begin;
    if (leaves == 1)
        return;
    int middle = begin + (end - begin) / 2;
    if (end > begin)
        halve(tree->order, begin, end, middle, longestAxis(tree->order, begin, end, boxes), boxes);
    arrange(tree, firstLeaf, leaves / 2, begin, middle, boxes);
    arrange(tree, firstLeaf + leaves / 2, leaves / 2, middle, end, boxes);
}

palResult palBoxTree_Init(palBoxTree* tree, int count, const palBounds* boxes, palError* error)
{
    *tree = (palBoxTree){.count = count, .leafCount = 1};
    while (tree->leafCount < count / leafSize)
        tree->leafCount *= 2;
    size_t leaves = (size_t)tree->leafCount;
    tree->order = malloc(((size_t)count + 1) * sizeof *tree->order);
    tree->starts = malloc((leaves + 1) * sizeof *tree->starts);
    tree->nodes = malloc(2 * leaves * sizeof *tree->nodes);
    if (tree->order == NULL || tree->starts == NULL || tree->nodes == NULL)
    {
        palBoxTree_Free(tree);
        return palError_Memory(error, "a tree of boxes", 2 * leaves * sizeof *tree->nodes);
    }
    for (int i = 0; i < count; i++)
        tree->order[i] = i;
    arrange(tree, 0, tree->leafCount, 0, count, boxes);
    tree->starts[tree->leafCount] = count;
    palBoxTree_Refit(tree, boxes);
    return pal_ok;
}

void palBoxTree_Free(palBoxTree* tree)
{
    free(tree->order);
    free(tree->starts);
    free(tree->nodes);
    *tree = (palBoxTree){0};
}

void palBoxTree_RefitBelow(const palBoxTree* tree, const palBounds* boxes, int node)
{
    const palBounds empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    int first = node, count = 1;
    for (; first < tree->leafCount; count *= 2)
        first *= 2;
    for (int leaf = first - tree->leafCount; leaf < first - tree->leafCount + count; leaf++)
    {
        palBounds box = empty;
        for (int i = tree->starts[leaf]; i < tree->starts[leaf + 1]; i++)
            box = palBounds_Union(box, boxes[tree->order[i]]);
        tree->nodes[tree->leafCount + leaf] = box;
    }
    while (first > node)
    {
        first /= 2, count /= 2;
        for (int i = first; i < first + count; i++)
            tree->nodes[i] = palBounds_Union(tree->nodes[2 * i], tree->nodes[2 * i + 1]);
    }
}

void palBoxTree_Refit(palBoxTree* tree, const palBounds* boxes)
{
    palBoxTree_RefitBelow(tree, boxes, 1);
}

bool palBoxTree_MayMeet(const palBoxTree* tree, palBounds box)
{
    int stack[stackSize] = {1};
    int count = 1;
    while (count > 0)
    {
        int node = stack[--count];
        if (!palBounds_Meet(tree->nodes[node], box))
            continue;
        if (node >= tree->leafCount || (tree->swept != NULL && tree->swept->pending[node] >= 0))
            return true;
        stack[count++] = 2 * node + 1;
        stack[count++] = 2 * node;
    }
    return false;
}

void palBoxTree_Visit(const palBoxTree* tree, const palBounds* boxes, palBounds box,
                      void (*visit)(int index, void* data), void* data)
{
    int stack[stackSize] = {1};
    int count = 1;
    while (count > 0)
    {
        int node = stack[--count];
        if (!palBounds_Meet(tree->nodes[node], box))
            continue;
        int pending = tree->swept != NULL ? tree->swept->pending[node] : -1;
        if (pending >= 0)
            palSweptBoxes_Fit(tree->swept, tree, pending);
        if (node < tree->leafCount)
        {
            stack[count++] = 2 * node + 1;
            stack[count++] = 2 * node;
            continue;
        }
        int leaf = node - tree->leafCount;
        for (int i = tree->starts[leaf]; i < tree->starts[leaf + 1]; i++)
            if (palBounds_Meet(boxes[tree->order[i]], box))
                visit(tree->order[i], data);
    }
}

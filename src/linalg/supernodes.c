// SPDX-License-Identifier: Apache-2.0
#include "linalg/supernodes.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// The cost of a front, ns, on a Zen 4 core with AVX2. Only the ratios matter, and not much: halving
// or doubling any of them changes the times of `palpate bench factor` by a few percent.
static const double frontCost = 400.0;   // overhead per front
static const double entryCost = 0.45;    // per entry of L, moved and divided
static const double updateCost = 0.55;   // per entry of C, written and added to the parent
static const double productCost = 0.075; // per fused multiply-add

// A tree of supernodes under construction. The columns of a supernode form a linked list.
typedef struct forest
{
    int count;
    int* parent;  // [count]
    int* first;   // [count]: first child, -1
    int* sibling; // [count]: next child of the same parent, -1
    int* head;    // [count]: first place in the list of its columns
    int* tail;    // [count]
    int* size;    // [count]: columns
    int* below;   // [count]
    bool* merged; // [count]
    int* next;    // [nodeCount]: the next place in a list, -1
} forest;

static double cost(int columns, int below)
{
    double p = 3.0 * columns;
    double r = 3.0 * below;
    double products = p * r * r / 2.0 + p * p * r / 2.0 + p * p * p / 6.0;
    return frontCost + entryCost * p * (r + p / 2.0) + updateCost * r * r / 2.0 +
           productCost * products;
}

// Columns j and j + 1 share a supernode if j + 1 is the parent of j and has all its other rows.
static void findSupernodes(const palOrdering* o, forest* f, int* supernodeOf)
{
    f->count = 0;
    for (int j = 0; j < o->nodeCount; j++)
    {
        bool joins = j > 0 && o->parent[j - 1] == j && o->below[j - 1] == o->below[j] + 1;
        int s = joins ? f->count - 1 : f->count++;
        supernodeOf[j] = s;
        f->next[j] = -1;
        if (joins)
            f->next[j - 1] = j;
        else
            f->head[s] = j;
        f->size[s] = joins ? f->size[s] + 1 : 1;
        f->tail[s] = j;
        f->below[s] = o->below[j];
    }
    for (int s = 0; s < f->count; s++)
    {
        int parentPlace = o->parent[f->tail[s]];
        f->parent[s] = parentPlace != -1 ? supernodeOf[parentPlace] : -1;
        f->first[s] = -1;
        f->merged[s] = false;
    }
    for (int s = f->count - 1; s >= 0; s--)
        if (f->parent[s] != -1)
        {
            f->sibling[s] = f->first[f->parent[s]];
            f->first[f->parent[s]] = s;
        }
}

static double gain(const forest* f, int child, int parent)
{
    return cost(f->size[child], f->below[child]) + cost(f->size[parent], f->below[parent]) -
           cost(f->size[child] + f->size[parent], f->below[parent]);
}

// Inserts the child's columns before the parent's.
static void merge(forest* f, int child, int parent)
{
    f->next[f->tail[child]] = f->head[parent];
    f->head[parent] = f->head[child];
    f->size[parent] += f->size[child];
    f->merged[child] = true;
}

// Merges every child that reduces the cost into the parent; the children of a merged child become
// children of the parent and are considered too. Each is visited once: linear in the tree size.
static void absorbChildren(forest* f, int parent)
{
    int kept = -1;
    int at = f->first[parent];
    while (at != -1)
    {
        int following = f->sibling[at];
        if (gain(f, at, parent) > 0.0)
        {
            merge(f, at, parent);
            for (int child = f->first[at]; child != -1;)
            {
                int next = f->sibling[child];
                f->sibling[child] = following;
                f->parent[child] = parent;
                following = child;
                child = next;
            }
        }
        else
        {
            f->sibling[at] = kept;
            kept = at;
        }
        at = following;
    }
    f->first[parent] = kept;
}

// Sorts the children into the order with the smallest peak memory: first those whose subtree needs
// much more than the update block that remains of it (Liu 1986). Returns the peak memory of the
// subtree of s, in numbers.
static double orderChildren(forest* f, int s, double* need)
{
    // Insertion sort of the list by need - block, descending.
    int sorted = -1;
    for (int at = f->first[s]; at != -1;)
    {
        int following = f->sibling[at];
        double key = need[at] - (double)f->below[at] * f->below[at];
        int* link = &sorted;
        while (*link != -1 && need[*link] - (double)f->below[*link] * f->below[*link] >= key)
            link = &f->sibling[*link];
        f->sibling[at] = *link;
        *link = at;
        at = following;
    }
    f->first[s] = sorted;
    double stacked = 0.0; // update blocks of the children done so far
    double peak = 0.0;
    for (int at = sorted; at != -1; at = f->sibling[at])
    {
        peak = stacked + need[at] > peak ? stacked + need[at] : peak;
        stacked += (double)f->below[at] * f->below[at];
    }
    double withOwnBlock = stacked + (double)f->below[s] * f->below[s];
    return withOwnBlock > peak ? withOwnBlock : peak;
}

// Numbers the remaining supernodes in postorder; newIndex[old] is the new number.
static int postorder(const forest* f, int* cursor, int* newIndex)
{
    int count = 0;
    memcpy(cursor, f->first, (size_t)f->count * sizeof *cursor);
    for (int root = 0; root < f->count; root++)
    {
        if (f->merged[root] || f->parent[root] != -1)
            continue;
        int at = root;
        while (at != -1)
        {
            int next = cursor[at];
            if (next != -1)
                cursor[at] = f->sibling[next];
            else
                newIndex[at] = count++;
            at = next != -1 ? next : at == root ? -1 : f->parent[at];
        }
    }
    return count;
}

static void writeOut(palSupernodes* out, const forest* f, const palOrdering* o, const int* newIndex,
                     int* oldIndex)
{
    for (int s = 0; s < f->count; s++)
        if (!f->merged[s])
            oldIndex[newIndex[s]] = s;
    int at = 0;
    for (int s = 0; s < out->count; s++)
    {
        int parent = f->parent[oldIndex[s]];
        out->parent[s] = parent != -1 ? newIndex[parent] : -1;
        out->below[s] = f->below[oldIndex[s]];
        out->start[s] = at;
        for (int j = f->head[oldIndex[s]]; j != -1; j = f->next[j])
            out->node[at++] = o->node[j];
    }
    out->start[out->count] = at;
}

static void build(palSupernodes* out, const palOrdering* o, forest* f, int* scratch, double* need)
{
    int n = o->nodeCount;
    findSupernodes(o, f, scratch);
    for (int s = 0; s < f->count; s++)
        absorbChildren(f, s);
    for (int s = 0; s < f->count; s++)
        if (!f->merged[s])
            need[s] = orderChildren(f, s, need);
    out->count = postorder(f, scratch, scratch + n);
    writeOut(out, f, o, scratch + n, scratch);
}

palResult palSupernodes_Init(palSupernodes* supernodes, const palOrdering* ordering,
                             palError* error)
{
    size_t n = (size_t)ordering->nodeCount;
    int* ints = malloc(11 * n * sizeof *ints);
    double* need = malloc(n * sizeof *need);
    bool* merged = malloc(n * sizeof *merged);
    *supernodes = (palSupernodes){
        .parent = malloc(n * sizeof(int)),
        .start = malloc((n + 1) * sizeof(int)),
        .node = malloc(n * sizeof(int)),
        .below = malloc(n * sizeof(int)),
    };
    bool ok = ints != NULL && need != NULL && merged != NULL && supernodes->parent != NULL &&
              supernodes->start != NULL && supernodes->node != NULL && supernodes->below != NULL;
    if (ok)
    {
        forest f = {.parent = ints,
                    .first = ints + n,
                    .sibling = ints + 2 * n,
                    .head = ints + 3 * n,
                    .tail = ints + 4 * n,
                    .size = ints + 5 * n,
                    .below = ints + 6 * n,
                    .next = ints + 7 * n,
                    .merged = merged};
        build(supernodes, ordering, &f, ints + 8 * n, need);
    }
    free(ints);
    free(need);
    free(merged);
    if (ok)
        return pal_ok;
    palSupernodes_Free(supernodes);
    return palError_Memory(error, "the supernodes", 15 * n * sizeof(int));
}

void palSupernodes_Free(palSupernodes* supernodes)
{
    free(supernodes->parent);
    free(supernodes->start);
    free(supernodes->node);
    free(supernodes->below);
    *supernodes = (palSupernodes){0};
}

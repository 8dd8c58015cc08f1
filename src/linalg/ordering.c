// SPDX-License-Identifier: Apache-2.0
#include "linalg/ordering.h"

#include "base/error.h"

#include <math.h>
#include <metis.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(idx_t) == sizeof(int), "METIS is built with 32 bit indices");

// Number of orderings computed, of which the cheapest is used, and of separators that METIS
// computes for each bisection. Orderings of one graph differ by up to 40 % in work: set-up takes
// longer, every factorisation less.
static const int orderingCount = 4;
static const int separatorCount = 4;

static palResult allocate(palOrdering* o, const palBlockMatrix* A, palError* error)
{
    size_t n = (size_t)A->nodeCount;
    size_t edges = (size_t)A->blockCount - n;
    *o = (palOrdering){
        .nodeCount = A->nodeCount,
        .node = malloc(n * sizeof(int)),
        .place = malloc(n * sizeof(int)),
        .parent = malloc(n * sizeof(int)),
        .below = calloc(n, sizeof(int)),
        .start = calloc(n + 2, sizeof(int)),
        .neighbours = malloc((2 * edges + 1) * sizeof(int)),
    };
    if (o->node == NULL || o->place == NULL || o->parent == NULL || o->below == NULL ||
        o->start == NULL || o->neighbours == NULL)
        return palError_Memory(error, "the order of elimination",
                               (4 * n + 2 * edges) * sizeof(int));
    return pal_ok;
}

static void makeGraph(palOrdering* o, const palBlockMatrix* A)
{
    for (int i = 0; i < A->nodeCount; i++)
        for (int k = A->rowStart[i]; k < A->rowStart[i + 1] - 1; k++)
        {
            o->start[i + 2]++;
            o->start[A->columns[k] + 2]++;
        }
    for (int i = 0; i < A->nodeCount; i++)
        o->start[i + 2] += o->start[i + 1];
    // While edges are inserted, start[i + 1] runs from the first position of i to that of i + 1.
    for (int i = 0; i < A->nodeCount; i++)
        for (int k = A->rowStart[i]; k < A->rowStart[i + 1] - 1; k++)
        {
            int j = A->columns[k];
            o->neighbours[o->start[i + 1]++] = j;
            o->neighbours[o->start[j + 1]++] = i;
        }
}

// METIS draws from rand(), which the whole process shares. Two orderings at once would take each
// other's numbers, and both differ from run to run; so there is one at a time, and with numbers of
// its own: those of the program around the library go on afterwards as if nothing had been.
static int dissectAlone(idx_t* n, palOrdering* o, idx_t* options)
{
    static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
    static char numbers[128];
    pthread_mutex_lock(&guard);
    char* before = initstate(1, numbers, sizeof numbers);
    int status = METIS_NodeND(n, o->start, o->neighbours, NULL, options, o->node, o->place);
    setstate(before);
    pthread_mutex_unlock(&guard);
    return status;
}

// Nested dissection.
static palResult dissect(palOrdering* o, int seed, palError* error)
{
    idx_t n = o->nodeCount;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_NSEPS] = separatorCount;
    options[METIS_OPTION_SEED] = seed;
    int status = dissectAlone(&n, o, options);
    if (status == METIS_ERROR_MEMORY)
        return palError_Memory(error, "nested dissection", (size_t)o->start[n] * sizeof(idx_t));
    if (status != METIS_OK)
        return palError_Set(error, pal_errorRun, "METIS cannot order the matrix (status %d)",
                            status);
    return pal_ok;
}

// Liu's algorithm: for each entry of row i, the root of the subtree that contains it becomes a
// child of i. `ancestor` holds compressed paths.
static void makeTree(palOrdering* o, int* ancestor)
{
    for (int i = 0; i < o->nodeCount; i++)
    {
        o->parent[i] = ancestor[i] = -1;
        int node = o->node[i];
        for (int k = o->start[node]; k < o->start[node + 1]; k++)
        {
            int j = o->place[o->neighbours[k]];
            while (j != -1 && j < i)
            {
                int next = ancestor[j];
                ancestor[j] = i;
                if (next == -1)
                    o->parent[j] = i;
                j = next;
            }
        }
    }
}

// Renumbers the places so that every subtree is a range that ends with its root.
static void postorder(palOrdering* o, int* child, int* sibling, int* newPlace)
{
    int n = o->nodeCount;
    for (int i = 0; i < n; i++)
        child[i] = -1;
    for (int i = n - 1; i >= 0; i--)
        if (o->parent[i] != -1)
        {
            sibling[i] = child[o->parent[i]];
            child[o->parent[i]] = i;
        }
    int count = 0;
    for (int root = 0; root < n; root++)
    {
        if (o->parent[root] != -1)
            continue;
        // Descend to the first leaf, then ascend; visited children are removed from `child`.
        int at = root;
        while (at != -1)
        {
            int next = child[at];
            if (next != -1)
                child[at] = sibling[next];
            else
                newPlace[at] = count++;
            at = next != -1 ? next : at == root ? -1 : o->parent[at];
        }
    }
}

static void renumber(palOrdering* o, const int* newPlace, int* scratch)
{
    size_t bytes = (size_t)o->nodeCount * sizeof(int);
    memcpy(scratch, o->parent, bytes);
    for (int i = 0; i < o->nodeCount; i++)
        o->parent[newPlace[i]] = scratch[i] != -1 ? newPlace[scratch[i]] : -1;
    for (int i = 0; i < o->nodeCount; i++)
    {
        o->place[i] = newPlace[o->place[i]];
        o->node[o->place[i]] = i;
    }
}

// Row i of L has a block in every column on the tree paths from its entries in A up to i.
static void countColumns(palOrdering* o, int* mark)
{
    for (int i = 0; i < o->nodeCount; i++)
    {
        mark[i] = i;
        int node = o->node[i];
        for (int k = o->start[node]; k < o->start[node + 1]; k++)
            for (int j = o->place[o->neighbours[k]]; j < i && mark[j] != i; j = o->parent[j])
            {
                o->below[j]++;
                mark[j] = i;
            }
    }
}

// The cost of a factorisation in the current order, in block products.
static double workOf(palOrdering* o, int* scratch)
{
    memset(o->below, 0, (size_t)o->nodeCount * sizeof *o->below);
    makeTree(o, scratch);
    countColumns(o, scratch);
    double work = 0.0;
    for (int i = 0; i < o->nodeCount; i++)
        work += (o->below[i] + 1.0) * (o->below[i] + 1.0);
    return work;
}

// Chooses the ordering with the least work. METIS divides by the number of edges, so a graph
// without edges keeps its order.
static palResult choose(palOrdering* o, int* scratch, int* best, palError* error)
{
    size_t bytes = (size_t)o->nodeCount * sizeof *best;
    double leastWork = INFINITY;
    for (int i = 0; i < o->nodeCount; i++)
        best[i] = i;
    for (int seed = 1; seed <= orderingCount && o->start[o->nodeCount] > 0; seed++)
    {
        palResult result = dissect(o, seed, error);
        if (result != pal_ok)
            return result;
        double work = workOf(o, scratch);
        if (work >= leastWork)
            continue;
        leastWork = work;
        memcpy(best, o->node, bytes);
    }
    memcpy(o->node, best, bytes);
    for (int i = 0; i < o->nodeCount; i++)
        o->place[o->node[i]] = i;
    return pal_ok;
}

palResult palOrdering_Init(palOrdering* ordering, const palBlockMatrix* A, palError* error)
{
    size_t n = (size_t)A->nodeCount;
    int* scratch = malloc(3 * n * sizeof *scratch);
    palResult result = allocate(ordering, A, error);
    if (result == pal_ok && scratch == NULL)
        result = palError_Memory(error, "the order of elimination", 3 * n * sizeof *scratch);
    if (result == pal_ok)
    {
        makeGraph(ordering, A);
        result = choose(ordering, scratch, scratch + n, error);
    }
    if (result == pal_ok)
    {
        memset(ordering->below, 0, n * sizeof *ordering->below);
        makeTree(ordering, scratch);
        postorder(ordering, scratch, scratch + n, scratch + 2 * n);
        renumber(ordering, scratch + 2 * n, scratch);
        countColumns(ordering, scratch);
    }
    free(scratch);
    if (result != pal_ok)
        palOrdering_Free(ordering);
    return result;
}

void palOrdering_Free(palOrdering* ordering)
{
    free(ordering->node);
    free(ordering->place);
    free(ordering->parent);
    free(ordering->below);
    free(ordering->start);
    free(ordering->neighbours);
    *ordering = (palOrdering){0};
}

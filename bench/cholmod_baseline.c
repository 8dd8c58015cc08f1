// SPDX-License-Identifier: Apache-2.0
#include "cholmod_baseline.h"

#ifdef PAL_HAVE_CHOLMOD

#include "library.h"

#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

struct palCholmod
{
    cholmod_common common;
    cholmod_sparse* A;
    cholmod_factor* factor;
    cholmod_dense* x; // of solves; x, y and e are reused by the next solve
    cholmod_dense* y;
    cholmod_dense* e;
};

// The functions of the library that are used.
static struct
{
    int (*start)(cholmod_common*);
    int (*finish)(cholmod_common*);
    cholmod_triplet* (*allocateTriplet)(size_t, size_t, size_t, int, int, cholmod_common*);
    int (*freeTriplet)(cholmod_triplet**, cholmod_common*);
    cholmod_sparse* (*tripletToSparse)(cholmod_triplet*, size_t, cholmod_common*);
    int (*freeSparse)(cholmod_sparse**, cholmod_common*);
    cholmod_factor* (*analyze)(cholmod_sparse*, cholmod_common*);
    int (*factorize)(cholmod_sparse*, cholmod_factor*, cholmod_common*);
    int (*freeFactor)(cholmod_factor**, cholmod_common*);
    int (*solve)(int, cholmod_factor*, cholmod_dense*, cholmod_sparse*, cholmod_dense**,
                 cholmod_sparse**, cholmod_dense**, cholmod_dense**, cholmod_common*);
    int (*freeDense)(cholmod_dense**, cholmod_common*);
} library;

static const palLibraryFunction functions[] = {
    {"cholmod_start", (void**)&library.start},
    {"cholmod_finish", (void**)&library.finish},
    {"cholmod_allocate_triplet", (void**)&library.allocateTriplet},
    {"cholmod_free_triplet", (void**)&library.freeTriplet},
    {"cholmod_triplet_to_sparse", (void**)&library.tripletToSparse},
    {"cholmod_free_sparse", (void**)&library.freeSparse},
    {"cholmod_analyze", (void**)&library.analyze},
    {"cholmod_factorize", (void**)&library.factorize},
    {"cholmod_free_factor", (void**)&library.freeFactor},
    {"cholmod_solve2", (void**)&library.solve},
    {"cholmod_free_dense", (void**)&library.freeDense},
};

// One thread, as ours: the threads of OpenMP and of OpenBLAS inside a factorisation slow it down.
static void useOneThread(void* handle)
{
    const char* const names[] = {"omp_set_num_threads", "openblas_set_num_threads"};
    for (int i = 0; i < 2; i++)
    {
        void (*set)(int);
        *(void**)&set = dlsym(handle, names[i]);
        if (set != NULL)
            set(1);
    }
    void (*levels)(int);
    *(void**)&levels = dlsym(handle, "omp_set_max_active_levels");
    if (levels != NULL)
        levels(0);
}

static cholmod_sparse* convert(const palBlockMatrix* A, cholmod_common* common)
{
    size_t n = 3 * (size_t)A->nodeCount;
    cholmod_triplet* triplets =
        library.allocateTriplet(n, n, 9 * (size_t)A->blockCount, -1, CHOLMOD_REAL, common);
    if (triplets == NULL)
        return NULL;
    int* rows = triplets->i;
    int* columns = triplets->j;
    double* values = triplets->x;
    for (int i = 0; i < A->nodeCount; i++)
        for (int k = A->rowStart[i]; k < A->rowStart[i + 1]; k++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < (A->columns[k] == i ? a + 1 : 3); b++)
                {
                    rows[triplets->nnz] = 3 * i + a;
                    columns[triplets->nnz] = 3 * A->columns[k] + b;
                    values[triplets->nnz++] = A->blocks[k].m[a][b];
                }
    cholmod_sparse* sparse = library.tripletToSparse(triplets, 0, common);
    library.freeTriplet(&triplets, common);
    return sparse;
}

static void destroy(palCholmod* c)
{
    if (c == NULL)
        return;
    library.freeDense(&c->x, &c->common);
    library.freeDense(&c->y, &c->common);
    library.freeDense(&c->e, &c->common);
    library.freeFactor(&c->factor, &c->common);
    library.freeSparse(&c->A, &c->common);
    library.finish(&c->common);
    free(c);
}

static bool analyse(palCholmod* c)
{
    library.freeFactor(&c->factor, &c->common);
    c->factor = library.analyze(c->A, &c->common);
    return c->factor != NULL;
}

static palCholmod* create(const palBlockMatrix* A, bool supernodal)
{
    palCholmod* c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    library.start(&c->common);
    c->common.print = 0;
    c->common.supernodal = supernodal ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
    c->common.final_ll = 1;
    // Only METIS, the best ordering for these matrices: trying others takes time.
    c->common.nmethods = 1;
    c->common.method[0].ordering = CHOLMOD_METIS;
    c->common.postorder = 1;
    c->A = convert(A, &c->common);
    if (c->A != NULL && analyse(c))
        return c;
    destroy(c);
    return NULL;
}

static bool factor(palCholmod* c)
{
    return library.factorize(c->A, c->factor, &c->common) && c->common.status == CHOLMOD_OK;
}

static bool solve(palCholmod* c, int count, const double* b, double* x)
{
    size_t n = c->A->nrow;
    cholmod_dense rhs = {.nrow = n,
                         .ncol = (size_t)count,
                         .nzmax = n * (size_t)count,
                         .d = n,
                         .x = (void*)b,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE};
    if (!library.solve(CHOLMOD_A, c->factor, &rhs, NULL, &c->x, NULL, &c->y, &c->e, &c->common))
        return false;
    memcpy(x, c->x->x, n * (size_t)count * sizeof *x);
    return true;
}

static const palCholmodOps ops = {
    .create = create,
    .destroy = destroy,
    .analyse = analyse,
    .factor = factor,
    .solve = solve,
};

const palCholmodOps* palCholmodBaseline(void)
{
    void* handle =
        palLibrary_Open(PAL_CHOLMOD_LIBRARY, functions, sizeof functions / sizeof functions[0]);
    if (handle == NULL)
        return NULL;
    useOneThread(handle);
    return &ops;
}

#else

const palCholmodOps* palCholmodBaseline(void)
{
    return NULL;
}

#endif

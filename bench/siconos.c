// SPDX-License-Identifier: Apache-2.0
#include "siconos.h"

#ifdef PAL_HAVE_SICONOS

#include "library.h"

#include <stdlib.h>
#include <string.h>

#include <Friction_cst.h>
#include <FrictionContactProblem.h>
#include <lcp_cst.h>
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

struct palSiconos
{
    NumericsMatrix* M; // owned
    double* q;         // owned
    double* mu;        // owned
    double* w;         // owned, the gaps or velocities computed by Siconos
    int rows;
    bool friction;
};

// The functions of the library that are used.
static struct
{
    NumericsMatrix* (*create)(int, int, int);
    void (*clear)(NumericsMatrix*);
    int (*friction)(FrictionContactProblem*, double*, double*, SolverOptions*);
    int (*linear)(LinearComplementarityProblem*, double*, double*, SolverOptions*);
    SolverOptions* (*options)(int);
    void (*deleteOptions)(SolverOptions*);
} library;

static const palLibraryFunction functions[] = {
    {"NM_create", (void**)&library.create},
    {"NM_clear", (void**)&library.clear},
    {"fc3d_driver", (void**)&library.friction},
    {"linearComplementarity_driver", (void**)&library.linear},
    {"solver_options_create", (void**)&library.options},
    {"solver_options_delete", (void**)&library.deleteOptions},
};

static bool hasLaw(const palContactProblem* problem, palLaw law, int size)
{
    for (int i = 0; i < problem->blockCount; i++)
        if (problem->blocks[i].law != law || (size > 0 && problem->blocks[i].size != size))
            return false;
    return problem->blockCount > 0;
}

static void destroy(palSiconos* siconos)
{
    if (siconos == NULL)
        return;
    if (siconos->M != NULL)
    {
        library.clear(siconos->M);
        free(siconos->M);
    }
    free(siconos->q);
    free(siconos->mu);
    free(siconos->w);
    free(siconos);
}

static palSiconos* create(const palContactProblem* problem)
{
    bool friction = hasLaw(problem, pal_lawCone, 3);
    if (!friction && !hasLaw(problem, pal_lawUnilateral, 0))
        return NULL;
    palSiconos* siconos = calloc(1, sizeof *siconos);
    if (siconos == NULL)
        return NULL;
    size_t n = (size_t)problem->rows;
    siconos->rows = problem->rows;
    siconos->friction = friction;
    siconos->M = library.create(NM_DENSE, problem->rows, problem->rows);
    siconos->q = calloc(n, sizeof(double));
    siconos->w = calloc(n, sizeof(double));
    siconos->mu = calloc((size_t)problem->blockCount, sizeof(double));
    if (siconos->M == NULL || siconos->q == NULL || siconos->w == NULL || siconos->mu == NULL)
    {
        destroy(siconos);
        return NULL;
    }
    // Column-major.
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            siconos->M->matrix0[j * n + i] = problem->W[i * (size_t)problem->stride + j];
    memcpy(siconos->q, problem->gapFree, n * sizeof(double));
    for (int i = 0; i < problem->blockCount; i++)
        siconos->mu[i] = problem->blocks[i].mu;
    return siconos;
}

static int solveFriction(palSiconos* siconos, double tolerance, int maxIterations, double* lambda)
{
    FrictionContactProblem problem = {
        .dimension = 3,
        .numberOfContacts = siconos->rows / 3,
        .M = siconos->M,
        .q = siconos->q,
        .mu = siconos->mu,
    };
    SolverOptions* options = library.options(SICONOS_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = maxIterations;
    int verdict = library.friction(&problem, lambda, siconos->w, options);
    library.deleteOptions(options);
    return verdict;
}

static int solveLinear(palSiconos* siconos, double tolerance, int maxIterations, double* lambda)
{
    LinearComplementarityProblem problem = {
        .size = siconos->rows,
        .M = siconos->M,
        .q = siconos->q,
    };
    const int solvers[] = {SICONOS_LCP_LEMKE, SICONOS_LCP_PGS};
    int verdict = 1;
    for (int i = 0; i < 2 && verdict != 0; i++)
    {
        SolverOptions* options = library.options(solvers[i]);
        options->dparam[SICONOS_DPARAM_TOL] = tolerance;
        options->iparam[SICONOS_IPARAM_MAX_ITER] = maxIterations;
        memset(lambda, 0, (size_t)siconos->rows * sizeof *lambda);
        verdict = library.linear(&problem, lambda, siconos->w, options);
        library.deleteOptions(options);
    }
    return verdict;
}

static int solve(palSiconos* siconos, double tolerance, int maxIterations, double* lambda)
{
    memset(lambda, 0, (size_t)siconos->rows * sizeof *lambda);
    memset(siconos->w, 0, (size_t)siconos->rows * sizeof *lambda);
    return siconos->friction ? solveFriction(siconos, tolerance, maxIterations, lambda)
                             : solveLinear(siconos, tolerance, maxIterations, lambda);
}

const palSiconosOps* palSiconosBaseline(void)
{
    static const palSiconosOps ops = {
        .name = "Siconos", .create = create, .destroy = destroy, .solve = solve};
    static void* handle = NULL;
    if (handle == NULL)
    {
        // One thread, as ours; OpenBLAS starts its threads when it is loaded.
        setenv("OPENBLAS_NUM_THREADS", "1", 0);
        handle =
            palLibrary_Open(PAL_SICONOS_LIBRARY, functions, sizeof functions / sizeof functions[0]);
    }
    return handle != NULL ? &ops : NULL;
}

#else

const palSiconosOps* palSiconosBaseline(void)
{
    return NULL;
}

#endif

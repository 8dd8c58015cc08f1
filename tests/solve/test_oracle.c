// SPDX-License-Identifier: Apache-2.0
// The solvers against Siconos Numerics, an independent oracle, on random problems. Siconos runs in
// a child process with a time limit, because it exits on what it does not like; its answer is
// judged by a residual that this file computes itself.
#include "check.h"
#include "siconos.h"
#include "solve/sample.h"
#include "solve/sample_boxes.h"
#include "solve/sparse_text.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
    rowsMax = 600,
    secondsMax = 20, // of processor time
};

// Siconos' λ from a child process. Returns false where it fails, exits or takes too long.
static bool askSiconos(const palContactProblem* problem, double tolerance, int iterations,
                       double* lambda)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    size_t size = (size_t)problem->rows * sizeof *lambda;
    if (child == 0)
    {
        close(ends[0]);
        const struct rlimit limit = {secondsMax, RLIM_INFINITY};
        setrlimit(RLIMIT_CPU, &limit);
        // What it prints is not of interest.
        if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
            _exit(1);
        const palSiconosOps* ops = palSiconosBaseline();
        palSiconos* siconos = ops != NULL ? ops->create(problem) : NULL;
        if (siconos == NULL)
            _exit(1);
        ops->solve(siconos, tolerance, iterations, lambda);
        _exit(write(ends[1], lambda, size) == (ssize_t)size ? 0 : 1);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t part = 1; part > 0 && got<size; got += part> 0 ? (size_t)part : 0)
        part = read(ends[0], (char*)lambda + got, size - got);
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    return got == size && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The law itself, relative to the largest free gap: how far λ and δ = δ_free + W λ are from it.
static double violation(const palContactProblem* problem, const double* lambda)
{
    double scale = 0.0, worst = 0.0;
    double gap[rowsMax];
    for (int i = 0; i < problem->rows; i++)
    {
        long double sum = problem->gapFree[i];
        for (int j = 0; j < problem->rows; j++)
            sum += (long double)problem->W[i * problem->stride + j] * lambda[j];
        gap[i] = (double)sum;
        scale = fmax(scale, fabs(problem->gapFree[i]));
    }
    for (int b = 0; b < problem->blockCount; b++)
    {
        const palContactBlock* block = &problem->blocks[b];
        if (block->law == pal_lawUnilateral)
        {
            for (int i = block->row; i < block->row + block->size; i++)
            {
                double w = problem->W[i * problem->stride + i];
                worst = fmax(worst, fabs(fmin(w * lambda[i], gap[i])));
            }
            continue;
        }
        // A cone: three scalars measure Coulomb's law, each zero at a solution. The last is the
        // power that friction fails to dissipate, |δt| against μ λn.
        int i = block->row;
        double w = problem->W[i * problem->stride + i];
        double force = hypot(lambda[i + 1], lambda[i + 2]);
        double slip = hypot(gap[i + 1], gap[i + 2]);
        double limit = block->mu * fmax(lambda[i], 0.0);
        worst = fmax(worst, fabs(fmin(w * lambda[i], gap[i])));
        worst = fmax(worst, w * (force - limit));
        double power = lambda[i + 1] * gap[i + 1] + lambda[i + 2] * gap[i + 2];
        double lost = limit * slip + power;
        if (limit > 0.0)
            worst = fmax(worst, fmin(lost / limit, w * lost / (slip + 1e-300)));
    }
    return worst / scale;
}

// Of each row's own, relative; it bounds how ill-conditioned the n-th problem is.
static double localCompliance(int n)
{
    return n % 4 == 2 ? 1e-4 : 0.05;
}

// The n-th random problem: sizes 1 to 300 rows, well and ill conditioned, redundant, friction 0
// to 2.
static void makeProblem(int n, bool friction, palStoredProblem* stored)
{
    palSampleDef def = palDefaultSampleDef();
    const int sizes[] = {1, 2, 3, 5, 8, 12, 20, 30, 45, 100};
    const double conditions[] = {1.0, 1e2, 1e4, 1.0 + 99.0 * (n % 8 == 7)};
    def.seed = (uint64_t)n + (friction ? 1000 : 0);
    int size = sizes[n % 10];
    def.contacts = friction || size == 1 ? size : 3 * size;
    int rows = 3 * size;
    bool redundant = n % 4 == 3;
    def.law = friction ? pal_lawCone : pal_lawUnilateral;
    def.dofs = redundant ? (rows + 2) / 2 : rows + 20;
    def.local = redundant ? 0.0 : localCompliance(n);
    def.conditioning = conditions[n % 4];
    def.pressed = 0.3 + 0.7 * (n % 3) / 2.0;
    def.muLow = n % 5 == 0 ? 0.0 : 0.1;
    def.muHigh = n % 5 == 0 ? 0.0 : n % 2 ? 0.6 : 2.0;
    assert_int_equal(palSampleProblem(&def, stored, NULL), pal_ok);
}

static palSolveInfo solveOurs(const palContactProblem* problem, palSolveWorkspace* workspace,
                              double* lambda)
{
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = pal_solverAutomatic;
    settings.tolerance = 1e-12;
    settings.maxSweeps = 20000;
    palSolveInfo info;
    assert_int_equal(palContactProblem_Solve(problem, &settings, workspace, lambda, &info), pal_ok);
    return info;
}

static void frictionless_solutions_equal_those_of_siconos(void** state)
{
    (void)state;
    if (palSiconosBaseline() == NULL)
        SKIP("Siconos is not installed; scripts/deps.sh test");
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(rowsMax, true, &workspace, NULL), pal_ok);
    int answered = 0, unique = 0;
    for (int n = 0; n < 252; n++)
    {
        palStoredProblem stored;
        double ours[rowsMax], theirs[rowsMax];
        makeProblem(n, false, &stored);
        palSolveInfo info = solveOurs(&stored.problem, workspace, ours);
        double our = violation(&stored.problem, ours);
        ASSERT_BELOW(info.residual, 1e-12 * info.scale);
        bool answer = askSiconos(&stored.problem, 1e-13, 1000, theirs);
        double their = answer ? violation(&stored.problem, theirs) : INFINITY;
        answered += their < 1e-8;
        ASSERT_BELOW(our, fmax(their, 2e-12));
        // Positive definite: the solution is unique, and both must have it. The compliance of a
        // row's own bounds the force error by the gap error.
        if (n % 4 != 3 && their < 1e-9)
        {
            unique++;
            double compliance = 1e-3 * localCompliance(n), scale = info.scale;
            double bound = 4.0 * (their + 1e-12) * scale / compliance * sqrt(stored.problem.rows);
            for (int i = 0; i < stored.problem.rows; i++)
                ASSERT_NEAR(ours[i], theirs[i], bound);
        }
        palStoredProblem_Free(&stored);
    }
    print_message("Siconos answered %d of 252, %d of them with a unique solution\n", answered,
                  unique);
    assert_true(unique > 150);
    palSolveWorkspace_Destroy(workspace);
}

static void frictional_residuals_are_at_least_as_small_as_those_of_siconos(void** state)
{
    (void)state;
    if (palSiconosBaseline() == NULL)
        SKIP("Siconos is not installed; scripts/deps.sh test");
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(rowsMax, true, &workspace, NULL), pal_ok);
    int answered = 0, converged = 0;
    for (int n = 0; n < 252; n++)
    {
        palStoredProblem stored;
        double ours[rowsMax], theirs[rowsMax];
        makeProblem(n, true, &stored);
        palSolveInfo info = solveOurs(&stored.problem, workspace, ours);
        double our = violation(&stored.problem, ours);
        bool answer = askSiconos(&stored.problem, 1e-8, 1000, theirs);
        double their = answer ? violation(&stored.problem, theirs) : INFINITY;
        answered += their < 1e-6;
        converged += (info.flags & pal_solveConverged) != 0;
        ASSERT_BELOW(our, fmax(their, 1e-11));
        palStoredProblem_Free(&stored);
    }
    print_message("Siconos answered %d of 252; ours converged to 1e-12 in %d\n", answered,
                  converged);
    assert_true(answered > 150);
    assert_int_equal(converged, 252);
    palSolveWorkspace_Destroy(workspace);
}

// The n-th heap of boxes, of 17 boxes and up to 180 contacts: soft or rigid, at rest or falling,
// of equal masses or 100:1.
static void makeHeap(int n, palStoredSparse* stored)
{
    palSampleBoxesDef def = palDefaultSampleBoxesDef();
    def.seed = (uint64_t)n;
    def.columns = 3;
    def.depth = 2;
    def.layers = 4;
    def.disorder = 0.1;
    def.frequency = n & 1 ? 0.0 : 200.0;
    def.speed = n & 2 ? 0.05 : 0.0;
    def.massRatio = n & 4 ? 100.0 : 1.0;
    assert_int_equal(palSampleBoxes(&def, stored, NULL), pal_ok);
}

static palSolveInfo solveHeap(const palStoredSparse* heap, double* lambda)
{
    const palSparseProblem* problem = &heap->problem;
    palSparseWorkspace* workspace;
    palTwist displacement[32];
    palSolveInfo info;
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = pal_solverAutomatic;
    settings.tolerance = 1e-10;
    settings.maxSweeps = 20000;
    assert_int_equal(
        palSparseWorkspace_Create(32, problem->rows, problem->blockCount, &workspace, NULL),
        pal_ok);
    palSparseProblem_Solve(problem, &settings, workspace, lambda, displacement, &info);
    palSparseWorkspace_Destroy(workspace);
    return info;
}

static void heaps_are_solved_to_the_residual_of_siconos(void** state)
{
    (void)state;
    if (palSiconosBaseline() == NULL)
        SKIP("Siconos is not installed; scripts/deps.sh test");
    int reached = 0;
    for (int n = 0; n < 8; n++)
    {
        palStoredSparse heap;
        palStoredProblem stored;
        double ours[rowsMax], theirs[rowsMax];
        makeHeap(n, &heap);
        assert_int_equal(palStoredSparse_ToDense(&heap, &stored, NULL), pal_ok);
        palSolveInfo info = solveHeap(&heap, ours);
        double our = violation(&stored.problem, ours);
        // In units in which W is about 1, as Siconos expects; λ stays the same.
        double w = stored.W[0];
        for (int i = 0; i < stored.problem.rows; i++)
        {
            stored.gapFree[i] /= w;
            for (int j = 0; j < stored.problem.rows; j++)
                stored.W[i * stored.problem.stride + j] /= w;
        }
        bool answer = askSiconos(&stored.problem, 1e-10, 5000, theirs);
        double their = answer ? violation(&stored.problem, theirs) : INFINITY;
        print_message("%d: %d rows, ours %.1e after %d sweeps, Siconos %.1e\n", n,
                      stored.problem.rows, our, info.sweeps, their);
        ASSERT_BELOW(our, fmax(their, 1e-9));
        reached += our < 1e-9;
        palStoredProblem_Free(&stored);
        palStoredSparse_Free(&heap);
    }
    // A rigid heap of masses 100:1 in the middle of its fall is left by both with more.
    assert_true(reached >= 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frictionless_solutions_equal_those_of_siconos),
        cmocka_unit_test(frictional_residuals_are_at_least_as_small_as_those_of_siconos),
        cmocka_unit_test(heaps_are_solved_to_the_residual_of_siconos),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// The direct solver and Lemke's method against the enumeration of every active set.
#include "base/random.h"
#include "check.h"
#include "solve/lemke.h"
#include "solve/problem.h"
#include "solve/stored.h"

enum
{
    sizeMax = 7,
};

// Gauss elimination with full pivoting, in long double. Returns false where A is singular.
static bool solveSmall(int n, long double A[sizeMax][sizeMax + 1], double* x)
{
    int order[sizeMax];
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int k = 0; k < n; k++)
    {
        int r = k, c = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabsl(A[i][j]) > fabsl(A[r][c]))
                {
                    r = i;
                    c = j;
                }
        if (fabsl(A[r][c]) < 1e-14L)
            return false;
        for (int j = 0; j <= n; j++)
        {
            long double value = A[k][j];
            A[k][j] = A[r][j];
            A[r][j] = value;
        }
        for (int i = 0; i < n; i++)
        {
            long double value = A[i][k];
            A[i][k] = A[i][c];
            A[i][c] = value;
        }
        int column = order[k];
        order[k] = order[c];
        order[c] = column;
        for (int i = 0; i < n; i++)
        {
            long double factor = i == k ? 0.0L : A[i][k] / A[k][k];
            for (int j = k; j <= n && i != k; j++)
                A[i][j] -= factor * A[k][j];
        }
    }
    for (int k = 0; k < n; k++)
        x[order[k]] = (double)(A[k][n] / A[k][k]);
    return true;
}

static void boundsOf(const palContactProblem* problem, double* low, double* high)
{
    for (int b = 0; b < problem->blockCount; b++)
        for (int i = 0; i < problem->blocks[b].size; i++)
        {
            const palContactBlock* block = &problem->blocks[b];
            bool box = block->law == pal_lawBox;
            int row = block->row + i;
            low[row] = box ? block->low : block->law == pal_lawBilateral ? -INFINITY : 0.0;
            high[row] = box ? block->high : INFINITY;
        }
}

// Tries the active set in which row i is at low, at high or basic, as digit i of `code` says.
static bool tryActiveSet(const palContactProblem* problem, const double* low, const double* high,
                         int code, double* lambda)
{
    int n = problem->rows;
    int side[sizeMax];
    for (int i = 0; i < n; i++, code /= 3)
    {
        side[i] = code % 3;
        if ((side[i] == 0 && isinf(low[i])) || (side[i] == 1 && isinf(high[i])))
            return false;
    }
    long double A[sizeMax][sizeMax + 1];
    for (int i = 0; i < n; i++)
    {
        for (int j = 0; j < n; j++)
            A[i][j] = side[i] == 2 ? problem->W[i * problem->stride + j] : i == j;
        A[i][n] = side[i] == 2 ? -problem->gapFree[i] : side[i] == 0 ? low[i] : high[i];
    }
    if (!solveSmall(n, A, lambda))
        return false;
    for (int i = 0; i < n; i++)
    {
        double gap = problem->gapFree[i];
        for (int j = 0; j < n; j++)
            gap += problem->W[i * problem->stride + j] * lambda[j];
        const double small = 1e-11;
        if ((side[i] == 0 && gap < -small) || (side[i] == 1 && gap > small) ||
            (side[i] == 2 && (lambda[i] < low[i] - small || lambda[i] > high[i] + small)))
            return false;
    }
    return true;
}

static bool enumerate(const palContactProblem* problem, double* lambda)
{
    double low[sizeMax], high[sizeMax];
    boundsOf(problem, low, high);
    int codes = 1;
    for (int i = 0; i < problem->rows; i++)
        codes *= 3;
    for (int code = 0; code < codes; code++)
        if (tryActiveSet(problem, low, high, code, lambda))
            return true;
    return false;
}

// Rows of every linear law with a definite W, entries about 1.
static palStoredProblem randomLinear(palRandom* random, bool asymmetric)
{
    int n = 1 + palRandom_Below(random, sizeMax - 1);
    palStoredProblem stored;
    assert_int_equal(palStoredProblem_Init(&stored, n, n, NULL), pal_ok);
    double Z[sizeMax][sizeMax];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            Z[i][k] = palRandom_Normal(random);
    for (int i = 0; i < n; i++)
    {
        for (int j = 0; j < n; j++)
        {
            double* entry = &stored.W[i * stored.problem.stride + j];
            *entry = i == j ? 0.3 : asymmetric ? (i < j ? 0.2 : -0.2) : 0.0;
            for (int k = 0; k < n; k++)
                *entry += Z[i][k] * Z[j][k];
        }
        stored.gapFree[i] = palRandom_Normal(random);
        double bound = palRandom_Range(random, 0.05, 1.0);
        const palContactBlock kinds[] = {
            {.law = pal_lawUnilateral},
            {.law = pal_lawBilateral},
            {.law = pal_lawBox, .low = -bound, .high = 0.5 * bound},
            {.law = pal_lawBox, .low = 0.5 * bound, .high = bound},
            {.law = pal_lawBox, .low = -INFINITY, .high = bound},
            {.law = pal_lawBox, .low = -bound, .high = INFINITY},
            {.law = pal_lawBox, .low = -INFINITY, .high = INFINITY},
        };
        stored.blocks[i] = kinds[palRandom_Below(random, 7)];
        stored.blocks[i].row = i;
        stored.blocks[i].size = 1;
    }
    stored.problem.asymmetric = asymmetric;
    assert_int_equal(palContactProblem_Check(&stored.problem, NULL), pal_ok);
    return stored;
}

static void direct_solutions_equal_those_of_enumeration(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(21);
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(sizeMax, true, &workspace, NULL), pal_ok);
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = pal_solverDirect;
    settings.tolerance = 1e-13;
    settings.maxSweeps = 1000;
    for (int trial = 0; trial < 400; trial++)
    {
        palStoredProblem stored = randomLinear(&random, trial % 4 == 3);
        double ours[sizeMax], truth[sizeMax];
        palSolveInfo info;
        assert_true(enumerate(&stored.problem, truth));
        palContactProblem_Solve(&stored.problem, &settings, workspace, ours, &info);
        assert_true(info.flags & pal_solveConverged);
        for (int i = 0; i < stored.problem.rows; i++)
            ASSERT_NEAR(ours[i], truth[i], 1e-9);
        palStoredProblem_Free(&stored);
    }
    palSolveWorkspace_Destroy(workspace);
}

// A run as the solvers see it, for calling Lemke's method alone.
static palLemkeEnd lemkeAlone(const palContactProblem* problem, int64_t deadline,
                              palSolveWorkspace* workspace, double* lambda)
{
    palSolveSettings settings = palDefaultSolveSettings();
    palSolveInfo info = {.scale = palContactProblem_Scale(problem)};
    palRun run = {
        .problem = problem,
        .settings = &settings,
        .workspace = workspace,
        .info = &info,
        .deadline = deadline,
    };
    workspace->kernels = palRowKernels_Best();
    palSolveWorkspace_Load(workspace, problem, NULL);
    palLemkeEnd end = palLemke(&run);
    memcpy(lambda, workspace->lambda, (size_t)problem->rows * sizeof *lambda);
    return end;
}

static void lemke_alone_equals_enumeration(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(22);
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(sizeMax, true, &workspace, NULL), pal_ok);
    for (int trial = 0; trial < 400; trial++)
    {
        palStoredProblem stored = randomLinear(&random, trial % 4 == 3);
        double ours[sizeMax], truth[sizeMax];
        assert_true(enumerate(&stored.problem, truth));
        assert_int_equal(lemkeAlone(&stored.problem, 0, workspace, ours), pal_lemkeSolved);
        for (int i = 0; i < stored.problem.rows; i++)
            ASSERT_NEAR(ours[i], truth[i], 1e-8);
        palStoredProblem_Free(&stored);
    }
    palSolveWorkspace_Destroy(workspace);
}

// Joints alone, which need no complementary pivot.
static void lemke_ends_at_the_deadline_among_joints_too(void** state)
{
    (void)state;
    const int64_t longAgo = 1; // ns
    palStoredProblem stored;
    palSolveWorkspace* workspace;
    assert_int_equal(palStoredProblem_Init(&stored, sizeMax, 1, NULL), pal_ok);
    assert_int_equal(palSolveWorkspace_Create(sizeMax, true, &workspace, NULL), pal_ok);
    for (int i = 0; i < sizeMax; i++)
    {
        stored.W[i * stored.problem.stride + i] = 1e-3;
        stored.gapFree[i] = 1e-3;
    }
    stored.blocks[0] = (palContactBlock){.law = pal_lawBilateral, .size = sizeMax};
    double lambda[sizeMax];
    assert_int_equal(lemkeAlone(&stored.problem, longAgo, workspace, lambda), pal_lemkeBudget);
    assert_int_equal(lemkeAlone(&stored.problem, 0, workspace, lambda), pal_lemkeSolved);
    palSolveWorkspace_Destroy(workspace);
    palStoredProblem_Free(&stored);
}

// Two contacts on opposite sides of one thing, both violated: whatever opens one closes the other.
static void a_thing_wedged_between_two_walls_that_are_too_close_is_infeasible(void** state)
{
    (void)state;
    palStoredProblem stored;
    assert_int_equal(palStoredProblem_Init(&stored, 2, 1, NULL), pal_ok);
    int stride = stored.problem.stride;
    stored.W[0] = stored.W[stride + 1] = 1e-3;
    stored.W[1] = stored.W[stride] = -1e-3;
    stored.gapFree[0] = stored.gapFree[1] = -1e-3;
    stored.blocks[0] = (palContactBlock){.law = pal_lawUnilateral, .size = 2};
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(2, true, &workspace, NULL), pal_ok);
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = pal_solverDirect;
    double lambda[2];
    palSolveInfo info;
    palContactProblem_Solve(&stored.problem, &settings, workspace, lambda, &info);
    assert_int_equal(info.flags & pal_solveInfeasible, pal_solveInfeasible);
    assert_int_equal(info.flags & pal_solveConverged, 0);
    assert_true(isfinite(lambda[0]) && isfinite(lambda[1]));
    palSolveWorkspace_Destroy(workspace);
    palStoredProblem_Free(&stored);
}

// Solves and frees a problem: whether it says so rightly that it is solved.
static bool isSolved(palStoredProblem* stored)
{
    double gap[32];
    palSolveSettings settings = palDefaultSolveSettings();
    palSolveWorkspace* workspace;
    palSolveInfo info, judged = {0};
    settings.solver = pal_solverAutomatic;
    settings.maxSweeps = 1000;
    assert_int_equal(palSolveWorkspace_Create(stored->problem.rows, true, &workspace, NULL),
                     pal_ok);
    palContactProblem_Solve(&stored->problem, &settings, workspace, stored->lambda, &info);
    palContactProblem_Residual(&stored->problem, stored->lambda, gap, &judged);
    bool says = info.flags & pal_solveConverged, is = judged.residual <= 1e-6 * judged.scale;
    assert_true(is || !says);
    palSolveWorkspace_Destroy(workspace);
    palStoredProblem_Free(stored);
    return says;
}

static void expectSolved(palStoredProblem* stored, const char* what, int seed)
{
    if (!isSolved(stored))
        fail_msg("%s %d is not solved", what, seed);
}

// As in a circuit: voltages and currents that balance, a skew matrix of -1, 0 and 1 with a few
// resistances on its diagonal, the first rows equalities. The free variables are not determined by
// the equalities alone. Made from a solution.
static palStoredProblem makeCircuit(int seed)
{
    palRandom random = palMakeRandom((uint64_t)seed);
    int equalities = 1 + (int)palRandom_Range(&random, 0, 8);
    int n = equalities + 1 + (int)palRandom_Range(&random, 0, 12);
    double lambda[32];
    palStoredProblem stored;
    assert_int_equal(palStoredProblem_Init(&stored, n, 2, NULL), pal_ok);
    stored.blocks[0] = (palContactBlock){.law = pal_lawBilateral, .size = equalities};
    stored.blocks[1] =
        (palContactBlock){.law = pal_lawUnilateral, .row = equalities, .size = n - equalities};
    stored.problem.asymmetric = true;
    int stride = stored.problem.stride;
    for (int i = 0; i < n; i++)
    {
        for (int j = 0; j < i; j++)
        {
            double sign = palRandom_Range(&random, -1, 1) < 0.0 ? -1.0 : 1.0;
            double value = palRandom_Range(&random, 0, 1) < 0.3 ? sign : 0.0;
            stored.W[i * stride + j] = value;
            stored.W[j * stride + i] = -value;
        }
        stored.W[i * stride + i] = palRandom_Range(&random, 0, 1) < 0.3 ? 1e-3 : 0.0;
        bool acts = i < equalities || palRandom_Range(&random, 0, 1) < 0.5;
        lambda[i] = acts ? palRandom_Range(&random, i < equalities ? -1 : 0, 1) : 0.0;
        stored.gapFree[i] = acts ? 0.0 : palRandom_Range(&random, 0, 1);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            stored.gapFree[i] -= stored.W[i * stride + j] * lambda[j];
    return stored;
}

static void circuits_are_solved(void** state)
{
    (void)state;
    for (int seed = 0; seed < 200; seed++)
    {
        palStoredProblem circuit = makeCircuit(seed);
        expectSolved(&circuit, "circuit", seed);
    }
}

// The same with the equations in another order, as a program that writes down nodes and branches
// one after the other has them: the matrix is no longer skew, nor semi-definite. A few that no
// basis determines are not solved, and it is said.
static void most_circuits_with_equations_in_any_order_are_solved(void** state)
{
    (void)state;
    int solved = 0;
    for (int seed = 0; seed < 200; seed++)
    {
        palRandom random = palMakeRandom((uint64_t)seed + 1000);
        palStoredProblem circuit = makeCircuit(seed);
        int stride = circuit.problem.stride;
        for (int i = circuit.blocks[0].size - 1; i > 0; i--)
        {
            int other = (int)palRandom_Range(&random, 0, i + 1);
            double sign = palRandom_Range(&random, -1, 1) < 0.0 ? -1.0 : 1.0;
            for (int j = 0; j <= circuit.problem.rows; j++)
            {
                bool isGap = j == circuit.problem.rows;
                double* a = isGap ? &circuit.gapFree[i] : &circuit.W[i * stride + j];
                double* b = isGap ? &circuit.gapFree[other] : &circuit.W[other * stride + j];
                double kept = *a;
                *a = *b;
                *b = sign * kept;
            }
        }
        solved += isSolved(&circuit);
    }
    assert_in_range(solved, 190, 200);
}

// A game in the form with costs only, 0 <= z ⊥ M z - 1 >= 0 with M = [0 A; Bᵀ 0] > 0: Lemke's
// method from w ends in a ray, and there is always a solution (Nash).
static void games_of_costs_are_solved(void** state)
{
    (void)state;
    for (int seed = 0; seed < 100; seed++)
    {
        palRandom random = palMakeRandom((uint64_t)seed);
        int first = 2 + (int)palRandom_Range(&random, 0, 4);
        int n = first + 2 + (int)palRandom_Range(&random, 0, 4);
        palStoredProblem game;
        assert_int_equal(palStoredProblem_Init(&game, n, 1, NULL), pal_ok);
        game.blocks[0] = (palContactBlock){.law = pal_lawUnilateral, .size = n};
        game.problem.asymmetric = true;
        for (int i = 0; i < n; i++)
        {
            game.gapFree[i] = -1.0;
            for (int j = 0; j < n; j++)
                if ((i < first) != (j < first))
                    game.W[i * game.problem.stride + j] = palRandom_Range(&random, 1, 30);
        }
        expectSolved(&game, "game of costs", seed);
    }
}

// A game of two players with five strategies each whose pay-offs tie: the rows of the strategies,
// and that the shares of each add up to one. All but two of q are zero, so that ratios tie in every
// pivot.
static void games_with_ties_are_solved(void** state)
{
    (void)state;
    for (int seed = 0; seed < 100; seed++)
    {
        palRandom random = palMakeRandom((uint64_t)seed);
        palStoredProblem game;
        enum
        {
            each = 5,
            n = 2 * each + 2,
        };
        assert_int_equal(palStoredProblem_Init(&game, n, 1, NULL), pal_ok);
        game.blocks[0] = (palContactBlock){.law = pal_lawUnilateral, .size = n};
        game.problem.asymmetric = true;
        int stride = game.problem.stride;
        for (int i = 0; i < each; i++)
        {
            for (int j = 0; j < each; j++)
            {
                game.W[i * stride + each + j] = 1 + (int)palRandom_Range(&random, 0, 3);
                game.W[(each + i) * stride + j] = 1 + (int)palRandom_Range(&random, 0, 3);
            }
            game.W[i * stride + 2 * each] = game.W[(each + i) * stride + 2 * each + 1] = -1.0;
            game.W[2 * each * stride + i] = game.W[(2 * each + 1) * stride + each + i] = 1.0;
        }
        game.gapFree[2 * each] = game.gapFree[2 * each + 1] = -1.0;
        expectSolved(&game, "game", seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_solutions_equal_those_of_enumeration),
        cmocka_unit_test(lemke_alone_equals_enumeration),
        cmocka_unit_test(lemke_ends_at_the_deadline_among_joints_too),
        cmocka_unit_test(circuits_are_solved),
        cmocka_unit_test(most_circuits_with_equations_in_any_order_are_solved),
        cmocka_unit_test(games_of_costs_are_solved),
        cmocka_unit_test(games_with_ties_are_solved),
        cmocka_unit_test(a_thing_wedged_between_two_walls_that_are_too_close_is_infeasible),
    };
    return RUN(tests);
}

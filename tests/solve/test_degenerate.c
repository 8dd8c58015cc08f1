// SPDX-License-Identifier: Apache-2.0
// Input at the edge: what include/palpate/solve.h promises for it, under every solver.
#include "base/clock.h"
#include "base/random.h"
#include "check.h"
#include "solve/sample.h"
#include "solve/stored.h"

enum
{
    rowsMax = 64,
};

#define FOR_EACH_SOLVER(solver)                                                                    \
    for (palSolver solver = pal_solverAutomatic; palSolverName(solver) != NULL; solver++)

static palSolveInfo solve(const palContactProblem* problem, palSolver solver, double* lambda)
{
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(rowsMax, true, &workspace, NULL), pal_ok);
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = solver;
    settings.tolerance = 1e-10;
    settings.maxSweeps = 500;
    palSolveInfo info;
    assert_int_equal(palContactProblem_Solve(problem, &settings, workspace, lambda, &info), pal_ok);
    palSolveWorkspace_Destroy(workspace);
    for (int i = 0; i < problem->rows; i++)
        assert_true(isfinite(lambda[i]));
    assert_false(isnan(info.residual) || isnan(info.residualForce));
    return info;
}

// Unit compliance, gaps as given, one block of a law.
static palStoredProblem unitProblem(palLaw law, int rows, const double* gap)
{
    palStoredProblem stored;
    assert_int_equal(palStoredProblem_Init(&stored, rows, 1, NULL), pal_ok);
    for (int i = 0; i < rows; i++)
    {
        stored.W[i * stored.problem.stride + i] = 1.0;
        stored.gapFree[i] = gap[i];
    }
    stored.blocks[0] = (palContactBlock){.law = law, .size = rows, .mu = 0.5};
    return stored;
}

static void no_rows_are_solved(void** state)
{
    (void)state;
    palContactProblem problem = {0};
    double lambda[1] = {0};
    FOR_EACH_SOLVER(solver)
    {
        palSolveInfo info = solve(&problem, solver, lambda);
        assert_int_equal(info.flags, pal_solveConverged);
        ASSERT_NEAR(info.residual, 0.0, 0.0);
    }
}

static void a_row_that_nothing_moves_carries_no_force(void** state)
{
    (void)state;
    const double gap[2] = {-1.0, -2.0};
    FOR_EACH_SOLVER(solver)
    {
        double lambda[2];
        palStoredProblem stored = unitProblem(pal_lawUnilateral, 2, gap);
        stored.W[0] = 0.0;
        palSolveInfo info = solve(&stored.problem, solver, lambda);
        assert_int_equal(info.flags & (pal_solveInfeasible | pal_solveConverged),
                         pal_solveInfeasible);
        ASSERT_NEAR(lambda[0], 0.0, 0.0);
        ASSERT_NEAR(lambda[1], 2.0, 1e-12);
        ASSERT_NEAR(info.residual, 1.0, 1e-12);
        // Where the law holds anyway there is nothing to complain of.
        stored.gapFree[0] = 1.0;
        info = solve(&stored.problem, solver, lambda);
        assert_int_equal(info.flags & (pal_solveInfeasible | pal_solveConverged),
                         pal_solveConverged);
        palStoredProblem_Free(&stored);
    }
}

// A joint of which one row has nothing to move, beside contacts on which sweeps crawl: 500 do not
// reach the solution without a step of Newton's.
static void a_dead_row_of_a_joint_does_not_stop_newtons_method(void** state)
{
    (void)state;
    palSampleDef def = palDefaultSampleDef();
    def.seed = 1;
    def.contacts = 20;
    def.joints = 3;
    def.dofs = 20;
    def.local = 0.0;
    def.conditioning = 1000.0;
    def.pressed = 1.0;
    double lambda[rowsMax];
    palStoredProblem stored;
    assert_int_equal(palSampleProblem(&def, &stored, NULL), pal_ok);
    for (int i = 0; i < stored.problem.rows; i++)
        stored.W[i] = stored.W[i * stored.problem.stride] = 0.0;
    stored.gapFree[0] = 0.0;
    palSolveInfo crawling = solve(&stored.problem, pal_solverConjugate, lambda);
    assert_false(crawling.flags & pal_solveConverged);
    palSolveInfo info = solve(&stored.problem, pal_solverNewton, lambda);
    assert_true(info.flags & pal_solveConverged);
    ASSERT_NEAR(lambda[0], 0.0, 0.0);
    palStoredProblem_Free(&stored);
}

static void contradicting_bilateral_rows_are_never_called_solved(void** state)
{
    (void)state;
    // The same row twice, asked to be at two places.
    const double gap[2] = {1.0, -1.0};
    FOR_EACH_SOLVER(solver)
    {
        double lambda[2];
        palStoredProblem stored = unitProblem(pal_lawBilateral, 2, gap);
        stored.W[1] = stored.W[stored.problem.stride] = 1.0;
        palSolveInfo info = solve(&stored.problem, solver, lambda);
        assert_int_equal(info.flags & pal_solveConverged, 0);
        assert_true(info.residual >= 1.0 - 1e-9);
        if (info.solver == pal_solverDirect)
            assert_true(info.flags & pal_solveInfeasible);
        palStoredProblem_Free(&stored);
    }
}

// Pairs of rows that are nearly the same, with forces whose answers cancel: 1 N on either moves the
// point by some 1 m, and the gaps are a tenth of a nm. What rounding leaves of that is far more
// than 10⁻¹⁰ of the gaps, and as exact as numbers can be.
static void gaps_that_are_differences_of_large_motions_are_solved(void** state)
{
    (void)state;
    static const palSolver solvers[] = {pal_solverAutomatic, pal_solverDirect, pal_solverNewton};
    enum
    {
        rows = 8
    };
    for (int i = 0; i < 30; i++)
    {
        palRandom random = palMakeRandom((uint64_t)(i / 3));
        double J[rows][3], forces[rows], gap[rows] = {0}, lambda[rows];
        for (int r = 0; r < rows; r++)
        {
            for (int k = 0; k < 3; k++)
                J[r][k] = r % 2 == 1 ? J[r - 1][k] : palRandom_Normal(&random);
            forces[r] = r % 2 == 1 ? -forces[r - 1] : palRandom_Range(&random, 1.0, 2.0);
        }
        palStoredProblem stored = unitProblem(pal_lawBilateral, rows, gap);
        size_t stride = (size_t)stored.problem.stride;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < rows; c++)
            {
                double w = J[r][0] * J[c][0] + J[r][1] * J[c][1] + J[r][2] * J[c][2];
                stored.W[(size_t)r * stride + (size_t)c] = w + (r == c ? 1e-10 : 0.0);
            }
        for (int r = 0; r < rows; r++)
        {
            long double sum = 0.0;
            for (int c = 0; c < rows; c++)
                sum -= (long double)stored.W[(size_t)r * stride + (size_t)c] * forces[c];
            stored.gapFree[r] = (double)sum;
        }
        palSolveInfo info = solve(&stored.problem, solvers[i % 3], lambda);
        assert_true(info.flags & pal_solveConverged);
        ASSERT_BELOW(info.residual, 1e-14);
        palStoredProblem_Free(&stored);
    }
}

static void without_friction_there_is_no_tangential_force(void** state)
{
    (void)state;
    const double gap[4] = {-1.0, 0.5, 0.25, 0.1};
    FOR_EACH_SOLVER(solver)
    for (palLaw law = pal_lawPyramid; law <= pal_lawTorsion; law++)
    {
        double lambda[4];
        palStoredProblem stored = unitProblem(law, law == pal_lawTorsion ? 4 : 3, gap);
        stored.blocks[0].mu = 0.0;
        stored.blocks[0].radius = 0.1;
        palSolveInfo info = solve(&stored.problem, solver, lambda);
        assert_true(info.flags & pal_solveConverged);
        ASSERT_NEAR(lambda[0], 1.0, 1e-12);
        for (int i = 1; i < stored.problem.rows; i++)
            ASSERT_NEAR(lambda[i], 0.0, 0.0);
        palStoredProblem_Free(&stored);
    }
}

static void a_torsion_radius_of_zero_gives_no_torque(void** state)
{
    (void)state;
    const double gap[4] = {-1.0, 0.01, 0.0, 0.3};
    FOR_EACH_SOLVER(solver)
    {
        double lambda[4], after[4];
        palStoredProblem stored = unitProblem(pal_lawTorsion, 4, gap);
        palSolveInfo info = solve(&stored.problem, solver, lambda);
        assert_true(info.flags & pal_solveConverged);
        ASSERT_NEAR(lambda[1], -0.01, 1e-10);
        ASSERT_NEAR(lambda[3], 0.0, 0.0);
        palContactProblem_Residual(&stored.problem, lambda, after, &info);
        ASSERT_BELOW(info.residual, 1e-10);
        palStoredProblem_Free(&stored);
    }
}

static void what_is_not_finite_is_refused(void** state)
{
    (void)state;
    const double gap[3] = {-1.0, 0.5, -0.2};
    const double bad[] = {NAN, INFINITY, -INFINITY};
    FOR_EACH_SOLVER(solver)
    for (int place = 0; place < 3; place++)
        for (int k = 0; k < 3; k++)
        {
            double lambda[3];
            palStoredProblem stored = unitProblem(pal_lawCone, 3, gap);
            if (place == 0)
                stored.gapFree[0] = -fabs(bad[k]);
            else if (place == 1)
                stored.W[0] = bad[k];
            else
                stored.W[stored.problem.stride] = stored.W[1] = bad[k];
            if (place == 1 && k == 2)
                stored.W[0] = INFINITY;
            palSolveInfo info = solve(&stored.problem, solver, lambda);
            assert_int_equal(info.flags & (pal_solveNotFinite | pal_solveConverged),
                             pal_solveNotFinite);
            for (int i = 0; i < 3; i++)
                ASSERT_NEAR(lambda[i], 0.0, 0.0);
            palStoredProblem_Free(&stored);
        }
}

// Contacts that stick and outnumber the degrees of freedom, on a body that is much stiffer one way
// than another. Newton steps alone solve 58 of these within 200, sweeps 20.
static void redundant_contacts_are_solved_in_few_steps(void** state)
{
    (void)state;
    palSampleDef def = palDefaultSampleDef();
    def.contacts = 16;
    def.dofs = 30;
    def.local = 0.0;
    def.conditioning = 1000.0;
    def.pressed = 1.0;
    def.muLow = def.muHigh = 1.0;
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(rowsMax, true, &workspace, NULL), pal_ok);
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = pal_solverNewton;
    int solved = 0;
    for (def.seed = 1; def.seed <= 100; def.seed++)
    {
        palStoredProblem stored;
        palSolveInfo info;
        assert_int_equal(palSampleProblem(&def, &stored, NULL), pal_ok);
        palContactProblem_Solve(&stored.problem, &settings, workspace, stored.lambda, &info);
        solved += (info.flags & pal_solveConverged) != 0;
        assert_in_range(info.sweeps, 1, settings.maxSweeps);
        palStoredProblem_Free(&stored);
    }
    assert_in_range(solved, 75, 100);
    palSolveWorkspace_Destroy(workspace);
}

static void a_solution_as_warm_start_needs_no_sweep(void** state)
{
    (void)state;
    palSampleDef def = palDefaultSampleDef();
    palStoredProblem stored;
    assert_int_equal(palSampleProblem(&def, &stored, NULL), pal_ok);
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(rowsMax, false, &workspace, NULL), pal_ok);
    palSolveSettings settings = palDefaultSolveSettings();
    palSolveInfo info;
    palContactProblem_Solve(&stored.problem, &settings, workspace, stored.lambda, &info);
    assert_true(info.sweeps > 1 && (info.flags & pal_solveConverged));
    settings.warmStart = true;
    settings.tolerance = 1.01 * info.residual / info.scale;
    palContactProblem_Solve(&stored.problem, &settings, workspace, stored.lambda, &info);
    assert_int_equal(info.sweeps, 0);
    assert_true(info.flags & pal_solveConverged);
    // A guess that is not a number is as good as none.
    for (int i = 0; i < stored.problem.rows; i++)
        stored.lambda[i] = NAN;
    settings.tolerance = 1e-8;
    palContactProblem_Solve(&stored.problem, &settings, workspace, stored.lambda, &info);
    assert_true(info.flags & pal_solveConverged);
    palSolveWorkspace_Destroy(workspace);
    palStoredProblem_Free(&stored);
}

static void when_the_budget_ends_the_best_iterate_is_returned_with_its_residual(void** state)
{
    (void)state;
    palSampleDef def = palDefaultSampleDef();
    def.contacts = 20;
    def.dofs = 31; // redundant: convergence is slow
    def.local = 0.0;
    def.pressed = 1.0;
    palStoredProblem stored;
    assert_int_equal(palSampleProblem(&def, &stored, NULL), pal_ok);
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(rowsMax, true, &workspace, NULL), pal_ok);
    FOR_EACH_SOLVER(solver)
    {
        palSolveSettings settings = palDefaultSolveSettings();
        settings.solver = solver;
        settings.tolerance = 0.0;
        double last = INFINITY;
        for (int sweeps = 0; sweeps < 30; sweeps += 3)
        {
            double gap[rowsMax];
            palSolveInfo info, judged = {0};
            settings.maxSweeps = sweeps;
            palContactProblem_Solve(&stored.problem, &settings, workspace, stored.lambda, &info);
            assert_true(info.sweeps <= sweeps);
            assert_int_equal(info.flags & (pal_solveConverged | pal_solveBudgetEnded),
                             pal_solveBudgetEnded);
            palContactProblem_Residual(&stored.problem, stored.lambda, gap, &judged);
            ASSERT_NEAR(info.residual, judged.residual, 1e-12 * info.scale);
            // More sweeps never return anything worse.
            ASSERT_BELOW(info.residual, last * (1.0 + 1e-9));
            last = info.residual;
        }
    }
    palSolveWorkspace_Destroy(workspace);
    palStoredProblem_Free(&stored);
}

static void a_budget_of_time_ends_the_solve(void** state)
{
    (void)state;
    palSampleDef def = palDefaultSampleDef();
    def.contacts = 20;
    def.dofs = 31; // redundant: convergence is slow
    def.local = 0.0;
    palStoredProblem stored;
    assert_int_equal(palSampleProblem(&def, &stored, NULL), pal_ok);
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(rowsMax, false, &workspace, NULL), pal_ok);
    palSolveSettings settings = palDefaultSolveSettings();
    settings.tolerance = 0.0;
    settings.maxSweeps = 1000000000;
    settings.budget = 100000; // 0.1 ms
    palSolveInfo info;
    palContactProblem_Solve(&stored.problem, &settings, workspace, stored.lambda, &info);
    assert_true(info.flags & pal_solveBudgetEnded);
    assert_true(info.sweeps > 0 && info.sweeps < 1000000000);
    palSolveWorkspace_Destroy(workspace);
    palStoredProblem_Free(&stored);
}

static void a_problem_too_large_for_the_workspace_is_refused(void** state)
{
    (void)state;
    const double gap[3] = {-1.0, -1.0, -1.0};
    palStoredProblem stored = unitProblem(pal_lawUnilateral, 3, gap);
    palSolveWorkspace* workspace;
    palSolveInfo info;
    palSolveSettings settings = palDefaultSolveSettings();
    assert_int_equal(palSolveWorkspace_Create(2, false, &workspace, NULL), pal_ok);
    assert_int_equal(
        palContactProblem_Solve(&stored.problem, &settings, workspace, stored.lambda, &info),
        pal_errorInput);
    palSolveWorkspace_Destroy(workspace);
    assert_int_equal(palSolveWorkspace_Create(3, false, &workspace, NULL), pal_ok);
    settings.solver = pal_solverNewton;
    assert_int_equal(
        palContactProblem_Solve(&stored.problem, &settings, workspace, stored.lambda, &info),
        pal_errorInput);
    palSolveWorkspace_Destroy(workspace);
    palStoredProblem_Free(&stored);
    palError error;
    assert_int_equal(palSolveWorkspace_Create(-1, false, &workspace, &error), pal_errorInput);
    assert_null(workspace);
}

static void misshapen_problems_are_told(void** state)
{
    (void)state;
    const double gap[3] = {-1.0, -1.0, -1.0};
    palStoredProblem stored = unitProblem(pal_lawCone, 3, gap);
    const palContactBlock good = stored.blocks[0];
    palContactBlock bad[] = {good, good, good, good, good, good};
    bad[0].row = 1;
    bad[1].size = 2;
    bad[2].mu = -0.1;
    bad[3].mu = NAN;
    bad[4].law = (palLaw)99;
    bad[5] = (palContactBlock){.law = pal_lawBox, .size = 3, .low = 1.0, .high = 0.0};
    for (int i = 0; i < 6; i++)
    {
        palError error = {0};
        stored.blocks[0] = bad[i];
        assert_int_equal(palContactProblem_Check(&stored.problem, &error), pal_errorInput);
        assert_true(error.text[0] != '\0');
    }
    palStoredProblem_Free(&stored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rows_are_solved),
        cmocka_unit_test(a_row_that_nothing_moves_carries_no_force),
        cmocka_unit_test(a_dead_row_of_a_joint_does_not_stop_newtons_method),
        cmocka_unit_test(contradicting_bilateral_rows_are_never_called_solved),
        cmocka_unit_test(gaps_that_are_differences_of_large_motions_are_solved),
        cmocka_unit_test(without_friction_there_is_no_tangential_force),
        cmocka_unit_test(a_torsion_radius_of_zero_gives_no_torque),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(redundant_contacts_are_solved_in_few_steps),
        cmocka_unit_test(a_solution_as_warm_start_needs_no_sweep),
        cmocka_unit_test(when_the_budget_ends_the_best_iterate_is_returned_with_its_residual),
        cmocka_unit_test(a_budget_of_time_ends_the_solve),
        cmocka_unit_test(a_problem_too_large_for_the_workspace_is_refused),
        cmocka_unit_test(misshapen_problems_are_told),
    };
    return RUN(tests);
}

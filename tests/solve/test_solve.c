// SPDX-License-Identifier: Apache-2.0
// Problems whose solution is known by hand, under every solver.
#include "check.h"
#include "solve/sample.h"
#include "solve/stored.h"

static const double gravity = 9.81;
static const double h = 1e-2; // s

// Solves with one solver, tightly; checks that it says so. λ is written to `lambda`.
static palSolveInfo solveTightly(const palContactProblem* problem, palSolver solver, double* lambda)
{
    assert_int_equal(palContactProblem_Check(problem, NULL), pal_ok);
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(problem->rows, true, &workspace, NULL), pal_ok);
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = solver;
    settings.tolerance = 1e-13;
    settings.maxSweeps = 20000;
    palSolveInfo info;
    assert_int_equal(palContactProblem_Solve(problem, &settings, workspace, lambda, &info), pal_ok);
    palSolveWorkspace_Destroy(workspace);
    assert_int_equal(info.flags & pal_solveConverged, pal_solveConverged);
    return info;
}

#define FOR_EACH_SOLVER(solver)                                                                    \
    for (palSolver solver = pal_solverAutomatic; palSolverName(solver) != NULL; solver++)

// W = h² J M⁻¹ Jᵀ and δ_free = h² J M⁻¹ f, for a body with diagonal mass M under the load f.
static palStoredProblem bodyProblem(int rows, int dofs, const double* J, const double* mass,
                                    const double* load, int blockCount)
{
    palStoredProblem stored;
    assert_int_equal(palStoredProblem_Init(&stored, rows, blockCount, NULL), pal_ok);
    for (int i = 0; i < rows; i++)
    {
        for (int j = 0; j < rows; j++)
            for (int k = 0; k < dofs; k++)
                stored.W[i * stored.problem.stride + j] +=
                    h * h * J[i * dofs + k] * J[j * dofs + k] / mass[k];
        for (int k = 0; k < dofs; k++)
            stored.gapFree[i] += h * h * J[i * dofs + k] * load[k] / mass[k];
    }
    return stored;
}

// A block of 2 kg on a slope: rows n, t1 (down the slope), t2.
static palStoredProblem slopeProblem(palLaw law, double angle, double mu)
{
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double mass[3] = {2, 2, 2};
    double load[3] = {-2 * gravity * cos(angle), 2 * gravity * sin(angle), 0};
    palStoredProblem stored = bodyProblem(3, 3, J, mass, load, 1);
    stored.blocks[0] = (palContactBlock){.law = law, .size = 3, .mu = mu};
    return stored;
}

static void block_on_a_slope_sticks_below_the_friction_angle(void** state)
{
    (void)state;
    FOR_EACH_SOLVER(solver)
    for (palLaw law = pal_lawPyramid; law <= pal_lawCone; law++)
    {
        double lambda[3];
        palStoredProblem stored = slopeProblem(law, 0.4, 0.5); // tan 0.4 = 0.42
        solveTightly(&stored.problem, solver, lambda);
        ASSERT_NEAR(lambda[0], 2 * gravity * cos(0.4), 1e-9);
        ASSERT_NEAR(lambda[1], -2 * gravity * sin(0.4), 1e-9);
        ASSERT_NEAR(lambda[2], 0.0, 1e-9);
        palStoredProblem_Free(&stored);
    }
}

static void block_on_a_slope_slides_above_the_friction_angle(void** state)
{
    (void)state;
    FOR_EACH_SOLVER(solver)
    for (palLaw law = pal_lawPyramid; law <= pal_lawCone; law++)
    {
        double lambda[3], gap[3];
        palSolveInfo info = {0};
        palStoredProblem stored = slopeProblem(law, 0.6, 0.5); // tan 0.6 = 0.68
        solveTightly(&stored.problem, solver, lambda);
        double normal = 2 * gravity * cos(0.6);
        ASSERT_NEAR(lambda[0], normal, 1e-9);
        ASSERT_NEAR(lambda[1], -0.5 * normal, 1e-9);
        palContactProblem_Residual(&stored.problem, lambda, gap, &info);
        ASSERT_NEAR(gap[1], h * h * gravity * (sin(0.6) - 0.5 * cos(0.6)), 1e-12);
        palStoredProblem_Free(&stored);
    }
}

static void wedge_between_two_walls_presses_with_the_weight_over_twice_the_sine(void** state)
{
    (void)state;
    // Walls that lean outward by 0.2 rad from the vertical: normals (±cos a, sin a).
    double a = 0.2;
    const double J[4] = {cos(a), sin(a), -cos(a), sin(a)};
    const double mass[2] = {3, 3};
    const double load[2] = {0, -3 * gravity};
    FOR_EACH_SOLVER(solver)
    {
        double lambda[2];
        palStoredProblem stored = bodyProblem(2, 2, J, mass, load, 1);
        stored.blocks[0] = (palContactBlock){.law = pal_lawUnilateral, .size = 2};
        solveTightly(&stored.problem, solver, lambda);
        ASSERT_NEAR(lambda[0], 3 * gravity / (2 * sin(a)), 1e-7);
        ASSERT_NEAR(lambda[1], 3 * gravity / (2 * sin(a)), 1e-7);
        palStoredProblem_Free(&stored);
    }
}

static void four_legs_of_a_table_carry_its_weight_without_moment(void** state)
{
    (void)state;
    // Dofs z, rx, ry of a table of 10 kg; a leg at (x, y) moves by z + y rx − x ry.
    const double x[4] = {0.5, 0.5, -0.5, -0.5};
    const double y[4] = {0.3, -0.3, 0.3, -0.3};
    double J[12];
    for (int i = 0; i < 4; i++)
    {
        J[3 * i] = 1;
        J[3 * i + 1] = y[i];
        J[3 * i + 2] = -x[i];
    }
    const double mass[3] = {10, 0.4, 0.9};
    const double load[3] = {-10 * gravity, 1.0, -2.0}; // something lies off centre
    FOR_EACH_SOLVER(solver)
    {
        double lambda[4];
        palStoredProblem stored = bodyProblem(4, 3, J, mass, load, 1);
        stored.blocks[0] = (palContactBlock){.law = pal_lawUnilateral, .size = 4};
        solveTightly(&stored.problem, solver, lambda);
        for (int k = 0; k < 3; k++)
        {
            double sum = load[k];
            for (int i = 0; i < 4; i++)
                sum += J[3 * i + k] * lambda[i];
            ASSERT_NEAR(sum, 0.0, 1e-8);
        }
        for (int i = 0; i < 4; i++)
            assert_true(lambda[i] >= 0.0);
        palStoredProblem_Free(&stored);
    }
}

static void joint_and_contact_share_the_weight_of_a_bar(void** state)
{
    (void)state;
    // A bar of 4 kg and 1 m, hinged at its left end (rows x, y), its right end on the ground.
    // Dofs x, y, θ at the centre.
    const double J[9] = {1, 0, 0, 0, 1, -0.5, 0, 1, 0.5};
    const double mass[3] = {4, 4, 4.0 / 12.0};
    const double load[3] = {0, -4 * gravity, 0};
    FOR_EACH_SOLVER(solver)
    {
        double lambda[3];
        palStoredProblem stored = bodyProblem(3, 3, J, mass, load, 2);
        stored.blocks[0] = (palContactBlock){.law = pal_lawBilateral, .size = 2};
        stored.blocks[1] = (palContactBlock){.law = pal_lawUnilateral, .row = 2, .size = 1};
        solveTightly(&stored.problem, solver, lambda);
        ASSERT_NEAR(lambda[0], 0.0, 1e-8);
        ASSERT_NEAR(lambda[1], 2 * gravity, 1e-8);
        ASSERT_NEAR(lambda[2], 2 * gravity, 1e-8);
        palStoredProblem_Free(&stored);
    }
}

// Six rows of a weld, forces and torques: in other units, D W D and D δ, the forces are D⁻¹ λ.
static void units_of_a_joints_rows_do_not_matter(void** state)
{
    (void)state;
    const double D[6] = {1024.0, 512.0, 2048.0, 1.0 / 1024.0, 1.0 / 2048.0, 1.0 / 512.0};
    double J[36], lambda[6], scaled[6], gap[6];
    const double mass[6] = {2, 2, 2, 0.5, 0.5, 0.5}, load[6] = {1, -2, 3, 0.5, -0.25, 0.125};
    for (int i = 0; i < 36; i++)
        J[i] = sin(i + 1.0) + (i % 7 == 0 ? 2.0 : 0.0);
    palStoredProblem stored = bodyProblem(6, 6, J, mass, load, 1);
    stored.blocks[0] = (palContactBlock){.law = pal_lawBilateral, .size = 6};
    solveTightly(&stored.problem, pal_solverGaussSeidel, lambda);
    for (int i = 0; i < 6; i++)
    {
        stored.gapFree[i] *= D[i];
        for (int j = 0; j < 6; j++)
            stored.W[i * stored.problem.stride + j] *= D[i] * D[j];
    }
    solveTightly(&stored.problem, pal_solverGaussSeidel, scaled);
    palSolveInfo info = {0};
    palContactProblem_Residual(&stored.problem, scaled, gap, &info);
    for (int i = 0; i < 6; i++)
    {
        ASSERT_NEAR(D[i] * scaled[i], lambda[i], 1e-9 * fabs(lambda[i]));
        ASSERT_BELOW(fabs(gap[i]), 1e-9 * fabs(stored.gapFree[i]));
    }
    palStoredProblem_Free(&stored);
}

static void box_row_gives_what_it_can(void** state)
{
    (void)state;
    // A motor of at most 5 N holds 2 kg: it slips down with the rest of the weight.
    const double one = 1.0, mass = 2.0, load = -2 * gravity;
    FOR_EACH_SOLVER(solver)
    {
        double lambda, gap;
        palSolveInfo info = {0};
        palStoredProblem stored = bodyProblem(1, 1, &one, &mass, &load, 1);
        stored.blocks[0] = (palContactBlock){.law = pal_lawBox, .size = 1, .low = -5, .high = 5};
        solveTightly(&stored.problem, solver, &lambda);
        ASSERT_NEAR(lambda, 5.0, 1e-12);
        palContactProblem_Residual(&stored.problem, &lambda, &gap, &info);
        ASSERT_NEAR(gap, h * h * (5.0 - 2 * gravity) / 2.0, 1e-15);
        palStoredProblem_Free(&stored);
    }
}

static void torsion_and_sliding_share_one_ellipse(void** state)
{
    (void)state;
    // A pad pressed with 10 N, pulled sideways and turned beyond what friction holds; rows n, t1,
    // t2, torsion. W diagonal with W_zz = W_tt/ρ², so that slip is along the pull:
    // (λt, λz/ρ) = −μ N (pull, ρ turn) / |(pull, ρ turn)|.
    double rho = 0.02, mu = 0.4, c = 1e-3;
    double pull = 0.03, turn = 1.0;
    FOR_EACH_SOLVER(solver)
    {
        double lambda[4];
        palStoredProblem stored;
        assert_int_equal(palStoredProblem_Init(&stored, 4, 1, NULL), pal_ok);
        for (int i = 0; i < 4; i++)
            stored.W[i * stored.problem.stride + i] = i == 3 ? c / (rho * rho) : c;
        stored.gapFree[0] = -10 * c;
        stored.gapFree[1] = pull;
        stored.gapFree[3] = turn;
        stored.blocks[0] =
            (palContactBlock){.law = pal_lawTorsion, .size = 4, .mu = mu, .radius = rho};
        solveTightly(&stored.problem, solver, lambda);
        double length = hypot(pull, rho * turn);
        ASSERT_NEAR(lambda[0], 10.0, 1e-9);
        ASSERT_NEAR(lambda[1], -mu * 10 * pull / length, 1e-9);
        ASSERT_NEAR(lambda[2], 0.0, 1e-9);
        ASSERT_NEAR(lambda[3], -mu * 10 * rho * (rho * turn) / length, 1e-10);
        palStoredProblem_Free(&stored);
    }
}

// A sample with a skew part, which no compliance has but stored problems do.
static void asymmetric_problems_are_solved_with_their_own_rows(void** state)
{
    (void)state;
    for (palLaw law = pal_lawUnilateral; law <= pal_lawTorsion; law++)
    {
        palSampleDef def = palDefaultSampleDef();
        palStoredProblem stored;
        def.law = law;
        def.joints = 3;
        assert_int_equal(palSampleProblem(&def, &stored, NULL), pal_ok);
        int n = stored.problem.rows;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                stored.W[i * stored.problem.stride + j] *= 1.05;
        stored.problem.asymmetric = true;
        FOR_EACH_SOLVER(solver)
        {
            double gap[64];
            palSolveInfo info = {0};
            solveTightly(&stored.problem, solver, stored.lambda);
            palContactProblem_Residual(&stored.problem, stored.lambda, gap, &info);
            ASSERT_BELOW(info.residual, 2e-13 * info.scale);
            for (int i = 0; i < n; i++)
            {
                long double sum = stored.gapFree[i];
                for (int j = 0; j < n; j++)
                    sum += (long double)stored.W[i * stored.problem.stride + j] * stored.lambda[j];
                ASSERT_NEAR(gap[i], (double)sum, 1e-13 * fabs(info.scale) + 1e-15);
            }
        }
        palStoredProblem_Free(&stored);
    }
}

static void scalar_and_simd_kernels_lead_to_the_same_forces(void** state)
{
    (void)state;
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(100, true, &workspace, NULL), pal_ok);
    FOR_EACH_SOLVER(solver)
    for (palLaw law = pal_lawUnilateral; law <= pal_lawTorsion; law++)
    {
        palSampleDef def = palDefaultSampleDef();
        palStoredProblem stored;
        double lambda[2][64];
        def.law = law;
        assert_int_equal(palSampleProblem(&def, &stored, NULL), pal_ok);
        for (int k = 0; k < 2; k++)
        {
            palSolveSettings settings = palDefaultSolveSettings();
            palSolveInfo info;
            settings.solver = solver;
            settings.tolerance = 1e-13;
            settings.scalar = k == 1;
            palContactProblem_Solve(&stored.problem, &settings, workspace, lambda[k], &info);
            assert_true(info.flags & pal_solveConverged);
        }
        for (int i = 0; i < stored.problem.rows; i++)
            ASSERT_NEAR(lambda[0][i], lambda[1][i], 1e-10);
        palStoredProblem_Free(&stored);
    }
    palSolveWorkspace_Destroy(workspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_on_a_slope_sticks_below_the_friction_angle),
        cmocka_unit_test(block_on_a_slope_slides_above_the_friction_angle),
        cmocka_unit_test(wedge_between_two_walls_presses_with_the_weight_over_twice_the_sine),
        cmocka_unit_test(four_legs_of_a_table_carry_its_weight_without_moment),
        cmocka_unit_test(joint_and_contact_share_the_weight_of_a_bar),
        cmocka_unit_test(units_of_a_joints_rows_do_not_matter),
        cmocka_unit_test(box_row_gives_what_it_can),
        cmocka_unit_test(torsion_and_sliding_share_one_ellipse),
        cmocka_unit_test(asymmetric_problems_are_solved_with_their_own_rows),
        cmocka_unit_test(scalar_and_simd_kernels_lead_to_the_same_forces),
    };
    return RUN(tests);
}

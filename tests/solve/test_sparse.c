// SPDX-License-Identifier: Apache-2.0
// The sparse solver finds the solutions of the dense problem: of every law, of random bodies.
#include "check.h"

#include "base/random.h"
#include "solve/sample_boxes.h"

enum
{
    rowsMax = 60,
    bodiesMax = 8,
};

typedef struct randomDef
{
    uint64_t seed;
    palLaw law;    // of the blocks; past the last: any
    bool contacts; // forces on the two bodies are opposite, as those of contacts
    double soft;   // R relative to a typical W; 0: rigid
} randomDef;

static palVec3 randomVector(palRandom* random)
{
    double x = palRandom_Normal(random), y = palRandom_Normal(random);
    return palMakeVec3(x, y, palRandom_Normal(random));
}

static palMat3 randomInertia(palRandom* random)
{
    palMat3 a =
        palMakeMat3Columns(randomVector(random), randomVector(random), randomVector(random));
    // Bodies that do not turn about one of their axes too.
    double third = palRandom_Below(random, 4) == 0 ? 0.0 : 1.0;
    for (int i = 0; i < 3; i++)
        a.m[i][2] *= third;
    palMat3 I = palMat3Mul(a, palMat3Transpose(a));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            I.m[i][j] = I.m[j][i];
    return I;
}

static int blockSize(palRandom* random, palLaw law)
{
    if (law == pal_lawTorsion)
        return 4;
    return law >= pal_lawPyramid ? 2 + palRandom_Below(random, 2) : 1 + palRandom_Below(random, 7);
}

// Fills a row; its free gap is that of the free motion of its bodies, so that a motion exists that
// closes every gap and the problem has a solution.
static void fillRow(palRandom* random, const randomDef* def, const int ends[2], int row,
                    double scale, const palTwist* motion, palStoredSparse* stored)
{
    palWrench* wrench = stored->J[row].wrench;
    for (int e = 0; e < 2; e++)
    {
        wrench[e] = (palWrench){randomVector(random), randomVector(random)};
        if (e == 1 && def->contacts)
            wrench[e].force = palNeg(wrench[0].force);
    }
    for (int e = 0; e < 2; e++)
    {
        wrench[e].force = palScale(scale, wrench[e].force);
        wrench[e].torque = palScale(scale, wrench[e].torque);
        if (ends[e] >= 0)
            stored->gapFree[row] += palDot(wrench[e].force, motion[ends[e]].v) +
                                    palDot(wrench[e].torque, motion[ends[e]].omega);
    }
    stored->softness[row] = scale * scale * 1e-5 * def->soft * palRandom_Range(random, 0.1, 1.0);
}

static palStoredSparse randomProblem(const randomDef* def)
{
    palRandom random = palMakeRandom(def->seed);
    palStoredSparse stored;
    int bodyCount = 1 + palRandom_Below(&random, bodiesMax);
    assert_int_equal(palStoredSparse_Init(&stored, bodyCount, rowsMax, rowsMax, NULL), pal_ok);
    stored.problem.h = 1e-3;
    palTwist motion[bodiesMax] = {0};
    for (int i = 0; i < bodyCount; i++)
    {
        bool isFixed = palRandom_Below(&random, 6) == 0;
        if (isFixed)
            continue;
        stored.bodies[i].mass = exp(palRandom_Normal(&random));
        stored.bodies[i].inertia = randomInertia(&random);
        motion[i].v = palScale(1e-3, randomVector(&random));
    }
    int blockCount = 0, rows = 0, wanted = palRandom_Below(&random, rowsMax - 7);
    while (rows < wanted)
    {
        palLaw law = palLawName(def->law) != NULL ? def->law : (palLaw)palRandom_Below(&random, 6);
        palContactBlock* block = &stored.blocks[blockCount];
        *block = (palContactBlock){.law = law, .row = rows, .size = blockSize(&random, law)};
        block->mu = palRandom_Below(&random, 8) == 0 ? 0.0 : palRandom_Range(&random, 0.1, 0.9);
        block->radius = palRandom_Below(&random, 8) == 0 ? 0.0 : 0.02;
        block->low = palRandom_Range(&random, -200.0, 50.0);
        block->high = block->low + palRandom_Range(&random, 0.0, 300.0);
        int* ends = stored.ends[blockCount++];
        for (int e = 0; e < 2; e++)
            ends[e] = palRandom_Below(&random, bodyCount + 1) - 1;
        for (int i = 0; i < block->size; i++, rows++)
            fillRow(&random, def, ends, rows, law == pal_lawTorsion && i == 3 ? 50.0 : 1.0, motion,
                    &stored);
    }
    stored.problem.rows = rows;
    stored.problem.blockCount = blockCount;
    return stored;
}

// The dense form; W is [rows][rows].
static palContactProblem denseOf(const palSparseProblem* sparse, double* W)
{
    palSparseProblem_Dense(sparse, W);
    return (palContactProblem){
        .rows = sparse->rows,
        .blockCount = sparse->blockCount,
        .stride = sparse->rows,
        .W = W,
        .gapFree = sparse->gapFree,
        .blocks = sparse->blocks,
    };
}

static palSolveInfo solveSparse(const palStoredSparse* stored, palSolver solver, double tolerance,
                                int sweeps, double* lambda, palTwist* displacement)
{
    const palSparseProblem* problem = &stored->problem;
    palSparseWorkspace* workspace;
    assert_int_equal(palSparseWorkspace_Create(problem->bodyCount, problem->rows,
                                               problem->blockCount, &workspace, NULL),
                     pal_ok);
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = solver;
    settings.tolerance = tolerance;
    settings.maxSweeps = sweeps;
    palSolveInfo info;
    assert_int_equal(
        palSparseProblem_Solve(problem, &settings, workspace, lambda, displacement, &info), pal_ok);
    palSparseWorkspace_Destroy(workspace);
    return info;
}

static void residual_and_displacement_are_those_of_the_dense_problem(void** state)
{
    (void)state;
    for (int n = 0; n < 400; n++)
    {
        randomDef def = {.seed = (uint64_t)n, .law = (palLaw)(n % 7), .contacts = n % 2, .soft = 1};
        palStoredSparse stored = randomProblem(&def);
        int rows = stored.problem.rows;
        double W[rowsMax * rowsMax], lambda[rowsMax], gap[rowsMax];
        palTwist displacement[bodiesMax];
        palContactProblem dense = denseOf(&stored.problem, W);
        palSolveInfo info =
            solveSparse(&stored, pal_solverGaussSeidel, 0.0, n % 4, lambda, displacement);
        palSolveInfo expected = {0};
        palContactProblem_Residual(&dense, lambda, gap, &expected);
        ASSERT_NEAR(info.residual, expected.residual, 1e-10 * expected.scale);
        double largest = 1.0;
        for (int i = 0; i < rows; i++)
            largest = fmax(largest, fabs(lambda[i]));
        ASSERT_NEAR(info.residualForce, expected.residualForce, 1e-9 * largest);
        ASSERT_NEAR(info.scale, expected.scale, 1e-12 * expected.scale);
        assert_int_equal(info.activeRows, expected.activeRows);
        for (int b = 0; b < stored.problem.blockCount; b++)
            for (int i = stored.blocks[b].row; i < stored.blocks[b].row + stored.blocks[b].size;
                 i++)
            {
                double moved = stored.gapFree[i] + stored.softness[i] * lambda[i];
                for (int e = 0; e < 2; e++)
                    if (stored.ends[b][e] >= 0)
                    {
                        const palTwist* u = &displacement[stored.ends[b][e]];
                        const palWrench* wrench = &stored.J[i].wrench[e];
                        moved += palDot(wrench->force, u->v) + palDot(wrench->torque, u->omega);
                    }
                ASSERT_NEAR(moved, gap[i], 1e-9 * (expected.scale + fabs(gap[i])));
            }
        palStoredSparse_Free(&stored);
    }
}

static palSolveInfo solveDense(const palContactProblem* dense, palSolver solver, double* lambda)
{
    palSolveSettings settings = palDefaultSolveSettings();
    palSolveWorkspace* workspace;
    palSolveInfo info;
    settings.solver = solver;
    settings.tolerance = 1e-11;
    settings.maxSweeps = 20000;
    assert_int_equal(palSolveWorkspace_Create(dense->rows, true, &workspace, NULL), pal_ok);
    palContactProblem_Solve(dense, &settings, workspace, lambda, &info);
    palSolveWorkspace_Destroy(workspace);
    return info;
}

// Solves one problem to 1e-11 as a sparse and as a dense one, and compares δ of the linear laws,
// which is unique, and λ where each row has a compliance of its own. Returns whether it converged;
// on some of these problems, with directions of friction that no contact has, sweeps cycle.
static bool compareWithDense(const randomDef* def, palSolver solver)
{
    palStoredSparse stored = randomProblem(def);
    int rows = stored.problem.rows;
    double W[rowsMax * rowsMax], lambda[rowsMax], exact[rowsMax], gap[rowsMax], exactGap[rowsMax];
    palTwist displacement[bodiesMax];
    palContactProblem dense = denseOf(&stored.problem, W);
    palSolveInfo denseInfo = solveDense(&dense, pal_solverNewton, exact), check = {0};
    palSolveInfo info = solveSparse(&stored, solver, 1e-11, 20000, lambda, displacement);
    bool converged = info.flags & pal_solveConverged;
    assert_true(denseInfo.flags & pal_solveConverged || def->law > pal_lawBox);
    palContactProblem_Residual(&dense, lambda, gap, &check);
    palContactProblem_Residual(&dense, exact, exactGap, &denseInfo);
    ASSERT_NEAR(check.residual, info.residual, 1e-11 * info.scale);
    for (int i = 0; i < rows && converged && def->law <= pal_lawBox; i++)
    {
        ASSERT_NEAR(gap[i], exactGap[i], 1e-7 * info.scale);
        if (def->soft > 0.0)
            ASSERT_NEAR(lambda[i], exact[i], 1e-9 * info.scale / stored.softness[i]);
    }
    if (!converged && solver == pal_solverGaussSeidel)
        assert_false(solveDense(&dense, solver, exact).flags & pal_solveConverged);
    palStoredSparse_Free(&stored);
    return converged;
}

static void solutions_of_every_law_are_those_of_the_dense_solver(void** state)
{
    (void)state;
    for (int law = 0; law < 7; law++)
    {
        int converged = 0;
        for (int n = 0; n < 90; n++)
        {
            const double softness[3] = {1.0, 0.1, 0.0};
            randomDef def = {1000 + (uint64_t)n, (palLaw)law, n % 4 < 2, softness[n % 3]};
            converged +=
                compareWithDense(&def, n % 2 ? pal_solverConjugate : pal_solverGaussSeidel);
        }
        print_message("%s: %d of 90\n", law < 6 ? palLawName((palLaw)law) : "all", converged);
        assert_true(converged >= 80);
    }
}

// A column of boxes on a floor, 100 times as heavy ones on light ones.
static void a_stack_of_unequal_masses_rests_under_its_weight(void** state)
{
    (void)state;
    for (int n = 0; n < 8; n++)
    {
        palSampleBoxesDef def = palDefaultSampleBoxesDef();
        def.columns = 2; // every second layer is one box on two
        def.layers = 4;
        def.massRatio = n & 1 ? 100.0 : 0.01;
        def.points = n & 2 ? 8 : 4;
        def.frequency = n & 4 ? 0.0 : 200.0; // rigid, or as soft as the world's
        palStoredSparse stored;
        assert_int_equal(palSampleBoxes(&def, &stored, NULL), pal_ok);
        double* lambda = calloc((size_t)stored.problem.rows, sizeof *lambda);
        palTwist displacement[bodiesMax];
        palSolveInfo info =
            solveSparse(&stored, pal_solverConjugate, 1e-6, 20000, lambda, displacement);
        print_message("%d: %d sweeps\n", n, info.sweeps);
        assert_true(info.flags & pal_solveConverged);
        // The floor bears the weight of all: Σ λn h = Σ m (g h + v), v what the contacts' springs
        // give the boxes in this step.
        double push = 0.0, momentum = 0.0;
        for (int b = 0; b < stored.problem.blockCount; b++)
            push += stored.ends[b][1] < 0 ? def.h * lambda[3 * b] : 0.0;
        for (int i = 0; i < stored.problem.bodyCount; i++)
            momentum += displacement[i].v.z / (def.h * stored.bodies[i].mass);
        ASSERT_NEAR(push, momentum, 1e-9 * push);
        palStoredSparse_Free(&stored);
        free(lambda);
    }
}

// A box between the floor and a lid, with rows that no force can move beside it.
static palStoredSparse pressedBox(double lidGap)
{
    palStoredSparse stored;
    assert_int_equal(palStoredSparse_Init(&stored, 2, 3, 3, NULL), pal_ok);
    stored.problem.h = 1e-3;
    stored.bodies[0] =
        (palInverseMass){.mass = 1.0, .inertia = pal_identityMat3}; // body 1 does not move
    for (int i = 0; i < 3; i++)
        stored.blocks[i] = (palContactBlock){.law = pal_lawUnilateral, .row = i, .size = 1};
    const int ends[3][2] = {{0, -1}, {1, 0}, {1, -1}};
    memcpy(stored.ends, ends, sizeof ends);
    const double gaps[3] = {-1e-5, 1e-4, lidGap};
    memcpy(stored.gapFree, gaps, sizeof gaps);
    for (int i = 0; i < 3; i++)
        for (int e = 0; e < 2; e++)
            stored.J[i].wrench[e].force = palMakeVec3(0.0, 0.0, e == 0 ? 1.0 : -1.0);
    return stored;
}

static void degenerate_input_has_a_defined_outcome(void** state)
{
    (void)state;
    double lambda[3];
    palTwist u[2];
    palStoredSparse stored = pressedBox(0.0);
    palSolveInfo info = solveSparse(&stored, pal_solverGaussSeidel, 1e-12, 100, lambda, u);
    assert_int_equal(info.flags, pal_solveConverged);
    ASSERT_NEAR(lambda[0], 1e-5 / 1e-6, 1e-9);
    ASSERT_NEAR(u[0].v.z, 1e-5, 1e-18);
    assert_true(lambda[2] == 0.0);

    // A lid that is in the floor stays there, and says so.
    stored.gapFree[2] = -0.01;
    info = solveSparse(&stored, pal_solverGaussSeidel, 1e-12, 100, lambda, u);
    assert_true(info.flags & pal_solveInfeasible && !(info.flags & pal_solveConverged));
    ASSERT_NEAR(info.residual, 0.01, 1e-15);
    ASSERT_NEAR(lambda[0], 10.0, 1e-9);
    palStoredSparse_Free(&stored);

    for (int n = 0; n < 6; n++)
    {
        stored = pressedBox(0.0);
        double wrong = n % 2 ? INFINITY : NAN;
        if (n / 2 == 0)
            stored.gapFree[1] = wrong;
        else if (n / 2 == 1)
            stored.bodies[0].inertia.m[1][1] = wrong;
        else
            stored.J[1].wrench[1].torque.x = wrong;
        info = solveSparse(&stored, pal_solverConjugate, n < 3 ? 0.0 : 1e-9, 100, lambda, u);
        assert_true(info.flags & pal_solveNotFinite && isinf(info.residual));
        assert_true(lambda[0] == 0.0 && lambda[1] == 0.0 && u[0].v.z == 0.0 && u[1].omega.x == 0.0);
        palStoredSparse_Free(&stored);
    }

    // Nothing to solve.
    assert_int_equal(palStoredSparse_Init(&stored, 0, 0, 0, NULL), pal_ok);
    info = solveSparse(&stored, pal_solverGaussSeidel, 0.0, 10, lambda, u);
    assert_int_equal(info.flags, pal_solveConverged);
    palStoredSparse_Free(&stored);
}

static void a_warm_start_from_the_solution_takes_no_sweep(void** state)
{
    (void)state;
    palSampleBoxesDef def = palDefaultSampleBoxesDef();
    def.columns = 3;
    def.layers = 3;
    palStoredSparse stored;
    assert_int_equal(palSampleBoxes(&def, &stored, NULL), pal_ok);
    const palSparseProblem* problem = &stored.problem;
    palSparseWorkspace* workspace;
    palTwist u[bodiesMax];
    palSolveSettings settings = palDefaultSolveSettings();
    palSolveInfo info;
    settings.warmStart = true;
    settings.tolerance = 1e-6;
    settings.maxSweeps = 20000;
    assert_int_equal(palSparseWorkspace_Create(problem->bodyCount, problem->rows,
                                               problem->blockCount, &workspace, NULL),
                     pal_ok);
    palSparseProblem_Solve(problem, &settings, workspace, stored.lambda, u, &info);
    assert_true(info.sweeps > 10 && info.flags & pal_solveConverged);
    palSparseProblem_Solve(problem, &settings, workspace, stored.lambda, u, &info);
    assert_true(info.sweeps == 0 && info.flags & pal_solveConverged);
    palSparseWorkspace_Destroy(workspace);
    palStoredSparse_Free(&stored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_and_displacement_are_those_of_the_dense_problem),
        cmocka_unit_test(solutions_of_every_law_are_those_of_the_dense_solver),
        cmocka_unit_test(a_stack_of_unequal_masses_rests_under_its_weight),
        cmocka_unit_test(degenerate_input_has_a_defined_outcome),
        cmocka_unit_test(a_warm_start_from_the_solution_takes_no_sweep),
    };
    return RUN(tests);
}

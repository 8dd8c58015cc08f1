// SPDX-License-Identifier: Apache-2.0
// A solve allocates nothing.
#include "allocations.h"
#include "check.h"
#include "solve/islands.h"
#include "solve/sample.h"
#include "solve/sample_boxes.h"

static void no_solver_allocates(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(100, true, &workspace, NULL), pal_ok);
    for (palLaw law = pal_lawUnilateral; law <= pal_lawTorsion; law++)
        for (palSolver solver = pal_solverAutomatic; palSolverName(solver) != NULL; solver++)
        {
            palSampleDef def = palDefaultSampleDef();
            palStoredProblem stored;
            double gap[100];
            palSolveInfo info;
            def.law = law;
            def.dofs = 20; // redundant: Newton and Lemke have to work
            def.local = 0.0;
            palSolveSettings settings = palDefaultSolveSettings();
            settings.solver = solver;
            settings.tolerance = 1e-14;
            int before = allocations;
            assert_int_equal(palSampleProblem(&def, &stored, NULL), pal_ok);
            assert_true(allocations > before);
            before = allocations;
            palContactProblem_Solve(&stored.problem, &settings, workspace, stored.lambda, &info);
            palContactProblem_Residual(&stored.problem, stored.lambda, gap, &info);
            assert_int_equal(allocations, before);
            palStoredProblem_Free(&stored);
        }
    palSolveWorkspace_Destroy(workspace);
#else
    SKIP(UNCOUNTED);
#endif
}

static void no_step_of_a_pile_allocates(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    palSampleBoxesDef def = palDefaultSampleBoxesDef();
    def.speed = 0.1;
    palStoredSparse stored;
    palSparseWorkspace* workspace;
    palContactIslands islands;
    palTwist displacement[64];
    const bool isFixed[64] = {false};
    assert_int_equal(palSampleBoxes(&def, &stored, NULL), pal_ok);
    const palSparseProblem* problem = &stored.problem;
    assert_int_equal(
        palSparseWorkspace_Create(64, problem->rows, problem->blockCount, &workspace, NULL),
        pal_ok);
    assert_int_equal(palContactIslands_Init(&islands, 64, problem->blockCount, NULL), pal_ok);
    for (palSolver solver = pal_solverAutomatic; palSolverName(solver) != NULL; solver++)
    {
        palSolveSettings settings = palDefaultSolveSettings();
        palSolveInfo info;
        settings.solver = solver;
        int before = allocations;
        palContactIslands_Find(&islands, problem->bodyCount, isFixed, problem->blockCount,
                               problem->ends);
        palSparseProblem_Solve(problem, &settings, workspace, stored.lambda, displacement, &info);
        assert_int_equal(allocations, before);
        assert_true(info.sweeps > 0);
    }
    palContactIslands_Free(&islands);
    palSparseWorkspace_Destroy(workspace);
    palStoredSparse_Free(&stored);
#else
    SKIP(UNCOUNTED);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_solver_allocates),
        cmocka_unit_test(no_step_of_a_pile_allocates),
    };
    return RUN(tests);
}

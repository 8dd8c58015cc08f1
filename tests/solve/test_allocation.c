// SPDX-License-Identifier: Apache-2.0
// A solve allocates nothing.
#include "allocations.h"
#include "check.h"
#include "solve/sample.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_solver_allocates),
    };
    return RUN(tests);
}

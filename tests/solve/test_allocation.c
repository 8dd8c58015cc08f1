// SPDX-License-Identifier: Apache-2.0
// A solve allocates nothing: this test's own malloc, calloc and realloc count their calls. Under a
// sanitizer, which brings its own, there is nothing to count.
#include "check.h"
#include "solve/sample.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define PAL_COUNTS 1

static int allocations = 0;

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);

void* malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void* calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size)
{
    allocations++;
    return __libc_realloc(memory, size);
}

#endif

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
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_solver_allocates),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// What the sweeping solvers leave for the step that follows them.
#include "check.h"
#include "solve/run.h"
#include "solve/sample.h"

#include <string.h>

// Redundant contacts: on these the conjugate sweeps do not descend at every step, so that the best
// iterate is often not the last.
static palStoredProblem redundantProblem(uint64_t seed)
{
    palSampleDef def = palDefaultSampleDef();
    def.seed = seed;
    def.contacts = 12;
    def.dofs = 12;
    def.local = 0.0;
    def.conditioning = 100.0;
    def.pressed = 1.0;
    palStoredProblem stored;
    assert_int_equal(palSampleProblem(&def, &stored, NULL), pal_ok);
    return stored;
}

// The largest difference between the view's δ and δ_free + W λ of the view's λ, m.
static double staleness(const palContactProblem* problem, const palView* view)
{
    double worst = 0.0;
    for (int i = 0; i < view->rows; i++)
    {
        double gap = problem->gapFree[view->source[i]];
        for (int j = 0; j < view->rows; j++)
            gap +=
                problem->W[view->source[i] * problem->stride + view->source[j]] * view->lambda[j];
        worst = fmax(worst, fabs(gap - view->gap[i]));
    }
    return worst;
}

static void gaps_of_the_view_are_those_of_its_forces(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (int limit = 1; limit <= 12; limit++)
        {
            palStoredProblem stored = redundantProblem(seed);
            palSolveWorkspace* workspace;
            assert_int_equal(palSolveWorkspace_Create(stored.problem.rows, true, &workspace, NULL),
                             pal_ok);
            palSolveSettings settings = palDefaultSolveSettings();
            palSolveInfo info = {0};
            palRun run = {
                .problem = &stored.problem,
                .settings = &settings,
                .workspace = workspace,
                .info = &info,
                .tolerance = 1e-15,
            };
            workspace->kernels = palRowKernels_Best();
            workspace->bestResidual = INFINITY;
            palSolveWorkspace_Load(workspace, &stored.problem, NULL);
            palRun_Begin(&run);
            assert_false(palRun_Sweeps(&run, true, limit));
            ASSERT_BELOW(staleness(&stored.problem, &workspace->view), 1e-12);
            palSolveWorkspace_Destroy(workspace);
            palStoredProblem_Free(&stored);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_of_the_view_are_those_of_its_forces),
    };
    return RUN(tests);
}

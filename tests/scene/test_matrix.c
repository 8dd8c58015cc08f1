// SPDX-License-Identifier: Apache-2.0
// Every cell of the table of methods: what the hand holds times what the scene contains. Each is a
// scene in which the hand presses and rests; its ticks allocate, lock and call nothing, report what
// pushes, and leave a problem to be looked at.
#include "matrix_scene.h"
#include "scene_session.h"
#include "sealed_ticks.h"

static palSession* makeSession(const char* method, palHandKind hand, unsigned parts)
{
    char* text = makeMatrixScene(method, hand, parts);
    palSession* session = startScene(text);
    free(text);
    return session;
}

static bool isSealing; // ticks are also made in a child

// `coupling` has no contact in its ticks: the low rate has it.
static bool solvesInTicks(const char* method)
{
    return strcmp(method, "coupling") != 0;
}

// What is dumped of a step can be solved again, and its forces do the same: they need not be the
// same where several rows hold one thing.
static void solveAgain(const palProblemCopy* problem, const char* method, palHandKind hand,
                       unsigned parts)
{
    const palContactProblem* stored = &problem->problem;
    palSolveWorkspace* workspace;
    assert_int_equal(palSolveWorkspace_Create(stored->rows, true, &workspace, NULL), pal_ok);
    double* lambda = calloc((size_t)stored->rows + 1, sizeof *lambda);
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = pal_solverNewton;
    settings.tolerance = 1e-6;
    settings.maxSweeps = 10000;
    palSolveInfo info;
    palContactProblem_Solve(stored, &settings, workspace, lambda, &info);
    double largest = 0.0, apart = 0.0;
    for (int i = 0; i < stored->rows; i++)
    {
        double moved = 0.0;
        for (int j = 0; j < stored->rows; j++)
            moved += stored->W[i * stored->stride + j] * (lambda[j] - problem->lambda[j]);
        largest = fmax(largest, fabs(stored->gapFree[i]));
        apart = fmax(apart, fabs(moved));
    }
    // Gaps below PAL_GAP_ROUNDING are what rounding made of none.
    if (!problem->isSolved || !(info.flags & pal_solveConverged) ||
        apart > fmax(2e-3 * largest, PAL_GAP_ROUNDING))
        fail_msg("%s with %s, parts %x: %d rows, solved %d, again %d, %g of %g m apart", method,
                 palHandKind_Name(hand), parts, stored->rows, problem->isSolved,
                 (info.flags & pal_solveConverged) != 0, apart, largest);
    free(lambda);
    palSolveWorkspace_Destroy(workspace);
}

// The same for the next problem of the low rate. Only bodies that no tick moves need have one.
static void solveLowAgain(palSession* session, const char* method, palHandKind hand, unsigned parts)
{
    palEngine* engine = (palEngine*)palSession_Engine(session);
    const palWorldStep* world = engine->methods.shared->world;
    palProblemCopy problem;
    palStep step;
    assert_int_equal(
        palProblemCopy_Init(&problem, world != NULL ? world->rows->rowCapacity : 0, NULL), pal_ok);
    engine->lowProblem = &problem;
    for (int k = 0; k < 60 && problem.problem.rows == 0; k++)
        palSession_Step(session, &step);
    engine->lowProblem = NULL;
    if (problem.problem.rows > 0)
        solveAgain(&problem, method, hand, parts);
    else if (!solvesInTicks(method))
        fail_msg("%s with %s, parts %x: the low rate has no problem", method,
                 palHandKind_Name(hand), parts);
    assert_int_equal(problem.dropped, 0);
    palProblemCopy_Free(&problem);
}

static void pressCell(const char* method, palHandKind hand, unsigned parts)
{
    palSession* session = makeSession(method, hand, parts);
    palEngine* engine = (palEngine*)palSession_Engine(session);
    palProblemCopy problem;
    assert_int_equal(palProblemCopy_Init(&problem, palHands_ProblemRows(&engine->methods, 0), NULL),
                     pal_ok);
    palStep step = {0};
    int touching = 0, contacts = 0, rows = 0;
    for (int k = 0; k < 400; k++)
    {
        palSession_Step(session, &step);
        assert_true(palIsFinite(step.force));
        if (k % 40 != 39 || !isSealing)
            continue;
        engine->problems[0] = &problem;
        outcome seen = tickInChild(engine, 10);
        engine->problems[0] = NULL;
        if (seen.killed || seen.allocations > 0 || seen.locks > 0)
            fail_msg("%s with %s, parts %x: %s, %d allocations, %d locks", method,
                     palHandKind_Name(hand), parts, seen.killed ? "killed" : "alive",
                     seen.allocations, seen.locks);
        touching += seen.touching;
        contacts += seen.contacts;
        rows = seen.problemRows > rows ? seen.problemRows : rows;
    }
    // The hand was stopped, by what the block gives.
    if (!(step.force.y > 0.01))
        fail_msg("%s with %s, parts %x: %g N", method, palHandKind_Name(hand), parts, step.force.y);
    if (isSealing && (touching == 0 || (solvesInTicks(method) && (contacts == 0 || rows == 0))))
        fail_msg("%s with %s, parts %x: %d steps with contact, %d contacts, %d rows", method,
                 palHandKind_Name(hand), parts, touching, contacts, rows);
    engine->problems[0] = &problem;
    palSession_Step(session, &step);
    engine->problems[0] = NULL;
    if (solvesInTicks(method))
        solveAgain(&problem, method, hand, parts);
    solveLowAgain(session, method, hand, parts);
    palProblemCopy_Free(&problem);
    palSession_Destroy(session);
}

static void every_cell_presses_without_allocating_locking_or_calling(void** state)
{
    (void)state;
    if (isSanitized)
        SKIP_PART(SANITIZED);
    isSealing = !isSanitized && canSeal();
    if (!isSanitized && !isSealing)
        SKIP_PART("the kernel does not let a process forbid itself system calls");
    forEachCell(pressCell);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_presses_without_allocating_locking_or_calling),
    };
    return RUN(tests);
}

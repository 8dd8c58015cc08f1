// SPDX-License-Identifier: Apache-2.0
// Every cell of the table of methods: what the hand holds times what the scene contains. Each is a
// scene in which the hand presses and rests; its ticks allocate, lock and call nothing, report what
// pushes, and leave a problem to be looked at.
#include "scene_session.h"
#include "sealed_ticks.h"

#include "render/method.h"

// A scene for a method, a hand and the parts besides: a block 40 mm wide with its top at y = 0.
static void writeScene(FILE* file, const char* method, palHandKind hand, unsigned parts)
{
    bool isSoft = parts & PAL_ACCEPTS(pal_partSoft);
    fprintf(file, "palpate: 1\ntime: {seconds: 1, dt: 0.001, low_dt: 0.02%s}\n",
            parts & PAL_ACCEPTS(pal_partLoop) ? ", loops: [{dt: 0.005}]" : "");
    fprintf(file, "method: {name: %s, radius: 0.01}\n", method);
    double height = hand == pal_handTool ? 0.007 : 0.002; // m, of the hand's point when it touches
    fprintf(file,
            "trajectory: {kind: path, points: [{t: 0, at: [0.001, %g, 0.002]}, {t: 0.1, at: [0.001,"
            " %g, 0.002]}, {t: 0.3, at: [0.001, %g, 0.002]}]}\n",
            height + 0.003, height + 0.003, height - 0.005);
    fprintf(file, "objects:\n  - {name: block, shape: {kind: box, size: [0.04, 0.03, 0.04]},"
                  " position: [0, -0.015, 0], friction: 0.2");
    if (parts & PAL_ACCEPTS(pal_partPoints))
        fprintf(file, ", representation: points");
    if (isSoft)
        fprintf(file, ", soft: {young: 20000, elements: tets, resolution: 3, fixed:"
                      " [{nodes: ymin}]}");
    fprintf(file, "}\n");
    if (isSoft && parts & PAL_ACCEPTS(pal_partStatic))
        fprintf(file, "  - {name: wall, shape: {kind: box, size: [0.02, 0.03, 0.04]}, position:"
                      " [0.031, -0.015, 0]}\n");
    if (hand == pal_handTool)
        fprintf(file, "tool: {shape: {kind: sphere, radius: 0.005, resolution: 8}}\n");
    bool isAnother = parts & (PAL_ACCEPTS(pal_partWire) | PAL_ACCEPTS(pal_partJoint));
    bool isTethered = parts & PAL_ACCEPTS(pal_partToolJoint);
    if (hand == pal_handWire || isAnother || isTethered)
        fprintf(file, "wires:\n");
    if (hand == pal_handWire)
        fprintf(file, "  - {name: held, start: [-0.03, 0.004, 0.002], end: [0.005, 0.004, 0.002],"
                      " elements: 4, hand: start, section: {shape: circle, radius: 0.0005},"
                      " young: 1.0e+9}\n");
    if (isAnother)
        fprintf(file, "  - {name: other, start: [0.01, 0.012, 0], end: [0.01, 0.012, 0.04],"
                      " elements: 3, clamped: start, section: {shape: circle, radius: 0.0005},"
                      " young: 1.0e+9}\n");
    if (isTethered)
        fprintf(file, "  - {name: tether, start: [0.001, 0.01, 0.002], end: [0.041, 0.01, 0.002],"
                      " elements: 4, clamped: end, section: {shape: circle, radius: 0.0003},"
                      " young: 1.0e+7}\n");
    if (isTethered || parts & PAL_ACCEPTS(pal_partJoint))
        fprintf(file, "joints:\n");
    if (parts & PAL_ACCEPTS(pal_partJoint))
        fprintf(file, "  - {kind: ball, wire: other, at: 1, to: world}\n");
    if (isSoft && parts & PAL_ACCEPTS(pal_partJoint))
        fprintf(file, "  - {kind: weld, body: block, to: world, point: [-0.02, -0.015, 0], radius: "
                      "0.01}\n  - {kind: hinge, body: block, to: world, point: [0, -0.015, 0.02], "
                      "axis: [1, 0, 0]}\n");
    if (isTethered)
        fprintf(file, "  - {kind: ball, body: tool, to: tether, point: [0.001, 0.01, 0.002]}\n");
}

static palSession* makeSession(const char* method, palHandKind hand, unsigned parts)
{
    char* text = NULL;
    size_t size;
    FILE* file = open_memstream(&text, &size);
    assert_non_null(file);
    writeScene(file, method, hand, parts);
    fclose(file);
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
    if (!problem->isSolved || !(info.flags & pal_solveConverged) || apart > 2e-3 * largest)
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
    assert_int_equal(palProblemCopy_Init(&problem, palHands_ProblemRows(&engine->methods), NULL),
                     pal_ok);
    palStep step = {0};
    int touching = 0, contacts = 0, rows = 0;
    for (int k = 0; k < 400; k++)
    {
        palSession_Step(session, &step);
        assert_true(palIsFinite(step.force));
        if (k % 40 != 39 || !isSealing)
            continue;
        engine->problem = &problem;
        outcome seen = tickInChild(engine, 10);
        engine->problem = NULL;
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
    engine->problem = &problem;
    palSession_Step(session, &step);
    engine->problem = NULL;
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
    for (int i = 0; palMethodAt(i) != NULL; i++)
        for (int hand = 0; hand < pal_handKindCount; hand++)
        {
            const palMethodOps* form = palMethodAt(i)->forms[hand];
            if (form == NULL)
                continue;
            // Each kind of object alone, with each other part, and everything at once.
            for (int object = pal_partStatic; object <= pal_partSoft; object++)
                for (int part = pal_partStatic; part < pal_partKindCount; part++)
                {
                    unsigned parts = PAL_ACCEPTS(object) | PAL_ACCEPTS(part);
                    if (palMethodOps_Accepts(form, parts))
                        pressCell(palMethodAt(i)->name, hand, parts);
                }
            pressCell(palMethodAt(i)->name, hand, form->accepts & ~PAL_ACCEPTS(pal_partPoints));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_presses_without_allocating_locking_or_calling),
    };
    return RUN(tests);
}

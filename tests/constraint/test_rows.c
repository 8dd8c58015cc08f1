// SPDX-License-Identifier: Apache-2.0
// The rows of links: how many find room, and what becomes of those that nothing can hold.
#include "wire_rig.h"

#include <string.h>

enum
{
    rowsMax = 96,
};

// Contacts of one row each, with the world on both sides.
static void single_rows_fill_the_whole_problem(void** state)
{
    (void)state;
    palRows* rows;
    assert_int_equal(palRows_Create(rowsMax, &rows, NULL), pal_ok);
    const palLink contact = {.kind = pal_linkContact, .axes = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
    palRows_Begin(rows);
    for (int i = 0; i < rowsMax; i++)
        assert_true(palRows_Add(rows, &contact, 0));
    assert_int_equal(rows->count, rowsMax);
    assert_false(palRows_Add(rows, &contact, 0));
    palRows_Destroy(rows);
}

// Two wires end to end, at 0.2 m from the origin, joined by a ball.
typedef struct pair
{
    wireRig r;
    palSteppedWire wires[2];
    palRows* rows;
} pair;

static void makePair(pair* p)
{
    wireRigInit(&p->r);
    for (int i = 0; i < 2; i++)
    {
        wireRigDef def = wireRigRubber();
        def.start = palMakeVec3(0.2 * i, 0.1, 0.0);
        def.end = palMakeVec3(0.2 * (i + 1), 0.1, 0.0);
        def.heldStart = i == 0;
        def.heldEnd = i == 1;
        wireRigAdd(&p->r, &def);
        assert_int_equal(palSteppedWire_Init(&p->wires[i], &p->r.wires[i], i, 2 * rowsMax, NULL),
                         pal_ok);
    }
    wireRigJoin(&p->r, pal_linkBall, 0, (palBeamPlace){.element = 9, .s = 1.0}, 1,
                (palBeamPlace){.element = 0, .s = 0.0});
    assert_int_equal(palRows_Create(rowsMax, &p->rows, NULL), pal_ok);
}

static void stepPair(pair* p)
{
    for (int i = 0; i < 2; i++)
        palSteppedWire_Move(&p->wires[i], 1e-3, NULL);
    palRows_Begin(p->rows);
    assert_true(palRows_Add(p->rows, &p->r.joints[0], 0));
    palRows_TakeAll(p->rows);
    palRows_AddWires(p->rows, p->wires, 2);
    palRows_AddCompliance(p->rows, p->wires, 2);
    palRows_AddRotations(p->rows);
    palRows_Solve(p->rows);
    palRows_MoveWires(p->rows, p->wires, 2);
}

static void freePair(pair* p)
{
    palRows_Destroy(p->rows);
    for (int i = 0; i < 2; i++)
        palSteppedWire_Free(&p->wires[i]);
    wireRigFree(&p->r);
}

static void a_wire_that_is_lost_leaves_the_other_at_rest(void** state)
{
    (void)state;
    pair p;
    makePair(&p);
    stepPair(&p);
    assert_false(p.wires[0].failed);
    p.wires[0].state.x[5].y = NAN;
    for (int k = 0; k < 10; k++)
        stepPair(&p);
    assert_true(p.wires[0].failed);
    assert_false(p.wires[1].failed);
    for (int r = 0; r < p.rows->count; r++)
        assert_true(p.rows->lambda[r] == 0.0);
    for (int i = 0; i < p.wires[1].state.nodeCount; i++)
        ASSERT_BELOW(palDistance(p.wires[1].state.x[i], p.r.wires[1].model->restX[i]), 1e-12);
    freePair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_rows_fill_the_whole_problem),
        cmocka_unit_test(a_wire_that_is_lost_leaves_the_other_at_rest),
    };
    return RUN(tests);
}

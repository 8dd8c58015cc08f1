// SPDX-License-Identifier: Apache-2.0
// Bodies that are inside each other, at the start or because they are pressed, come out again.
#include "pile_rig.h"
#include "rigid_meshes.h"

enum
{
    ballKind,
    capsuleKind,
    boxKind,
    cylinderKind,
    meshKind,
    kindCount,
};

static void initShape(palRigidShape* shape, int kind, palVec3 size)
{
    palResult result = pal_ok;
    if (kind == ballKind)
        result = palRigidShape_InitSphere(shape, 0.5 * size.z, NULL);
    else if (kind == capsuleKind)
        result = palRigidShape_InitCapsule(shape, 0.25 * size.z, size.z, NULL);
    else if (kind == cylinderKind)
        result = palRigidShape_InitCylinder(shape, 0.5 * size.x, size.z, NULL);
    else
        *shape = kind == meshKind ? boxMesh(size, 3) : boxOf(size);
    assert_int_equal(result, pal_ok);
}

// Puts a body `depth` into a plate, and lets it go for a second. It must come out, not fast, and
// rest on the plate.
static void pullOut(int kind, int plateKind, double depth)
{
    const palVec3 size = {0.02, 0.02, 0.02}, plate = {0.2, 0.2, 0.04};
    palPileRig* rig = makeRig();
    palRigidShape *below = nextShape(rig), *shape = nextShape(rig);
    initShape(below, plateKind, plate);
    initShape(shape, kind, size);
    addShape(rig, below, 0.0, palMakeVec3(0.0, 0.0, -0.5 * plate.z));
    addShape(rig, shape, 1000.0, palMakeVec3(0.003, 0.001, 0.5 * size.z - depth));
    palPile* pile = startRig(rig);
    const palPileBody* body = &pile->bodies[1];
    for (int n = 0; n < 1000; n++)
    {
        palPile_Step(pile);
        ASSERT_BELOW(palLength(body->state.v), 1.1);
    }
    ASSERT_NEAR(body->state.x.z, 0.5 * size.z, 1e-4);
    ASSERT_BELOW(palLength(body->state.v), 1e-2);
    freeRig(rig);
}

static void a_body_that_starts_inside_another_one_is_pushed_out(void** state)
{
    (void)state;
    for (int kind = 0; kind < kindCount; kind++)
        for (int i = 0; i < 2; i++)
        {
            double depth = i == 0 ? 1e-3 : 5e-3;
            pullOut(kind, meshKind, depth);
            pullOut(kind, boxKind, depth);
        }
}

// A press of 2 kN on a body of 8 g holds it in the plate; it comes out when that ends.
static void a_body_that_is_pressed_in_comes_out_again(void** state)
{
    (void)state;
    palPileRig* rig = makeRig();
    palRigidShape *below = nextShape(rig), *shape = nextShape(rig);
    initShape(below, meshKind, palMakeVec3(0.2, 0.2, 0.04));
    initShape(shape, meshKind, palMakeVec3(0.02, 0.02, 0.02));
    addShape(rig, below, 0.0, palMakeVec3(0.0, 0.0, -0.02));
    addShape(rig, shape, 1000.0, palMakeVec3(0.003, 0.001, 0.01));
    palPile* pile = startRig(rig);
    double lowest = INFINITY;
    for (int n = 0; n < 500; n++)
    {
        palPile_Push(pile, 1, pile->bodies[1].state.x, palMakeVec3(0.0, 0.0, -4.0 * n));
        palPile_Step(pile);
        lowest = fmin(lowest, pile->bodies[1].state.x.z);
    }
    assert_true(lowest > 0.0);
    runFor(pile, 1.0);
    ASSERT_NEAR(pile->bodies[1].state.x.z, 0.01, 1e-4);
    freeRig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_starts_inside_another_one_is_pushed_out),
        cmocka_unit_test(a_body_that_is_pressed_in_comes_out_again),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// When moving bodies first touch.
#include "collide/first_contact.h"
#include "rigid_meshes.h"

static const double mm = 1e-3;
static const double um = 1e-6;

// Shapes of every kind fly against a thin plate at 10 m/s, 10 mm in a step, straight and spinning:
// all are stopped in front of it.
static void no_body_passes_a_thin_plate_in_a_step(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(12);
    palRigidShape plate = boxMesh(palMakeVec3(60 * mm, 60 * mm, 0.1 * mm), 8);
    palRigidShape bodies[5];
    const palVec3 points[] = {{0, 0, 0}, {8 * mm, 0, 0}, {0, 6 * mm, 0}, {0, 0, 7 * mm}};
    assert_int_equal(palRigidShape_InitSphere(&bodies[0], 2 * mm, NULL), pal_ok);
    assert_int_equal(palRigidShape_InitCapsule(&bodies[1], 1 * mm, 8 * mm, NULL), pal_ok);
    assert_int_equal(palRigidShape_InitCylinder(&bodies[2], 2 * mm, 5 * mm, NULL), pal_ok);
    assert_int_equal(palRigidShape_InitHull(&bodies[3], points, 4, NULL), pal_ok);
    bodies[4] = torusOf(4 * mm, 1 * mm, 24);
    const double margin = 20 * um;
    for (int i = 0; i < 100; i++)
    {
        palMovingShape moving = {
            .shape = &bodies[i % 5],
            .start = poseOf(palMakeVec3(0, 0, 9 * mm), randomVec3(&random, 3.0)),
        };
        palVec3 spin = i % 2 == 0 ? pal_zeroVec3 : randomVec3(&random, 0.5);
        moving.end.q = palMulQuat(palMakeQuatRotationVector(spin), moving.start.q);
        moving.end.x = palMakeVec3(3 * mm, 1 * mm, -9 * mm);
        palMovingShape still = {&plate, pal_identityPose, pal_identityPose};
        double time;
        assert_true(palRigidShapes_FirstContact(&moving, &still, margin, &time));
        Found found = findContacts(moving.shape, palMovingShape_Pose(&moving, time), &plate,
                                   pal_identityPose, 0.5 * mm);
        assert_true(smallestGap(&found) > 0.9 * margin);
        assert_true(smallestGap(&found) < 1.2 * margin);
    }
    for (int i = 0; i < 5; i++)
        palRigidShape_Free(&bodies[i]);
    palRigidShape_Free(&plate);
}

// A ball that passes beside a plate does not touch it; one that is there already does at once.
static void what_passes_by_does_not_touch(void** state)
{
    (void)state;
    palRigidShape plate = boxMesh(palMakeVec3(60 * mm, 60 * mm, 0.1 * mm), 8), ball;
    assert_int_equal(palRigidShape_InitSphere(&ball, 2 * mm, NULL), pal_ok);
    palMovingShape still = {&plate, pal_identityPose, pal_identityPose};
    palMovingShape moving = {&ball, poseOf(palMakeVec3(32.1 * mm, 0, 9 * mm), pal_zeroVec3),
                             poseOf(palMakeVec3(32.1 * mm, 0, -9 * mm), pal_zeroVec3)};
    double time;
    assert_false(palRigidShapes_FirstContact(&moving, &still, 20 * um, &time));
    moving.start.x = palMakeVec3(0, 0, 2.05 * mm);
    assert_true(palRigidShapes_FirstContact(&moving, &still, 20 * um, &time));
    assert_float_equal(time, 0.0, 0.0);
    palRigidShape_Free(&ball);
    palRigidShape_Free(&plate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_body_passes_a_thin_plate_in_a_step),
        cmocka_unit_test(what_passes_by_does_not_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

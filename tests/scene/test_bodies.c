// SPDX-License-Identifier: Apache-2.0
// From a scene to things that can be touched: units, scale, place, and where a press is aimed.
#include "check.h"

#include "scene/bodies.h"

static char meshPath[] = "/tmp/palpate-world-XXXXXX.off";

// A brick of 20 x 30 x 40 units with a corner at the origin.
static const char brick[] = "OFF\n8 6 0\n"
                            "0 0 0\n20 0 0\n0 30 0\n20 30 0\n0 0 40\n20 0 40\n0 30 40\n20 30 40\n"
                            "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n";

static int writeBrick(void** state)
{
    (void)state;
    int descriptor = mkstemps(meshPath, 4);
    FILE* file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (file == NULL)
        return 1;
    fputs(brick, file);
    return fclose(file);
}

static int removeBrick(void** state)
{
    (void)state;
    return remove(meshPath);
}

// Reads a scene and makes its world.
static palResult makeWorld(const char* text, palScene* scene, palSceneBodies* world,
                           palError* error)
{
    palMessages messages = {0};
    palScene_Free(scene);
    palResult result =
        palScene_Parse(text, strlen(text), "x.yaml", NULL, 0, scene, &messages, error);
    assert_int_equal(result, pal_ok);
    result = palSceneBodies_Init(world, scene, &messages, error);
    palMessages_Free(&messages);
    return result;
}

static void checkBounds(const palCollider* collider, palVec3 low, palVec3 high)
{
    palBounds bounds = palSurface_Bounds(&collider->surface);
    ASSERT_BELOW(palDistance(bounds.low, low), 1e-12);
    ASSERT_BELOW(palDistance(bounds.high, high), 1e-12);
}

static void objects_stand_where_unit_scale_rotation_and_position_say(void** state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text,
             "palpate: 1\ntrajectory: {kind: line}\nobjects:\n"
             "  - {mesh: %s, unit: mm}\n"
             "  - {mesh: %s, unit: in, scale: 2, position: [1, 2, 3], friction: 0.7}\n"
             "  - {mesh: %s, unit: cm, rotation: [0, 0, 90], position: [1, 0, 0]}\n"
             "  - {shape: {kind: box, size: [0.1, 0.2, 0.3]}, scale: 0.5, position: [0, 0, 1]}\n",
             meshPath, meshPath, meshPath);
    palScene scene = {0};
    palSceneBodies world;
    palError error;
    assert_int_equal(makeWorld(text, &scene, &world, &error), pal_ok);
    assert_int_equal(world.count, 4);
    checkBounds(&world.colliders[0], pal_zeroVec3, palMakeVec3(0.02, 0.03, 0.04));
    double inch = 2 * 0.0254;
    checkBounds(&world.colliders[1], palMakeVec3(1, 2, 3),
                palMakeVec3(1 + 20 * inch, 2 + 30 * inch, 3 + 40 * inch));
    assert_true(world.colliders[1].friction == 0.7 && world.colliders[0].friction == 0.0);
    // A quarter turn about z takes x to y and y to -x.
    checkBounds(&world.colliders[2], palMakeVec3(1 - 0.3, 0, 0), palMakeVec3(1, 0.2, 0.4));
    checkBounds(&world.colliders[3], palMakeVec3(-0.025, -0.05, 1 - 0.075),
                palMakeVec3(0.025, 0.05, 1 + 0.075));
    for (int i = 0; i < 4; i++)
        assert_true(world.colliders[i].closed);
    palSceneBodies_Free(&world);
    palScene_Free(&scene);
}

static void a_press_is_aimed_at_the_side_it_comes_from(void** state)
{
    (void)state;
    palScene scene = {0};
    palSceneBodies world;
    palError error;
    assert_int_equal(
        makeWorld(
            "palpate: 1\n"
            "trajectory: {kind: press, object: 1, direction: [0, 0, -3], gap: 0.9, depth: 0.9}\n"
            "objects:\n  - {shape: {kind: box}}\n"
            "  - {shape: {kind: box, size: [0.1, 0.2, 0.2]}, position: [1, 0, 0]}\n",
            &scene, &world, &error),
        pal_ok);
    palTrajectoryDef aimed = palSceneBodies_Aim(&world, &scene.hand.trajectory);
    ASSERT_BELOW(palDistance(aimed.target, palMakeVec3(1, 0, 0.1)), 1e-12);
    // Not through it, and not from farther away than it is large: the diagonal is 0.3 m.
    ASSERT_NEAR(aimed.depth, 0.03, 1e-12);
    ASSERT_NEAR(aimed.gap, 0.3, 1e-12);

    // A target of the scene's own is left alone, and so are other paths.
    scene.hand.trajectory.object = -1;
    aimed = palSceneBodies_Aim(&world, &scene.hand.trajectory);
    assert_true(aimed.depth == 0.9 && aimed.gap == 0.9);
    palSceneBodies_Free(&world);
    palScene_Free(&scene);
}

static void an_object_that_fails_leaves_an_empty_world(void** state)
{
    (void)state;
    palScene scene = {0};
    palSceneBodies world;
    palError error = {0};
    assert_int_equal(makeWorld("palpate: 1\ntrajectory: {kind: line}\nobjects:\n"
                               "  - {shape: {kind: sphere}}\n  - {mesh: /no/such.stl}\n",
                               &scene, &world, &error),
                     pal_errorFile);
    assert_string_equal(error.file, "x.yaml"); // which names it
    assert_int_equal(world.count, 0);
    assert_null(world.colliders);
    palScene_Free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_stand_where_unit_scale_rotation_and_position_say),
        cmocka_unit_test(a_press_is_aimed_at_the_side_it_comes_from),
        cmocka_unit_test(an_object_that_fails_leaves_an_empty_world),
    };
    return RUN_WITHIN(tests, writeBrick, removeBrick);
}

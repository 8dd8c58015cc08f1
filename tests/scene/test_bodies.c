// SPDX-License-Identifier: Apache-2.0
// From a scene to things that can be touched: units, scale, place, and where a press is aimed.
#include "check.h"

#include "scene/bodies.h"

static char meshPath[] = "/tmp/palpate-world-XXXXXX.off";

// A brick of 20 x 30 x 40 units with a corner at the origin.
static const char brick[] = "OFF\n8 6 0\n"
                            "0 0 0\n20 0 0\n0 30 0\n20 30 0\n0 0 40\n20 0 40\n0 30 40\n20 30 40\n"
                            "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n";

// A frame of 10 x 10 x 1 units around a hole of 6 x 6.
static char framePath[] = "/tmp/palpate-frame-XXXXXX.off";
static const char frame[] = "OFF\n16 16 0\n"
                            "0 0 0\n10 0 0\n10 10 0\n0 10 0\n2 2 0\n8 2 0\n8 8 0\n2 8 0\n"
                            "0 0 1\n10 0 1\n10 10 1\n0 10 1\n2 2 1\n8 2 1\n8 8 1\n2 8 1\n"
                            "4 0 4 5 1\n4 1 5 6 2\n4 2 6 7 3\n4 3 7 4 0\n"
                            "4 8 9 13 12\n4 9 10 14 13\n4 10 11 15 14\n4 11 8 12 15\n"
                            "4 0 1 9 8\n4 1 2 10 9\n4 2 3 11 10\n4 3 0 8 11\n"
                            "4 5 4 12 13\n4 6 5 13 14\n4 7 6 14 15\n4 4 7 15 12\n";

static int writeMesh(char* path, const char* text)
{
    int descriptor = mkstemps(path, 4);
    FILE* file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (file == NULL)
        return 1;
    fputs(text, file);
    return fclose(file);
}

static int writeMeshes(void** state)
{
    (void)state;
    return writeMesh(meshPath, brick) + writeMesh(framePath, frame);
}

static int removeMeshes(void** state)
{
    (void)state;
    return remove(meshPath) + remove(framePath);
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

static palTrajectoryDef aim(const palSceneBodies* world, const palScene* scene)
{
    palTrajectoryDef aimed;
    palError error;
    assert_int_equal(palSceneBodies_Aim(world, &scene->hand.trajectory, &aimed, &error), pal_ok);
    return aimed;
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
    palTrajectoryDef aimed = aim(&world, &scene);
    ASSERT_BELOW(palDistance(aimed.target, palMakeVec3(1, 0, 0.1)), 1e-12);
    assert_true(aimed.depth == 0.9 && aimed.gap == 0.9); // as it is written

    // Left open: not through it, and not from farther away than it is large; the diagonal is
    // 0.03 m.
    palSurface_Transform(&world.colliders[1].surface, 0.1, pal_identityQuat, pal_zeroVec3);
    palCollider_Move(&world.colliders[1], world.colliders[1].surface.vertices);
    scene.hand.trajectory.def.gap = scene.hand.trajectory.def.depth = NAN;
    aimed = aim(&world, &scene);
    ASSERT_NEAR(aimed.depth, 0.003, 1e-12);
    ASSERT_NEAR(aimed.gap, 0.01, 1e-12);

    // A target of the scene's own is left alone.
    scene.hand.trajectory.object = -1;
    scene.hand.trajectory.def.target = palMakeVec3(7, 8, 9);
    aimed = aim(&world, &scene);
    assert_true(aimed.depth == 0.005 && aimed.gap == 0.01 && aimed.target.y == 8);
    palSceneBodies_Free(&world);
    palScene_Free(&scene);
}

// A press meets the object at its target, and so do presses a little beside it: on shapes with
// nothing in the middle, with several parts, and turned so that the nearest point is a corner.
static void a_press_on_any_shape_has_the_object_before_it(void** state)
{
    (void)state;
    char ring[80];
    snprintf(ring, sizeof ring, "mesh: %s, unit: cm", framePath);
    const char* const objects[] = {
        ring,
        "shape: {kind: plane}",
        "shape: {kind: box}",
        "shape: {kind: box, size: [0.1, 0.1, 0.002]}",
        "shape: {kind: cylinder}",
        "shape: {kind: peg}",
        "shape: {kind: polyp}",
        "shape: {kind: rocker, resolution: 40}",
    };
    static const char* const directions[] = {"[0, 0, -1]",  "[1, 0, 0]",       "[0, 1, 0]",
                                             "[1, 1, 0.3]", "[-0.2, 0.5, -1]", "[0.9, -0.1, 0.3]"};
    for (int i = 0; i < (int)(sizeof objects / sizeof *objects) * 6; i++)
    {
        char text[400];
        snprintf(text, sizeof text,
                 "palpate: 1\ntrajectory: {kind: press, object: 0, direction: %s}\n"
                 "objects:\n  - {%s, rotation: [%d, 20, 10]}\n",
                 directions[i % 6], objects[i / 6], i % 5 * 15);
        palScene scene = {0};
        palSceneBodies world;
        palError error;
        if (makeWorld(text, &scene, &world, &error) != pal_ok)
            fail_msg("%s", error.text);
        palTrajectoryDef aimed = aim(&world, &scene);
        const palCollider* collider = &world.colliders[0];
        palBounds bounds = palSurface_Bounds(&collider->surface);
        double size = palDistance(bounds.low, bounds.high);
        palVec3 d = palNormalize(aimed.direction), u, v;
        palTangents(d, &u, &v);
        for (int k = 0; k < 9; k++)
        {
            palVec3 beside = palMulAdd(aimed.target, (k % 3 - 1) * 0.002 * size, u);
            beside = palMulAdd(beside, (k / 3 - 1) * 0.002 * size, v);
            palCrossing crossing;
            assert_true(palBvh_FirstCrossing(collider->bvh, palMulAdd(beside, -size, d),
                                             palMulAdd(beside, size, d), &crossing));
            if (k == 4)
                ASSERT_BELOW(palDistance(crossing.point, aimed.target), 1e-9 * size);
        }
        palSceneBodies_Free(&world);
        palScene_Free(&scene);
    }
}

static double distanceTo(const palCollider* collider, palVec3 point)
{
    palClosest closest;
    assert_true(palBvh_Closest(collider->bvh, point, 1.0, &closest));
    return closest.distance;
}

// A round bore within its tolerance: its facets stay, those of the flat faces go.
static void an_object_with_a_tolerance_has_fewer_triangles_within_it(void** state)
{
    (void)state;
    static const char* const text =
        "palpate: 1\ntrajectory: {kind: line}\nobjects:\n"
        "  - {shape: {kind: rocker, resolution: 60}}\n"
        "  - {shape: {kind: rocker, resolution: 60}, tolerance: 1e-4}\n";
    palScene scene = {0};
    palSceneBodies world;
    palError error = {0};
    assert_int_equal(makeWorld(text, &scene, &world, &error), pal_ok);
    const palSurface *whole = &world.colliders[0].surface, *few = &world.colliders[1].surface;
    ASSERT_BELOW(few->triangleCount, 0.8 * whole->triangleCount);
    for (int i = 0; i < few->vertexCount; i++)
        ASSERT_BELOW(distanceTo(&world.colliders[0], few->vertices[i]), 1e-4);
    for (int i = 0; i < whole->vertexCount; i++)
        ASSERT_BELOW(distanceTo(&world.colliders[1], whole->vertices[i]), 1e-4);
    palSceneBodies_Free(&world);
    assert_int_equal(
        makeWorld("palpate: 1\ntrajectory: {kind: line}\nobjects:\n"
                  "  - {shape: {kind: box}, tolerance: 1e-4, soft: {elements: tets}}\n",
                  &scene, &world, &error),
        pal_errorInput);
    assert_int_equal(error.line, 4);
    assert_non_null(strstr(error.text, "is a volume and has a tolerance"));
    palScene_Free(&scene);
}

// The lumen of a vessel faces its axis; its back is what is outside of it.
static void the_free_side_of_an_open_surface_is_named(void** state)
{
    (void)state;
    palScene scene = {0};
    palSceneBodies world;
    palError error = {0};
    for (int back = 0; back < 2; back++)
    {
        char text[512];
        snprintf(text, sizeof text,
                 "palpate: 1\ntrajectory: {kind: line}\nobjects:\n"
                 "  - {shape: {kind: vessel, surface: lumen}, side: %s}\n",
                 back ? "back" : "front");
        assert_int_equal(makeWorld(text, &scene, &world, &error), pal_ok);
        palNearest nearest;
        palVec3 x = palMakeVec3(0.03, 0.0015, 0);
        assert_true(palColliders_Nearest(world.colliders, 1, x, 0.01, &nearest));
        assert_true((nearest.gap < 0.0) == (back == 1));
        ASSERT_NEAR(fabs(nearest.gap), 0.0005, 2e-5);
        palSceneBodies_Free(&world);
    }
    assert_int_equal(makeWorld("palpate: 1\ntrajectory: {kind: line}\nobjects:\n"
                               "  - {shape: {kind: vessel}, side: back}\n",
                               &scene, &world, &error),
                     pal_errorInput);
    assert_int_equal(error.line, 4);
    assert_non_null(strstr(error.text, "its surface is closed"));
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
        cmocka_unit_test(a_press_on_any_shape_has_the_object_before_it),
        cmocka_unit_test(an_object_with_a_tolerance_has_fewer_triangles_within_it),
        cmocka_unit_test(the_free_side_of_an_open_surface_is_named),
        cmocka_unit_test(an_object_that_fails_leaves_an_empty_world),
    };
    return RUN_WITHIN(tests, writeMeshes, removeMeshes);
}

// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/error.h"
#include "scene/bodies.h"

static const char good[] =
    "palpate: 1\n"
    "gravity: [0, 0, 0]\n"
    "time: {low_dt: 0.005, loops: [{dt: 0.033}, {dt: 0.05, latency: 0.01}]}\n"
    "method: {name: compliance, response: advanced, force: constraints}\n"
    "trajectory: {kind: line}\n"
    "objects:\n"
    "  - {name: block, shape: {kind: box, size: [0.1, 0.1, 0.1]}, loop: 2,\n"
    "     soft: {resolution: 2, fixed: [{plane: {point: [0, 0, -0.04], normal: [0, 0, 1]}}]}}\n"
    "wires:\n"
    "  - name: held\n"
    "    start: [0, 0, 0.05]\n"
    "    end: [0, 0, 0.15]\n"
    "    elements: 4\n"
    "    section: {shape: rectangle, width: 0.002, height: 0.001}\n"
    "    hand: end\n"
    "    integrator: midpoint\n"
    "    mass: consistent\n"
    "  - points: [{at: [0.2, 0, 0]}, {at: [0.2, 0.1, 0]}, {at: [0.28, 0.16, 0]}]\n"
    "    elements: 6\n"
    "    section: {shape: tube, radius: 0.002, inner: 0.001}\n"
    "    young: 3.0e+9\n"
    "    clamped: start\n"
    "    loop: 3\n"
    "joints:\n"
    "  - {kind: ball, wire: held, at: 0, to: block}\n"
    "  - {kind: ring, wire: held, at: 0.5}\n";

static palResult load(const char* text, palScene* scene, palSceneBodies* world, palError* error)
{
    palMessages messages = {0};
    palScene_Free(scene);
    palResult result =
        palScene_Parse(text, strlen(text), "wires.yaml", NULL, 0, scene, NULL, error);
    if (result == pal_ok)
        result = palSceneBodies_Init(world, scene, &messages, error);
    palMessages_Free(&messages);
    return result;
}

static void wires_and_joints_are_made_as_the_scene_says(void** state)
{
    (void)state;
    static palScene scene;
    palSceneBodies world;
    palError error;
    assert_int_equal(load(good, &scene, &world, &error), pal_ok);
    assert_int_equal(scene.time.loopCount, 2);
    ASSERT_NEAR(scene.time.loops[0].latency, 0.033, 0);
    ASSERT_NEAR(scene.time.loops[1].latency, 0.01, 0);
    assert_int_equal(world.colliders[0].loop, 1);
    assert_int_equal(world.wireCount, 2);
    assert_string_equal(world.wires[1].name, "wire1");
    assert_int_equal(world.wires[0].handNode, 4);
    assert_int_equal(world.wires[0].model->held[4], pal_holdNode);
    assert_non_null(world.wires[0].model->consistent);
    // The bent wire: 20 cm in six elements, around a corner in its middle.
    const palBeamModel* bent = world.wires[1].model;
    ASSERT_BELOW(palDistance(bent->restX[3], palMakeVec3(0.2, 0.1, 0)), 1e-12);
    ASSERT_BELOW(palDistance(bent->restX[6], palMakeVec3(0.28, 0.16, 0)), 1e-12);
    assert_int_equal(bent->held[0], pal_holdNode);
    // Joints: with the block's surface, and with the world at the wire's middle.
    assert_int_equal(world.jointCount, 2);
    assert_int_equal(world.joints[0].ends[1].kind, pal_placeSurface);
    palVec3 tied =
        palSurfacePlace_Point(&world.joints[0].ends[1].on, world.colliders[0].surface.vertices);
    ASSERT_BELOW(palDistance(tied, palMakeVec3(0, 0, 0.05)), 1e-3);
    assert_int_equal(world.joints[1].ends[0].beam.element, 2);
    ASSERT_BELOW(palDistance(world.joints[1].ends[1].local, palMakeVec3(0, 0, 0.1)), 1e-12);
    palSceneBodies_Free(&world);
    palScene_Free(&scene);
}

// It must not be taken for one with the first object, which a wire does not touch where it is tied.
static void a_joint_with_the_world_is_on_no_object(void** state)
{
    (void)state;
    static palScene scene;
    palSceneBodies world;
    palError error;
    assert_int_equal(load(good, &scene, &world, &error), pal_ok);
    assert_int_equal(world.joints[0].ends[1].body, 0);
    assert_int_equal(world.joints[1].ends[1].kind, pal_placeFixed);
    assert_int_equal(world.joints[1].ends[1].body, -1);
    palSceneBodies_Free(&world);
    palScene_Free(&scene);
}

// Whatever the hand holds: here a tool.
static void objects_are_in_the_loops_that_the_scene_says(void** state)
{
    (void)state;
    static palScene scene;
    palSceneBodies world;
    palError error;
    assert_int_equal(load("palpate: 1\n"
                          "method: {name: compliance}\n"
                          "time: {loops: [{dt: 0.1}]}\n"
                          "trajectory: {kind: line}\n"
                          "tool: {shape: {kind: sphere}}\n"
                          "objects:\n"
                          "  - {shape: {kind: box}, soft: {resolution: 2}, loop: 2}\n"
                          "  - {shape: {kind: box}, position: [1, 0, 0], soft: {resolution: 2}}\n",
                          &scene, &world, &error),
                     pal_ok);
    assert_int_equal(world.colliders[0].loop, 1);
    assert_int_equal(world.colliders[1].loop, 0);
    palSceneBodies_Free(&world);
}

// The text with one part of it replaced.
static const char* changed(const char* part, const char* by)
{
    static char text[4096];
    const char* at = strstr(good, part);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, by, at + strlen(part));
    return text;
}

static void checkRefused(const char* part, const char* by, int line, const char* what,
                         const char* remedy)
{
    static palScene scene;
    palSceneBodies world;
    palError error;
    assert_int_equal(load(changed(part, by), &scene, &world, &error), pal_errorInput);
    char text[1024];
    palError_Format(&error, text, sizeof text);
    if (strstr(text, what) == NULL || strstr(text, remedy) == NULL || error.line != line)
        fail_msg("line %d: %s", error.line, text);
    palScene_Free(&scene);
}

static void what_cannot_be_is_refused_with_place_and_remedy(void** state)
{
    (void)state;
    checkRefused("end: [0, 0, 0.15]", "end: [0, 0, 0.05]", 10, "held has no length",
                 "must be apart");
    checkRefused("to: block", "to: blokc", 25, "nothing is named 'blokc'", "held, wire1, block");
    checkRefused("wire: held, at: 0,", "wire: hold, at: 0,", 25, "nothing is named 'hold'",
                 "the wires held, wire1");
    checkRefused("    hand: end\n", "", 4, "takes a tool or a wire in the hand", "tool");
    checkRefused("clamped: start\n", "hand: start\n", 10, "not several", "hand: start");
    checkRefused("at: 0, to: block", "at: 0.5, to: block", 25, "is 50 mm from block", "move one");
    checkRefused("kind: ball", "kind: hinge", 25, "axis of a hinge is not given", "give axis");
    checkRefused("wire: held, at: 0,", "body: block, point: [0, 0, 0.3],", 25, "block is joined",
                 "another thing");
    checkRefused("wire: held, at: 0, to: block", "body: block, point: [0, 0, 0.3], to: world", 25,
                 "250 mm from world", "move one");
    checkRefused("wire: held, at: 0,", "body: held,", 25, "where held is joined", "point: [x");
    checkRefused("wire: held, at: 0,", "body: tool, point: [0, 0, 0.05],", 25,
                 "nothing is named 'tool'", "and world");
    checkRefused("wire: held, at: 0,", "wire: held, body: block,", 25, "exclude each other", "");
    checkRefused("wire: held, at: 0, to: block", "body: world, point: [0, 0, 0], to: world", 25,
                 "do not move", "wire or the tool");
    checkRefused("kind: ball, wire: held, at: 0, to: block",
                 "kind: weld, body: world, point: [0, 0, 0], to: world", 25, "do not move",
                 "wire or the tool");
    checkRefused("kind: ball, wire: held, at: 0, to: block",
                 "kind: weld, body: block, point: [0, 0, 0.3], to: world", 25, "250 mm from world",
                 "move one");
    checkRefused("kind: ball, wire: held, at: 0, to: block",
                 "kind: hinge, body: blokc, point: [0, 0, 0.05], axis: [0, 0, 1]", 25,
                 "nothing is named 'blokc'", "held, wire1, block");
    checkRefused("kind: ball, wire: held, at: 0, to: block",
                 "kind: hinge, wire: held, at: 0, axis: [0, 0, 0]", 25, "no direction", "axis");
    checkRefused("kind: ball, wire: held, at: 0, to: block",
                 "kind: ring, body: block, point: [0, 0, 0.05]", 25, "neither is a wire", "ball");
    checkRefused("inner: 0.001", "inner: 0.002", 18, "has no wall", "section.inner");
    checkRefused("loop: 3", "loop: 4", 23, "wire1 is in loop 4, but there are loops 0 to 3",
                 "time.loops");
    checkRefused("loop: 2", "loop: 4", 7, "block is in loop 4, but there are loops 1 to 3",
                 "time.loops");
    checkRefused("    hand: end\n", "    hand: end\n    clamped: both\n", 16,
                 "the end of held that the hand holds is clamped", "the other end");
    checkRefused("  - points", "  - name: held\n    points", 26,
                 "more than one thing is named 'held'", "a name of its own");
    checkRefused("name: block", "name: held", 25, "more than one thing is named 'held'", "");
    checkRefused("name: block", "name: world", 26, "more than one thing is named 'world'", "");
    checkRefused("    hand: end\n", "    hand: end\n    loop: 1\n", 10, "not at the high rate",
                 "loop: 0");
    checkRefused("start: [0, 0, 0.05]", "start: [0, 0, .nan]", 11, "'start'", "");
    checkRefused("elements: 4", "elements: 0", 13, "'elements' is out of range", "1 to 200");
    checkRefused("shape: tube", "shape: pipe", 20, "pipe", "tube");
    checkRefused("kind: ring", "kind: rivet", 26, "rivet", "ring");
    checkRefused("    start: [0, 0, 0.05]\n    end: [0, 0, 0.15]\n", "", 10, "wire", "start");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wires_and_joints_are_made_as_the_scene_says),
        cmocka_unit_test(a_joint_with_the_world_is_on_no_object),
        cmocka_unit_test(objects_are_in_the_loops_that_the_scene_says),
        cmocka_unit_test(what_cannot_be_is_refused_with_place_and_remedy),
    };
    return RUN(tests);
}

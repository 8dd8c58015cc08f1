// SPDX-License-Identifier: Apache-2.0
// A scene larger than any number in the code: twenty wires, ten soft cubes, sixty joints.
#include "sealed_ticks.h"

#include "compliance_scene.h"

static void appendf(char* text, size_t size, const char* format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

// Ten cubes in a row on a floor, two wires across each, of which every second is slow, joined to
// the cube at both ends and in the middle.
static void writeScene(char* text, size_t size)
{
    snprintf(text, size,
             "palpate: 1\ngravity: [0, 0, -9.81]\nmethod: {name: compliance, radius: 0.002}\n"
             "trajectory: {kind: line}\nobjects:\n"
             "  - {name: floor, shape: {kind: plane, size: [2, 2, 0]}, friction: 0.3}\n");
    for (int i = 0; i < 10; i++)
        appendf(
            text, size,
            "  - {name: cube%d, shape: {kind: box, size: [0.03, 0.03, 0.03]}, position: [%g, 0, "
            "0.0151], friction: 0.3, soft: {elements: tets, resolution: 1, young: 20000, "
            "start: unloaded, damping: {mass: 4, stiffness: 0.005}}}\n",
            i, 0.04 * i);
    appendf(text, size, "wires:\n");
    for (int i = 0; i < 20; i++)
        appendf(text, size,
                "  - {name: wire%d, start: [%g, %g, 0.0305], end: [%g, %g, 0.0305], elements: 2, "
                "section: {shape: circle, radius: 0.0004}, young: 1.0e+9, density: 1200, damping: "
                "{mass: 20}, loop: %d%s}\n",
                i, 0.04 * (i / 2) - 0.012, i % 2 ? 0.01 : -0.01, 0.04 * (i / 2) + 0.012,
                i % 2 ? 0.01 : -0.01, i % 2, i == 0 ? ", hand: start" : "");
    appendf(text, size, "joints:\n");
    for (int i = 0; i < 60; i++)
        appendf(text, size, "  - {kind: ball, wire: wire%d, at: %g, to: cube%d}\n", i / 3,
                0.5 * (i % 3), i / 6);
}

static void runs_without_allocating_in_its_ticks(void** state)
{
    (void)state;
    static char text[32768];
    writeScene(text, sizeof text);
    fixture* f = setUp(text, 0.05);
    const palCompliance* method = (const palCompliance*)f->engine->methods.shared;
    assert_int_equal(method->wireCount, 10);
    assert_int_equal(method->jointRows, 180);
    assert_int_equal(method->loops[0]->bodyCount, 20);
    palTickRecord record = {0};
    for (int k = 0; k < 120; k++)
        palLockstep_Step(f->engine, &record);
    outcome seen = isSanitized ? (outcome){0} : tickInChild(f->engine, 5);
    assert_false(seen.killed);
    assert_int_equal(seen.allocations, 0);
    assert_int_equal(seen.locks, 0);
    assert_true(palIsFinite(record.hands[0].force));
    assert_int_equal(method->loops[0]->dropped, 0);
    assert_int_equal(method->loops[0]->failures, 0);
    // Nothing has fallen through the floor.
    for (int i = 1; i <= 10; i++)
        ASSERT_NEAR(middleOf(f->world.colliders[i].soft).z, 0.015, 0.002);
    tearDown(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_without_allocating_in_its_ticks),
    };
    return RUN(tests);
}

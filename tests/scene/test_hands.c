// SPDX-License-Identifier: Apache-2.0
// Scenes with several hands under every method: what they hold, and what they feel of each other.
#include "scene_session.h"
#include "sealed_ticks.h"

#include <stdio.h>

#define BALL "tool: {shape: {kind: sphere, radius: 0.004, resolution: 8}}"

// Takes steps; the record of the last.
static palTickRecord run(palSession* session, int steps)
{
    palTickRecord record = {0};
    for (int k = 0; k < steps; k++)
        palLockstep_Step((palEngine*)palSession_Engine(session), &record);
    return record;
}

// A free block, squeezed by two balls.
static palSession* startSqueeze(const char* method)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "palpate: 1\ngravity: [0, 0, 0]\ntime: {low_dt: 0.01, latency: 0.01}\n"
        "method: {name: %s, radius: 0.01}\nhands:\n"
        "  - {" BALL ", trajectory: {kind: path, points: [{t: 0, at: [-0.025, 0.0003, 0.0002]}"
        ", {t: 0.3, at: [-0.022, 0.0003, 0.0002]}]}}\n"
        "  - {" BALL ", trajectory: {kind: path, points: [{t: 0, at: [0.025, 0.0003, 0.0002]}"
        ", {t: 0.3, at: [0.022, 0.0003, 0.0002]}]}}\n"
        "objects: [{name: block, shape: {kind: box, size: [0.04, 0.04, 0.04]}, friction: 0.5,"
        " soft: {young: 10000, elements: tets, resolution: 4, damping: {stiffness: 0.005}}}]\n",
        method);
    return startScene(text);
}

// At rest the forces are equal and opposite under every method, and the same but for those that let
// the tool sink in, or that have a second spring.
static void every_method_squeezes_a_block_with_two_tools(void** state)
{
    (void)state;
    static const char* const methods[] = {"linear",   "accurate",   "standard",
                                          "coupling", "compliance", "penalty"};
    double first = 0.0;
    for (int m = 0; m < 6; m++)
    {
        palSession* session = startSqueeze(methods[m]);
        palTickRecord record = run(session, 1500);
        palVec3 one = record.hands[0].force, other = record.hands[1].force;
        print_message("%-10s %.5f N and %.5f N\n", methods[m], one.x, other.x);
        ASSERT_BELOW(0.15, -one.x);
        ASSERT_BELOW(palLength(palAdd(one, other)), 1e-3 * palLength(one));
        first = m == 0 ? -one.x : first;
        bool isSeries = strcmp(methods[m], "coupling") == 0 || strcmp(methods[m], "penalty") == 0;
        ASSERT_NEAR(-one.x, first, (isSeries ? 0.15 : 0.01) * first);
        palSession_Destroy(session);
    }
}

// Balls that press a block side by side; the first alone where `count` is 1.
static palVec3 pressBeside(const char* method, int count, double* other)
{
    char text[2048];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "palpate: 1\ngravity: [0, 0, 0]\ntime: {low_dt: 0.01, latency: 0.01}\n"
        "method: {name: %s, radius: 0.01}\nobjects: [{name: block, shape: {kind: box, size: [0.06, "
        "0.03, 0.06]}, position: [0, -0.015, 0], friction: 0.6, soft: {young: 10000, elements: "
        "tets, resolution: "
        "6, fixed: [{nodes: ymin}], damping: {stiffness: 0.005}}}]\nhands:\n",
        method);
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "  - {" BALL ", trajectory: {kind: path, points: [{t: 0, at: [%g, 0.005, 0.0003]}, {t: "
            "0.3, at: [%g, 0.001, 0.0003]}]}}\n",
            0.01 * i - 0.0047, 0.01 * i - 0.0047);
    palSession* session = startScene(text);
    palTickRecord record = run(session, 1500);
    *other = count > 1 ? record.hands[1].force.y : NAN;
    palVec3 force = record.hands[0].force;
    palSession_Destroy(session);
    return force;
}

// Two balls 10 mm apart share the dimple: each has less than alone, by the same under every method.
static void tools_side_by_side_share_the_dimple(void** state)
{
    (void)state;
    static const char* const methods[] = {"compliance", "linear", "accurate", "standard"};
    double shared[4];
    for (int m = 0; m < 4; m++)
    {
        double second, none;
        double alone = pressBeside(methods[m], 1, &none).y;
        double first = pressBeside(methods[m], 2, &second).y;
        shared[m] = first + second;
        print_message("%-10s %.5f N alone, %.5f N and %.5f N together\n", methods[m], alone, first,
                      second);
        ASSERT_BELOW(first, 0.95 * alone);
        ASSERT_BELOW(0.5 * alone, first);
        ASSERT_NEAR(shared[m], shared[0], 0.005 * shared[0]);
    }
}

#define RUBBER                                                                                     \
    "elements: 10, section: {shape: circle, radius: 0.001}, young: 1.0e+6, density: 1100, "        \
    "damping: {mass: 20}"

// A string of two wires, pulled from both ends: both hands feel E A ε.
static void two_hands_pull_a_string(void** state)
{
    (void)state;
    palSession* session = startScene(
        "palpate: 1\ngravity: [0, 0, 0]\ntime: {low_dt: 0.01, latency: 0.01}\n"
        "method: {name: compliance, radius: 0.005}\nobjects: []\nhands:\n"
        "  - {wire: {name: left, end: start}, trajectory: {kind: path, points: [{t: 0, at: [-0.1, "
        "0,"
        " 0]}, {t: 0.5, at: [-0.101, 0, 0]}]}}\n"
        "  - {wire: {name: right, end: end}, trajectory: {kind: path, points: [{t: 0, at: [0.1, 0, "
        "0]}, {t: 0.5, at: [0.102, 0, 0]}]}}\n"
        "wires:\n  - {name: left, start: [-0.1, 0, 0], end: [0, 0, 0], " RUBBER "}\n"
        "  - {name: right, start: [0, 0, 0], end: [0.1, 0, 0], " RUBBER "}\n"
        "joints: [{kind: ball, wire: left, at: 1, to: right}]\n");
    palTickRecord record = run(session, 2000);
    double expected = 1e6 * PAL_PI * 1e-6 * 0.003 / 0.2;
    ASSERT_NEAR(record.hands[0].force.x, expected, 1e-4 * expected);
    ASSERT_NEAR(record.hands[1].force.x, -expected, 1e-4 * expected);
    palSession_Destroy(session);
}

// A wire in one hand that ends at a tool in the other: the same, with the spring of the coupling in
// series.
static void a_wire_and_a_tool_pull_at_each_other(void** state)
{
    (void)state;
    palSession* session = startScene(
        "palpate: 1\ngravity: [0, 0, 0]\ntime: {low_dt: 0.01, latency: 0.01}\n"
        "method: {name: compliance, radius: 0.005}\nobjects: []\nhands:\n"
        "  - {wire: {name: left, end: start}, trajectory: {kind: path, points: [{t: 0, at: [-0.1, "
        "0,"
        " 0]}, {t: 0.5, at: [-0.101, 0, 0]}]}}\n"
        "  - {" BALL ", coupling: {stiffness: 200}, trajectory: {kind: path, points: [{t: 0, at: "
        "[0.004, 0, 0]}, {t: 0.5, at: [0.006, 0, 0]}]}}\n"
        "wires:\n  - {name: left, start: [-0.1, 0, 0], end: [0, 0, 0], " RUBBER "}\n"
        "joints: [{kind: ball, body: tool1, to: left, point: [0, 0, 0]}]\n");
    palTickRecord record = run(session, 2000);
    double stiffness = 1e6 * PAL_PI * 1e-6 / 0.1;
    double expected = 0.003 / (1.0 / stiffness + 1.0 / 200.0);
    ASSERT_NEAR(record.hands[0].force.x, expected, 1e-4 * expected);
    ASSERT_NEAR(record.hands[1].force.x, -expected, 1e-4 * expected);
    palSession_Destroy(session);
}

// A point and a tool, 80 mm apart on a rigid plate and on a soft one.
static void a_point_and_a_tool_in_one_scene(void** state)
{
    (void)state;
    static const char* const methods[] = {"accurate", "standard", "penalty"};
    static const char* const plates[] = {"", ", soft: {young: 20000, elements: tets, resolution: "
                                             "12, fixed: [{nodes: ymin}]}"};
    for (int m = 0; m < 6; m++)
    {
        char text[2048];
        snprintf(text, sizeof text,
                 "palpate: 1\ngravity: [0, 0, 0]\ntime: {low_dt: 0.01}\n"
                 "method: {name: %s, radius: 0.01}\nhands:\n"
                 "  - {trajectory: {kind: path, points: [{t: 0, at: [-0.04, 0.002, 0]}, {t: 0.3, "
                 "at: [-0.04, -0.002, 0]}]}}\n"
                 "  - {" BALL ", trajectory: {kind: path, points: [{t: 0, at: [0.04, 0.006, 0]}, "
                 "{t: 0.3, at: [0.04, 0.002, 0]}]}}\n"
                 "objects: [{name: plate, shape: {kind: box, size: [0.12, 0.02, 0.04]}, position: "
                 "[0, -0.01, 0]%s}]\n",
                 methods[m % 3], plates[m / 3]);
        palSession* session = startScene(text);
        palTickRecord record = run(session, 1000);
        double one = record.hands[0].force.y, other = record.hands[1].force.y;
        print_message("%s %s: point %.4f N, tool %.4f N\n", methods[m % 3],
                      m < 3 ? "rigid" : "soft", one, other);
        assert_true(one > 0.15 && other > 0.15);
        // On the rigid plate both are the spring of the coupling; a facet of the ball is not as low
        // as its radius.
        if (m < 3)
            ASSERT_NEAR(one, other, 0.05 * one);
        for (int i = 0; i < record.contactCount; i++)
        {
            const palContactForce* contact = &record.contacts[i];
            assert_int_equal(contact->other, 1 + contact->hand);
            assert_true((contact->point.x > 0.0) == (contact->hand == 1));
        }
        palSession_Destroy(session);
    }
}

// Hands that one method cannot have together are refused.
static void what_cannot_be_is_refused(void** state)
{
    (void)state;
    palSession* session;
    palError error = {0};
    const char frozen[] =
        "palpate: 1\nmethod: {name: accurate, response: frozen}\nobjects: []\n"
        "hands:\n  - {trajectory: {kind: line}}\n  - {trajectory: {kind: line}}\n";
    assert_int_equal(createFromText(frozen, &session, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "one hand"));
    assert_int_equal(error.line, 2);
    const char point[] =
        "palpate: 1\nmethod: {name: linear}\nobjects: []\nhands:\n"
        "  - {" BALL ", trajectory: {kind: line}}\n  - {trajectory: {kind: line}}\n";
    assert_int_equal(createFromText(point, &session, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "a point"));
}

// Ticks of two hands under the methods with a world of their own.
static void ticks_of_two_tools_are_real_time(void** state)
{
    (void)state;
    static const char* const methods[] = {"linear", "coupling", "compliance"};
    if (isSanitized || !canSeal())
        SKIP(SANITIZED);
    for (int m = 0; m < 3; m++)
    {
        palSession* session = startSqueeze(methods[m]);
        palEngine* engine = (palEngine*)palSession_Engine(session);
        int touching = 0;
        for (int n = 0; n < 10; n++)
        {
            run(session, 40);
            outcome seen = tickInChild(engine, 5);
            assert_false(seen.killed);
            assert_int_equal(seen.allocations, 0);
            assert_int_equal(seen.locks, 0);
            touching += seen.touching;
        }
        assert_true(touching > 20);
        palSession_Destroy(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_squeezes_a_block_with_two_tools),
        cmocka_unit_test(tools_side_by_side_share_the_dimple),
        cmocka_unit_test(two_hands_pull_a_string),
        cmocka_unit_test(a_wire_and_a_tool_pull_at_each_other),
        cmocka_unit_test(a_point_and_a_tool_in_one_scene),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(ticks_of_two_tools_are_real_time),
    };
    return RUN(tests);
}

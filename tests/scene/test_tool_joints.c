// SPDX-License-Identifier: Apache-2.0
// A tool in the hand that is joined to a soft block, a wire or the world, and pulled.
#include "scene_session.h"

static const char soft[] =
    "objects:\n"
    "  - {name: block, shape: {kind: box, size: [0.04, 0.03, 0.04]}, position: [0, -0.015, 0],\n"
    "     soft: {young: 20000, elements: tets, resolution: 3, fixed: [{nodes: ymin}]}}\n";

static const char tether[] =
    "objects:\n"
    "  - {name: floor, shape: {kind: box, size: [0.2, 0.03, 0.2]}, position: [0, -0.115, 0]}\n"
    "wires:\n"
    "  - {name: tether, start: [0, 0, 0], end: [-0.04, 0, 0], elements: 6, clamped: end,\n"
    "     section: {shape: circle, radius: 0.0005}, young: 1.0e+8}\n";

static const char fixed[] =
    "objects:\n"
    "  - {name: floor, shape: {kind: box, size: [0.2, 0.03, 0.2]}, position: [0, -0.115, 0]}\n";

typedef struct joined
{
    const char* world; // its objects and wires
    const char* joint;
    const char* name;
} joined;

static const joined cases[] = {
    {soft, "{kind: ball, body: tool, to: block, point: [0, 0, 0], radius: 0.012}", "ball, block"},
    {soft, "{kind: ball, body: block, to: tool, point: [0, 0, 0], radius: 0.012}", "block first"},
    {soft, "{kind: weld, body: tool, to: block, point: [0, 0, 0], radius: 0.012}", "weld, block"},
    {soft, "{kind: hinge, body: tool, to: block, point: [0, 0, 0], axis: [0, 0, 1]}", "hinge"},
    {tether, "{kind: ball, body: tool, to: tether, point: [0, 0, 0]}", "ball, wire"},
    {tether, "{kind: weld, body: tool, to: tether, point: [0, 0, 0]}", "weld, wire"},
    {fixed, "{kind: hinge, body: tool, to: world, point: [0, 0, 0], axis: [0, 0, 1]}", "world"},
};

// The tool's centre begins 20 mm above the joint and is pulled by (6, 4, 4) mm, by a spring of
// `stiffness`, N/m.
static palResult create(const joined* of, const char* method, double stiffness,
                        palSession** session, palError* error)
{
    char text[2048];
    snprintf(text, sizeof text,
             "palpate: 1\n"
             "time: {seconds: 2, dt: 0.001, low_dt: 0.02}\n"
             "method: {name: %s, radius: 0.01}\n"
             "coupling: {stiffness: %g, turn_stiffness: %g}\n"
             "trajectory: {kind: path, points: [{t: 0, at: [0, 0.02, 0]},\n"
             "  {t: 0.1, at: [0, 0.02, 0]}, {t: 0.5, at: [0.006, 0.024, 0.004]},\n"
             "  {t: 3, at: [0.006, 0.024, 0.004]}]}\n"
             "%s"
             "tool: {shape: {kind: sphere, radius: 0.005, resolution: 8}}\n"
             "joints:\n  - %s\n",
             method, stiffness, 4e-4 * stiffness, of->world, of->joint);
    return createFromText(text, session, error);
}

// At rest.
static palStep pulled(const joined* of, const char* method, double stiffness)
{
    palSession* session;
    palError error = {0};
    if (create(of, method, stiffness, &session, &error) != pal_ok)
        fail_msg("%s: %s", of->name, error.text);
    palStep step = {0};
    while (step.t < 1.5)
        palSession_Step(session, &step);
    palSession_Destroy(session);
    return step;
}

// Under `coupling` two springs are in series.
static void a_joined_tool_is_held_alike_by_every_method(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        palStep linear = pulled(&cases[i], "linear", 1000);
        palStep compliance = pulled(&cases[i], "compliance", 1000);
        palStep coupling = pulled(&cases[i], "coupling", 2000);
        double force = palLength(compliance.force), torque = palLength(compliance.torque);
        print_message("%s: %.3f N, %.5f N·m\n", cases[i].name, force, torque);
        ASSERT_BELOW(1.0, force);
        ASSERT_BELOW(palDistance(linear.force, compliance.force), 1e-3 * force);
        ASSERT_BELOW(palDistance(linear.torque, compliance.torque), 1e-3 * torque + 1e-6);
        ASSERT_BELOW(palDistance(linear.proxy, compliance.proxy), 5e-6);
        ASSERT_BELOW(palDistance(coupling.force, compliance.force), 0.02 * force);
    }
}

// Hinged to the world the tool goes around the axis, and the spring alone gives way along it.
static void a_tool_hinged_to_the_world_goes_around_the_axis(void** state)
{
    (void)state;
    const joined* of = &cases[sizeof cases / sizeof cases[0] - 1];
    palSession* session;
    assert_int_equal(create(of, "linear", 1000, &session, NULL), pal_ok);
    palStep step = {0};
    while (step.t < 1.5)
    {
        palSession_Step(session, &step);
        ASSERT_NEAR(hypot(step.proxy.x, step.proxy.y), 0.02, 2e-5);
        ASSERT_NEAR(step.proxy.z, 0.0, 2e-5);
    }
    ASSERT_NEAR(step.force.z, -1000.0 * 0.004, 1e-6);
    ASSERT_BELOW(0.001, step.proxy.x);
    palSession_Destroy(session);
}

static void what_linear_cannot_join_is_refused(void** state)
{
    (void)state;
    static const char* const methods[] = {"linear, constraints: equality",
                                          "linear, response: frozen"};
    for (int i = 0; i < 2; i++)
    {
        palSession* session;
        palError error = {0};
        assert_int_equal(create(&cases[0], methods[i], 1000, &session, &error), pal_errorInput);
        assert_non_null(strstr(error.text, "joins the tool"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_joined_tool_is_held_alike_by_every_method),
        cmocka_unit_test(a_tool_hinged_to_the_world_goes_around_the_axis),
        cmocka_unit_test(what_linear_cannot_join_is_refused),
    };
    return RUN(tests);
}

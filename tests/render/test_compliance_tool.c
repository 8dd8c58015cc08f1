// SPDX-License-Identifier: Apache-2.0
// A rigid tool in the hand under method compliance: on rigid and soft objects as under `linear`, on
// wires as beams bend.
#include "scene_session.h"

#include "math/vec3.h"

#include "api/session.h"

#define PRESS(depth)                                                                               \
    "trajectory={kind: press, target: [0, 0.06, 0], direction: [0, -1, 0], gap: 0.004, "           \
    "depth: " depth ", speed: 0.02, hold: 10}"

// The force at rest after a press, N.
static double restingForce(const char* method, const char* object)
{
    const char* sets[] = {method, object, PRESS("0.004"), "time.low_dt=0.02", "time.latency=0.02"};
    palSession* session = createSession("tool-block.yaml", sets, 5);
    palStep step;
    stepSession(session, 1500, &step);
    palSession_Destroy(session);
    return step.force.y;
}

static void at_rest_a_soft_block_pushes_as_under_linear(void** state)
{
    (void)state;
    double linear = restingForce("method.name=linear", "objects.0.friction=0");
    assert_true(linear > 0.5);
    double ours = restingForce("method.name=compliance", "objects.0.friction=0");
    ASSERT_NEAR(ours, linear, 0.02 * linear);
}

static void at_rest_a_rigid_plane_pushes_as_under_linear(void** state)
{
    (void)state;
    static const char plane[] = "objects=[{name: plane, shape: {kind: plane, size: [0.2, 0.2, 0]}, "
                                "rotation: [-90, 0, 0], position: [0, 0.05, 0]}]";
    double linear = restingForce("method.name=linear", plane);
    assert_true(linear > 0.5);
    double ours = restingForce("method.name=compliance", plane);
    ASSERT_NEAR(ours, linear, 0.02 * linear);
}

// A wire clamped at both ends under the middle of the tool: F = 192 E I / L³ times its sag.
static void a_tool_bends_a_wire_as_a_beam(void** state)
{
    (void)state;
    for (int loop = 0; loop < 2; loop++)
    {
        char wires[512];
        snprintf(wires, sizeof wires,
                 "wires=[{name: bridge, start: [-0.1, 0.049, 0], end: [0.1, 0.049, 0], elements: "
                 "20, section: {shape: circle, radius: 0.001}, young: 2.0e+9, poisson: 0.3, "
                 "density: 1200, damping: {mass: 20}, clamped: both, loop: %d}]",
                 loop);
        const char* sets[] = {"method.name=compliance", "objects=[]",       wires,
                              PRESS("0.0002"),          "time.low_dt=0.02", "time.latency=0.02"};
        palSession* session = createSession("tool-block.yaml", sets, 6);
        palStep step;
        stepSession(session, 4000, &step);
        // The lying cylinder of 10 mm radius is at 50 mm; its coupling gives way as well.
        double stiffness = 192.0 * 2e9 * M_PI / 4.0 * 1e-12 / pow(0.2, 3);
        double sag = step.force.y / stiffness;
        double coupling = 0.0002 - sag;
        assert_true(step.force.y > 0.005);
        ASSERT_NEAR(coupling, step.force.y / 1000.0, 0.02 * 0.0002);
        palSession_Destroy(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_a_soft_block_pushes_as_under_linear),
        cmocka_unit_test(at_rest_a_rigid_plane_pushes_as_under_linear),
        cmocka_unit_test(a_tool_bends_a_wire_as_a_beam),
    };
    return RUN(tests);
}

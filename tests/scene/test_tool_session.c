// SPDX-License-Identifier: Apache-2.0
// Scenes with a tool run whole: what the hand feels at rest, on the way in and on the way out.
#include "scene_session.h"

#include "math/vec3.h"

#include "api/session.h"
#include "render/method.h"

// The elastic forces of the block's free nodes together: what the tool presses it with.
static palVec3 pressOf(const palSession* session)
{
    palSoftBody* body = palSession_Bodies(session)->colliders[0].soft;
    palSoftBody_Linearise(body, pal_tangentExact);
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < body->freeCount; i++)
        sum = palAdd(
            sum, palMakeVec3(body->force[3 * i], body->force[3 * i + 1], body->force[3 * i + 2]));
    return sum;
}

// The force on the hand after a press of 5 mm has come to rest, N. It is what the block pushes
// with.
static double restingForce(const char* constraints, const char* rate, double within)
{
    const char* sets[] = {constraints, rate, "objects.0.friction=0",
                          "trajectory={kind: press, target: [0, 0.06, 0], direction: [0, -1, 0], "
                          "gap: 0.005, depth: 0.005, speed: 0.02, hold: 10}"};
    palSession* session = createSession("tool-block.yaml", sets, 4);
    palStep step;
    stepSession(session, 2200, &step);
    ASSERT_BELOW(1.0, step.force.y);
    ASSERT_BELOW(fabs(pressOf(session).y - step.force.y), within * step.force.y);
    palSession_Destroy(session);
    return step.force.y;
}

static void at_rest_the_hand_holds_what_the_block_pushes_with_at_every_rate(void** state)
{
    (void)state;
    const char* const laws[] = {"method.constraints=contact", "method.constraints=equality"};
    for (int i = 0; i < 2; i++)
    {
        double within = i == 0 ? 0.01 : 0.06; // equality also keeps how it came there
        double fast = restingForce(laws[i], "time.low_dt=0.0167", within);
        ASSERT_NEAR(restingForce(laws[i], "time.low_dt=0.033", within), fast, within * fast);
        ASSERT_NEAR(restingForce(laws[i], "time.low_dt=0.1", within), fast, within * fast);
    }
}

// The largest pull on a light tool that is drawn away from the block, N.
static double pullOf(const char* constraints)
{
    const char* sets[] = {constraints, "tool.mass=0.001", "objects.0.friction=0",
                          "trajectory={kind: press, target: [0, 0.06, 0], direction: [0, -1, 0], "
                          "gap: 0.005, depth: 0.006, speed: 0.05, hold: 0.5}"};
    palSession* session = createSession("tool-block.yaml", sets, 4);
    double pull = 0.0, push = 0.0;
    for (int k = 0; k < 1200; k++)
    {
        palStep step;
        palSession_Step(session, &step);
        pull = fmax(pull, -step.force.y);
        push = fmax(push, step.force.y);
    }
    ASSERT_BELOW(1.0, push);
    palSession_Destroy(session);
    return pull;
}

static void equality_sticks_to_what_it_leaves_and_contact_does_not(void** state)
{
    (void)state;
    ASSERT_BELOW(pullOf("method.constraints=contact"), 0.06); // the coupling's damping: 0.8 · 0.05
    ASSERT_BELOW(0.3, pullOf("method.constraints=equality"));
}

static void a_rigid_floor_is_felt_as_the_coupling_is_stretched(void** state)
{
    (void)state;
    const char* sets[] = {
        "objects.0={name: floor, shape: {kind: box, size: [0.2, 0.02, 0.2]}, position: [0, -0.01, "
        "0]}",
        "trajectory={kind: press, target: [0, 0.01, 0], direction: [0, -1, 0], gap: 0.005, depth: "
        "0.003, speed: 0.02, hold: 10}",
        "time.latency=0.005"};
    palSession* session = createSession("tool-block.yaml", sets, 3);
    palStep step;
    stepSession(session, 1000, &step);
    ASSERT_NEAR(step.force.y, 1000.0 * 0.003, 0.1); // 1000 N/m; the clearance is 0.05 mm of it
    ASSERT_NEAR(step.force.x, 0.0, 0.01);
    ASSERT_NEAR(palLength(step.torque), 0.0, 1e-3);
    palSession_Destroy(session);
}

// Held in the air a tool pulls the hand down with its weight, whatever carries it on the way.
static void a_tool_weighs_the_same_under_every_method(void** state)
{
    (void)state;
    for (int i = 0; palMethodAt(i) != NULL; i++)
    {
        const char* name = palMethodAt(i)->name;
        char method[64];
        snprintf(method, sizeof method, "method.name=%s", name);
        const char* sets[] = {
            method,
            "gravity=[0, -9.81, 0]",
            "tool.mass=0.2",
            "objects.0={name: floor, shape: {kind: box}, position: [0, -1, 0]}",
            "trajectory={kind: path, points: [{t: 0, at: [0, 0.1, 0]}]}",
        };
        palSession* session = createSession("tool-block.yaml", sets, 5);
        palStep step;
        stepSession(session, 3000, &step);
        print_message("%s: %.6f N\n", name, step.force.y);
        ASSERT_NEAR(step.force.y, -0.2 * 9.81, 1e-3);
        palSession_Destroy(session);
    }
}

// Sliding on a rigid floor: the tangential force is μ times the normal one.
static void sliding_friction_is_coulomb_s(void** state)
{
    (void)state;
    const char* sets[] = {
        "objects.0={name: floor, shape: {kind: box, size: [0.4, 0.02, 0.4]}, position: [0, -0.01, "
        "0], friction: 0.3}",
        "trajectory={kind: path, points: [{t: 0, at: [-0.05, 0.012, 0]}, {t: 0.5, at: [-0.05, "
        "0.008, 0]}, {t: 2, at: [0.05, 0.008, 0]}]}",
        "time.latency=0.005"};
    palSession* session = createSession("tool-block.yaml", sets, 3);
    palStep step;
    stepSession(session, 1250, &step);
    ASSERT_BELOW(1.5, step.force.y);
    ASSERT_NEAR(-step.force.x / step.force.y, 0.3, 0.02);
    palSession_Destroy(session);
}

static void a_run_repeats_bit_for_bit(void** state)
{
    (void)state;
    palStep steps[2];
    for (int i = 0; i < 2; i++)
    {
        palSession* session = createSession("tool-block.yaml", NULL, 0);
        stepSession(session, 700, &steps[i]);
        palSession_Destroy(session);
    }
    assert_memory_equal(&steps[0].force, &steps[1].force, sizeof steps[0].force);
    assert_memory_equal(&steps[0].torque, &steps[1].torque, sizeof steps[0].torque);
}

// The tool turns with the hand, and a torque says so where it cannot.
static void a_tool_that_is_kept_from_turning_gives_a_torque(void** state)
{
    (void)state;
    const char* sets[] = {
        "objects.0={name: floor, shape: {kind: box, size: [0.2, 0.02, 0.2]}, position: [0, -0.01, "
        "0]}",
        "trajectory={kind: path, points: [{t: 0, at: [0, 0.02, 0]}, {t: 0.5, at: [0, 0.0101, 0]}, "
        "{t: 1, at: [0, 0.0101, 0], turn: [10, 0, 0]}]}",
        "time.latency=0.005"};
    palSession* session = createSession("tool-block.yaml", sets, 3);
    palStep step;
    stepSession(session, 1500, &step);
    // Turned by 10 degrees about its middle the end would be 5 mm below the floor.
    ASSERT_BELOW(0.01, fabs(step.torque.x));
    double angle = 2.0 * acos(fmin(1.0, fabs(step.turn.w))) * 180.0 / PAL_PI;
    ASSERT_BELOW(angle, 9.0);
    palSession_Destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_the_hand_holds_what_the_block_pushes_with_at_every_rate),
        cmocka_unit_test(equality_sticks_to_what_it_leaves_and_contact_does_not),
        cmocka_unit_test(a_rigid_floor_is_felt_as_the_coupling_is_stretched),
        cmocka_unit_test(a_tool_weighs_the_same_under_every_method),
        cmocka_unit_test(sliding_friction_is_coulomb_s),
        cmocka_unit_test(a_run_repeats_bit_for_bit),
        cmocka_unit_test(a_tool_that_is_kept_from_turning_gives_a_torque),
    };
    return RUN(tests);
}

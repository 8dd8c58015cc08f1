// SPDX-License-Identifier: Apache-2.0
// Joints of rigid objects in scenes: hinges and sliders, their limits and friction.
#include "scene_world.h"

// clang-format off
#define HEAD "palpate: 1\ngravity: [0, 0, -9.81]\nmethod: {name: impulse}\n" \
             "trajectory: {kind: line, start: [1, 1, 1], end: [1, 1, 1.001]}\n"
#define SLED "objects:\n  - {name: sled, shape: {kind: box, size: [0.04, 0.04, 0.02]}, " \
             "motion: free, mass: 0.5}\n"
#define LID "objects:\n  - {name: lid, shape: {kind: box, size: [0.1, 0.1, 0.01]}, position: " \
            "[0.05, 0, 0], motion: free, mass: 0.2}\n"
// clang-format on

static const double gravity = 9.81;

// A bar that swings about one end: T = 2 pi sqrt(I / (m g d)) for small angles.
static void a_bar_on_a_hinge_swings_with_the_period_of_a_pendulum(void** state)
{
    (void)state;
    const double length = 0.2, width = 0.02;
    palWorld* world = startWorld(
        HEAD "objects:\n  - {name: bar, shape: {kind: box, size: [0.02, 0.02, 0.2]}, position: "
             "[0.0034899496702500969, 0, -0.099939082701909576], rotation: [0, -2, 0], motion: "
             "free, mass: 0.3}\n"
             "joints: [{kind: hinge, body: bar, to: world, point: [0, 0, 0], axis: [0, 1, 0]}]\n");
    const double d = 0.5 * length;
    const double inertia = (length * length + width * width) / 12.0 + d * d; // per mass
    const double period = 2.0 * PAL_PI * sqrt(inertia / (gravity * d));
    int crossings = 0, first = 0, last = 0;
    double before = 0.1;
    for (int k = 0; crossings < 9 && k < 5000; k++)
    {
        stepWorld(world, 1);
        double x = bodyOf(world, "bar").position.x;
        if ((before > 0.0) != (x > 0.0))
        {
            last = k;
            first = crossings++ == 0 ? k : first;
        }
        before = x;
    }
    assert_int_equal(crossings, 9);
    ASSERT_NEAR(0.001 * (last - first) / 4.0, period, 0.005 * period);
    assert_true(fabs(bodyOf(world, "bar").position.y) < 1e-9);
    palWorld_Destroy(world);
}

// Along an axis that falls by 30 degrees: g sin(30 deg), less F/m of friction.
static double slide(const char* keys)
{
    char text[1024];
    snprintf(text, sizeof text,
             HEAD SLED "joints: [{kind: slider, body: sled, to: world, point: [0, 0, 0], axis: "
                       "[0.8660254037844386, 0, -0.5]%s}]\n",
             keys);
    palWorld* world = startWorld(text);
    stepWorld(world, 400);
    palBodyState sled = bodyOf(world, "sled");
    double along = sled.position.x * cos(PAL_PI / 6.0) - sled.position.z * sin(PAL_PI / 6.0);
    // It neither leaves the axis nor turns.
    ASSERT_NEAR(sled.position.x * sin(PAL_PI / 6.0) + sled.position.z * cos(PAL_PI / 6.0), 0.0,
                2e-5);
    ASSERT_NEAR(sled.orientation.w, 1.0, 1e-9);
    palWorld_Destroy(world);
    return along;
}

static void a_slider_falls_along_its_axis_against_its_friction(void** state)
{
    (void)state;
    const double t = 0.4, drive = 0.5 * gravity, mass = 0.5;
    ASSERT_NEAR(slide(""), 0.5 * drive * t * t, 0.005 * drive * t * t);
    double slowed = drive - 1.0 / mass; // by 1 N
    ASSERT_NEAR(slide(", friction: 1"), 0.5 * slowed * t * t, 0.005 * slowed * t * t);
    // What friction holds, m g sin(30 deg) = 2.4525 N, stays.
    ASSERT_NEAR(slide(", friction: 2.46"), 0.0, 1e-6);
    assert_true(slide(", friction: 2.44") > 5e-4);
}

static void a_slider_stops_at_its_limit(void** state)
{
    (void)state;
    ASSERT_NEAR(slide(", high: 0.1, low: 0"), 0.1, 5e-5);
}

// A lid is let go, falls and rests where its limit holds it: 20 degrees below level.
static void a_lid_rests_at_its_limit(void** state)
{
    (void)state;
    palWorld* world = startWorld(
        HEAD LID "joints: [{kind: hinge, body: lid, to: world, point: [0, 0, 0], axis: [0, 1, 0], "
                 "high: 20, low: -90}]\n");
    stepWorld(world, 2000);
    palBodyState lid = bodyOf(world, "lid");
    ASSERT_NEAR(2.0 * asin(lid.orientation.y) * 180.0 / PAL_PI, 20.0, 0.05);
    assert_true(palLength(lid.velocity) < 1e-4);
    palWorld_Destroy(world);
}

static void a_stiff_hinge_holds_a_lid_where_it_is(void** state)
{
    (void)state;
    // Its weight pulls with m g d = 0.0981 N m.
    palWorld* held = startWorld(HEAD LID "joints: [{kind: hinge, body: lid, to: world, point: "
                                         "[0, 0, 0], axis: [0, 1, 0], friction: 0.1}]\n");
    palWorld* falling = startWorld(HEAD LID "joints: [{kind: hinge, body: lid, to: world, point: "
                                            "[0, 0, 0], axis: [0, 1, 0], friction: 0.096}]\n");
    stepWorld(held, 1000);
    stepWorld(falling, 1000);
    ASSERT_NEAR(bodyOf(held, "lid").position.z, 0.0, 1e-5);
    assert_true(bodyOf(falling, "lid").position.z < -1e-3);
    palWorld_Destroy(held);
    palWorld_Destroy(falling);
}

// A ball hangs from another by a point within both, which no surface is near.
static void solids_can_be_joined_within(void** state)
{
    (void)state;
    palWorld* world = startWorld(
        HEAD "objects:\n  - {name: post, shape: {kind: box, size: [0.1, 0.1, 0.1]}}\n"
             "  - {name: ball, shape: {kind: sphere, radius: 0.05}, position: [0.05, 0, 0], "
             "motion: free}\n"
             "joints: [{kind: ball, body: ball, to: post, point: [0.02, 0, 0]}]\n");
    stepWorld(world, 3000);
    ASSERT_NEAR(palDistance(bodyOf(world, "ball").position, palMakeVec3(0.02, 0, 0)), 0.03, 1e-4);
    palWorld_Destroy(world);
}

// The tool of a hand is joined where it is, wherever its device begins.
static void a_joint_holds_the_tool_where_the_hand_begins(void** state)
{
    (void)state;
    palWorld* world =
        startWorld("palpate: 1\nmethod: {name: impulse}\ntrajectory: {kind: line, start: [0.3, 0, "
                   "0], end: [0.3, 0, 0.001]}\ntool: {shape: {kind: sphere, radius: 0.02}, mass: "
                   "0.05}\nobjects:\n  - {name: box, shape: {kind: box, size: [0.04, 0.04, 0.04]}, "
                   "position: [0.34, 0, 0], motion: free, mass: 0.1}\n"
                   "joints: [{kind: weld, body: box, to: tool, point: [0.32, 0, 0]}]\n");
    stepWorld(world, 500);
    ASSERT_NEAR(palDistance(bodyOf(world, "box").position, palMakeVec3(0.34, 0, 0.001)), 0.0, 2e-4);
    palWorld_Destroy(world);
}

static void faults_are_told_with_their_line(void** state)
{
    (void)state;
    refuseWorld(HEAD SLED "joints:\n  - {kind: slider, body: sled, to: world, point: [0, 0, 0]}\n",
                8, "axis of a slider is not given");
    refuseWorld(HEAD SLED "joints:\n  - {kind: ball, body: sled, to: world, point: [0, 0, 0], "
                          "high: 1}\n",
                8, "'high'");
    refuseWorld(HEAD SLED "joints:\n  - {kind: hinge, body: sled, to: world, point: [0, 0, 0], "
                          "axis: [0, 0, 1], low: 10}\n",
                8, "'low'");
    refuseWorld(HEAD SLED "joints:\n  - {kind: hinge, body: sled, to: sled, point: [0, 0, 0], "
                          "axis: [0, 0, 1]}\n",
                8, "itself");
    refuseWorld(HEAD SLED "joints:\n  - {kind: hinge, body: sled, to: world, point: [0, 0, 0.5], "
                          "axis: [0, 0, 1]}\n",
                8, "490 mm from");
    refuseWorld("palpate: 1\nmethod: {name: accurate}\ntrajectory: {kind: line, start: [0, 0, 1],"
                " end: [0, 0, 2]}\nobjects:\n  - {name: soft, shape: {kind: box}, soft: {}}\n"
                "joints:\n  - {kind: hinge, body: soft, to: world, point: [0.05, 0, 0], axis: "
                "[0, 0, 1], friction: 1}\n",
                7, "limits and friction of joints");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_on_a_hinge_swings_with_the_period_of_a_pendulum),
        cmocka_unit_test(a_slider_falls_along_its_axis_against_its_friction),
        cmocka_unit_test(a_slider_stops_at_its_limit),
        cmocka_unit_test(a_lid_rests_at_its_limit),
        cmocka_unit_test(a_stiff_hinge_holds_a_lid_where_it_is),
        cmocka_unit_test(solids_can_be_joined_within),
        cmocka_unit_test(a_joint_holds_the_tool_where_the_hand_begins),
        cmocka_unit_test(faults_are_told_with_their_line),
    };
    return RUN(tests);
}

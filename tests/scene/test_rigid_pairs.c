// SPDX-License-Identifier: Apache-2.0
// How rigid objects of a scene touch: what the scene, an object and a pair say, and what never
// touches.
#include "scene_world.h"

// clang-format off
#define HEAD "palpate: 1\ngravity: [0, 0, -9.81]\nmethod: {name: impulse}\n" \
             "trajectory: {kind: line, start: [1, 1, 1], end: [1, 1, 1.001]}\n"
// clang-format on

// The height to which a ball comes back that falls from 0.2 m.
static double bounce(const char* scene, const char* ball, const char* pairs)
{
    char text[2048];
    snprintf(text, sizeof text,
             HEAD "%s"
                  "objects:\n  - {name: floor, shape: {kind: half-space}%s}\n"
                  "  - {name: ball, shape: {kind: sphere, radius: 0.02}, position: [0, 0, 0.22], "
                  "motion: free%s}\n%s",
             scene, ball, ball, pairs);
    palWorld* world = startWorld(text);
    double highest = 0.0;
    bool hasTouched = false;
    for (int k = 0; k < 700; k++)
    {
        stepWorld(world, 1);
        palBodyState state = bodyOf(world, "ball");
        hasTouched = hasTouched || state.velocity.z > 0.0;
        highest = hasTouched ? fmax(highest, state.position.z - 0.02) : 0.0;
    }
    palWorld_Destroy(world);
    return highest;
}

static void the_pair_counts_before_the_object_and_that_before_the_scene(void** state)
{
    (void)state;
    const char* scene = "contact: {restitution: 0.8}\n";
    const char* object = ", contact: {restitution: 0.6}";
    const char* pair = "pairs: [{body: ball, to: floor, restitution: 0.5}]\n";
    ASSERT_NEAR(bounce("", "", ""), 0.0, 1e-3);
    ASSERT_NEAR(bounce(scene, "", ""), 0.64 * 0.2, 0.02 * 0.64 * 0.2);
    ASSERT_NEAR(bounce(scene, object, ""), 0.36 * 0.2, 0.02 * 0.36 * 0.2);
    ASSERT_NEAR(bounce(scene, object, pair), 0.25 * 0.2, 0.02 * 0.25 * 0.2);
    // Of two pairs the later counts.
    ASSERT_NEAR(bounce("", "",
                       "pairs: [{body: ball, to: floor, restitution: 0.5}, {body: floor, "
                       "to: ball, restitution: 0.7}]\n"),
                0.49 * 0.2, 0.02 * 0.49 * 0.2);
}

// How far a block slides in half a second on a slope of 20 degrees, tan 20 = 0.364.
static double slide(const char* pairs)
{
    char text[2048];
    snprintf(text, sizeof text,
             HEAD "objects:\n  - {name: slope, shape: {kind: half-space}, rotation: [0, 20, 0], "
                  "friction: 0.1}\n"
                  "  - {name: block, shape: {kind: box, size: [0.04, 0.04, 0.02]}, position: "
                  "[0.0034202014332566872, 0, 0.0093969262078590838], rotation: [0, 20, 0], "
                  "friction: 0.1, motion: free, layer: blocks}\n%s",
             pairs);
    palWorld* world = startWorld(text);
    stepWorld(world, 500);
    palVec3 moved = palSub(bodyOf(world, "block").position,
                           palMakeVec3(0.0034202014332566872, 0, 0.0093969262078590838));
    palWorld_Destroy(world);
    return palLength(moved);
}

static void a_pair_has_a_friction_of_its_own(void** state)
{
    (void)state;
    const double angle = PAL_PI / 9.0, g = 9.81, t = 0.5;
    double own = 0.5 * g * (sin(angle) - 0.1 * cos(angle)) * t * t;
    double low = 0.5 * g * (sin(angle) - 0.02 * cos(angle)) * t * t;
    ASSERT_NEAR(slide(""), own, 0.01 * own);
    ASSERT_NEAR(slide("pairs: [{body: blocks, to: slope, friction: 0.02}]\n"), low, 0.01 * low);
    ASSERT_NEAR(slide("pairs: [{body: blocks, to: slope, friction: 0.37}]\n"), 0.0, 1e-4);
}

static void layers_that_never_touch_pass_through_each_other(void** state)
{
    (void)state;
    palWorld* world = startWorld(
        HEAD "objects:\n  - {name: floor, shape: {kind: half-space}}\n"
             "  - {name: ghost, layer: ghosts, shape: {kind: sphere, radius: 0.02}, position: "
             "[0, 0, 0.02], motion: free, repeat: {count: [2, 1, 1], step: [0.01, 0, 0]}}\n"
             "  - {name: ball, shape: {kind: sphere, radius: 0.02}, position: [1, 0, 0.02], "
             "motion: free}\n"
             "pairs:\n  - {body: ghosts, to: floor, touch: never}\n"
             "  - {body: ghosts, to: ghosts, touch: never}\n"
             "  - {body: ghost1, to: floor, touch: contact}\n");
    stepWorld(world, 300);
    ASSERT_NEAR(bodyOf(world, "ghost0").position.z, 0.02 - 0.5 * 9.81 * 0.3 * 0.301, 1e-6);
    ASSERT_NEAR(bodyOf(world, "ghost1").position.z, 0.02, 1e-4);
    ASSERT_NEAR(bodyOf(world, "ghost1").position.x, 0.01, 1e-6);
    ASSERT_NEAR(bodyOf(world, "ball").position.z, 0.02, 1e-4);
    assert_false(isWarned(world, "inside each other"));
    palWorld_Destroy(world);
}

// What the hand holds is `tool`: it passes through what it never touches.
static void the_hand_passes_through_what_it_never_touches(void** state)
{
    (void)state;
    for (int never = 0; never < 2; never++)
    {
        char text[1024];
        snprintf(text, sizeof text,
                 "palpate: 1\nmethod: {name: impulse}\ntrajectory: {kind: line, start: [0, 0, 0.08]"
                 ", end: [0, 0, 0.03], speed: 0.2}\ntool: {shape: {kind: sphere, radius: 0.01}, "
                 "mass: 0.02}\nobjects:\n  - {name: block, shape: {kind: box}}\n%s",
                 never ? "pairs: [{body: tool, to: block, touch: never}]\n" : "");
        palWorld* world = startWorld(text);
        stepWorld(world, 500);
        palHandState hand = palMakeHandState();
        assert_int_equal(palWorld_GetHand(world, palWorld_HandAt(world, 0), &hand), pal_ok);
        ASSERT_NEAR(hand.position.z, never ? 0.03 : 0.06, 1e-3);
        palWorld_Destroy(world);
    }
}

static void names_that_mean_nothing_are_refused(void** state)
{
    (void)state;
    refuseWorld(HEAD "objects:\n  - {name: floor, shape: {kind: half-space}}\npairs:\n"
                     "  - {body: floor, to: ball, touch: never}\n",
                8, "named 'ball'");
    refuseWorld(HEAD "objects:\n  - {name: floor, shape: {kind: half-space}}\npairs:\n"
                     "  - {body: floor, to: floor, friction: -1}\n",
                8, "'friction'");
    refuseWorld(HEAD "objects:\n  - {name: floor, shape: {kind: half-space}}\npairs:\n"
                     "  - {body: floor}\n",
                8, "'to'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pair_counts_before_the_object_and_that_before_the_scene),
        cmocka_unit_test(a_pair_has_a_friction_of_its_own),
        cmocka_unit_test(layers_that_never_touch_pass_through_each_other),
        cmocka_unit_test(the_hand_passes_through_what_it_never_touches),
        cmocka_unit_test(names_that_mean_nothing_are_refused),
    };
    return RUN(tests);
}

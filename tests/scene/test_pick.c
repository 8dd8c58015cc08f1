// SPDX-License-Identifier: Apache-2.0
// Picking up: what a hand ties to itself with a button of its device, carries and lets go.
#include "scene_world.h"

#include "math/quat.h"

static const double gravity = 9.81;
static const double stackGap = 2e-4; // m: a box of 0.2 kg rests this deep at most

// clang-format off
#define FLOOR "objects:\n" \
    "  - {name: floor, shape: {kind: box, size: [0.6, 0.6, 0.02]}, position: [0, 0, -0.01], " \
    "friction: 0.5}\n"
#define BOX(name, x) "  - {name: " name ", shape: {kind: box, size: [0.06, 0.03, 0.03]}, " \
    "position: [" x ", 0, 0.015], friction: 0.5, motion: free, mass: 0.2}\n"
#define TOOL "tool: {shape: {kind: box, size: [0.02, 0.02, 0.01]}, mass: 0.05}\n"
#define TARGET "device: {driver: target, position: [0, 0, 0.05], max_speed: 10}\n"
// clang-format on

static palWorld* start(const char* method, const char* hand, const char* objects)
{
    char text[2048];
    snprintf(text, sizeof text,
             "palpate: 1\ngravity: [0, 0, -9.81]\nmethod: {name: %s}\n"
             "coupling: {stiffness: 1000, damping: 5}\n%s%s",
             method, hand, objects);
    return startWorld(text);
}

// Steps while the hand goes smoothly to a place and turns about z to an angle.
typedef struct Route
{
    palWorld* world;
    palVec3 at;
    double angle; // rad
} Route;

static void go(Route* route, palVec3 to, double angle, int steps)
{
    palHandId hand = palWorld_HandAt(route->world, 0);
    palError error = {0};
    for (int k = 1; k <= steps; k++)
    {
        double u = (double)k / steps, share = u * u * u * (10.0 + u * (6.0 * u - 15.0));
        palVec3 turn = {0.0, 0.0, route->angle + share * (angle - route->angle)};
        assert_true(palWorld_SetTarget(route->world, hand, palLerp(route->at, to, share),
                                       palMakeQuatRotationVector(turn)));
        assert_int_equal(palWorld_Step(route->world, &error), pal_ok);
    }
    route->at = to;
    route->angle = angle;
}

static void press(Route* route, bool isDown)
{
    assert_true(
        palWorld_SetButtons(route->world, palWorld_HandAt(route->world, 0), isDown ? 1 : 0));
}

static palVec3 handForce(const palWorld* world)
{
    palHandState hand = palMakeHandState();
    assert_int_equal(palWorld_GetHand(world, palWorld_HandAt(world, 0), &hand), pal_ok);
    return hand.force;
}

// Onto the box at x = 0, which the hand picks up.
static Route pickUp(const char* method, const char* hand, double top, const char* objects)
{
    Route route = {.world = start(method, hand, objects), .at = {0, 0, 0.05}};
    go(&route, palMakeVec3(0, 0, top - 0.001), 0.0, 300);
    press(&route, true);
    go(&route, palMakeVec3(0, 0, top), 0.0, 50);
    return route;
}

static void check_stacked(Route* route, double angle)
{
    palBodyState box = bodyOf(route->world, "box"), base = bodyOf(route->world, "base");
    ASSERT_NEAR(box.position.z, 0.045, stackGap);
    ASSERT_NEAR(base.position.z, 0.015, stackGap);
    ASSERT_NEAR(box.position.x, 0.15, 5e-4);
    ASSERT_NEAR(box.position.y, 0.0, 5e-4);
    ASSERT_NEAR(palRotationVector(box.orientation).z, angle, 0.01);
    assert_true(palLength(box.velocity) < 1e-3);
}

static void a_box_is_lifted_turned_and_put_on_another(void** state)
{
    (void)state;
    static const char* const methods[] = {"impulse", "compliance", "accurate"};
    const double up = 0.08, top = 0.035, angle = 0.5 * PAL_PI;
    for (int i = 0; i < 3; i++)
    {
        Route route =
            pickUp(methods[i], TOOL TARGET, top, FLOOR BOX("box", "0") BOX("base", "0.15"));
        go(&route, palMakeVec3(0, 0, up), 0.0, 300);
        go(&route, palMakeVec3(0, 0, up), 0.0, 300);
        // In the hand it weighs what it and the tool weigh.
        ASSERT_NEAR(handForce(route.world).z, -0.25 * gravity, 0.002 * gravity);
        go(&route, palMakeVec3(0.15, 0, up), angle, 500);
        go(&route, palMakeVec3(0.15, 0, top + 0.03), angle, 400);
        press(&route, false);
        go(&route, palMakeVec3(0.15, 0, up), angle, 300);
        check_stacked(&route, angle);
        palBodyState before = bodyOf(route.world, "box");
        go(&route, palMakeVec3(0.15, 0, up), angle, 1000);
        check_stacked(&route, angle);
        assert_true(palDistance(before.position, bodyOf(route.world, "box").position) < 5e-5);
        // Let go, it is touched again.
        go(&route, palMakeVec3(0.15, 0, top + 0.03 - 0.002), angle, 300);
        assert_true(handForce(route.world).z > 0.5);
        palWorld_Destroy(route.world);
    }
}

static void a_point_holds_a_box_as_it_was(void** state)
{
    (void)state;
    Route route = pickUp("impulse", TARGET, 0.03, FLOOR BOX("box", "0.02"));
    go(&route, palMakeVec3(0.05, 0.02, 0.1), 0.0, 400);
    go(&route, palMakeVec3(0.05, 0.02, 0.1), 0.0, 2000);
    palBodyState box = bodyOf(route.world, "box");
    // Its centre is 20 mm beside the point, and yet it does not turn.
    assert_true(palLength(palRotationVector(box.orientation)) < 1e-3);
    ASSERT_NEAR(box.position.x, 0.07, 3e-4);
    palWorld_Destroy(route.world);
}

static void what_is_thrown_flies_on_with_the_velocity_of_the_hand(void** state)
{
    (void)state;
    static const char* const methods[] = {"impulse", "compliance", "accurate"};
    const palVec3 velocity = {1.0, 0.2, -0.1};
    for (int i = 0; i < 3; i++)
    {
        Route route = pickUp(methods[i], TOOL TARGET, 0.035, FLOOR BOX("box", "0"));
        go(&route, palMakeVec3(0, 0, 0.2), 0.0, 300);
        palHandId hand = palWorld_HandAt(route.world, 0);
        palError error = {0};
        palVec3 at = route.at;
        for (int k = 1; k <= 300; k++)
        {
            at = palMulAdd(at, 1e-3 * fmin(k / 150.0, 1.0), velocity);
            palWorld_SetTarget(route.world, hand, at, pal_identityQuat);
            assert_int_equal(palWorld_Step(route.world, &error), pal_ok);
        }
        press(&route, false);
        const int flight = 60;
        palBodyState before = bodyOf(route.world, "box"), after = before;
        for (int k = 1; k <= flight; k++)
        {
            // The hand stops, as it opens.
            palWorld_SetTarget(route.world, hand, at, pal_identityQuat);
            assert_int_equal(palWorld_Step(route.world, &error), pal_ok);
            after = bodyOf(route.world, "box");
        }
        palVec3 expected = {velocity.x, velocity.y, velocity.z - gravity * 1e-3 * flight};
        assert_true(palDistance(before.velocity, velocity) < 0.01 * palLength(velocity));
        assert_true(palDistance(after.velocity, expected) < 0.01 * palLength(velocity));
        palWorld_Destroy(route.world);
    }
}

static void what_is_held_sleeps_and_wakes_with_what_it_rests_on(void** state)
{
    (void)state;
    // A box that sleeps is picked up as one that is awake.
    Route route = {.world = start("impulse", TOOL TARGET, FLOOR BOX("box", "0")),
                   .at = {0, 0, 0.05}};
    go(&route, route.at, 0.0, 1000);
    assert_true(bodyOf(route.world, "box").isAsleep);
    press(&route, true); // before it touches: what is touched first is picked up
    go(&route, palMakeVec3(0, 0, 0.034), 0.0, 300);
    go(&route, palMakeVec3(0, 0, 0.08), 0.0, 300);
    palBodyState box = bodyOf(route.world, "box");
    assert_false(box.isAsleep);
    ASSERT_NEAR(box.position.z, 0.06, 4e-3);
    press(&route, false);
    go(&route, palMakeVec3(0, 0, 0.12), 0.0, 1500);
    box = bodyOf(route.world, "box");
    assert_true(box.isAsleep);
    ASSERT_NEAR(box.position.z, 0.015, stackGap);
    palWorld_Destroy(route.world);
}

static void a_saved_world_goes_on_holding_what_it_held(void** state)
{
    (void)state;
    static const char* const methods[] = {"impulse", "compliance", "accurate"};
    for (int i = 0; i < 3; i++)
    {
        Route route = pickUp(methods[i], TOOL TARGET, 0.035, FLOOR BOX("box", "0"));
        palError error = {0};
        size_t size = 0;
        assert_int_equal(palWorld_SaveState(route.world, NULL, &size, &error), pal_ok);
        void* block = malloc(size);
        assert_int_equal(palWorld_SaveState(route.world, block, &size, &error), pal_ok);
        palBodyState ends[2];
        for (int run = 0; run < 2; run++)
        {
            route.at = palMakeVec3(0, 0, 0.035);
            go(&route, palMakeVec3(0.05, 0, 0.08), 0.0, 200);
            press(&route, false);
            go(&route, route.at, 0.0, 100);
            ends[run] = bodyOf(route.world, "box");
            assert_int_equal(palWorld_RestoreState(route.world, block, size, &error), pal_ok);
        }
        assert_memory_equal(&ends[0].position, &ends[1].position, sizeof ends[0].position);
        assert_memory_equal(&ends[0].orientation, &ends[1].orientation, sizeof(palQuat));
        assert_true(ends[0].position.x > 0.03);
        free(block);
        palWorld_Destroy(route.world);
    }
}

// clang-format off
#define WIRE "wires: [{name: held, start: [0, 0, 1], end: [0, 0.1, 1], hand: start, section: " \
    "{shape: circle, radius: 0.001}}]\n"
#define REFUSED(method, hand, pick) "palpate: 1\nmethod: {name: " method "}\n" pick "\n" hand \
    "trajectory: {kind: path, points: [{t: 0, at: [0, 0, 1]}]}\n"
// clang-format on

static void a_button_that_picks_nothing_up_is_refused(void** state)
{
    (void)state;
    refuseWorld(REFUSED("impulse", "", "pick: 0") FLOOR, 3, "no free object");
    refuseWorld(REFUSED("compliance", WIRE, "pick: 0") FLOOR BOX("box", "0"), 3,
                "picks nothing up");
    refuseWorld(REFUSED("impulse", "", "pick: 32") FLOOR BOX("box", "0"), 3, "pick");
    palWorld* world = startWorld(REFUSED("penalty", "", "pick: -1") FLOOR);
    palWorld_Destroy(world);
}

static void a_hand_without_that_button_picks_nothing_up(void** state)
{
    (void)state;
    Route route = pickUp("impulse", "pick: 1\n" TOOL TARGET, 0.035, FLOOR BOX("box", "0"));
    go(&route, palMakeVec3(0, 0, 0.08), 0.0, 200);
    ASSERT_NEAR(bodyOf(route.world, "box").position.z, 0.015, stackGap);
    palWorld_Destroy(route.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_lifted_turned_and_put_on_another),
        cmocka_unit_test(a_point_holds_a_box_as_it_was),
        cmocka_unit_test(what_is_thrown_flies_on_with_the_velocity_of_the_hand),
        cmocka_unit_test(what_is_held_sleeps_and_wakes_with_what_it_rests_on),
        cmocka_unit_test(a_saved_world_goes_on_holding_what_it_held),
        cmocka_unit_test(a_button_that_picks_nothing_up_is_refused),
        cmocka_unit_test(a_hand_without_that_button_picks_nothing_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// What the hand feels of rigid objects that it pushes and hits, at any low rate.
#include "scene_session.h"
#include "scene_world.h"

#include "render/method.h"
#include "runtime/engine.h"

static const double gravity = 9.81;

#define BRICK(length)                                                                              \
    "shape: {kind: box, size: [" length ", 0.03, 0.03]}, friction: 0.5, motion: free, density: "   \
    "600"

// The force along x on a hand that pushes a row of boxes, while it slides: mean, least and largest.
typedef struct Felt
{
    double mean, least, most;
} Felt;

static Felt push(int boxes, double lowDt)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "palpate: 1\ngravity: [0, 0, -9.81]\ntime: {seconds: 5, low_dt: %g}\nmethod: {name: "
        "impulse}\ncoupling: {stiffness: 1000, damping: 10}\ntool: {shape: {kind: box, size: "
        "[0.02, 0.02, 0.02]}, mass: 0.05}\ntrajectory: {kind: line, start: [-0.04, 0, "
        "0.02], end: [0.1, 0, 0.02], speed: 0.05}\nobjects:\n"
        "  - {name: floor, shape: {kind: half-space, size: [2, 2, 0]}, friction: 0.4}\n"
        "  - {name: box, shape: {kind: box, size: [0.04, 0.04, 0.04]}, position: [0, 0, 0.02], "
        "friction: 0.4, motion: free, mass: 0.1, repeat: {count: [%d, 1, 1], step: [0.0401, "
        "0, 0]}}\n",
        lowDt, boxes);
    palWorld* world = startWorld(text);
    stepWorld(world, 1300); // until the row slides evenly
    Felt felt = {0.0, INFINITY, -INFINITY};
    const int steps = 700;
    for (int k = 0; k < steps; k++)
    {
        stepWorld(world, 1);
        palHandState hand = palMakeHandState();
        assert_int_equal(palWorld_GetHand(world, palWorld_HandAt(world, 0), &hand), pal_ok);
        felt.mean -= hand.force.x / steps;
        felt.least = fmin(felt.least, -hand.force.x);
        felt.most = fmax(felt.most, -hand.force.x);
    }
    palWorld_Destroy(world);
    return felt;
}

// mu m g of one box to 2 %, of twenty in a row to 5 %, in every step; not another at another low
// rate.
static void boxes_are_pushed_with_the_force_of_their_friction(void** state)
{
    (void)state;
    static const double rates[] = {0.001, 0.01, 0.033};
    static const int rows[] = {1, 20};
    static const double allowed[] = {0.02, 0.05};
    for (int i = 0; i < 2; i++)
    {
        double friction = 0.4 * 0.1 * gravity * rows[i];
        Felt first = {0};
        for (int k = 0; k < 3; k++)
        {
            Felt felt = push(rows[i], rates[k]);
            print_message("%d boxes, low_dt %g: %.4f N, %.4f to %.4f, of %.4f\n", rows[i], rates[k],
                          felt.mean, felt.least, felt.most, friction);
            ASSERT_NEAR(felt.mean, friction, 0.02 * friction);
            ASSERT_NEAR(felt.least, friction, allowed[i] * friction);
            ASSERT_NEAR(felt.most, friction, allowed[i] * friction);
            first = k == 0 ? felt : first;
            ASSERT_NEAR(felt.mean, first.mean, 0.0);
        }
    }
}

// A wall of 52 bricks, hit by a ball of 0.4 kg in the hand that comes at 1 m/s.
static void a_wall_that_is_hit_comes_to_rest_in_pieces(void** state)
{
    (void)state;
    // clang-format off
    palSession* session = startScene(
        "palpate: 1\ngravity: [0, -9.81, 0]\ntime: {seconds: 7, low_dt: 0.033}\nmethod: {name: "
        "impulse}\ncoupling: {stiffness: 1000, damping: 20}\ntool: {shape: {kind: sphere, radius: "
        "0.02}, mass: 0.4}\ntrajectory: {kind: path, points: [{t: 0, at: [0.17, 0.15, 0.14]}, {t: "
        "0.3, at: [0.17, 0.15, -0.02]}, {t: 0.8, at: [0.17, 0.15, 0.2]}]}\nobjects:\n"
        "  - {name: floor, shape: {kind: half-space, size: [1, 1, 0]}, rotation: [-90, 0, 0], "
        "friction: 0.5}\n"
        "  - {name: brick, " BRICK("0.06") ", position: [0, 0.015, 0], repeat: {count: [6, 4, 1], "
        "step: [0.06, 0.06, 0]}}\n"
        "  - {name: shifted, " BRICK("0.06") ", position: [0.03, 0.045, 0], repeat: {count: [5, 4, "
        "1], step: [0.06, 0.06, 0]}}\n"
        "  - {name: half, " BRICK("0.03") ", position: [-0.015, 0.045, 0], repeat: {count: [2, 4, "
        "1], step: [0.33, 0.06, 0]}}\n");
    // clang-format on
    const palShared* shared = palSession_Engine(session)->methods.shared;
    palStep step = {0};
    palVec3 before = {0.17, 0.15, 0.14};
    double fastest = 0.0;
    while (step.t < 0.3 + 5.0)
    {
        palSession_Step(session, &step);
        fastest = fmax(fastest, 1e3 * palDistance(step.device, before));
        before = step.device;
    }
    ASSERT_NEAR(fastest, 1.0, 0.01);
    palRigidTotals totals = shared->ops->totals(shared);
    print_message("deepest %.3f mm, %d of %d asleep\n", 1e3 * totals.deepest, totals.asleep,
                  totals.bodies);
    assert_true(totals.deepest < 5e-4);
    assert_int_equal(totals.bodies, 52);
    assert_int_equal(totals.asleep, 52);
    int moved = 0;
    for (int i = 1; i <= 52; i++)
    {
        palRigidView view;
        assert_true(shared->ops->rigid(shared, i, &view));
        assert_true(view.pose.x.y > 0.015 - 5e-4); // none is through the floor
        moved += palLength(view.moved.x) > 0.03;
    }
    assert_true(moved > 0);
    palSession_Destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_pushed_with_the_force_of_their_friction),
        cmocka_unit_test(a_wall_that_is_hit_comes_to_rest_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

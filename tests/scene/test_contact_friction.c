// SPDX-License-Identifier: Apache-2.0
// A soft block that rubs on a rigid wall while a point presses it beside the wall and holds still:
// friction at its limit is in the motion between updates, so that updates are not felt.
#include "scene_session.h"

static const char text[] =
    "palpate: 1\ngravity: [0, 0, 0]\ntime: {seconds: 3, dt: 0.001, low_dt: %g}\n"
    "method: {name: accurate, radius: 0.015}\ntrajectory: {kind: path, points: "
    "[{t: 0, at: [-0.0125, 0.005, 5.0e-4]}, {t: 0.4, at: [-0.0125, -0.005, 5.0e-4]}]}\nobjects:\n"
    "  - {name: block, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [-0.025, -0.025, "
    "0.025], friction: 0.3, soft: {young: 10000, poisson: 0.3, elements: tets, resolution: 4, "
    "fixed: [{nodes: ymin}]}}\n"
    "  - {name: wall, shape: {kind: box, size: [0.1, 0.05, 0.05]}, position: [0, -0.025, -0.025], "
    "friction: 0.3}\n";

typedef struct rest
{
    double force; // N, the mean of half a second
    double range; // N, of the force in that time
    double jump;  // N, the largest change from tick to tick of the whole run
} rest;

static rest hold(double lowDt)
{
    char scene[2048];
    snprintf(scene, sizeof scene, text, lowDt);
    palSession* session = startScene(scene);
    const int settled = 1500, ticks = 500;
    rest felt = {0};
    double least = INFINITY, most = -INFINITY, before = 0.0;
    for (int k = 0; k < settled + ticks; k++)
    {
        palStep step = {0};
        palSession_Step(session, &step);
        felt.jump = fmax(felt.jump, fabs(step.force.y - before));
        before = step.force.y;
        if (k < settled)
            continue;
        felt.force += step.force.y / ticks;
        least = fmin(least, step.force.y);
        most = fmax(most, step.force.y);
    }
    felt.range = most - least;
    palSession_Destroy(session);
    return felt;
}

static void updates_are_not_felt_where_a_pressed_block_rubs_on_a_wall(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const double steps[] = {0.001, 0.005, 0.01, 0.033}; // s
    double truth = 0.0;                                        // N, with updates every tick
    for (int k = 0; k < 4; k++)
    {
        rest felt = hold(steps[k]);
        truth = k == 0 ? felt.force : truth;
        print_message("%g s: %.4f N, changes by %.2f %%, jumps by %.4f N\n", steps[k], felt.force,
                      100.0 * felt.range / felt.force, felt.jump);
        ASSERT_NEAR(felt.force / truth, 1.0, 0.05);
        ASSERT_BELOW(felt.range, 0.005 * felt.force);
        ASSERT_BELOW(felt.jump, 0.025);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_are_not_felt_where_a_pressed_block_rubs_on_a_wall),
    };
    return RUN(tests);
}

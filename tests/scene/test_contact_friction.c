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

//--------------------------------------------------------------------------------------------------
// A free cube that slides

static const char sliding[] =
    "palpate: 1\ngravity: [0, 0, -9.81]\ntime: {seconds: 3, dt: 0.001, low_dt: %g}\n"
    "method: {name: accurate, radius: 0.015}\ntrajectory: {kind: path, points: [{t: 0, at: [-0.03, "
    "0.003, 0.006]}, {t: 0.2, at: [-0.03, 0.003, 0.006]}, {t: 1.2, at: [0.02, 0.003, 0.006]}]}\n"
    "objects:\n"
    "  - {name: cube, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [0, 0, 0.025], "
    "friction: 0.8, soft: {young: 20000, poisson: 0.3, elements: tets, resolution: 4}}\n"
    "  - {name: floor, shape: {kind: box, size: [0.3, 0.2, 0.05]}, position: [0, 0, -0.025], "
    "friction: 0.8}\n";

// Density 1000: Coulomb's friction is 0.981 N, of which the cube's slowing down takes 3 %.
static void a_free_cube_slides_without_feeling_updates(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const double steps[] = {0.005, 0.01}; // s
    for (int i = 0; i < 2; i++)
    {
        char scene[2048];
        snprintf(scene, sizeof scene, sliding, steps[i]);
        palSession* session = startScene(scene);
        palVec3 before = pal_zeroVec3, mean = pal_zeroVec3;
        double jump = 0.0;
        for (int k = 0; k < 1100; k++)
        {
            palStep step = {0};
            palSession_Step(session, &step);
            palVec3 force = {step.force.x, step.force.y, step.force.z};
            jump = fmax(jump, palDistance(force, before));
            before = force;
            if (k >= 700)
                mean = palMulAdd(mean, 1.0 / 400, force);
        }
        print_message("%g s: %.4f N, jumps by %.4f N\n", steps[i], palLength(mean), jump);
        ASSERT_NEAR(palLength(mean), 0.95, 0.03);
        ASSERT_BELOW(jump, 0.22);
        palSession_Destroy(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_are_not_felt_where_a_pressed_block_rubs_on_a_wall),
        cmocka_unit_test(a_free_cube_slides_without_feeling_updates),
    };
    return RUN(tests);
}

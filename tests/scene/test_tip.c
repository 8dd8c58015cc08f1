// SPDX-License-Identifier: Apache-2.0
// A round tip of the hand on soft bodies: its force does not depend on the grid, is that of a ball,
// and is the same under every method that touches with a point.
#include "scene_session.h"

static const char text[] =
    "palpate: 1\ngravity: [0, 0, 0]\ntime: {seconds: 2, dt: 0.001, low_dt: 0.033}\n"
    "method: {name: %s, radius: %g}\ntip_radius: %g\ntrajectory: {kind: path, points: "
    "[{t: 0, at: [0.0003, 0.001, 0.0007]}, {t: 0.5, at: [0.0003, -%g, 0.0007]}]}\nobjects:\n"
    "  - {name: cube, shape: {kind: box, size: [%g, %g, %g], resolution: %d}, position: [0, %g, "
    "0], friction: 0.3, soft: {young: 10000, poisson: 0.4, resolution: %d, fixed: [{plane: "
    "{point: [0, %g, 0], normal: [0, 1, 0]}}]}}\n";

// A cube that is pressed in the middle of its top by a tip.
typedef struct palPress
{
    const char* method;
    double tip;   // m, its radius
    double depth; // m, of the hand
    double side;  // m, of the cube
    int cells;    // along it
    int ticks;
} palPress;

// What the hand feels, N, and where its point is then; the largest change from tick to tick.
static double press(const palPress* p, double* depth, double* jump)
{
    char scene[2048];
    snprintf(scene, sizeof scene, text, p->method, 0.25 * p->side, p->tip, p->depth, p->side,
             p->side, p->side, p->cells, -0.5 * p->side, p->cells, -0.99 * p->side);
    palSession* session = startScene(scene);
    palStep step = {0};
    double force = 0.0;
    *jump = 0.0;
    for (int i = 0; i < p->ticks; i++)
    {
        palSession_Step(session, &step);
        *jump = fmax(*jump, fabs(step.force.y - force));
        force = step.force.y;
    }
    *depth = -step.proxy.y;
    palSession_Destroy(session);
    print_message("%s, tip %g m, cells of %.2g m: %.4f N at %.5f m, jumps %.4f N\n", p->method,
                  p->tip, p->side / p->cells, force, *depth, *jump);
    return force;
}

// Pressed in by 10 mm, two and a half times its radius, a tip feels the same on all grids; a point
// feels ever less.
static void the_force_of_a_tip_does_not_depend_on_the_grid(void** state)
{
    (void)state;
    SKIP_SLOWED();
    const int cells[] = {12, 16, 24, 32};
    int count = isLongRun() ? 4 : 2;
    double least = INFINITY, most = 0.0, depth, jump;
    for (int i = 0; i < count; i++)
    {
        palPress tip = {"accurate", 0.004, 0.01, 0.04, cells[i], isLongRun() ? 1500 : 900};
        double force = press(&tip, &depth, &jump);
        ASSERT_BELOW(jump, 0.02);
        least = fmin(least, force);
        most = fmax(most, force);
    }
    ASSERT_BELOW(most / least, 1.06);
    palPress coarse = {"accurate", 0.0, 0.01, 0.04, 8, 900};
    palPress fine = {"accurate", 0.0, 0.01, 0.04, 12, 900};
    double before = press(&coarse, &depth, &jump);
    ASSERT_BELOW(1.1, before / press(&fine, &depth, &jump));
}

// H. Hertz 1881, with the circle a third to a half of the ball. The cube is fixed below and has
// sides, which changes the force by a few hundredths each.
static void a_shallow_press_is_that_of_a_ball(void** state)
{
    (void)state;
    SKIP_SLOWED();
    double R = 0.02, E = 10000.0 / (1.0 - 0.4 * 0.4), depth, jump;
    palPress ball = {"accurate", R, 0.003, 0.08, 16, 1000};
    double force = press(&ball, &depth, &jump);
    double hertz = 4.0 / 3.0 * E * sqrt(R) * pow(depth, 1.5);
    print_message("%.3f of Hertz\n", force / hertz);
    ASSERT_NEAR(force / hertz, 1.0, 0.1);
}

// At rest, with the spring of `penalty` taken off.
static void methods_agree_on_a_tip(void** state)
{
    (void)state;
    SKIP_SLOWED();
    double depth, jump;
    palPress p = {"accurate", 0.004, 0.006, 0.04, 8, 1200};
    double accurate = press(&p, &depth, &jump) / depth;
    p.method = "standard";
    double standard = press(&p, &depth, &jump) / depth;
    ASSERT_NEAR(standard / accurate, 1.0, 0.01);
    p.method = "penalty";
    double penalty = press(&p, &depth, &jump);
    ASSERT_NEAR(penalty / (depth - penalty / 2000.0) / accurate, 1.0, 0.02);
}

// A tool has its own shape.
static void a_tip_of_a_tool_is_refused(void** state)
{
    (void)state;
    palSession* session;
    palError error = {0};
    palResult result =
        createFromText("palpate: 1\ntip_radius: 0.004\ntool: {shape: {kind: sphere}}\nobjects: []\n"
                       "trajectory: {kind: path, points: [{t: 0, at: [0, 0, 0]}]}\n",
                       &session, &error);
    assert_int_equal(result, pal_errorInput);
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.text, "tip_radius"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_force_of_a_tip_does_not_depend_on_the_grid),
        cmocka_unit_test(a_shallow_press_is_that_of_a_ball),
        cmocka_unit_test(methods_agree_on_a_tip),
        cmocka_unit_test(a_tip_of_a_tool_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

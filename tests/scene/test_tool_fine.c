// SPDX-License-Identifier: Apache-2.0
// A ball in the hand on soft bodies of fine grids: it pushes more nodes than a model answers one by
// one, and rests with the force of `linear`, whose low rate holds it by places.
#include "scene_session.h"

// A block that is held at its bottom, its top at y = 0, and a ball of 4 mm.
static const char text[] =
    "palpate: 1\ngravity: [0, 0, 0]\n"
    "time: {seconds: 10, dt: 0.001, low_dt: 0.033, latency: 0.033}\n"
    "method: {name: %s, radius: %g}\n"
    "tool: {shape: {kind: sphere, radius: 0.004, resolution: 8}, position: [0, 0.004, 0],"
    " mass: 0.02}\n"
    "trajectory: {kind: path, points: [{t: 0, at: [0.0003, 0.0005, 0.0007]},"
    " {t: %g, at: [0.0003, -%g, 0.0007]}]}\nobjects:\n"
    "  - {name: block, shape: {kind: box, size: [%g, %g, %g], resolution: %d},"
    " position: [0, %g, 0], soft: {young: 10000, poisson: 0.4, resolution: %d,"
    " fixed: [{plane: {point: [0, %g, 0], normal: [0, 1, 0]}}]}}\n";

typedef struct Press
{
    double depth;         // m, of the hand
    double width, height; // m, of the block
    int cells;            // along its width
    double down;          // s, until it is pressed
    int ticks;            // of the whole run
} Press;

// What was felt.
typedef struct Felt
{
    double force; // N, mean of the last 50 ticks, along y
    double most;  // N, ever
    double jump;  // N, from tick to tick
} Felt;

static Felt press(const Press* p, const char* method)
{
    const int mean = 50;
    char scene[2048];
    snprintf(scene, sizeof scene, text, method, fmin(0.01, 0.4 * p->width), p->down, p->depth,
             p->width, p->height, p->width, p->cells, -0.5 * p->height, p->cells,
             -0.99 * p->height);
    palSession* session = startScene(scene);
    Felt felt = {0};
    palVec3 last = pal_zeroVec3;
    for (int i = 0; i < p->ticks; i++)
    {
        palStep step;
        palSession_Step(session, &step);
        palVec3 force = palMakeVec3(step.force.x, step.force.y, step.force.z);
        felt.most = fmax(felt.most, palLength(force));
        felt.jump = fmax(felt.jump, palDistance(force, last));
        felt.force += i >= p->ticks - mean ? force.y / mean : 0.0;
        last = force;
    }
    palSession_Destroy(session);
    print_message("%s, cells of %.2g m: %.4f N, at most %.4f N, jumps %.4f N\n", method,
                  p->width / p->cells, felt.force, felt.most, felt.jump);
    return felt;
}

static void assertAgreement(const Press* p)
{
    static const char* const methods[] = {"accurate", "standard", "penalty"};
    Felt linear = press(p, "linear");
    for (int i = 0; i < (isLongRun() ? 3 : 2); i++)
    {
        Felt felt = press(p, methods[i]);
        // The spring of `penalty` is in series.
        double spring = i == 2 ? felt.force / 2000.0 : 0.0;
        ASSERT_NEAR(felt.force * p->depth / (p->depth - spring), linear.force, 0.02 * linear.force);
        ASSERT_BELOW(felt.most, 1.5 * linear.force);
        ASSERT_BELOW(felt.jump, 0.05 * linear.force);
    }
}

static void a_ball_on_a_small_block_of_fine_cells_rests_with_the_force_of_linear(void** state)
{
    (void)state;
    SKIP_SLOWED();
    assertAgreement(&(Press){
        .depth = 0.005, .width = 0.016, .height = 0.01, .cells = 11, .down = 0.2, .ticks = 500});
}

// 13,824 bricks are factored by another thread.
static void a_ball_pressed_ten_millimetres_into_a_cube_rests_with_the_force_of_linear(void** state)
{
    (void)state;
    for (int cells = 16; cells <= 24 && isLongRun(); cells += 8)
        assertAgreement(&(Press){.depth = 0.01,
                                 .width = 0.04,
                                 .height = 0.04,
                                 .cells = cells,
                                 .down = 0.5,
                                 .ticks = 1500});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_on_a_small_block_of_fine_cells_rests_with_the_force_of_linear),
        cmocka_unit_test(a_ball_pressed_ten_millimetres_into_a_cube_rests_with_the_force_of_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

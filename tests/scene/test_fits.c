// SPDX-License-Identifier: Apache-2.0
// A tool that fits closely into a rigid object: what the hand feels, and how deep anything is
// inside, by the vertices of either against the sides of the other.
#include "scene_session.h"

#include "api/session.h"
#include "math/mat3.h"

enum
{
    sides = 128,
};

// clang-format off
#define HEAD "palpate: 1\nmethod: {name: linear, radius: 0.01}\ntime: {seconds: 10, dt: 0.001, " \
             "low_dt: 0.02, latency: 0.005}\ncoupling: {stiffness: 1000, damping: 2}\n"
#define PEG "tool: {shape: {kind: peg, radius: 0.01, height: 0.03, resolution: 128}, mass: 0.05}\n"
#define HOLE "objects:\n  - {name: housing, shape: {kind: sleeve, radius: 0.01005, height: 0.03, " \
             "resolution: %d}, rotation: [0, 0, 1.40625], friction: 0.1}\n"
// clang-format on

static const double pegRadius = 0.01, holeRadius = 0.01005, half = 0.015;

// How far a point is inside the sides of a prism about z whose first corner is at `phase` sides,
// negative outside, m.
static double depthInSides(palVec3 x, double radius, double phase)
{
    double side = 2.0 * PAL_PI / sides;
    double off = remainder(atan2(x.y, x.x) - (phase + 0.5) * side, side);
    return radius * cos(0.5 * side) - hypot(x.x, x.y) * cos(off);
}

// How deep the peg is in the housing, m, negative where it is apart.
static double depthOf(const palStep* step)
{
    palMat3 R = palMakeMat3Quat(step->turn);
    double deepest = -1.0;
    for (int i = 0; i < 2 * sides; i++)
    {
        double angle = 2.0 * PAL_PI * (i / 2) / sides, z = i % 2 == 0 ? half : -half;
        palVec3 corner = {pegRadius * cos(angle), pegRadius * sin(angle), z};
        palVec3 x = palAdd(step->proxy, palMat3Apply(R, corner));
        double depth = fmin(-depthInSides(x, holeRadius, 0.5), half - fabs(x.z));
        deepest = fmax(deepest, depth);
        angle = 2.0 * PAL_PI * (i / 2 + 0.5) / sides;
        palVec3 rim = {holeRadius * cos(angle), holeRadius * sin(angle), z};
        palVec3 local = palMat3Apply(palMat3Transpose(R), palSub(rim, step->proxy));
        depth = fmin(depthInSides(local, pegRadius, 0.0), half - fabs(local.z));
        deepest = fmax(deepest, depth);
    }
    return deepest;
}

typedef struct Felt
{
    double force, jump, depth; // the largest: N, N in a tick, m
    double lowest;             // z of the peg, m
} Felt;

static Felt runFit(const char* trajectory, int resolution, int ticks)
{
    char text[2048];
    snprintf(text, sizeof text, HEAD PEG "trajectory: {kind: path, points: [%s]}\n" HOLE,
             trajectory, resolution);
    palSession* session = startScene(text);
    Felt felt = {.depth = -1.0, .lowest = 1.0};
    palVec3 last = pal_zeroVec3;
    for (int k = 0; k < ticks; k++)
    {
        palStep step;
        palSession_Step(session, &step);
        felt.force = fmax(felt.force, palLength(step.force));
        felt.jump = fmax(felt.jump, palDistance(step.force, last));
        felt.depth = fmax(felt.depth, depthOf(&step));
        felt.lowest = fmin(felt.lowest, step.proxy.z);
        last = step.force;
    }
    palSession_Destroy(session);
    return felt;
}

static void a_peg_with_0_05_mm_of_play_a_side_goes_in_and_out(void** state)
{
    (void)state;
    Felt felt = runFit("{t: 0, at: [0, 0, 0.032]}, {t: 2.2, at: [0, 0, 0.01]}, {t: 2.4, at: "
                       "[0, 0, 0.01]}, {t: 4.6, at: [0, 0, 0.032]}",
                       sides, 4600);
    ASSERT_BELOW(felt.lowest, 0.0101);
    ASSERT_BELOW(felt.force, 0.2);
    ASSERT_BELOW(felt.jump, 0.1);
    ASSERT_BELOW(felt.depth, 5e-6);
}

static void a_housing_of_a_million_triangles_feels_as_one_of_few(void** state)
{
    (void)state;
    const char* way =
        "{t: 0, at: [0.00002, 0, 0.031]}, {t: 0.5, at: [0.0003, 0, 0.028]}, {t: 1, at: "
        "[0.0003, 0, 0.028]}";
    Felt few = runFit(way, 256, 1000), many = runFit(way, 1024, 1000);
    assert_true(few.force > 0.1);
    ASSERT_NEAR(many.force, few.force, 0.05 * few.force + 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peg_with_0_05_mm_of_play_a_side_goes_in_and_out),
        cmocka_unit_test(a_housing_of_a_million_triangles_feels_as_one_of_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// What a tool feels in a soft body does not depend on how the contact is found: the distance that
// the low-rate step keeps between surfaces, at any size of the scene, and the time until the first
// snapshot with a force.
#include "scene_session.h"

// A block with its top at y = 0, held at its bottom, and a sphere. With lengths times s and the
// same material, stiffnesses are times s and forces times s².
static const char blockText[] =
    "palpate: 1\n"
    "gravity: [0, 0, 0]\n"
    "time: {seconds: 10, dt: 0.001, low_dt: 0.02, latency: 0.01}\n"
    "method: {name: %s, radius: %g}\n"
    "coupling: {stiffness: %g, damping: %g}\n"
    "trajectory: {kind: path, points: [{t: 0, at: [%g, %g, %g]}, {t: 0.5, at: [%g, %g, %g]},"
    " {t: 10, at: [%g, %g, %g]}]}\n"
    "tool: {shape: {kind: sphere, radius: %g, resolution: 10}}\n"
    "objects:\n"
    "  - {name: block, shape: {kind: box, size: [%g, %g, %g]}, position: [0, %g, 0],"
    " friction: 0.3, soft: {young: 10000, poisson: 0.3, elements: tets, resolution: 6,"
    " fixed: [{nodes: ymin}]}}\n";

static const double stiffness = 1000.0; // N/m, of the coupling at scale 1

// The force at rest, N, with the device `deep` below where the tool touches, both at scale 1.
static double restForce(const char* method, double s, double deep)
{
    char text[2048];
    double radius = 0.006, x = 0.002 * s, z = 0.003 * s, y = (radius - deep) * s;
    snprintf(text, sizeof text, blockText, method, 0.012 * s, stiffness * s, s * s, x, 0.008 * s, z,
             x, y, z, x, y, z, radius * s, 0.05 * s, 0.04 * s, 0.05 * s, -0.02 * s);
    palSession* session = startScene(text);
    palStep step = {0};
    double sum = 0.0;
    const int last = 200, ticks = s > 1.0 ? 6000 : 1600; // large bodies swing longer
    for (int k = 0; k < ticks; k++)
    {
        palSession_Step(session, &step);
        sum += k >= ticks - last ? step.force.y : 0.0;
    }
    palSession_Destroy(session);
    return sum / last / (s * s);
}

static void the_force_at_rest_scales_with_the_scene(void** state)
{
    (void)state;
    SKIP_SLOWED();
    const double scales[] = {0.1, 1.0, 10.0};
    const double depth = 0.004; // m
    for (int i = 0; i < 3; i++)
    {
        double expected = restForce("accurate", scales[i], depth);
        double linear = restForce("linear", scales[i], depth);
        // The second spring of `coupling` gives way by as much as the force compresses it.
        double coupling = restForce("coupling", scales[i], depth + expected / stiffness);
        print_message("scale %g: accurate %.4f N, linear %+.2f %%, coupling %+.2f %%\n", scales[i],
                      expected, 100.0 * (linear / expected - 1.0),
                      100.0 * (coupling / expected - 1.0));
        ASSERT_NEAR(expected, 0.534, 0.02 * 0.534);
        ASSERT_NEAR(linear, expected, 0.02 * expected);
        ASSERT_NEAR(coupling, expected, 0.02 * expected);
    }
}

// A sphere is pressed into a soft ball, where it touches at few points, 4 mm in 60 ms.
static const char ballText[] =
    "palpate: 1\n"
    "gravity: [0, 0, 0]\n"
    "time: {seconds: 10, dt: 0.001, low_dt: %g, latency: %g}\n"
    "method: {name: linear, radius: 0.015}\n"
    "trajectory: {kind: path, points: [{t: 0, at: [0.003, 0.04, 0.002]},"
    " {t: 0.5, at: [0.003, 0.03, 0.002]}, {t: 10, at: [0.003, 0.03, 0.002]}]}\n"
    "tool: {shape: {kind: sphere, radius: 0.006, resolution: 16}}\n"
    "objects:\n"
    "  - {name: ball, shape: {kind: sphere, radius: 0.03, resolution: 24}, friction: 0.4,"
    " soft: {young: 5000, poisson: 0.45, resolution: 8,"
    " fixed: [{plane: {point: [0, -0.01, 0], normal: [0, 1, 0]}}]}}\n";

static void a_first_touch_rises_before_a_snapshot_has_its_force(void** state)
{
    (void)state;
    SKIP_SLOWED();
    char text[2048];
    palStep late, prompt;
    snprintf(text, sizeof text, ballText, 0.033, 0.033);
    palSession* session = startScene(text);
    snprintf(text, sizeof text, ballText, 0.001, 0.0);
    palSession* atOneRate = startScene(text);
    double apart = 0.0;
    for (int k = 0; k < 300; k++)
    {
        palSession_Step(session, &late);
        palSession_Step(atOneRate, &prompt);
        apart = fmax(apart, fabs(late.force.y - prompt.force.y));
    }
    print_message("%.4f N at last, up to %.4f N apart\n", prompt.force.y, apart);
    assert_true(prompt.force.y > 0.1);
    ASSERT_BELOW(apart, 0.25 * prompt.force.y);
    palSession_Destroy(session);
    palSession_Destroy(atOneRate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_force_at_rest_scales_with_the_scene),
        cmocka_unit_test(a_first_touch_rises_before_a_snapshot_has_its_force),
    };
    return RUN(tests);
}

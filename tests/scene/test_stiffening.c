// SPDX-License-Identifier: Apache-2.0
// Tissue that stiffens, felt: the model of the high rate is linear where the body is.
#include "scene_session.h"

#include <math.h>

static const char sceneText[] =
    "palpate: 1\n"
    "time: {seconds: 2, dt: 0.001, low_dt: %g, latency: %g}\n"
    "method: {name: accurate, radius: 0.02}\n"
    "coupling: {stiffness: 2000, damping: 1}\n"
    "trajectory: {kind: path, points: [{t: 0, at: [0.003, 0.002, 0.002]}%s]}\n"
    "objects:\n"
    "  - {name: block, shape: {kind: box, size: [0.06, 0.05, 0.06]}, position: [0, -0.025, 0],"
    " friction: 0.5, soft: {young: 10000, stiffening: 3, elements: %s, resolution: 6,"
    " fixed: [{box: [[-0.1, -0.06, -0.1], [0.1, -0.0499, 0.1]]}]}}\n";

enum
{
    ticks = 1200,
    settled = 400,
};

// The forces of a hand that presses 6 mm deep, and 2 mm less and more five times a second.
static void press(const char* elements, double lowDt, double latency, double* forces)
{
    char points[8192], text[10000];
    int length = 0;
    for (double t = 0.3; t < 1.3; t += 0.01)
        length += snprintf(points + length, sizeof points - (size_t)length,
                           ", {t: %.2f, at: [0.003, %.6f, 0.002]}", t,
                           -0.006 - 0.002 * sin(10.0 * M_PI * (t - 0.3)));
    snprintf(text, sizeof text, sceneText, lowDt, latency, points, elements);
    palSession* session = startScene(text);
    for (int k = 0; k < ticks; k++)
    {
        palStep step;
        palSession_Step(session, &step);
        forces[k] = step.force.y;
    }
    palSession_Destroy(session);
}

static double largestStep(const double* forces)
{
    double largest = 0.0;
    for (int k = settled; k < ticks; k++)
        largest = fmax(largest, fabs(forces[k] - forces[k - 1]));
    return largest;
}

// Updates every 33 ms that are 33 ms late against a body that is stepped at 1 kHz.
static void updates_follow_the_stiffening(void** state)
{
    (void)state;
    SKIP_SLOWED();
    for (int e = 0; e < 2; e++)
    {
        const char* elements = e == 0 ? "tets" : "hexes";
        double late[ticks], whole[ticks], square = 0.0, most = 0.0;
        press(elements, 0.033, 0.033, late);
        press(elements, 0.001, 0.0, whole);
        for (int k = settled; k < ticks; k++)
        {
            square += (late[k] - whole[k]) * (late[k] - whole[k]);
            most = fmax(most, whole[k]);
        }
        double off = sqrt(square / (ticks - settled)) / most;
        print_message("%s: up to %.3f N, off by %.1f %% RMS, largest step %.3f N, %.3f N\n",
                      elements, most, 100.0 * off, largestStep(late), largestStep(whole));
        assert_true(most > 0.9);
        ASSERT_BELOW(off, 0.02);
        ASSERT_BELOW(largestStep(late), 1.15 * largestStep(whole));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_follow_the_stiffening),
    };
    return RUN(tests);
}

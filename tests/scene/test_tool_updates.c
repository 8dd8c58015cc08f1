// SPDX-License-Identifier: Apache-2.0
// What a tool feels under method compliance when an update brings contacts that are not where the
// high rate had them.
#include "scene_session.h"

static void moveTo(palSession* session, double t, palStep* step)
{
    while (step->t < t - 1e-9)
        palSession_Step(session, step);
}

// A ball of 12 mm goes 4 mm into one of 60 mm. Its contact goes from facet to facet: every few
// updates a new one is there, which is 0.1 mm inside when it arrives.
static void an_update_does_not_kick_the_tool(void** state)
{
    (void)state;
    palSession* session = startScene(
        "palpate: 1\n"
        "time: {seconds: 1, dt: 0.001, low_dt: 0.033}\n"
        "method: {name: compliance, radius: 0.015}\n"
        "trajectory: {kind: path, points: [{t: 0, at: [0.003, 0.04, 0.002]},\n"
        "  {t: 0.5, at: [0.003, 0.03, 0.002]}, {t: 3, at: [0.003, 0.03, 0.002]}]}\n"
        "objects:\n"
        "  - {name: ball, shape: {kind: sphere, radius: 0.03, resolution: 24}, friction: 0.4,\n"
        "     soft: {young: 5000, poisson: 0.45, resolution: 8,\n"
        "            fixed: [{plane: {point: [0, -0.01, 0], normal: [0, 1, 0]}}]}}\n"
        "tool: {shape: {kind: sphere, radius: 0.006, resolution: 16}, density: 1000}\n");
    palStep step = {0};
    double largest = 0.0;
    for (int k = 0; k < 600; k++)
    {
        palVec3 before = step.force;
        palSession_Step(session, &step);
        largest = fmax(largest, k > 0 ? palDistance(step.force, before) : 0.0);
    }
    ASSERT_BELOW(0.25, step.force.y);
    ASSERT_BELOW(largest, 0.03);
    palSession_Destroy(session);
}

// A cylinder that lies on the edges of two blocks of different stiffness is pushed 10 mm into the
// slit of 8 mm between them within 0.625 s, and rests.
static palSession* startWedge(const char* method)
{
    char text[2048];
    snprintf(text, sizeof text,
             "palpate: 1\n"
             "time: {seconds: 3, dt: 0.001, low_dt: 0.033}\n"
             "method: {name: %s, radius: 0.015}\n"
             "trajectory: {kind: path, points: [{t: 0, at: [0, 0.006, 0]},\n"
             "  {t: 0.625, at: [0, -0.004, 0]}, {t: 3, at: [0, -0.004, 0]}]}\n"
             "objects:\n"
             "  - {name: a, shape: {kind: box, size: [0.06, 0.04, 0.06]},\n"
             "     position: [-0.034, -0.02, 0], friction: 0.4, soft: {young: 15000,\n"
             "     poisson: 0.35, resolution: 4, elements: tets, fixed: [{nodes: ymin}]}}\n"
             "  - {name: b, shape: {kind: box, size: [0.06, 0.04, 0.06]},\n"
             "     position: [0.034, -0.02, 0], friction: 0.4, soft: {young: 30000,\n"
             "     poisson: 0.35, resolution: 4, elements: tets, fixed: [{nodes: ymin}]}}\n"
             "tool: {shape: {kind: cylinder, radius: 0.006, height: 0.05, resolution: 16}}\n",
             method);
    return startScene(text);
}

// The force 0.3 s after it has come to rest, N.
static double wedgeForce(const char* method)
{
    palSession* session = startWedge(method);
    palStep step = {0};
    moveTo(session, 0.925, &step);
    double force = palLength(step.force);
    palSession_Destroy(session);
    return force;
}

// Of the points that `accurate` touches with, the tool's edges sink in a little.
static void a_wedged_cylinder_feels_as_with_other_methods(void** state)
{
    (void)state;
    double compliance = wedgeForce("compliance");
    ASSERT_NEAR(compliance, wedgeForce("linear"), 0.015 * compliance);
    ASSERT_NEAR(compliance, wedgeForce("accurate"), 0.03 * compliance);
}

// The surfaces stay apart, so that every update finds the contacts of the last: the cylinder lies
// still. Along the straight edges there are no more contacts than the blocks have nodes there to
// answer them, and every tick solves its problem.
static void a_wedged_cylinder_lies_still(void** state)
{
    (void)state;
    palSession* session = startWedge("compliance");
    palStep step = {0};
    moveTo(session, 0.925, &step);
    double force = palLength(step.force);
    while (step.t < 2.4)
    {
        palSession_Step(session, &step);
        ASSERT_NEAR(palLength(step.force), force, 1e-3 * force);
    }
    assert_non_null(strstr(palSession_Summary(session), "\"unconverged_steps\": 0,"));
    palSession_Destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_does_not_kick_the_tool),
        cmocka_unit_test(a_wedged_cylinder_feels_as_with_other_methods),
        cmocka_unit_test(a_wedged_cylinder_lies_still),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// A tool that fits closely into a rigid object: what the hand feels, and how deep anything is
// inside, by the vertices of either against the sides of the other.
#include "scene_session.h"

#include "api/session.h"
#include "math/mat3.h"
#include "runtime/engine.h"

enum
{
    sides = 128,
};

// clang-format off
#define HEAD "palpate: 1\nmethod: {name: %s, radius: 0.01}\ntime: {seconds: 10, dt: 0.001, " \
             "low_dt: 0.02, latency: 0.005}\ncoupling: {stiffness: 1000, damping: 2}\n"
#define PEG "tool: {shape: {kind: peg, radius: 0.01, height: 0.03, resolution: 128}, mass: 0.05}\n"
#define HOLE "objects:\n  - {name: housing, shape: {kind: sleeve, radius: 0.01005, height: 0.03, " \
             "resolution: %d}, rotation: [0, 0, 1.40625], friction: %g}\n"
#define BLADE(name, size, at) "  - {name: " name ", shape: {kind: box, size: " size "}, " \
    "position: " at ", friction: 0.1}\n"
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
    double apart;              // the largest force where nothing touches, N
    palStep last;
} Felt;

static palSession* startFit(const char* method, const char* way, int resolution, double friction)
{
    char text[2048];
    snprintf(text, sizeof text, HEAD PEG "trajectory: {kind: path, points: [%s]}\n" HOLE, method,
             way, resolution, friction);
    return startScene(text);
}

// `force`: of the tick before, and then of the last one.
static Felt feel(palSession* session, palVec3* force, int ticks)
{
    Felt felt = {.depth = -1.0};
    for (int k = 0; k < ticks; k++)
    {
        palStep* step = &felt.last;
        palSession_Step(session, step);
        double depth = depthOf(step), most = palLength(step->force);
        felt.force = fmax(felt.force, most);
        felt.jump = fmax(felt.jump, palDistance(step->force, *force));
        felt.depth = fmax(felt.depth, depth);
        felt.apart = depth < -5e-5 ? fmax(felt.apart, most) : felt.apart;
        *force = step->force;
    }
    return felt;
}

static Felt runFit(const char* method, const char* way, int resolution, int ticks)
{
    palSession* session = startFit(method, way, resolution, 0.1);
    palVec3 force = pal_zeroVec3;
    Felt felt = feel(session, &force, ticks);
    // What is described lasts for a hand at 0.1 m/s.
    const palEngine* engine = palSession_Engine(session);
    for (int i = 0; i < 3; i++)
        assert_true(engine->loops[0].snapshots[i].hands[0].trustRadius > 2.0 * 0.1 * 0.025);
    palSession_Destroy(session);
    return felt;
}

static void a_peg_with_0_05_mm_of_play_a_side_goes_in_and_out(void** state)
{
    (void)state;
    Felt felt = runFit("linear",
                       "{t: 0, at: [0, 0, 0.032]}, {t: 2.2, at: [0, 0, 0.01]}, {t: 2.4, at: "
                       "[0, 0, 0.01]}, {t: 4.6, at: [0, 0, 0.032]}",
                       sides, 4600);
    ASSERT_BELOW(felt.force, 0.2);
    ASSERT_BELOW(felt.jump, 0.1);
    ASSERT_BELOW(felt.depth, 5e-6);
}

// Half a millimetre beside the hole and tilted by a degree, onto the rim; then the hand corrects.
// Friction keeps the peg up to 30 um from where the hand is, with 0.5 N as far as the play goes:
// so the hand goes a little beyond the middle.
static void meetRim(const char* method)
{
    palSession* session = startFit(
        method,
        "{t: 0, at: [0.0005, 0, 0.032], turn: [0, 1, 0]}, {t: 0.8, at: [0.0005, 0, 0.0297], turn: "
        "[0, 1, 0]}, {t: 1.1, at: [-0.00002, 0, 0.0297]}, {t: 1.3, at: [0, 0, 0.0297]}, {t: 2.4, "
        "at: [0, 0, 0.01]}",
        sides, 0.1);
    palVec3 force = pal_zeroVec3;
    Felt rim = feel(session, &force, 850);
    assert_true(rim.last.proxy.z > 0.029); // it lies on the rim
    assert_true(rim.force > 0.25);
    assert_true(rim.apart < 0.1);
    ASSERT_BELOW(rim.depth, 5e-6);
    Felt corrected = feel(session, &force, 500);
    ASSERT_BELOW(corrected.depth, 5e-6);
    ASSERT_BELOW(corrected.last.proxy.z, 0.0298);
    Felt in = feel(session, &force, 1050);
    print_message("%s: on the rim %.3f N, %.3f N in a tick, %.2f um deep; corrected %.3f N, %.3f N "
                  "in a tick, %.2f um; in %.3f N, %.3f N, %.2f um\n",
                  method, rim.force, rim.jump, 1e6 * rim.depth, corrected.force, corrected.jump,
                  1e6 * corrected.depth, in.force, in.jump, 1e6 * in.depth);
    ASSERT_BELOW(in.last.proxy.z, 0.0101);
    ASSERT_BELOW(in.jump, 0.3);
    ASSERT_BELOW(in.force, 0.2);
    ASSERT_BELOW(in.depth, 5e-6);
    palSession_Destroy(session);
}

static void a_peg_that_comes_askew_lies_on_the_rim_until_the_hand_corrects(void** state)
{
    (void)state;
    meetRim("linear");
    SKIP_SLOWED();
    meetRim("accurate");
}

// A couple M on a peg that is in by l presses it with M/l on both sides of the hole, where friction
// resists: it goes on with 2 mu M/l. Where l is less than mu times the diameter each of the two
// forces is in the cone of the other: nothing moves it, however hard it is pushed.
static void pushTilted(const char* method, double friction, bool isWedged)
{
    palSession* session = startFit(
        method,
        "{t: 0, at: [0, 0, 0.025]}, {t: 0.6, at: [0, 0, 0.025], turn: [0, 3, 0]}, {t: 1.8, "
        "at: [0, 0, 0.017], turn: [0, 3, 0]}",
        sides, friction);
    palVec3 force = pal_zeroVec3;
    feel(session, &force, isWedged ? 1800 : 1200);
    Felt felt = feel(session, &force, 1);
    double l = 0.03 - felt.last.proxy.z;
    double slides = 2.0 * friction * palLength(felt.last.torque) / l;
    print_message("%s, friction %g: %.2f mm in, %.3f N, slides with %.3f N\n", method, friction,
                  1e3 * l, felt.last.force.z, slides);
    if (isWedged)
    {
        assert_true(l < friction * 0.02 && l < 0.0055);
        assert_true(felt.last.force.z > 3.0 * slides);
    }
    else
    {
        assert_true(l > 0.007);
        ASSERT_NEAR(felt.last.force.z, slides, 0.1 * slides);
    }
    palSession_Destroy(session);
}

static void a_tilted_peg_slides_or_wedges_as_friction_says(void** state)
{
    (void)state;
    pushTilted("linear", 0.1, false);
    pushTilted("linear", 0.4, true);
    SKIP_SLOWED();
    pushTilted("accurate", 0.1, false);
    pushTilted("accurate", 0.4, true);
}

// Housings of 8,000, 82,000 and 1.2 million triangles.
static void housings_feel_alike_however_many_triangles_they_have(void** state)
{
    (void)state;
    static const int sizes[] = {80, 284, 1024};
    static const char* const methods[] = {"linear", "accurate"};
    const char* way =
        "{t: 0, at: [0.00002, 0, 0.031]}, {t: 0.5, at: [0.0003, 0, 0.028]}, {t: 1, at: "
        "[0.0003, 0, 0.028]}, {t: 1.2, at: [0, 0, 0.0295]}, {t: 1.7, at: [0, 0, 0.02]}";
    for (int m = 0; m < 2; m++)
    {
        Felt few = {0};
        for (int i = 0; i < (isLongRun() ? 3 : 2); i++)
        {
            Felt felt = runFit(methods[m], way, sizes[i], 1000);
            few = i == 0 ? felt : few;
            print_message("%s, %d sides: %.4f N\n", methods[m], sizes[i], felt.force);
            assert_true(felt.force > 0.1);
            ASSERT_NEAR(felt.force, few.force, 0.05 * few.force + 0.05);
        }
        SKIP_SLOWED();
    }
}

// A square hole of four boxes that abut like the blades of a pinwheel: where two of them meet the
// peg is not let between them, and stops where the play of each side ends.
static void a_hole_of_four_boxes_stops_a_peg_at_the_end_of_its_play(void** state)
{
    (void)state;
    static const char* const aside[] = {"0.001, 0", "0, 0.001", "-0.001, 0", "0.0007, -0.0007"};
    static const double play = 5e-5;
    for (int i = 0; i < 4; i++)
    {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD "tool: {shape: {kind: box, size: [0.02, 0.02, 0.03]}, mass: 0.05}\n"
                      "trajectory: {kind: path, points: [{t: 0, at: [0, 0, 0.031]}, {t: 0.5, at: "
                      "[0, 0, 0.01]}, {t: 0.6, at: [%s, 0.01]}]}\nobjects:\n" BLADE(
                          "right", "[0.01, 0.0301, 0.03]", "[0.01505, 0.005, 0]")
                          BLADE("upper", "[0.0301, 0.01, 0.03]", "[-0.005, 0.01505, 0]")
                              BLADE("left", "[0.01, 0.0301, 0.03]", "[-0.01505, -0.005, 0]")
                                  BLADE("lower", "[0.0301, 0.01, 0.03]", "[0.005, -0.01505, 0]"),
                 "linear", aside[i]);
        palSession* session = startScene(text);
        palStep step = {0};
        double farthest = 0.0;
        for (int k = 0; k < 800; k++)
        {
            palSession_Step(session, &step);
            if (step.proxy.z < 0.029)
                farthest = fmax(farthest, fmax(fabs(step.proxy.x), fabs(step.proxy.y)));
        }
        double x = fmax(fabs(step.proxy.x), fabs(step.proxy.y));
        print_message("to %s: at %.3f um, before %.3f um, %.3f N\n", aside[i], 1e6 * x,
                      1e6 * farthest, palLength(step.force));
        assert_true(palLength(step.force) > 0.5);
        ASSERT_NEAR(x, play, 1e-6);
        ASSERT_BELOW(farthest, play + 5e-6);
        ASSERT_BELOW(step.proxy.z, 0.0101);
        palSession_Destroy(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peg_with_0_05_mm_of_play_a_side_goes_in_and_out),
        cmocka_unit_test(a_peg_that_comes_askew_lies_on_the_rim_until_the_hand_corrects),
        cmocka_unit_test(a_tilted_peg_slides_or_wedges_as_friction_says),
        cmocka_unit_test(housings_feel_alike_however_many_triangles_they_have),
        cmocka_unit_test(a_hole_of_four_boxes_stops_a_peg_at_the_end_of_its_play),
    };
    return RUN(tests);
}

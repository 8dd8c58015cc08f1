// SPDX-License-Identifier: Apache-2.0
// A guidewire that the hand pushes through a vessel and pulls back, under method `compliance`: it
// stays in the lumen, with the forces that it has where everything is stepped at 1 kHz.
#include "scene_session.h"

#include "render/compliance.h"
#include "runtime/engine.h"

#include <palpate/solve.h>

static const double straight = 0.06; // m, before and after each bend
static const double inside = 0.01;   // m, of the wire in the vessel at the start
static const double margin = 1e-3;   // m: what is nearer to an open end is not looked at

enum
{
    pointsMax = 2000, // of the sampled centreline
};

// One wire in one vessel.
typedef struct course
{
    double diameter, young; // mm, GPa
    int elements;
    double lumen, wall, bend; // mm
    bool twoPlanes;           // two bends, the second out of the plane of the first
    int sides;
    double friction;
    double speed, push; // mm/s, mm
    double lowDt;       // ms
    bool isOpen;        // the lumen alone, an open surface
} course;

static const course usual = {
    .diameter = 0.8,
    .young = 60,
    .elements = 60,
    .lumen = 2,
    .wall = 1,
    .bend = 30,
    .sides = 32,
    .speed = 10,
    .push = 105,
    .lowDt = 20,
};

typedef struct outcome
{
    double outside;        // m: how far a node was outside of the lumen at most
    double heldShare;      // of the ticks, in which one was by more than 0.05 mm
    double largest;        // N
    double pushed, pulled; // N, mean
    int unsolved;          // ticks
} outcome;

static palSession* thread(const course* c, double lowDt)
{
    char text[4096];
    double length = 0.02 + 1e-3 * c->push, start = inside - length, T = c->push / c->speed;
    double corner = straight + 1e-3 * c->bend, high = corner + 1e-3 * c->bend + straight;
    char last[128] = "";
    if (c->twoPlanes)
        snprintf(last, sizeof last, ", bend: %g}, {at: [%g, %g, %g]", 1e-3 * c->bend, corner, high,
                 high - corner);
    snprintf(text, sizeof text,
             "palpate: 1\ngravity: [0, 0, 0]\n"
             "time: {seconds: %g, dt: 0.001, low_dt: %g, latency: %g}\n"
             "method: {name: compliance, radius: 0.004}\n"
             "trajectory: {kind: path, points: [{t: 0, at: [%g, 0, 0]}, {t: %g, at: [%g, 0, 0]}, "
             "{t: %g, at: [%g, 0, 0]}]}\n"
             "objects:\n  - {name: vessel, friction: %g, shape: {kind: vessel, radius: %g, wall: "
             "%g, surface: %s, resolution: %d, branches: [{points: [{at: [0, 0, 0]}, {at: [%g, 0, "
             "0], bend: %g}, {at: [%g, %g, 0]%s}]}]}}\n"
             "wires:\n  - {name: wire, start: [%g, 0, 0], end: [%g, 0, 0], elements: %d, section: "
             "{shape: circle, radius: %g}, young: %g, density: 6450, damping: {mass: 5, stiffness: "
             "0.0001}, hand: start}\n",
             2 * T + 1, lowDt, lowDt, start, T, start + 1e-3 * c->push, 2 * T, start, c->friction,
             1e-3 * c->lumen, 1e-3 * c->wall, c->isOpen ? "lumen" : "wall", c->sides, corner,
             1e-3 * c->bend, corner, high, last, start, inside, c->elements, 5e-4 * c->diameter,
             1e9 * c->young);
    return startScene(text);
}

// The centreline, sampled every half millimetre. Returns how many points.
static int sampleCentreline(const course* c, palVec3* points)
{
    double corner = straight + 1e-3 * c->bend, high = corner + 1e-3 * c->bend + straight;
    double b = 1e-3 * c->bend, at = 0.0;
    const double step = 5e-4, quarter = 0.5 * PAL_PI * b;
    int count = 0;
    for (at = margin; at < straight; at += step)
        points[count++] = palMakeVec3(at, 0, 0);
    for (at = 0.0; at < quarter; at += step)
        points[count++] = palMakeVec3(straight + b * sin(at / b), b - b * cos(at / b), 0);
    double end = c->twoPlanes ? high - b : high - margin;
    for (at = b; at < end; at += step)
        points[count++] = palMakeVec3(corner, at, 0);
    for (at = 0.0; at < quarter && c->twoPlanes; at += step)
        points[count++] = palMakeVec3(corner, high - b + b * sin(at / b), b - b * cos(at / b));
    for (at = b; at < high - corner - margin && c->twoPlanes; at += step)
        points[count++] = palMakeVec3(corner, high, at);
    return count;
}

// How far the axis of the wire is from the centreline at most, where it is beside it.
static double farthest(const palBeamState* state, const palVec3* line, int count)
{
    double most = 0.0;
    for (int i = 0; i < state->nodeCount; i++)
    {
        double least = INFINITY;
        bool isBeside = false;
        for (int k = 0; k + 1 < count; k++)
        {
            palVec3 along = palSub(line[k + 1], line[k]);
            double s = palDot(palSub(state->x[i], line[k]), along) / palLengthSquared(along);
            double d = palDistance(state->x[i], palMulAdd(line[k], fmin(fmax(s, 0.0), 1.0), along));
            if (d < least)
                isBeside = (k > 0 || s >= 0.0) && (k + 2 < count || s <= 1.0);
            least = fmin(least, d);
        }
        most = isBeside ? fmax(most, least) : most;
    }
    return most;
}

static outcome run(const course* c, double lowDt, bool pulls)
{
    static palVec3 line[pointsMax];
    palSession* session = thread(c, lowDt);
    const palCompliance* method = (const palCompliance*)palSession_Engine(session)->methods.shared;
    int points = sampleCentreline(c, line);
    int half = (int)lround(1e3 * c->push / c->speed), ticks = pulls ? 2 * half : half;
    outcome done = {0};
    for (int k = 0; k < ticks; k++)
    {
        palStep step;
        palSession_Step(session, &step);
        double force = palLength(step.force);
        *(k < half ? &done.pushed : &done.pulled) += force / half;
        done.largest = fmax(done.largest, force);
        done.unsolved += !(method->rows->info.flags & pal_solveConverged);
        if (k % 10 != 0)
            continue;
        double outside =
            farthest(&method->wires[0].state, line, points) - 1e-3 * (c->lumen - 0.5 * c->diameter);
        done.outside = fmax(done.outside, outside);
        done.heldShare += outside > 5e-5 ? 10.0 / ticks : 0.0;
    }
    palSession_Destroy(session);
    print_message("d %g E %g n %d lumen %g wall %g bend %g%s mu %g %g mm/s low %g ms: outside %.4f "
                  "mm, largest %.3f N, push %.4f N, pull %.4f N, unsolved %d\n",
                  c->diameter, c->young, c->elements, c->lumen, c->wall, c->bend,
                  c->twoPlanes ? " twice" : "", c->friction, c->speed, 1e3 * lowDt,
                  1e3 * done.outside, done.largest, done.pushed, done.pulled, done.unsolved);
    return done;
}

static void check(const course* c, const outcome* done)
{
    (void)c;
    ASSERT_BELOW(done->outside, 5e-5);
    ASSERT_BELOW(done->heldShare, 0.01);
}

static void a_pushed_wire_stays_in_the_vessel(void** state)
{
    (void)state;
    SKIP_SLOWED();
    course first = usual, second = usual, third = usual;
    first.speed = 50;
    second.speed = 50;
    second.elements = 30;
    second.friction = 0.2;
    second.lowDt = 33;
    third.speed = 50;
    third.diameter = 0.36;
    third.sides = 64;
    const course* courses[3] = {&first, &second, &third};
    for (int i = 0; i < 3; i++)
    {
        outcome done = run(courses[i], 1e-3 * courses[i]->lowDt, false);
        check(courses[i], &done);
        ASSERT_BELOW(done.largest, 3.0);
    }
}

// Every one beside the same with all at 1 kHz.
static void variants_stay_in_with_the_forces_of_one_rate(void** state)
{
    (void)state;
    if (!isLongRun())
        SKIP("the long run has it");
    course c[40];
    int count = 0;
    for (int i = 0; i < 40; i++)
        c[i] = usual;
    count++;
    c[count++].diameter = 0.5;
    c[count++].diameter = 0.36;
    c[count++].young = 10;
    c[count++].young = 200;
    c[count++].speed = 5;
    c[count++].speed = 20;
    c[count++].speed = 50;
    c[count++].elements = 30;
    c[count++].elements = 90;
    c[count++].elements = 120;
    c[count++].lowDt = 5;
    c[count++].lowDt = 10;
    c[count++].lowDt = 33;
    c[count++].sides = 64;
    c[count++].wall = 0.3;
    c[count++].wall = 2;
    c[count++].lumen = 1;
    c[count++].lumen = 1.5;
    c[count++].lumen = 3;
    c[count++].lumen = 4;
    c[count++].friction = 0.05;
    c[count++].friction = 0.1;
    c[count++].friction = 0.2;
    c[count++].friction = 0.3;
    c[count++].bend = 15;
    c[count].push = 130;
    c[count++].bend = 45;
    c[count].push = 150;
    c[count++].bend = 60;
    c[count].push = 150;
    c[count++].twoPlanes = true;
    c[count].push = 130;
    c[count].bend = 20;
    c[count++].twoPlanes = true;
    c[count++].isOpen = true;
    for (int i = 0; i < count; i++)
    {
        outcome done = run(&c[i], 1e-3 * c[i].lowDt, true);
        outcome fast = run(&c[i], 1e-3, true);
        check(&c[i], &done);
        ASSERT_BELOW(done.largest, 2.0 * fast.largest);
        ASSERT_NEAR(done.pushed, fast.pushed, 0.1 * fast.pushed);
        ASSERT_NEAR(done.pulled, fast.pulled, 0.1 * fast.pulled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pushed_wire_stays_in_the_vessel),
        cmocka_unit_test(variants_stay_in_with_the_forces_of_one_rate),
    };
    return RUN(tests);
}

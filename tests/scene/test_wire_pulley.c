// SPDX-License-Identifier: Apache-2.0
// A cord that runs over a fixed pulley or an edge, under method `compliance`, beside closed forms.
#include "scene_session.h"

#include "render/compliance.h"
#include "runtime/engine.h"

static const double gravity = 9.81;

// Two weights on a cord over a cylinder.
typedef struct pulley
{
    double masses[2]; // kg, at the start and at the end of the cord
    double radius;    // m
    double friction;
    int elements;
    double dt, lowDt; // s
} pulley;

enum
{
    textMax = 16384,
    corners = 60, // of the polyline that the cord is given as
};

static const double cordRadius = 1e-4, cordDensity = 5000.0; // m, kg/m³
static const double hanging[2] = {0.1, 0.3};                 // m, of the cord on each side
static const double boxHalf = 0.005;                         // m

// Where the cord is at rest, `s` from its start.
static palVec3 cordAt(double radius, double s)
{
    double over = s - hanging[0];
    if (over < 0.0)
        return palMakeVec3(radius, over, 0);
    if (over > M_PI * radius)
        return palMakeVec3(-radius, M_PI * radius - over, 0);
    return palMakeVec3(radius * cos(over / radius), radius * sin(over / radius), 0);
}

static int writeBox(char* to, const char* name, palVec3 at, double mass)
{
    return snprintf(to, 512,
                    "  - {name: %s, shape: {kind: box, size: [0.01, 0.01, 0.01], resolution: 2}, "
                    "position: [%.9g, %.9g, 0], motion: free, mass: %g}\n",
                    name, at.x, at.y - boxHalf, mass);
}

static palSession* hang(const pulley* p)
{
    char text[textMax];
    double radius = p->radius + cordRadius;
    double length = hanging[0] + M_PI * radius + hanging[1];
    int used = snprintf(text, textMax,
                        "palpate: 1\ngravity: [0, -9.81, 0]\nmethod: {name: compliance, radius: "
                        "0.006}\ntime: {seconds: 2, dt: %g, low_dt: %g, latency: %g}\n"
                        "tool: {shape: {kind: sphere, radius: 0.005, resolution: 8}}\n"
                        "trajectory: {kind: path, points: [{t: 0, at: [1, 0, 0]}]}\nobjects:\n"
                        "  - {name: pulley, shape: {kind: cylinder, radius: %g, height: 0.04, "
                        "resolution: 96}, friction: %g}\n",
                        p->dt, p->lowDt, p->lowDt, p->radius, p->friction);
    used += writeBox(text + used, "first", cordAt(radius, 0.0), p->masses[0]);
    used += writeBox(text + used, "last", cordAt(radius, length), p->masses[1]);
    used += snprintf(text + used, textMax - (size_t)used,
                     "wires:\n  - name: cord\n    elements: %d\n    section: {shape: circle, "
                     "radius: %g}\n    young: 5.0e+9\n    density: %g\n    damping: {mass: 0}\n"
                     "    friction: %g\n    points:\n",
                     p->elements, cordRadius, cordDensity, p->friction);
    for (int i = 0; i <= corners; i++)
    {
        palVec3 at = cordAt(radius, length * i / corners);
        used += snprintf(text + used, textMax - (size_t)used, "      - {at: [%.9g, %.9g, 0]}\n",
                         at.x, at.y);
    }
    snprintf(text + used, textMax - (size_t)used,
             "joints:\n  - {kind: ball, wire: cord, at: 0, to: first}\n"
             "  - {kind: ball, wire: cord, at: 1, to: last}\n");
    return startScene(text);
}

static palVec3 placeOf(palSession* session, int object)
{
    palCompliance* compliance = (palCompliance*)palSession_Engine(session)->methods.shared;
    return compliance->rigid.pile->bodies[object].state.x;
}

// How far the weights have moved after `seconds`, the first down: the mean, without the stretch.
static double travel(const pulley* p, double seconds)
{
    palSession* session = hang(p);
    double start = placeOf(session, 2).y - placeOf(session, 1).y;
    palStep step;
    stepSession(session, (int)lround(seconds / p->dt), &step);
    double moved = 0.5 * (placeOf(session, 2).y - placeOf(session, 1).y - start);
    palSession_Destroy(session);
    return moved;
}

// Weights m1 and m2 with M in all, on a cord of λ per length that hangs by L1 and L2:
//
//     x'' = g (m1 - m2 + λ (L1 - L2) + 2 λ x) / M,   x = a/k² (cosh k t - 1)
static double atwood(const pulley* p, double t)
{
    double lambda = cordDensity * M_PI * cordRadius * cordRadius;
    double mass = p->masses[0] + p->masses[1] +
                  lambda * (hanging[0] + hanging[1] + M_PI * (p->radius + cordRadius));
    double a = gravity * (p->masses[0] - p->masses[1] + lambda * (hanging[0] - hanging[1])) / mass;
    double k = sqrt(2.0 * lambda * gravity / mass);
    return a / (k * k) * (cosh(k * t) - 1.0);
}

static void weights_on_a_cord_over_a_pulley_move_as_atwood_says(void** state)
{
    (void)state;
    static const pulley cases[] = {
        {{0.05, 0.03}, 0.03, 0.0, 40, 0.001, 0.005},
        {{0.05, 0.03}, 0.03, 0.0, 40, 0.002, 0.02},
        {{0.05, 0.04}, 0.01, 0.0, 100, 0.001, 0.005},
        {{0.1, 0.03}, 0.05, 0.0, 40, 0.001, 0.01},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        double moved = travel(&cases[i], 0.25), expected = atwood(&cases[i], 0.25);
        print_message("moved %.2f mm, closed form %.2f mm\n", 1e3 * moved, 1e3 * expected);
        ASSERT_NEAR(moved, expected, 0.01 * expected + 3e-4);
    }
}

// The tensions at both ends of a half turn are as 1 to exp(μ π): weights below that rest, and with
// more on one side fall with the rest of it.
static void friction_on_a_pulley_holds_as_the_capstan_says(void** state)
{
    (void)state;
    const double mu = 0.3, ratio = exp(mu * M_PI);
    pulley p = {{0.05, 0.05 * 1.15 / ratio}, 0.03, mu, 60, 0.001, 0.005};
    ASSERT_BELOW(fabs(travel(&p, 0.3)), 0.002);
    p.masses[1] = 0.01;
    double moved = travel(&p, 0.3);
    double a = gravity * (p.masses[0] - ratio * p.masses[1]) / (p.masses[0] + ratio * p.masses[1]);
    print_message("moved %.2f mm, closed form %.2f mm\n", 1e3 * moved, 1e3 * 0.5 * a * 0.09);
    ASSERT_NEAR(moved, 0.5 * a * 0.09, 0.05 * moved);
}

// The hand draws a cord over a round edge, and lets it back, without friction: from rest to rest it
// feels the weight in the mean, whichever way the cord runs.
static void a_cord_drawn_over_an_edge_is_felt_with_its_weight(void** state)
{
    (void)state;
    palSession* session = startScene(
        "palpate: 1\ngravity: [0, -9.81, 0]\nmethod: {name: compliance, radius: 0.008}\n"
        "time: {seconds: 2, dt: 0.001, low_dt: 0.02, latency: 0.02}\n"
        "trajectory: {kind: path, points: [{t: 0, at: [0.1, 0.0001, 0]}, "
        "{t: 0.6, at: [0.1, 0.0001, 0]}, {t: 1, at: [0.18, 0.0001, 0]}, "
        "{t: 1.1, at: [0.18, 0.0001, 0]}, {t: 1.5, at: [0.1, 0.0001, 0]}]}\nobjects:\n"
        "  - {name: rod, shape: {kind: cylinder, radius: 0.01, height: 0.1, resolution: 200}, "
        "position: [0.01, -0.01, 0]}\n"
        "  - {name: weight, shape: {kind: box, size: [0.01, 0.01, 0.01], resolution: 2}, "
        "position: [-0.0001, -0.205, 0], motion: free, mass: 0.05}\n"
        "wires:\n  - {name: cord, points: [{at: [0.1, 0.0001, 0]}, {at: [-0.0001, 0.0001, 0]}, "
        "{at: [-0.0001, -0.2, 0]}], elements: 45, section: {shape: circle, radius: 0.0001}, "
        "young: 5.0e+9, density: 5000, damping: {mass: 5}, hand: start}\n"
        "joints:\n  - {kind: ball, wire: cord, at: 1, to: weight}\n");
    palStep step;
    stepSession(session, 600, &step);
    double drawn = 0.0, let = 0.0;
    for (int k = 0; k < 900; k++)
    {
        palSession_Step(session, &step);
        drawn += k < 400 ? fabs(step.force.x) / 400 : 0.0;
        let += k >= 500 ? fabs(step.force.x) / 400 : 0.0;
    }
    print_message("drawn up %.4f N, let down %.4f N\n", drawn, let);
    ASSERT_NEAR(drawn, 0.05 * gravity, 0.03 * 0.05 * gravity);
    ASSERT_NEAR(let, 0.05 * gravity, 0.03 * 0.05 * gravity);
    palSession_Destroy(session);
}

// The head of a scene with pulleys of 30 mm, and the start of a cord over them.
#define PULLEYS(objects)                                                                           \
    "palpate: 1\ngravity: [0, -9.81, 0]\nmethod: {name: compliance, radius: 0.006}\n"              \
    "time: {seconds: 2, dt: 0.001, low_dt: 0.005, latency: 0.005}\n"                               \
    "tool: {shape: {kind: sphere, radius: 0.005, resolution: 8}}\n"                                \
    "trajectory: {kind: path, points: [{t: 0, at: [1, 0, 0]}]}\nobjects:\n" objects                \
    "wires:\n  - name: cord\n    elements: 60\n    section: {shape: circle, radius: 0.0001}\n"     \
    "    young: 5.0e+9\n    density: 5000\n    damping: {mass: 0}\n    friction: %g\n"             \
    "    points:\n"
#define BOX   "shape: {kind: box, size: [0.01, 0.01, 0.01], resolution: 2}"
#define ROUND "shape: {kind: cylinder, radius: 0.03, height: 0.04, resolution: 96}"

static int addPoint(char* to, double x, double y)
{
    return snprintf(to, 64, "      - {at: [%.9g, %.9g, 0]}\n", x, y);
}

// An arc of the cord about a pulley at (x, y), through half a turn.
static int addHalfTurn(char* to, double x, double y, double from, double turn)
{
    const double radius = 0.03 + cordRadius;
    int used = 0;
    for (int i = 0; i <= 30; i++)
    {
        double angle = from + turn * i / 30;
        used += addPoint(to + used, x + radius * cos(angle), y + radius * sin(angle));
    }
    return used;
}

static palSession* tieEnds(char* text, int used)
{
    snprintf(text + used, textMax - (size_t)used,
             "joints:\n  - {kind: ball, wire: cord, at: 0, to: first}\n"
             "  - {kind: ball, wire: cord, at: 1, to: last}\n");
    return startScene(text);
}

// Of both weights in the mean, the first down.
static double speedDown(palSession* session)
{
    palCompliance* compliance = (palCompliance*)palSession_Engine(session)->methods.shared;
    const palPileBody* bodies = compliance->rigid.pile->bodies;
    return 0.5 * (bodies[3].state.v.y - bodies[2].state.v.y);
}

// A quarter of a turn over each of two pulleys is half a turn in all.
static void two_pulleys_hold_as_one_does(void** state)
{
    (void)state;
    static const double frictions[] = {0.0, 0.2};
    for (int k = 0; k < 2; k++)
    {
        const double mu = frictions[k], ratio = exp(mu * M_PI), a0 = 0.03 + cordRadius;
        char text[textMax];
        int used = snprintf(text, textMax,
                            PULLEYS("  - {name: pulley, " ROUND ", friction: %g}\n"
                                    "  - {name: other, " ROUND ", position: [-0.2, 0, 0], "
                                    "friction: %g}\n"
                                    "  - {name: first, " BOX ", position: [%.9g, -0.105, 0], "
                                    "motion: free, mass: 0.05}\n"
                                    "  - {name: last, " BOX ", position: [%.9g, -0.305, 0], "
                                    "motion: free, mass: 0.02}\n"),
                            mu, mu, a0, -0.2 - a0, mu);
        used += addPoint(text + used, a0, -0.1);
        for (int i = 0; i <= 15; i++)
            used += addPoint(text + used, a0 * cos(M_PI / 30 * i), a0 * sin(M_PI / 30 * i));
        for (int i = 15; i <= 30; i++)
            used += addPoint(text + used, -0.2 + a0 * cos(M_PI / 30 * i), a0 * sin(M_PI / 30 * i));
        used += addPoint(text + used, -0.2 - a0, -0.3);
        palSession* session = tieEnds(text, used);
        palStep step;
        stepSession(session, 100, &step); // the cord is not taut at first
        double before = speedDown(session);
        stepSession(session, 200, &step);
        double a = (speedDown(session) - before) / 0.2;
        // With what hangs of the cord on either side, and the mass of all of it.
        double cord = cordDensity * M_PI * cordRadius * cordRadius;
        double first = 0.05 + 0.1 * cord, last = ratio * (0.02 + 0.3 * cord);
        double expected = gravity * (first - last) / (first + last + 0.3 * cord);
        print_message("%.4f m/s², closed form %.4f\n", a, expected);
        ASSERT_NEAR(a, expected, (k == 0 ? 0.01 : 0.05) * expected);
        palSession_Destroy(session);
    }
}

// A pulley of mass m that hangs in the cord, and a weight M at its end, over a fixed pulley:
//
//     x'' = g (M - m/2) / (M + m/4) of the weight, half of it of the pulley
static void a_pulley_that_hangs_in_the_cord_moves_half_as_far(void** state)
{
    (void)state;
    const double a0 = 0.03 + cordRadius, M = 0.04, m = 0.05;
    char text[textMax];
    int used = snprintf(text, textMax,
                        PULLEYS("  - {name: pulley, " ROUND ", friction: 0}\n"
                                "  - {name: hanging, " ROUND ", position: [%.9g, -0.2, 0], "
                                "motion: free, mass: %g, friction: 0}\n"
                                "  - {name: first, " BOX ", position: [%.9g, 0.005, 0]}\n"
                                "  - {name: last, " BOX ", position: [%.9g, -0.155, 0], "
                                "motion: free, mass: %g}\n"),
                        -2.0 * a0, m, -3.0 * a0, a0, M, 0.0);
    used += addPoint(text + used, -3.0 * a0, 0.0);
    used += addHalfTurn(text + used, -2.0 * a0, -0.2, -M_PI, M_PI);
    used += addHalfTurn(text + used, 0.0, 0.0, M_PI, -M_PI);
    used += addPoint(text + used, a0, -0.15);
    palSession* session = tieEnds(text, used);
    palVec3 start[2] = {placeOf(session, 1), placeOf(session, 3)};
    palStep step;
    stepSession(session, 250, &step);
    double rise = placeOf(session, 1).y - start[0].y, fall = start[1].y - placeOf(session, 3).y;
    double expected = 0.5 * 0.0625 * gravity * (M - 0.5 * m) / (M + 0.25 * m);
    print_message("up %.2f mm, down %.2f mm, closed form %.2f and %.2f mm\n", 1e3 * rise,
                  1e3 * fall, 0.5e3 * expected, 1e3 * expected);
    ASSERT_NEAR(fall, expected, 0.02 * expected);
    ASSERT_NEAR(rise, 0.5 * expected, 0.02 * 0.5 * expected);
    palSession_Destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_on_a_cord_over_a_pulley_move_as_atwood_says),
        cmocka_unit_test(friction_on_a_pulley_holds_as_the_capstan_says),
        cmocka_unit_test(two_pulleys_hold_as_one_does),
        cmocka_unit_test(a_pulley_that_hangs_in_the_cord_moves_half_as_far),
        cmocka_unit_test(a_cord_drawn_over_an_edge_is_felt_with_its_weight),
    };
    return RUN(tests);
}

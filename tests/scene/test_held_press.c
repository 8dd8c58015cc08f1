// SPDX-License-Identifier: Apache-2.0
// A hand that presses a soft body deep and holds still keeps its force: on shapes with thin and
// thick parts, at points all over them. Where the force is gone, the proxy has slid off the body:
// the place of the body that it touched has moved, and it is not inside.
#include "scene_session.h"

#include "base/random.h"
#include "math/vec3.h"

static const double speed = 0.05;      // m/s
static const double gap = 0.005;       // m, before the surface
static const double hold = 2.0;        // s
static const double lostForce = 0.001; // N: less counts as none
static const double restSpeed = 6e-5;  // m/s: slower counts as at rest

typedef struct Shape
{
    const char* name;
    const char* text; // of the object
    const char* elements;
    double least;   // m: nodes below this height are held, points to press 15 mm higher
    double deepest; // m: pressed at most so deep
} Shape;

static const Shape shapes[] = {
    {"organ", "shape: {kind: organ, size: [0.12, 0.12, 0.12], resolution: 30}", "hexes", -0.015,
     0.02},
    {"polyp", "shape: {kind: polyp, size: [0.1, 0.1, 0.1], resolution: 30}", "hexes", 0.012, 0.02},
    {"statue", "shape: {kind: statue, size: [0.12, 0.12, 0.12], resolution: 64}", "hexes", 0.02,
     0.02},
    {"rocker", "shape: {kind: rocker, size: [0.14, 0.14, 0.14], resolution: 64}", "hexes", -0.012,
     0.02},
    {"slab", "shape: {kind: box, size: [0.1, 0.03, 0.06]}", "tets", -0.0149, 0.02},
    {"column", "shape: {kind: cylinder, radius: 0.02, height: 0.1}, rotation: [-90, 0, 0]", "tets",
     -0.0499, 0.02},
    // Strips of 20 mm across; deeper than 8 mm the walls of its dimples fold into each other.
    {"wave",
     "shape: {kind: sine-block, size: [0.12, 0.03, 0.06], amplitude: 0.005, wavelength: 0.04, "
     "resolution: 60}",
     "hexes", -0.0299, 0.008},
};

enum
{
    shapeCount = sizeof shapes / sizeof shapes[0],
    pointCount = 12,
    updateTicks = 33, // from one update of the half-spaces to the next
};

// A sanitizer makes a press ten times longer: it has some of them.
#if defined(__SANITIZE_ADDRESS__)
static const int everyPress = 23;
#else
static const int everyPress = 1;
#endif

static const int resolutions[] = {7, 10, 14};

static void writeScene(char* text, size_t size, const Shape* shape, const char* method,
                       int resolution, double stiffening, palVec3 at, palVec3 n, double depth)
{
    snprintf(
        text, size,
        "palpate: 1\n"
        "time: {seconds: 3, dt: 0.001, low_dt: 0.033, latency: 0.02}\n"
        "method: {name: %s, radius: 0.02}\n"
        "trajectory: {kind: press, target: [%.9g, %.9g, %.9g], direction: [%.9g, %.9g, %.9g],"
        " gap: %g, depth: %g, speed: %g, hold: %g}\n"
        "objects:\n"
        "  - {name: body, %s, friction: 0.3, soft: {young: 10000, stiffening: %g, elements: %s,"
        " resolution: %d, fixed: [{plane: {point: [0, %g, 0], normal: [0, 1, 0]}}]}}\n",
        method, at.x, at.y, at.z, -n.x, -n.y, -n.z, gap, depth, speed, hold, shape->text,
        stiffening, shape->elements, resolution, shape->least);
}

static const palSurface* surfaceOf(const palSession* session)
{
    const palCollider* collider = &palSession_Bodies(session)->colliders[0];
    palCollider_Vertices(collider);
    return &collider->surface;
}

// Points all over the surface above what is held, with the normals there: of the last shape.
static palVec3 points[pointCount], normals[pointCount];

static void choosePoints(const Shape* shape, int resolution)
{
    static const Shape* lastShape;
    static int lastResolution;
    if (shape == lastShape && resolution == lastResolution)
        return;
    lastShape = shape;
    lastResolution = resolution;
    char text[2048];
    writeScene(text, sizeof text, shape, "accurate", resolution, 0.0, pal_zeroVec3,
               palMakeVec3(0, 1, 0), 0.004);
    palSession* session = startScene(text);
    const palSurface* surface = surfaceOf(session);
    palRandom random = palMakeRandom(7);
    double largest = 0.0;
    for (int pass = 0, found = 0; found < pointCount; pass++)
    {
        int t = (int)palRandom_Range(&random, 0.0, surface->triangleCount);
        const int* corners = surface->triangles[t];
        palVec3 a = surface->vertices[corners[0]], b = surface->vertices[corners[1]];
        palVec3 c = surface->vertices[corners[2]];
        palVec3 n = palCross(palSub(b, a), palSub(c, a));
        palVec3 middle = palScale(1.0 / 3.0, palAdd(a, palAdd(b, c)));
        // By area, and not from below.
        largest = fmax(largest, palLength(n));
        bool isTaken = pass > 100 && palRandom_Range(&random, 0.0, largest) < palLength(n) &&
                       middle.y > shape->least + 0.015 && n.y > -0.5 * palLength(n);
        if (!isTaken)
            continue;
        points[found] = middle;
        normals[found++] = palNormalize(n);
    }
    palSession_Destroy(session);
}

// How often the surface goes around x: 1 inside, 0 outside (van Oosterom and Strackee 1983).
static double winding(const palSurface* surface, palVec3 x)
{
    double sum = 0.0;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        palVec3 v[3];
        for (int k = 0; k < 3; k++)
            v[k] = palSub(surface->vertices[surface->triangles[t][k]], x);
        double a = palLength(v[0]), b = palLength(v[1]), c = palLength(v[2]);
        double above = palDot(v[0], palCross(v[1], v[2]));
        double below =
            a * b * c + palDot(v[0], v[1]) * c + palDot(v[1], v[2]) * a + palDot(v[2], v[0]) * b;
        sum += 2.0 * atan2(above, below);
    }
    return sum / (4.0 * M_PI);
}

typedef struct Outcome
{
    double force;       // N, at the end
    double least, most; // N, in the last second
    double slid;        // m: of the last touched place of the body from the first, at rest
    int lost, fallen;   // looks in a row at which the proxy was inside without a force: now, most
    double penetration; // m, the deepest while it pushes
    double resting;     // m, where it is at rest in the last second
    double late;        // m, in the last second
    int rests;          // ticks of that second in which it is
} Outcome;

// Looks at the body: where on it, at rest, the place is that is nearest to the proxy; and whether a
// proxy that feels nothing is inside. The surface is that of the last low-rate step, so that this
// counts from a millimetre on.
static void look(const palSession* session, const palSurface* rest, palVec3 proxy, palVec3 at,
                 Outcome* out)
{
    palNearest nearest;
    const palCollider* collider = &palSession_Bodies(session)->colliders[0];
    if (!palColliders_Nearest(collider, 1, proxy, 0.1, &nearest))
        return;
    const palVec3* v = palCollider_Vertices(collider);
    bool isInside = out->force < lostForce && nearest.closest.distance > 1e-3 &&
                    winding(&collider->surface, proxy) > 0.5;
    out->lost = isInside ? out->lost + 1 : 0;
    out->fallen = out->fallen > out->lost ? out->fallen : out->lost;
    if (out->force < lostForce)
        return;
    const int* corners = rest->triangles[nearest.closest.triangle];
    palVec3 p = nearest.closest.point, place = pal_zeroVec3;
    double weights[3], sum = 0.0;
    for (int k = 0; k < 3; k++)
    {
        palVec3 a = v[corners[(k + 1) % 3]], b = v[corners[(k + 2) % 3]];
        weights[k] = palLength(palCross(palSub(a, p), palSub(b, p)));
        sum += weights[k];
    }
    for (int k = 0; k < 3; k++)
        place = palMulAdd(place, weights[k] / sum, rest->vertices[corners[k]]);
    out->slid = palDistance(place, at);
}

static Outcome press(const Shape* shape, const char* method, int resolution, double stiffening,
                     palVec3 at, palVec3 n, double depth)
{
    char text[2048];
    writeScene(text, sizeof text, shape, method, resolution, stiffening, at, n, depth);
    palSession* session = startScene(text);
    Outcome out = {.least = INFINITY};
    palSurface rest;
    assert_int_equal(palSurface_Copy(surfaceOf(session), &rest, NULL), pal_ok);
    int ticks = (int)((gap + depth) / speed / 0.001 + hold / 0.001) - 20;
    palStep step = {0};
    palVec3 places[updateTicks] = {0}; // of the proxy since the last update
    for (int k = 0; k < ticks; k++)
    {
        palSession_Step(session, &step);
        out.force = palLength(step.force);
        if (k % 10 == 0)
            look(session, &rest, step.proxy, at, &out);
        double off = palSession_Measure(session)->last.surfaceGap;
        if (step.active > 0)
            out.penetration = fmax(out.penetration, -off);
        if (k < ticks - 1000)
            continue;
        palVec3* before = &places[k % updateTicks];
        bool isAtRest = palDistance(step.proxy, *before) <= restSpeed * updateTicks * 0.001;
        *before = step.proxy;
        out.late = fmax(out.late, -off);
        out.resting = isAtRest ? fmax(out.resting, -off) : out.resting;
        out.rests += isAtRest;
        out.least = fmin(out.least, out.force);
        out.most = fmax(out.most, out.force);
    }
    palSurface_Free(&rest);
    palSession_Destroy(session);
    return out;
}

// What a press must be like. Returns false, after printing it, where it is not.
static bool isHeld(const Shape* shape, const char* method, int resolution, double stiffening,
                   int point, double depth)
{
    const double tolerance = 2e-5, leastWay = 1e-3; // m
    choosePoints(shape, resolution);
    Outcome out =
        press(shape, method, resolution, stiffening, points[point], normals[point], depth);
    bool isLost = out.least < lostForce;
    // A half-space of `standard` is that of the last update: a point that slides on round tissue is
    // off the surface by how that bends and gives way on the way since (up to 1.8 mm on a slab that
    // is pressed 20 mm deep at 50 mm/s, 0.43 mm while it slides on at 8 mm/s, 0.021 mm at 0.1 mm/s;
    // none once it rests). So its depth counts where the point is at rest in the last second, or in
    // all of that if it never is.
    bool isExact = strcmp(method, "accurate") == 0;
    double penetration = isExact         ? out.penetration
                         : isLost        ? 0.0
                         : out.rests > 0 ? out.resting
                                         : out.late;
    bool isRight = out.fallen < 10 && penetration <= tolerance && (!isLost || out.slid > leastWay);
    print_message("%s%s, %s, resolution %d, stiffening %g, point %d, %.0f mm: %.3f to %.3f N, slid "
                  "%.1f mm, inside by %.4f mm, %.4f mm in %d ticks at rest%s\n",
                  isRight ? "" : "WRONG: ", shape->name, method, resolution, stiffening, point,
                  1e3 * depth, out.least, out.most, 1e3 * out.slid, 1e3 * out.penetration,
                  1e3 * out.resting, out.rests, isLost ? ", slid off" : "");
    return isRight;
}

// All points of all shapes, in the long run, linear and stiffening.
static int countWrong(int* count)
{
    static const double depths[] = {0.004, 0.008, 0.012, 0.016, 0.020};
    int wrong = 0;
    for (int k = 0; k < shapeCount * 3 * pointCount * 2 * 5; k += everyPress)
    {
        const Shape* shape = &shapes[k / (3 * pointCount * 2 * 5)];
        int resolution = resolutions[k / (pointCount * 2 * 5) % 3];
        int point = k / (2 * 5) % pointCount;
        const char* method = k / 5 % 2 == 0 ? "accurate" : "standard";
        double depth = depths[k % 5];
        if (depth > shape->deepest)
            continue;
        wrong += !isHeld(shape, method, resolution, 0.0, point, depth);
        wrong += !isHeld(shape, method, resolution, 5.0, point, depth);
        *count += 2;
    }
    return wrong;
}

// Some of the cases of the long run: thick and thin, held and slid off. Without a limit of volume
// linear tets of 7 mm that are pressed 20 mm deep into a slab of 30 mm are pierced. The last two
// slide by 0.4 mm in a tick before they slip off.
static void a_hand_that_holds_still_keeps_its_force(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const struct
    {
        int shape, resolution, point;
        const char* method;
        double stiffening, depth;
    } cases[] = {
        {4, 14, 5, "accurate", 0.0, 0.02},  {4, 14, 2, "accurate", 0.0, 0.02},
        {4, 14, 5, "standard", 3.0, 0.02},  {0, 7, 1, "accurate", 0.0, 0.016},
        {3, 7, 3, "accurate", 0.0, 0.016},  {5, 10, 0, "accurate", 3.0, 0.02},
        {1, 7, 3, "standard", 0.0, 0.012},  {6, 14, 0, "accurate", 0.0, 0.008},
        {6, 14, 0, "standard", 0.0, 0.008}, {0, 7, 1, "accurate", 0.0, 0.02},
        {3, 14, 2, "accurate", 0.0, 0.016},
    };
    int count = sizeof cases / sizeof cases[0], wrong = isLongRun() ? countWrong(&count) : 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        wrong += !isHeld(&shapes[cases[i].shape], cases[i].method, cases[i].resolution,
                         cases[i].stiffening, cases[i].point, cases[i].depth);
    print_message("%d of %d presses are wrong\n", wrong, count);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_that_holds_still_keeps_its_force),
    };
    return RUN(tests);
}

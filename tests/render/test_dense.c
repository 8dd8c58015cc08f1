// SPDX-License-Identifier: Apache-2.0
// Scans of many small triangles are felt at 0.3 m/s as in a run that looks for contacts at every
// tick, and the description of contacts reaches as far as the hand goes until the next.
#include "path_rig.h"

#include "base/random.h"
#include "runtime/verdict.h"

static const double speed = 0.3;      // m/s
static const double tolerance = 1e-6; // m

// A ball with bumps, and a way along it.
typedef struct Scan
{
    double size;    // m, its diameter
    double depth;   // m, of the hand below the surface
    bool isRandom;  // it wanders, in and out by a half of the depth
    int count;      // places of the way, by tick
    palVec3* place; // owned
} Scan;

static double radiusAt(const Scan* scan, palVec3 u)
{
    double bumps = sin(8.0 * u.x) * sin(8.0 * u.y + 1.0) * sin(8.0 * u.z + 2.0);
    return 0.5 * scan->size * (1.0 + 0.01 * bumps);
}

static palVec3 along(const void* user, double t)
{
    const Scan* scan = user;
    double s = fmax(0.0, fmin(t / 1e-3, scan->count - 1.001));
    return palLerp(scan->place[(int)s], scan->place[(int)s + 1], s - floor(s));
}

static void planWay(Scan* scan, int count, uint64_t seed)
{
    palRandom random = palMakeRandom(seed);
    palVec3 u = palNormalize(palMakeVec3(0.3, 0.5, 0.8));
    palVec3 axis = palNormalize(palCross(u, palMakeVec3(0.1, -0.7, 0.2)));
    scan->count = count;
    scan->place = malloc((size_t)count * sizeof *scan->place);
    assert_non_null(scan->place);
    double phase = 0.0;
    for (int k = 0; k < count; k++)
    {
        // Down at 0.05 m/s at first.
        double above = fmax(0.0, 0.002 - 5e-5 * k);
        double depth = scan->depth * (scan->isRandom ? 0.6 + 0.6 * sin(phase) : 1.0);
        scan->place[k] = palScale(radiusAt(scan, u) + above - depth, u);
        if (above > 0.0)
            continue;
        phase += scan->isRandom ? 0.02 : 0.0;
        u = palNormalize(palRotate(
            palMakeQuatRotationVector(palScale(2.0 * speed * 1e-3 / scan->size, axis)), u));
        for (int i = 0; i < 3 && scan->isRandom; i++)
            (&axis.x)[i] += palRandom_Range(&random, -0.1, 0.1);
        axis = palNormalize(palSub(axis, palScale(palDot(axis, u), u)));
    }
}

static void addScan(palRig* rig, const Scan* scan, int resolution)
{
    palShapeDef shape = palDefaultShapeDef(pal_shapeSphere);
    shape.radius = 0.5 * scan->size;
    shape.resolution = resolution;
    palSurface surface;
    assert_int_equal(palMakeShape(&shape, &surface, NULL), pal_ok);
    for (int i = 0; i < surface.vertexCount; i++)
    {
        palVec3 u = palNormalize(surface.vertices[i]);
        surface.vertices[i] = palScale(radiusAt(scan, u), u);
    }
    rigAdd(rig, &surface, 0.2, rigHome);
}

typedef struct Felt
{
    double distance;  // m, from the surface while touching
    double jump;      // N
    double usable;    // m/s
    double tick, low; // s, p99
    int held, contact;
} Felt;

static Felt feel(palRig* rig, double lowDt, double latency)
{
    Felt felt = {0};
    palVec3 last = pal_zeroVec3;
    palTickRecord record;
    rig->def.lowDt = lowDt;
    rig->def.latency = latency;
    rigStart(rig);
    while (rigStep(rig, &record))
    {
        const palHandRecord* hand = &record.hands[0];
        felt.held += hand->held;
        felt.contact += hand->active > 0;
        if (hand->active > 0)
            felt.distance = fmax(felt.distance, fabs(rigGap(rig, hand->proxy)));
        felt.jump = fmax(felt.jump, palDistance(hand->force, last));
        last = hand->force;
    }
    palVerdict verdict = palMakeVerdict(rig->engine);
    felt.usable = verdict.usableSpeed;
    felt.tick = palHistogram_Percentile(&rig->engine->highStatistics.stepTime, 0.99);
    felt.low = palHistogram_Percentile(&rig->engine->loops[0].statistics.stepTime, 0.99);
    return felt;
}

static void compare(double size, int resolution, bool isRandom)
{
    palRig rig;
    Scan scan = {.size = size, .depth = fmin(1e-3, 0.1 * size), .isRandom = isRandom};
    rigInit(&rig, &(palRigDef){.method = "accurate",
                               .path = along,
                               .user = &scan,
                               .tolerance = tolerance,
                               .seconds = 0.3});
    planWay(&scan, 300, 5);
    addScan(&rig, &scan, resolution);
    Felt multi = feel(&rig, 0.033, 0.005);
    Felt single = feel(&rig, 1e-3, -1.0);
    print_message("%g mm, %d triangles, %s: %.2f m/s usable, %.2f um, jump %.3f N (%.3f N at one "
                  "rate), held %d of %d; tick %.1f us, low %.2f ms\n",
                  1e3 * size, rig.colliders[0].surface.triangleCount, isRandom ? "random" : "slide",
                  multi.usable, 1e6 * multi.distance, multi.jump, single.jump, multi.held,
                  multi.contact, 1e6 * multi.tick, 1e3 * multi.low);
    ASSERT_BELOW(0.3, multi.usable);
    ASSERT_BELOW(multi.distance, 0.02e-3);
    ASSERT_BELOW(multi.jump, 1.5 * single.jump);
    assert_true(multi.contact > 150);
    free(scan.place);
    rigFree(&rig);
}

static void dense_scans_are_felt_as_at_one_rate(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const double sizes[] = {0.005, 0.03, 0.1}; // m
    static const int resolutions[] = {190, 420, 600, 1900};
    for (int r = isLongRun() ? 0 : 1; r < (isLongRun() ? 4 : 2); r++)
        for (int i = 0; i < 3; i++)
            for (int random = 0; random < 2; random++)
                compare(sizes[i], resolutions[r], random == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_scans_are_felt_as_at_one_rate),
    };
    return RUN(tests);
}

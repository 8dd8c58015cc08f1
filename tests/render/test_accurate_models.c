// SPDX-License-Identifier: Apache-2.0
// The statue and the rocker: thin arms, holes, fillets, saddles. Three scripted strokes on each and
// twenty random ones.
#include "path_rig.h"
#include "route.h"

#include "base/random.h"

enum
{
    randomRoutes = 20,
    pointCount = 12,
};

// World of one model, shared by the tests.
typedef struct model
{
    palShapeDef shape;
    palVec3 scripted[3][pointCount];
    int counts[3];
} model;

static const model statue = {
    .shape = {.kind = pal_shapeStatue, .size = {0.2, 0.2, 0.2}, .resolution = 100},
    .scripted =
        {
            // Down the back of the taller figure into the folds of the robe.
            {{-0.033, 0.18, 0.0}, {-0.047, 0.06, 0.0}},
            // From the front over both heads.
            {{0.08, 0.1, 0.02}, {0.02, 0.12, 0.0}, {-0.02, 0.19, 0.0}, {-0.08, 0.15, -0.01}},
            // Across the base, where the robe meets it.
            {{-0.06, 0.02, 0.04}, {0.0, 0.012, 0.02}, {0.06, 0.012, -0.02}},
        },
    .counts = {2, 4, 3},
};

static const model rocker = {
    .shape = {.kind = pal_shapeRocker, .size = {0.12, 0.12, 0.12}, .resolution = 120},
    .scripted =
        {
            // Round the wall of the bore.
            {{0.0, 0.0148, 0.0},
             {0.0112, 0.0036, 0.002},
             {0.0, -0.0076, -0.002},
             {-0.0112, 0.0036, 0.0}},
            // Along the top from end to end.
            {{-0.055, 0.03, 0.001}, {-0.02, 0.012, 0.0}, {0.02, 0.012, 0.002}, {0.055, 0.01, 0.0}},
            // Across the arms, against their sides.
            {{-0.04, 0.0, 0.03}, {-0.03, 0.005, 0.006}, {0.03, 0.0, 0.006}, {0.04, 0.0, 0.02}},
        },
    .counts = {4, 4, 4},
};

// Made once: polygonising takes longer than the runs.
static palRig statueRig, rockerRig;
static route stroke;

static void makeModel(palRig* rig, const model* m)
{
    rigInit(rig, &(palRigDef){.method = "accurate", .path = alongRoute, .user = &stroke});
    rigAddShape(rig, &m->shape, 0.1, rigHome);
}

static int makeModels(void** state)
{
    (void)state;
    makeModel(&statueRig, &statue);
    makeModel(&rockerRig, &rocker);
    return 0;
}

static int freeModels(void** state)
{
    (void)state;
    rigFree(&statueRig);
    rigFree(&rockerRig);
    return 0;
}

// Oracle for a step without friction: no point of the surface right beside the proxy is nearer to
// where the free motion would have taken it. `before` and `v` are the proxy before the step.
static void checkNearest(const palRig* rig, const palTickRecord* record, palVec3 before, palVec3 v)
{
    const double touching = 5e-9; // m: triangles on which the proxy rests
    const double beside = 1e-6;   // m: how far the oracle looks along them
    const double slack = 1e-8;    // m: lifting, and what triangles curve within that distance
    const palPointModel* body = &rig->engine->def.hands[0].body;
    palPointState state = {before, v};
    palVec3 velocity =
        palScale(1.0 / rig->def.dt, palSub(record->hands[0].device,
                                           rig->def.path(rig->def.user, record->t - rig->def.dt)));
    palVec3 goal = palPoint_FreeMotion(body, &state, record->hands[0].device, velocity).x;
    const palCollider* collider = &rig->colliders[0];
    int near[64];
    int count = palBvh_Within(collider->bvh, record->hands[0].proxy, touching, 64, near);
    if (count == 0)
        ASSERT_BELOW(palDistance(record->hands[0].proxy, goal), slack); // nothing holds it
    for (int i = 0; i < count && i < 64; i++)
    {
        const int* t = collider->surface.triangles[near[i]];
        const palVec3* x = collider->surface.vertices;
        palVec3 n = collider->topology.triangleNormals[near[i]];
        palVec3 pull = palSub(goal, record->hands[0].proxy);
        palVec3 along = palNormalize(palMulAdd(pull, -palDot(n, pull), n));
        palVec3 wish = palMulAdd(record->hands[0].proxy, beside, along);
        palVec3 point = palClosestOnTriangle(wish, x[t[0]], x[t[1]], x[t[2]]).point;
        ASSERT_BELOW(palDistance(record->hands[0].proxy, goal) - palDistance(point, goal), slack);
    }
}

typedef struct tally
{
    int steps, contact, late, held;
} tally;

static void runChecked(palRig* rig, tally* total)
{
    rigStart(rig);
    palTickRecord record;
    palVec3 before = rig->engine->hands[0].body.x;
    palVec3 v = pal_zeroVec3;
    bool wasHeld = false; // what was held back has caught up
    while (rigStep(rig, &record))
    {
        ASSERT_BELOW(-rigGap(rig, record.hands[0].proxy), 1e-6);
        bool settled = record.hands[0].converged && record.hands[0].iterations < 30;
        if (settled)
            ASSERT_BELOW(record.hands[0].residual, 1e-11);
        if (settled && !record.hands[0].held && !wasHeld && rig->colliders[0].friction == 0.0)
            checkNearest(rig, &record, before, v);
        v = rig->engine->hands[0].body.v;
        before = record.hands[0].proxy;
        wasHeld = record.hands[0].held;
        total->steps++;
        total->late += !settled;
        total->held += record.hands[0].held;
        total->contact += record.hands[0].active > 0;
    }
}

// From above a random vertex to others, up to 3 mm inside and 1.5 mm outside.
static void randomRoute(const palCollider* collider, uint64_t seed, palVec3 points[pointCount])
{
    palRandom random = palMakeRandom(seed);
    for (int i = 0; i < pointCount; i++)
    {
        int k = palRandom_Below(&random, collider->surface.vertexCount);
        double height = i == 0 ? 5e-3 : palRandom_Range(&random, -3e-3, 1.5e-3);
        points[i] =
            palMulAdd(collider->surface.vertices[k], height, collider->topology.vertexNormals[k]);
    }
}

static void strokeModel(palRig* rig, const model* m)
{
    tally total = {0};
    for (int i = 0; i < 2; i++)
    {
        rig->colliders[0].friction = 0.1 * i;
        for (int k = 0; k < 3; k++)
        {
            stroke = (route){m->scripted[k], m->counts[k], 0.2};
            rig->def.seconds = fmin(routeSeconds(&stroke), 0.6);
            runChecked(rig, &total);
        }
        for (int k = 0; k < randomRoutes / 2; k++)
        {
            palVec3 points[pointCount];
            randomRoute(&rig->colliders[0], (uint64_t)(1 + 2 * k + i), points);
            stroke = (route){points, pointCount, k % 2 == 0 ? 0.1 : 0.4};
            rig->def.seconds = 1.0;
            runChecked(rig, &total);
        }
    }
    // In 99.9 % of the steps.
    assert_true(1000 * total.late <= total.steps);
    assert_true(total.contact > total.steps / 2);
    assert_true(total.held < total.steps / 4);
}

static void strokes_on_the_statue_end_outside_and_nearest(void** state)
{
    (void)state;
    strokeModel(&statueRig, &statue);
}

static void strokes_on_the_rocker_end_outside_and_nearest(void** state)
{
    (void)state;
    strokeModel(&rockerRig, &rocker);
}

// Returns the number of steps; `unheld` of them came before the trust region held the proxy.
static int runForces(palRig* rig, palVec3* forces, int* unheld)
{
    rigStart(rig);
    palTickRecord record;
    int count = 0;
    *unheld = -1;
    while (rigStep(rig, &record))
    {
        if (record.hands[0].held && *unheld < 0)
            *unheld = count;
        forces[count++] = record.hands[0].force;
    }
    if (*unheld < 0)
        *unheld = count;
    return count;
}

// The difference of a run at two rates to one that looks for contacts in every step.
static void compareRates(palRig* rig, const model* m, int script)
{
    static palVec3 multi[1000], single[1000];
    stroke = (route){m->scripted[script], m->counts[script], 0.2};
    palRigDef def = rig->def;
    rig->def.seconds = fmin(routeSeconds(&stroke), 0.5);
    int unheld;
    int count = runForces(rig, multi, &unheld);
    assert_int_equal(unheld, count);
    rig->def.lowDt = def.dt;
    rig->def.latency = -1.0;
    runForces(rig, single, &unheld);
    rig->def = def;
    double apart = 0.0, size = 0.0;
    for (int i = 0; i < count; i++)
    {
        apart += palLengthSquared(palSub(multi[i], single[i]));
        size += palLengthSquared(single[i]);
    }
    assert_true(size > 0.0);
    ASSERT_BELOW(sqrt(apart / size), 0.02);
}

static void two_rates_feel_like_one(void** state)
{
    (void)state;
    compareRates(&statueRig, &statue, 0);
    compareRates(&rockerRig, &rocker, 0);
}

// The whole experiment rotated, moved and scaled.
static palRigPose pose;

static palVec3 alongPosedRoute(const void* user, double t)
{
    return rigPlace(&pose, alongRoute(user, t));
}

// Strokes a model at home and in its new place, and compares while nothing holds the proxy back.
static void moveModel(const palRig* home, const model* m)
{
    static palVec3 here[1000], there[1000];
    palSurface surface;
    assert_int_equal(palSurface_Copy(&home->colliders[0].surface, &surface, NULL), pal_ok);
    palRig moved, still = *home;
    still.engine = NULL;
    rigInit(&moved, &home->def);
    moved.def.path = alongPosedRoute;
    moved.def.radius = home->def.radius * pose.scale;
    rigAdd(&moved, &surface, home->colliders[0].friction, pose);
    for (int i = 0; i < 3; i++)
    {
        int unheld, unheldThere, touching = 0;
        stroke = (route){m->scripted[i], m->counts[i], 0.2};
        moved.def.seconds = still.def.seconds = fmin(routeSeconds(&stroke), 0.6);
        runForces(&still, here, &unheld);
        runForces(&moved, there, &unheldThere);
        assert_int_equal(unheldThere, unheld);
        for (int k = 0; k < unheld; k++)
        {
            palVec3 expected = palScale(pose.scale, palRotate(pose.rotation, here[k]));
            double size = fmax(palLength(expected), pose.scale);
            ASSERT_BELOW(palDistance(there[k], expected), 1e-9 * size);
            touching += palLength(here[k]) > 0.05;
        }
        assert_true(touching > 40);
    }
    palEngine_Destroy(still.engine);
    rigFree(&moved);
}

static void a_moved_model_gives_the_moved_force(void** state)
{
    (void)state;
    static const palVec3 turns[] = {{0.3, -1.1, 0.7}, {2.0, 1.0, -0.4}, {0.0, 0.5, 0.0}};
    static const palVec3 places[] = {{0.3, -0.2, 0.1}, {-1.0, 2.0, 0.5}, {0.0, 0.0, 0.0}};
    static const double scales[] = {1.0, 3.0, 0.1};
    for (int i = 0; i < 3; i++)
    {
        pose = (palRigPose){scales[i], palMakeQuatRotationVector(turns[i]), places[i]};
        moveModel(&statueRig, &statue);
        moveModel(&rockerRig, &rocker);
    }
}

// Strikes thin parts to less than half of their thickness: what is on the other side is then
// farther away than the entry.
static void thin_arms_are_never_passed(void** state)
{
    (void)state;
    palRig* rig = &statueRig;
    palVec3 points[2];
    stroke = (route){points, 2, 1.0};
    const palCollider* collider = &rig->colliders[0];
    palRandom random = palMakeRandom(3);
    for (int struck = 0; struck < 30;)
    {
        int k = palRandom_Below(&random, collider->surface.vertexCount);
        palVec3 entry = collider->surface.vertices[k];
        palVec3 n = collider->topology.vertexNormals[k];
        palCrossing exit;
        palVec3 inside = palMulAdd(entry, -1e-4, n);
        if (!palBvh_FirstCrossing(collider->bvh, inside, palMulAdd(entry, -0.012, n), &exit))
            continue;
        double depth = 0.45 * palDistance(entry, exit.point);
        points[0] = palMulAdd(entry, 4e-3, n);
        points[1] = palMulAdd(entry, -depth, n);
        if (palBvh_FirstCrossing(collider->bvh, points[0], palMulAdd(entry, 1e-6, n), &exit))
            continue;                                    // another part is in the way
        stroke.speed = 0.1 * pow(50.0, struck++ / 29.0); // 0.1 to 5 m/s
        rig->def.seconds = routeSeconds(&stroke) + 0.06;
        rigStart(rig);
        palTickRecord record;
        while (rigStep(rig, &record))
            ASSERT_BELOW(-rigGap(rig, record.hands[0].proxy), 1e-6);
        ASSERT_BELOW(palDistance(record.hands[0].proxy, points[1]), depth + 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strokes_on_the_statue_end_outside_and_nearest),
        cmocka_unit_test(strokes_on_the_rocker_end_outside_and_nearest),
        cmocka_unit_test(two_rates_feel_like_one),
        cmocka_unit_test(a_moved_model_gives_the_moved_force),
        cmocka_unit_test(thin_arms_are_never_passed),
    };
    return RUN_WITHIN(tests, makeModels, freeModels);
}

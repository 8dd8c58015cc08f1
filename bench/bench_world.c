// SPDX-License-Identifier: Apache-2.0
// Rigid bodies that move: contacts of pairs of shapes, and whole steps; baseline: ODE.
#include "bench_fit.h"
#include "bench_mesh.h"
#include "bench_pile.h"
#include "ode_baseline.h"

#include "base/random.h"
#include "collide/rigid_contact.h"

#include <stdio.h>

enum
{
    pairCount = 64,
    rounds = 32,
    shapeCount = 6,
};

static const double overlap = 1e-5;  // m, of bodies that rest on each other
static const double tilt = 1e-4;     // rad
static const double distance = 1e-3; // m, of contacts that are looked for ahead

// One shape resting on another at a few places, with what the last step left of each.
typedef struct Resting
{
    const palRigidShape *a, *b;
    palPose posesA[pairCount], posesB[pairCount];
    palRigidPairCache caches[pairCount];
    const palOdeOps* ops; // NULL without a baseline
    palOdePair* pair;
    int found[2]; // contacts in all, by ours and by the baseline
} Resting;

static void place(Resting* resting)
{
    palRandom random = palMakeRandom(1);
    for (int i = 0; i < pairCount; i++)
    {
        double side = 0.3 * resting->b->halfSize.x;
        palVec3 lean = {palRandom_Range(&random, -tilt, tilt),
                        palRandom_Range(&random, -tilt, tilt),
                        palRandom_Range(&random, -PAL_PI, PAL_PI)};
        palPose a = {{palRandom_Range(&random, -side, side), palRandom_Range(&random, -side, side),
                      resting->b->bounds.high.z - resting->a->bounds.low.z - overlap},
                     palMakeQuatRotationVector(lean)};
        palPose world = {{1.0, 2.0, 3.0}, palMakeQuatRotationVector((palVec3){0.3, 0.5, i})};
        resting->posesA[i] = palMulPose(world, a);
        resting->posesB[i] = world;
        resting->caches[i] = (palRigidPairCache){0};
    }
}

static void oursRest(void* context)
{
    Resting* resting = context;
    palRigidContact contacts[pal_manifoldMax];
    resting->found[0] = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < pairCount; i++)
            resting->found[0] += palRigidShapes_Contacts(
                resting->a, resting->posesA[i], resting->b, resting->posesB[i], distance,
                &resting->caches[i], pal_manifoldMax, contacts, NULL);
}

static void baselineRest(void* context)
{
    Resting* resting = context;
    resting->found[1] = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < pairCount; i++)
            resting->found[1] +=
                resting->ops->collide(resting->pair, resting->posesA[i], resting->posesB[i]);
}

static void compare(const palBenchSettings* settings, const char* name, const palRigidShape* a,
                    const palRigidShape* b, palJson* json)
{
    Resting resting = {.a = a, .b = b, .ops = palOdeBaseline()};
    place(&resting);
    resting.pair = resting.ops != NULL ? resting.ops->create(a, b) : NULL;
    palBenchCase benchCase = {
        .name = name,
        .baselineName = resting.pair != NULL ? resting.ops->name : NULL,
        .unit = "us",
        .operations = pairCount * rounds,
        .ours = oursRest,
        .baseline = resting.pair != NULL ? baselineRest : NULL,
        .context = &resting,
        .isThreadTime = true,
    };
    palBench_Compare(settings, &benchCase, json);
    if (resting.pair != NULL)
        resting.ops->destroy(resting.pair);
}

static palResult makeShapes(palRigidShape shapes[shapeCount], palError* error)
{
    palRandom random = palMakeRandom(5);
    palVec3 points[24];
    for (int i = 0; i < 24; i++) // a stone with a flat bottom and top
    {
        double angle = 2.0 * PAL_PI * palRandom_Unit(&random);
        double z = i < 8 ? -0.03 : i < 16 ? 0.03 : palRandom_Range(&random, -0.02, 0.02);
        double r = i < 16 ? 0.04 : 0.05;
        points[i] = palMakeVec3(r * cos(angle), r * sin(angle), z);
    }
    palResult result = palRigidShape_InitBox(&shapes[0], palMakeVec3(0.1, 0.1, 0.1), error);
    if (result == pal_ok)
        result = palRigidShape_InitSphere(&shapes[1], 0.05, error);
    if (result == pal_ok)
        result = palRigidShape_InitCapsule(&shapes[2], 0.03, 0.12, error);
    if (result == pal_ok)
        result = palRigidShape_InitCylinder(&shapes[3], 0.04, 0.08, error);
    if (result == pal_ok)
        result = palRigidShape_InitHull(&shapes[4], points, 24, error);
    if (result == pal_ok)
        result = palRigidShape_InitBox(&shapes[5], palMakeVec3(0.4, 0.4, 0.1), error);
    return result;
}

static int run(const palBenchSettings* settings, palJson* json)
{
    palRigidShape shapes[shapeCount] = {0};
    palError error;
    if (makeShapes(shapes, &error) == pal_ok)
    {
        compare(settings, "contacts, box on box", &shapes[0], &shapes[0], json);
        compare(settings, "contacts, sphere on box", &shapes[1], &shapes[0], json);
        compare(settings, "contacts, capsule on box", &shapes[2], &shapes[5], json);
        compare(settings, "contacts, cylinder on box", &shapes[3], &shapes[5], json);
        compare(settings, "contacts, cylinder on cylinder", &shapes[3], &shapes[3], json);
        compare(settings, "contacts, hull of 24 points on the same", &shapes[4], &shapes[4], json);
    }
    else
        fprintf(stderr, "palpate bench: error: %s\n", error.text);
    for (int i = 0; i < shapeCount; i++)
        palRigidShape_Free(&shapes[i]);
    palBenchMesh_Run(settings, json);
    palBenchPile_Run(settings, json);
    palBenchFit_Run(settings, json);
    return 0;
}

const palBenchmark pal_benchWorld = {
    .name = "world",
    .summary = "rigid bodies that move: contacts of pairs, and whole steps",
    .run = run,
};

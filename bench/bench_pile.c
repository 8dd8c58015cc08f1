// SPDX-License-Identifier: Apache-2.0
// Whole steps of rigid bodies that move, for `palpate bench world`: what is near, contacts, solve
// and motion; baseline: ODE with dHashSpace and QuickStep.
#include "bench_pile.h"

#include "ode_baseline.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    shapesMax = 4,
    ourSweeps = 10,
    odeIterations = 20, // its default
};

static const double brick = 0.05;     // m
static const double density = 600.0;  // kg/m³
static const double settleTime = 0.5; // s, before anything is measured
static const double driftTime = 5.0;  // s

typedef struct Scene
{
    palRigidShape shapes[shapesMax];
    int shapeCount;
    palRigidPileDef def;
    palPileBodyDef* bodies; // owned, [capacity]
    palPilePart* parts;     // owned, [capacity]
    int capacity;

    palPile* pile;
    const palOdeOps* ops; // NULL without a baseline
    palOdeWorld* world;
    int steps;    // of one call
    int found[2]; // contacts in a step, of ours and of the baseline
} Scene;

static bool makeScene(Scene* scene, int capacity)
{
    *scene = (Scene){.capacity = capacity, .def = palDefaultRigidPileDef()};
    scene->def.sweeps = scene->def.sweepsMost = ourSweeps;
    scene->bodies = calloc((size_t)capacity, sizeof *scene->bodies);
    scene->parts = calloc((size_t)capacity, sizeof *scene->parts);
    scene->def.bodies = scene->bodies;
    palRigidShape* shapes = scene->shapes;
    scene->shapeCount = shapesMax;
    return scene->bodies != NULL && scene->parts != NULL &&
           palRigidShape_InitHalfSpace(&shapes[0]) == pal_ok &&
           palRigidShape_InitBox(&shapes[1], palMakeVec3(brick, brick, brick), NULL) == pal_ok &&
           palRigidShape_InitBox(&shapes[2], palMakeVec3(0.5 * brick, brick, brick), NULL) ==
               pal_ok &&
           palRigidShape_InitSphere(&shapes[3], 0.5 * brick, NULL) == pal_ok;
}

static void addBody(Scene* scene, int shape, palVec3 x)
{
    int i = scene->def.bodyCount++;
    palMass mass = scene->shapes[shape].unitMass;
    mass.mass *= density;
    mass.inertia = palMat3MulAdd((palMat3){0}, density, mass.inertia);
    scene->parts[i] = (palPilePart){&scene->shapes[shape], pal_identityPose};
    scene->bodies[i] = palDefaultPileBodyDef();
    scene->bodies[i].motion = shape == 0 ? pal_motionFixed : pal_motionFree;
    scene->bodies[i].parts = &scene->parts[i];
    scene->bodies[i].partCount = 1;
    scene->bodies[i].mass = mass;
    scene->bodies[i].pose.x = x;
}

static void freeScene(Scene* scene)
{
    palPile_Destroy(scene->pile);
    if (scene->world != NULL)
        scene->ops->destroyWorld(scene->world);
    for (int i = 0; i < scene->shapeCount; i++)
        palRigidShape_Free(&scene->shapes[i]);
    free(scene->bodies);
    free(scene->parts);
}

static void oursStep(void* context)
{
    Scene* scene = context;
    for (int i = 0; i < scene->steps; i++)
        palPile_Step(scene->pile);
    scene->found[0] = scene->pile->info.contacts;
}

static void baselineStep(void* context)
{
    Scene* scene = context;
    for (int i = 0; i < scene->steps; i++)
        scene->found[1] = scene->ops->step(scene->world);
}

// The bodies as ours and the baseline have them, come to rest.
static bool start(Scene* scene, bool sleeps, bool hasBaseline)
{
    palError error;
    scene->def.sleeps = sleeps;
    if (palPile_Create(&scene->def, &scene->pile, &error) != pal_ok)
    {
        fprintf(stderr, "palpate bench: error: %s\n", error.text);
        return false;
    }
    scene->ops = hasBaseline ? palOdeBaseline() : NULL;
    if (scene->ops != NULL)
        scene->world = scene->ops->createWorld(&scene->def, odeIterations);
    scene->steps = (int)(settleTime / scene->def.dt);
    oursStep(scene);
    if (scene->world != NULL)
        baselineStep(scene);
    return true;
}

static palBenchTimes compare(const palBenchSettings* settings, const char* name, Scene* scene,
                             int steps, palJson* json)
{
    scene->steps = steps;
    palBenchCase benchCase = {
        .name = name,
        .baselineName = scene->world != NULL ? scene->ops->name : NULL,
        .unit = "us",
        .operations = steps,
        .ours = oursStep,
        .baseline = scene->world != NULL ? baselineStep : NULL,
        .context = scene,
        .isThreadTime = true,
    };
    return palBench_Compare(settings, &benchCase, json);
}

static void tell(const palBenchSettings* settings, const char* name, const char* unit,
                 const Scene* scene, double ours, double baseline, palJson* json)
{
    bool hasBaseline = scene->world != NULL;
    palBench_Tell(settings, name, unit, ours, hasBaseline ? scene->ops->name : NULL,
                  hasBaseline ? baseline : NAN, json);
}

// Ten bodies and some thirty contacts: three pairs of boxes, one more and three balls.
static void runFew(const palBenchSettings* settings, palJson* json)
{
    Scene scene;
    if (makeScene(&scene, 11))
    {
        addBody(&scene, 0, pal_zeroVec3);
        for (int i = 0; i < 7; i++)
            addBody(&scene, 1, palMakeVec3(2.0 * brick * (i / 2), 0.0, brick * (0.5 + i % 2)));
        for (int i = 0; i < 3; i++)
            addBody(&scene, 3, palMakeVec3(2.0 * brick * i, 2.0 * brick, 0.5 * brick));
        if (start(&scene, false, true))
        {
            compare(settings, "step, 10 bodies", &scene, 100, json);
            tell(settings, "contacts, 10 bodies", "", &scene, scene.found[0], scene.found[1], json);
        }
    }
    freeScene(&scene);
}

// How far the bodies have gone sideways or down since `from`, the farthest, m.
static double driftOf(const Scene* scene, const palVec3* from, bool isOurs)
{
    double drift = 0.0;
    for (int i = 1; i < scene->def.bodyCount; i++)
    {
        palVec3 x = isOurs ? scene->pile->bodies[i].state.x : scene->ops->position(scene->world, i);
        drift = fmax(drift, palDistance(x, from[i]));
    }
    return drift;
}

static void addWall(Scene* scene)
{
    addBody(scene, 0, pal_zeroVec3);
    for (int row = 0; row < 5; row++)
    {
        double z = (0.5 + row) * brick;
        bool isShifted = row % 2 == 1;
        for (int i = 0; i < (isShifted ? 9 : 10); i++)
            addBody(scene, 1, palMakeVec3((0.5 + i + 0.5 * isShifted) * brick, 0.0, z));
        for (int i = 0; isShifted && i < 2; i++)
            addBody(scene, 2, palMakeVec3((i == 0 ? 0.25 : 9.75) * brick, 0.0, z));
    }
}

static void tellDrift(const palBenchSettings* settings, Scene* scene, palJson* json)
{
    palVec3 ours[64], baseline[64];
    for (int i = 1; i < scene->def.bodyCount; i++)
    {
        ours[i] = scene->pile->bodies[i].state.x;
        if (scene->world != NULL)
            baseline[i] = scene->ops->position(scene->world, i);
    }
    scene->steps = (int)(driftTime / scene->def.dt);
    oursStep(scene);
    if (scene->world != NULL)
        baselineStep(scene);
    tell(settings, "drift in 5 s, wall of 52 bricks", "mm", scene, 1e3 * driftOf(scene, ours, true),
         scene->world != NULL ? 1e3 * driftOf(scene, baseline, false) : NAN, json);
}

static void setSweeps(Scene* scene, int sweeps, int iterations)
{
    scene->pile->def.sweeps = scene->pile->def.sweepsMost = sweeps;
    if (scene->world != NULL)
        scene->ops->setIterations(scene->world, iterations);
}

// What a contact costs in a sweep, where each sweep has its share of the search and the rows.
static void tellSweep(const palBenchSettings* settings, const char* name, const Scene* scene,
                      int sweeps, const palBenchTimes* step, palJson* json)
{
    tell(settings, name, "ns", scene, 1e3 * step->ours / (sweeps * scene->found[0]),
         1e3 * step->baseline / (sweeps * scene->found[1]), json);
}

// Steps with as many sweeps of one as of the other: what a contact costs in whole steps, and in one
// sweep more, which is the solver alone.
static void compareSweeps(const palBenchSettings* settings, Scene* scene, palJson* json)
{
    setSweeps(scene, ourSweeps, ourSweeps);
    palBenchTimes few =
        compare(settings, "step, wall of 52 bricks, 10 sweeps each", scene, 20, json);
    setSweeps(scene, odeIterations, odeIterations);
    palBenchTimes many =
        compare(settings, "step, wall of 52 bricks, 20 sweeps each", scene, 20, json);
    const int more = odeIterations - ourSweeps;
    tellSweep(settings, "step of 10, per contact and sweep", scene, ourSweeps, &few, json);
    tellSweep(settings, "step of 20, per contact and sweep", scene, odeIterations, &many, json);
    tell(settings, "a sweep more, per contact", "ns", scene,
         1e3 * (many.ours - few.ours) / (more * scene->found[0]),
         1e3 * (many.baseline - few.baseline) / (more * scene->found[1]), json);
    setSweeps(scene, ourSweeps, odeIterations);
}

static void runWall(const palBenchSettings* settings, palJson* json)
{
    Scene scene;
    if (makeScene(&scene, 64))
    {
        addWall(&scene);
        if (start(&scene, false, true))
        {
            compare(settings, "step, wall of 52 bricks, 10 sweeps and 20", &scene, 20, json);
            tell(settings, "contacts, wall of 52 bricks", "", &scene, scene.found[0],
                 scene.found[1], json);
            compareSweeps(settings, &scene, json);
            tellDrift(settings, &scene, json);
        }
    }
    freeScene(&scene);
}

// A thousand boxes that sleep.
static void runSleepers(const palBenchSettings* settings, palJson* json)
{
    Scene scene;
    if (makeScene(&scene, 1001))
    {
        addBody(&scene, 0, pal_zeroVec3);
        for (int i = 0; i < 1000; i++)
            addBody(&scene, 1,
                    palMakeVec3(1.5 * brick * (i % 10), 1.5 * brick * (i / 10 % 10),
                                brick * (0.5 + i / 100)));
        if (start(&scene, true, false))
        {
            for (int i = 0; scene.pile->info.awake > 0 && i < 10; i++)
                oursStep(&scene);
            compare(settings, "step, 1000 boxes asleep", &scene, 1000, json);
        }
    }
    freeScene(&scene);
}

void palBenchPile_Run(const palBenchSettings* settings, palJson* json)
{
    runFew(settings, json);
    runWall(settings, json);
    runSleepers(settings, json);
}

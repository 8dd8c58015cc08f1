// SPDX-License-Identifier: Apache-2.0
// The surface of a soft ball of bricks after a step, with the queries of a hand that touches it: as
// a low-rate step has it, where only what is near is computed, and, as the baseline, with all
// vertices, normals and boxes. The grid is the same for all numbers of triangles.
#include "bench_soft.h"

#include "scene/bodies.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    facesMax = 512, // of a contact description
};

typedef struct surfaceBench
{
    palScene scene;
    palSceneBodies world;
    palSurface whole; // owned copies, for the baseline
    palTopology topology;
    palBvh* bvh;
    double sum; // of answers, so that none is left out
    int steps;
} surfaceBench;

static const palVec3 hand = {0.0, 0.0505, 0.0}; // m, above the ball
static const double reach = 0.004;              // m

// Moves the nodes a little, as a step does.
static void shake(surfaceBench* bench)
{
    palSoftBody* body = bench->world.colliders[0].soft;
    double by = bench->steps++ % 2 == 0 ? 1e-5 : -1e-5;
    for (int i = 0; i < body->nodeCount; i++)
        body->x[i].x += by * body->rest[i].y;
}

static void follow(void* context)
{
    surfaceBench* bench = context;
    palCollider* collider = &bench->world.colliders[0];
    int found[facesMax];
    palNearest nearest;
    shake(bench);
    palCollider_Follow(collider);
    if (palColliders_Nearest(collider, 1, hand, INFINITY, &nearest))
        bench->sum += nearest.gap;
    int count = palBvh_Within(collider->bvh, nearest.closest.point, reach, facesMax, found);
    for (int i = 0; i < count && i < facesMax; i++)
        bench->sum += palCollider_CornerNormal(collider, found[i], i % 3).y;
}

static void placeAll(void* context)
{
    surfaceBench* bench = context;
    const palCollider* collider = &bench->world.colliders[0];
    int found[facesMax];
    palClosest closest;
    shake(bench);
    palSkin_Points(&collider->skin, collider->soft->x, bench->whole.vertices);
    palTopology_Refresh(&bench->topology, &bench->whole);
    palBvh_Refit(bench->bvh, bench->whole.vertices);
    if (palBvh_Closest(bench->bvh, hand, INFINITY, &closest))
        bench->sum += closest.distance;
    int count = palBvh_Within(bench->bvh, closest.point, reach, facesMax, found);
    for (int i = 0; i < count && i < facesMax; i++)
    {
        double weights[3] = {0.0, 0.0, 0.0};
        weights[i % 3] = 1.0;
        bench->sum += palTopology_SmoothNormal(&bench->topology, &bench->whole, found[i], weights,
                                               0.25 * PAL_PI)
                          .y;
    }
}

static palResult prepare(surfaceBench* bench, int around, palError* error)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "palpate: 1\nmethod: {name: accurate}\n"
        "trajectory: {kind: press, object: 0, direction: [0, -1, 0]}\n"
        "objects:\n  - {name: ball, shape: {kind: sphere, radius: 0.05, resolution: %d}, "
        "soft: {resolution: 14, fixed: [{plane: {point: [0, -0.04, 0], normal: [0, 1, 0]}}]}}\n",
        around);
    palResult result =
        palScene_Parse(text, strlen(text), "bench", NULL, 0, &bench->scene, NULL, error);
    if (result == pal_ok)
        result = palSceneBodies_Init(&bench->world, &bench->scene, NULL, error);
    if (result == pal_ok)
        result = palSurface_Copy(&bench->world.colliders[0].surface, &bench->whole, error);
    if (result == pal_ok)
        result = palTopology_Init(&bench->topology, &bench->whole, error);
    return result == pal_ok ? palBvh_Create(&bench->whole, &bench->bvh, error) : result;
}

static int runSize(int around, const palBenchSettings* settings, palJson* json)
{
    surfaceBench bench = {.sum = 0.0};
    palError error;
    palResult result = prepare(&bench, around, &error);
    if (result == pal_ok)
    {
        char name[96];
        snprintf(name, sizeof name, "surface after a step, %d triangles",
                 bench.whole.triangleCount);
        const palBenchCase benchCase = {
            .name = name,
            .baselineName = "the whole surface",
            .unit = "ms",
            .operations = 1,
            .ours = follow,
            .baseline = placeAll,
            .context = &bench,
        };
        palBench_Compare(settings, &benchCase, json);
    }
    else
        fprintf(stderr, "palpate bench: error: %s\n", error.text);
    palBvh_Destroy(bench.bvh);
    palTopology_Free(&bench.topology);
    palSurface_Free(&bench.whole);
    palSceneBodies_Free(&bench.world);
    palScene_Free(&bench.scene);
    return result == pal_ok ? 0 : 1;
}

int palBenchSoft_Surface(const palBenchSettings* settings, palJson* json)
{
    // 10,580, 33,620 and 100,820 triangles; the first in a quick run.
    static const int arounds[] = {138, 246, 426};
    int code = 0;
    for (int i = 0; i < (settings->quick ? 1 : 3) && code == 0; i++)
        code = runSize(arounds[i], settings, json);
    return code;
}

// SPDX-License-Identifier: Apache-2.0
// Proximity: closest points, radius queries, refit and build on a bumpy sphere; baseline: Embree.
#include "bench.h"
#include "embree.h"

#include "base/random.h"
#include "collide/bvh.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    queryCount = 2000,
    foundMax = 200000,
};

static const double sphereRadius = 0.1;  // m
static const double queryRadius = 0.02;  // m
static const double pathSpeed = 0.1e-3;  // m per step: a hand at 0.1 m/s, 1000 steps per second
static const double pathHeight = 2.0e-3; // m above the surface

// One sphere, its two trees, the queries, and checksums to verify that both find the same.
typedef struct proximity
{
    palSurface surface;
    palBvh* bvh;
    const palEmbreeOps* ops; // NULL without a baseline
    palEmbree* embree;
    palVec3 random[queryCount];
    palVec3 path[queryCount];
    palVec3 near[queryCount];
    int* found; // [foundMax]
    double sum[2];
} proximity;

static palVec3 onSphere(palVec3 direction)
{
    palVec3 d = palNormalize(direction);
    double bumps = sin(13.0 * d.x) * sin(11.0 * d.y + 1.0) * sin(12.0 * d.z + 2.0);
    return palScale(sphereRadius * (1.0 + 0.1 * bumps), d);
}

// A cube with n x n squares per side, projected to the sphere: 12 n² triangles. Vertices are not
// shared between sides, which does not affect the queries.
static palResult makeSphere(int n, palSurface* surface, palError* error)
{
    const int side = (n + 1) * (n + 1);
    palResult result = palSurface_Init(surface, 6 * side, 12 * n * n, error);
    if (result != pal_ok)
        return result;
    int triangle = 0;
    for (int s = 0; s < 6; s++)
    {
        double sign = s < 3 ? 1.0 : -1.0;
        for (int i = 0; i < side; i++)
        {
            // Equal angles, so that the triangles have nearly equal size.
            double u = tan(0.25 * PAL_PI * (2.0 * (i / (n + 1)) / n - 1.0));
            double v = tan(0.25 * PAL_PI * (2.0 * (i % (n + 1)) / n - 1.0));
            palVec3 directions[3] = {{sign, u, v}, {v, sign, u}, {u, v, sign}};
            surface->vertices[s * side + i] = onSphere(directions[s % 3]);
        }
        for (int i = 0; i < n * n; i++)
        {
            int a = s * side + i / n * (n + 1) + i % n;
            int corners[4] = {a, a + n + 1, a + n + 2, a + 1};
            for (int half = 0; half < 2; half++)
            {
                int* t = surface->triangles[triangle++];
                t[0] = corners[0];
                t[s < 3 ? 1 : 2] = corners[1 + half];
                t[s < 3 ? 2 : 1] = corners[2 + half];
            }
        }
    }
    return pal_ok;
}

static void makeQueries(proximity* p)
{
    palRandom random = palMakeRandom(1);
    for (int i = 0; i < queryCount; i++)
    {
        palVec3 direction = {palRandom_Normal(&random), palRandom_Normal(&random),
                             palRandom_Normal(&random)};
        p->near[i] = onSphere(direction);
        for (;;)
        {
            double size = 2.0 * sphereRadius;
            p->random[i] = palMakeVec3(palRandom_Range(&random, -size, size),
                                       palRandom_Range(&random, -size, size),
                                       palRandom_Range(&random, -size, size));
            if (palLength(p->random[i]) > 0.5 * sphereRadius)
                break;
        }
        double angle = i * pathSpeed / sphereRadius;
        palVec3 x = onSphere(palMakeVec3(cos(angle), sin(angle), 0.3 * sin(3.0 * angle)));
        p->path[i] = palMulAdd(x, pathHeight, palNormalize(x));
    }
}

// Random points.

static void oursRandom(void* context)
{
    proximity* p = context;
    p->sum[0] = 0.0;
    for (int i = 0; i < queryCount; i++)
    {
        palClosest closest;
        palBvh_Closest(p->bvh, p->random[i], INFINITY, &closest);
        p->sum[0] += closest.distance;
    }
}

static void embreeRandom(void* context)
{
    proximity* p = context;
    p->sum[1] = 0.0;
    for (int i = 0; i < queryCount; i++)
    {
        int triangle;
        p->sum[1] += p->ops->closest(p->embree, p->random[i], INFINITY, &triangle);
    }
}

// A path; each query is bounded by the distance to the closest triangle of the previous one.

static double warmBound(const proximity* p, palVec3 point, int triangle)
{
    if (triangle < 0)
        return INFINITY;
    const int* t = p->surface.triangles[triangle];
    const palVec3* x = p->surface.vertices;
    return palClosestOnTriangle(point, x[t[0]], x[t[1]], x[t[2]]).distance;
}

static void oursPath(void* context)
{
    proximity* p = context;
    p->sum[0] = 0.0;
    palClosest closest = {.triangle = -1};
    for (int i = 0; i < queryCount; i++)
    {
        double bound = warmBound(p, p->path[i], closest.triangle);
        palBvh_Closest(p->bvh, p->path[i], bound, &closest);
        p->sum[0] += closest.distance;
    }
}

static void embreePath(void* context)
{
    proximity* p = context;
    p->sum[1] = 0.0;
    int triangle = -1;
    for (int i = 0; i < queryCount; i++)
    {
        // A tolerance for single precision, to find the same triangle again.
        double bound = (1.0 + 1e-4) * warmBound(p, p->path[i], triangle);
        p->sum[1] += p->ops->closest(p->embree, p->path[i], bound, &triangle);
    }
}

// All triangles within a radius of points on the surface.

static void oursWithin(void* context)
{
    proximity* p = context;
    p->sum[0] = 0.0;
    for (int i = 0; i < queryCount / 10; i++)
        p->sum[0] += palBvh_Within(p->bvh, p->near[i], queryRadius, foundMax, p->found);
}

static void embreeWithin(void* context)
{
    proximity* p = context;
    p->sum[1] = 0.0;
    for (int i = 0; i < queryCount / 10; i++)
        p->sum[1] += p->ops->within(p->embree, p->near[i], queryRadius, foundMax, p->found);
}

static void oursRefit(void* context)
{
    proximity* p = context;
    palBvh_Refit(p->bvh, p->surface.vertices);
}

static void embreeRefit(void* context)
{
    proximity* p = context;
    p->ops->refit(p->embree, p->surface.vertices);
}

static void oursBuild(void* context)
{
    proximity* p = context;
    palBvh_Destroy(p->bvh);
    palBvh_Create(&p->surface, &p->bvh, NULL);
}

static void embreeBuild(void* context)
{
    proximity* p = context;
    p->ops->destroy(p->embree);
    p->embree = p->ops->create(&p->surface);
}

typedef struct part
{
    const char* name;
    const char* unit;
    int operations;
    void (*ours)(void*);
    void (*baseline)(void*);
    bool compared; // the checksums must agree
} part;

static const part parts[] = {
    {"closest point, random", "us", queryCount, oursRandom, embreeRandom, true},
    {"closest point, path with a warm bound", "us", queryCount, oursPath, embreePath, true},
    {"all triangles within 20 mm", "us", queryCount / 10, oursWithin, embreeWithin, true},
    {"refit", "ms", 1, oursRefit, embreeRefit, false},
    {"build", "ms", 1, oursBuild, embreeBuild, false},
};

static int runParts(proximity* p, const palBenchSettings* settings, palJson* json)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    {
        char name[96];
        snprintf(name, sizeof name, "%s, %dk", parts[i].name, p->surface.triangleCount / 1000);
        palBench_Compare(settings,
                         &(palBenchCase){
                             .name = name,
                             .baselineName = p->ops != NULL ? p->ops->name : NULL,
                             .unit = parts[i].unit,
                             .operations = parts[i].operations,
                             .ours = parts[i].ours,
                             .baseline = p->ops != NULL ? parts[i].baseline : NULL,
                             .context = p,
                         },
                         json);

        // Single versus double precision: triangles at the limit of the radius may differ.
        if (p->bvh == NULL || (p->ops != NULL && p->embree == NULL))
            return 1;
        if (p->ops != NULL && parts[i].compared && fabs(p->sum[0] / p->sum[1] - 1.0) > 1e-3)
        {
            fprintf(stderr, "palpate bench: error: %s: checksum %.9g, with %s %.9g\n", name,
                    p->sum[0], p->ops->name, p->sum[1]);
            return 1;
        }
    }
    return 0;
}

static int runSize(proximity* p, int n, const palBenchSettings* settings, palJson* json)
{
    palError error;
    *p = (proximity){.ops = palEmbreeBaseline()};
    int code = 1;
    p->found = malloc(foundMax * sizeof *p->found);
    if (p->found != NULL && makeSphere(n, &p->surface, &error) == pal_ok &&
        palBvh_Create(&p->surface, &p->bvh, &error) == pal_ok)
    {
        p->embree = p->ops != NULL ? p->ops->create(&p->surface) : NULL;
        makeQueries(p);
        code = p->ops == NULL || p->embree != NULL ? runParts(p, settings, json) : 1;
    }
    if (p->ops != NULL)
        p->ops->destroy(p->embree);
    palBvh_Destroy(p->bvh);
    palSurface_Free(&p->surface);
    free(p->found);
    return code;
}

static int run(const palBenchSettings* settings, palJson* json)
{
    static const int sizes[] = {41, 83, 289}; // 20k, 82k and 1M triangles
    const int count = settings->quick ? 2 : 3;
    if (settings->table && palEmbreeBaseline() == NULL)
        printf("  (Embree not available: no baseline)\n");
    proximity* p = malloc(sizeof *p);
    int code = p == NULL;
    for (int i = 0; i < count && code == 0; i++)
        code = runSize(p, sizes[i], settings, json);
    free(p);
    return code;
}

const palBenchmark pal_benchProximity = {
    .name = "proximity",
    .summary = "closest points, radius queries, refit and build on a triangle surface",
    .run = run,
};

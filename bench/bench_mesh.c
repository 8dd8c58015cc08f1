// SPDX-License-Identifier: Apache-2.0
// Contacts of meshes as rigid bodies, for `palpate bench world`.
#include "bench_mesh.h"

#include "collide/first_contact.h"
#include "mesh/shapes.h"

#include <stdio.h>

enum
{
    rounds = 50,
    contactsMax = 256,
};

static const double mm = 1e-3;
static const double distance = 0.2e-3; // m, of contacts that are looked for ahead

typedef struct MeshPair
{
    palRigidShape a, b;
    palPose pose; // of a; b is at the origin
} MeshPair;

static void search(void* context)
{
    MeshPair* pair = context;
    palRigidContact contacts[contactsMax];
    for (int i = 0; i < rounds; i++)
        palRigidMesh_Contacts(&pair->a, pair->pose, &pair->b, pal_identityPose, distance, NULL,
                              contactsMax, contacts, NULL);
}

static palResult makeMesh(palShapeDef def, palRigidShape* shape, palError* error)
{
    palSurface surface = {0};
    palResult result = palMakeShape(&def, &surface, error);
    if (result == pal_ok)
        result = palRigidShape_InitMesh(shape, &surface, error);
    palSurface_Free(&surface);
    return result;
}

// A tube about z with `rows` rows of triangles along its bore.
static palResult makeTube(palRigidShape* shape, palError* error)
{
    enum
    {
        rows = 10,
        around = 177,
        count = rows + 3,
    };
    const double inner = 5.05 * mm, outer = 12 * mm, height = 30 * mm;
    palSurface surface;
    palResult result = palSurface_Init(&surface, count * around, 2 * count * around, error);
    if (result != pal_ok)
        return result;
    for (int v = 0; v < count * around; v++)
    {
        int i = v / count, k = v % count, next = count * ((i + 1) % around);
        double angle = 2.0 * PAL_PI * i / around, radius = k <= rows ? inner : outer;
        double z =
            k <= rows ? height * k / rows - 0.5 * height : (k - rows == 1 ? 0.5 : -0.5) * height;
        surface.vertices[v] = palMakeVec3(radius * cos(angle), radius * sin(angle), z);
        const int corners[2][3] = {{v, count * i + (k + 1) % count, next + (k + 1) % count},
                                   {v, next + (k + 1) % count, next + k}};
        for (int c = 0; c < 6; c++)
            surface.triangles[2 * v + c / 3][c % 3] = corners[c / 3][c % 3];
    }
    result = palRigidShape_InitMesh(shape, &surface, error);
    palSurface_Free(&surface);
    return result;
}

static void measure(const palBenchSettings* settings, const char* name, MeshPair* pair,
                    palResult result, const palError* error, palJson* json)
{
    palBenchCase benchCase = {
        .name = name,
        .unit = "us",
        .operations = rounds,
        .ours = search,
        .context = pair,
        .isThreadTime = true,
    };
    if (result == pal_ok)
        palBench_Compare(settings, &benchCase, json);
    else
        fprintf(stderr, "palpate bench: error: %s\n", error->text);
    palRigidShape_Free(&pair->a);
    palRigidShape_Free(&pair->b);
}

// Lowers a on to b until they are 10 um apart.
static void bringTogether(MeshPair* pair)
{
    palPose above = pair->pose, below = pair->pose;
    above.x.z = pair->a.extent + pair->b.extent;
    double time;
    const palMovingShape a = {&pair->a, above, below};
    const palMovingShape b = {&pair->b, pal_identityPose, pal_identityPose};
    if (palRigidShapes_FirstContact(&a, &b, 1e-5, &time))
        pair->pose = palMovingShape_Pose(&a, time);
}

void palBenchMesh_Run(const palBenchSettings* settings, palJson* json)
{
    palError error;
    palShapeDef peg = {.kind = pal_shapePeg, .radius = 5 * mm, .height = 40 * mm, .resolution = 64};
    palShapeDef part = {.kind = pal_shapeRocker, .size = {40 * mm, 0, 0}, .resolution = 190};
    palShapeDef coarse = {.kind = pal_shapeRocker, .size = {40 * mm, 0, 0}, .resolution = 95};

    MeshPair pair = {.pose = {{0.04 * mm, 0.01 * mm, 10 * mm},
                              palMakeQuatRotationVector(palMakeVec3(0.001, 0, 0))}};
    palResult result = makeMesh(peg, &pair.a, &error);
    if (result == pal_ok)
        result = makeTube(&pair.b, &error);
    measure(settings, "contacts, peg of 2,200 triangles in a hole of 4,600", &pair, result, &error,
            json);

    pair = (MeshPair){.pose = pal_identityPose};
    result = makeMesh(part, &pair.a, &error);
    palRigidShape_InitHalfSpace(&pair.b);
    pair.pose.x.z = 1e-5 - pair.a.bounds.low.z;
    measure(settings, "contacts, part of 80,000 triangles on a plane", &pair, result, &error, json);

    pair = (MeshPair){.pose = pal_identityPose};
    result = makeMesh(coarse, &pair.a, &error);
    if (result == pal_ok)
        result = makeMesh(coarse, &pair.b, &error);
    pair.pose.q = palMakeQuatRotationVector(palMakeVec3(0.7, 0.4, 0.2));
    if (result == pal_ok)
        bringTogether(&pair);
    measure(settings, "contacts, two parts of 20,000 triangles", &pair, result, &error, json);
}

// SPDX-License-Identifier: Apache-2.0
// The distance to a soft surface that the high rate tells, against a query on the same surface.
#include "check.h"

#include "base/random.h"
#include "mesh/shapes.h"
#include "touch/soft_patch.h"

// All of a ball's surface as a patch, with one mode that stretches it along z about the origin.
static palSoftPatch* makePatch(const palSurface* surface)
{
    palSoftPatch* patch = calloc(1, sizeof *patch);
    assert_non_null(patch);
    assert_int_equal(palSoftPatch_Init(patch, 1, &(palMethodDef){0}, 1, NULL), pal_ok);
    assert_true(surface->vertexCount <= patch->vertexCapacity);
    assert_true(surface->triangleCount <= patch->faceCapacity);
    patch->islandCount = patch->partCount = 1;
    patch->islands[0].count = 1;
    patch->vertexCount = surface->vertexCount;
    patch->faceCount = surface->triangleCount;
    patch->parts[0].vertexEnd = patch->vertexCount;
    patch->parts[0].faceEnd = patch->faceCount;
    for (int v = 0; v < surface->vertexCount; v++)
    {
        patch->start[v] = surface->vertices[v];
        patch->surfaceVertex[v] = v;
        patch->shapes[v].b[2][0] = surface->vertices[v].z;
    }
    for (int t = 0; t < surface->triangleCount; t++)
    {
        palSoftFace* face = &patch->faces[t];
        memcpy(face->vertices, surface->triangles[t], sizeof face->vertices);
        for (int k = 0; k < 3; k++)
            face->centre = palMulAdd(face->centre, 1.0 / 3.0, surface->vertices[face->vertices[k]]);
        for (int k = 0; k < 3; k++)
            face->radius =
                fmax(face->radius, palDistance(face->centre, surface->vertices[face->vertices[k]]));
    }
    return patch;
}

static void the_gap_is_that_to_the_deformed_surface(void** state)
{
    (void)state;
    palShapeDef def = palDefaultShapeDef(pal_shapeSphere);
    def.resolution = 24;
    palSurface surface;
    palCollider collider;
    palError error;
    assert_int_equal(palMakeShape(&def, &surface, &error), pal_ok);
    palSoftPatch* patch = makePatch(&surface);
    const double q = 0.1;
    for (int v = 0; v < surface.vertexCount; v++)
        surface.vertices[v].z *= 1.0 + q;
    assert_int_equal(palCollider_Init(&collider, &surface, 0.0, &error), pal_ok);

    palRandom random = palMakeRandom(7);
    int inside = 0;
    for (int i = 0; i < 2000; i++)
    {
        palVec3 u = {palRandom_Range(&random, -1, 1), palRandom_Range(&random, -1, 1),
                     palRandom_Range(&random, -1, 1)};
        palVec3 x = palScale(0.05 * palRandom_Range(&random, 0.9, 1.2), palNormalize(u));
        palNearest nearest;
        assert_true(palColliders_Nearest(&collider, 1, x, INFINITY, &nearest));
        // How far the surface there has moved.
        palVec3 drift = {0, 0, q / (1.0 + q) * x.z};
        double gap = palSoftPatch_Gap(patch, 0, &q, x, drift);
        ASSERT_NEAR(gap, nearest.gap, 1e-12);
        inside += gap < 0.0;
    }
    assert_true(inside > 200 && inside < 1800);
    palCollider_Free(&collider);
    palSoftPatch_Free(patch);
    free(patch);
}

static void without_a_soft_surface_there_is_no_gap(void** state)
{
    (void)state;
    palSoftPatch patch;
    assert_int_equal(palSoftPatch_Init(&patch, 1, &(palMethodDef){0}, 1, NULL), pal_ok);
    double q = 0.0;
    assert_true(isnan(palSoftPatch_Gap(&patch, -1, &q, pal_zeroVec3, pal_zeroVec3)));
    patch.partCount = 1;
    assert_true(isnan(palSoftPatch_Gap(&patch, 0, &q, pal_zeroVec3, pal_zeroVec3)));
    palSoftPatch_Free(&patch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gap_is_that_to_the_deformed_surface),
        cmocka_unit_test(without_a_soft_surface_there_is_no_gap),
    };
    return RUN(tests);
}

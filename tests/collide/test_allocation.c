// SPDX-License-Identifier: Apache-2.0
// Surface contact and the tree allocate nothing once they are made, and say when they cannot be.
#include "allocations.h"
#include "check.h"
#include "collide/rigid_contact.h"
#include "collide/surface_pair.h"
#include "mesh/shapes.h"
#include "soup.h"

static void no_step_allocates(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    palShapeDef peg = palDefaultShapeDef(pal_shapePeg), block = palDefaultShapeDef(pal_shapeBox);
    palSurface tool, soft;
    palMovingSurface moving[2];
    palContactList list;
    static palVec3 start[200], end[200];
    static palInsideVertex inside[100];
    assert_int_equal(palMakeShape(&peg, &tool, NULL), pal_ok);
    assert_int_equal(palMakeShape(&block, &soft, NULL), pal_ok);
    assert_true(tool.vertexCount <= 200);
    int before = allocations;
    assert_int_equal(palMovingSurface_Init(&moving[0], &tool, NULL), pal_ok);
    assert_int_equal(palMovingSurface_Init(&moving[1], &soft, NULL), pal_ok);
    const palSurfacePair pair = {.a = &moving[0], .b = &moving[1]};
    assert_int_equal(palContactList_Init(&list, 1000, NULL), pal_ok);
    assert_true(allocations > before);
    before = allocations;
    int found = 0;
    for (int i = 0; i < 10; i++)
    {
        for (int v = 0; v < tool.vertexCount; v++)
        {
            start[v] = palAdd(tool.vertices[v], palMakeVec3(0.001, 0, 0.062 - 0.001 * i));
            end[v] = palAdd(tool.vertices[v], palMakeVec3(0.001, 0, 0.061 - 0.001 * i));
        }
        palMovingSurface_Move(&moving[0], start, end);
        palSurfacePair_Sweep(&pair, &list);
        found += list.count;
        palSurfacePair_Near(&pair, 0.002, &list);
        found += list.count;
        found += palSurfacePair_Inside(&pair, true, 0.01, 100, inside);
        found += palSurfacePair_Inside(&pair, false, 0.01, 100, inside);
    }
    assert_int_equal(allocations, before);
    assert_true(found > 50);
    palContactList_Free(&list);
    palMovingSurface_Free(&moving[0]);
    palMovingSurface_Free(&moving[1]);
    palSurface_Free(&tool);
    palSurface_Free(&soft);
#else
    SKIP(UNCOUNTED);
#endif
}

static void queries_and_refit_allocate_nothing(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    palSurface sphere = makeSphere(20, 0.2);
    palBvh* bvh;
    assert_int_equal(palBvh_Create(&sphere, &bvh, NULL), pal_ok);
    palRandom random = palMakeRandom(1);
    int before = allocations;
    int found = 0;
    for (int i = 0; i < 100; i++)
    {
        palVec3 x = randomVec3(&random, 1.5);
        palClosest closest;
        palCrossing crossing;
        int triangles[50];
        palBvh_Refit(bvh, sphere.vertices);
        found += palBvh_Closest(bvh, x, INFINITY, &closest);
        found += palBvh_Within(bvh, closest.point, 0.1, 50, triangles);
        found += palBvh_FirstCrossing(bvh, pal_zeroVec3, palScale(4.0, x), &crossing);
    }
    assert_int_equal(allocations, before);
    assert_true(found > 300);
    palBvh_Destroy(bvh);
    palSurface_Free(&sphere);
#else
    SKIP(UNCOUNTED);
#endif
}

static void contacts_of_meshes_allocate_nothing(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    palSurface sphere = makeSphere(12, 0.1);
    palRigidShape mesh, cylinder;
    assert_int_equal(palRigidShape_InitMesh(&mesh, &sphere, NULL), pal_ok);
    assert_int_equal(palRigidShape_InitCylinder(&cylinder, 0.5, 1.0, NULL), pal_ok);
    palRandom random = palMakeRandom(1);
    int before = allocations;
    int found = 0;
    for (int i = 0; i < 50; i++)
    {
        palPose a = {palMakeVec3(0, 0, 1.9), palMakeQuatRotationVector(randomVec3(&random, 3.0))};
        palPose c = {palMakeVec3(0, 1.4, 0), a.q};
        palRigidContact contacts[64];
        found +=
            palRigidMesh_Contacts(&mesh, a, &mesh, pal_identityPose, 0.2, NULL, 64, contacts, NULL);
        found += palRigidMesh_Contacts(&cylinder, c, &mesh, pal_identityPose, 0.2, NULL, 64,
                                       contacts, NULL);
    }
    assert_int_equal(allocations, before);
    assert_true(found > 100);
    palRigidShape_Free(&mesh);
    palRigidShape_Free(&cylinder);
    palSurface_Free(&sphere);
#else
    SKIP(UNCOUNTED);
#endif
}

static void a_tree_that_is_refused_memory_is_an_error_and_leaks_nothing(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    palSurface soup = makeSoup(500, 1.0, pal_zeroVec3, 1);
    palBvh* bvh = NULL;
    int held = live;
    int refusals = 0;
    for (;; refusals++)
    {
        palError error;
        refused = allocations + refusals;
        palResult result = palBvh_Create(&soup, &bvh, &error);
        refused = -1;
        if (result == pal_ok)
            break;
        assert_int_equal(result, pal_errorMemory);
        assert_null(bvh);
        assert_int_equal(live, held);
    }
    assert_true(refusals >= 7);
    palBvh_Destroy(bvh);
    assert_int_equal(live, held);
    palSurface_Free(&soup);
#else
    SKIP(UNCOUNTED);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_allocates),
        cmocka_unit_test(queries_and_refit_allocate_nothing),
        cmocka_unit_test(contacts_of_meshes_allocate_nothing),
        cmocka_unit_test(a_tree_that_is_refused_memory_is_an_error_and_leaks_nothing),
    };
    return RUN(tests);
}

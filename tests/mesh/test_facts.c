// SPDX-License-Identifier: Apache-2.0
#include "bodies.h"

static void a_cube_is_measured_exactly(void** state)
{
    (void)state;
    palSurface cube = makeCube();
    palSurfaceFacts facts = factsOf(&cube);
    ASSERT_NEAR(facts.volume, 1.0, 1e-15);
    ASSERT_NEAR(facts.area, 6.0, 1e-15);
    ASSERT_NEAR(facts.shortestEdge, 1.0, 0.0);
    ASSERT_NEAR(facts.longestEdge, sqrt(2.0), 1e-15);
    ASSERT_NEAR(facts.smallestAngle, PAL_PI / 4, 1e-15);
    assert_int_equal(facts.edgeCount, 18);
    assert_true(facts.closed && facts.solid);
    assert_int_equal(facts.genus, 0);
    assert_int_equal(facts.components, 1);
    assert_int_equal(facts.concaveEdges, 0);
    ASSERT_NEAR(palDistance(facts.bounds.high, palMakeVec3(1, 1, 1)), 0.0, 0.0);
    palMessages notes = {0};
    palSurfaceFacts_Report(&facts, &notes);
    assert_int_equal(notes.count, 0);
    palSurface_Free(&cube);
}

static void a_torus_has_one_handle_and_pappus_volume(void** state)
{
    (void)state;
    palSurface torus = makeTorus(200);
    palSurfaceFacts facts = factsOf(&torus);
    assert_true(facts.solid);
    assert_int_equal(facts.genus, 1);
    // Pappus: 2 pi R times the circle's area; polygons of 200 sides miss 4 parts in 10,000.
    ASSERT_NEAR(facts.volume, 2.0 * PAL_PI * 2.0 * PAL_PI * 0.25, 1e-2);
    palSurface_Free(&torus);
}

static void handles_and_parts_add_up(void** state)
{
    (void)state;
    palSurface torus = makeTorus(12), cube = makeCube();
    palSurface two = joinSurfaces(&torus, &torus, 1.0, palMakeVec3(0, 0, 5));
    palSurface three = joinSurfaces(&two, &cube, 1.0, palMakeVec3(9, 0, 0));
    palSurfaceFacts facts = factsOf(&three);
    assert_int_equal(facts.components, 3);
    assert_int_equal(facts.solidComponents, 3);
    assert_int_equal(facts.genus, 2);
    palSurface_Free(&three);
    palSurface_Free(&two);
    palSurface_Free(&cube);
    palSurface_Free(&torus);
}

// Two cubes that share the corner (1, 1, 1): each is a solid of its own, the vertex is pinched.
static void parts_that_touch_in_a_point_are_counted_apart(void** state)
{
    (void)state;
    palSurface cube = makeCube();
    palSurface two = joinSurfaces(&cube, &cube, 1.0, palMakeVec3(1, 1, 1));
    palCleanReport report;
    palError error;
    assert_int_equal(palSurface_Clean(&two, 0.0, &report, &error), pal_ok);
    assert_int_equal(report.welded, 1);
    palSurfaceFacts facts = factsOf(&two);
    assert_true(facts.solid);
    assert_int_equal(facts.components, 2);
    assert_int_equal(facts.pinchedVertices, 1);
    assert_int_equal(facts.genus, 0);
    ASSERT_NEAR(facts.volume, 2.0, 1e-15);
    palSurface_Free(&two);
    palSurface_Free(&cube);
}

static void an_open_box_has_one_rim_and_says_what_it_means(void** state)
{
    (void)state;
    palSurface cube = makeCube();
    cube.triangleCount -= 2; // the side x = 1
    palSurfaceFacts facts = factsOf(&cube);
    assert_false(facts.closed);
    assert_int_equal(facts.boundaryEdges, 4);
    assert_int_equal(facts.boundaryLoops, 1);
    assert_int_equal(facts.solidComponents, 0);
    assert_int_equal(facts.genus, -1);
    palMessages notes = {0};
    palSurfaceFacts_Report(&facts, &notes);
    assert_true(isTold(&notes, "open surface (4 boundary edges in 1 ring)"));
    assert_true(isTold(&notes, "both sides"));
    palMessages_Free(&notes);
    palSurface_Free(&cube);
}

static void a_tube_has_two_rims(void** state)
{
    (void)state;
    palSurface cube = makeCube();
    // Without the lids z = 0 and z = 1.
    memmove(cube.triangles, cube.triangles + 4, 8 * sizeof *cube.triangles);
    cube.triangleCount = 8;
    palSurfaceFacts facts = factsOf(&cube);
    assert_int_equal(facts.boundaryEdges, 8);
    assert_int_equal(facts.boundaryLoops, 2);
    palSurface_Free(&cube);
}

// Two cubes that share the edge from (1, 1, 0) to (1, 1, 1).
static void a_shared_edge_is_told_as_non_manifold(void** state)
{
    (void)state;
    palSurface cube = makeCube();
    palSurface two = joinSurfaces(&cube, &cube, 1.0, palMakeVec3(1, 1, 0));
    palCleanReport report;
    palError error;
    assert_int_equal(palSurface_Clean(&two, 0.0, &report, &error), pal_ok);
    palSurfaceFacts facts = factsOf(&two);
    assert_int_equal(facts.nonManifoldEdges, 1);
    assert_int_equal(facts.components, 1);
    assert_int_equal(facts.pinchedVertices, 0);
    assert_false(facts.closed);
    palMessages notes = {0};
    palSurfaceFacts_Report(&facts, &notes);
    assert_true(isTold(&notes, "1 non-manifold edge ("));
    palMessages_Free(&notes);
    palSurface_Free(&two);
    palSurface_Free(&cube);
}

static void a_wrong_unit_is_suspected(void** state)
{
    (void)state;
    for (int large = 0; large < 2; large++)
    {
        palSurface cube = makeCube();
        palSurface_Transform(&cube, large ? 100.0 : 1e-4, (palQuat){.w = 1.0}, pal_zeroVec3);
        palSurfaceFacts facts = factsOf(&cube);
        palMessages notes = {0};
        palSurfaceFacts_Report(&facts, &notes);
        assert_int_equal(notes.count, 1);
        assert_true(isTold(&notes, large ? "100 m long: did you mean millimetres" : "0.1 mm long"));
        assert_non_null(strstr(notes.items[0].what.remedy, large ? "--unit mm" : "--unit m,"));
        palMessages_Free(&notes);
        palSurface_Free(&cube);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_is_measured_exactly),
        cmocka_unit_test(a_torus_has_one_handle_and_pappus_volume),
        cmocka_unit_test(handles_and_parts_add_up),
        cmocka_unit_test(parts_that_touch_in_a_point_are_counted_apart),
        cmocka_unit_test(an_open_box_has_one_rim_and_says_what_it_means),
        cmocka_unit_test(a_tube_has_two_rims),
        cmocka_unit_test(a_shared_edge_is_told_as_non_manifold),
        cmocka_unit_test(a_wrong_unit_is_suspected),
    };
    return RUN(tests);
}

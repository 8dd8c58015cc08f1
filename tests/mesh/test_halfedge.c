// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "mesh/halfedge.h"
#include "mesh/shapes.h"
#include "topology.h"

static palSurface makeShape(palShapeKind kind, int resolution)
{
    palShapeDef def = palDefaultShapeDef(kind);
    def.resolution = resolution;
    palSurface s;
    assert_int_equal(palMakeShape(&def, &s, NULL), pal_ok);
    return s;
}

// Twins run the other way between the same vertices, and out[v] leaves v.
static void checkNeighbours(const palHalfEdges* h)
{
    for (int e = 0; e < 3 * h->triangleCount; e++)
    {
        if (h->triangles[e / 3][0] < 0)
            continue;
        int twin = h->twin[e];
        assert_int_equal(h->twin[twin], e);
        assert_int_equal(palHalfEdges_Origin(h, twin), palHalfEdges_Target(h, e));
        assert_int_equal(palHalfEdges_Target(h, twin), palHalfEdges_Origin(h, e));
    }
    for (int v = 0; v < h->vertexCount; v++)
        if (h->out[v] >= 0)
        {
            assert_int_equal(palHalfEdges_Origin(h, h->out[v]), v);
            assert_in_range(palHalfEdges_Valence(h, v), 3, h->vertexCount);
        }
}

// The surface without its removed triangles and vertices.
static palSurface packed(const palHalfEdges* h)
{
    palSurface s;
    assert_int_equal(palSurface_Init(&s, h->vertexCount, h->triangleCount, NULL), pal_ok);
    int* number = malloc((size_t)h->vertexCount * sizeof(int));
    assert_non_null(number);
    s.vertexCount = s.triangleCount = 0;
    for (int v = 0; v < h->vertexCount; v++)
        if (h->out[v] >= 0)
            number[v] = s.vertexCount++;
    for (int t = 0; t < h->triangleCount; t++)
        if (h->triangles[t][0] >= 0)
        {
            for (int k = 0; k < 3; k++)
                s.triangles[s.triangleCount][k] = number[h->triangles[t][k]];
            s.triangleCount++;
        }
    free(number);
    return s;
}

static void valences_count_triangles(void** state)
{
    (void)state;
    palSurface s = makeShape(pal_shapeSphere, 30);
    palHalfEdges h;
    assert_int_equal(palHalfEdges_Init(&h, &s, NULL), pal_ok);
    checkNeighbours(&h);
    for (int v = 0; v < s.vertexCount; v++)
    {
        int count = 0;
        for (int t = 0; t < s.triangleCount; t++)
            for (int k = 0; k < 3; k++)
                count += s.triangles[t][k] == v;
        assert_int_equal(palHalfEdges_Valence(&h, v), count);
    }
    palHalfEdges_Free(&h);
    palSurface_Free(&s);
}

static void random_edits_keep_the_topology(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(7);
    const palShapeKind shapes[] = {pal_shapeSphere, pal_shapeRocker};
    const int characteristic[] = {2, -4};
    for (int i = 0; i < 2; i++)
    {
        palSurface s = makeShape(shapes[i], 40);
        palHalfEdges h;
        assert_int_equal(palHalfEdges_Init(&h, &s, NULL), pal_ok);
        int flips = 0, collapses = 0;
        for (int n = 0; n < 20000; n++)
        {
            int e = palRandom_Below(&random, 3 * h.triangleCount);
            if (h.triangles[e / 3][0] < 0)
                continue;
            if (palRandom_Unit(&random) < 0.7 && palHalfEdges_CanFlip(&h, e))
                palHalfEdges_Flip(&h, e), flips++;
            else if (palHalfEdges_CanCollapse(&h, e))
                palHalfEdges_Collapse(&h, e), collapses++;
        }
        assert_true(flips > 100 && collapses > 100);
        checkNeighbours(&h);
        palSurface left = packed(&h);
        assert_int_equal(left.triangleCount, s.triangleCount - 2 * collapses);
        topology found = findTopology(&left);
        assert_true(isClosed(found));
        assert_int_equal(found.components, 1);
        assert_int_equal(found.characteristic, characteristic[i]);
        palSurface_Free(&left);
        palHalfEdges_Free(&h);
        palSurface_Free(&s);
    }
}

static void tetrahedron_admits_no_edit(void** state)
{
    (void)state;
    int triangles[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    palVec3 vertices[4] = {{0, 0, 0}};
    palSurface s = {4, 4, vertices, triangles};
    palHalfEdges h;
    assert_int_equal(palHalfEdges_Init(&h, &s, NULL), pal_ok);
    for (int e = 0; e < 12; e++)
    {
        assert_false(palHalfEdges_CanFlip(&h, e));
        assert_false(palHalfEdges_CanCollapse(&h, e));
    }
    palHalfEdges_Free(&h);
}

static void open_and_inconsistent_surfaces_are_refused(void** state)
{
    (void)state;
    palHalfEdges h;
    palError error = {0};
    palSurface plane = makeShape(pal_shapePlane, 4);
    assert_int_equal(palHalfEdges_Init(&h, &plane, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "does not have two triangles"));
    palSurface_Free(&plane);

    palSurface box = makeShape(pal_shapeBox, 3);
    int first = box.triangles[5][0];
    box.triangles[5][0] = box.triangles[5][1];
    box.triangles[5][1] = first;
    assert_false(findTopology(&box).manifold);
    assert_int_equal(palHalfEdges_Init(&h, &box, &error), pal_errorInput);
    palSurface_Free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valences_count_triangles),
        cmocka_unit_test(random_edits_keep_the_topology),
        cmocka_unit_test(tetrahedron_admits_no_edit),
        cmocka_unit_test(open_and_inconsistent_surfaces_are_refused),
    };
    return RUN(tests);
}

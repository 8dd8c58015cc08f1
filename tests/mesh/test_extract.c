// SPDX-License-Identifier: Apache-2.0
#include "volumes.h"

#include "mesh/extract.h"

static void expectSkin(const palVolume* volume, double enclosed, double area, int triangles)
{
    palVolumeSurface skin;
    palSurfaceFacts facts;
    palError error;
    assert_int_equal(palVolumeSurface_Init(&skin, volume, &error), pal_ok);
    assert_int_equal(palSurface_Check(&skin.surface, &facts, &error), pal_ok);
    assert_true(facts.solid);
    assert_int_equal(facts.genus, 0);
    assert_int_equal(facts.triangleCount, triangles);
    // Positive: it faces outward.
    ASSERT_NEAR(facts.volume, enclosed, 1e-13 * enclosed);
    ASSERT_NEAR(facts.area, area, 1e-13 * area);
    for (int v = 0; v < skin.surface.vertexCount; v++)
    {
        palVec3 p = volume->vertices[skin.vertices[v]];
        assert_memory_equal(&skin.surface.vertices[v], &p, sizeof p);
        assert_true(v == 0 || skin.vertices[v] > skin.vertices[v - 1]);
    }
    palVolumeSurface_Free(&skin);
}

static void the_skin_of_a_block_is_its_box(void** state)
{
    (void)state;
    for (int cut = 0; cut < 3; cut++)
    {
        palVolume v = makeShape(pal_volumeBlock, cut, 2, 3, 4);
        expectSkin(&v, 1e-3, 0.06, 4 * (2 * 3 + 3 * 4 + 4 * 2));
        palVolume_Free(&v);
    }
}

static void the_skin_of_a_graded_block_is_its_box(void** state)
{
    (void)state;
    palVolume v = makeShape(pal_volumeGraded, pal_cutNone, 3, 3, 3);
    expectSkin(&v, 5e-4, 0.04, 4 * 27);
    palVolume_Free(&v);
}

static void every_triangle_names_the_element_behind_it(void** state)
{
    (void)state;
    for (int cut = 0; cut < 3; cut++)
    {
        palVolume v = makeShape(pal_volumeBlock, cut, 3, 3, 3);
        palVolumeSurface skin;
        palError error;
        assert_int_equal(palVolumeSurface_Init(&skin, &v, &error), pal_ok);
        for (int t = 0; t < skin.surface.triangleCount; t++)
        {
            bool tet = skin.elements[t] < v.tetCount;
            const int* corners =
                tet ? v.tets[skin.elements[t]] : v.hexes[skin.elements[t] - v.tetCount];
            palVec3 p[3], middle = pal_zeroVec3;
            for (int k = 0; k < 3; k++)
            {
                int vertex = skin.vertices[skin.surface.triangles[t][k]];
                bool found = false;
                for (int c = 0; c < (tet ? 4 : 8); c++)
                    found |= corners[c] == vertex;
                assert_true(found);
                p[k] = v.vertices[vertex];
            }
            // The element lies on the inner side.
            for (int c = 0; c < (tet ? 4 : 8); c++)
                middle = palMulAdd(middle, tet ? 0.25 : 0.125, v.vertices[corners[c]]);
            palVec3 normal = palCross(palSub(p[1], p[0]), palSub(p[2], p[0]));
            assert_true(palDot(normal, palSub(middle, p[0])) < 0.0);
        }
        palVolumeSurface_Free(&skin);
        palVolume_Free(&v);
    }
}

static void a_removed_element_leaves_a_hollow(void** state)
{
    (void)state;
    // The middle cell of 3 x 3 x 3: its surface becomes a cavity, facing into the hollow.
    palVolume v = makeShape(pal_volumeBlock, pal_cutNone, 3, 3, 3);
    palVolumeFacts facts;
    palError error;
    memcpy(v.hexes[13], v.hexes[26], sizeof v.hexes[13]);
    v.hexCount = 26;
    assert_int_equal(palVolume_Check(&v, &facts, &error), pal_ok);
    assert_int_equal(facts.surface.components, 2);
    ASSERT_NEAR(facts.surface.volume, 26e-3 / 27.0, 1e-16);
    ASSERT_NEAR(facts.volume, 26e-3 / 27.0, 1e-16);
    palVolume_Free(&v);
}

static void the_skin_follows_moved_vertices(void** state)
{
    (void)state;
    palVolume v = makeShape(pal_volumeBlock, pal_cutFive, 2, 2, 2);
    palVolumeSurface skin;
    palError error;
    assert_int_equal(palVolumeSurface_Init(&skin, &v, &error), pal_ok);
    for (int i = 0; i < v.vertexCount; i++)
        v.vertices[i].x *= 2.0;
    palVolumeSurface_Follow(&skin, v.vertices);
    palBounds bounds = palSurface_Bounds(&skin.surface);
    ASSERT_NEAR(bounds.high.x - bounds.low.x, 0.2, 1e-16);
    palVolumeSurface_Free(&skin);
    palVolume_Free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_skin_of_a_block_is_its_box),
        cmocka_unit_test(the_skin_of_a_graded_block_is_its_box),
        cmocka_unit_test(every_triangle_names_the_element_behind_it),
        cmocka_unit_test(a_removed_element_leaves_a_hollow),
        cmocka_unit_test(the_skin_follows_moved_vertices),
    };
    return RUN(tests);
}

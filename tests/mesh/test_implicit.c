// SPDX-License-Identifier: Apache-2.0
#include "mesh/implicit.h"
#include "topology.h"

static double sphere(palVec3 p, const void* data)
{
    return palLength(p) - *(const double*)data;
}

// Axis z, large radius 1, small radius 0.35.
static double torus(palVec3 p, const void* data)
{
    (void)data;
    return hypot(hypot(p.x, p.y) - 1.0, p.z) - 0.35;
}

static double twoSpheres(palVec3 p, const void* data)
{
    (void)data;
    double left = palDistance(p, palMakeVec3(-1, 0, 0)) - 0.7;
    return fmin(left, palDistance(p, palMakeVec3(1, 0, 0)) - 0.5);
}

// A cube of half side 0.5: sharp, and zero on whole planes of the lattice.
static double cube(palVec3 p, const void* data)
{
    (void)data;
    return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) - 0.5;
}

// A number in -1 .. 1 that changes without any order from place to place, within a ball.
static double noise(palVec3 p, const void* data)
{
    (void)data;
    double chaos = 43758.5453 * sin(12.9898 * p.x + 78.233 * p.y + 37.719 * p.z);
    return fmax(2.0 * (chaos - floor(chaos)) - 1.0, palLength(p) - 0.9);
}

// Two balls that touch in one point.
static double touchingSpheres(palVec3 p, const void* data)
{
    (void)data;
    double left = palDistance(p, palMakeVec3(-0.5, 0, 0)) - 0.5;
    return fmin(left, palDistance(p, palMakeVec3(0.5, 0, 0)) - 0.5);
}

static double undefined(palVec3 p, const void* data)
{
    (void)data;
    return sqrt(p.x) - 0.5;
}

static const double unit = 1.0;

static palImplicitDef defOf(double (*value)(palVec3, const void*), palVec3 half, int cells)
{
    palImplicitDef def = palDefaultImplicitDef();
    def.field = (palField){.value = value, .data = &unit};
    def.bounds = (palBounds){palNeg(half), half};
    def.cells = cells;
    return def;
}

static palSurface make(palImplicitDef def)
{
    palSurface surface;
    palError error;
    if (palMakeImplicitSurface(&def, &surface, &error) != pal_ok)
        fail_msg("%s; %s", error.text, error.remedy);
    return surface;
}

static const palVec3 cubic = {1, 1, 1};
static const palVec3 flat = {1.35, 1.35, 0.35};

static void sphere_and_torus_converge_in_second_order(void** state)
{
    (void)state;
    // Volume and area: 4/3 pi, 4 pi; 2 pi² R r², 4 pi² R r (Pappus).
    const double truth[2][2] = {
        {4.0 / 3.0 * PAL_PI, 4.0 * PAL_PI},
        {2.0 * PAL_PI * PAL_PI * 0.35 * 0.35, 4.0 * PAL_PI * PAL_PI * 0.35}};
    for (int shape = 0; shape < 2; shape++)
    {
        double error[2][2];
        for (int level = 0; level < 2; level++)
        {
            palImplicitDef def =
                defOf(shape == 0 ? sphere : torus, shape == 0 ? cubic : flat, level == 0 ? 30 : 60);
            palSurface s = make(def);
            topology found = findTopology(&s);
            assert_true(isClosed(found));
            assert_int_equal(found.components, 1);
            assert_int_equal(found.characteristic, shape == 0 ? 2 : 0);
            error[level][0] = fabs(volumeOf(&s) / truth[shape][0] - 1.0);
            error[level][1] = fabs(areaOf(&s) / truth[shape][1] - 1.0);
            palSurface_Free(&s);
        }
        for (int q = 0; q < 2; q++)
        {
            ASSERT_BELOW(error[1][q], 5e-3);
            ASSERT_NEAR(error[0][q] / error[1][q], 4.0, 0.4);
        }
    }
}

static void vertices_lie_on_the_zero_set(void** state)
{
    (void)state;
    palImplicitDef defs[] = {defOf(sphere, cubic, 40), defOf(torus, flat, 60)};
    for (int i = 0; i < 2; i++)
    {
        palSurface s = make(defs[i]);
        for (int v = 0; v < s.vertexCount; v++)
            ASSERT_NEAR(palField_Value(defs[i].field, s.vertices[v]), 0.0, 1e-6);
        palSurface_Free(&s);
    }
}

static void triangles_are_near_uniform_and_face_outward(void** state)
{
    (void)state;
    palSurface s = make(defOf(sphere, cubic, 50));
    double cell = 2.0 / 50;
    for (int t = 0; t < s.triangleCount; t++)
    {
        ASSERT_BELOW(10.0, smallestAngle(&s, t));
        palVec3 middle = palAdd(cornerOf(&s, t, 0), palAdd(cornerOf(&s, t, 1), cornerOf(&s, t, 2)));
        palVec3 n = palNormalize(areaVector(&s, t));
        ASSERT_NEAR(palDot(n, palNormalize(middle)), 1.0, 0.01);
        for (int k = 0; k < 3; k++)
            ASSERT_NEAR(palDistance(cornerOf(&s, t, k), cornerOf(&s, t, k + 1)) / cell, 1.1, 0.8);
    }
    palSurface_Free(&s);
}

static void separate_parts_stay_separate(void** state)
{
    (void)state;
    palSurface s = make(defOf(twoSpheres, palMakeVec3(1.7, 0.7, 0.7), 60));
    topology found = findTopology(&s);
    assert_true(isClosed(found));
    assert_int_equal(found.components, 2);
    assert_int_equal(found.characteristic, 4);
    palSurface_Free(&s);
}

static void any_field_gives_a_closed_manifold(void** state)
{
    (void)state;
    palImplicitDef chaos = defOf(noise, cubic, 20);
    chaos.lipschitz = 1e6;
    palImplicitDef defs[] = {chaos, defOf(cube, cubic, 32), defOf(cube, cubic, 33),
                             defOf(touchingSpheres, palMakeVec3(1, 0.5, 0.5), 40)};
    for (int i = 0; i < 4; i++)
    {
        palSurface s = make(defs[i]);
        assert_true(isClosed(findTopology(&s)));
        assert_true(volumeOf(&s) > 0.0);
        palSurface_Free(&s);
    }
}

static void skipping_by_the_lipschitz_constant_loses_nothing(void** state)
{
    (void)state;
    palImplicitDef def = defOf(torus, flat, 50);
    palSurface a = make(def);
    def.lipschitz = 1e9; // nothing is skipped
    palSurface b = make(def);
    assert_int_equal(a.vertexCount, b.vertexCount);
    assert_int_equal(a.triangleCount, b.triangleCount);
    assert_memory_equal(a.vertices, b.vertices, (size_t)a.vertexCount * sizeof *a.vertices);
    assert_memory_equal(a.triangles, b.triangles, (size_t)a.triangleCount * sizeof(int[3]));
    palSurface_Free(&a);
    palSurface_Free(&b);
}

static void refused(palImplicitDef def, const char* text)
{
    palSurface surface;
    palError error = {0};
    assert_int_equal(palMakeImplicitSurface(&def, &surface, &error), pal_errorInput);
    if (strstr(error.text, text) == NULL)
        fail_msg("'%s' not in '%s'", text, error.text);
    assert_null(surface.vertices);
    assert_null(surface.triangles);
    assert_int_equal(palMakeImplicitSurface(&def, &surface, NULL), pal_errorInput);
}

static void what_cannot_be_polygonised_is_refused(void** state)
{
    (void)state;
    const double large = 3.0, little = 0.1;
    palImplicitDef def = defOf(sphere, palMakeVec3(1, 0.5, 1), 30);
    refused(def, "beyond its bounds");
    def = defOf(sphere, cubic, 30);
    def.field.data = &large; // the bounds are all inside
    refused(def, "beyond its bounds");
    def.field.data = &little; // the sphere is elsewhere
    def.bounds.low = palMakeVec3(0.5, 0.5, 0.5);
    refused(def, "no surface");
    refused(defOf(undefined, cubic, 30), "not finite");
}

static void numbers_out_of_range_are_refused(void** state)
{
    (void)state;
    const int cells[] = {-1, 0, 7, 1025, 1000000000};
    for (int i = 0; i < 5; i++)
        refused(defOf(sphere, cubic, cells[i]), "allowed range is 8 to 1024");
    const double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
    {
        palImplicitDef def = defOf(sphere, cubic, 20);
        def.lipschitz = bad[i];
        refused(def, "must be above 0 and finite");
        refused(defOf(sphere, palMakeVec3(1, bad[i], 1), 20), "must be above 0 and finite");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_and_torus_converge_in_second_order),
        cmocka_unit_test(vertices_lie_on_the_zero_set),
        cmocka_unit_test(triangles_are_near_uniform_and_face_outward),
        cmocka_unit_test(separate_parts_stay_separate),
        cmocka_unit_test(any_field_gives_a_closed_manifold),
        cmocka_unit_test(skipping_by_the_lipschitz_constant_loses_nothing),
        cmocka_unit_test(what_cannot_be_polygonised_is_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
    };
    return RUN(tests);
}

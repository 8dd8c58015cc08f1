// SPDX-License-Identifier: Apache-2.0
#include "body/mass.h"
#include "check.h"
#include "mesh/shapes.h"

static const double density = 1200.0; // kg/m³

static palMass massOf(palShapeDef def, palQuat rotation, palVec3 position)
{
    palSurface surface;
    palError error;
    palMass mass;
    assert_int_equal(palMakeShape(&def, &surface, &error), pal_ok);
    palSurface_Transform(&surface, 1.0, rotation, position);
    if (palMass_FromSurface(&surface, density, &mass, &error) != pal_ok)
        fail_msg("%s; %s", error.text, error.remedy);
    assert_int_equal(palMass_Check(&mass, &error), pal_ok);
    palSurface_Free(&surface);
    return mass;
}

static void assertMass(palMass actual, palMass expected, double tolerance)
{
    ASSERT_NEAR(actual.mass / expected.mass, 1.0, tolerance);
    ASSERT_NEAR(palDistance(actual.centre, expected.centre), 0.0, tolerance);
    double trace = 0.0;
    for (int i = 0; i < 3; i++)
        trace += expected.inertia.m[i][i];
    for (int i = 0; i < 9; i++)
        ASSERT_NEAR(actual.inertia.m[i / 3][i % 3] / trace,
                    expected.inertia.m[i / 3][i % 3] / trace, tolerance);
}

// m/12 (b² + c², c² + a², a² + b²)
static palMass boxMass(palVec3 a)
{
    double m = density * a.x * a.y * a.z, s = m / 12.0;
    return (palMass){
        .mass = m,
        .inertia = {{{s * (a.y * a.y + a.z * a.z), 0, 0},
                     {0, s * (a.z * a.z + a.x * a.x), 0},
                     {0, 0, s * (a.x * a.x + a.y * a.y)}}},
    };
}

static void a_box_has_the_moments_of_the_formula(void** state)
{
    (void)state;
    palVec3 size = {0.03, 0.07, 0.11};
    palShapeDef def = {.kind = pal_shapeBox, .size = size, .resolution = 5};
    assertMass(massOf(def, pal_identityQuat, pal_zeroVec3), boxMass(size), 1e-13);
}

static void moving_the_surface_moves_centre_and_inertia(void** state)
{
    (void)state;
    palVec3 size = {0.03, 0.07, 0.11};
    palShapeDef def = {.kind = pal_shapeBox, .size = size, .resolution = 5};
    palQuat rotation = palMakeQuatRotationVector(palMakeVec3(0.4, -1.1, 0.7));
    palVec3 position = {0.5, -0.2, 0.3};
    // R I Rᵀ, written out: the axes of the box are the columns of R.
    palMass expected = boxMass(size);
    palMat3 R = palMakeMat3Quat(rotation), inertia = {0};
    for (int k = 0; k < 3; k++)
    {
        palVec3 axis = palMat3Column(R, k);
        inertia = palMat3MulAdd(inertia, expected.inertia.m[k][k], palOuter(axis, axis));
    }
    expected.inertia = inertia;
    expected.centre = position;
    assertMass(massOf(def, rotation, position), expected, 1e-12);
    assertMass(palMass_Moved(boxMass(size), rotation, position), expected, 1e-14);
}

// A regular n-sided prism: its cross-section has the area n/2 r² sin(2π/n) and, about the middle,
// the mean square radius r² (2 + cos(2π/n)) / 6, half of it along each axis.
static void a_cylinder_of_triangles_is_a_regular_prism(void** state)
{
    (void)state;
    const int n = 48;
    const double r = 0.02, H = 0.1;
    palShapeDef def = {.kind = pal_shapeCylinder, .radius = r, .height = H, .resolution = n};
    double m = density * H * 0.5 * n * r * r * sin(2.0 * PAL_PI / n);
    double square = r * r * (2.0 + cos(2.0 * PAL_PI / n)) / 6.0;
    double across = m * (0.5 * square + H * H / 12.0);
    palMass expected = {
        .mass = m,
        .inertia = {{{across, 0, 0}, {0, across, 0}, {0, 0, m * square}}},
    };
    assertMass(massOf(def, pal_identityQuat, pal_zeroVec3), expected, 1e-12);
}

// An inscribed polyhedron falls short by O(edge²): at twice the resolution a quarter of the error.
static void finer_spheres_approach_the_ball(void** state)
{
    (void)state;
    const double r = 0.05;
    double m = density * 4.0 / 3.0 * PAL_PI * r * r * r;
    double before = 0.0;
    for (int resolution = 24; resolution <= 192; resolution *= 2)
    {
        palShapeDef def = {.kind = pal_shapeSphere, .radius = r, .resolution = resolution};
        palMass mass = massOf(def, pal_identityQuat, pal_zeroVec3);
        double error = 1.0 - mass.inertia.m[2][2] / (0.4 * m * r * r);
        assert_true(error > 0.0);
        if (before > 0.0)
            ASSERT_NEAR(before / error, 4.0, 0.2);
        before = error;
    }
    ASSERT_BELOW(before, 2e-3);
}

static void surfaces_without_an_inside_are_refused(void** state)
{
    (void)state;
    palShapeDef def = palDefaultShapeDef(pal_shapePlane);
    palSurface surface;
    palError error = {0};
    palMass mass;
    assert_int_equal(palMakeShape(&def, &surface, &error), pal_ok);
    assert_int_equal(palMass_FromSurface(&surface, density, &mass, &error), pal_errorInput);
    assert_non_null(strstr(error.remedy, "closed"));
    assert_int_equal(palMass_FromSurface(&surface, -1.0, &mass, &error), pal_errorInput);
    assert_int_equal(palMass_FromSurface(&surface, NAN, &mass, &error), pal_errorInput);
    palSurface_Free(&surface);
}

static void impossible_inertias_are_refused(void** state)
{
    (void)state;
    palMass plate = {.mass = 1, .inertia = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 2}}}};
    assert_int_equal(palMass_Check(&plate, NULL), pal_ok);
    palMass wrong[5] = {plate, plate, plate, plate, plate};
    wrong[0].mass = 0.0;
    wrong[1].inertia.m[2][2] = 2.1; // above the sum of the others
    wrong[2].inertia.m[0][1] = 0.1; // not symmetric
    wrong[3].inertia.m[0][0] = -1.0;
    wrong[4].inertia.m[1][1] = NAN;
    for (int i = 0; i < 5; i++)
        assert_int_equal(palMass_Check(&wrong[i], NULL), pal_errorInput);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_the_moments_of_the_formula),
        cmocka_unit_test(moving_the_surface_moves_centre_and_inertia),
        cmocka_unit_test(a_cylinder_of_triangles_is_a_regular_prism),
        cmocka_unit_test(finer_spheres_approach_the_ball),
        cmocka_unit_test(surfaces_without_an_inside_are_refused),
        cmocka_unit_test(impossible_inertias_are_refused),
    };
    return RUN(tests);
}

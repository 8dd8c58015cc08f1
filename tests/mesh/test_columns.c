// SPDX-License-Identifier: Apache-2.0
#include "bodies.h"

#include "math/quat.h"
#include "mesh/columns.h"

static void columns_through_vertices_and_edges_count_once(void** state)
{
    (void)state;
    // Spacing 1/4 puts columns on the cube's corners, edges, diagonals and walls.
    palSurface cube = makeCube();
    palColumnsDef def = {.x = -0.25, .y = -0.25, .spacing = 0.25, .nx = 7, .ny = 7};
    palColumns columns;
    palError error;
    assert_int_equal(palColumns_Init(&columns, &cube, &def, &error), pal_ok);
    int inside = 0;
    for (int c = 0; c < 49; c++)
    {
        int count = columns.start[c + 1] - columns.start[c];
        assert_true(palColumns_IsConsistent(&columns, c));
        assert_true(count == 0 || count == 2);
        if (count == 0)
            continue;
        inside++;
        const palCrossing* crossing = &columns.crossings[columns.start[c]];
        ASSERT_NEAR(crossing[0].z, 0.0, 1e-15);
        ASSERT_NEAR(crossing[1].z, 1.0, 1e-15);
        assert_int_equal(crossing[0].step, 1);
    }
    // Of the five by five columns within the walls those at the lower ones count, as moved inward.
    assert_int_equal(inside, 16);
    palColumns_Free(&columns);
    palSurface_Free(&cube);
}

// A torus turned at random: between its crossings a column is inside, which the distance to the
// torus' circle tells of points well away from the surface.
static void crossings_agree_with_an_implicit_torus(void** state)
{
    (void)state;
    palSurface torus;
    palError error;
    palQuat turn = palMakeQuatRotationVector(palMakeVec3(0.7, -0.4, 0.2));
    const double major = 1.0, minor = 0.4;
    const int n = 96;
    assert_int_equal(palSurface_Init(&torus, n * n, 2 * n * n, &error), pal_ok);
    for (int i = 0; i < n * n; i++)
    {
        double u = 2.0 * PAL_PI * (i % n) / n, v = 2.0 * PAL_PI * (i / n) / n;
        double r = major + minor * cos(v);
        torus.vertices[i] = palRotate(turn, palMakeVec3(r * cos(u), r * sin(u), minor * sin(v)));
        int right = i / n * n + (i + 1) % n, up = (i + n) % (n * n);
        int corner = (right + n) % (n * n);
        int* t = torus.triangles[2 * i];
        t[0] = i, t[1] = right, t[2] = corner;
        t = torus.triangles[2 * i + 1];
        t[0] = i, t[1] = corner, t[2] = up;
    }
    palColumnsDef def = {.x = -1.5, .y = -1.5, .spacing = 0.05, .nx = 61, .ny = 61};
    palColumns columns;
    assert_int_equal(palColumns_Init(&columns, &torus, &def, &error), pal_ok);
    int tested = 0;
    for (int c = 0; c < def.nx * def.ny; c++)
    {
        assert_true(palColumns_IsConsistent(&columns, c));
        for (double z = -1.5; z < 1.5; z += 0.11)
        {
            palVec3 p =
                palMakeVec3(def.x + c % def.nx * def.spacing, def.y + c / def.nx * def.spacing, z);
            palVec3 q = palInvRotate(turn, p);
            double distance = hypot(hypot(q.x, q.y) - major, q.z) - minor;
            if (fabs(distance) < 0.01)
                continue;
            int winding = 0;
            for (int i = columns.start[c]; i < columns.start[c + 1]; i++)
                winding += columns.crossings[i].z < z ? columns.crossings[i].step : 0;
            assert_int_equal(winding, distance < 0.0);
            tested++;
        }
    }
    assert_true(tested > 50000);
    palColumns_Free(&columns);
    palSurface_Free(&torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_through_vertices_and_edges_count_once),
        cmocka_unit_test(crossings_agree_with_an_implicit_torus),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// The circle in which a round tip touches a surface.
#include "soft_fixture.h"

#include "body/tip.h"
#include "mesh/extract.h"

static const palVec3 size = {0.06, 0.06, 0.004}; // a thin plate
static const double tipRadius = 0.008;

typedef struct plate
{
    softFixture soft;
    palVolumeSurface boundary;
    palSkin skin;
    palTipDots dots;
} plate;

static void makePlate(plate* p)
{
    palVolumeShapeDef shape = softBlock(pal_cutFive, size, 15, 15, 1);
    palSoftDef def = {.material = {10000.0, 0.4, 1000.0}};
    softMake(&p->soft, &shape, def, NULL);
    assert_int_equal(palVolumeSurface_Init(&p->boundary, &p->soft.volume, NULL), pal_ok);
    const palSurface* surface = &p->boundary.surface;
    assert_int_equal(palSkin_Init(&p->skin, surface->vertexCount, 1, NULL), pal_ok);
    for (int i = 0; i < surface->vertexCount; i++)
    {
        p->skin.nodes[i] = p->boundary.vertices[i];
        p->skin.weights[i] = 1.0;
    }
    assert_int_equal(palTipDots_Init(&p->dots, surface, &p->skin, p->soft.body, tipRadius, NULL),
                     pal_ok);
}

static void freePlate(plate* p)
{
    palTipDots_Free(&p->dots);
    palSkin_Free(&p->skin);
    palVolumeSurface_Free(&p->boundary);
    softFree(&p->soft);
}

// The vertex of the surface nearest to a place.
static int vertexAt(const plate* p, palVec3 x)
{
    int nearest = 0;
    for (int i = 1; i < p->boundary.surface.vertexCount; i++)
        if (palDistance(p->dots.vertices[i].x, x) < palDistance(p->dots.vertices[nearest].x, x))
            nearest = i;
    return nearest;
}

static void dots_stand_for_the_whole_surface(void** state)
{
    (void)state;
    plate p;
    makePlate(&p);
    double area = 0.0, whole = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    for (int i = 0; i < p.dots.count; i++)
        area += p.dots.dots[i].area;
    ASSERT_NEAR(area / whole, 1.0, 1e-12);
    freePlate(&p);
}

// In the middle of the plate; its other side is nearer than the circle is wide, and not in it.
static void a_force_acts_within_the_circle(void** state)
{
    (void)state;
    plate p;
    makePlate(&p);
    int vertex = vertexAt(&p, palMakeVec3(0.0, 0.0, 0.5 * size.z));
    palTipCircle circle;
    palTipDots_Circle(&p.dots, &p.dots.vertices[vertex], tipRadius, &circle);
    double* rows = calloc(3 * (size_t)p.soft.body->freeCount, sizeof *rows);
    palTipDots_AddForce(&p.dots, &circle, palMakeVec3(0.0, 0.0, -2.0), rows);
    double sum = 0.0, square = 0.0;
    for (int i = 0; i < p.soft.body->nodeCount; i++)
    {
        palVec3 from = palSub(p.soft.body->rest[i], p.dots.vertices[vertex].x);
        double force = rows[3 * p.soft.body->freeIndex[i] + 2];
        sum += force;
        square += force * (from.x * from.x + from.y * from.y);
        if (force != 0.0)
        {
            ASSERT_BELOW(fabs(from.z), 1e-9);
            ASSERT_BELOW(palLength(from), tipRadius + 0.006);
        }
    }
    ASSERT_NEAR(sum, -2.0, 1e-12);
    // ∫ r² √(1 - r²/a²) over the circle is 2/5 a² of the force; hats of the nodes add to it.
    ASSERT_NEAR(square / sum / (tipRadius * tipRadius), 0.4, 0.12);
    free(rows);
    freePlate(&p);
}

// The radius by which the load is nearest to Hertz's, and how it grows with the force.
static void the_circle_grows_as_that_of_a_ball(void** state)
{
    (void)state;
    plate p;
    makePlate(&p);
    double R = tipRadius, E = 10000.0 / (1.0 - 0.4 * 0.4);
    double a = 0.5 * R, force = 4.0 / 3.0 * E * a * a * a / R;
    ASSERT_NEAR(palTip_Radius(R, force, p.soft.body), a, 1e-12);
    ASSERT_NEAR(palTip_Below(R, force, p.soft.body), 0.2 * a * a / R, 1e-12);
    ASSERT_NEAR(palTip_Radius(R, 0.0, p.soft.body), R / 3.0, 1e-12);
    ASSERT_NEAR(palTip_Below(R, 0.0, p.soft.body), 0.0, 1e-12);
    ASSERT_NEAR(palTip_Radius(R, 1e6, p.soft.body), R, 1e-12);
    freePlate(&p);
}

// Turned and moved as a whole, every vertex of the mean surface goes with the body, at edges and
// corners too.
static void the_mean_surface_of_a_rigid_motion_is_the_surface(void** state)
{
    (void)state;
    plate p;
    makePlate(&p);
    palQuat turn = palMakeQuatRotationVector(palMakeVec3(0.9, -1.7, 0.4));
    palVec3 by = {0.1, 0.2, -0.3};
    const palSurface* surface = &p.boundary.surface;
    palVec3* moved = malloc((size_t)surface->vertexCount * sizeof *moved);
    for (int i = 0; i < surface->vertexCount; i++)
        moved[i] = palAdd(by, palRotate(turn, p.dots.vertices[i].x));
    for (int i = 0; i < surface->vertexCount; i++)
    {
        palTipCircle circle;
        palVec3 mean;
        palTipDots_Circle(&p.dots, &p.dots.vertices[i], 0.6 * tipRadius, &circle);
        assert_true(palTipDots_Place(&p.dots, &circle, moved, &p.dots.vertices[i], &mean));
        ASSERT_BELOW(palDistance(mean, moved[i]), 1e-9);
    }
    free(moved);
    freePlate(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dots_stand_for_the_whole_surface),
        cmocka_unit_test(a_force_acts_within_the_circle),
        cmocka_unit_test(the_circle_grows_as_that_of_a_ball),
        cmocka_unit_test(the_mean_surface_of_a_rigid_motion_is_the_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

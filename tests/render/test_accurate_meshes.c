// SPDX-License-Identifier: Apache-2.0
// Triangulations that say nothing about the shape: slivers, needles, giants beside dwarfs, noise,
// foils. What is felt must be the shape.
#include "path_rig.h"
#include "route.h"

#include "base/random.h"

enum
{
    stripCount = 40,
};

// The plane z = 0 from strips along y that are between 1 nm and 50 mm wide, in random order, with
// heights off by up to `noise` metres.
static void makeStrips(palSurface* surface, double noise, uint64_t seed)
{
    palRandom random = palMakeRandom(seed);
    double width[stripCount], total = 0.0;
    for (int i = 0; i < stripCount; i++)
    {
        width[i] = 1e-9 * pow(10.0, palRandom_Range(&random, 0.0, 7.7));
        total += width[i];
    }
    assert_int_equal(palSurface_Init(surface, 3 * (stripCount + 1), 4 * stripCount, NULL), pal_ok);
    double x = -0.5 * total;
    for (int i = 0; i <= stripCount; i++)
    {
        for (int k = 0; k < 3; k++)
        {
            double height = noise * palRandom_Range(&random, -1.0, 1.0);
            surface->vertices[3 * i + k] = palMakeVec3(x, 0.1 * (k - 1), height);
        }
        x += i < stripCount ? width[i] : 0.0;
    }
    for (int i = 0; i < stripCount; i++)
        for (int k = 0; k < 2; k++)
        {
            int a = 3 * i + k;
            const int cell[2][3] = {{a, a + 3, a + 4}, {a, a + 4, a + 1}};
            memcpy(surface->triangles[4 * i + 2 * k], cell, sizeof cell);
        }
}

static void slide(palRig* rig, palVec3* points, route* r, double noise, uint64_t seed)
{
    palSurface surface;
    makeStrips(&surface, noise, seed);
    palBounds bounds = palSurface_Bounds(&surface);
    points[0] = palMakeVec3(0.9 * bounds.low.x, -0.013, -1e-3);
    points[1] = palMakeVec3(0.9 * bounds.high.x, 0.021, -1e-3);
    *r = (route){points, 2, 0.2};
    rigInit(rig,
            &(palRigDef){
                .method = "accurate", .path = alongRoute, .user = r, .seconds = routeSeconds(r)});
    rigAdd(rig, &surface, 0.1, rigHome);
    rigStart(rig);
}

static void slivers_are_not_felt_on_a_plane(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++)
    {
        palRig rig;
        palVec3 points[2];
        route r;
        slide(&rig, points, &r, 0.0, seed);
        palVec3 along = palNormalize(palSub(points[1], points[0]));
        palTickRecord record;
        while (rigStep(&rig, &record))
        {
            ASSERT_NEAR(record.hands[0].proxy.z, 0.0, 1e-8);
            if (record.t < 0.05)
                continue;
            // Straight sliding under Coulomb's law: 1 N of depth, a tenth of it against the motion.
            palVec3 expected = palAdd(palMakeVec3(0.0, 0.0, 1.0), palScale(-0.1, along));
            ASSERT_BELOW(palDistance(record.hands[0].force, expected), 1e-5);
            assert_true(record.hands[0].converged);
        }
        rigFree(&rig);
    }
}

static void noise_in_the_vertices_does_not_catch_the_proxy(void** state)
{
    (void)state;
    // Of strips 1 nm wide and heights off by 10 nm, many stand upright.
    static const double noises[] = {1e-12, 1e-10, 1e-9, 1e-8};
    for (int i = 0; i < 4; i++)
        for (uint64_t seed = 1; seed <= 4; seed++)
        {
            palRig rig;
            palVec3 points[2];
            route r;
            slide(&rig, points, &r, noises[i], seed);
            palTickRecord record;
            while (rigStep(&rig, &record))
            {
                ASSERT_NEAR(record.hands[0].proxy.z, 0.0, 1e-7);
                if (noises[i] <= 1e-9)
                    ASSERT_BELOW(palDistance(record.hands[0].proxy, record.hands[0].device),
                                 1.02e-3);
            }
            ASSERT_BELOW(palDistance(record.hands[0].proxy, points[1]), 1.2e-3);
            rigFree(&rig);
        }
}

static void a_foil_holds_from_both_sides(void** state)
{
    (void)state;
    static const double thicknesses[] = {0.0, 1e-6, 1e-5, 1e-4};
    for (int i = 0; i < 4; i++)
        for (int side = -1; side <= 1; side += 2)
            for (double speed = 0.1; speed <= 5.0; speed *= 7.0)
            {
                palRig rig;
                palVec3 points[3] = {{0.01, 0.003, side * 0.025},
                                     {-0.02, 0.01, side * -0.01},
                                     {0.03, -0.01, side * -0.005}};
                route r = {points, 3, speed};
                rigInit(&rig, &(palRigDef){.method = "accurate",
                                           .path = alongRoute,
                                           .user = &r,
                                           .seconds = routeSeconds(&r) + 0.05});
                palShapeDef sheet = palDefaultShapeDef(pal_shapePlane);
                if (thicknesses[i] == 0.0)
                    rigAddShape(&rig, &sheet, 0.1, rigHome);
                else
                    rigAddBox(&rig, palMakeVec3(0.2, 0.2, thicknesses[i]), 20, 0.1, rigHome);
                rigStart(&rig);
                palTickRecord record;
                while (rigStep(&rig, &record))
                    ASSERT_BELOW(0.5 * thicknesses[i] - side * record.hands[0].proxy.z, 1e-9);
                ASSERT_BELOW(side * record.hands[0].proxy.z, 0.5 * thicknesses[i] + 1e-6);
                rigFree(&rig);
            }
}

// A giant triangle pair as the floor, a sphere of tiny triangles on it: the proxy is squeezed into
// the gap between them and comes to rest on both.
static void giants_and_dwarfs_meet(void** state)
{
    (void)state;
    palRig rig;
    palVec3 points[2] = {{0.02, 0.001, 0.004}, {-0.0003, 0.0002, -0.003}};
    route r = {points, 2, 0.1};
    rigInit(&rig, &(palRigDef){.method = "accurate",
                               .path = alongRoute,
                               .user = &r,
                               .seconds = routeSeconds(&r) + 0.2});
    palShapeDef floor = palDefaultShapeDef(pal_shapePlane);
    floor.size = palMakeVec3(2.0, 2.0, 0.0);
    floor.resolution = 2;
    palShapeDef ball = palDefaultShapeDef(pal_shapeSphere);
    ball.radius = 0.005;
    ball.resolution = 60;
    rigAddShape(&rig, &floor, 0.0, rigHome);
    rigAddShape(&rig, &ball, 0.0, rigAt(0.0, 0.0, 0.0049));
    rigStart(&rig);
    palTickRecord record;
    while (rigStep(&rig, &record))
        for (int i = 0; i < 2; i++)
        {
            palNearest nearest;
            palColliders_Nearest(&rig.colliders[i], 1, record.hands[0].proxy, INFINITY, &nearest);
            ASSERT_BELOW(-nearest.gap, 1e-6);
        }
    palNearest nearest;
    palColliders_Nearest(&rig.colliders[1], 1, record.hands[0].proxy, INFINITY, &nearest);
    ASSERT_BELOW(fabs(nearest.gap), 1e-6);
    ASSERT_NEAR(record.hands[0].proxy.z, 0.0, 1e-6);
    rigFree(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slivers_are_not_felt_on_a_plane),
        cmocka_unit_test(noise_in_the_vertices_does_not_catch_the_proxy),
        cmocka_unit_test(a_foil_holds_from_both_sides),
        cmocka_unit_test(giants_and_dwarfs_meet),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// Surfaces felt as point shells: planes at the vertices, walked in steps of their size.
#include "path_rig.h"
#include "route.h"

#include "base/random.h"

static void makeShell(palRig* rig, const route* r, const palShapeDef* shape, double friction)
{
    rigInit(rig, &(palRigDef){.method = "accurate",
                              .path = alongRoute,
                              .user = r,
                              .seconds = routeSeconds(r) + 0.1});
    rigAddShape(rig, shape, friction, rigHome);
    rig->colliders[0].points = true;
    rigStart(rig);
}

static void a_plane_of_points_is_a_plane(void** state)
{
    (void)state;
    const palVec3 points[2] = {{-0.03, -0.021, -1e-3}, {0.04, 0.017, -1e-3}};
    route r = {points, 2, 0.15};
    palShapeDef plane = palDefaultShapeDef(pal_shapePlane);
    palVec3 along = palNormalize(palSub(points[1], points[0]));
    for (int i = 0; i < 2; i++)
    {
        palRig rig;
        double friction = 0.2 * i;
        makeShell(&rig, &r, &plane, friction);
        palTickRecord record;
        while (rigStep(&rig, &record))
        {
            ASSERT_NEAR(record.hands[0].proxy.z, 0.0, 1e-8);
            assert_true(record.hands[0].converged);
            if (record.t < 0.05 || record.t > routeSeconds(&r))
                continue;
            palVec3 expected = palAdd(palMakeVec3(0.0, 0.0, 1.0), palScale(-friction, along));
            ASSERT_BELOW(palDistance(record.hands[0].force, expected), 1e-5);
        }
        rigFree(&rig);
    }
}

// Tangent planes of half side s leave a sphere of radius R by up to (√2 s)²/2R.
static void a_sphere_of_points_is_a_sphere(void** state)
{
    (void)state;
    palShapeDef sphere = palDefaultShapeDef(pal_shapeSphere);
    sphere.radius = 0.05;
    sphere.resolution = 192;
    const double half = 0.6 * 2.0 * PAL_PI * 0.05 * 1.3 / 192.0; // edges differ by less than 1.3
    const double off = half * half / 0.05;
    palVec3 points[30];
    for (int i = 0; i < 30; i++)
    {
        double angle = 0.1 * i;
        points[i] = palScale(0.049, palMakeVec3(cos(angle), sin(angle), 0.3 * sin(2.0 * angle)));
        points[i] = palScale(0.049 / palLength(points[i]), points[i]);
    }
    route r = {points, 30, 0.1};
    palRig rig;
    makeShell(&rig, &r, &sphere, 0.1);
    palTickRecord record;
    while (rigStep(&rig, &record))
    {
        double height = palLength(record.hands[0].proxy) - 0.05;
        ASSERT_BELOW(-height, 0.2 * off);
        ASSERT_BELOW(height, off);
        ASSERT_BELOW(palDistance(record.hands[0].proxy, record.hands[0].device), 1.15e-3);
    }
    rigFree(&rig);
}

static void a_fast_hand_does_not_pass_between_the_points(void** state)
{
    (void)state;
    palShapeDef sphere = palDefaultShapeDef(pal_shapeSphere);
    sphere.radius = 0.01;
    sphere.resolution = 96;
    palRandom random = palMakeRandom(4);
    for (int i = 0; i < 40; i++)
    {
        palVec3 direction = palNormalize(palMakeVec3(
            palRandom_Normal(&random), palRandom_Normal(&random), palRandom_Normal(&random)));
        palVec3 points[2] = {palScale(0.012, direction), palScale(-0.005, direction)};
        route r = {points, 2, 0.1 * pow(50.0, i / 39.0)}; // 0.1 to 5 m/s
        palRig rig;
        makeShell(&rig, &r, &sphere, 0.1 * (i % 2));
        palTickRecord record;
        while (rigStep(&rig, &record))
            ASSERT_BELOW(0.01 - palLength(record.hands[0].proxy), 20e-6);
        rigFree(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_of_points_is_a_plane),
        cmocka_unit_test(a_sphere_of_points_is_a_sphere),
        cmocka_unit_test(a_fast_hand_does_not_pass_between_the_points),
    };
    return RUN(tests);
}

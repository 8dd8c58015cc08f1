// SPDX-License-Identifier: Apache-2.0
// Edges, corners, thin plates and narrow gaps: where contact planes meet.
#include "path_rig.h"
#include "route.h"

#include "base/random.h"

static const double hundredth = 1e-5; // m

// A cube of 40 mm about the origin, each side of 2 n² triangles.
static void makeCube(palRig* rig, const route* r, int n, double friction)
{
    rigInit(rig, &(palRigDef){.method = "accurate",
                              .path = alongRoute,
                              .user = r,
                              .seconds = routeSeconds(r) + 0.1});
    rigAddBox(rig, palMakeVec3(0.04, 0.04, 0.04), n, friction, rigHome);
}

// Slides 1 mm below the surface, off it, and 1 mm into the next: the proxy must keep up all the
// way.
static void slideOver(const palVec3* points, int count, int n, double friction)
{
    palRig rig;
    route r = {points, count, 0.1};
    makeCube(&rig, &r, n, friction);
    rigStart(&rig);
    palTickRecord record;
    while (rigStep(&rig, &record))
    {
        double gap = rigGap(&rig, record.hands[0].proxy);
        assert_true(record.hands[0].converged);
        ASSERT_BELOW(-gap, 1e-9);
        if (record.hands[0].active > 0)
            ASSERT_BELOW(gap, hundredth);
        // Friction lets the proxy lag by its share of the depth.
        ASSERT_BELOW(palDistance(record.hands[0].proxy, record.hands[0].device),
                     1.02e-3 * hypot(1.0, friction));
    }
    ASSERT_NEAR(palDistance(record.hands[0].proxy, points[count - 1]), 1e-3, 1e-5);
    rigFree(&rig);
}

static void a_cubes_edge_is_slid_over_without_catching(void** state)
{
    (void)state;
    // Over the top, off the edge at x = 20 mm, down and into the side; straight and askew.
    static const palVec3 straight[] = {{-0.01, 0.019, 0.001},
                                       {0.0205, 0.019, 0.001},
                                       {0.0205, 0.0, 0.001},
                                       {0.019, 0.0, 0.001},
                                       {0.019, -0.01, 0.001}};
    static const palVec3 askew[] = {{0.0, 0.019, -0.012},
                                    {0.021, 0.019, 0.003},
                                    {0.0205, 0.012, 0.005},
                                    {0.019, 0.008, 0.01},
                                    {0.019, -0.01, -0.01}};
    for (int n = 2; n <= 8; n += 3)
        for (int i = 0; i < 2; i++)
        {
            slideOver(straight, 5, n, 0.1 * i);
            slideOver(askew, 5, n, 0.1 * i);
        }
}

static void a_cubes_corner_is_slid_over_without_catching(void** state)
{
    (void)state;
    // Along the diagonal of the top off the corner, and from there into each side.
    static const palVec3 over[] = {{0.0, 0.019, 0.0},
                                   {0.0205, 0.019, 0.0205},
                                   {0.0205, 0.01, 0.015},
                                   {0.019, 0.0, 0.01},
                                   {0.019, 0.0, -0.01}};
    // Along the top's rim, 10 µm inside the edge, off the corner.
    static const palVec3 along[] = {{0.0, 0.019, 0.01999},
                                    {0.0205, 0.019, 0.01999},
                                    {0.0205, 0.01, 0.01},
                                    {0.019, 0.0, 0.01},
                                    {0.019, 0.0, 0.0}};
    for (int n = 2; n <= 8; n += 3)
        for (int i = 0; i < 2; i++)
        {
            slideOver(over, 5, n, 0.1 * i);
            slideOver(along, 5, n, 0.1 * i);
        }
}

// A room: the box turned inside out, so that its edges and corners are concave.
static void makeRoom(palRig* rig, const route* r, palVec3 size, int n, double friction)
{
    rigInit(rig, &(palRigDef){.method = "accurate",
                              .path = alongRoute,
                              .user = r,
                              .seconds = routeSeconds(r) + 0.4});
    palShapeDef box = palDefaultShapeDef(pal_shapeBox);
    box.size = size;
    box.resolution = n;
    palSurface surface;
    assert_int_equal(palMakeShape(&box, &surface, NULL), pal_ok);
    for (int i = 0; i < surface.triangleCount; i++)
    {
        int first = surface.triangles[i][0];
        surface.triangles[i][0] = surface.triangles[i][1];
        surface.triangles[i][1] = first;
    }
    rigAdd(rig, &surface, friction, rigHome);
}

// Presses into the room's corner region and rests; the proxy must come to `expected`, and the force
// must not tremble.
static void pressInto(palVec3 target, palVec3 expected, double friction)
{
    palRig rig;
    palVec3 points[2] = {{0.001, 0.002, 0.003}, target};
    route r = {points, 2, 0.1};
    makeRoom(&rig, &r, palMakeVec3(0.04, 0.04, 0.04), 6, friction);
    rigStart(&rig);
    palTickRecord record;
    palVec3 sum = pal_zeroVec3;
    double squares = 0.0;
    int count = 0;
    palVec3 first = pal_zeroVec3;
    while (rigStep(&rig, &record))
    {
        ASSERT_BELOW(-rigGap(&rig, record.hands[0].proxy), 1e-9);
        if (record.t < rig.def.seconds - 0.2)
            continue;
        first = count == 0 ? record.hands[0].force : first;
        palVec3 apart = palSub(record.hands[0].force, first);
        sum = palAdd(sum, apart);
        squares += palLengthSquared(apart);
        count++;
    }
    ASSERT_BELOW(palDistance(record.hands[0].proxy, expected), friction > 0.0 ? 1e-3 : 1e-8);
    double variance = squares / count - palLengthSquared(palScale(1.0 / count, sum));
    ASSERT_BELOW(variance, 1e-12);
    rigFree(&rig);
}

static void pressed_into_an_inner_edge_it_rests_on_the_edge(void** state)
{
    (void)state;
    // The nearest point of the edge x = y = 20 mm; with friction it stops on the way there.
    pressInto(palMakeVec3(0.022, 0.0215, 0.004), palMakeVec3(0.02, 0.02, 0.004), 0.0);
    pressInto(palMakeVec3(0.022, 0.0215, 0.004), palMakeVec3(0.02, 0.02, 0.004), 0.1);
}

static void pressed_into_an_inner_corner_it_rests_in_the_corner(void** state)
{
    (void)state;
    pressInto(palMakeVec3(0.0215, 0.022, 0.0225), palMakeVec3(0.02, 0.02, 0.02), 0.0);
    pressInto(palMakeVec3(0.0215, 0.022, 0.0225), palMakeVec3(0.02, 0.02, 0.02), 0.1);
}

static palVec3 randomIn(palRandom* random, double x, double y, double z)
{
    return palMakeVec3(palRandom_Range(random, -x, x), palRandom_Range(random, -y, y),
                       palRandom_Range(random, -z, z));
}

static void a_plate_of_one_millimetre_is_never_passed(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(7);
    for (int i = 0; i < 60; i++)
    {
        palRig rig;
        palVec3 points[2] = {randomIn(&random, 0.03, 0.03, 0.0),
                             randomIn(&random, 0.03, 0.03, 0.0)};
        points[0].z = palRandom_Range(&random, 0.005, 0.03);
        points[1].z = -points[0].z;
        route r = {points, 2, 0.1 * pow(50.0, i / 59.0)}; // 0.1 to 5 m/s
        rigInit(&rig, &(palRigDef){.method = "accurate",
                                   .path = alongRoute,
                                   .user = &r,
                                   .seconds = routeSeconds(&r) + 0.1});
        rigAddBox(&rig, palMakeVec3(0.2, 0.2, 0.001), 2 + i, 0.1 * (i % 3), rigHome);
        rigStart(&rig);
        palTickRecord record;
        while (rigStep(&rig, &record))
            ASSERT_BELOW(0.0005 - record.hands[0].proxy.z, 1e-9);
        ASSERT_BELOW(record.hands[0].proxy.z, 0.0005 + hundredth);
        rigFree(&rig);
    }
}

static void a_gap_of_half_a_millimetre_is_never_left(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(8);
    for (int i = 0; i < 60; i++)
    {
        palRig rig;
        palVec3 points[3] = {randomIn(&random, 0.03, 0.03, 0.0002),
                             randomIn(&random, 0.03, 0.03, 0.02),
                             randomIn(&random, 0.03, 0.03, 0.02)};
        route r = {points, 3, 0.1 * pow(50.0, i / 59.0)};
        rigInit(&rig, &(palRigDef){.method = "accurate",
                                   .path = alongRoute,
                                   .user = &r,
                                   .seconds = routeSeconds(&r) + 0.05});
        for (int k = -1; k <= 1; k += 2)
            rigAddBox(&rig, palMakeVec3(0.2, 0.2, 0.001), 2 + i, 0.1 * (i % 3),
                      rigAt(0.0, 0.0, k * 0.00075));
        rigStart(&rig);
        palTickRecord record;
        while (rigStep(&rig, &record))
            ASSERT_BELOW(fabs(record.hands[0].proxy.z), 0.00025 + 1e-9);
        rigFree(&rig);
    }
}

// Fig. 4, right: what one slanted plane deflects to must not lie beyond the other. A room with a
// wedge of 20 degrees, in which the hand is thrown about.
static void a_wedge_is_never_left(void** state)
{
    (void)state;
    const double slope = tan(20.0 * PAL_PI / 180.0);
    palRandom random = palMakeRandom(9);
    for (int i = 0; i < 40; i++)
    {
        static const palVec3 corners[6] = {{0, 0, -0.05}, {0.06, 0, -0.05}, {0.06, 1, -0.05},
                                           {0, 0, 0.05},  {0.06, 0, 0.05},  {0.06, 1, 0.05}};
        // Normals point into the room.
        static const int faces[8][3] = {{0, 1, 2}, {3, 5, 4}, {0, 3, 1}, {1, 3, 4},
                                        {1, 4, 2}, {2, 4, 5}, {0, 2, 3}, {2, 5, 3}};
        palSurface surface;
        assert_int_equal(palSurface_Init(&surface, 6, 8, NULL), pal_ok);
        for (int k = 0; k < 6; k++)
            surface.vertices[k] =
                palMakeVec3(corners[k].x, corners[k].y * 0.06 * slope, corners[k].z);
        memcpy(surface.triangles, faces, sizeof faces);
        palRig rig;
        palVec3 points[4] = {{0.05, 0.005, 0.0}};
        for (int k = 1; k < 4; k++)
            points[k] = palAdd(randomIn(&random, 0.07, 0.05, 0.03), palMakeVec3(0.02, 0.0, 0.0));
        route r = {points, 4, 0.1 * pow(50.0, i / 39.0)};
        rigInit(&rig, &(palRigDef){.method = "accurate",
                                   .path = alongRoute,
                                   .user = &r,
                                   .seconds = routeSeconds(&r) + 0.05});
        rigAdd(&rig, &surface, 0.1 * (i % 2), rigHome);
        assert_true(rigGap(&rig, points[0]) > 0.0);
        rigStart(&rig);
        palTickRecord record;
        while (rigStep(&rig, &record))
        {
            palVec3 x = record.hands[0].proxy;
            ASSERT_BELOW(fmax(-x.y, x.y - slope * x.x), 1e-9);
            ASSERT_BELOW(fmax(x.x - 0.06, fabs(x.z) - 0.05), 1e-9);
            assert_true(record.hands[0].converged);
        }
        rigFree(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cubes_edge_is_slid_over_without_catching),
        cmocka_unit_test(a_cubes_corner_is_slid_over_without_catching),
        cmocka_unit_test(pressed_into_an_inner_edge_it_rests_on_the_edge),
        cmocka_unit_test(pressed_into_an_inner_corner_it_rests_in_the_corner),
        cmocka_unit_test(a_plate_of_one_millimetre_is_never_passed),
        cmocka_unit_test(a_gap_of_half_a_millimetre_is_never_left),
        cmocka_unit_test(a_wedge_is_never_left),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
#include "mesh/vessel.h"

#include "mesh/shapes.h"
#include "topology.h"

static palSurface make(const palShapeDef* def)
{
    palSurface surface;
    palError error;
    if (palMakeShape(def, &surface, &error) != pal_ok)
        fail_msg("%s; %s", error.text, error.remedy);
    return surface;
}

static void refused(const palShapeDef* def, const char* text, const char* remedy)
{
    palSurface surface;
    palError error = {0};
    assert_int_equal(palMakeShape(def, &surface, &error), pal_errorInput);
    assert_non_null(strstr(error.text, text));
    assert_non_null(strstr(error.remedy, remedy));
}

// The distance from the centreline of the default: 60 mm along x, a quarter of a circle of 30 mm,
// and 60 mm along y.
static double fromAxis(palVec3 p)
{
    if (p.x <= 0.06)
        return sqrt(p.y * p.y + p.z * p.z);
    if (p.y >= 0.03)
        return sqrt((p.x - 0.09) * (p.x - 0.09) + p.z * p.z);
    double across = sqrt((p.x - 0.06) * (p.x - 0.06) + (p.y - 0.03) * (p.y - 0.03)) - 0.03;
    return sqrt(across * across + p.z * p.z);
}

static void a_tube_is_closed_and_follows_its_centreline(void** state)
{
    (void)state;
    palShapeDef def = palDefaultShapeDef(pal_shapeVessel);
    palSurface s = make(&def);
    topology found = findTopology(&s);
    assert_true(isClosed(found));
    assert_int_equal(found.characteristic, 0);
    for (int v = 0; v < s.vertexCount; v++)
    {
        double r = fromAxis(s.vertices[v]);
        assert_true(fabs(r - 0.002) < 1e-12 || fabs(r - 0.003) < 1e-12);
    }
    // Facets of the lumen are nearer to the axis than its radius by two sagittas at most, around
    // and along.
    double sagitta = 0.002 * (1.0 - cos(PAL_PI / def.resolution)), most = 0.0;
    for (int t = 0; t < s.triangleCount; t++)
    {
        const int* corner = s.triangles[t];
        palVec3 middle =
            palAdd(s.vertices[corner[0]], palAdd(s.vertices[corner[1]], s.vertices[corner[2]]));
        double r = fromAxis(palScale(1.0 / 3.0, middle));
        if (fromAxis(s.vertices[corner[0]]) < 0.0025 && fromAxis(s.vertices[corner[1]]) < 0.0025 &&
            fromAxis(s.vertices[corner[2]]) < 0.0025)
            most = fmax(most, fabs(0.002 - r));
    }
    print_message("facets deviate by %.2f um, a sagitta is %.2f um\n", 1e6 * most, 1e6 * sagitta);
    ASSERT_BELOW(most, 2.0 * sagitta);
    // Volume of the wall: its cross-section times the length of the axis.
    double length = 0.12 + 0.5 * PAL_PI * 0.03;
    ASSERT_NEAR(volumeOf(&s), PAL_PI * (9e-6 - 4e-6) * length, 0.01 * volumeOf(&s));
    palSurface_Free(&s);
}

static void an_open_lumen_faces_inwards(void** state)
{
    (void)state;
    palShapeDef def = palDefaultShapeDef(pal_shapeVessel);
    def.vessel = pal_vesselLumen;
    palSurface s = make(&def);
    topology found = findTopology(&s);
    assert_int_equal(found.borderEdges, 2 * def.resolution);
    assert_int_equal(found.components, 1);
    for (int v = 0; v < s.vertexCount; v++)
        ASSERT_NEAR(fromAxis(s.vertices[v]), 0.002, 1e-12);
    for (int t = 0; t < s.triangleCount; t++)
    {
        const int* corner = s.triangles[t];
        palVec3 a = s.vertices[corner[0]];
        palVec3 n = palNormalize(
            palCross(palSub(s.vertices[corner[1]], a), palSub(s.vertices[corner[2]], a)));
        palVec3 middle =
            palScale(1.0 / 3.0, palAdd(a, palAdd(s.vertices[corner[1]], s.vertices[corner[2]])));
        ASSERT_BELOW(fromAxis(palMulAdd(middle, 1e-4, n)), fromAxis(middle));
    }
    palSurface_Free(&s);
}

// A straight tube that narrows from 3 to 1.5 mm.
static void a_lumen_narrows_linearly(void** state)
{
    (void)state;
    palVesselPoint points[] = {{{0, 0, 0}, 0.003, NAN}, {{0, 0, 0.05}, 0.0015, NAN}};
    palVesselBranch branch = {points, 2};
    palShapeDef def = palDefaultShapeDef(pal_shapeVessel);
    def.branches = &branch;
    def.branchCount = 1;
    def.vessel = pal_vesselLumen;
    palSurface s = make(&def);
    for (int v = 0; v < s.vertexCount; v++)
    {
        palVec3 p = s.vertices[v];
        ASSERT_NEAR(hypot(p.x, p.y), 0.003 - 0.03 * p.z, 1e-12);
    }
    palSurface_Free(&s);
}

// A stem that forks into two of three branches.
static palVesselPoint stem[] = {{{0, 0, 0}, NAN, NAN}, {{0.03, 0, 0}, NAN, NAN}};
static palVesselPoint upper[] = {{{0.015, 0, 0}, 0.0016, NAN},
                                 {{0.022, 0.004, 0}, 0.0016, 0.01},
                                 {{0.025, 0.02, 0}, 0.0014, NAN}};
static palVesselPoint side[] = {{{0.022, 0, 0}, 0.0015, NAN}, {{0.03, 0, 0.015}, 0.0015, NAN}};

static void a_tree_has_an_opening_for_each_end(void** state)
{
    (void)state;
    SKIP_SLOWED();
    palVesselBranch branches[] = {{stem, 2}, {upper, 3}, {side, 2}};
    palShapeDef def = palDefaultShapeDef(pal_shapeVessel);
    def.branches = branches;
    def.branchCount = 3;
    def.resolution = 20;
    palSurface s = make(&def);
    topology found = findTopology(&s);
    assert_true(isClosed(found));
    assert_int_equal(found.components, 1);
    // A sphere's surface with four holes through to each other: genus 3.
    assert_int_equal(found.characteristic, 2 - 2 * 3);
    assert_true(volumeOf(&s) > 0.0);
    palSurface_Free(&s);
    def.vessel = pal_vesselLumen;
    s = make(&def);
    found = findTopology(&s);
    assert_int_equal(found.components, 1);
    // A disc's with three holes more.
    assert_int_equal(found.characteristic, 2 - 4);
    // Away from junctions the stem is as wide as given.
    int seen = 0;
    for (int v = 0; v < s.vertexCount; v++)
    {
        palVec3 p = s.vertices[v];
        if (p.x > 0.009 || p.x < 0.0005)
            continue;
        ASSERT_NEAR(hypot(p.y, p.z), 0.002, 2e-5);
        seen++;
    }
    assert_true(seen > 100);
    palSurface_Free(&s);
}

static void what_is_no_vessel_is_refused(void** state)
{
    (void)state;
    palVesselPoint one[] = {{{0, 0, 0}, NAN, NAN}};
    palVesselPoint tight[] = {
        {{0, 0, 0}, NAN, NAN}, {{0.05, 0, 0}, NAN, 0.0025}, {{0.05, 0.05, 0}, NAN, NAN}};
    palVesselPoint wide[] = {
        {{0, 0, 0}, NAN, NAN}, {{0.05, 0, 0}, NAN, 0.06}, {{0.05, 0.05, 0}, NAN, NAN}};
    palVesselPoint apart[] = {{{0.015, 0.01, 0}, NAN, NAN}, {{0.015, 0.03, 0}, NAN, NAN}};
    palVesselPoint still[] = {{{0, 0, 0}, NAN, NAN}, {{0, 0, 0}, NAN, NAN}};
    palVesselBranch branches[] = {{one, 1}, {apart, 2}};
    palShapeDef def = palDefaultShapeDef(pal_shapeVessel);
    def.branches = branches;
    def.branchCount = 1;
    refused(&def, "has 1 points", "two or more");
    branches[0] = (palVesselBranch){tight, 3};
    refused(&def, "within its own radius at point 1", "larger than the radius");
    branches[0] = (palVesselBranch){wide, 3};
    refused(&def, "do not fit", "smaller bends");
    branches[0] = (palVesselBranch){still, 2};
    refused(&def, "stands still at point 1", "apart");
    branches[0] = (palVesselBranch){stem, 2};
    def.branchCount = 2;
    refused(&def, "branch 1 of the vessel begins", "on the centreline");
    def.branchCount = 1;
    def.wall = 0.0;
    refused(&def, "the wall", "use a length");
    def.wall = 0.001;
    def.resolution = 4;
    refused(&def, "resolution", "from 8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tube_is_closed_and_follows_its_centreline),
        cmocka_unit_test(an_open_lumen_faces_inwards),
        cmocka_unit_test(a_lumen_narrows_linearly),
        cmocka_unit_test(a_tree_has_an_opening_for_each_end),
        cmocka_unit_test(what_is_no_vessel_is_refused),
    };
    return RUN(tests);
}

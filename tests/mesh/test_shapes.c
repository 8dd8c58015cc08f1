// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "mesh/models.h"
#include "mesh/shapes.h"
#include "topology.h"

static palSurface make(palShapeDef def)
{
    palSurface surface;
    palError error;
    if (palMakeShape(&def, &surface, &error) != pal_ok)
        fail_msg("%s; %s", error.text, error.remedy);
    return surface;
}

static palSurface makeAt(palShapeKind kind, int resolution)
{
    palShapeDef def = palDefaultShapeDef(kind);
    def.resolution = resolution;
    return make(def);
}

static void extents(const palSurface* s, palVec3* low, palVec3* high)
{
    *low = *high = s->vertices[0];
    for (int v = 0; v < s->vertexCount; v++)
    {
        *low = palMinVec3(*low, s->vertices[v]);
        *high = palMaxVec3(*high, s->vertices[v]);
    }
}

static void closed_shapes_are_manifolds_of_their_genus(void** state)
{
    (void)state;
    const struct
    {
        palShapeKind kind;
        int resolution, genus;
    } cases[] = {
        {pal_shapeBox, 2, 0},      {pal_shapeBox, 3, 0},        {pal_shapeBox, 17, 0},
        {pal_shapeCylinder, 6, 0}, {pal_shapeCylinder, 7, 0},   {pal_shapeCylinder, 90, 0},
        {pal_shapeSphere, 6, 0},   {pal_shapeSphere, 12, 0},    {pal_shapeSphere, 18, 0},
        {pal_shapeSphere, 100, 0}, {pal_shapeStatue, 64, 4},    {pal_shapeRocker, 40, 3},
        {pal_shapeRocker, 51, 3},  {pal_shapeSineBlock, 48, 0}, {pal_shapeSineBlock, 97, 0},
        {pal_shapePeg, 4, 0},      {pal_shapePeg, 17, 0},       {pal_shapeProbe, 8, 0},
        {pal_shapeProbe, 50, 0},   {pal_shapeOrgan, 24, 0},     {pal_shapePolyp, 24, 0},
        {pal_shapeCapsule, 8, 0},  {pal_shapeSleeve, 9, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        palSurface s = makeAt(cases[i].kind, cases[i].resolution);
        topology found = findTopology(&s);
        assert_true(isClosed(found));
        assert_int_equal(found.components, 1);
        assert_int_equal(found.characteristic, 2 - 2 * cases[i].genus);
        assert_true(volumeOf(&s) > 0.0);
        palSurface_Free(&s);
    }
}

static void boxes_of_unequal_sides_are_closed_and_exact(void** state)
{
    (void)state;
    const palVec3 sizes[] = {{0.3, 0.1, 0.02}, {0.001, 0.2, 0.1}, {0.1, 0.001, 0.001}};
    for (int i = 0; i < 3; i++)
    {
        palVec3 a = sizes[i];
        palSurface s = make((palShapeDef){.kind = pal_shapeBox, .size = a, .resolution = 7});
        assert_true(isClosed(findTopology(&s)));
        ASSERT_NEAR(volumeOf(&s) / (a.x * a.y * a.z), 1.0, 1e-12);
        ASSERT_NEAR(areaOf(&s) / (2 * (a.x * a.y + a.y * a.z + a.z * a.x)), 1.0, 1e-12);
        palVec3 low, high;
        extents(&s, &low, &high);
        ASSERT_NEAR(palDistance(high, palScale(0.5, a)), 0.0, 1e-15);
        ASSERT_NEAR(palDistance(low, palScale(-0.5, a)), 0.0, 1e-15);
        palSurface_Free(&s);
    }
}

static void sheets_are_discs_that_face_outside(void** state)
{
    (void)state;
    const palShapeKind sheets[] = {pal_shapePlane, pal_shapeSine, pal_shapeHalfSpace};
    const palVec3 outside[] = {{0, 0, 1}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++)
    {
        palSurface s = makeAt(sheets[i], 0);
        topology found = findTopology(&s);
        assert_true(found.manifold && found.unused == 0 && found.borderEdges > 0);
        assert_int_equal(found.components, 1);
        assert_int_equal(found.characteristic, 1);
        for (int t = 0; t < s.triangleCount; t++)
            assert_true(palDot(areaVector(&s, t), outside[i]) > 0.0);
        palSurface_Free(&s);
    }
    palSurface plane = makeAt(pal_shapePlane, 9);
    ASSERT_NEAR(areaOf(&plane), 0.2 * 0.2, 1e-15);
    palSurface_Free(&plane);
}

static void sine_sheet_lies_on_the_sine(void** state)
{
    (void)state;
    palSurface s = makeAt(pal_shapeSine, 768); // 64 cells a wavelength
    palVec3 low, high;
    extents(&s, &low, &high);
    ASSERT_NEAR(high.x, 0.15, 1e-15);
    ASSERT_NEAR(low.x, -0.15, 1e-15);
    ASSERT_NEAR(high.z, 0.025, 1e-15);
    ASSERT_NEAR(low.z, -0.025, 1e-15);
    ASSERT_NEAR(high.y, 0.005, 1e-15);
    for (int v = 0; v < s.vertexCount; v++)
    {
        palVec3 p = s.vertices[v];
        ASSERT_NEAR(p.y, 0.005 * sin(2.0 * PAL_PI * p.x / 0.025), 1e-15);
    }
    for (int t = 0; t < s.triangleCount; t++)
        for (int k = 0; k < 3; k++)
            ASSERT_BELOW(fabs(cornerOf(&s, t, k + 1).x - cornerOf(&s, t, k).x),
                         0.025 / 64.0 * (1.0 + 1e-9));
    palSurface_Free(&s);

    palSurface usual = makeAt(pal_shapeSine, 0);
    assert_in_range(usual.triangleCount, 4500, 5500);
    ASSERT_BELOW(10.0, worstAngle(&usual));
    palSurface_Free(&usual);
}

// Upper side on the wave, lower side flat, and as much in it as in a plain block: the wave is odd.
static void sine_block_is_the_sine_over_a_flat_bottom(void** state)
{
    (void)state;
    palSurface s = makeAt(pal_shapeSineBlock, 384); // 64 cells a wavelength
    palVec3 low, high;
    extents(&s, &low, &high);
    ASSERT_NEAR(high.x, 0.075, 1e-15);
    ASSERT_NEAR(low.y, -0.03, 1e-15);
    ASSERT_NEAR(high.y, 0.005, 1e-15);
    ASSERT_NEAR(high.z, 0.025, 1e-15);
    int above = 0;
    for (int v = 0; v < s.vertexCount; v++)
    {
        palVec3 p = s.vertices[v];
        double wave = 0.005 * sin(2.0 * PAL_PI * p.x / 0.025);
        ASSERT_BELOW(p.y, wave + 1e-15);
        above += fabs(p.y - wave) < 1e-12;
    }
    assert_true(above > 2 * 385);
    ASSERT_NEAR(volumeOf(&s), 0.15 * 0.03 * 0.05, 1e-12);
    palSurface_Free(&s);
}

// Relative errors of volume and area.
static void errorsOf(palShapeKind kind, int resolution, double volume, double area, double error[2])
{
    palSurface s = makeAt(kind, resolution);
    error[0] = fabs(volumeOf(&s) / volume - 1.0);
    error[1] = fabs(areaOf(&s) / area - 1.0);
    palSurface_Free(&s);
}

static void round_shapes_converge_in_second_order(void** state)
{
    (void)state;
    palShapeDef c = palDefaultShapeDef(pal_shapeCylinder);
    palShapeDef b = palDefaultShapeDef(pal_shapeSphere);
    double disc = PAL_PI * c.radius * c.radius;
    double mantle = 2.0 * PAL_PI * c.radius * c.height;
    double ball = 4.0 * PAL_PI * b.radius * b.radius;
    for (int i = 0; i < 2; i++)
    {
        palShapeKind kind = i == 0 ? pal_shapeCylinder : pal_shapeSphere;
        double volume = i == 0 ? disc * c.height : ball * b.radius / 3.0;
        double area = i == 0 ? 2.0 * disc + mantle : ball;
        double coarse[2], fine[2];
        errorsOf(kind, 60, volume, area, coarse);
        errorsOf(kind, 120, volume, area, fine);
        for (int q = 0; q < 2; q++)
        {
            ASSERT_BELOW(fine[q], 2e-3);
            ASSERT_NEAR(coarse[q] / fine[q], 4.0, 0.1);
        }
    }
}

static void sphere_is_near_uniform(void** state)
{
    (void)state;
    palSurface s = makeAt(pal_shapeSphere, 120);
    double least = INFINITY, most = 0.0;
    for (int t = 0; t < s.triangleCount; t++)
    {
        double area = palLength(areaVector(&s, t));
        least = fmin(least, area);
        most = fmax(most, area);
    }
    ASSERT_BELOW(most / least, 1.5);
    ASSERT_BELOW(50.0, worstAngle(&s));
    for (int v = 0; v < s.vertexCount; v++)
        ASSERT_NEAR(palLength(s.vertices[v]), 0.05, 1e-15);
    palSurface_Free(&s);
}

static void cylinder_has_good_triangles_on_the_cylinder(void** state)
{
    (void)state;
    palSurface s = makeAt(pal_shapeCylinder, 48);
    ASSERT_BELOW(40.0, worstAngle(&s));
    for (int v = 0; v < s.vertexCount; v++)
    {
        palVec3 p = s.vertices[v];
        double mantle = fabs(hypot(p.x, p.y) - 0.02), cap = fabs(fabs(p.z) - 0.05);
        ASSERT_BELOW(fmin(mantle, cap), 1e-15);
        ASSERT_BELOW(hypot(p.x, p.y), 0.02 * (1.0 + 1e-14));
        ASSERT_BELOW(fabs(p.z), 0.05);
    }
    palSurface_Free(&s);
}

static void statue_and_rocker_are_fine_meshes_of_their_solids(void** state)
{
    (void)state;
    const double size = 0.1;
    for (int i = 0; i < 2; i++)
    {
        palSolid solid = i == 0 ? palMakeStatue(size) : palMakeRocker(size);
        palSurface s = makeAt(i == 0 ? pal_shapeStatue : pal_shapeRocker, 0);
        assert_true(s.triangleCount >= 20000);
        topology found = findTopology(&s);
        assert_true(isClosed(found));
        assert_int_equal(found.components, 1);
        assert_int_equal(found.characteristic, i == 0 ? 2 - 2 * 4 : 2 - 2 * 3);
        for (int v = 0; v < s.vertexCount; v++)
            ASSERT_NEAR(palSolid_Value(s.vertices[v], &solid), 0.0, 1e-6 * size);
        ASSERT_BELOW(20.0, worstAngle(&s));
        palVec3 low, high;
        extents(&s, &low, &high);
        palVec3 extent = palSub(high, low);
        ASSERT_NEAR(fmax(extent.x, fmax(extent.y, extent.z)), size, 1e-3 * size);
        if (i == 0)
            ASSERT_NEAR(low.y, 0.0, 1e-6 * size);
        palSurface_Free(&s);
    }
}

// The peg's volume is that of a regular prism; the probe's lies below that of the round one.
static void peg_and_probe_are_rods_of_few_triangles(void** state)
{
    (void)state;
    palShapeDef def = palDefaultShapeDef(pal_shapePeg);
    palSurface peg = make(def);
    assert_int_equal(peg.triangleCount, 160);
    double section = 0.5 * 16 * def.radius * def.radius * sin(2.0 * PAL_PI / 16);
    ASSERT_NEAR(volumeOf(&peg) / (section * def.height), 1.0, 1e-12);
    palSurface_Free(&peg);

    def = palDefaultShapeDef(pal_shapeProbe);
    double R = def.radius, shaft = def.height - 2.0 * R, before = 0.0;
    double round = PAL_PI * R * R * (shaft + 4.0 / 3.0 * R);
    for (int resolution = 16; resolution <= 128; resolution *= 2)
    {
        def.resolution = resolution;
        palSurface probe = make(def);
        double missing = 1.0 - volumeOf(&probe) / round;
        assert_true(missing > 0.0);
        if (before > 0.0)
            ASSERT_NEAR(before / missing, 4.0, 0.2);
        before = missing;
        // Every vertex but the two ends is on the capsule.
        for (int v = 0; v < probe.vertexCount; v++)
        {
            palVec3 p = probe.vertices[v];
            double along = fmax(fabs(p.z) - 0.5 * shaft, 0.0);
            ASSERT_NEAR(sqrt(p.x * p.x + p.y * p.y + along * along), R, 1e-15);
        }
        palSurface_Free(&probe);
    }
    def.height = 1.5 * R;
    palSurface none;
    palError error;
    assert_int_equal(palMakeShape(&def, &none, &error), pal_errorInput);
}

// The volume against that of the field, by the share of random points that is inside.
static void organ_and_polyp_are_fine_meshes_of_their_solids(void** state)
{
    (void)state;
    const double size = 0.1;
    for (int i = 0; i < 2; i++)
    {
        palSolid solid = i == 0 ? palMakeOrgan(size) : palMakePolyp(size);
        palShapeDef def = palDefaultShapeDef(i == 0 ? pal_shapeOrgan : pal_shapePolyp);
        def.size = palMakeVec3(size, size, size);
        palSurface s = make(def);
        assert_true(s.triangleCount >= 3000 && s.triangleCount <= 20000);
        topology found = findTopology(&s);
        assert_true(isClosed(found));
        assert_int_equal(found.components, 1);
        for (int v = 0; v < s.vertexCount; v++)
            ASSERT_NEAR(palSolid_Value(s.vertices[v], &solid), 0.0, 1e-6 * size);
        ASSERT_BELOW(15.0, worstAngle(&s));
        palVec3 low, high;
        extents(&s, &low, &high);
        ASSERT_NEAR(high.x - low.x, size, 5e-3 * size);
        if (i == 1)
            ASSERT_NEAR(low.y, 0.0, 1e-6 * size);
        const int points = 1000000;
        palRandom random = palMakeRandom(51);
        int inside = 0;
        palVec3 extent = palSub(solid.bounds.high, solid.bounds.low);
        for (int k = 0; k < points; k++)
        {
            palVec3 p = solid.bounds.low;
            p.x += extent.x * palRandom_Unit(&random);
            p.y += extent.y * palRandom_Unit(&random);
            p.z += extent.z * palRandom_Unit(&random);
            inside += palSolid_Value(p, &solid) < 0.0;
        }
        double volume = extent.x * extent.y * extent.z * inside / points;
        ASSERT_NEAR(volumeOf(&s) / volume, 1.0, 0.01);
        palSurface_Free(&s);
    }
}

static void size_scales_the_statue(void** state)
{
    (void)state;
    palShapeDef def = palDefaultShapeDef(pal_shapeStatue);
    def.resolution = 64;
    palSurface small = make(def);
    def.size = palMakeVec3(0.0, 0.4, 0.1);
    palSurface large = make(def);
    ASSERT_NEAR(volumeOf(&large) / volumeOf(&small), 64.0, 0.01);
    palSurface_Free(&small);
    palSurface_Free(&large);
}

// Refused, with a remedy that names what is allowed.
static void refused(palShapeDef def, const char* remedy)
{
    palSurface surface;
    palError error = {0};
    assert_int_equal(palMakeShape(&def, &surface, &error), pal_errorInput);
    assert_int_equal(error.code, pal_errorInput);
    assert_true(error.text[0] != '\0');
    if (strstr(error.remedy, remedy) == NULL)
        fail_msg("'%s' not in '%s'", remedy, error.remedy);
    assert_null(surface.vertices);
    assert_null(surface.triangles);
    assert_int_equal(palMakeShape(&def, &surface, NULL), pal_errorInput);
}

static void impossible_lengths_are_refused_with_the_range(void** state)
{
    (void)state;
    const double bad[] = {0.0, -0.1, NAN, INFINITY, 1e-9, 1e9};
    const char* range = "from 1e-06 to 1000 m";
    for (int i = 0; i < 6; i++)
        for (int kind = 0; kind < pal_shapeHull; kind++)
        {
            palShapeDef usual = palDefaultShapeDef((palShapeKind)kind);
            palShapeDef def = usual;
            def.size = palMakeVec3(bad[i], bad[i], bad[i]);
            def.radius = bad[i];
            refused(def, range);
            def = usual;
            def.height = def.wavelength = bad[i];
            bool isWave = kind == pal_shapeSine || kind == pal_shapeSineBlock;
            bool isRod = kind == pal_shapeCylinder || kind == pal_shapePeg ||
                         kind == pal_shapeProbe || kind == pal_shapeCapsule;
            if (isRod || isWave)
                refused(def, range);
            def = usual;
            def.amplitude = bad[i];
            if (isWave)
                refused(def, range);
        }
    palShapeDef statue = palDefaultShapeDef(pal_shapeStatue);
    statue.size.z = NAN;
    refused(statue, range);
}

static void impossible_resolutions_are_refused_with_the_range(void** state)
{
    (void)state;
    const int bad[] = {1, -1, 1000000000, INT32_MIN, INT32_MAX};
    const char* range[pal_shapeKindCount] = {
        [pal_shapePlane] = "from 2 to 3000",     [pal_shapeSine] = "from 8 to 20000",
        [pal_shapeBox] = "from 2 to 1000",       [pal_shapeCylinder] = "from 6 to 3000",
        [pal_shapeSphere] = "from 6 to 3000",    [pal_shapeStatue] = "from 64 to 512",
        [pal_shapeRocker] = "from 40 to 512",    [pal_shapeSineBlock] = "from 8 to 20000",
        [pal_shapePeg] = "from 4 to 256",        [pal_shapeProbe] = "from 8 to 256",
        [pal_shapeOrgan] = "from 24 to 512",     [pal_shapePolyp] = "from 24 to 512",
        [pal_shapeHalfSpace] = "from 2 to 3000", [pal_shapeCapsule] = "from 8 to 256",
    };
    for (int kind = 0; kind < pal_shapeHull; kind++)
        for (int i = 0; i < 5; i++)
        {
            palShapeDef def = palDefaultShapeDef((palShapeKind)kind);
            def.resolution = bad[i];
            refused(def, range[kind]);
        }
}

static void meshes_beyond_reason_are_refused(void** state)
{
    (void)state;
    refused((palShapeDef){.kind = pal_shapeCylinder, .radius = 1e-6, .height = 1e3}, "lower the");
    refused(
        (palShapeDef){
            .kind = pal_shapeSine, .size = {1e-6, 0, 1e3}, .amplitude = 0.1, .wavelength = 1.0},
        "lower the");
    palShapeDef coarse = palDefaultShapeDef(pal_shapeSine);
    coarse.resolution = 50; // about four cells a wavelength
    refused(coarse, "at least 96");
    palShapeDef thin = palDefaultShapeDef(pal_shapeSineBlock);
    thin.size.y = 0.004;
    refused(thin, "above the amplitude, 0.005 m");
}

static void kinds_have_names(void** state)
{
    (void)state;
    const char* names[] = {"plane",     "sine",   "sine-block", "box",     "cylinder",
                           "sphere",    "statue", "rocker",     "peg",     "probe",
                           "organ",     "polyp",  "half-space", "capsule", "hull",
                           "extrusion", "sleeve", "vessel"};
    for (int kind = 0; kind < pal_shapeKindCount; kind++)
        assert_string_equal(palShapeKind_Name((palShapeKind)kind), names[kind]);
    assert_null(palShapeKind_Name(pal_shapeKindCount));
    assert_null(palShapeKind_Name((palShapeKind)-1));
    refused((palShapeDef){.kind = pal_shapeKindCount, .resolution = 10}, "");
}

static void same_definition_gives_the_same_surface(void** state)
{
    (void)state;
    for (int kind = 0; kind < pal_shapeHull; kind++)
    {
        bool isModel = kind == pal_shapeStatue || kind == pal_shapeRocker;
        bool isSoft = kind == pal_shapeOrgan || kind == pal_shapePolyp;
        int resolution = isModel ? 64 : isSoft ? 24 : 0;
        palSurface a = makeAt((palShapeKind)kind, resolution);
        palSurface b = makeAt((palShapeKind)kind, resolution);
        assert_int_equal(a.vertexCount, b.vertexCount);
        assert_int_equal(a.triangleCount, b.triangleCount);
        size_t bytes = (size_t)a.vertexCount * sizeof *a.vertices;
        assert_memory_equal(a.vertices, b.vertices, bytes);
        assert_memory_equal(a.triangles, b.triangles, (size_t)a.triangleCount * sizeof(int[3]));
        palSurface_Free(&a);
        palSurface_Free(&b);
    }
}

// A tetrahedron, and a prism over an angle: their volumes, and what is none of them.
static void hulls_and_extrusions_are_what_their_corners_hold(void** state)
{
    (void)state;
    palShapePoint corners[] = {
        {{0, 0, 0}}, {{0.1, 0, 0}}, {{0, 0.2, 0}}, {{0, 0, 0.3}}, {{0.01, 0.01, 0.01}}};
    palShapeDef hull = palDefaultShapeDef(pal_shapeHull);
    hull.points = corners;
    hull.pointCount = 4;
    palSurface surface = make(hull);
    ASSERT_NEAR(volumeOf(&surface), 0.1 * 0.2 * 0.3 / 6.0, 1e-15);
    palSurface_Free(&surface);
    hull.pointCount = 5;
    refused(hull, "take the point out");
    hull.pointCount = 3;
    refused(hull, "four points");
    palShapePoint angle[] = {{{0, 0, 0}},       {{0.1, 0, 0}},    {{0.1, 0.02, 0}},
                             {{0.02, 0.02, 0}}, {{0.02, 0.1, 0}}, {{0, 0.1, 0}}};
    palShapeDef prism = palDefaultShapeDef(pal_shapeExtrusion);
    prism.points = angle;
    prism.pointCount = 6;
    prism.height = 0.05;
    surface = make(prism);
    ASSERT_NEAR(volumeOf(&surface), 0.05 * (0.1 * 0.02 + 0.08 * 0.02), 1e-15);
    palSurface_Free(&surface);
    prism.height = -1.0;
    refused(prism, "positive length");
    prism.height = 0.05;
    prism.pointCount = 2;
    refused(prism, "three or more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_shapes_are_manifolds_of_their_genus),
        cmocka_unit_test(boxes_of_unequal_sides_are_closed_and_exact),
        cmocka_unit_test(sheets_are_discs_that_face_outside),
        cmocka_unit_test(sine_sheet_lies_on_the_sine),
        cmocka_unit_test(sine_block_is_the_sine_over_a_flat_bottom),
        cmocka_unit_test(round_shapes_converge_in_second_order),
        cmocka_unit_test(sphere_is_near_uniform),
        cmocka_unit_test(cylinder_has_good_triangles_on_the_cylinder),
        cmocka_unit_test(statue_and_rocker_are_fine_meshes_of_their_solids),
        cmocka_unit_test(peg_and_probe_are_rods_of_few_triangles),
        cmocka_unit_test(organ_and_polyp_are_fine_meshes_of_their_solids),
        cmocka_unit_test(size_scales_the_statue),
        cmocka_unit_test(impossible_lengths_are_refused_with_the_range),
        cmocka_unit_test(impossible_resolutions_are_refused_with_the_range),
        cmocka_unit_test(meshes_beyond_reason_are_refused),
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(same_definition_gives_the_same_surface),
        cmocka_unit_test(hulls_and_extrusions_are_what_their_corners_hold),
    };
    return RUN(tests);
}

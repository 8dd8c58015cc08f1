// SPDX-License-Identifier: Apache-2.0
// Convex edges and vertices: which a surface has, and where two edges in motion cross, against
// brute force.
#include "check.h"

#include "base/random.h"
#include "collide/continuous.h"
#include "collide/sharp_feature.h"
#include "math/quat.h"
#include "mesh/shapes.h"

static palSharpFeatures featuresOf(const palShapeDef* shape, double angle, bool closed)
{
    palSurface surface;
    palTopology topology;
    palSharpFeatures sharp;
    assert_int_equal(palMakeShape(shape, &surface, NULL), pal_ok);
    assert_int_equal(palTopology_Init(&topology, &surface, NULL), pal_ok);
    assert_int_equal(palSharpFeatures_Init(&sharp, &surface, &topology, closed, angle, true, NULL),
                     pal_ok);
    palTopology_Free(&topology);
    palSurface_Free(&surface);
    return sharp;
}

static void a_box_has_its_rims_and_what_is_flat_is_left_out(void** state)
{
    (void)state;
    palShapeDef box = palDefaultShapeDef(pal_shapeBox);
    box.size = palMakeVec3(0.03, 0.03, 0.03);
    box.resolution = 3;
    palSharpFeatures sharp = featuresOf(&box, 0.1, true);
    int edges = 0, vertices = 0;
    double length = 0.0;
    for (int i = 0; i < sharp.count; i++)
    {
        const palSharpFeature* feature = &sharp.features[i];
        edges += !feature->isVertex;
        vertices += feature->isVertex;
        length += palDistance(feature->ends[0], feature->ends[1]);
        if (feature->isVertex)
        {
            // Straight out is a normal of every corner, straight in is none.
            palVec3 out = palNormalize(feature->ends[0]);
            assert_true(palSharpFeature_Admits(feature, feature->into[0]));
            assert_false(palSharpFeature_Admits(feature, palNeg(out)));
            continue;
        }
        // Both faces fall away from the direction out of the box.
        palVec3 out = palScale(0.5, palAdd(feature->ends[0], feature->ends[1]));
        ASSERT_BELOW(palDot(out, feature->into[0]), 0.0);
        ASSERT_BELOW(palDot(out, feature->into[1]), 0.0);
        ASSERT_NEAR(palDot(feature->into[0], feature->into[1]), 0.0, 1e-12);
    }
    assert_int_equal(edges, 36);
    assert_int_equal(vertices, 8 + 24); // corners, and those along the rims
    ASSERT_NEAR(length, 12 * 0.03, 1e-12);
    ASSERT_NEAR(sharp.longest, 0.01, 1e-12);
    palSharpFeatures_Free(&sharp);
}

static void a_sheet_has_both_sides_and_its_boundary(void** state)
{
    (void)state;
    palShapeDef sine = palDefaultShapeDef(pal_shapeSine);
    sine.amplitude = 0.005;
    sine.wavelength = 0.025;
    sine.size = palMakeVec3(0.1, 0.0, 0.02);
    sine.resolution = 160;
    palSharpFeatures sharp = featuresOf(&sine, 0.02, false);
    int above = 0, below = 0;
    for (int i = 0; i < sharp.count; i++)
    {
        const palSharpFeature* feature = &sharp.features[i];
        palVec3 sum = palAdd(feature->into[0], feature->into[1]);
        if (feature->isVertex || palDistance(feature->into[0], feature->into[1]) < 1e-9)
            continue;
        above += sum.y < 0.0; // a crest: the faces go down
        below += sum.y > 0.0;
    }
    assert_true(above > 20 && below > 20);
    palSharpFeatures_Free(&sharp);
}

static void mark(int index, void* data)
{
    ((bool*)data)[index] = true;
}

static void a_visit_finds_what_is_near_a_segment(void** state)
{
    (void)state;
    palShapeDef box = palDefaultShapeDef(pal_shapeBox);
    box.size = palMakeVec3(0.08, 0.06, 0.07);
    box.resolution = 8;
    palSharpFeatures sharp = featuresOf(&box, 0.1, true);
    bool* seen = calloc((size_t)sharp.count, sizeof *seen);
    assert_non_null(seen);
    palRandom random = palMakeRandom(5);
    int near = 0;
    for (int i = 0; i < 300; i++)
    {
        palVec3 ends[2];
        double size = 0.1, distance = 0.01 * palRandom_Unit(&random);
        for (int k = 0; k < 2; k++)
            ends[k] = palMakeVec3(size * (palRandom_Unit(&random) - 0.5),
                                  size * (palRandom_Unit(&random) - 0.5),
                                  size * (palRandom_Unit(&random) - 0.5));
        memset(seen, 0, (size_t)sharp.count * sizeof *seen);
        palSharpFeatures_Visit(&sharp, ends[0], ends[1], distance, mark, seen);
        for (int f = 0; f < sharp.count; f++)
        {
            double s, t;
            double square = palClosestOnSegments(ends, sharp.features[f].ends, &s, &t);
            if (square > distance * distance)
                continue;
            assert_true(seen[f]);
            near++;
        }
    }
    assert_true(near > 100);
    free(seen);
    palSharpFeatures_Free(&sharp);
}

// An edge along the direction d through x, with faces that fall away from n.
static palSharpFeature edgeAt(palVec3 x, palVec3 d, palVec3 n, double length, double bend)
{
    palSharpFeature edge = {
        .ends = {palMulAdd(x, -0.5 * length, d), palMulAdd(x, 0.5 * length, d)}};
    palVec3 side = palCross(d, n);
    for (int k = 0; k < 2; k++)
        edge.into[k] =
            palAdd(palScale(-sin(bend), n), palScale(k == 0 ? cos(bend) : -cos(bend), side));
    edge.size = length;
    return edge;
}

static palSharpFeature moved(const palSharpFeature* edge, palVec3 by)
{
    palSharpFeature other = *edge;
    for (int k = 0; k < 2; k++)
        other.ends[k] = palAdd(edge->ends[k], by);
    return other;
}

// The edge of a, above, has its faces upwards; b comes from below.
static void edges_cross_where_they_pass_within_both(void** state)
{
    (void)state;
    const palVec3 up = {0, 1, 0}, x = {1, 0, 0}, z = {0, 0, 1};
    const palCrossingLimits limits = {.margin = 1e-9, .slack = 1e-8, .entry = 1e-6};
    palRandom random = palMakeRandom(11);
    int crossed = 0;
    for (int i = 0; i < 2000; i++)
    {
        palSharpFeature a = edgeAt(pal_zeroVec3, x, palNeg(up), 0.02, 0.6);
        palVec3 at = {0.02 * (palRandom_Unit(&random) - 0.5), -0.001,
                      0.02 * (palRandom_Unit(&random) - 0.5)};
        palSharpFeature start = edgeAt(at, z, up, 0.01, 0.6);
        palVec3 by = {0.002 * (palRandom_Unit(&random) - 0.5), 0.004 * palRandom_Unit(&random),
                      0.002 * (palRandom_Unit(&random) - 0.5)};
        palSharpFeature end = moved(&start, by);
        // b passes y = 0 at the time t, there and then within both or not.
        double t = 0.001 / by.y;
        bool isThrough = t < 1.0 && fabs(at.x + t * by.x) < 0.01 && fabs(at.z + t * by.z) < 0.005;
        // Or it ends within both, above, and came in from the side: that is something else's.
        palEdgeGap gap;
        bool found = palEdges_Cross(&a, &start, &end, &limits, &gap);
        assert_int_equal(found, isThrough);
        crossed += found;
        // On the way back out nothing is crossed, nor with the faces on the other side.
        assert_false(palEdges_Cross(&a, &end, &start, &limits, &gap));
        palSharpFeature back = edgeAt(pal_zeroVec3, x, up, 0.02, 0.6);
        assert_false(palEdges_Cross(&back, &start, &end, &limits, &gap));
    }
    assert_true(crossed > 200);
    // The normal is from b to a, and the distance that of the lines.
    palSharpFeature a = edgeAt(pal_zeroVec3, x, palNeg(up), 0.02, 0.6);
    palSharpFeature b = edgeAt(palMakeVec3(0.004, -0.003, 0.001), z, up, 0.01, 0.6);
    palEdgeGap gap;
    assert_true(palEdgeGap_Make(&a, &b, &gap));
    ASSERT_NEAR(gap.n.y, 1.0, 1e-12);
    ASSERT_NEAR(gap.distance, 0.003, 1e-15);
    ASSERT_NEAR(gap.s, 0.7, 1e-12);
    ASSERT_NEAR(gap.t, 0.4, 1e-12);
    // Parallel edges have no normal.
    palSharpFeature along = edgeAt(palMakeVec3(0.0, -0.003, 0.0), x, up, 0.01, 0.6);
    assert_false(palEdgeGap_Make(&a, &along, &gap));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_its_rims_and_what_is_flat_is_left_out),
        cmocka_unit_test(a_sheet_has_both_sides_and_its_boundary),
        cmocka_unit_test(a_visit_finds_what_is_near_a_segment),
        cmocka_unit_test(edges_cross_where_they_pass_within_both),
    };
    return RUN(tests);
}

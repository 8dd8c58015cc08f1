// SPDX-License-Identifier: Apache-2.0
#include "bodies.h"

#include "base/random.h"
#include "mesh/shapes.h"
#include "mesh/topology.h"

typedef struct Nearest
{
    double distance;
    palVec3 point;
    int triangle;
    palTriangleFeature feature;
} Nearest;

static void offer(Nearest* best, palVec3 p, palVec3 candidate, int triangle, int feature)
{
    double distance = palDistance(p, candidate);
    if (distance < best->distance)
        *best = (Nearest){distance, candidate, triangle, (palTriangleFeature)feature};
}

// The closest point by brute force: every corner, then every side, then every face, each offered
// where the foot of the perpendicular falls inside it.
static Nearest nearestOnSurface(const palSurface* surface, palVec3 p)
{
    Nearest best = {.distance = INFINITY};
    for (int t = 0; t < surface->triangleCount; t++)
    {
        palVec3 c[3];
        for (int k = 0; k < 3; k++)
        {
            c[k] = surface->vertices[surface->triangles[t][k]];
            offer(&best, p, c[k], t, pal_featureVertex0 + k);
        }
        for (int k = 0; k < 3; k++)
        {
            palVec3 side = palSub(c[(k + 1) % 3], c[k]);
            double s = palDot(palSub(p, c[k]), side) / palDot(side, side);
            if (s > 0.0 && s < 1.0)
                offer(&best, p, palMulAdd(c[k], s, side), t, pal_featureEdge0 + k);
        }
        palVec3 n = palCross(palSub(c[1], c[0]), palSub(c[2], c[0]));
        palVec3 foot = palMulAdd(p, -palDot(palSub(p, c[0]), n) / palDot(n, n), n);
        bool inside = true;
        for (int k = 0; k < 3; k++)
            inside = inside &&
                     palDot(palCross(palSub(c[(k + 1) % 3], c[k]), palSub(foot, c[k])), n) > 0.0;
        if (inside)
            offer(&best, p, foot, t, pal_featureFace);
    }
    return best;
}

static bool insideCube(palVec3 p)
{
    return p.x > 0 && p.x < 1 && p.y > 0 && p.y < 1 && p.z > 0 && p.z < 1;
}

static bool insideElbow(palVec3 p)
{
    bool foot = p.x > 0 && p.x < 2 && p.y > 0 && p.y < 1;
    bool leg = p.x > 0 && p.x < 1 && p.y > 0 && p.y < 2;
    return (foot || leg) && p.z > 0 && p.z < 1;
}

// Compares the sign that the closest feature's normal gives with the analytic inside.
static void checkSigns(palSurface surface, bool (*inside)(palVec3), double side)
{
    palTopology topology;
    palError error;
    assert_int_equal(palTopology_Init(&topology, &surface, &error), pal_ok);
    palRandom random = palMakeRandom(7);
    int seen[7] = {0};
    for (int i = 0; i < 20000; i++)
    {
        palVec3 p = {palRandom_Range(&random, -0.5, side + 0.5),
                     palRandom_Range(&random, -0.5, side + 0.5),
                     palRandom_Range(&random, -0.5, 1.5)};
        Nearest nearest = nearestOnSurface(&surface, p);
        palVec3 n = palTopology_Normal(&topology, &surface, nearest.triangle, nearest.feature);
        ASSERT_NEAR(palLength(n), 1.0, 1e-12);
        bool within = palDot(palSub(p, nearest.point), n) < 0.0;
        assert_int_equal(within, inside(p));
        seen[nearest.feature]++;
    }
    for (int feature = 0; feature < 7; feature++)
        assert_true(seen[feature] > 0);
    palTopology_Free(&topology);
    palSurface_Free(&surface);
}

static void the_sign_of_the_distance_is_right_around_a_cube(void** state)
{
    (void)state;
    checkSigns(makeCube(), insideCube, 1.0);
}

static void the_sign_of_the_distance_is_right_around_a_groove(void** state)
{
    (void)state;
    checkSigns(makeElbow(), insideElbow, 2.0);
}

static void a_cube_has_twelve_ridges_and_six_flat_diagonals(void** state)
{
    (void)state;
    palSurface cube = makeCube();
    palTopology topology;
    palError error;
    assert_int_equal(palTopology_Init(&topology, &cube, &error), pal_ok);
    assert_int_equal(topology.edgeCount, 18);
    int ridges = 0, flat = 0;
    for (int e = 0; e < topology.edgeCount; e++)
    {
        assert_true(topology.edgeTriangles[e][1] >= 0);
        bool ridge = topology.edgeKinds[e] == pal_edgeConvex;
        ridges += ridge;
        flat += topology.edgeKinds[e] == pal_edgeFlat;
        ASSERT_NEAR(topology.edgeAngles[e], ridge ? PAL_PI / 2 : 0.0, 1e-15);
    }
    assert_int_equal(ridges, 12);
    assert_int_equal(flat, 6);
    // By symmetry every corner of a cube faces along its diagonal.
    for (int v = 0; v < 8; v++)
    {
        palVec3 diagonal = palNormalize(palSub(cube.vertices[v], palMakeVec3(0.5, 0.5, 0.5)));
        ASSERT_NEAR(palDistance(topology.vertexNormals[v], diagonal), 0.0, 1e-15);
    }
    palTopology_Free(&topology);
    palSurface_Free(&cube);
}

static void an_elbow_has_one_groove(void** state)
{
    (void)state;
    palSurface elbow = makeElbow();
    palTopology topology;
    palError error;
    assert_int_equal(palTopology_Init(&topology, &elbow, &error), pal_ok);
    int grooves = 0;
    for (int e = 0; e < topology.edgeCount; e++)
    {
        if (topology.edgeKinds[e] != pal_edgeConcave)
            continue;
        grooves++;
        assert_int_equal(topology.edges[e][0], 3);
        assert_int_equal(topology.edges[e][1], 9);
        ASSERT_NEAR(topology.edgeAngles[e], -PAL_PI / 2, 1e-15);
    }
    assert_int_equal(grooves, 1);
    palTopology_Free(&topology);
    palSurface_Free(&elbow);
}

static void edges_and_triangles_name_each_other(void** state)
{
    (void)state;
    palSurface torus = makeTorus(9);
    palTopology topology;
    palError error;
    assert_int_equal(palTopology_Init(&topology, &torus, &error), pal_ok);
    assert_int_equal(topology.edgeCount, 3 * torus.triangleCount / 2);
    for (int t = 0; t < torus.triangleCount; t++)
        for (int k = 0; k < 3; k++)
        {
            int e = topology.triangleEdges[t][k];
            int a = torus.triangles[t][k], b = torus.triangles[t][(k + 1) % 3];
            assert_int_equal(topology.edges[e][0], a < b ? a : b);
            assert_int_equal(topology.edges[e][1], a < b ? b : a);
            assert_true(topology.edgeTriangles[e][0] == t || topology.edgeTriangles[e][1] == t);
        }
    palTopology_Free(&topology);
    palSurface_Free(&torus);
}

static void refreshed_normals_follow_the_vertices(void** state)
{
    (void)state;
    palSurface surface = makeElbow();
    palTopology moved, fresh;
    palError error;
    assert_int_equal(palTopology_Init(&moved, &surface, &error), pal_ok);
    // Pulled out, the groove's edge becomes a ridge.
    surface.vertices[3] = palMakeVec3(1.8, 1.8, 0);
    surface.vertices[9] = palMakeVec3(1.8, 1.8, 1);
    palTopology_Refresh(&moved, &surface);
    assert_int_equal(palTopology_Init(&fresh, &surface, &error), pal_ok);
    int grooves = 0;
    for (int e = 0; e < moved.edgeCount; e++)
    {
        grooves += moved.edgeKinds[e] == pal_edgeConcave;
        assert_int_equal(moved.edgeKinds[e], fresh.edgeKinds[e]);
        ASSERT_NEAR(moved.edgeAngles[e], fresh.edgeAngles[e], 0.0);
        ASSERT_NEAR(palDistance(moved.edgeNormals[e], fresh.edgeNormals[e]), 0.0, 0.0);
    }
    assert_int_equal(grooves, 0);
    for (int v = 0; v < moved.vertexCount; v++)
        ASSERT_NEAR(palDistance(moved.vertexNormals[v], fresh.vertexNormals[v]), 0.0, 0.0);
    palTopology_Free(&moved);
    palTopology_Free(&fresh);
    palSurface_Free(&surface);
}

static void boundary_and_crowded_edges_are_marked(void** state)
{
    (void)state;
    // Three triangles share the edge 0-1; the last two share 1-4 and disagree.
    static const double vertices[6][3] = {{0, 0, 0}, {0, 0, 1},  {1, 0, 0},
                                          {0, 1, 0}, {-1, 0, 0}, {-1, 0, 1}};
    static const int triangles[4][3] = {{0, 1, 2}, {0, 1, 3}, {1, 0, 4}, {4, 1, 5}};
    palSurface surface = makeSurface(6, vertices, 4, triangles);
    palTopology topology;
    palError error;
    assert_int_equal(palTopology_Init(&topology, &surface, &error), pal_ok);
    for (int e = 0; e < topology.edgeCount; e++)
    {
        const int* edge = topology.edges[e];
        palEdgeKind kind = pal_edgeBoundary;
        if (edge[0] == 0 && edge[1] == 1)
            kind = pal_edgeNonManifold;
        else if (edge[0] == 1 && edge[1] == 4)
            kind = pal_edgeMisoriented;
        assert_int_equal(topology.edgeKinds[e], kind);
        assert_int_equal(topology.edgeTriangles[e][1] < 0, kind == pal_edgeBoundary);
    }
    palTopology_Free(&topology);
    palSurface_Free(&surface);
}

static palVec3 smoothAt(const palTopology* topology, const palSurface* surface, int t,
                        const double weights[3])
{
    return palTopology_SmoothNormal(topology, surface, t, weights, 0.25 * PAL_PI);
}

// The same from both sides of every edge, and radial on a sphere to the second order of the
// triangles' size.
static void smooth_normals_meet_at_the_edges(void** state)
{
    (void)state;
    palShapeDef sphere = palDefaultShapeDef(pal_shapeSphere);
    sphere.radius = 0.03;
    sphere.resolution = 40;
    palSurface surface;
    palTopology topology;
    assert_int_equal(palMakeShape(&sphere, &surface, NULL), pal_ok);
    assert_int_equal(palTopology_Init(&topology, &surface, NULL), pal_ok);
    for (int t = 0; t < surface.triangleCount; t++)
        for (int k = 0; k < 3; k++)
        {
            const int* corner = surface.triangles[t];
            double here[3] = {0.0}, there[3] = {0.0};
            here[k] = 0.7, here[(k + 1) % 3] = 0.3;
            const int* sides = topology.edgeTriangles[topology.triangleEdges[t][k]];
            int other = sides[0] == t ? sides[1] : sides[0];
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++)
                    if (surface.triangles[other][j] == corner[i])
                        there[j] = here[i];
            palVec3 n = smoothAt(&topology, &surface, t, here);
            ASSERT_BELOW(palDistance(n, smoothAt(&topology, &surface, other, there)), 1e-12);
            palVec3 p =
                palLerp(surface.vertices[corner[k]], surface.vertices[corner[(k + 1) % 3]], 0.3);
            double size =
                palDistance(surface.vertices[corner[k]], surface.vertices[corner[(k + 1) % 3]]);
            ASSERT_BELOW(palDistance(n, palNormalize(p)), pow(size / sphere.radius, 2.0));
        }
    palTopology_Free(&topology);
    palSurface_Free(&surface);
}

static void smooth_normals_keep_the_faces_of_a_box(void** state)
{
    (void)state;
    palShapeDef box = palDefaultShapeDef(pal_shapeBox);
    box.resolution = 3;
    palSurface surface;
    palTopology topology;
    assert_int_equal(palMakeShape(&box, &surface, NULL), pal_ok);
    assert_int_equal(palTopology_Init(&topology, &surface, NULL), pal_ok);
    palRandom random = palMakeRandom(8);
    for (int t = 0; t < surface.triangleCount; t++)
    {
        double a = palRandom_Range(&random, 0.0, 0.5), b = palRandom_Range(&random, 0.0, 0.5);
        palVec3 n = smoothAt(&topology, &surface, t, (const double[3]){a, b, 1.0 - a - b});
        ASSERT_BELOW(palDistance(n, topology.triangleNormals[t]), 1e-12);
    }
    palTopology_Free(&topology);
    palSurface_Free(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sign_of_the_distance_is_right_around_a_cube),
        cmocka_unit_test(the_sign_of_the_distance_is_right_around_a_groove),
        cmocka_unit_test(a_cube_has_twelve_ridges_and_six_flat_diagonals),
        cmocka_unit_test(an_elbow_has_one_groove),
        cmocka_unit_test(edges_and_triangles_name_each_other),
        cmocka_unit_test(refreshed_normals_follow_the_vertices),
        cmocka_unit_test(boundary_and_crowded_edges_are_marked),
        cmocka_unit_test(smooth_normals_meet_at_the_edges),
        cmocka_unit_test(smooth_normals_keep_the_faces_of_a_box),
    };
    return RUN(tests);
}

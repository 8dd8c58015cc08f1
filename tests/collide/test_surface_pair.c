// SPDX-License-Identifier: Apache-2.0
// Contacts of two moving surfaces against every pair of features, and against geometry.
#include "collide/surface_pair.h"
#include "math/quat.h"
#include "mesh/shapes.h"
#include "soup.h"

// The two surfaces of a test and where their vertices are.
typedef struct Scene
{
    palSurface tool, soft;        // as made; the soft one's vertices are its start
    palVec3 *toolStart, *toolEnd; // owned
    palVec3* softEnd;             // owned
    palMovingSurface moving[2];   // of tool and soft
    palSurfacePair pair;
    palContactList list;
} Scene;

static palSurface shape(palShapeDef def)
{
    palSurface surface;
    palError error;
    if (palMakeShape(&def, &surface, &error) != pal_ok)
        fail_msg("%s; %s", error.text, error.remedy);
    return surface;
}

static palVec3* copyOf(const palSurface* surface)
{
    palVec3* copy = malloc((size_t)surface->vertexCount * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, surface->vertices, (size_t)surface->vertexCount * sizeof *copy);
    return copy;
}

// Takes the surfaces over.
static Scene makeScene(palSurface tool, palSurface soft)
{
    Scene scene = {.tool = tool, .soft = soft};
    scene.toolStart = copyOf(&tool);
    scene.toolEnd = copyOf(&tool);
    scene.softEnd = copyOf(&soft);
    assert_int_equal(palMovingSurface_Init(&scene.moving[0], &tool, NULL), pal_ok);
    assert_int_equal(palMovingSurface_Init(&scene.moving[1], &soft, NULL), pal_ok);
    assert_int_equal(palContactList_Init(&scene.list, 100000, NULL), pal_ok);
    return scene;
}

static void freeScene(Scene* scene)
{
    palMovingSurface_Free(&scene->moving[0]);
    palMovingSurface_Free(&scene->moving[1]);
    palContactList_Free(&scene->list);
    palSurface_Free(&scene->tool);
    palSurface_Free(&scene->soft);
    free(scene->toolStart);
    free(scene->toolEnd);
    free(scene->softEnd);
}

static void place(const palSurface* surface, palQuat q, palVec3 x, palVec3* vertices)
{
    for (int i = 0; i < surface->vertexCount; i++)
        vertices[i] = palAdd(x, palRotate(q, surface->vertices[i]));
}

static void move(Scene* scene)
{
    palMovingSurface_Move(&scene->moving[0], scene->toolStart, scene->toolEnd);
    palMovingSurface_Move(&scene->moving[1], scene->soft.vertices, scene->softEnd);
    scene->pair = (palSurfacePair){.a = &scene->moving[0], .b = &scene->moving[1]};
}

// A rest where nothing moves and the tool is at x.
static void rest(Scene* scene, palQuat q, palVec3 x)
{
    place(&scene->tool, q, x, scene->toolStart);
    place(&scene->tool, q, x, scene->toolEnd);
    move(scene);
}

static int compareInts(const void* a, const void* b, int count)
{
    const int *p = a, *q = b;
    for (int i = 0; i < count; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

// A contact by its features: kind and sorted vertices.
typedef struct Key
{
    int kind, tool[3], soft[3];
    double t;
} Key;

static void sortThree(int v[3])
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (v[k] > v[k + 1])
            {
                int swap = v[k];
                v[k] = v[k + 1], v[k + 1] = swap;
            }
}

static Key keyOf(int kind, const int* tool, int toolCount, const int* soft, int softCount, double t)
{
    Key key = {kind, {-1, -1, -1}, {-1, -1, -1}, t};
    memcpy(key.tool, tool, (size_t)toolCount * sizeof *tool);
    memcpy(key.soft, soft, (size_t)softCount * sizeof *soft);
    sortThree(key.tool);
    sortThree(key.soft);
    return key;
}

static int compareKeys(const void* a, const void* b)
{
    return compareInts(a, b, 7);
}

// The edges of a surface, each once, by looking at all triangles.
static int edgesOf(const palSurface* surface, int (*edges)[2])
{
    int count = 0;
    for (int i = 0; i < 3 * surface->triangleCount; i++)
    {
        int a = surface->triangles[i / 3][i % 3], b = surface->triangles[i / 3][(i + 1) % 3];
        int low = a < b ? a : b, high = a < b ? b : a;
        bool known = false;
        for (int k = 0; k < count && !known; k++)
            known = edges[k][0] == low && edges[k][1] == high;
        if (known)
            continue;
        edges[count][0] = low;
        edges[count++][1] = high;
    }
    return count;
}

// Every pair of features that touches, by testing all.
static int sweepAll(const Scene* scene, Key* keys)
{
    const palSurface *tool = &scene->tool, *soft = &scene->soft;
    const palMovingSurface *T = &scene->moving[0], *S = &scene->moving[1];
    int count = 0;
    palImpact impact;
    palMovingPoint p[3], q[3];
    for (int v = 0; v < tool->vertexCount; v++)
        for (int t = 0; t < soft->triangleCount; t++)
        {
            for (int k = 0; k < 3; k++)
                q[k] = palMovingSurface_Vertex(S, soft->triangles[t][k]);
            if (palImpact_VertexFace(palMovingSurface_Vertex(T, v), q, &impact))
                keys[count++] =
                    keyOf(pal_contactVertexFace, &v, 1, soft->triangles[t], 3, impact.t);
        }
    for (int v = 0; v < soft->vertexCount; v++)
        for (int t = 0; t < tool->triangleCount; t++)
        {
            for (int k = 0; k < 3; k++)
                p[k] = palMovingSurface_Vertex(T, tool->triangles[t][k]);
            if (palImpact_VertexFace(palMovingSurface_Vertex(S, v), p, &impact))
                keys[count++] =
                    keyOf(pal_contactFaceVertex, tool->triangles[t], 3, &v, 1, impact.t);
        }
    static int a[3000][2], b[3000][2];
    int toolEdges = edgesOf(tool, a), softEdges = edgesOf(soft, b);
    for (int i = 0; i < toolEdges; i++)
        for (int j = 0; j < softEdges; j++)
        {
            for (int k = 0; k < 2; k++)
            {
                p[k] = palMovingSurface_Vertex(T, a[i][k]);
                q[k] = palMovingSurface_Vertex(S, b[j][k]);
            }
            if (palImpact_EdgeEdge(p, q, &impact))
                keys[count++] = keyOf(pal_contactEdgeEdge, a[i], 2, b[j], 2, impact.t);
        }
    return count;
}

static void a_sweep_finds_what_testing_all_pairs_finds(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(41);
    static Key found[100000], expected[100000];
    int total = 0;
    for (int i = 0; i < 6; i++)
    {
        palShapeDef ball = {.kind = pal_shapeSphere, .radius = 0.05, .resolution = 24};
        palShapeDef box = {.kind = pal_shapeBox, .size = {0.02, 0.03, 0.06}, .resolution = 4};
        Scene scene = makeScene(shape(i % 2 == 0 ? box : ball), shape(ball));
        palVec3 from = palMulAdd(randomVec3(&random, 0.01), 0.085, palMakeVec3(0, 0, 1));
        palQuat turn = palMakeQuatRotationVector(randomVec3(&random, 0.5));
        place(&scene.tool, pal_identityQuat, from, scene.toolStart);
        place(&scene.tool, turn, palAdd(from, palMakeVec3(0.005, 0, -0.02)), scene.toolEnd);
        for (int v = 0; v < scene.soft.vertexCount; v++)
            scene.softEnd[v] = palAdd(scene.soft.vertices[v], randomVec3(&random, 0.003));
        move(&scene);
        palSurfacePair_Sweep(&scene.pair, &scene.list);
        assert_false(scene.list.overflow);
        for (int k = 0; k < scene.list.count; k++)
        {
            const palSurfaceContact* c = &scene.list.contacts[k];
            found[k] = keyOf(c->kind, c->a.vertices, c->a.count, c->b.vertices, c->b.count, c->t);
            ASSERT_NEAR(palLength(c->normal), 1.0, 1e-12);
        }
        int count = sweepAll(&scene, expected);
        assert_int_equal(scene.list.count, count);
        qsort(found, (size_t)count, sizeof *found, compareKeys);
        qsort(expected, (size_t)count, sizeof *expected, compareKeys);
        for (int k = 0; k < count; k++)
        {
            assert_int_equal(compareKeys(&found[k], &expected[k]), 0);
            // An edge may be given from either end, which rounds differently.
            ASSERT_NEAR(found[k].t, expected[k].t, 1e-9);
        }
        total += count;
        freeScene(&scene);
    }
    assert_true(total > 200);
}

static void a_tool_that_passes_through_a_sheet_in_one_step_is_seen(void** state)
{
    (void)state;
    // A box whose bottom is 10 mm above the sheet and goes down by 100 mm: contact after a tenth.
    palShapeDef box = {.kind = pal_shapeBox, .size = {0.013, 0.017, 0.02}, .resolution = 2};
    const palShapeDef sheets[2] = {
        {.kind = pal_shapePlane, .size = {0.2, 0.2, 0}, .resolution = 30},
        {.kind = pal_shapeBox, .size = {0.2, 0.2, 0.0004}, .resolution = 30},
    };
    for (int i = 0; i < 2; i++)
    {
        Scene scene = makeScene(shape(box), shape(sheets[i]));
        double top = i == 0 ? 0.0 : 0.0002;
        place(&scene.tool, pal_identityQuat, palMakeVec3(0.001, 0.002, top + 0.02),
              scene.toolStart);
        place(&scene.tool, pal_identityQuat, palMakeVec3(0.001, 0.002, top - 0.08), scene.toolEnd);
        move(&scene);
        palSurfacePair_Sweep(&scene.pair, &scene.list);
        double first = INFINITY;
        bool corner = false;
        for (int k = 0; k < scene.list.count; k++)
        {
            const palSurfaceContact* c = &scene.list.contacts[k];
            first = fmin(first, c->t);
            // The bottom's vertices meet the upper side, which pushes them up.
            if (c->kind == pal_contactVertexFace && c->t < 0.1 + 1e-9)
            {
                corner = true;
                ASSERT_NEAR(c->normal.z, 1.0, 1e-9);
                ASSERT_NEAR(c->gap, -0.09, 1e-9);
            }
        }
        assert_true(corner);
        assert_true(first <= 0.1 + 1e-15);
        ASSERT_NEAR(first, 0.1, 1e-6);
        freeScene(&scene);
    }
}

// A small ball on its way out of a large one meets its faces and edges from inside; on its way in
// from outside. The large one is the soft surface, or the tool that is drawn away.
static void only_what_comes_from_inside_leaves(void** state)
{
    (void)state;
    palShapeDef small = {.kind = pal_shapeSphere, .radius = 0.01, .resolution = 16};
    palShapeDef large = {.kind = pal_shapeSphere, .radius = 0.05, .resolution = 40};
    const double starts[2] = {0.0615, 0.0385}, ends[2] = {0.058, 0.042};
    for (int i = 0; i < 4; i++)
    {
        bool isOut = i % 2 == 1, isTool = i / 2 == 1;
        Scene scene = makeScene(shape(isTool ? large : small), shape(isTool ? small : large));
        palVec3 way = palScale(isTool ? -1.0 : 1.0, palNormalize(palMakeVec3(0.3, 0.8, 0.5)));
        place(&scene.tool, pal_identityQuat, palScale(starts[isOut], way), scene.toolStart);
        place(&scene.tool, pal_identityQuat, palScale(ends[isOut], way), scene.toolEnd);
        move(&scene);
        palSurfacePair_Sweep(&scene.pair, &scene.list);
        int seen = 0;
        for (int k = 0; k < scene.list.count; k++)
        {
            const palSurfaceContact* contact = &scene.list.contacts[k];
            if (contact->kind != (isTool ? pal_contactFaceVertex : pal_contactVertexFace) &&
                (isTool || contact->kind != pal_contactEdgeEdge))
                continue;
            assert_int_equal(contact->leaves, isOut);
            seen++;
        }
        assert_true(seen > 3);
        freeScene(&scene);
    }
}

// A needle between the vertices of the sheet, and a sheet that comes to the tool.
static void a_needle_and_a_moving_sheet_are_seen(void** state)
{
    (void)state;
    palShapeDef needle = {
        .kind = pal_shapeCylinder, .radius = 1e-4, .height = 0.05, .resolution = 6};
    palShapeDef sheet = {.kind = pal_shapePlane, .size = {0.2, 0.2, 0}, .resolution = 4};
    Scene scene = makeScene(shape(needle), shape(sheet));
    place(&scene.tool, pal_identityQuat, palMakeVec3(0.011, 0.017, 0.026), scene.toolStart);
    place(&scene.tool, pal_identityQuat, palMakeVec3(0.011, 0.017, 0.016), scene.toolEnd);
    for (int v = 0; v < scene.soft.vertexCount; v++)
        scene.softEnd[v].z = 0.1;
    move(&scene);
    palSurfacePair_Sweep(&scene.pair, &scene.list);
    assert_true(scene.list.count > 0);
    double first = INFINITY;
    for (int k = 0; k < scene.list.count; k++)
        first = fmin(first, scene.list.contacts[k].t);
    ASSERT_NEAR(first, 0.001 / 0.11, 1e-6); // 1 mm apart, 110 mm a step
    freeScene(&scene);
}

static void what_stays_apart_has_no_contact(void** state)
{
    (void)state;
    palShapeDef ball = {.kind = pal_shapeSphere, .radius = 0.01, .resolution = 12};
    palShapeDef sheet = {.kind = pal_shapePlane, .size = {0.2, 0.2, 0}, .resolution = 10};
    Scene scene = makeScene(shape(ball), shape(sheet));
    place(&scene.tool, pal_identityQuat, palMakeVec3(-0.05, 0, 0.0101), scene.toolStart);
    place(&scene.tool, pal_identityQuat, palMakeVec3(0.05, 0, 0.0101), scene.toolEnd);
    move(&scene);
    palSurfacePair_Sweep(&scene.pair, &scene.list);
    assert_int_equal(scene.list.count, 0);
    freeScene(&scene);
}

// The distance of two surfaces, by all vertices and faces and all edges.
static double distanceOf(const palSurface* a, const palVec3* x, const palSurface* b,
                         const palVec3* y)
{
    double best = INFINITY;
    for (int side = 0; side < 2; side++)
    {
        const palSurface *of = side == 0 ? a : b, *on = side == 0 ? b : a;
        const palVec3 *p = side == 0 ? x : y, *q = side == 0 ? y : x;
        for (int v = 0; v < of->vertexCount; v++)
            for (int t = 0; t < on->triangleCount; t++)
            {
                const int* k = on->triangles[t];
                palClosest c = palClosestOnTriangle(p[v], q[k[0]], q[k[1]], q[k[2]]);
                best = fmin(best, c.distance);
            }
    }
    static int e[3000][2], f[3000][2];
    int ne = edgesOf(a, e), nf = edgesOf(b, f);
    for (int i = 0; i < ne; i++)
        for (int j = 0; j < nf; j++)
        {
            double s, t;
            const palVec3 p[2] = {x[e[i][0]], x[e[i][1]]}, q[2] = {y[f[j][0]], y[f[j][1]]};
            best = fmin(best, sqrt(palClosestOnSegments(p, q, &s, &t)));
        }
    return best;
}

static void the_nearest_pair_is_among_the_near_ones_and_none_comes_twice(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(42);
    static Key keys[100000];
    palShapeDef ball = {.kind = pal_shapeSphere, .radius = 0.03, .resolution = 18};
    palShapeDef box = {.kind = pal_shapeBox, .size = {0.02, 0.03, 0.06}, .resolution = 3};
    for (int i = 0; i < 30; i++)
    {
        Scene scene = makeScene(shape(box), shape(i % 2 == 0 ? ball : box));
        palVec3 direction = palNormalize(randomVec3(&random, 1.0));
        palQuat turn = palMakeQuatRotationVector(randomVec3(&random, 2.0));
        rest(&scene, turn, palScale(palRandom_Range(&random, 0.07, 0.08), direction));
        double nearest = distanceOf(&scene.tool, scene.toolEnd, &scene.soft, scene.softEnd);
        palSurfacePair_Near(&scene.pair, nearest + 0.002, &scene.list);
        double least = INFINITY;
        for (int k = 0; k < scene.list.count; k++)
        {
            const palSurfaceContact* c = &scene.list.contacts[k];
            palVec3 x = palMovingSurface_At(&scene.moving[0], &c->a);
            palVec3 y = palMovingSurface_At(&scene.moving[1], &c->b);
            ASSERT_NEAR(palDistance(palSub(x, y), palScale(c->gap, c->normal)), 0.0, 1e-12);
            ASSERT_BELOW(c->gap, nearest + 0.002);
            least = fmin(least, c->gap);
            keys[k] = keyOf(c->kind, c->a.vertices, c->a.count, c->b.vertices, c->b.count, 0.0);
        }
        ASSERT_NEAR(least, nearest, 1e-12);
        qsort(keys, (size_t)scene.list.count, sizeof *keys, compareKeys);
        for (int k = 1; k < scene.list.count; k++)
            assert_true(compareKeys(&keys[k - 1], &keys[k]) != 0);
        freeScene(&scene);
    }
}

// A box above, on and in a block: every contact has the gap between the two flat sides.
static void a_box_on_a_block_has_the_gap_of_their_sides(void** state)
{
    (void)state;
    palShapeDef box = {.kind = pal_shapeBox, .size = {0.02, 0.02, 0.02}, .resolution = 2};
    palShapeDef block = {.kind = pal_shapeBox, .size = {0.1, 0.1, 0.1}, .resolution = 7};
    Scene scene = makeScene(shape(box), shape(block));
    const double gaps[] = {0.0009, 0.0, -0.0009};
    for (int i = 0; i < 3; i++)
    {
        rest(&scene, pal_identityQuat, palMakeVec3(0.001, 0.002, 0.06 + gaps[i]));
        palSurfacePair_Near(&scene.pair, 0.001, &scene.list);
        int vertices = 0;
        for (int k = 0; k < scene.list.count; k++)
        {
            const palSurfaceContact* c = &scene.list.contacts[k];
            ASSERT_NEAR(c->normal.z, 1.0, 1e-9);
            ASSERT_NEAR(c->gap, gaps[i], 1e-12);
            vertices += c->kind == pal_contactVertexFace;
        }
        // The nine vertices of the bottom. Where it has sunk in, the sides of the box do not count:
        // of its rim they point away from the block's upper side.
        assert_int_equal(vertices, 9);
        palInsideVertex inside[64];
        int count = palSurfacePair_Inside(&scene.pair, true, 0.01, 64, inside);
        if (i != 1) // on the surface rounding decides
            assert_int_equal(count, i == 2 ? 9 : 0);
        for (int k = 0; k < count; k++)
        {
            ASSERT_NEAR(inside[k].depth, -gaps[i], 1e-12);
            ASSERT_NEAR(inside[k].normal.z, 1.0, 1e-12);
        }
        if (i == 2)
            assert_int_equal(palSurfacePair_Inside(&scene.pair, true, 0.0005, 64, inside), 0);
    }
    freeScene(&scene);
}

static void soft_vertices_inside_the_tool_are_told(void** state)
{
    (void)state;
    palShapeDef ball = {.kind = pal_shapeSphere, .radius = 0.02, .resolution = 60};
    palShapeDef sheet = {.kind = pal_shapePlane, .size = {0.1, 0.1, 0}, .resolution = 50};
    Scene scene = makeScene(shape(ball), shape(sheet));
    rest(&scene, pal_identityQuat, palMakeVec3(0, 0, 0.015));
    static palInsideVertex inside[5000];
    int count = palSurfacePair_Inside(&scene.pair, false, 0.1, 5000, inside);
    int expected = 0;
    for (int v = 0; v < scene.soft.vertexCount; v++)
        expected += palDistance(scene.soft.vertices[v], palMakeVec3(0, 0, 0.015)) < 0.0199;
    assert_true(expected > 50);
    ASSERT_NEAR(count, expected, 16); // those within a hair of the ball's facets
    for (int k = 0; k < count; k++)
    {
        palVec3 x = scene.soft.vertices[inside[k].vertex];
        double depth = 0.02 - palDistance(x, palMakeVec3(0, 0, 0.015));
        ASSERT_NEAR(inside[k].depth, depth, 1e-4);
    }
    // An open sheet has no inside; a full list still tells how many there are.
    assert_int_equal(palSurfacePair_Inside(&scene.pair, true, 0.1, 5000, inside), 0);
    assert_int_equal(palSurfacePair_Inside(&scene.pair, false, 0.1, 3, inside), count);
    freeScene(&scene);
}

// The solid angles of the triangles (van Oosterom and Strackee, "The solid angle of a plane
// triangle", 1983), of the whole sphere.
static double solidAngles(const palMovingSurface* moving, palVec3 x)
{
    double sum = 0.0;
    for (int t = 0; t < moving->surface.triangleCount; t++)
    {
        const int* v = moving->surface.triangles[t];
        palVec3 a = palSub(palMovingSurface_End(moving, v[0]), x);
        palVec3 b = palSub(palMovingSurface_End(moving, v[1]), x);
        palVec3 c = palSub(palMovingSurface_End(moving, v[2]), x);
        double la = palLength(a), lb = palLength(b), lc = palLength(c);
        sum += atan2(palDot(a, palCross(b, c)),
                     la * lb * lc + palDot(a, b) * lc + palDot(b, c) * la + palDot(c, a) * lb);
    }
    return sum / (2.0 * PAL_PI);
}

// How often a surface goes around a place: of a ball, whole, folded onto itself, and turned inside
// out; on lines through vertices and along edges too.
static void the_winding_is_that_of_the_solid_angles(void** state)
{
    (void)state;
    palShapeDef peg = {.kind = pal_shapePeg, .radius = 0.01, .height = 0.04};
    palShapeDef ball = {.kind = pal_shapeSphere, .radius = 0.05, .resolution = 12};
    Scene scene = makeScene(shape(peg), shape(ball));
    palRandom random = palMakeRandom(5);
    int seen[7] = {0};
    for (int form = 0; form < 3; form++)
    {
        for (int i = 0; i < scene.soft.vertexCount; i++)
        {
            palVec3 v = scene.soft.vertices[i];
            // The upper half goes down through the lower one, or all is mirrored.
            scene.softEnd[i] = form == 1 && v.z > 0.0 ? palMakeVec3(v.x, v.y, -1.7 * v.z)
                               : form == 2            ? palMakeVec3(-v.x, v.y, v.z)
                                                      : v;
        }
        rest(&scene, pal_identityQuat, palMakeVec3(0.0, 0.0, 0.2));
        for (int k = 0; k < 600; k++)
        {
            palVec3 x = palMakeVec3(palRandom_Range(&random, -0.06, 0.06),
                                    palRandom_Range(&random, -0.06, 0.06),
                                    palRandom_Range(&random, -0.09, 0.06));
            palVec3 v = scene.softEnd[k % scene.soft.vertexCount];
            if (k % 3 == 1)
                x = palMakeVec3(v.x, v.y, x.z);
            if (k % 3 == 2)
                x = palMakeVec3(x.x, v.y, v.z);
            double expected = solidAngles(&scene.moving[1], x);
            if (fabs(expected - round(expected)) > 1e-9)
                continue; // on it
            ASSERT_NEAR(palMovingSurface_Winding(&scene.moving[1], x), expected, 1e-9);
            seen[3 + (int)round(expected)]++;
        }
    }
    assert_true(seen[2] > 100 && seen[3] > 100 && seen[4] > 100);
    freeScene(&scene);
}

// Crushed tissue may be turned inside out. Its normals then call everything about it inside.
static void nothing_is_inside_of_what_is_turned_inside_out(void** state)
{
    (void)state;
    palShapeDef peg = {.kind = pal_shapePeg, .radius = 0.01, .height = 0.04};
    palShapeDef ball = {.kind = pal_shapeSphere, .radius = 0.05, .resolution = 24};
    Scene scene = makeScene(shape(peg), shape(ball));
    palInsideVertex inside[8];
    rest(&scene, pal_identityQuat, palMakeVec3(0.0, 0.0, 0.065));
    assert_true(palSurfacePair_Inside(&scene.pair, true, 0.1, 8, inside) > 0);
    assert_int_equal(palMovingSurface_Winding(&scene.moving[1], pal_zeroVec3), 1);
    assert_int_equal(palMovingSurface_Winding(&scene.moving[1], palMakeVec3(0.06, 0, 0)), 0);
    for (int i = 0; i < scene.soft.vertexCount; i++)
        scene.softEnd[i].x = -scene.soft.vertices[i].x;
    rest(&scene, pal_identityQuat, palMakeVec3(0.0, 0.0, 0.075));
    palClosest closest;
    double distance;
    assert_true(palMovingSurface_Nearest(&scene.moving[1], palMakeVec3(0.0, 0.0, 0.055), INFINITY,
                                         &closest, &distance));
    ASSERT_BELOW(distance, -0.004);
    assert_int_equal(palSurfacePair_Inside(&scene.pair, true, 0.1, 8, inside), 0);
    freeScene(&scene);
}

static void the_back_of_a_thin_plate_does_not_pull(void** state)
{
    (void)state;
    palShapeDef ball = {.kind = pal_shapeSphere, .radius = 0.01, .resolution = 24};
    palShapeDef plate = {.kind = pal_shapeBox, .size = {0.1, 0.1, 0.0005}, .resolution = 20};
    Scene scene = makeScene(shape(ball), shape(plate));
    rest(&scene, pal_identityQuat, palMakeVec3(0, 0, 0.01 + 0.00025 + 0.0002));
    palSurfacePair_Near(&scene.pair, 0.002, &scene.list);
    assert_true(scene.list.count > 0);
    for (int k = 0; k < scene.list.count; k++)
    {
        assert_true(scene.list.contacts[k].gap > 0.0);
        assert_true(scene.list.contacts[k].normal.z > 0.5);
    }
    freeScene(&scene);
}

// Sunk in by little near the rim of a block, and sought far around: the way out is through the side
// that it lies on, not through the one beyond the rim.
static void what_is_sunk_in_near_a_rim_comes_out_where_it_went_in(void** state)
{
    (void)state;
    palShapeDef box = {.kind = pal_shapeBox, .size = {0.02, 0.02, 0.02}, .resolution = 2};
    palShapeDef block = {.kind = pal_shapeBox, .size = {0.1, 0.1, 0.1}, .resolution = 7};
    Scene scene = makeScene(shape(box), shape(block));
    const double depth = 1e-4;
    rest(&scene, pal_identityQuat, palMakeVec3(0.03, 0.002, 0.06 - depth));
    palSurfacePair_Near(&scene.pair, 0.04, &scene.list);
    assert_true(scene.list.count >= 9);
    for (int k = 0; k < scene.list.count; k++)
    {
        ASSERT_NEAR(scene.list.contacts[k].normal.z, 1.0, 1e-9);
        ASSERT_NEAR(scene.list.contacts[k].gap, -depth, 1e-9);
    }
    freeScene(&scene);
}

static void a_full_list_says_so(void** state)
{
    (void)state;
    palShapeDef box = {.kind = pal_shapeBox, .size = {0.02, 0.02, 0.02}, .resolution = 4};
    palShapeDef sheet = {.kind = pal_shapePlane, .size = {0.1, 0.1, 0}, .resolution = 20};
    Scene scene = makeScene(shape(box), shape(sheet));
    palContactList few;
    assert_int_equal(palContactList_Init(&few, 5, NULL), pal_ok);
    place(&scene.tool, pal_identityQuat, palMakeVec3(0, 0, 0.02), scene.toolStart);
    place(&scene.tool, pal_identityQuat, palMakeVec3(0, 0, 0.005), scene.toolEnd);
    move(&scene);
    palSurfacePair_Sweep(&scene.pair, &few);
    palSurfacePair_Sweep(&scene.pair, &scene.list);
    assert_true(few.overflow && !scene.list.overflow);
    assert_int_equal(few.count, 5);
    assert_true(scene.list.count > 5);
    palContactList_Free(&few);
    freeScene(&scene);
}

static void surfaces_that_are_none_are_refused(void** state)
{
    (void)state;
    palSurface bad = {0};
    palMovingSurface moving;
    palError error = {0};
    assert_int_equal(palMovingSurface_Init(&moving, &bad, &error), pal_errorInput);
    assert_true(error.remedy[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_finds_what_testing_all_pairs_finds),
        cmocka_unit_test(a_tool_that_passes_through_a_sheet_in_one_step_is_seen),
        cmocka_unit_test(only_what_comes_from_inside_leaves),
        cmocka_unit_test(a_needle_and_a_moving_sheet_are_seen),
        cmocka_unit_test(what_stays_apart_has_no_contact),
        cmocka_unit_test(the_nearest_pair_is_among_the_near_ones_and_none_comes_twice),
        cmocka_unit_test(a_box_on_a_block_has_the_gap_of_their_sides),
        cmocka_unit_test(soft_vertices_inside_the_tool_are_told),
        cmocka_unit_test(the_winding_is_that_of_the_solid_angles),
        cmocka_unit_test(nothing_is_inside_of_what_is_turned_inside_out),
        cmocka_unit_test(the_back_of_a_thin_plate_does_not_pull),
        cmocka_unit_test(what_is_sunk_in_near_a_rim_comes_out_where_it_went_in),
        cmocka_unit_test(a_full_list_says_so),
        cmocka_unit_test(surfaces_that_are_none_are_refused),
    };
    return RUN(tests);
}

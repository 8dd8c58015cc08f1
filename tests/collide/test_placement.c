// SPDX-License-Identifier: Apache-2.0
// Surfaces embedded in a grid of nodes that moves: what is computed where somebody looks is what
// would be computed for the whole.
#include "collide/bvh_tree.h"
#include "collide/surface_pair.h"
#include "mesh/shapes.h"

#include "base/random.h"
#include "check.h"

#include <string.h>

enum
{
    side = 9, // nodes of the grid along an axis
    nodeCount = side * side * side,
};

static const double half = 0.5;  // m, of the grid
static const double ball = 0.49; // m, radius of the ball in it

typedef struct Embedded
{
    palSurface surface;
    palTopology topology;
    palBvh* bvh;
    palSkin skin;
    palPlacement* placement;
} Embedded;

// Trilinear weights; a point outside of the grid has those of its outermost cell, some negative.
static void embed(palSkin* skin, int vertex, palVec3 x)
{
    const double at[3] = {x.x, x.y, x.z};
    int first[3];
    double share[3];
    for (int k = 0; k < 3; k++)
    {
        double s = (at[k] + half) / (2.0 * half) * (side - 1);
        first[k] = (int)fmin(fmax(floor(s), 0.0), side - 2);
        share[k] = s - first[k];
    }
    for (int c = 0; c < 8; c++)
    {
        int index = 0;
        double weight = 1.0;
        for (int k = 0; k < 3; k++)
        {
            int isHigh = c >> k & 1;
            index = index * side + first[k] + isHigh;
            weight *= isHigh ? share[k] : 1.0 - share[k];
        }
        skin->nodes[8 * vertex + c] = index;
        skin->weights[8 * vertex + c] = weight;
    }
}

// Takes the surface over.
static void makeEmbedded(Embedded* e, palSurface* surface)
{
    *e = (Embedded){.surface = *surface};
    *surface = (palSurface){0};
    assert_int_equal(palTopology_Init(&e->topology, &e->surface, NULL), pal_ok);
    assert_int_equal(palBvh_Create(&e->surface, &e->bvh, NULL), pal_ok);
    assert_int_equal(palSkin_Init(&e->skin, e->surface.vertexCount, 8, NULL), pal_ok);
    for (int v = 0; v < e->surface.vertexCount; v++)
        embed(&e->skin, v, e->surface.vertices[v]);
    assert_int_equal(
        palPlacement_Create(&e->skin, nodeCount, &e->surface, &e->topology, &e->placement, NULL),
        pal_ok);
    assert_int_equal(palBvh_Bind(e->bvh, e->placement, NULL), pal_ok);
}

static void freeEmbedded(Embedded* e)
{
    palBvh_Destroy(e->bvh);
    palPlacement_Destroy(e->placement);
    palTopology_Free(&e->topology);
    palSkin_Free(&e->skin);
    palSurface_Free(&e->surface);
}

static palSurface makeBall(double radius, int around)
{
    palShapeDef def = palDefaultShapeDef(pal_shapeSphere);
    palSurface surface;
    def.radius = radius;
    def.resolution = around;
    assert_int_equal(palMakeShape(&def, &surface, NULL), pal_ok);
    return surface;
}

// The grid bent, moved and shaken.
static void moveNodes(palRandom* random, palVec3* nodes)
{
    double bend = palRandom_Range(random, -1.0, 1.0), shake = palRandom_Range(random, 0.0, 0.02);
    palVec3 by = palMakeVec3(palRandom_Range(random, -2.0, 2.0), 0.3, -0.2);
    for (int i = 0; i < nodeCount; i++)
    {
        palVec3 x = palMakeVec3(i / (side * side), i / side % side, i % side);
        x = palSub(palScale(2.0 * half / (side - 1), x), palMakeVec3(half, half, half));
        double angle = bend * x.x;
        palVec3 turned = palMakeVec3(x.x, cos(angle) * x.y - sin(angle) * x.z,
                                     sin(angle) * x.y + cos(angle) * x.z);
        nodes[i] = palAdd(palAdd(turned, by), palMakeVec3(palRandom_Range(random, -shake, shake),
                                                          palRandom_Range(random, -shake, shake),
                                                          palRandom_Range(random, -shake, shake)));
    }
}

static palVec3 someVertex(palRandom* random, const palSurface* surface)
{
    return surface->vertices[(int)palRandom_Range(random, 0.0, surface->vertexCount)];
}

static palVec3 nearTo(palRandom* random, palVec3 x, double reach)
{
    return palAdd(x, palMakeVec3(palRandom_Range(random, -reach, reach),
                                 palRandom_Range(random, -reach, reach),
                                 palRandom_Range(random, -reach, reach)));
}

// One question to both trees.
static void askBoth(const palBvh* one, const palBvh* other, palRandom* random,
                    const palSurface* surface)
{
    static int found[2][20000];
    palVec3 x = nearTo(random, someVertex(random, surface), 0.2);
    palVec3 y = nearTo(random, someVertex(random, surface), 0.2);
    palClosest closest[2];
    palCrossing crossing[2];
    double radius = palRandom_Range(random, 0.0, 0.5);
    const palBvh* const trees[2] = {one, other};
    int counts[2];
    for (int i = 0; i < 2; i++)
    {
        memset(&closest[i], 0, sizeof closest[i]);
        memset(&crossing[i], 0, sizeof crossing[i]);
        palBvh_Closest(trees[i], x, INFINITY, &closest[i]);
        palBvh_FirstCrossing(trees[i], x, y, &crossing[i]);
        counts[i] = palBvh_Within(trees[i], y, radius, 20000, found[i]);
    }
    assert_memory_equal(&closest[0], &closest[1], sizeof closest[0]);
    assert_int_equal(crossing[0].triangle, crossing[1].triangle);
    assert_true(crossing[0].t == crossing[1].t);
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(found[0], found[1], (size_t)counts[0] * sizeof found[0][0]);
    assert_int_equal(palBvh_Within(one, x, radius, 0, NULL),
                     palBvh_Within(other, x, radius, 0, NULL));
}

// Also where vertices are outside of the grid, and where triangles are larger than its cells.
static void queries_answer_as_those_of_the_whole_tree(void** state)
{
    (void)state;
    static const double radii[] = {0.49, 0.54, 0.3};
    static const int arounds[] = {150, 60, 12};
    palRandom random = palMakeRandom(11);
    for (int b = 0; b < 6; b++)
    {
        Embedded e;
        palBvh* whole;
        palSurface surface = makeBall(radii[b % 3], arounds[b % 3]);
        palVec3* moved = malloc((size_t)surface.vertexCount * sizeof *moved);
        palVec3 nodes[nodeCount];
        assert_int_equal(palBvh_Create(&surface, &whole, NULL), pal_ok);
        makeEmbedded(&e, &surface);
        palBvh_UseScalar(e.bvh, b >= 3);
        palSurface all = e.surface;
        all.vertices = moved;
        for (int step = 0; step < 30; step++)
        {
            moveNodes(&random, nodes);
            palPlacement_Follow(e.placement, nodes);
            palBvh_Defer(e.bvh);
            palSkin_Points(&e.skin, nodes, moved);
            palBvh_Refit(whole, moved);
            for (int i = 0; i <= step % 5; i++)
                askBoth(e.bvh, whole, &random, &all);
        }
        palBvh_Destroy(whole);
        freeEmbedded(&e);
        free(moved);
    }
}

// After each step some parts are asked for, in any order; all are those of the whole.
static void normals_and_angles_are_those_of_the_whole_surface(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    Embedded e;
    palSurface surface = makeBall(ball, 48), all;
    palTopology whole;
    palVec3 nodes[nodeCount];
    assert_int_equal(palSurface_Copy(&surface, &all, NULL), pal_ok);
    makeEmbedded(&e, &surface);
    for (int step = 0; step < 4; step++)
    {
        moveNodes(&random, nodes);
        palPlacement_Follow(e.placement, nodes);
        palSkin_Points(&e.skin, nodes, all.vertices);
        assert_int_equal(palTopology_Init(&whole, &all, NULL), pal_ok);
        for (int i = 0; i < 200; i++)
        {
            int t = (int)palRandom_Range(&random, 0.0, all.triangleCount);
            int v = all.triangles[t][i % 3], edge = whole.triangleEdges[t][i % 3];
            palPlacement_RenewVertex(e.placement, v);
            palPlacement_RenewEdge(e.placement, edge);
            palPlacement_RenewTriangle(e.placement, t);
            assert_memory_equal(&e.surface.vertices[v], &all.vertices[v], sizeof(palVec3));
            assert_memory_equal(&e.topology.vertexNormals[v], &whole.vertexNormals[v],
                                sizeof(palVec3));
            assert_memory_equal(&e.topology.edgeNormals[edge], &whole.edgeNormals[edge],
                                sizeof(palVec3));
            assert_memory_equal(&e.topology.triangleNormals[t], &whole.triangleNormals[t],
                                sizeof(palVec3));
            assert_true(e.topology.edgeAngles[edge] == whole.edgeAngles[edge]);
            assert_int_equal(e.topology.edgeKinds[edge], whole.edgeKinds[edge]);
        }
        palTopology_Free(&whole);
    }
    palSurface_Free(&all);
    freeEmbedded(&e);
}

// A ball that is touched, of some 1000 triangles, and another one of many.
static palSurface makeTwoBalls(int around)
{
    palSurface balls[2] = {makeBall(0.15, 45), makeBall(0.2, around)}, both;
    assert_int_equal(palSurface_Init(&both, balls[0].vertexCount + balls[1].vertexCount,
                                     balls[0].triangleCount + balls[1].triangleCount, NULL),
                     pal_ok);
    int vertex = 0, triangle = 0;
    for (int b = 0; b < 2; b++)
    {
        palVec3 by = palScale(b == 0 ? -1.0 : 1.0, palMakeVec3(0.25, 0.25, 0.25));
        for (int t = 0; t < balls[b].triangleCount; t++, triangle++)
            for (int k = 0; k < 3; k++)
                both.triangles[triangle][k] = vertex + balls[b].triangles[t][k];
        for (int v = 0; v < balls[b].vertexCount; v++)
            both.vertices[vertex++] = palAdd(balls[b].vertices[v], by);
        palSurface_Free(&balls[b]);
    }
    return both;
}

static void what_no_query_comes_to_is_not_computed(void** state)
{
    (void)state;
    static const int arounds[] = {60, 120, 240, 420};
    int placed[4];
    for (int i = 0; i < 4; i++)
    {
        Embedded e;
        palRandom random = palMakeRandom(5);
        palVec3 nodes[nodeCount];
        palSurface surface = makeTwoBalls(arounds[i]);
        makeEmbedded(&e, &surface);
        moveNodes(&random, nodes);
        palPlacement_Follow(e.placement, nodes);
        palBvh_Defer(e.bvh);
        assert_true(e.placement->placedCount == 1); // the tree's origin
        palVec3 x = palPlacement_Vertex(e.placement, 0);
        palClosest closest;
        int found[64];
        assert_true(
            palBvh_Closest(e.bvh, palAdd(x, palMakeVec3(0.0, 0.0, 0.02)), INFINITY, &closest));
        assert_true(palBvh_Within(e.bvh, x, 0.05, 64, found) > 0);
        palPlacement_RenewCorner(e.placement, e.surface.triangles[closest.triangle][0]);
        placed[i] = (int)e.placement->placedCount;
        print_message("%d triangles: %d of %d vertices\n", e.surface.triangleCount, placed[i],
                      e.surface.vertexCount);
        ASSERT_BELOW(placed[i], 1.02 * placed[0]);
        freeEmbedded(&e);
    }
    ASSERT_BELOW(placed[0], 1000.0); // of the ball that is touched
}

// A ball that nodes move, and the same whose vertices are all moved.
typedef struct Twins
{
    palSurface surface;
    palSkin skin;
    palMovingSurface late, whole;
    palVec3 *start, *end; // [vertices]
} Twins;

static void makeTwins(Twins* twins, double radius, int around)
{
    twins->surface = makeBall(radius, around);
    size_t size = (size_t)twins->surface.vertexCount * sizeof(palVec3);
    twins->start = malloc(size);
    twins->end = malloc(size);
    assert_int_equal(palSkin_Init(&twins->skin, twins->surface.vertexCount, 8, NULL), pal_ok);
    for (int v = 0; v < twins->surface.vertexCount; v++)
        embed(&twins->skin, v, twins->surface.vertices[v]);
    assert_int_equal(palMovingSurface_Init(&twins->late, &twins->surface, NULL), pal_ok);
    assert_int_equal(palMovingSurface_Init(&twins->whole, &twins->surface, NULL), pal_ok);
    assert_int_equal(palMovingSurface_Bind(&twins->late, &twins->skin, nodeCount, NULL), pal_ok);
}

static void freeTwins(Twins* twins)
{
    palMovingSurface_Free(&twins->late);
    palMovingSurface_Free(&twins->whole);
    palSkin_Free(&twins->skin);
    palSurface_Free(&twins->surface);
    free(twins->start);
    free(twins->end);
}

static void moveTwins(Twins* twins, const palVec3* start, const palVec3* end)
{
    double most = 0.0, travel = palMovingSurface_MoveNodes(&twins->late, start, end);
    palSkin_Points(&twins->skin, start, twins->start);
    palSkin_Points(&twins->skin, end, twins->end);
    palMovingSurface_Move(&twins->whole, twins->start, twins->end);
    for (int v = 0; v < twins->surface.vertexCount; v++)
        most = fmax(most, palDistance(twins->start[v], twins->end[v]));
    assert_true(travel == most);
}

static int compareContacts(const palContactList* one, const palContactList* other)
{
    assert_int_equal(one->count, other->count);
    for (int i = 0; i < one->count; i++)
    {
        const palSurfaceContact *a = &one->contacts[i], *b = &other->contacts[i];
        assert_int_equal(a->kind, b->kind);
        assert_memory_equal(a->a.vertices, b->a.vertices, sizeof a->a.vertices);
        assert_memory_equal(a->b.vertices, b->b.vertices, sizeof a->b.vertices);
        assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
        assert_true(a->t == b->t && a->gap == b->gap && a->leaves == b->leaves);
    }
    return one->count;
}

// Returns how many vertices are inside.
static int compareInside(const palSurfacePair* one, const palSurfacePair* other, double depth)
{
    static palInsideVertex inside[2][4000];
    int sum = 0;
    for (int ofA = 0; ofA < 2; ofA++)
    {
        int count = palSurfacePair_Inside(one, ofA, depth, 4000, inside[0]);
        assert_int_equal(count, palSurfacePair_Inside(other, ofA, depth, 4000, inside[1]));
        for (int i = 0; i < count; i++)
        {
            assert_int_equal(inside[0][i].vertex, inside[1][i].vertex);
            assert_true(inside[0][i].depth == inside[1][i].depth);
        }
        sum += count;
    }
    return sum;
}

// Puts the nodes of the second ball beside or into those of the first.
static void placeBeside(palRandom* random, const palVec3* first, palVec3* nodes, double apart)
{
    palVec3 way = palNormalize(nearTo(random, pal_zeroVec3, 1.0));
    palVec3 by = palMulAdd(palSub(first[nodeCount / 2], nodes[nodeCount / 2]), apart, way);
    for (int i = 0; i < nodeCount; i++)
        nodes[i] = palAdd(nodes[i], by);
}

static void soft_surfaces_meet_as_if_all_of_them_were_computed(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(17);
    Twins twins[2];
    palContactList lists[2];
    int swept = 0, near = 0, inside = 0;
    makeTwins(&twins[0], 0.49, 60);
    makeTwins(&twins[1], 0.3, 40);
    const palSurfacePair late = {&twins[0].late, &twins[1].late, false};
    const palSurfacePair whole = {&twins[0].whole, &twins[1].whole, false};
    for (int k = 0; k < 2; k++)
        assert_int_equal(palContactList_Init(&lists[k], 20000, NULL), pal_ok);
    for (int step = 0; step < 30; step++)
    {
        palVec3 start[2][nodeCount], end[2][nodeCount];
        moveNodes(&random, start[0]);
        moveNodes(&random, start[1]);
        placeBeside(&random, start[0], start[1], palRandom_Range(&random, 0.72, 0.82));
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < nodeCount; i++)
                end[b][i] = nearTo(&random, start[b][i], 0.01);
        for (int b = 0; b < 2; b++)
            moveTwins(&twins[b], start[b], end[b]);
        palSurfacePair_Near(&late, 0.01, &lists[0]);
        palSurfacePair_Near(&whole, 0.01, &lists[1]);
        near += compareContacts(&lists[0], &lists[1]);
        palSurfacePair_Sweep(&late, &lists[0]);
        palSurfacePair_Sweep(&whole, &lists[1]);
        swept += compareContacts(&lists[0], &lists[1]);
        inside += compareInside(&late, &whole, step % 2 == 0 ? INFINITY : 0.02);
    }
    print_message("%d swept, %d near, %d inside\n", swept, near, inside);
    assert_true(swept > 100 && near > 30 && inside > 100);
    for (int k = 0; k < 2; k++)
    {
        palContactList_Free(&lists[k]);
        freeTwins(&twins[k]);
    }
}

// A small ball touches a large one of ever more triangles: where the large one is not near, nothing
// of it is computed.
static void surfaces_that_meet_are_computed_where_they_do(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(23);
    palContactList list;
    assert_int_equal(palContactList_Init(&list, 20000, NULL), pal_ok);
    for (int around = 80; around <= 320; around *= 2)
    {
        Twins twins[2];
        palVec3 nodes[2][nodeCount];
        makeTwins(&twins[0], 0.49, around);
        makeTwins(&twins[1], 0.05, 12);
        moveNodes(&random, nodes[0]);
        moveNodes(&random, nodes[1]);
        placeBeside(&random, nodes[0], nodes[1], 0.53);
        for (int b = 0; b < 2; b++)
            palMovingSurface_MoveNodes(&twins[b].late, nodes[b], nodes[b]);
        const palSurfacePair pair = {&twins[0].late, &twins[1].late, false};
        palSurfacePair_Near(&pair, 0.02, &list);
        palSurfacePair_Sweep(&pair, &list);
        int placed = (int)twins[0].late.places[1]->placedCount;
        print_message("%d triangles: %d of %d vertices\n", twins[0].surface.triangleCount, placed,
                      twins[0].surface.vertexCount);
        ASSERT_BELOW(placed, 0.25 * twins[0].surface.vertexCount);
        for (int b = 0; b < 2; b++)
            freeTwins(&twins[b]);
    }
    palContactList_Free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_answer_as_those_of_the_whole_tree),
        cmocka_unit_test(normals_and_angles_are_those_of_the_whole_surface),
        cmocka_unit_test(what_no_query_comes_to_is_not_computed),
        cmocka_unit_test(soft_surfaces_meet_as_if_all_of_them_were_computed),
        cmocka_unit_test(surfaces_that_meet_are_computed_where_they_do),
    };
    return RUN(tests);
}

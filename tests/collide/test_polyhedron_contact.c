// SPDX-License-Identifier: Apache-2.0
// Contacts of two meshes against all pairs of their features.
#include "rigid_meshes.h"

static const double mm = 1e-3;
static const double um = 1e-6;

enum
{
    oracleMax = 20000,
};

typedef struct Pairs
{
    int count;
    palRigidContact contacts[oracleMax];
} Pairs;

static palVec3* worldVertices(const palRigidShape* shape, palPose pose)
{
    palVec3* x = malloc((size_t)shape->surface.vertexCount * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < shape->surface.vertexCount; i++)
        x[i] = palPose_Point(pose, shape->surface.vertices[i]);
    return x;
}

static void addPair(Pairs* pairs, palVec3 onA, palVec3 onB, palVec3 n)
{
    assert_true(pairs->count < oracleMax);
    pairs->contacts[pairs->count++] =
        (palRigidContact){.onA = onA, .onB = onB, .normal = n, .gap = palDot(n, palSub(onA, onB))};
}

// Whether every edge at a vertex leads away from a direction.
static bool isTip(const palRigidShape* shape, const palVec3* x, int vertex, palVec3 direction)
{
    for (int e = 0; e < shape->topology.edgeCount; e++)
    {
        const int* ends = shape->topology.edges[e];
        if (ends[0] != vertex && ends[1] != vertex)
            continue;
        palVec3 way = palSub(x[ends[0] == vertex ? ends[1] : ends[0]], x[vertex]);
        if (palDot(way, direction) > 0.0)
            return false;
    }
    return true;
}

static palVec3 normalOf(const palRigidShape* shape, const palVec3* x, int triangle)
{
    const int* v = shape->surface.triangles[triangle];
    return palNormalize(palCross(palSub(x[v[1]], x[v[0]]), palSub(x[v[2]], x[v[0]])));
}

// Vertices of one over faces of the other.
static void findVertices(const palRigidShape* of, const palVec3* x, const palRigidShape* on,
                         const palVec3* y, double distance, bool ofA, Pairs* pairs)
{
    for (int t = 0; t < on->surface.triangleCount; t++)
    {
        const int* c = on->surface.triangles[t];
        palVec3 n = normalOf(on, y, t);
        for (int v = 0; v < of->surface.vertexCount; v++)
        {
            double height = palDot(n, palSub(x[v], y[c[0]]));
            bool over = height > 0.0 && height < distance;
            for (int k = 0; k < 3 && over; k++)
            {
                palVec3 along = palSub(y[c[(k + 1) % 3]], y[c[k]]);
                over = palDot(palCross(n, along), palSub(x[v], y[c[k]])) > 0.0;
            }
            if (!over || !isTip(of, x, v, palNeg(n)))
                continue;
            palVec3 foot = palMulAdd(x[v], -height, n);
            addPair(pairs, ofA ? x[v] : foot, ofA ? foot : x[v], ofA ? n : palNeg(n));
        }
    }
}

// Whether a direction square to an edge leads away from both of its faces.
static bool isRidge(const palRigidShape* shape, const palVec3* x, int edge, palVec3 direction)
{
    const int* ends = shape->topology.edges[edge];
    for (int i = 0; i < 2; i++)
    {
        const int* v = shape->surface.triangles[shape->topology.edgeTriangles[edge][i]];
        int third = v[0] + v[1] + v[2] - ends[0] - ends[1];
        palVec3 along = palNormalize(palSub(x[ends[1]], x[ends[0]]));
        palVec3 way = palSub(x[third], x[ends[0]]);
        way = palMulAdd(way, -palDot(way, along), along);
        if (palDot(way, direction) > 0.0)
            return false;
    }
    return true;
}

static void findEdges(const palRigidShape* a, const palVec3* x, const palRigidShape* b,
                      const palVec3* y, double distance, Pairs* pairs)
{
    for (int i = 0; i < a->topology.edgeCount; i++)
        for (int j = 0; j < b->topology.edgeCount; j++)
        {
            const int *p = a->topology.edges[i], *q = b->topology.edges[j];
            palVec3 e = palSub(x[p[1]], x[p[0]]), f = palSub(y[q[1]], y[q[0]]);
            palVec3 r = palSub(x[p[0]], y[q[0]]), N = palCross(e, f);
            double square = palLengthSquared(N);
            if (!(square > 1e-8 * palLengthSquared(e) * palLengthSquared(f)) ||
                palDot(r, N) * palDot(r, N) > distance * distance * square)
                continue;
            double s = palDot(palCross(f, r), N) / square, t = palDot(palCross(e, r), N) / square;
            if (!(s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0))
                continue;
            palVec3 n = palNormalize(palDot(r, N) > 0.0 ? N : palNeg(N));
            if (isRidge(a, x, i, palNeg(n)) && isRidge(b, y, j, n))
                addPair(pairs, palMulAdd(x[p[0]], s, e), palMulAdd(y[q[0]], t, f), n);
        }
}

static void findAll(const palRigidShape* a, palPose poseA, const palRigidShape* b, palPose poseB,
                    double distance, Pairs* pairs)
{
    palVec3 *x = worldVertices(a, poseA), *y = worldVertices(b, poseB);
    pairs->count = 0;
    findVertices(a, x, b, y, distance, true, pairs);
    findVertices(b, y, a, x, distance, false, pairs);
    findEdges(a, x, b, y, distance, pairs);
    free(x);
    free(y);
}

typedef struct Twist
{
    palVec3 move;   // m
    palVec3 turn;   // rad
    palVec3 centre; // m
} Twist;

// The smallest gap after a small motion of a.
static double gapAfter(const palRigidContact* contacts, int count, const Twist* twist)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++)
    {
        palVec3 arm = palSub(contacts[i].onA, twist->centre);
        palVec3 motion = palAdd(twist->move, palCross(twist->turn, arm));
        least = fmin(least, contacts[i].gap + palDot(contacts[i].normal, motion));
    }
    return least;
}

// Whatever small motion is made, the contacts that were kept close as far as all of them.
static void expectSameLimits(const Found* found, const palRigidContact* all, int count,
                             double distance, double size, double slack)
{
    palRandom random = palMakeRandom(1);
    palVec3 centre = pal_zeroVec3;
    for (int i = 0; i < count; i++)
        centre = palMulAdd(centre, 1.0 / count, all[i].onA);
    for (int i = 0; i < 500; i++)
    {
        Twist twist = {randomVec3(&random, distance), randomVec3(&random, distance / size), centre};
        double expected = gapAfter(all, count, &twist);
        double got = gapAfter(found->contacts, found->count, &twist);
        if (!(got <= expected + slack))
            fail_msg("a motion closes %g um of all contacts and %g um of those kept",
                     1e6 * expected, 1e6 * got);
    }
}

static void expectOnSurfaces(const Found* found, const palRigidShape* a, palPose poseA,
                             const palRigidShape* b, palPose poseB)
{
    for (int i = 0; i < found->count; i++)
    {
        palClosest closest;
        const palRigidContact* c = &found->contacts[i];
        assert_true(palBvh_Closest(a->bvh, palPose_Local(poseA, c->onA), 1e-9, &closest));
        assert_true(palBvh_Closest(b->bvh, palPose_Local(poseB, c->onB), 1e-9, &closest));
    }
}

static Pairs pairs;

// The smallest of all gaps is found as well, and nothing smaller.
static Found compareWithAll(const palRigidShape* a, palPose poseA, const palRigidShape* b,
                            palPose poseB, double distance, double size)
{
    Found found = findContacts(a, poseA, b, poseB, distance);
    assert_int_equal(found.left, 0);
    expectOnSurfaces(&found, a, poseA, b, poseB);
    findAll(a, poseA, b, poseB, distance, &pairs);
    expectSameLimits(&found, pairs.contacts, pairs.count, distance, size, 0.1 * distance);
    double least = INFINITY;
    for (int i = 0; i < pairs.count; i++)
        least = fmin(least, pairs.contacts[i].gap);
    if (least < distance)
        assert_true(smallestGap(&found) <= least + 1e-12);
    return found;
}

// A peg in a bore with 0.05 mm of play, in the middle, to one side, and tilted.
static void a_peg_in_a_hole_touches_where_all_pairs_of_features_do(void** state)
{
    (void)state;
    palRigidShape tube = tubeOf(5.05 * mm, 9 * mm, 10 * mm, 3, 48);
    palRigidShape peg = shapeMesh(
        (palShapeDef){.kind = pal_shapePeg, .radius = 5 * mm, .height = 14 * mm, .resolution = 32});
    const palPose poses[] = {
        pal_identityPose,
        poseOf(palMakeVec3(0.03 * mm, 0.01 * mm, 4 * mm), pal_zeroVec3),
        poseOf(palMakeVec3(0, 0, 3 * mm), palMakeVec3(0.005, 0.003, 0.1)),
        poseOf(palMakeVec3(0.01 * mm, 0, 5 * mm), palMakeVec3(0, -0.006, 0.03)),
    };
    for (int i = 0; i < 4; i++)
    {
        Found found = compareWithAll(&peg, poses[i], &tube, pal_identityPose, 0.2 * mm, 5 * mm);
        assert_true(found.count >= 8);
    }
    palRigidShape_Free(&tube);
    palRigidShape_Free(&peg);
}

// Pushed against the wall by 10 µm and drawn back by as much, the peg has the same limits.
static void a_peg_keeps_its_contacts_on_both_sides_of_touching(void** state)
{
    (void)state;
    palRigidShape tube = tubeOf(5.05 * mm, 9 * mm, 10 * mm, 3, 48);
    palRigidShape peg = shapeMesh(
        (palShapeDef){.kind = pal_shapePeg, .radius = 5 * mm, .height = 14 * mm, .resolution = 32});
    for (int i = 0; i < 12; i++)
    {
        palVec3 way = {cos(0.37 * i), sin(0.37 * i), 0}, tilt = {0.001 * (i % 3), 0, 0.2 * i};
        double play = 0.04 * mm;
        palPose apart = poseOf(palMulAdd(palMakeVec3(0, 0, 3 * mm), play, way), tilt);
        Found first = findContacts(&peg, apart, &tube, pal_identityPose, 0.2 * mm);
        double shift = smallestGap(&first);
        palPose out = apart, in = apart;
        out.x = palMulAdd(apart.x, shift - 10 * um, way);
        in.x = palMulAdd(apart.x, shift + 10 * um, way);
        Found outside = findContacts(&peg, out, &tube, pal_identityPose, 0.2 * mm);
        Found inside = findContacts(&peg, in, &tube, pal_identityPose, 0.2 * mm);
        assert_true(smallestGap(&outside) > 0.0 && smallestGap(&inside) < 0.0);
        // What was found outside, moved to where the peg is inside, and the other way around.
        for (int k = 0; k < outside.count; k++)
            outside.contacts[k].gap += palDot(outside.contacts[k].normal, palSub(in.x, out.x));
        expectSameLimits(&inside, outside.contacts, outside.count, 0.2 * mm, 5 * mm, 8 * um);
        expectSameLimits(&outside, inside.contacts, inside.count, 0.2 * mm, 5 * mm, 8 * um);
    }
    palRigidShape_Free(&tube);
    palRigidShape_Free(&peg);
}

// Moves a in small steps until it is almost at b.
static void approach(const palRigidShape* a, palPose* pose, const palRigidShape* b, palVec3 way)
{
    for (int i = 0; i < 1000; i++)
    {
        Found found = findContacts(a, *pose, b, pal_identityPose, 0.3 * mm);
        if (found.count > 0 && smallestGap(&found) < 50 * um)
            return;
        pose->x = palMulAdd(pose->x, 0.03 * mm, way);
    }
    fail_msg("the bodies do not come near each other");
}

// Two linked rings touch inside each other's hole.
static void linked_rings_touch_where_all_pairs_of_features_do(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(6);
    palRigidShape ring = torusOf(10 * mm, 3 * mm, 36);
    int total = 0;
    for (int i = 0; i < 12; i++)
    {
        palPose pose = poseOf(palMakeVec3(10 * mm, palRandom_Range(&random, -1, 1) * mm, 0),
                              palMakeVec3(0.5 * PAL_PI, 0.1 * i, 0.05 * i));
        approach(&ring, &pose, &ring, palMakeVec3(1, 0, 0));
        Found found = compareWithAll(&ring, pose, &ring, pal_identityPose, 0.3 * mm, 3 * mm);
        total += found.count;
    }
    assert_true(total >= 12);
    palRigidShape_Free(&ring);
}

// Bumpy bodies near each other in any position.
static void bumpy_bodies_touch_where_all_pairs_of_features_do(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(7);
    palRigidShape body[2];
    for (int i = 0; i < 2; i++)
    {
        palSurface surface = makeSphere(9 + i, 0.15);
        palSurface_Transform(&surface, 10 * mm, pal_identityQuat, pal_zeroVec3);
        body[i] = meshOf(surface);
    }
    int total = 0;
    for (int i = 0; i < 30; i++)
    {
        palVec3 way = palNormalize(randomVec3(&random, 1.0));
        palPose pose = poseOf(palScale(25 * mm, way), randomVec3(&random, 3.0));
        approach(&body[0], &pose, &body[1], palNeg(way));
        total += compareWithAll(&body[0], pose, &body[1], pal_identityPose, 0.3 * mm, 3 * mm).count;
    }
    assert_true(total >= 30);
    palRigidShape_Free(&body[0]);
    palRigidShape_Free(&body[1]);
}

// The same query gives the same bits. A short list is a part of a long one, with the smallest gap.
static void queries_repeat_and_short_lists_are_part_of_long_ones(void** state)
{
    (void)state;
    palRigidShape tube = tubeOf(5.05 * mm, 9 * mm, 10 * mm, 3, 48);
    palRigidShape peg = shapeMesh(
        (palShapeDef){.kind = pal_shapePeg, .radius = 5 * mm, .height = 14 * mm, .resolution = 32});
    palPose pose = poseOf(palMakeVec3(0.04 * mm, 0.02 * mm, 3 * mm), palMakeVec3(0.001, 0.002, 0));
    Found first = findContacts(&peg, pose, &tube, pal_identityPose, 0.2 * mm);
    Found again = findContacts(&peg, pose, &tube, pal_identityPose, 0.2 * mm);
    assert_int_equal(first.count, again.count);
    assert_memory_equal(first.contacts, again.contacts,
                        (size_t)first.count * sizeof *first.contacts);
    for (int capacity = 1; capacity < first.count; capacity += 5)
    {
        int count = palRigidMesh_Contacts(&peg, pose, &tube, pal_identityPose, 0.2 * mm, NULL,
                                          capacity, again.contacts, &again.left);
        assert_true(count > 0 && count <= capacity);
        assert_int_equal(again.left, 0);
        double least = INFINITY, leastOfAll = INFINITY;
        for (int i = 0; i < count; i++)
        {
            bool isOne = false;
            for (int k = 0; k < first.count; k++)
                isOne = isOne ||
                        memcmp(&first.contacts[k], &again.contacts[i], sizeof *first.contacts) == 0;
            assert_true(isOne);
            least = fmin(least, again.contacts[i].gap);
        }
        for (int k = 0; k < first.count; k++)
            leastOfAll = fmin(leastOfAll, first.contacts[k].gap);
        assert_true(least == leastOfAll);
    }
    palRigidShape_Free(&tube);
    palRigidShape_Free(&peg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peg_in_a_hole_touches_where_all_pairs_of_features_do),
        cmocka_unit_test(a_peg_keeps_its_contacts_on_both_sides_of_touching),
        cmocka_unit_test(linked_rings_touch_where_all_pairs_of_features_do),
        cmocka_unit_test(bumpy_bodies_touch_where_all_pairs_of_features_do),
        cmocka_unit_test(queries_repeat_and_short_lists_are_part_of_long_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Contacts of meshes as rigid bodies against geometry.
#include "rigid_meshes.h"

#include "collide/decimate.h"

static const double mm = 1e-3;
static const double um = 1e-6;

// The area of the convex hull of contacts in x, y.
static double patchArea(const Found* found)
{
    palVec3 points[foundMax];
    int count = found->count;
    for (int i = 0; i < count; i++)
        points[i] = found->contacts[i].onB;
    // Gift wrapping from the leftmost point.
    int start = 0;
    for (int i = 1; i < count; i++)
        if (points[i].x < points[start].x)
            start = i;
    double area = 0.0;
    int at = start;
    for (int steps = 0; steps < count; steps++)
    {
        int next = at == 0 ? 1 : 0;
        for (int i = 0; i < count && count > 1; i++)
        {
            palVec3 u = palSub(points[next], points[at]), v = palSub(points[i], points[at]);
            double turn = u.x * v.y - u.y * v.x;
            if (i != at && (turn < -1e-15 || (fabs(turn) <= 1e-15 && palLength(v) > palLength(u))))
                next = i;
        }
        area += 0.5 * (points[at].x * points[next].y - points[at].y * points[next].x);
        at = next;
        if (at == start)
            break;
    }
    return area;
}

// The area of the overlap of two rectangles, by cutting the second with the sides of the first.
static double overlapArea(palVec3 halfA, palPose poseA, palVec3 halfB, palPose poseB)
{
    palVec3 polygon[16], cut[16];
    int count = 4;
    for (int i = 0; i < 4; i++)
        polygon[i] = palPose_Point(poseB, palMakeVec3(i == 0 || i == 3 ? -halfB.x : halfB.x,
                                                      i < 2 ? -halfB.y : halfB.y, 0));
    for (int k = 0; k < 4; k++)
    {
        palVec3 n = palRotate(poseA.q, palMakeVec3(k == 0   ? 1
                                                   : k == 1 ? -1
                                                            : 0,
                                                   k == 2   ? 1
                                                   : k == 3 ? -1
                                                            : 0,
                                                   0));
        double offset = palDot(n, poseA.x) + (k < 2 ? halfA.x : halfA.y);
        int kept = 0;
        for (int i = 0; i < count; i++)
        {
            palVec3 p = polygon[i], q = polygon[(i + 1) % count];
            double hp = palDot(n, p) - offset, hq = palDot(n, q) - offset;
            if (hp <= 0.0)
                cut[kept++] = p;
            if ((hp <= 0.0) != (hq <= 0.0))
                cut[kept++] = palLerp(p, q, hp / (hp - hq));
        }
        count = kept;
        memcpy(polygon, cut, sizeof cut);
    }
    double area = 0.0;
    for (int i = 0; i < count; i++)
        area += 0.5 * (polygon[i].x * polygon[(i + 1) % count].y -
                       polygon[i].y * polygon[(i + 1) % count].x);
    return area;
}

// Boxes on each other, turned and shifted at random, as boxes and as meshes of several resolutions:
// all normals upright, all gaps right, and what the contacts span is where the faces overlap.
static void boxes_on_boxes_touch_all_over_their_common_face(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    const palVec3 sizeA = {20 * mm, 30 * mm, 10 * mm}, sizeB = {25 * mm, 22 * mm, 12 * mm};
    for (int i = 0; i < 60; i++)
    {
        palRigidShape a = i % 3 == 0 ? boxOf(sizeA) : boxMesh(sizeA, 2 + i % 7);
        palRigidShape b = boxMesh(sizeB, 2 + i % 5);
        double gap = (i % 2 == 0 ? 10 : -10) * um;
        palPose poseA = poseOf(palMakeVec3(palRandom_Range(&random, -8 * mm, 8 * mm),
                                           palRandom_Range(&random, -8 * mm, 8 * mm),
                                           0.5 * (sizeA.z + sizeB.z) + gap),
                               palMakeVec3(0, 0, palRandom_Range(&random, -3, 3)));
        Found found = findContacts(&a, poseA, &b, pal_identityPose, 0.2 * mm);
        assert_int_equal(found.left, 0);
        assert_in_range(found.count, 3, 9);
        for (int k = 0; k < found.count; k++)
        {
            assert_float_equal(found.contacts[k].normal.z, 1.0, 1e-12);
            assert_float_equal(found.contacts[k].gap, gap, 1e-12);
        }
        double area =
            overlapArea(palScale(0.5, sizeA), poseA, palScale(0.5, sizeB), pal_identityPose);
        double spanned = patchArea(&found);
        assert_true(spanned > 0.97 * area && spanned < (1.0 + 1e-6) * area);
        palRigidShape_Free(&a);
        palRigidShape_Free(&b);
    }
}

// Also where they lie exactly on each other, side by side, and with two edges in one line.
static void aligned_boxes_touch_at_their_corners(void** state)
{
    (void)state;
    const palVec3 size = {20 * mm, 20 * mm, 10 * mm};
    palRigidShape a = boxMesh(size, 3), b = boxMesh(size, 2);
    const double shifts[] = {0.0, 3 * mm, 10 * mm};
    for (int i = 0; i < 18; i++)
    {
        double gap = (i % 2 == 0 ? 10 : -10) * um;
        palVec3 x = {shifts[i / 2 % 3], shifts[i / 6 % 3], size.z + gap};
        Found found = findContacts(&a, poseOf(x, pal_zeroVec3), &b, pal_identityPose, 0.1 * mm);
        assert_int_equal(found.count, 4);
        for (int k = 0; k < found.count; k++)
        {
            assert_float_equal(found.contacts[k].normal.z, 1.0, 1e-12);
            assert_float_equal(found.contacts[k].gap, gap, 1e-12);
        }
        double area = (size.x - x.x) * (size.y - x.y);
        assert_float_equal(patchArea(&found), area, 1e-6 * area);
    }
    palRigidShape_Free(&a);
    palRigidShape_Free(&b);
}

static palRigidShape cornerOf(double size, double floor, double depth)
{
    const palVec3 polygon[] = {{0, 0, 0},         {size, 0, 0},     {size, floor, 0},
                               {floor, floor, 0}, {floor, size, 0}, {0, size, 0}};
    palRigidShape shape;
    assert_int_equal(palRigidShape_InitExtrusion(&shape, polygon, 6, depth, NULL), pal_ok);
    assert_int_equal(shape.kind, pal_rigidMesh);
    return shape;
}

// A box in the corner of a floor and a wall, with every sign of the two gaps.
static void a_box_in_a_corner_keeps_its_contacts_on_both_sides_of_touching(void** state)
{
    (void)state;
    palRigidShape corner = cornerOf(40 * mm, 10 * mm, 30 * mm);
    const palVec3 size = {10 * mm, 10 * mm, 12 * mm};
    palRigidShape box = boxOf(size), mesh = boxMesh(size, 4);
    Found first = {0};
    const double gaps[] = {10 * um, -10 * um, 100 * um, -100 * um};
    for (int i = 0; i < 32; i++)
    {
        double wall = gaps[i % 4], floor = gaps[i / 4 % 4];
        palVec3 x = {15 * mm + wall, 15 * mm + floor, 1 * mm};
        const palRigidShape* shape = i < 16 ? &box : &mesh;
        Found found =
            findContacts(shape, poseOf(x, pal_zeroVec3), &corner, pal_identityPose, 0.2 * mm);
        if (i % 16 == 0)
            first = found;
        assert_int_equal(found.count, 8);
        assert_true(hasSameKeys(&found, &first));
        for (int k = 0; k < found.count; k++)
        {
            const palRigidContact* c = &found.contacts[k];
            bool onWall = c->normal.x > 0.5;
            assert_float_equal(onWall ? c->normal.x : c->normal.y, 1.0, 1e-12);
            assert_float_equal(c->gap, onWall ? wall : floor, 1e-12);
        }
    }
    palRigidShape_Free(&corner);
    palRigidShape_Free(&box);
    palRigidShape_Free(&mesh);
}

// A body that overlaps another by a thin layer at its rim is pushed out across the layer, not along
// it.
static void a_thin_overlap_is_left_the_short_way(void** state)
{
    (void)state;
    const palVec3 size = {20 * mm, 20 * mm, 10 * mm};
    palRigidShape a = boxMesh(size, 3), b = boxMesh(size, 3);
    for (int i = 1; i < 12; i++)
    {
        palVec3 x = {size.x - i * 20 * um, 1 * mm, size.z - 10 * um};
        Found found = findContacts(&a, poseOf(x, pal_zeroVec3), &b, pal_identityPose, 0.2 * mm);
        assert_true(found.count >= 3);
        for (int k = 0; k < found.count; k++)
            assert_float_equal(found.contacts[k].normal.z, 1.0, 1e-12);
    }
    palRigidShape_Free(&a);
    palRigidShape_Free(&b);
}

// A square plate thinner than the deepest overlap lies on another and is touched from below only.
static void a_thin_plate_is_touched_from_one_side(void** state)
{
    (void)state;
    palRigidShape plate = boxMesh(palMakeVec3(60 * mm, 60 * mm, 0.1 * mm), 3);
    palRigidShape other = boxMesh(palMakeVec3(30 * mm, 30 * mm, 0.1 * mm), 3);
    for (int i = -4; i <= 10; i++)
    {
        double gap = i * 10 * um;
        palPose pose = poseOf(palMakeVec3(1 * mm, 2 * mm, 0.1 * mm + gap), palMakeVec3(0, 0, 0.3));
        Found found = findContacts(&other, pose, &plate, pal_identityPose, 0.2 * mm);
        assert_int_equal(found.count, 4);
        for (int k = 0; k < found.count; k++)
        {
            assert_float_equal(found.contacts[k].normal.z, 1.0, 1e-12);
            assert_float_equal(found.contacts[k].gap, gap, 1e-12);
        }
    }
    palRigidShape_Free(&plate);
    palRigidShape_Free(&other);
}

// The distance of fine spheres, and its direction, are those of round ones but for their facets.
static void sphere_meshes_touch_where_spheres_do(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(8);
    const double R = 10 * mm;
    palRigidShape ball =
        shapeMesh((palShapeDef){.kind = pal_shapeSphere, .radius = R, .resolution = 120});
    double sagitta = R * (1.0 - cos(PAL_PI / 120)) * 1.5;
    for (int i = 0; i < 40; i++)
    {
        palVec3 way = palNormalize(randomVec3(&random, 1.0));
        double gap = palRandom_Range(&random, -50 * um, 50 * um);
        palPose poseA = poseOf(palScale(2.0 * R + gap, way), randomVec3(&random, 3.0));
        palPose poseB = poseOf(pal_zeroVec3, randomVec3(&random, 3.0));
        Found found = findContacts(&ball, poseA, &ball, poseB, 0.1 * mm);
        assert_true(found.count >= 1);
        double least = smallestGap(&found);
        assert_true(least >= gap - 1e-9 && least <= gap + 3.0 * sagitta);
        for (int k = 0; k < found.count; k++)
            assert_true(palDot(found.contacts[k].normal, way) > cos(0.15));
    }
    palRigidShape_Free(&ball);
}

static double lowest(const palRigidShape* shape, palPose pose)
{
    double least = INFINITY;
    for (int i = 0; i < shape->surface.vertexCount; i++)
        least = fmin(least, palPose_Point(pose, shape->surface.vertices[i]).z);
    return least;
}

// Turned and shifted together, two bodies have the same contacts.
static void contacts_move_with_both_bodies(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(9);
    palRigidShape rocker = shapeMesh(
        (palShapeDef){.kind = pal_shapeRocker, .size = {40 * mm, 0, 0}, .resolution = 40});
    palRigidShape box = boxMesh(palMakeVec3(30 * mm, 30 * mm, 10 * mm), 6);
    int total = 0;
    for (int i = 0; i < 20; i++)
    {
        palPose poseA = poseOf(randomVec3(&random, 3 * mm), randomVec3(&random, 2.0));
        palPose poseB = pal_identityPose;
        poseA.x.z += 5 * mm + (i % 5 - 2) * 20 * um - lowest(&rocker, poseA);
        palPose both = poseOf(randomVec3(&random, 0.2), randomVec3(&random, 3.0));
        Found here = findContacts(&rocker, poseA, &box, poseB, 0.5 * mm);
        Found there =
            findContacts(&rocker, palMulPose(both, poseA), &box, palMulPose(both, poseB), 0.5 * mm);
        Found swapped = findContacts(&box, poseB, &rocker, poseA, 0.5 * mm);
        assert_true(hasSameKeys(&here, &there));
        assert_float_equal(fmin(smallestGap(&here), 1), fmin(smallestGap(&there), 1), 1e-12);
        assert_float_equal(fmin(smallestGap(&here), 1), fmin(smallestGap(&swapped), 1), 1e-12);
        for (int k = 0; k < here.count; k++)
        {
            palVec3 x = palPose_Point(both, here.contacts[k].onA);
            palVec3 n = palRotate(both.q, here.contacts[k].normal);
            double nearest = INFINITY;
            for (int m = 0; m < there.count; m++)
                if (there.contacts[m].key == here.contacts[k].key)
                    nearest = fmin(nearest, palDistance(there.contacts[m].onA, x) +
                                                palDistance(there.contacts[m].normal, n));
            assert_true(nearest < 1e-9);
        }
        total += here.count;
    }
    assert_true(total > 20);
    palRigidShape_Free(&rocker);
    palRigidShape_Free(&box);
}

// The sides of a hole are long narrow triangles with grooves between them. A peg above the hole is
// beyond them all, not inside.
static void beyond_the_tips_of_narrow_sides_nothing_is_inside(void** state)
{
    (void)state;
    palError error;
    palSurface surface;
    const palShapeDef sleeve = {.kind = pal_shapeSleeve,
                                .size = {40 * mm, 40 * mm, 0},
                                .radius = 10.05 * mm,
                                .height = 30 * mm,
                                .resolution = 128};
    assert_int_equal(palMakeShape(&sleeve, &surface, &error), pal_ok);
    assert_int_equal(palSurface_Merge(&surface, 1 * um, &error), pal_ok);
    palRigidShape hole = meshOf(surface);
    palRigidShape peg = shapeMesh((palShapeDef){
        .kind = pal_shapePeg, .radius = 10 * mm, .height = 30 * mm, .resolution = 128});
    palPose poseA = poseOf(palMakeVec3(0.5 * mm, 0, 31.25 * mm), palMakeVec3(0, 0.01745, 0));
    palPose poseB = poseOf(pal_zeroVec3, palMakeVec3(0, 0, 0.02454));
    Found found = findContacts(&peg, poseA, &hole, poseB, 1.5 * mm);
    assert_true(found.count > 0);
    ASSERT_NEAR(smallestGap(&found), 1.078 * mm, 1 * um);
    palRigidShape_Free(&hole);
    palRigidShape_Free(&peg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_on_boxes_touch_all_over_their_common_face),
        cmocka_unit_test(aligned_boxes_touch_at_their_corners),
        cmocka_unit_test(a_box_in_a_corner_keeps_its_contacts_on_both_sides_of_touching),
        cmocka_unit_test(a_thin_overlap_is_left_the_short_way),
        cmocka_unit_test(a_thin_plate_is_touched_from_one_side),
        cmocka_unit_test(sphere_meshes_touch_where_spheres_do),
        cmocka_unit_test(contacts_move_with_both_bodies),
        cmocka_unit_test(beyond_the_tips_of_narrow_sides_nothing_is_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

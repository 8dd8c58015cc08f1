// SPDX-License-Identifier: Apache-2.0
#include "rigid_pairs.h"

static palRigidShape shapes[testShapeCount];

static int setUp(void** state)
{
    (void)state;
    makeTestShapes(shapes);
    return 0;
}

static int tearDown(void** state)
{
    (void)state;
    freeTestShapes(shapes);
    return 0;
}

static int contactsOf(const palRigidShape* a, palPose poseA, const palRigidShape* b, palPose poseB,
                      double distance, palRigidContact contacts[pal_manifoldMax])
{
    palRigidPairCache cache = {0};
    return palRigidShapes_Contacts(a, poseA, b, poseB, distance, &cache, pal_manifoldMax, contacts,
                                   NULL);
}

static double smallestGap(const palRigidContact* contacts, int count)
{
    double gap = INFINITY;
    for (int i = 0; i < count; i++)
        gap = fmin(gap, contacts[i].gap);
    return gap;
}

// a and b at random orientations, `gap` apart along a random direction.
static void placeAt(palRandom* random, const palRigidShape* a, const palRigidShape* b, double gap,
                    palPose* poseA, palPose* poseB)
{
    poseA->q = randomQuat(random);
    poseB->q = randomQuat(random);
    poseA->x = randomVec3(random, 0.1);
    poseB->x = poseA->x;
    palVec3 n = randomUnit(random);
    poseA->x = palMulAdd(poseA->x, gap - gapAlong(a, *poseA, b, *poseB, n), n);
}

// The same, `gap` being the distance itself, or the depth.
static void placeTouching(palRandom* random, const palRigidShape* a, const palRigidShape* b,
                          double gap, palPose* poseA, palPose* poseB)
{
    placeAt(random, a, b, 1e-3, poseA, poseB);
    for (int i = 0; i < 8; i++)
    {
        palRigidContact contacts[pal_manifoldMax];
        int count = contactsOf(a, *poseA, b, *poseB, 1.0, contacts);
        poseA->x = palMulAdd(poseA->x, gap - smallestGap(contacts, count), contacts[0].normal);
    }
}

// Every contact is what the header says: points, normal and gap fit, and keys differ.
static void assertConsistent(const palRigidContact* contacts, int count, double distance)
{
    for (int i = 0; i < count; i++)
    {
        const palRigidContact* c = &contacts[i];
        assert_true(palIsFinite(c->onA) && palIsFinite(c->onB) && palIsFinite(c->normal));
        ASSERT_NEAR(palLength(c->normal), 1.0, 1e-12);
        ASSERT_NEAR(c->gap, palDot(c->normal, palSub(c->onA, c->onB)), 1e-14);
        ASSERT_BELOW(c->gap, distance);
        for (int k = 0; k < i; k++)
        {
            assert_true(contacts[k].key != c->key);
            assert_true(palDistance(contacts[k].normal, c->normal) == 0.0);
        }
    }
}

static void compareGaps(int first, int second, double low, double high, int trials)
{
    palRandom random = palMakeRandom((uint64_t)(100 * first + second));
    for (int i = 0; i < trials; i++)
    {
        palPose poseA, poseB;
        const palRigidShape *a = &shapes[first], *b = &shapes[second];
        placeAt(&random, a, b, palRandom_Range(&random, low, high), &poseA, &poseB);
        palRigidContact contacts[pal_manifoldMax];
        int count = contactsOf(a, poseA, b, poseB, 1.0, contacts);
        assert_true(count > 0);
        assertConsistent(contacts, count, 1.0);
        double gap = smallestGap(contacts, count);
        double exact = gapAlong(a, poseA, b, poseB, contacts[0].normal);
        double expected = searchGap(a, poseA, b, poseB, &random, 2000, 400);
        if (fabs(gap - exact) > 1e-9 || exact < expected - 1e-9)
            fail_msg("shapes %d %d, trial %d: gap %.12g, along the normal %.12g, search %.12g",
                     first, second, i, gap, exact, expected);
    }
}

static void gaps_of_shapes_apart_are_their_distance(void** state)
{
    (void)state;
    for (int i = 0; i < testShapeCount; i++)
        for (int k = i; k < testShapeCount; k++)
            compareGaps(i, k, 1e-4, 0.02, 10);
}

static void gaps_of_shapes_that_overlap_are_the_least_depth(void** state)
{
    (void)state;
    for (int i = 0; i < testShapeCount; i++)
        for (int k = i; k < testShapeCount; k++)
            compareGaps(i, k, -0.004, -1e-6, 10);
}

// Exchanging the two bodies flips the normal and keeps the gaps.
static void exchanging_the_bodies_flips_the_contacts(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(21);
    for (int i = 0; i < 3000; i++)
    {
        const palRigidShape* a = &shapes[palRandom_Below(&random, testShapeCount)];
        const palRigidShape* b = &shapes[palRandom_Below(&random, testShapeCount)];
        palPose poseA, poseB;
        placeTouching(&random, a, b, palRandom_Range(&random, -0.002, 0.004), &poseA, &poseB);
        palRigidContact there[pal_manifoldMax], back[pal_manifoldMax];
        int count = contactsOf(a, poseA, b, poseB, 0.005, there);
        int again = contactsOf(b, poseB, a, poseA, 0.005, back);
        assert_int_equal(again > 0, count > 0);
        if (count == 0)
            continue;
        ASSERT_NEAR(palLength(palAdd(there[0].normal, back[0].normal)), 0.0, 1e-6);
        ASSERT_NEAR(smallestGap(there, count), smallestGap(back, again), 1e-9);
    }
}

// Contacts move with the bodies.
static void contacts_turn_with_the_world(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(23);
    for (int i = 0; i < 3000; i++)
    {
        const palRigidShape* a = &shapes[palRandom_Below(&random, testShapeCount)];
        const palRigidShape* b = &shapes[palRandom_Below(&random, testShapeCount)];
        palPose poseA, poseB, world = {randomVec3(&random, 1.0), randomQuat(&random)};
        placeTouching(&random, a, b, palRandom_Range(&random, -0.002, 0.004), &poseA, &poseB);
        palRigidContact here[pal_manifoldMax], there[pal_manifoldMax];
        int count = contactsOf(a, poseA, b, poseB, 0.005, here);
        int again =
            contactsOf(a, palMulPose(world, poseA), b, palMulPose(world, poseB), 0.005, there);
        assert_int_equal(again > 0, count > 0);
        if (count == 0)
            continue;
        palVec3 turned = palRotate(world.q, here[0].normal);
        ASSERT_NEAR(palDistance(turned, there[0].normal), 0.0, 1e-6);
        ASSERT_NEAR(smallestGap(here, count), smallestGap(there, again), 1e-9);
    }
}

// A pair that is on a support at z = 0 or on the top of a box there, at a gap.
typedef struct Standing
{
    const char* name;
    int shape;
    palVec3 turn;  // rotation vector
    double height; // of its origin while it touches
    int contacts;
} Standing;

static const Standing standings[] = {
    {"sphere", 0, {0, 0, 0}, 0.03, 1},
    {"lying capsule", 1, {0, 0.5 * PAL_PI, 0}, 0.02, 2},
    {"standing capsule", 1, {0, 0, 0}, 0.05, 1},
    {"box", 2, {0, 0, 0.4}, 0.025, 4},
    {"standing cylinder", 3, {0, 0, 0.2}, 0.035, 8},
    {"cylinder on its head", 3, {PAL_PI, 0, 0}, 0.035, 8},
    {"lying cylinder", 3, {0.5 * PAL_PI, 0, 0}, 0.03, 2},
    {"prism", 5, {0, 0, 0.3}, 0.03, 3},
    {"coin", 7, {0, 0, 0}, 0.0075, 8},
};

static int findKey(const palRigidContact* contacts, int count, uint64_t key)
{
    for (int i = 0; i < count; i++)
        if (contacts[i].key == key)
            return i;
    return -1;
}

// On a half-space and on a large box: as many contacts as the shape has points to stand on, the
// same 10 µm above and 10 µm inside, all with the exact gap and at the same places.
static void what_stands_has_the_same_contacts_above_and_inside(void** state)
{
    (void)state;
    palRigidShape space, floor;
    palError error;
    palRigidShape_InitHalfSpace(&space);
    assert_int_equal(palRigidShape_InitBox(&floor, (palVec3){1.0, 0.8, 0.2}, &error), pal_ok);
    palPose turned = {{3.0, -2.0, 1.0}, palMakeQuatRotationVector((palVec3){0.5, -0.3, 1.1})};
    const double gaps[] = {1e-5, 1e-7, 1e-9, 0.0, -1e-9, -1e-7, -1e-5};
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < sizeof standings / sizeof standings[0]; i++)
        {
            const Standing* standing = &standings[i];
            const palRigidShape* support = kind == 0 ? &space : &floor;
            palPose poseB = {{0, 0, kind == 0 ? 0.0 : -0.1}, pal_identityQuat};
            palRigidContact first[pal_manifoldMax], contacts[pal_manifoldMax];
            palRigidPairCache cache = {0};
            for (int g = 0; g < 7; g++)
            {
                palPose poseA = {{0.02, 0.03, standing->height + gaps[g]},
                                 palMakeQuatRotationVector(standing->turn)};
                int count = palRigidShapes_Contacts(
                    &shapes[standing->shape], palMulPose(turned, poseA), support,
                    palMulPose(turned, poseB), 1e-3, &cache, pal_manifoldMax, contacts, NULL);
                if (count != standing->contacts)
                    fail_msg("%s, gap %g: %d contacts, not %d", standing->name, gaps[g], count,
                             standing->contacts);
                assertConsistent(contacts, count, 1e-3);
                if (g == 0)
                    memcpy(first, contacts, sizeof first);
                for (int k = 0; k < count; k++)
                {
                    int at = findKey(first, count, contacts[k].key);
                    assert_true(at >= 0);
                    ASSERT_NEAR(contacts[k].gap, gaps[g], 1e-14);
                    ASSERT_NEAR(palDistance(contacts[k].onA, first[at].onA), 0.0, 2.1e-5);
                }
            }
        }
    palRigidShape_Free(&floor);
    palRigidShape_Free(&space);
}

// Equal shapes on each other: small shifts and tilts, as rounding in a tower makes them, change no
// key and move no contact by more than themselves.
static void equal_shapes_on_each_other_keep_their_contacts(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(31);
    const int stacked[] = {2, 3, 6, 7, 5};
    for (int s = 0; s < 5; s++)
    {
        const palRigidShape* shape = &shapes[stacked[s]];
        double height = shape->bounds.high.z - shape->bounds.low.z;
        palRigidContact first[pal_manifoldMax], contacts[pal_manifoldMax];
        palRigidPairCache cache = {0};
        int number = 0;
        for (int i = 0; i < 1000; i++)
        {
            palVec3 shift = i == 0 ? pal_zeroVec3 : randomVec3(&random, 2e-7);
            palVec3 tilt = i == 0 ? pal_zeroVec3 : randomVec3(&random, 2e-6);
            palPose poseA = {palAdd((palVec3){0, 0, height}, shift),
                             palMakeQuatRotationVector(tilt)};
            int count = palRigidShapes_Contacts(shape, poseA, shape, pal_identityPose, 1e-3, &cache,
                                                pal_manifoldMax, contacts, NULL);
            assertConsistent(contacts, count, 1e-3);
            if (i == 0)
                number = count, memcpy(first, contacts, sizeof first);
            assert_int_equal(count, number);
            for (int k = 0; k < count; k++)
            {
                int at = findKey(first, count, contacts[k].key);
                assert_true(at >= 0);
                ASSERT_BELOW(palDistance(contacts[k].onA, first[at].onA), 2e-6);
            }
        }
        assert_int_equal(number, s == 1 || s == 3 ? 8 : s == 4 ? 3 : 4);
    }
}

// A rolling cylinder touches with the ends of the line right below its axis.
static void a_rolling_cylinder_touches_right_below_its_axis(void** state)
{
    (void)state;
    palRigidShape floor;
    palError error;
    assert_int_equal(palRigidShape_InitBox(&floor, (palVec3){2.0, 0.8, 0.2}, &error), pal_ok);
    palQuat lying = palMakeQuatRotationVector((palVec3){0.5 * PAL_PI, 0, 0});
    palRigidPairCache cache = {0};
    for (int i = 0; i < 500; i++)
    {
        double angle = 0.01 * i;
        palPose poseA = {{0.03 * angle - 0.1, 0.0, 0.13},
                         palMulQuat(palMakeQuatRotationVector((palVec3){0, angle, 0}), lying)};
        palRigidContact contacts[pal_manifoldMax];
        int count = palRigidShapes_Contacts(&shapes[3], poseA, &floor, pal_identityPose, 1e-3,
                                            &cache, pal_manifoldMax, contacts, NULL);
        assert_int_equal(count, 2);
        for (int k = 0; k < 2; k++)
        {
            ASSERT_NEAR(contacts[k].onA.x, poseA.x.x, 1e-12);
            ASSERT_NEAR(fabs(contacts[k].onA.y), 0.035, 1e-12);
            ASSERT_NEAR(contacts[k].gap, 0.0, 1e-14);
        }
        assert_true(contacts[0].onA.y * contacts[1].onA.y < 0.0);
    }
    palRigidShape_Free(&floor);
}

// Edges that cross touch in one point, at the crossing.
static void crossing_edges_touch_in_a_point(void** state)
{
    (void)state;
    palQuat onEdge = palMakeQuatRotationVector((palVec3){0.25 * PAL_PI, 0, 0}); // an edge along x
    palQuat across = palMakeQuatRotationVector((palVec3){0, 0.25 * PAL_PI, 0}); // and along y
    palRigidShape cube;
    palError error;
    assert_int_equal(palRigidShape_InitBox(&cube, (palVec3){0.1, 0.1, 0.1}, &error), pal_ok);
    for (double gap = -2e-5; gap <= 2.1e-5; gap += 1e-5)
    {
        palPose poseA = {{0.01, -0.02, 0.1 * sqrt(2.0) + gap}, onEdge};
        palPose poseB = {{0.0, 0.0, 0.0}, across};
        palRigidContact contacts[pal_manifoldMax];
        assert_int_equal(contactsOf(&cube, poseA, &cube, poseB, 1e-4, contacts), 1);
        ASSERT_NEAR(contacts[0].gap, gap, 1e-14);
        ASSERT_NEAR(contacts[0].onA.x, 0.0, 1e-9);
        ASSERT_NEAR(contacts[0].onA.y, -0.02, 1e-9);
        ASSERT_NEAR(contacts[0].normal.z, 1.0, 1e-12);
    }
    palRigidShape_Free(&cube);
}

// No position gives anything but finite contacts: random ones, also deep inside, with faces, edges
// and centres exactly aligned.
static void no_position_gives_anything_but_finite_contacts(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(41);
    palRigidShape space;
    palRigidShape_InitHalfSpace(&space);
    for (int i = 0; i < 100000; i++)
    {
        int first = palRandom_Below(&random, testShapeCount + 1);
        int second =
            palRandom_Below(&random, first == testShapeCount ? testShapeCount : testShapeCount + 1);
        const palRigidShape* a = first == testShapeCount ? &space : &shapes[first];
        const palRigidShape* b = second == testShapeCount ? &space : &shapes[second];
        palPose poseA = {randomVec3(&random, 0.08), randomQuat(&random)};
        palPose poseB = {pal_zeroVec3, randomQuat(&random)};
        if (i % 4 == 1)
            poseA.q = poseB.q = pal_identityQuat;
        if (i % 4 == 2) // quarter turns and distances from a grid
        {
            poseA.q = palMakeQuatRotationVector(
                (palVec3){0.5 * PAL_PI * palRandom_Below(&random, 4), 0, 0});
            poseB.q = pal_identityQuat;
            poseA.x =
                (palVec3){0.01 * palRandom_Below(&random, 8), 0.01 * palRandom_Below(&random, 8),
                          0.005 * palRandom_Below(&random, 16)};
        }
        if (i % 16 == 3)
            poseA.x = pal_zeroVec3;
        palRigidContact contacts[pal_manifoldMax];
        palRigidPairCache cache = {0};
        int left = -1, capacity = 1 + palRandom_Below(&random, pal_manifoldMax);
        double distance = i % 3 == 0 ? 1e-4 : 0.02;
        int count = palRigidShapes_Contacts(a, poseA, b, poseB, distance, &cache, capacity,
                                            contacts, &left);
        assert_true(count <= capacity && left >= 0 && (left == 0 || count == capacity));
        assertConsistent(contacts, count, distance);
        assert_true(palIsFinite(cache.axis));
    }
}

// What the last step left as a start changes how long a search takes, not what it finds.
static void the_start_does_not_change_the_contacts(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(43);
    for (int i = 0; i < 3000; i++)
    {
        const palRigidShape* a = &shapes[palRandom_Below(&random, testShapeCount)];
        const palRigidShape* b = &shapes[palRandom_Below(&random, testShapeCount)];
        palPose poseA, poseB;
        placeTouching(&random, a, b, palRandom_Range(&random, -0.001, 0.002), &poseA, &poseB);
        palRigidContact fresh[pal_manifoldMax], warm[pal_manifoldMax];
        palRigidPairCache cache = {0};
        int count = palRigidShapes_Contacts(a, poseA, b, poseB, 0.003, &cache, pal_manifoldMax,
                                            fresh, NULL);
        cache.axis = palNormalize(palMulAdd(cache.axis, 0.3, randomUnit(&random)));
        int again =
            palRigidShapes_Contacts(a, poseA, b, poseB, 0.003, &cache, pal_manifoldMax, warm, NULL);
        assert_int_equal(again > 0, count > 0);
        if (count > 0)
            ASSERT_NEAR(smallestGap(warm, again), smallestGap(fresh, count), 1e-8);
    }
}

static palPose moved(palPose pose, palVec3 centre, palVec3 shift, palVec3 turn)
{
    palQuat q = palMakeQuatRotationVector(turn);
    palVec3 arm = palSub(pose.x, centre);
    return (palPose){palAdd(palAdd(centre, shift), palRotate(q, arm)), palMulQuat(q, pose.q)};
}

// A motion that keeps every contact's gap from becoming negative, to first order, makes the shapes
// overlap by no more than the square of the motion.
static void a_motion_that_closes_no_contact_makes_no_overlap(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(51);
    const double motion = 1e-3; // m, and rad at 5 cm
    int tried = 0;
    for (int i = 0; i < 20000; i++)
    {
        const palRigidShape* a = &shapes[palRandom_Below(&random, testShapeCount)];
        const palRigidShape* b = &shapes[palRandom_Below(&random, testShapeCount)];
        palPose poseA, poseB;
        placeTouching(&random, a, b, palRandom_Range(&random, 0.0, 1e-3), &poseA, &poseB);
        palRigidContact contacts[pal_manifoldMax];
        int count = contactsOf(a, poseA, b, poseB, 0.01, contacts);
        palVec3 shift = randomVec3(&random, motion), turn = randomVec3(&random, 20.0 * motion);
        bool opens = count > 0;
        for (int k = 0; k < count; k++)
        {
            palVec3 way = palAdd(shift, palCross(turn, palSub(contacts[k].onA, poseA.x)));
            opens = opens && contacts[k].gap + palDot(contacts[k].normal, way) >= 0.0;
        }
        if (!opens)
            continue;
        tried++;
        palPose after = moved(poseA, poseA.x, shift, turn);
        palRigidContact then[pal_manifoldMax];
        int number = contactsOf(a, after, b, poseB, 0.01, then);
        double square = motion * motion * 3.0 * (1.0 + 1.0) / 0.02; // curvature of 2 cm
        if (number > 0 && smallestGap(then, number) < -square)
            fail_msg("trial %d, kinds %d and %d: %g m deep", i, a->kind, b->kind,
                     -smallestGap(then, number));
    }
    assert_true(tried > 5000);
}

// What rests in a small motion: every contact that is not near the limit of the distance is there
// before and after with the same key, and has moved no farther than a few times the motion. Shapes
// at random places change features now and then, those that lie on each other do not.
static void contacts_move_with_small_motions(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(53);
    const double motion = 1e-7; // m, and rad at 0.1 m
    int all = 0, same = 0;
    for (int i = 0; i < 5000; i++)
    {
        const palRigidShape* a = &shapes[palRandom_Below(&random, testShapeCount)];
        const palRigidShape* b = &shapes[palRandom_Below(&random, testShapeCount)];
        palPose poseA, poseB;
        placeTouching(&random, a, b, palRandom_Range(&random, -1e-4, 1e-4), &poseA, &poseB);
        palRigidContact before[pal_manifoldMax], after[pal_manifoldMax];
        palRigidPairCache cache = {0};
        int count = palRigidShapes_Contacts(a, poseA, b, poseB, 1e-3, &cache, pal_manifoldMax,
                                            before, NULL);
        palPose then =
            moved(poseA, poseA.x, randomVec3(&random, motion), randomVec3(&random, 10.0 * motion));
        int number =
            palRigidShapes_Contacts(a, then, b, poseB, 1e-3, &cache, pal_manifoldMax, after, NULL);
        for (int k = 0; k < count; k++)
        {
            if (before[k].gap > 0.9e-3)
                continue;
            int at = findKey(after, number, before[k].key);
            all++;
            same += at >= 0 && palDistance(after[at].onA, before[k].onA) < 1e-4 &&
                    fabs(after[at].gap - before[k].gap) < 20.0 * motion;
        }
    }
    assert_true(all > 500);
    ASSERT_BELOW((double)(all - same) / all, 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_of_shapes_apart_are_their_distance),
        cmocka_unit_test(gaps_of_shapes_that_overlap_are_the_least_depth),
        cmocka_unit_test(exchanging_the_bodies_flips_the_contacts),
        cmocka_unit_test(contacts_turn_with_the_world),
        cmocka_unit_test(what_stands_has_the_same_contacts_above_and_inside),
        cmocka_unit_test(equal_shapes_on_each_other_keep_their_contacts),
        cmocka_unit_test(a_rolling_cylinder_touches_right_below_its_axis),
        cmocka_unit_test(crossing_edges_touch_in_a_point),
        cmocka_unit_test(no_position_gives_anything_but_finite_contacts),
        cmocka_unit_test(the_start_does_not_change_the_contacts),
        cmocka_unit_test(a_motion_that_closes_no_contact_makes_no_overlap),
        cmocka_unit_test(contacts_move_with_small_motions),
    };
    return RUN_WITHIN(tests, setUp, tearDown);
}

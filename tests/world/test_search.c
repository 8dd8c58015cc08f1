// SPDX-License-Identifier: Apache-2.0
// A search alone: which contacts of two surfaces are known for the life of a snapshot.
#include "stage.h"

static const double radius = 5e-3;  // m
static const double horizon = 0.05; // s

#define FLOOR "  - {name: floor, shape: {kind: plane, size: [1, 1, 0]}, friction: 0.2}\n"
#define PLATE(size, resolution, more)                                                              \
    "  - {name: plate, shape: {kind: box, size: " size "}, soft: {young: 10000, elements: tets, "  \
    "resolution: " resolution more "}}\n"

// The objects of a text, of which the second may touch the first.
static stage* searchMake(const char* objects, int contactsMax)
{
    palError error = {0};
    stage* s = stageMake(objects, pal_zeroVec3);
    palWorldStep_Free(&s->step);
    palWorldStepDef def = stageDef(s);
    def.contactsMax = contactsMax;
    def.radius = radius;
    def.horizon = horizon;
    assert_int_equal(palWorldStep_Init(&s->step, &def, &error), pal_ok);
    palWorldStep_AddPair(&s->step, 1, 0);
    return s;
}

// Moves the second object, and finds.
static void find(stage* s, palVec3 by)
{
    palSoftBody* body = s->world.colliders[1].soft;
    for (int i = 0; i < body->nodeCount; i++)
        body->x[i] = palAdd(body->x[i], by);
    palCollider_Follow(&s->world.colliders[1]);
    s->step.bodies[1]->ops->reset(s->step.bodies[1]);
    palWorldStep_MoveSurfaces(&s->step);
    palWorldStep_FindContacts(&s->step);
}

// The second object's point of a contact.
static palVec3 pointOf(const stage* s, int link)
{
    const palWorldBody* body = s->step.bodies[1];
    const palPlace* end = &s->step.links[link].ends[0];
    assert_int_equal(end->body, 1);
    return body->ops->point(body, end, true);
}

static double nearestTo(const stage* s, palVec3 at)
{
    double nearest = INFINITY;
    for (int i = 0; i < s->step.linkCount; i++)
        nearest = fmin(nearest, palDistance(pointOf(s, i), at));
    return nearest;
}

// A plate with more vertices than there is room for: it must be carried at its corners, wherever in
// the list of vertices they are, and where it is deepest; and if it only comes near, too.
static void a_fine_plate_is_carried_all_over(void** state)
{
    (void)state;
    const double half = 0.1, dent = 4e-4; // m
    for (int isNear = 0; isNear < 2; isNear++)
    {
        stage* s = searchMake(FLOOR PLATE("[0.2, 0.2, 0.02]", "20", ""), 64);
        palSoftBody* body = s->world.colliders[1].soft;
        int deepest = -1;
        double height = isNear ? 2e-3 : dent;
        for (int i = 0; i < body->nodeCount; i++)
            if (palDistance(body->x[i], palMakeVec3(0.03, -0.05, -0.01)) < 1e-6)
                deepest = i;
        assert_true(deepest >= 0);
        body->x[deepest].z -= dent;
        find(s, palMakeVec3(0, 0, 0.01 + height));
        assert_in_range(s->step.linkCount, 6, isNear ? 12 : 64);
        ASSERT_BELOW(nearestTo(s, body->x[deepest]), 1e-12);
        for (int corner = 0; corner < 4; corner++)
        {
            palVec3 at = {corner & 1 ? half : -half, corner & 2 ? half : -half, height};
            ASSERT_BELOW(nearestTo(s, at), 0.1 * half);
        }
        for (int i = 0; i < s->step.linkCount; i++)
        {
            const palLink* link = &s->step.links[i];
            ASSERT_NEAR(link->axes[0].z, 1.0, 1e-12);
            ASSERT_NEAR(link->gap, pointOf(s, i).z, 1e-12);
            ASSERT_NEAR(link->distance, PAL_CONTACT_CLEARANCE, 0.0);
            ASSERT_NEAR(link->friction, 0.2, 0.0);
        }
        stageFree(s);
    }
}

// What comes fast is known from farther away; what goes, or is held, is not.
static void what_comes_within_the_horizon_is_known(void** state)
{
    (void)state;
    const double height = 0.009, speed = 0.1; // m, m/s: within 0.05 s it is 4 mm away
    stage* s = searchMake(FLOOR PLATE("[0.02, 0.02, 0.02]", "2", ""), 64);
    palSoftBody* body = s->world.colliders[1].soft;
    find(s, palMakeVec3(0, 0, 0.01 + height));
    assert_int_equal(s->step.linkCount, 0);
    for (int way = -1; way <= 1; way += 2)
    {
        for (int i = 0; i < body->nodeCount; i++)
            body->v[i] = palMakeVec3(0, 0, way * speed);
        find(s, pal_zeroVec3);
        assert_int_equal(s->step.linkCount > 0, way < 0);
    }
    stageFree(s);
    s = searchMake(FLOOR PLATE("[0.02, 0.02, 0.02]", "2", ", fixed: [{nodes: zmin}]"), 64);
    find(s, palMakeVec3(0, 0, 0.01));
    assert_int_equal(s->step.linkCount, 0);
    stageFree(s);
}

// The floor has a front: what has got a little behind it, or is all of it behind, is pushed back.
static void an_open_surface_has_a_front(void** state)
{
    (void)state;
    const double depths[2] = {1e-4, 0.021}; // m
    for (int k = 0; k < 2; k++)
    {
        stage* s = searchMake(FLOOR PLATE("[0.02, 0.02, 0.02]", "2", ""), 64);
        find(s, palMakeVec3(0, 0, 0.01 - depths[k]));
        assert_true(s->step.linkCount > 0);
        for (int i = 0; i < s->step.linkCount; i++)
        {
            ASSERT_NEAR(s->step.links[i].axes[0].z, 1.0, 1e-12);
            ASSERT_NEAR(s->step.links[i].gap, pointOf(s, i).z, 1e-12);
        }
        stageFree(s);
    }
}

// On a flat part vertices say all; edges that cross are found where they are sharp.
static void edges_touch_where_they_are_sharp(void** state)
{
    (void)state;
    static const char turned[] =
        "  - {name: below, shape: {kind: box, size: [0.1, 0.02, 0.02], resolution: 5}, rotation: "
        "[45, 0, 0]}\n"
        "  - {name: above, shape: {kind: box, size: [0.02, 0.1, 0.02]}, rotation: [0, 45, 0], "
        "soft: {young: 10000, elements: tets, resolution: 5}}\n";
    stage* s = searchMake(turned, 64);
    find(s, palMakeVec3(0, 0, 0.02 * sqrt(2.0) + 1e-4));
    assert_true(s->step.linkCount > 0);
    ASSERT_BELOW(nearestTo(s, palMakeVec3(0, 0, 0.01 * sqrt(2.0) + 1e-4)), 1e-9);
    ASSERT_NEAR(s->step.links[0].gap, 1e-4, 1e-9);
    stageFree(s);
    s = searchMake("  - {name: below, shape: {kind: box, size: [0.1, 0.1, 0.02], resolution: 7}, "
                   "position: [0, 0, -0.01]}\n" PLATE("[0.04, 0.04, 0.02]", "3", ""),
                   64);
    find(s, palMakeVec3(0.003, 0.002, 0.01));
    assert_true(s->step.linkCount > 0);
    for (int i = 0; i < s->step.linkCount; i++)
        assert_true(s->step.links[i].ends[0].on.count == 1 ||
                    s->step.links[i].ends[1].on.count == 1 ||
                    fabs(fabs(pointOf(s, i).x - 0.003) - 0.02) < 1e-9 ||
                    fabs(fabs(pointOf(s, i).y - 0.002) - 0.02) < 1e-9);
    stageFree(s);
}

// A contact is the same one from step to step, also where a vertex goes on to another triangle.
static void a_contact_is_the_same_one_from_step_to_step(void** state)
{
    (void)state;
    stage* s = searchMake(
        "  - {name: floor, shape: {kind: plane, size: [1, 1, 0], resolution: 30}}\n" PLATE(
            "[0.02, 0.02, 0.02]", "2", ""),
        64);
    palLink before[64];
    find(s, palMakeVec3(0.0013, 0.0027, 0.01));
    int count = s->step.linkCount;
    memcpy(before, s->step.links, (size_t)count * sizeof *before);
    find(s, palMakeVec3(0.02, 0, -1e-6));
    assert_int_equal(s->step.linkCount, count);
    for (int i = 0; i < count; i++)
    {
        int same = 0;
        for (int k = 0; k < count; k++)
            same += palLink_IsSame(&before[i], &s->step.links[k]);
        assert_int_equal(same, 1);
    }
    stageFree(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fine_plate_is_carried_all_over),
        cmocka_unit_test(what_comes_within_the_horizon_is_known),
        cmocka_unit_test(an_open_surface_has_a_front),
        cmocka_unit_test(edges_touch_where_they_are_sharp),
        cmocka_unit_test(a_contact_is_the_same_one_from_step_to_step),
    };
    return RUN(tests);
}

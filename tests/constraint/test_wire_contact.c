// SPDX-License-Identifier: Apache-2.0
#include "wire_rig.h"

#include "constraint/wire_contact.h"
#include "mesh/shapes.h"

// A straight steel wire of 1 mm between two points, and something to touch.
typedef struct fixture
{
    wireRig r;
    palBeamState state;
    palCollider collider;
} fixture;

static void setUp(fixture* f, palVec3 start, palVec3 end, int elements, const palShapeDef* shape)
{
    palError error;
    palSurface surface;
    wireRigInit(&f->r);
    wireRigDef def = wireRigRubber();
    def.start = start;
    def.end = end;
    def.elements = elements;
    def.radius = 1e-3;
    wireRigAdd(&f->r, &def);
    assert_int_equal(palBeamState_Init(&f->state, f->r.wires[0].model, &error), pal_ok);
    assert_int_equal(palMakeShape(shape, &surface, &error), pal_ok);
    assert_int_equal(palCollider_Init(&f->collider, &surface, 0.2, &error), pal_ok);
}

// In eight elements over z = 0.
static void setUpOverPlane(fixture* f, palVec3 start, palVec3 end)
{
    palShapeDef plane = palDefaultShapeDef(pal_shapePlane);
    plane.size = palMakeVec3(1, 1, 0);
    setUp(f, start, end, 8, &plane);
}

static void tearDown(fixture* f)
{
    palCollider_Free(&f->collider);
    palBeamState_Free(&f->state);
    wireRigFree(&f->r);
}

static palWireSearch searchOf(const fixture* f, double threshold)
{
    return (palWireSearch){
        .wire = &f->r.wires[0],
        .state = &f->state,
        .collider = &f->collider,
        .object = 3,
        .threshold = threshold,
    };
}

static int find(fixture* f, double threshold, int capacity, palLink* links)
{
    palWireSearch search = searchOf(f, threshold);
    int dropped = 0;
    int count = palFindWireContacts(&search, capacity, links, &dropped);
    assert_true(dropped >= 0 && (dropped == 0 || count == capacity));
    return count;
}

static palVec3 pointOf(const fixture* f, const palLink* link)
{
    return palBeam_Point(f->r.wires[0].model, &f->state, link->ends[0].beam);
}

static void a_wire_along_a_plane_touches_at_every_node(void** state)
{
    (void)state;
    fixture f;
    palLink links[64];
    setUpOverPlane(&f, palMakeVec3(-0.1, 0.03, 0.004), palMakeVec3(0.1, 0.02, 0.004));
    int count = find(&f, 0.005, 64, links);
    assert_int_equal(count, 9);
    for (int i = 0; i < count; i++)
    {
        ASSERT_NEAR(links[i].axes[0].z, 1.0, 1e-12);
        ASSERT_NEAR(links[i].distance, 1e-3, 1e-15);
        ASSERT_NEAR(links[i].friction, 0.2, 0);
        assert_int_equal(links[i].ends[1].body, 3);
        palVec3 below = pointOf(&f, &links[i]);
        below.z = 0.0;
        ASSERT_BELOW(palDistance(below, links[i].ends[1].local), 1e-12);
    }
    // Beyond the threshold from its surface there is none.
    assert_int_equal(find(&f, 0.0029, 64, links), 0);
    tearDown(&f);
}

// Across the edge of a box, where both lines are known: the contact is where they are nearest.
static void a_wire_across_an_edge_touches_it_within_an_element(void** state)
{
    (void)state;
    palShapeDef box = palDefaultShapeDef(pal_shapeBox);
    box.size = palMakeVec3(0.1, 0.1, 0.1);
    for (int k = 0; k < 10; k++)
    {
        // Through (0.0515, y, 0.0515) across the edge x = z = 0.05, which runs along y.
        fixture f;
        palLink links[64];
        double y = 0.003 * k;
        palVec3 middle = palMakeVec3(0.0515, y, 0.0515);
        palVec3 along = palMakeVec3(0.03, 0.002 * k, -0.03);
        double share = 0.3 + 0.04 * k;
        setUp(&f, palMulAdd(middle, -share, along), palMulAdd(middle, 1.0 - share, along), 1, &box);
        int count = find(&f, 0.003, 64, links);
        assert_int_equal(count, 1);
        ASSERT_NEAR(links[0].ends[0].beam.s, share, 2e-3);
        ASSERT_BELOW(palDistance(pointOf(&f, &links[0]), middle), 1e-4);
        ASSERT_BELOW(palDistance(links[0].ends[1].local, palMakeVec3(0.05, y, 0.05)), 1e-4);
        ASSERT_NEAR(links[0].axes[0].x, sqrt(0.5), 1e-3);
        ASSERT_NEAR(links[0].axes[0].z, sqrt(0.5), 1e-3);
        tearDown(&f);
    }
}

static void the_nearest_are_kept_where_room_is_short(void** state)
{
    (void)state;
    fixture f;
    palLink links[64];
    setUpOverPlane(&f, palMakeVec3(-0.1, 0, 0.001), palMakeVec3(0.1, 0, 0.005));
    assert_int_equal(find(&f, 0.01, 4, links), 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(links[i].key, 2 * i);
    tearDown(&f);
}

// The wire rises from where it is tied, so that what lies by the joint is nearest.
static void what_lies_by_a_joint_takes_no_room(void** state)
{
    (void)state;
    fixture f;
    palLink links[64];
    setUpOverPlane(&f, palMakeVec3(-0.1, 0, 0.001), palMakeVec3(0.1, 0, 0.005));
    palLink tied = wireRigJoint(pal_linkBall);
    tied.ends[0] = palMakeWirePlace(0, (palBeamPlace){.element = 0, .s = 0.0});
    tied.ends[1] = palMakeFixedPlace(3, pal_zeroVec3);
    palWireSearch search = searchOf(&f, 0.01);
    search.joints = &tied;
    search.jointCount = 1;
    int dropped = 0;
    assert_int_equal(palFindWireContacts(&search, 4, links, &dropped), 4);
    assert_int_equal(dropped, 3);
    for (int i = 0; i < 4; i++)
        assert_int_equal(links[i].key, 2 * (i + 2));
    tearDown(&f);
}

static void held_nodes_do_not_touch(void** state)
{
    (void)state;
    fixture f;
    palLink links[64];
    setUpOverPlane(&f, palMakeVec3(-0.1, 0, 0.001), palMakeVec3(0.1, 0, 0.001));
    f.r.wires[0].model->held[0] = pal_holdNode;
    assert_int_equal(find(&f, 0.01, 64, links), 8);
    assert_int_equal(links[0].key, 2);
    tearDown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wire_along_a_plane_touches_at_every_node),
        cmocka_unit_test(a_wire_across_an_edge_touches_it_within_an_element),
        cmocka_unit_test(the_nearest_are_kept_where_room_is_short),
        cmocka_unit_test(what_lies_by_a_joint_takes_no_room),
        cmocka_unit_test(held_nodes_do_not_touch),
    };
    return RUN(tests);
}

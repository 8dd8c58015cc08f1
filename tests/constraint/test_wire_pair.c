// SPDX-License-Identifier: Apache-2.0
#include "wire_rig.h"

#include "constraint/wire_pair.h"

#include <string.h>

enum
{
    linksMax = 64,
};

// Two straight wires of 1 mm radius.
typedef struct fixture
{
    wireRig r;
    palBeamState states[2];
    palLink links[linksMax];
    int count;
    int dropped;
} fixture;

static void setUp(fixture* f, palVec3 start0, palVec3 end0, palVec3 start1, palVec3 end1)
{
    palError error;
    *f = (fixture){.count = 0};
    wireRigInit(&f->r);
    wireRigDef def = wireRigRubber();
    def.elements = 8;
    def.radius = 1e-3;
    for (int w = 0; w < 2; w++)
    {
        def.start = w == 0 ? start0 : start1;
        def.end = w == 0 ? end0 : end1;
        def.friction = w == 0 ? 0.1 : 0.3;
        wireRigAdd(&f->r, &def);
        assert_int_equal(palBeamState_Init(&f->states[w], f->r.wires[w].model, &error), pal_ok);
    }
}

static void tearDown(fixture* f)
{
    for (int w = 0; w < 2; w++)
        palBeamState_Free(&f->states[w]);
    wireRigFree(&f->r);
}

static palWirePairSearch searchOf(const fixture* f)
{
    return (palWirePairSearch){
        .wires = {{.wire = &f->r.wires[0], .body = 5, .state = &f->states[0]},
                  {.wire = &f->r.wires[1], .body = 6, .state = &f->states[1]}},
        .threshold = 0.005,
        .horizon = 0.04,
    };
}

static int find(fixture* f)
{
    palWirePairSearch search = searchOf(f);
    f->count = palFindWirePairContacts(&search, linksMax, f->links, &f->dropped);
    return f->count;
}

// Moves a whole wire.
static void shift(palBeamState* state, palVec3 by)
{
    for (int i = 0; i < state->nodeCount; i++)
        state->x[i] = palAdd(state->x[i], by);
}

static palVec3 pointOf(const fixture* f, const palLink* link, int e)
{
    return palBeam_Point(f->r.wires[e].model, &f->states[e], link->ends[e].beam);
}

// At any angle, wherever on their elements, also at nodes: one contact, at the common normal.
static void a_crossing_is_one_contact(void** state)
{
    (void)state;
    for (int k = 0; k < 21; k++)
    {
        fixture f;
        double angle = 0.4 + 0.12 * k;
        palVec3 along = palMakeVec3(cos(angle), sin(angle), 0.0);
        double share = k == 0 ? 0.5 : 0.2 + 0.03 * k; // 0.5: at a node
        palVec3 middle = palMakeVec3(k == 0 ? 0.0 : 0.001 * k, 0.0, 0.004);
        setUp(&f, palMulAdd(middle, -0.16 * share, along),
              palMulAdd(middle, 0.16 * (1.0 - share), along), palMakeVec3(-0.08, 0, 0),
              palMakeVec3(0.08, 0, 0));
        assert_int_equal(find(&f), 1);
        const palLink* link = &f.links[0];
        ASSERT_NEAR(link->axes[0].z, 1.0, 1e-12);
        ASSERT_NEAR(link->gap, 0.004, 1e-12);
        ASSERT_NEAR(link->distance, 0.002, 1e-15);
        ASSERT_NEAR(link->friction, 0.3, 0);
        assert_int_equal(link->ends[0].body, 5);
        assert_int_equal(link->ends[1].body, 6);
        ASSERT_BELOW(palDistance(pointOf(&f, link, 0), middle), 1e-9);
        tearDown(&f);
    }
}

static void wires_side_by_side_touch_at_every_node(void** state)
{
    (void)state;
    fixture f;
    setUp(&f, palMakeVec3(-0.08, 0, 0.003), palMakeVec3(0.08, 0, 0.003), palMakeVec3(-0.08, 0, 0),
          palMakeVec3(0.08, 0, 0));
    assert_int_equal(find(&f), 9);
    for (int i = 0; i < 9; i++)
    {
        ASSERT_NEAR(f.links[i].axes[0].z, 1.0, 1e-9);
        assert_int_equal(f.links[i].key, 2 * i);
    }
    tearDown(&f);
}

static void wires_end_to_end_do_not_touch_at_their_joint(void** state)
{
    (void)state;
    fixture f;
    setUp(&f, palMakeVec3(-0.08, 0, 0), palMakeVec3(0, 0, 0), palMakeVec3(0, 0, 0),
          palMakeVec3(0.08, 0, 0));
    palLink joint = wireRigJoint(pal_linkBall);
    joint.ends[0] = palMakeWirePlace(5, (palBeamPlace){.element = 7, .s = 1.0});
    joint.ends[1] = palMakeWirePlace(6, (palBeamPlace){.element = 0, .s = 0.0});
    palWirePairSearch search = searchOf(&f);
    search.threshold = 0.02; // more than an element
    search.joints = &joint;
    search.jointCount = 1;
    assert_int_equal(palFindWirePairContacts(&search, linksMax, f.links, &f.dropped), 0);
    tearDown(&f);
}

// What comes with 1 m/s is found 40 mm ahead, what goes away is not.
static void approach_widens_the_search(void** state)
{
    (void)state;
    fixture f;
    setUp(&f, palMakeVec3(0.003, -0.08, 0.03), palMakeVec3(0.003, 0.08, 0.03),
          palMakeVec3(-0.08, 0, 0), palMakeVec3(0.08, 0, 0));
    assert_int_equal(find(&f), 0);
    for (int i = 0; i < 9; i++)
        f.states[0].v[i].z = 1.0;
    assert_int_equal(find(&f), 0);
    for (int i = 0; i < 9; i++)
        f.states[0].v[i].z = -1.0;
    assert_int_equal(find(&f), 1);
    tearDown(&f);
}

// A wire that went through another within a step is on its old side, and stays there for as long
// as it is on the other; also when it is far beyond, or slides along meanwhile.
static void a_contact_keeps_its_side(void** state)
{
    (void)state;
    static const double beyond[] = {-0.001, -0.02};
    for (int k = 0; k < 2; k++)
    {
        fixture f;
        palVec3 before[2][9];
        palLink last[linksMax];
        setUp(&f, palMakeVec3(0.003, -0.08, 0.002), palMakeVec3(0.003, 0.08, 0.002),
              palMakeVec3(-0.08, 0, 0), palMakeVec3(0.08, 0, 0));
        for (int w = 0; w < 2; w++)
            memcpy(before[w], f.states[w].x, sizeof before[w]);
        shift(&f.states[0], palMakeVec3(0.01, 0.007, beyond[k] - 0.002));
        for (int i = 0; i < 9; i++)
            f.states[0].v[i].z = -1.0;
        palWirePairSearch search = searchOf(&f);
        for (int w = 0; w < 2; w++)
            search.wires[w].before = before[w];
        int count = palFindWirePairContacts(&search, linksMax, last, &f.dropped);
        assert_int_equal(count, 1);
        ASSERT_NEAR(last[0].axes[0].z, 1.0, 1e-6);
        ASSERT_NEAR(last[0].gap, beyond[k], 1e-6);

        search = searchOf(&f);
        search.last = last;
        search.lastCount = count;
        shift(&f.states[0], palMakeVec3(0.015, 0.0, 0.0));
        search.threshold = 0.03;
        assert_int_equal(palFindWirePairContacts(&search, linksMax, f.links, &f.dropped), 1);
        ASSERT_NEAR(f.links[0].axes[0].z, 1.0, 1e-6);
        assert_int_equal(f.links[0].key, last[0].key);
        tearDown(&f);
    }
}

// A wire bent to a loop touches itself where it crosses, and nowhere else.
static void a_wire_touches_itself(void** state)
{
    (void)state;
    fixture f;
    setUp(&f, palMakeVec3(-0.08, 0, 0), palMakeVec3(0.08, 0, 0), palMakeVec3(-0.08, 1, 0),
          palMakeVec3(0.08, 1, 0));
    palWirePairSearch search = searchOf(&f);
    search.wires[1] = search.wires[0];
    assert_int_equal(palFindWirePairContacts(&search, linksMax, f.links, &f.dropped), 0);
    static const palVec3 loop[9] = {
        {-0.03, 0, 0},         {-0.01, 0, 0},         {0.01, 0, 0},
        {0.02, 0.015, 0.001},  {0, 0.03, 0.002},      {-0.012, 0.015, 0.003},
        {0.002, 0.004, 0.003}, {0.012, -0.01, 0.003}, {0.02, -0.02, 0.003}};
    memcpy(f.states[0].x, loop, sizeof loop);
    f.count = palFindWirePairContacts(&search, linksMax, f.links, &f.dropped);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.links[0].ends[0].beam.element, 1);
    assert_int_equal(f.links[0].ends[1].beam.element, 6);
    assert_true(f.links[0].axes[0].z < -0.5);
    tearDown(&f);
}

static void what_does_not_fit_is_counted(void** state)
{
    (void)state;
    fixture f;
    setUp(&f, palMakeVec3(-0.08, 0, 0.003), palMakeVec3(0.08, 0, 0.004), palMakeVec3(-0.08, 0, 0),
          palMakeVec3(0.08, 0, 0));
    palWirePairSearch search = searchOf(&f);
    assert_int_equal(palFindWirePairContacts(&search, 4, f.links, &f.dropped), 4);
    assert_true(f.dropped >= 5);
    for (int i = 0; i < 4; i++)
        assert_true(f.links[i].gap < 0.0036);
    tearDown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crossing_is_one_contact),
        cmocka_unit_test(wires_side_by_side_touch_at_every_node),
        cmocka_unit_test(wires_end_to_end_do_not_touch_at_their_joint),
        cmocka_unit_test(approach_widens_the_search),
        cmocka_unit_test(a_contact_keeps_its_side),
        cmocka_unit_test(a_wire_touches_itself),
        cmocka_unit_test(what_does_not_fit_is_counted),
    };
    return RUN(tests);
}

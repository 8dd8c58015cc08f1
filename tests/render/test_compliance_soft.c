// SPDX-License-Identifier: Apache-2.0
// Wires and soft bodies, each at its own rate: what is felt, what rests on what, what slides.
#include "check.h"

#include "../../bench/wire_press.h"
#include "compliance_scene.h"

#include "base/random.h"

#include <complex.h>

//--------------------------------------------------------------------------------------------------
// Transparency: the impedance at 10 Hz beside everything at 1 kHz

typedef struct shaking
{
    double frequency; // Hz
} shaking;

static const double shakingStart = 0.8; // s
static const double amplitude = 1e-3;   // m

static double shakingPath(const void* user, double t)
{
    const shaking* s = user;
    double depth = 6e-3 * fmin(1.0, t / 0.5);
    double phase = 2.0 * M_PI * s->frequency * (t - shakingStart);
    return t > shakingStart ? depth + amplitude * sin(phase) : depth;
}

static double complex stiffnessAt(palWirePressDef def, bool isReference)
{
    shaking shake = {10.0};
    palWirePress* press;
    palError error;
    def.path = shakingPath;
    def.user = &shake;
    assert_int_equal(palWirePress_Create(&def, isReference, &press, &error), pal_ok);
    const int settling = 1000, measured = 300;
    double complex sum = 0.0;
    for (int k = 0; k < settling + measured; k++)
    {
        double force = palWirePress_Step(press).z;
        if (k >= settling)
            sum += force * cexp(-I * 2.0 * M_PI * shake.frequency * (1e-3 * k - shakingStart));
    }
    palWirePress_Free(press);
    return 2.0 * sum / measured / amplitude;
}

static void checkTransparency(bool lying)
{
    palWirePressDef def = palDefaultWirePressDef();
    def.lying = lying;
    double complex truth = stiffnessAt(def, true);
    ASSERT_BELOW(cabs(stiffnessAt(def, false) / truth - 1.0), 0.05);
    def.frozen = true;
    def.latency = 1e-3;
    assert_true(cabs(stiffnessAt(def, false) / truth - 1.0) > 0.5);
}

static void a_wire_tip_feels_the_body_as_it_is(void** state)
{
    (void)state;
    checkTransparency(false);
}

static void a_wire_along_the_body_feels_it_as_it_is(void** state)
{
    (void)state;
    checkTransparency(true);
}

// At rest every form feels the same: that of everything at the high rate.
static void at_rest_both_forms_feel_the_body_as_it_is(void** state)
{
    (void)state;
    shaking still = {0.0};
    double force[3];
    for (int k = 0; k < 3; k++)
    {
        palWirePress* press;
        palError error;
        palWirePressDef def = palDefaultWirePressDef();
        def.frozen = k == 2;
        def.latency = k == 2 ? 1e-3 : def.latency;
        def.path = shakingPath;
        def.user = &still;
        assert_int_equal(palWirePress_Create(&def, k == 0, &press, &error), pal_ok);
        for (int tick = 0; tick < 1600; tick++)
            force[k] = palWirePress_Step(press).z;
        palWirePress_Free(press);
    }
    assert_true(force[0] > 0.5);
    ASSERT_NEAR(force[1], force[0], 0.005 * force[0]);
    ASSERT_NEAR(force[2], force[0], 0.005 * force[0]);
}

//--------------------------------------------------------------------------------------------------
// Scenes of a few lines

#define CYLINDER                                                                                   \
    "palpate: 1\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "method: {name: compliance, radius: 0.006}\n"                                                  \
    "trajectory: {kind: line}\n"                                                                   \
    "objects:\n"                                                                                   \
    "  - {name: plane, shape: {kind: plane, size: [1, 1, 0]}, friction: 0.4}\n"                    \
    "  - name: cylinder\n"                                                                         \
    "    shape: {kind: cylinder, radius: 0.02, height: 0.05}\n"                                    \
    "    position: [0, 0, 0.025]\n"                                                                \
    "    friction: 0.4\n"                                                                          \
    "    soft: {young: 30000, elements: tets, resolution: 4, damping: {mass: 4}}\n"                \
    "wires:\n"                                                                                     \
    "  - {name: wire, start: [0, 0, 0.05], end: [0, 0, 0.1], elements: 10, hand: end,\n"           \
    "     section: {shape: circle, radius: 0.0005}, young: 2.0e+9, density: 1200,\n"               \
    "     damping: {mass: 4}}\n"                                                                   \
    "joints: [{kind: ball, wire: wire, at: 0, to: cylinder}]\n"

// Experiment (b): pulled along, tipped, lifted off, hanging.
static void a_cylinder_is_pulled_tipped_and_lifted_by_a_wire(void** state)
{
    (void)state;
    fixture* f = setUp(CYLINDER, 0.02);
    const palSoftBody* body = f->world.colliders[1].soft;
    double wireMass = 1200.0 * M_PI * 0.0005 * 0.0005 * 0.05;
    double weight = 9.81 * (palSoftBody_Mass(body) + wireMass);

    // It stands: the plane bears it, the wire nothing but itself.
    palTickRecord record = moveHand(f, pal_zeroVec3, 0.6);
    ASSERT_NEAR(middleOf(body).z, 0.025, 0.002);
    ASSERT_BELOW(palLength(record.hands[0].force), 0.3 * weight);

    // Pushed together, the wire gives way under Euler's load of a column, clamped at one end.
    record = moveHand(f, palMakeVec3(0, 0, -0.005), 0.6);
    double bending = 2e9 * M_PI / 4.0 * pow(0.0005, 4);
    double euler = 20.19 * bending / (0.05 * 0.05);
    ASSERT_NEAR(record.hands[0].force.z, euler, 0.05 * euler);

    // Pulled along flatly it slides.
    moveHand(f, palMakeVec3(0.08, 0, -0.04), 1.0);
    moveHand(f, palMakeVec3(0.12, 0, -0.04), 0.6);
    assert_true(middleOf(body).x > 0.02);
    assert_true(middleOf(body).z < 0.03);

    // Lifted off, it hangs with its weight in the hand.
    moveHand(f, palMakeVec3(0.12, 0, 0.1), 1.0);
    record = moveHand(f, palMakeVec3(0.12, 0, 0.1), 4.0);
    assert_true(middleOf(body).z > 0.07);
    ASSERT_NEAR(record.hands[0].force.z, -weight, 0.01 * weight);
    ASSERT_BELOW(hypot(record.hands[0].force.x, record.hands[0].force.y), 0.05 * weight);

    tearDown(f);
}

// Twenty seconds of a hand that goes anywhere: what it feels stays of the order of the weight.
static void a_cylinder_bears_any_motion_of_the_hand(void** state)
{
    (void)state;
    fixture* f = setUp(CYLINDER, 0.02);
    const palSoftBody* body = f->world.colliders[1].soft;
    double weight = 9.81 * palSoftBody_Mass(body);
    palRandom random = palMakeRandom(2);
    for (int k = 0; k < 20; k++)
    {
        palVec3 to = {palRandom_Range(&random, -0.1, 0.1), palRandom_Range(&random, -0.1, 0.1),
                      palRandom_Range(&random, -0.04, 0.15)};
        palTickRecord record = moveHand(f, to, 1.0);
        ASSERT_BELOW(palLength(record.hands[0].force), 5.0 * weight);
        assert_int_equal(body->invertedCount, 0);
        assert_true(middleOf(body).z > 0.0);
    }
    tearDown(f);
}

static void the_force_of_the_paper_leaves_out_the_wires_weight(void** state)
{
    (void)state;
    static const char scene[] =
        "palpate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "method: {name: compliance, force: constraints}\n"
        "trajectory: {kind: line}\n"
        "objects: []\n"
        "wires:\n"
        "  - {name: wire, start: [0, 0, 0.1], end: [0, 0, 0.2], elements: 5, hand: end,\n"
        "     section: {shape: circle, radius: 0.002}, damping: {mass: 20}}\n"
        "  - {name: weight, start: [0, 0, 0], end: [0, 0, 0.1], elements: 5, loop: 1,\n"
        "     section: {shape: circle, radius: 0.002}, damping: {mass: 20}}\n"
        "joints: [{kind: ball, wire: wire, at: 0, to: weight}]\n";
    fixture* f = setUp(scene, 0.01);
    double weight = 9.81 * 7800.0 * M_PI * 0.002 * 0.002 * 0.1;
    palTickRecord record = moveHand(f, pal_zeroVec3, 2.0);
    ASSERT_NEAR(record.hands[0].force.z, -weight, 1e-3 * weight);
    tearDown(f);
}

// A wire in a grip that yields: the hand bears its weight, and the wire hangs lower by what the
// spring gives way.
static void a_sprung_grip_bears_the_wire(void** state)
{
    (void)state;
    static const char scene[] =
        "palpate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "method: {name: compliance}\n"
        "trajectory: {kind: line}\n"
        "objects: []\n"
        "wires:\n"
        "  - {name: wire, start: [0, 0, 0], end: [0, 0, 0.2], elements: 5, hand: end,\n"
        "     grip: spring, section: {shape: circle, radius: 0.002}, damping: {mass: 20}}\n";
    fixture* f = setUp(scene, 0.01);
    double weight = 9.81 * 7800.0 * M_PI * 0.002 * 0.002 * 0.2;
    palTickRecord record = moveHand(f, pal_zeroVec3, 1.0);
    ASSERT_NEAR(record.hands[0].force.z, -weight, 1e-3 * weight);
    ASSERT_NEAR(record.hands[0].proxy.z, 0.2 - weight / 1000.0, 1e-6);
    tearDown(f);
}

//--------------------------------------------------------------------------------------------------
// Rings, friction, edges

// A wire through a ring that a soft block wears: drawn along it slides, drawn across it pulls.
static void a_wire_slides_through_a_ring(void** state)
{
    (void)state;
    static const char scene[] =
        "palpate: 1\n"
        "method: {name: compliance, radius: 0.002}\n"
        "trajectory: {kind: line}\n"
        "objects:\n"
        "  - name: block\n"
        "    shape: {kind: box, size: [0.04, 0.04, 0.04]}\n"
        "    position: [0, 0, -0.0205]\n"
        "    soft: {young: 20000, elements: tets, resolution: 4, fixed: [{nodes: zmin}]}\n"
        "wires:\n"
        "  - {name: wire, start: [-0.05, 0, 0], end: [0.05, 0, 0], elements: 10, hand: end,\n"
        "     section: {shape: circle, radius: 0.0004}, young: 2.0e+10, density: 2000,\n"
        "     damping: {mass: 20}}\n"
        "joints: [{kind: ring, wire: wire, at: 0.5, to: block}]\n";
    fixture* f = setUp(scene, 0.01);
    const palCompliance* method = (const palCompliance*)f->engine->methods.shared;
    const palBeamPlace* ring = &method->joints[0].ends[0].beam;

    // Along: the ring moves from the middle towards the start, and hardly pulls.
    palTickRecord record = moveHand(f, palMakeVec3(0.02, 0, 0), 1.0);
    record = moveHand(f, palMakeVec3(0.02, 0, 0), 0.5);
    ASSERT_NEAR(ring->element + ring->s, 3.0, 0.05);
    ASSERT_BELOW(fabs(record.hands[0].force.x), 1e-3);

    // Across: it pulls back.
    record = moveHand(f, palMakeVec3(0.02, 0, 0.01), 0.5);
    record = moveHand(f, palMakeVec3(0.02, 0, 0.01), 0.5);
    assert_true(record.hands[0].force.z < -0.02);

    // Drawn on, the wire comes to its end, and the ring is stopped there.
    moveHand(f, palMakeVec3(0.02, 0, 0), 0.3);
    record = moveHand(f, palMakeVec3(0.055, 0, 0), 1.0);
    double pull = moveHand(f, palMakeVec3(0.055, 0, 0), 0.5).hands[0].force.x;
    for (int i = 0; i < 10; i++)
    {
        record = moveHand(f, palMakeVec3(0.055, 0, 0), 0.01);
        ASSERT_NEAR(record.hands[0].force.x, pull, 0.02 * fabs(pull)); // and not let go by rounding
    }
    assert_int_equal(ring->element, 0);
    ASSERT_NEAR(ring->s, 0.0, 1e-9);
    assert_true(record.hands[0].force.x < -0.1);
    tearDown(f);
}

// A wire pressed on a rigid plane and drawn along itself: Coulomb's law between the sums of the
// forces that the plane gives.
static void friction_holds_and_lets_go_as_coulomb_says(void** state)
{
    (void)state;
    static const char scene[] =
        "palpate: 1\n"
        "method: {name: compliance, radius: 0.004}\n"
        "trajectory: {kind: line}\n"
        "objects: [{name: plane, shape: {kind: plane, size: [1, 1, 0]}, friction: 0.3}]\n"
        "wires:\n"
        "  - {name: wire, start: [0, 0, 0.003], end: [0.1, 0, 0.003], elements: 10, hand: start,\n"
        "     section: {shape: circle, radius: 0.001}, young: 2.0e+10, density: 2000,\n"
        "     damping: {mass: 20}}\n";
    fixture* f = setUp(scene, 0.01);
    moveHand(f, palMakeVec3(0, 0, -0.0025), 0.3);
    palTickRecord record = moveHand(f, palMakeVec3(0, 0, -0.0025), 0.5);
    assert_true(record.hands[0].force.z > 0.02);
    // Drawn steadily, every contact slides: the hand feels μ times the normal force against it.
    record = moveHand(f, palMakeVec3(-0.03, 0, -0.0025), 1.0);
    ASSERT_NEAR(record.hands[0].force.x / record.hands[0].force.z, 0.3, 0.01);
    tearDown(f);
}

// A wire laid over the edge of a block rests on it, and is nowhere inside.
static void a_wire_hangs_over_an_edge(void** state)
{
    (void)state;
    static const char scene[] =
        "palpate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "method: {name: compliance, radius: 0.005}\n"
        "trajectory: {kind: line}\n"
        "objects: [{name: block, shape: {kind: box, size: [0.06, 0.06, 0.06]}, friction: 0.5}]\n"
        "wires:\n"
        "  - {name: wire, start: [-0.02, 0.003, 0.034], end: [0.16, 0.003, 0.034], elements: 9,\n"
        "     hand: start, section: {shape: circle, radius: 0.001}, young: 5.0e+7,\n"
        "     density: 4000, damping: {mass: 10}}\n";
    fixture* f = setUp(scene, 0.01);
    moveHand(f, palMakeVec3(0, 0, -0.003), 1.5);
    const palSteppedWire* wire = &((const palCompliance*)f->engine->methods.shared)->wires[0];
    double lowest = INFINITY;
    for (int e = 0; e < 9; e++)
        for (int k = 0; k <= 10; k++)
        {
            palVec3 x = palBeam_Point(wire->wire->model, &wire->state,
                                      (palBeamPlace){.element = e, .s = 0.1 * k});
            palNearest nearest;
            lowest = fmin(lowest, x.z);
            if (palColliders_Nearest(f->world.colliders, 1, x, 0.02, &nearest))
                assert_true(nearest.gap > 0.5e-3);
        }
    assert_true(lowest < -0.02); // it hangs down beside the block
    tearDown(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wire_tip_feels_the_body_as_it_is),
        cmocka_unit_test(a_wire_along_the_body_feels_it_as_it_is),
        cmocka_unit_test(at_rest_both_forms_feel_the_body_as_it_is),
        cmocka_unit_test(a_cylinder_is_pulled_tipped_and_lifted_by_a_wire),
        cmocka_unit_test(a_cylinder_bears_any_motion_of_the_hand),
        cmocka_unit_test(the_force_of_the_paper_leaves_out_the_wires_weight),
        cmocka_unit_test(a_sprung_grip_bears_the_wire),
        cmocka_unit_test(a_wire_slides_through_a_ring),
        cmocka_unit_test(friction_holds_and_lets_go_as_coulomb_says),
        cmocka_unit_test(a_wire_hangs_over_an_edge),
    };
    return RUN(tests);
}

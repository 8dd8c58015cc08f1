// SPDX-License-Identifier: Apache-2.0
// Rigid objects that move beside soft objects and wires, under method `compliance`: what they
// weigh, how deep they sink, and what the hand feels of them.
#include "scene_session.h"

#include "render/compliance.h"
#include "runtime/engine.h"

static const double gravity = 9.81;

// clang-format off
#define HEAD "palpate: 1\ngravity: [0, -9.81, 0]\nmethod: {name: compliance, radius: 0.005}\n"
#define AWAY "tool: {shape: {kind: sphere, radius: 0.005, resolution: 8}, mass: 0.02}\n" \
             "trajectory: {kind: path, points: [{t: 0, at: [0, 0.3, 0]}]}\n"
#define TISSUE "  - {name: block, shape: {kind: box, size: [0.06, 0.03, 0.06]}, position: " \
               "[0, -0.015, 0], friction: 0.5, soft: {young: 10000, elements: tets, " \
               "resolution: 4, fixed: [{nodes: ymin}]}}\n"
#define CUBE "shape: {kind: box, size: [0.03, 0.03, 0.03], resolution: 2}"
#define FLOOR "  - {name: floor, shape: {kind: box, size: [0.4, 0.02, 0.2]}, position: " \
              "[0, -0.01, 0], friction: 0.4}\n"
// clang-format on

static palCompliance* complianceOf(palSession* session)
{
    return (palCompliance*)palSession_Engine(session)->methods.shared;
}

static const palPileBody* bodyOf(palSession* session, int object)
{
    return &complianceOf(session)->rigid.pile->bodies[object];
}

// The force on a body of all its contacts with soft bodies and wires, N.
static palVec3 contactForce(palSession* session, int body)
{
    const palCompliance* compliance = complianceOf(session);
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < compliance->lastCount; i++)
    {
        const palLink* link = &compliance->lastContacts[i];
        palVec3 force = palLink_Force(link, compliance->lastLambda[i]);
        for (int e = 0; e < 2; e++)
            if (link->ends[e].body == body)
                sum = palMulAdd(sum, e == 0 ? 1.0 : -1.0, force);
    }
    return sum;
}

// The force of rigid bodies on one of them, N.
static palVec3 pileForce(palSession* session, int body)
{
    palContactForce forces[64];
    palContactReport report = {.items = forces, .capacity = 64};
    palPile_Report(complianceOf(session)->rigid.pile, body, &report);
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < report.count; i++)
        sum = palMulAdd(sum, forces[i].object == body ? 1.0 : -1.0, forces[i].force);
    return sum;
}

//--------------------------------------------------------------------------------------------------
// On tissue

// The height at which `linear` presses the tissue with a cube and that force, m.
static double pressedHeight(double force)
{
    palSession* session =
        startScene("palpate: 1\ngravity: [0, -9.81, 0]\nmethod: {name: linear, radius: 0.005}\n"
                   "time: {seconds: 6, dt: 0.001, low_dt: 0.01}\n"
                   "coupling: {stiffness: 1500, damping: 2}\ntool: {" CUBE ", mass: 0.05}\n"
                   "trajectory: {kind: path, points: [{t: 0, at: [0, 0.0155, 0]}, {t: 0.5, at: [0, "
                   "0.0155, 0]},"
                   " {t: 4, at: [0, 0.0129, 0]}]}\nobjects:\n" TISSUE);
    palStep step = {0};
    while (step.t < 4.0 && (step.t < 0.5 || step.force.y + 0.05 * gravity < force))
        palSession_Step(session, &step);
    ASSERT_BELOW(step.t, 3.9);
    palSession_Destroy(session);
    return step.proxy.y;
}

// Put down gently; -> its height at rest, m. The tissue carries its weight, and it does not creep.
static double restingHeight(double lowDt, int seconds)
{
    char text[2048];
    snprintf(text, sizeof text,
             HEAD AWAY "time: {seconds: 20, dt: 0.001, low_dt: %g}\nobjects:\n" TISSUE
                       "  - {name: cube, " CUBE ", position: [0, 0.01505, 0], friction: 0.5, "
                       "motion: free, mass: 0.1}\n",
             lowDt);
    palSession* session = startScene(text);
    const palPile* pile = complianceOf(session)->rigid.pile;
    palStep step;
    stepSession(session, 1200, &step);
    palVec3 settled = bodyOf(session, 1)->state.x;
    double weight = 0.0;
    for (int k = 0; k < 200; k++)
    {
        palSession_Step(session, &step);
        weight += contactForce(session, 1).y / 200;
    }
    ASSERT_NEAR(weight, 0.1 * gravity, 0.01 * 0.1 * gravity);
    stepSession(session, 1000 * seconds - 1400, &step);
    palVec3 moved = palSub(bodyOf(session, 1)->state.x, settled);
    ASSERT_BELOW(palLength(moved), 1e-5);
    ASSERT_BELOW(palPile_KineticEnergy(pile), 1e-9);
    double height = settled.y;
    palSession_Destroy(session);
    return height;
}

static void a_box_on_tissue_sinks_as_its_weight_says_at_every_rate(void** state)
{
    (void)state;
    const double top = 0.015; // m, of its centre where the tissue is flat
    double depth = top - pressedHeight(0.1 * gravity);
    print_message("pressed by linear: %.4f mm\n", 1e3 * depth);
    const double rates[] = {0.005, 0.01, 0.033};
    for (int i = 0; i < 3; i++)
    {
        double rests = top - restingHeight(rates[i], i == 2 ? (isLongRun() ? 10 : 4) : 2);
        print_message("%g ms: %.4f mm\n", 1e3 * rates[i], 1e3 * rests);
        ASSERT_NEAR(rests, depth, 0.02 * depth);
    }
}

//--------------------------------------------------------------------------------------------------
// With wires

static void a_ball_that_a_wire_lifts_is_felt_with_its_weight(void** state)
{
    (void)state;
    palSession* session = startScene(
        HEAD "time: {seconds: 3, dt: 0.001, low_dt: 0.01}\n"
             "trajectory: {kind: path, points: [{t: 0, at: [0, 0, 0]}, {t: 0.2, at: [0, 0, 0]},"
             " {t: 1, at: [0, 0.04, 0]}]}\nobjects:\n" TISSUE
             "  - {name: ball, shape: {kind: sphere, radius: 0.01, resolution: 16}, position:"
             " [0, 0.0102, 0], friction: 0.5, motion: free, mass: 0.05}\n"
             "wires:\n  - {name: thread, start: [0, 0.0202, 0], end: [0, 0.0802, 0], elements: 8,"
             " hand: end, section: {shape: circle, radius: 0.0004}, young: 2.0e+8, density: 1000}\n"
             "joints:\n  - {kind: ball, wire: thread, at: 0, to: ball}\n");
    palStep step;
    stepSession(session, 2500, &step);
    const double thread = 1000 * 3.14159265358979 * 4e-4 * 4e-4 * 0.06; // kg
    print_message("felt: %.6f N\n", step.force.y);
    ASSERT_NEAR(step.force.y, -(0.05 + thread) * gravity, 0.01 * 0.05 * gravity);
    ASSERT_BELOW(0.049, bodyOf(session, 1)->state.x.y);
    palSession_Destroy(session);
}

static void a_box_that_a_rod_pushes_slides_with_its_friction(void** state)
{
    (void)state;
    palSession* session = startScene(
        HEAD "time: {seconds: 2, dt: 0.001, low_dt: 0.01}\n"
             "trajectory: {kind: line, start: [0, 0, 0], end: [0.1, 0, 0], speed: 0.03}\n"
             "objects:\n" FLOOR
             "  - {name: box, shape: {kind: box, size: [0.04, 0.02, 0.04], resolution: 2},"
             " position: [0.022, 0.01, 0], friction: 0.4, motion: free, mass: 0.2}\n"
             "wires:\n  - {name: rod, start: [-0.06, 0.006, 0], end: [-0.0002, 0.006, 0],"
             " elements: 6, hand: start, section: {shape: circle, radius: 0.001},"
             " young: 5.0e+10, density: 1000}\n");
    palStep step;
    double sum = 0.0, start = 0.0;
    for (int k = 0; k < 1600; k++)
    {
        palSession_Step(session, &step);
        sum += k >= 1000 ? step.force.x / 600 : 0.0;
        start = k == 1000 ? bodyOf(session, 1)->state.x.x : start;
    }
    print_message("felt: %.5f N\n", sum);
    ASSERT_BELOW(0.017, bodyOf(session, 1)->state.x.x - start);
    ASSERT_NEAR(sum, -0.4 * 0.2 * gravity, 0.01 * 0.4 * 0.2 * gravity);
    palSession_Destroy(session);
}

// The floor carries the cylinder, and what of the cord the hand and the floor itself do not.
static void a_cylinder_carries_the_cord_that_lies_over_it(void** state)
{
    (void)state;
    palSession* session = startScene(
        HEAD "time: {seconds: 2, dt: 0.001, low_dt: 0.01}\n"
             "trajectory: {kind: path, points: [{t: 0, at: [0, 0, 0]}]}\nobjects:\n" FLOOR
             "  - {name: left, shape: {kind: box, size: [0.01, 0.01, 0.1]}, position:"
             " [-0.0155, 0.005, 0], friction: 0.4}\n"
             "  - {name: right, shape: {kind: box, size: [0.01, 0.01, 0.1]}, position:"
             " [0.0155, 0.005, 0], friction: 0.4}\n"
             "  - {name: roll, shape: {kind: cylinder, radius: 0.01, height: 0.05, resolution: 24},"
             " position: [0, 0.0101, 0], friction: 0.3, motion: free, mass: 0.02}\n"
             "wires:\n  - {name: cord, start: [-0.05, 0.0212, 0], end: [0.04, 0.0212, 0],"
             " elements: 12, hand: start, section: {shape: circle, radius: 0.001},"
             " young: 5.0e+7, density: 20000, friction: 0.3}\n");
    palStep step;
    stepSession(session, 1000, &step);
    double hand = 0.0, onRoll = 0.0, cord = 0.0, under = 0.0;
    for (int k = 0; k < 500; k++)
    {
        palSession_Step(session, &step);
        hand += step.force.y / 500;
        onRoll += contactForce(session, 3).y / 500;
        cord += contactForce(session, 4).y / 500;
        under += pileForce(session, 3).y / 500;
    }
    const double weight = 20000 * 3.14159265358979 * 1e-6 * 0.09 * gravity;
    print_message("cord %.5f N: hand %.5f, contacts %.5f; on the roll %.5f, under it %.5f\n",
                  weight, -hand, cord, onRoll, under);
    ASSERT_BELOW(onRoll, -0.2 * weight);
    ASSERT_NEAR(cord - hand, weight, 0.01 * weight);
    ASSERT_NEAR(under, 0.02 * gravity - onRoll, 0.01 * 0.02 * gravity);
    palSession_Destroy(session);
}

//--------------------------------------------------------------------------------------------------
// Collisions and joints

// A box flies at a soft cube, both free, without gravity.
static void the_momentum_of_a_box_and_a_soft_cube_that_collide_is_kept(void** state)
{
    (void)state;
    palSession* session = startScene(
        "palpate: 1\ngravity: [0, 0, 0]\nmethod: {name: compliance, radius: 0.005}\n" AWAY
        "time: {seconds: 2, dt: 0.001, low_dt: 0.01}\nobjects:\n"
        "  - {name: cube, shape: {kind: box, size: [0.03, 0.03, 0.03]}, position: [0.04, 0, 0],"
        " friction: 0.3, soft: {young: 20000, elements: tets, resolution: 3}}\n"
        "  - {name: box, " CUBE ", position: [0, 0.002, 0.001], friction: 0.3, motion: free,"
        " mass: 0.03, velocity: [0.1, 0, 0]}\n");
    const palSoftBody* cube = complianceOf(session)->def->colliders[0].soft;
    const palPileBody* box = bodyOf(session, 1);
    const palVec3 before = {0.03 * 0.1, 0, 0};
    palStep step;
    stepSession(session, 600, &step);
    // The low rate has the cube as it was when its last step began; by now nothing touches it.
    palVec3 after = palMulAdd(palSoftBody_Momenta(cube).linear, 0.03, box->state.v);
    print_message("box at %.4f m/s, off by %.2g\n", box->state.v.x,
                  palDistance(after, before) / palLength(before));
    ASSERT_BELOW(box->state.v.x, 0.09);
    ASSERT_BELOW(palDistance(after, before), 1e-9 * palLength(before));
    palSession_Destroy(session);
}

// A bar hangs on a joint; at rest the joint carries its weight, with what it touches there.
static void hang(const char* with, const char* joint)
{
    char text[4096];
    snprintf(text, sizeof text,
             HEAD AWAY "time: {seconds: 3, dt: 0.001, low_dt: 0.01}\nobjects:\n"
                       "  - {name: bar, shape: {kind: box, size: [0.04, 0.02, 0.02]}, position:"
                       " [0, -0.07, 0], motion: free, mass: 0.02, damping: 8}\n%sjoints:\n  - %s\n",
             with, joint);
    palSession* session = startScene(text);
    palStep step;
    stepSession(session, 1500, &step);
    const palCompliance* compliance = complianceOf(session);
    palVec3 force = palLink_Force(&compliance->joints[0], compliance->rows->lambda);
    palVec3 carried = palAdd(force, palAdd(contactForce(session, 0), pileForce(session, 0)));
    print_message("%s: %.5f N\n", joint, carried.y);
    ASSERT_NEAR(carried.y, 0.02 * gravity, 0.01 * 0.02 * gravity);
    palSession_Destroy(session);
}

static void joints_hold_what_hangs_on_tissue_on_wires_and_on_the_world(void** state)
{
    (void)state;
    const char pad[] = "  - {name: pad, shape: {kind: box, size: [0.04, 0.02, 0.04]}, position:"
                       " [0, -0.05, 0], soft: {young: 50000, elements: tets, resolution: 2, fixed:"
                       " [{nodes: ymax}]}}\n";
    const char other[] = "  - {name: other, shape: {kind: box, size: [0.02, 0.02, 0.02]}, position:"
                         " [0.03, -0.07, 0], motion: driven, path: [{t: 0, at: [0.03, -0.07, 0]}]}"
                         "\n";
    const char beam[] = "wires:\n  - {name: beam, start: [-0.02, -0.06, 0], end: [-0.06, -0.06, 0],"
                        " elements: 4, clamped: end, section: {shape: circle, radius: 0.002},"
                        " young: 1.0e+10}\n";
    hang("", "{kind: ball, body: bar, to: world, point: [-0.02, -0.07, 0]}");
    hang("", "{kind: weld, body: bar, to: world, point: [-0.02, -0.07, 0]}");
    hang("", "{kind: hinge, body: bar, to: world, point: [-0.02, -0.07, 0], axis: [0, 0, 1]}");
    hang(other, "{kind: ball, body: bar, to: other, point: [0.02, -0.07, 0]}");
    hang(beam, "{kind: ball, body: bar, to: beam, point: [-0.02, -0.06, 0]}");
    hang(beam, "{kind: weld, body: bar, to: beam, point: [-0.02, -0.06, 0]}");
    hang(beam, "{kind: hinge, body: bar, to: beam, point: [-0.02, -0.06, 0], axis: [0, 0, 1]}");
    hang(pad, "{kind: ball, body: bar, to: pad, point: [0, -0.06, 0], radius: 0.01}");
    hang(pad, "{kind: weld, body: bar, to: pad, point: [0, -0.06, 0], radius: 0.01}");
    hang(pad, "{kind: hinge, body: bar, to: pad, point: [0, -0.06, 0], axis: [0, 0, 1]}");
}

//--------------------------------------------------------------------------------------------------

// A ball falls on tissue beside a wire: the same bits from run to run.
static void runs_repeat_bit_for_bit(void** state)
{
    (void)state;
    palRigidState ends[2];
    for (int i = 0; i < 2; i++)
    {
        palSession* session = startScene(
            HEAD AWAY "time: {seconds: 1, dt: 0.001, low_dt: 0.01}\nobjects:\n" TISSUE
                      "  - {name: ball, shape: {kind: sphere, radius: 0.01, resolution: 12},"
                      " position: [0.003, 0.013, 0], friction: 0.5, motion: free, mass: 0.05}\n"
                      "wires:\n  - {name: cord, start: [0.015, 0.02, -0.03], end: [0.015, 0.02,"
                      " 0.03], elements: 6, clamped: start, section: {shape: circle, radius:"
                      " 0.001}, young: 1.0e+7}\n");
        palStep step;
        stepSession(session, 400, &step);
        ends[i] = bodyOf(session, 1)->state;
        palSession_Destroy(session);
    }
    assert_memory_equal(&ends[0], &ends[1], sizeof ends[0]);
}

static void refuse(const char* text, const char* what)
{
    palSession* session;
    palError error = {0};
    assert_int_not_equal(createFromText(text, &session, &error), pal_ok);
    if (strstr(error.text, what) == NULL || error.line == 0)
        fail_msg("line %d: %s", error.line, error.text);
}

static void what_cannot_be_moved_so_is_refused(void** state)
{
    (void)state;
    refuse(HEAD AWAY "objects:\n" FLOOR "  - {name: box, " CUBE ", position: [0, 0.1, 0], motion: "
                     "free, contact: {restitution: 0.5}}\n",
           "has no restitution");
    refuse("palpate: 1\nmethod: {name: compliance, response: frozen}\n" AWAY "objects:\n" TISSUE
           "  - {name: box, " CUBE ", position: [0, 0.1, 0], motion: free}\n",
           "does not know rigid objects that move");
    refuse(HEAD AWAY "objects:\n  - {name: sheet, shape: {kind: plane}}\n  - {name: box, " CUBE
                     ", position: [0, 0.1, 0], motion: free}\n",
           "");
    char text[4096] = HEAD AWAY "objects:\n";
    for (int i = 0; i < 17; i++)
    {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used,
                 "  - {name: box%d, " CUBE ", position: [%g, 0, 0], motion: free}\n", i, 0.1 * i);
    }
    refuse(text, "at most 16 rigid objects");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_on_tissue_sinks_as_its_weight_says_at_every_rate),
        cmocka_unit_test(a_ball_that_a_wire_lifts_is_felt_with_its_weight),
        cmocka_unit_test(a_box_that_a_rod_pushes_slides_with_its_friction),
        cmocka_unit_test(a_cylinder_carries_the_cord_that_lies_over_it),
        cmocka_unit_test(the_momentum_of_a_box_and_a_soft_cube_that_collide_is_kept),
        cmocka_unit_test(joints_hold_what_hangs_on_tissue_on_wires_and_on_the_world),
        cmocka_unit_test(runs_repeat_bit_for_bit),
        cmocka_unit_test(what_cannot_be_moved_so_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Wires and joints in the world step, without a hand: against the formulas of beams, weight,
// momentum, the angle of friction and finer steps.
#include "stage.h"

static const double gravity = 9.81; // m/s²

#define WIRE(name, from, to, elements, more)                                                       \
    "  - {name: " name ", start: " from ", end: " to ", elements: " elements                       \
    ", section: {shape: circle, radius: 0.001}, young: 2.0e+9, poisson: 0.3, density: 1200" more   \
    "}\n"
#define BLOCK(name, at, more)                                                                      \
    "  - {name: " name ", shape: {kind: box, size: [0.04, 0.04, 0.04]}, position: " at             \
    ", friction: 0.3, soft: {young: 20000, poisson: 0.3, density: 1000, elements: tets, "          \
    "resolution: 3, damping: {mass: 10, stiffness: 0.002}" more "}}\n"
#define FIXED ", fixed: [{nodes: ymin}]"

static palWorldWire* wireOf(const stage* s, int wire)
{
    return palWorldStep_Wire(&s->step, wire);
}

static double wireWeight(const stage* s, int wire)
{
    const palBeamModel* model = s->world.wires[wire].model;
    double mass = 0.0;
    for (int i = 0; i < model->nodeCount; i++)
        mass += model->mass[i];
    return mass * gravity;
}

// The largest speed of a node, m/s.
static double wireSpeed(const stage* s, int wire)
{
    const palBeamState* state = &wireOf(s, wire)->state;
    double most = 0.0;
    for (int i = 0; i < state->nodeCount; i++)
        most = fmax(most, palLength(state->v[i]));
    return most;
}

static void settle(stage* s, double h, double seconds)
{
    for (int k = 0; k < lround(seconds / h); k++)
        stageAdvance(s, h);
}

static double worstJoint(const stage* s)
{
    double most = 0.0;
    for (int i = 0; i < s->step.jointCount; i++)
        most = fmax(most, palWorldStep_JointGap(&s->step, i, false));
    return most;
}

// w = q L⁴ / (8 E I), whatever the step.
static void a_clamped_wire_sags_as_a_beam_does(void** state)
{
    (void)state;
    const double steps[] = {0.01, 0.02, 0.05};
    for (int k = 0; k < 3; k++)
    {
        stage* s =
            stageMake("  []\nwires:\n" WIRE("beam", "[0, 0, 0]", "[0.1, 0, 0]", "10",
                                            ", clamped: start, damping: {mass: 20}, mass: lumped"),
                      palMakeVec3(0, -gravity, 0));
        settle(s, steps[k], 3.0);
        const double pi = 3.14159265358979, r = 1e-3, L = 0.1;
        double inertia = 0.25 * pi * r * r * r * r;
        double expected = 1200 * gravity * pi * r * r * pow(L, 4) / (8.0 * 2e9 * inertia);
        double sag = -wireOf(s, 0)->state.x[10].y;
        print_message("steps of %g s: sag %.4e m, formula %.4e m\n", steps[k], sag, expected);
        ASSERT_NEAR(sag, expected, 0.01 * expected);
        ASSERT_BELOW(wireSpeed(s, 0), 1e-5);
        stageFree(s);
    }
}

// On a plate, in steps of 10 and 50 ms: the force is the weight, and the axis one radius above.
static void a_wire_rests_on_a_static_block(void** state)
{
    (void)state;
    const double steps[] = {0.01, 0.033, 0.05};
    for (int k = 0; k < 3; k++)
    {
        stage* s = stageMake(
            "  - {name: plate, shape: {kind: box, size: [0.2, 0.02, 0.2]}, position: [0, -0.01, "
            "0], friction: 0.3}\nwires:\n" WIRE("rod", "[-0.04, 0.004, 0]", "[0.04, 0.006, 0.01]",
                                                "8", ", friction: 0.3"),
            palMakeVec3(0, -gravity, 0));
        settle(s, steps[k], 3.0);
        palVec3 force = stageForce(s, 1);
        double weight = wireWeight(s, 0);
        print_message("steps of %g s: force %.5f N, weight %.5f N, %d contacts, at %.6f m\n",
                      steps[k], force.y, weight, s->step.linkCount, wireOf(s, 0)->state.x[0].y);
        ASSERT_NEAR(force.y, weight, 1e-3 * weight);
        for (int i = 0; i <= 8; i++)
            ASSERT_NEAR(wireOf(s, 0)->state.x[i].y, 1e-3, 2e-5);
        ASSERT_BELOW(wireSpeed(s, 0), 1e-4);
        stageFree(s);
    }
}

// A wire across two that are clamped at both ends, with gravity 10° aside: friction of 0.3 holds
// it, of 0.1 does not.
static void crossed_wires_carry_each_other(void** state)
{
    (void)state;
    const double slope = 10.0 * 3.14159265358979 / 180.0;
    for (int k = 0; k < 2; k++)
    {
        const char* scene[2] = {
            "  []\nwires:\n" WIRE("a", "[-0.05, 0, -0.02]", "[0.05, 0, -0.02]", "8",
                                  ", clamped: both, damping: {mass: 20}")
                WIRE("b", "[-0.05, 0, 0.02]", "[0.05, 0, 0.02]", "8",
                     ", clamped: both, damping: {mass: 20}")
                    WIRE("c", "[0, 0.0025, -0.05]", "[0, 0.0025, 0.05]", "8", ", friction: 0.3"),
            "  []\nwires:\n" WIRE("a", "[-0.05, 0, -0.02]", "[0.05, 0, -0.02]", "8",
                                  ", clamped: both, damping: {mass: 20}")
                WIRE("b", "[-0.05, 0, 0.02]", "[0.05, 0, 0.02]", "8",
                     ", clamped: both, damping: {mass: 20}")
                    WIRE("c", "[0, 0.0025, -0.05]", "[0, 0.0025, 0.05]", "8", ", friction: 0.1"),
        };
        stage* s = stageMake(scene[k], palMakeVec3(0, -gravity * cos(slope), gravity * sin(slope)));
        settle(s, 0.01, 0.2);
        palVec3 before = wireOf(s, 2)->state.x[4];
        settle(s, 0.01, 0.3);
        double moved = palDistance(wireOf(s, 2)->state.x[4], before);
        palVec3 a = stageForce(s, 0), b = stageForce(s, 1), c = stageForce(s, 2);
        double weight = wireWeight(s, 2);
        print_message("friction %g: moved %.2e m, %d contacts, forces %.5f and %.5f N, of %.5f N\n",
                      k == 0 ? 0.3 : 0.1, moved, s->step.linkCount, a.y, b.y, weight * cos(slope));
        ASSERT_BELOW(palLength(palAdd(palAdd(a, b), c)), 1e-12);
        if (k == 0)
        {
            ASSERT_BELOW(moved, 1e-4);
            ASSERT_NEAR(c.y, weight * cos(slope), 0.02 * weight);
            ASSERT_NEAR(-c.z, weight * sin(slope), 0.02 * weight);
        }
        else
            ASSERT_BELOW(5e-3, moved);
        stageFree(s);
    }
}

// Joints of every kind between every two bodies that can have them hold under the weight.
static void joints_hold(void** state)
{
    (void)state;
    const char* const scenes[] = {
        // A soft block hangs from a static one, by three balls.
        "  - {name: ceiling, shape: {kind: box, size: [0.1, 0.02, 0.1]}, position: [0, 0.03, "
        "0]}\n" BLOCK(
            "block", "[0, 0, 0]",
            "") "joints:\n"
                "  - {kind: ball, body: block, to: ceiling, point: [0.015, 0.02, 0.015]}\n"
                "  - {kind: ball, body: block, to: ceiling, point: [-0.015, 0.02, 0.015]}\n"
                "  - {kind: ball, body: block, to: ceiling, point: [0, 0.02, -0.015]}\n",
        // A soft block beside another that is held.
        BLOCK("one", "[0, 0, 0]", FIXED)
            BLOCK("two", "[0.04, 0, 0]",
                  "") "joints:\n"
                      "  - {kind: ball, body: two, to: one, point: [0.02, 0.015, 0.015]}\n"
                      "  - {kind: ball, body: two, to: one, point: [0.02, 0.015, -0.015]}\n"
                      "  - {kind: ball, body: two, to: one, point: [0.02, -0.015, 0]}\n",
        // A wire between two soft blocks.
        BLOCK("one", "[0, 0, 0]", FIXED) BLOCK("two", "[0.1, 0, 0]", FIXED) "wires:\n" WIRE(
            "line", "[0.02, 0.01, 0]", "[0.08, 0.01, 0]", "8",
            ", damping: {mass: 10}") "joints:\n"
                                     "  - {kind: ball, wire: line, at: 0, to: one}\n"
                                     "  - {kind: ball, wire: line, at: 1, to: two}\n",
        // A wire welded to the world, one hinged to it, and a third that hangs from it by a ball.
        "  []\nwires:\n" WIRE("a", "[0, 0, 0]", "[0.04, 0, 0]", "6", ", damping: {mass: 10}")
            WIRE("b", "[0.04, 0, 0]", "[0.08, 0, 0]", "6", ", damping: {mass: 10}") WIRE(
                "c", "[0.08, 0, 0]", "[0.08, 0, 0.04]", "6",
                ", damping: {mass: 10}") "joints:\n"
                                         "  - {kind: weld, wire: a, at: 0, to: world}\n"
                                         "  - {kind: hinge, body: a, to: b, point: [0.04, 0, 0], "
                                         "axis: [0, 0, 1]}\n"
                                         "  - {kind: ball, body: b, to: c, point: [0.08, 0, 0]}\n",
    };
    for (int k = 0; k < 4; k++)
        for (int step = 0; step < 2; step++)
        {
            stage* s = stageMake(scenes[k], palMakeVec3(0, -gravity, 0));
            double h = step == 0 ? 0.01 : 0.033, worst = 0.0;
            for (int i = 0; i < lround(2.0 / h); i++)
            {
                stageAdvance(s, h);
                worst = fmax(worst, worstJoint(s));
            }
            print_message("scene %d, steps of %g s: joints open by %.2e m at most\n", k, h, worst);
            ASSERT_BELOW(worst, 1e-4);
            stageFree(s);
        }
}

// A free wire flies against a free soft cube: nothing outside acts.
static void a_wire_that_hits_a_cube_keeps_the_momentum(void** state)
{
    (void)state;
    stage* s = stageMake(BLOCK("cube", "[0, 0, 0]", "") "wires:\n" WIRE("dart", "[-0.03, 0.03, 0]",
                                                                        "[0.03, 0.03, 0.004]", "8",
                                                                        ", damping: {mass: 0}"),
                         pal_zeroVec3);
    palSoftBody* cube = s->world.colliders[0].soft;
    cube->alpha = 0.0; // nothing outside damps
    palWorldWire* dart = wireOf(s, 0);
    for (int i = 0; i < dart->state.nodeCount; i++)
        dart->state.v[i] = palMakeVec3(0.02, -0.5, 0);
    palVec3 before, after;
    dart->base.ops->reset(&dart->base);
    double mass = dart->base.ops->momentum(&dart->base, &before);
    double push = 0.0;
    for (int k = 0; k < 40; k++)
    {
        stageAdvance(s, 0.005);
        push = fmax(push, stageForce(s, 0).y * -1.0);
        dart->base.ops->momentum(&dart->base, &after);
        palVec3 sum = palAdd(after, stageMomentum(s, 0));
        ASSERT_BELOW(palDistance(sum, before), 1e-9 * palLength(before));
    }
    print_message("pushed by %.3f N, wire's speed %.4f m/s after\n", push, palLength(after) / mass);
    ASSERT_BELOW(0.01, push);
    stageFree(s);
}

// A ring lets its wire slide and keeps it from leaving; the wire slides down by its weight to its
// end, and hangs there.
static void a_wire_slides_through_a_ring_to_its_end(void** state)
{
    (void)state;
    stage* s = stageMake(
        "  []\nwires:\n" WIRE(
            "line", "[0, 0, 0]", "[0, 0.08, 0]", "8",
            ", damping: {mass: 2}") "joints:\n  - {kind: ring, wire: line, at: 0.5, to: world}\n",
        palMakeVec3(0, -gravity, 0));
    double worst = 0.0;
    for (int k = 0; k < 200; k++)
    {
        stageAdvance(s, 0.01);
        worst = fmax(worst, worstJoint(s));
    }
    const palBeamState* line = &wireOf(s, 0)->state;
    double hold = s->step.joints[0].lambda[2] * s->step.joints[0].link.axes[2].y;
    print_message("end at %.5f m, ring open by %.2e m, holds %.5f N of %.5f N\n", line->x[8].y,
                  worst, hold, wireWeight(s, 0));
    ASSERT_NEAR(line->x[8].y, 0.04, 2e-4);
    ASSERT_NEAR(fabs(hold), wireWeight(s, 0), 0.01 * wireWeight(s, 0));
    stageFree(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clamped_wire_sags_as_a_beam_does),
        cmocka_unit_test(a_wire_rests_on_a_static_block),
        cmocka_unit_test(crossed_wires_carry_each_other),
        cmocka_unit_test(joints_hold),
        cmocka_unit_test(a_wire_that_hits_a_cube_keeps_the_momentum),
        cmocka_unit_test(a_wire_slides_through_a_ring_to_its_end),
    };
    return RUN(tests);
}

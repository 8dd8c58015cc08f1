// SPDX-License-Identifier: Apache-2.0
// Wires that touch each other, at one rate and at several.
#include "wire_rig.h"

// Seconds within which everything here comes to rest.
static const double settling = 5.0;

static wireRigDef wireFrom(palVec3 start, palVec3 end)
{
    wireRigDef def = wireRigRubber();
    def.start = start;
    def.end = end;
    def.radius = 1e-3;
    def.material = (palMaterial){.young = 2e9, .poisson = 0.3, .density = 1200.0};
    def.massDamping = 40.0;
    def.stiffnessDamping = 1e-3;
    return def;
}

static double bendingOf(const wireRigDef* def)
{
    return def->material.young * M_PI / 4.0 * pow(def->radius, 4);
}

// A bridge along x, clamped at both ends, and a wire in the hand that crosses it from above.
typedef struct crossing
{
    wireRig r;
    int bridge, held;
    double arm;   // m, from the hand to the crossing
    double reach; // m, compliance of both, from beam theory, m/N
} crossing;

static void makeCrossing(crossing* c, int bridgeLoop, double friction)
{
    const double span = 0.16;
    wireRigInit(&c->r);
    c->arm = 0.06;
    wireRigDef bridge = wireFrom(palMakeVec3(-0.5 * span, 0, 0), palMakeVec3(0.5 * span, 0, 0));
    bridge.heldStart = bridge.heldEnd = true;
    bridge.loop = bridgeLoop;
    bridge.friction = friction;
    // The crossing is at 0.6 of the length: within an element of neither.
    wireRigDef held = wireFrom(palMakeVec3(0, -c->arm, 0.0025), palMakeVec3(0, 0.04, 0.0025));
    held.elements = 12;
    held.hand = 0;
    c->bridge = wireRigAdd(&c->r, &bridge);
    c->held = wireRigAdd(&c->r, &held);
    c->reach =
        pow(span, 3) / (192.0 * bendingOf(&bridge)) + pow(c->arm, 3) / (3.0 * bendingOf(&held));
    wireRigStart(&c->r);
}

static palTickRecord press(crossing* c, palVec3 to, double seconds)
{
    palTickRecord record = {0};
    palVec3 from = c->r.device.position;
    int ticks = (int)lround(seconds / c->r.def.dt);
    for (int k = 1; k <= ticks; k++)
    {
        c->r.device.position = palLerp(from, to, (double)k / ticks);
        palLockstep_Step(c->r.engine, &record);
    }
    return record;
}

// What both ends of the bridge hold it with, N.
static palVec3 bridgeReaction(crossing* c)
{
    palCompliance* method = wireRigMethod(&c->r);
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < method->wireCount; i++)
        if (method->wires[i].body == c->bridge)
            for (int end = 0; end < 2; end++)
            {
                palVec3 force, torque;
                palBeam_Reaction(c->r.wires[c->bridge].model, &method->wires[i].work,
                                 end * c->r.wires[c->bridge].model->elementCount, &force, &torque);
                sum = palAdd(sum, force);
            }
    return sum;
}

// Equal and opposite forces, and deflections that share as beam theory says: the bridge
// F L³/(192 E I), the wire in the hand F a³/(3 E I).
static void crossed_wires_share_the_load_as_beams_do(void** state)
{
    (void)state;
    for (int loop = 0; loop < 2; loop++)
    {
        crossing c;
        const double gap = 0.0005, depth = 0.0006;
        makeCrossing(&c, loop, 0.0);
        press(&c, palMakeVec3(0, 0, -gap - depth), 0.3);
        palTickRecord record = press(&c, palMakeVec3(0, 0, -gap - depth), settling);
        double expected = depth / c.reach;
        ASSERT_NEAR(record.hands[0].force.z, expected, 0.01 * expected);
        const palBeamState* bridge = wireRigState(&c.r, c.bridge);
        double sag = 0.16 * 0.16 * 0.16 / (192.0 * 2e9 * M_PI / 4.0 * 1e-12) * expected;
        ASSERT_NEAR(-bridge->x[5].z, sag, 0.01 * sag);
        if (loop == 0)
        {
            press(&c, palMakeVec3(0, 0, -0.0025), 0.3);
            record = press(&c, palMakeVec3(0, 0, -0.0025), 2.0 * settling);
            palVec3 held = bridgeReaction(&c);
            ASSERT_BELOW(palDistance(held, record.hands[0].force), 1e-9 * record.hands[0].force.z);
        }
        wireRigFree(&c.r);
    }
}

// Drawn along the bridge: held as long as the force is below μ N, and then sliding with μ N.
static void friction_holds_crossed_wires(void** state)
{
    (void)state;
    const double mu = 0.3;
    for (int loop = 0; loop < 2; loop++)
    {
        crossing c;
        makeCrossing(&c, loop, mu);
        press(&c, palMakeVec3(0, 0, -0.0025), 0.3);
        palTickRecord record = press(&c, palMakeVec3(0, 0, -0.0025), settling);
        double normal = record.hands[0].force.z;
        // Half of what would slide, by the bending of the wire in the hand alone: the bridge is
        // stiff along its axis.
        double bending = 2e9 * M_PI / 4.0 * 1e-12;
        double half = 0.5 * mu * normal * pow(c.arm, 3) / (3.0 * bending);
        press(&c, palMakeVec3(half, 0, -0.0025), 0.3);
        record = press(&c, palMakeVec3(half, 0, -0.0025), settling);
        double start = wireRigState(&c.r, c.held)->x[7].x;
        ASSERT_NEAR(-record.hands[0].force.x, 0.5 * mu * record.hands[0].force.z,
                    0.1 * mu * record.hands[0].force.z);
        record = press(&c, palMakeVec3(half, 0, -0.0025), settling);
        ASSERT_NEAR(wireRigState(&c.r, c.held)->x[7].x, start, 1e-7);
        // Twice and more: it slides.
        press(&c, palMakeVec3(4.0 * half, 0, -0.0025), 0.5);
        record = press(&c, palMakeVec3(6.0 * half, 0, -0.0025), 0.5);
        ASSERT_NEAR(-record.hands[0].force.x / record.hands[0].force.z, mu, 0.02 * mu);
        wireRigFree(&c.r);
    }
}

// A loose thin wire thrown on another across, with 1 m/s: from afar, so that it is seen coming, and
// from so near that it has passed before any snapshot knows of it: then it is brought back.
static void a_wire_thrown_on_another_does_not_pass(void** state)
{
    (void)state;
    static const double heights[] = {0.06, 0.1, 0.015};
    for (int k = 0; k < 3; k++)
        for (int loop = 0; loop < 2; loop++)
        {
            wireRig r;
            wireRigInit(&r);
            wireRigDef bridge = wireFrom(palMakeVec3(-0.05, 0, 0), palMakeVec3(0.05, 0, 0));
            bridge.radius = 2.5e-4;
            bridge.material.young = 2e11;
            bridge.heldStart = bridge.heldEnd = true;
            bridge.loop = loop;
            wireRigDef loose = wireFrom(palMakeVec3(0.003, -0.05, heights[k]),
                                        palMakeVec3(0.003, 0.05, heights[k]));
            loose.radius = 2.5e-4;
            loose.massDamping = 0.0;
            loose.gravity = palMakeVec3(0, 0, -9.81);
            wireRigDef hand = wireFrom(palMakeVec3(0, 1, 0), palMakeVec3(0, 1.1, 0));
            hand.hand = 0;
            wireRigAdd(&r, &bridge);
            int thrown = wireRigAdd(&r, &loose);
            wireRigAdd(&r, &hand);
            wireRigStart(&r);
            palBeamState* moving = (palBeamState*)wireRigState(&r, thrown);
            for (int i = 0; i < moving->nodeCount; i++)
                moving->v[i].z = -1.0;
            double lowest = INFINITY;
            for (int tick = 0; tick < 300; tick++)
            {
                wireRigRun(&r, 1e-3);
                palVec3 middle = moving->x[5];
                palVec3 below = wireRigState(&r, 0)->x[5];
                lowest = fmin(lowest, middle.z - below.z);
            }
            // Between low-rate steps the slow bridge is known in its modes only.
            if (k < 2)
                assert_true(lowest > (loop == 0 ? 0.45e-3 : 0.0));
            assert_true(moving->x[5].z - wireRigState(&r, 0)->x[5].z > 0.0);
            wireRigFree(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossed_wires_share_the_load_as_beams_do),
        cmocka_unit_test(friction_holds_crossed_wires),
        cmocka_unit_test(a_wire_thrown_on_another_does_not_pass),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// A free soft body that turns while nobody touches it, under the methods that move it in its modes.
#include "compliance_scene.h"

#include "render/method.h"

static const char text[] =
    "palpate: 1\ngravity: [0, 0, 0]\nmethod: {name: compliance, radius: 0.02}\n"
    "trajectory: {kind: line}\n"
    "objects:\n"
    "  - {name: cube, shape: {kind: box, size: [0.05, 0.05, 0.05]}, soft: {young: 10000, poisson: "
    "0.3, elements: tets, resolution: 3, damping: {mass: 0, stiffness: 0.005}}}\n"
    "  - {name: far, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [1, 1, 1]}\n"
    "wires:\n"
    "  - {name: hand, start: [1, 0, 0], end: [1, 0, 0.1], elements: 2, hand: end, section: {shape: "
    "circle, radius: 0.001}, young: 2.0e+9, density: 1200}\n";

// At 10 rad/s for a second: it keeps both momenta, and its energy does not grow after the first
// steps, which stretch it.
static void checkTurning(const char* method, palHandKind hand)
{
    palVec3 omega = palScale(10.0, palNormalize(palMakeVec3(1, 2, 0.5)));
    fixture* f = makeFixture(text);
    palSoftBody* body = f->world.colliders[0].soft;
    for (int i = 0; i < body->nodeCount; i++)
        body->v[i] = palAdd(palMakeVec3(0.05, 0, 0), palCross(omega, body->x[i]));
    palMomenta before = palSoftBody_Momenta(body);
    double energy = palSoftBody_Energy(body), early = 0.0, late = 0.0;
    startEngine(f, palFindMethodForm(method, hand), 0.01);
    for (int k = 1; k <= 100; k++)
    {
        moveHand(f, f->hand.position, 0.01);
        double* most = k <= 10 ? &early : &late;
        *most = fmax(*most, palSoftBody_Energy(body));
        palMomenta now = palSoftBody_Momenta(body);
        ASSERT_BELOW(palDistance(now.angular, before.angular), 1e-9 * palLength(before.angular));
        ASSERT_BELOW(palDistance(now.linear, before.linear), 1e-9 * palLength(before.linear));
    }
    print_message("%-10s energy %.3f of the first at most, %.3f after 0.1 s\n", method,
                  early / energy, late / energy);
    ASSERT_BELOW(early, 1.03 * energy);
    ASSERT_BELOW(late, early);
    tearDown(f);
}

static void a_free_body_keeps_turning(void** state)
{
    (void)state;
    checkTurning("accurate", pal_handPoint);
    checkTurning("compliance", pal_handWire);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_keeps_turning),
    };
    return RUN(tests);
}

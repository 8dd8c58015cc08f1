// SPDX-License-Identifier: Apache-2.0
// Wires in a hand: what holds them, what carries them, what touches them.
#include "beam_fixture.h"

static const double poisson = 0.3, density = 7850.0;

static palBeamDef steel(const palBeamSection* section)
{
    palBeamDef def = palDefaultBeamDef();
    def.sections = section;
    def.stiffnessDamping = 0.0;
    return def;
}

// The force that moves a held end is the change of momentum of the whole wire and its weight.
static void the_held_end_feels_momentum_and_weight(void** state)
{
    (void)state;
    const double h = 1e-3;
    palBeamSection section = palMakeRoundSection(0.5e-3, poisson);
    const double thetas[] = {1.0, 0.5};
    for (int t = 0; t < 2; t++)
    {
        palBeamDef def = steel(&section);
        def.implicitness = thetas[t];
        def.stiffnessDamping = 1e-4;
        def.gravity = palMakeVec3(0, 0, -9.81);
        wire w;
        wireMakeStraight(&w, def, 10, 0.2, pal_holdNode);
        double mass = 0.0;
        for (int i = 0; i <= 10; i++)
            mass += w.model->mass[i];
        for (int k = 1; k <= 500; k++)
        {
            palVec3 before, after, angular, force, torque;
            double angle = 0.02 * k;
            palVec3 x = palMakeVec3(0.02 * sin(angle), 0.03 * sin(0.7 * angle), 0.0);
            palQuat q = palMakeQuatRotationVector(palMakeVec3(0.1 * angle, 0.0, 0.3 * sin(angle)));
            wireMomenta(&w, &before, &angular);
            palBeam_Hold(w.model, 0, x, q, h, &w.state, &w.work);
            wireStep(&w, h, NULL);
            wireMomenta(&w, &after, &angular);
            palBeam_Reaction(w.model, &w.work, 0, &force, &torque);
            palVec3 expected = palScale(1.0 / h, palSub(after, before));
            expected = palMulAdd(expected, -mass, def.gravity);
            ASSERT_BELOW(palDistance(force, expected), 1e-8);
            ASSERT_BELOW(palDistance(w.state.x[0], x), 1e-15);
            palQuat off = palMulQuat(w.state.q[0], palConjugate(q));
            ASSERT_BELOW(palLength(palRotationVector(off)), 1e-12);
        }
        wireFree(&w);
    }
}

// λ of a row does what the same force as a load does, and the held end feels it at once.
static void contact_forces_act_as_loads(void** state)
{
    (void)state;
    const double h = 1e-3;
    palBeamSection section = palMakeRoundSection(0.5e-3, poisson);
    palBeamDef def = steel(&section);
    def.stiffnessDamping = 1e-4;
    const palVec3 load = {0.01, 0.03, -0.02};
    const palBeamPlace places[] = {{.element = 9, .s = 1.0}, {.element = 0, .s = 0.0}};
    wire a, b;
    wireMakeStraight(&a, def, 10, 0.2, pal_holdNode);
    wireMakeStraight(&b, def, 10, 0.2, pal_holdNode);
    wireTip(&a)[0] = load.x, wireTip(&a)[1] = load.y, wireTip(&a)[2] = load.z;
    for (int k = 0; k < 300; k++)
    {
        wireStep(&a, h, NULL);
        palBeam_Linearise(b.model, &b.state, &b.work);
        assert_true(palBeam_Factor(b.model, h, &b.work));
        palBeam_FreeMotion(b.model, &b.state, NULL, &b.work);
        palBeamRow rows[2];
        const double lambda[2] = {palLength(load), 1.0};
        rows[0] = palBeam_PointRow(b.model, &b.work, places[0], palNormalize(load));
        rows[1] = palBeam_PointRow(b.model, &b.work, places[1], palMakeVec3(0, 1, 0));
        palBeam_Correct(&b.work, rows, lambda, 2);
        palBeam_Integrate(b.model, &b.work, &b.state);
        ASSERT_BELOW(palDistance(a.state.x[10], b.state.x[10]), 1e-10);
        // The second row pushes the held node itself: nothing moves, the hand carries it.
        palVec3 force[2], torque[2];
        palBeam_Reaction(a.model, &a.work, 0, &force[0], &torque[0]);
        palBeam_Reaction(b.model, &b.work, 0, &force[1], &torque[1]);
        ASSERT_BELOW(palDistance(palSub(force[0], palMakeVec3(0, 1, 0)), force[1]), 1e-6);
        ASSERT_BELOW(palDistance(torque[0], torque[1]), 1e-7);
    }
    ASSERT_BELOW(1e-3, a.state.x[10].y);
    wireFree(&a);
    wireFree(&b);
}

// A wire in the hand's spring hangs below it by its weight, and is turned by its moment.
static void the_coupling_carries_the_wire(void** state)
{
    (void)state;
    palBeamSection section = palMakeRoundSection(1e-3, poisson);
    palBeamDef def = steel(&section);
    def.gravity = palMakeVec3(0, 0, -9.81);
    def.coupling = (palBeamCoupling){.node = 0,
                                     .stiffness = 500.0,
                                     .damping = 5.0,
                                     .rotationStiffness = 2.0,
                                     .rotationDamping = 0.02};
    wire w;
    wireMakeStraight(&w, def, 10, 0.1, pal_holdNothing);
    palBeamHand hand = {.q = pal_identityQuat};
    for (int k = 0; k < 5000; k++)
        wireStep(&w, 1e-3, &hand);
    ASSERT_BELOW(wireSpeed(&w), 1e-10);
    double mass = density * section.area * 0.1;
    palVec3 force, torque, moment = pal_zeroVec3;
    palBeam_CouplingForce(w.model, &w.state, &hand, &force, &torque);
    for (int i = 0; i <= 10; i++)
        moment = palAdd(moment, palCross(palSub(w.state.x[i], w.state.x[0]),
                                         palScale(w.model->mass[i], def.gravity)));
    ASSERT_BELOW(palDistance(force, palMakeVec3(0, 0, -9.81 * mass)), 1e-10);
    ASSERT_BELOW(palDistance(torque, moment), 1e-10);
    ASSERT_NEAR(w.state.x[0].z, -9.81 * mass / 500.0, 1e-12);
    // The hand moves and turns; the wire follows to where it was before in the hand's frame.
    palVec3 tip = w.state.x[10];
    hand.x = palMakeVec3(0.1, 0.05, 0.02);
    hand.q = palMakeQuatRotationVector(palMakeVec3(0, 0, 1.0)); // about gravity's axis
    for (int k = 0; k < 5000; k++)
        wireStep(&w, 1e-3, &hand);
    ASSERT_BELOW(palDistance(w.state.x[10], palAdd(hand.x, palRotate(hand.q, tip))), 1e-9);
    wireFree(&w);
}

// A ball joint at the hand: the position is held, the wire swings like the pendulum that it is.
static void held_by_its_position_a_wire_swings(void** state)
{
    (void)state;
    palBeamSection section = palMakeRoundSection(1e-3, poisson);
    palBeamDef def = steel(&section);
    def.implicitness = 0.5;
    def.stiffnessDamping = 1e-5;
    def.gravity = palMakeVec3(9.81, 0, 0);
    wire w;
    wireMakeStraight(&w, def, 10, 0.3, pal_holdPosition);
    const double angle = 0.02;
    palQuat turn = palMakeQuatRotationVector(palMakeVec3(0, 0, angle));
    for (int i = 0; i <= 10; i++)
    {
        w.state.x[i] = palRotate(turn, w.state.x[i]);
        w.state.q[i] = turn;
    }
    // I ω² = m g L / 2 with the lumped inertia about the joint.
    double inertia = 0.0, moment = 0.0;
    for (int i = 0; i <= 10; i++)
    {
        inertia += w.model->mass[i] * w.points[i].x * w.points[i].x + w.model->inertia[i].z;
        moment += w.model->mass[i] * w.points[i].x * 9.81;
    }
    double period = 2.0 * PAL_PI * sqrt(inertia / moment), before = w.state.x[10].y, last = 0.0;
    int crossings = 0;
    for (int k = 1; crossings < 5 && k < 5000; k++)
    {
        wireStep(&w, 1e-3, NULL);
        double y = w.state.x[10].y;
        if (y * before < 0.0)
        {
            last = 1e-3 * (k - 1 + before / (before - y));
            crossings++;
        }
        before = y;
    }
    ASSERT_NEAR(last, 2.25 * period, 0.002 * period);
    assert_true(palLength(w.state.x[0]) == 0.0);
    palVec3 force, torque;
    palBeam_Reaction(w.model, &w.work, 0, &force, &torque);
    assert_true(palLength(torque) == 0.0);
    wireFree(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_held_end_feels_momentum_and_weight),
        cmocka_unit_test(contact_forces_act_as_loads),
        cmocka_unit_test(the_coupling_carries_the_wire),
        cmocka_unit_test(held_by_its_position_a_wire_swings),
    };
    return RUN(tests);
}

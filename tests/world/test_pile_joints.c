// SPDX-License-Identifier: Apache-2.0
// Rigid bodies that hang together by several joints.
#include "pile_rig.h"

static const double g = 9.81;          // m/s²
static const double linkMass = 0.01;   // kg
static const double linkLength = 0.05; // m
static const double weightSize = 0.05; // m
static const int links = 10;

static palPileJointDef* addHinge(palPileRig* rig, int body, int to, palVec3 point)
{
    palPileJointDef* joint = &rig->joints[rig->jointCount++];
    *joint = palDefaultPileJointDef();
    joint->kind = pal_pileHinge;
    joint->bodies[0] = body;
    joint->bodies[1] = to;
    joint->point = point;
    joint->axis = palMakeVec3(0.0, 1.0, 0.0);
    return joint;
}

static palPileBodyDef* hang(palPileRig* rig, const palRigidShape* shape, double mass, double along,
                            double angle)
{
    palVec3 down = {sin(angle), 0.0, -cos(angle)};
    palPileBodyDef* body = addShape(rig, shape, mass / shape->unitMass.mass, palScale(along, down));
    body->pose.q = palMakeQuatRotationVector(palMakeVec3(0.0, -angle, 0.0));
    return body;
}

// A chain of light links and a weight at its end, welded to the last of them, at an angle.
static palPileRig* hangChain(double weight, double angle)
{
    palPileRig* rig = makeRig();
    const palRigidShape* link = boxShape(rig, 0.01, 0.01, linkLength);
    const palRigidShape* box = boxShape(rig, weightSize, weightSize, weightSize);
    palVec3 down = {sin(angle), 0.0, -cos(angle)};
    for (int i = 0; i < links; i++)
    {
        hang(rig, link, linkMass, (i + 0.5) * linkLength, angle);
        addHinge(rig, i, i - 1, palScale(i * linkLength, down));
    }
    hang(rig, box, weight, links * linkLength + 0.5 * weightSize, angle);
    addHinge(rig, links, links - 1, palScale(links * linkLength, down))->kind = pal_pileWeld;
    rig->def.sleeps = false;
    rig->def.sweepsMost = 200;
    return rig;
}

static void a_chain_bears_what_is_a_thousand_times_heavier_than_its_links(void** state)
{
    (void)state;
    const double weights[] = {0.1, 1.0, 10.0, 100.0};
    for (int i = 0; i < 4; i++)
    {
        palPileRig* rig = hangChain(weights[i], 0.0);
        palPile* pile = startRig(rig);
        double from = pile->bodies[links].state.x.z;
        runFor(pile, 1.0);
        double sag = from - pile->bodies[links].state.x.z;
        print_message("%g times: sags by %.4f mm, %d sweeps, residual %.2g m\n",
                      weights[i] / linkMass, 1e3 * sag, pile->info.sweeps, pile->info.residual);
        ASSERT_BELOW(sag, 1e-4);
        ASSERT_BELOW(palPile_KineticEnergy(pile), 1e-9);
        assert_true(pile->info.sweeps <= 2);
        freeRig(rig);
    }
}

// It swings as a rigid pendulum does, since the weight keeps it straight.
static void a_weight_on_a_chain_swings_with_the_period_of_a_pendulum(void** state)
{
    (void)state;
    const double weight = 10.0, angle = 0.05;
    double moment = 0.0, inertia = weight * weightSize * weightSize / 6.0;
    for (int i = 0; i <= links; i++)
    {
        double m = i < links ? linkMass : weight;
        double r = i < links ? (i + 0.5) * linkLength : links * linkLength + 0.5 * weightSize;
        moment += m * r;
        inertia += m * r * r;
    }
    const double period =
        6.283185307179586 * sqrt(inertia / (moment * g)) * (1.0 + angle * angle / 16.0);
    palPileRig* rig = hangChain(weight, angle);
    palPile* pile = startRig(rig);
    double first = 0.0, last = 0.0, before = 1.0;
    int crossings = 0;
    while (pile->time < 4.0)
    {
        palPile_Step(pile);
        double x = pile->bodies[links].state.x.x;
        if (x * before < 0.0)
        {
            last = pile->time - pile->def.dt * x / (x - before);
            first = crossings++ == 0 ? last : first;
        }
        before = x;
    }
    double measured = 2.0 * (last - first) / (crossings - 1);
    print_message("period %.4f s, closed form %.4f s\n", measured, period);
    ASSERT_NEAR(measured, period, 0.005 * period);
    freeRig(rig);
}

// Two hinges on one axis ask for more than it takes.
static void a_lid_on_two_hinges_swings_as_on_one(void** state)
{
    (void)state;
    double at[2];
    for (int k = 0; k < 2; k++)
    {
        palPileRig* rig = makeRig();
        addShape(rig, boxShape(rig, 0.1, 0.2, 0.01), 1000.0, palMakeVec3(0.05, 0.0, 0.0));
        addHinge(rig, 0, -1, palMakeVec3(0.0, -0.08, 0.0));
        if (k == 1)
            addHinge(rig, 0, -1, palMakeVec3(0.0, 0.08, 0.0));
        rig->def.sweepsMost = 200;
        palPile* pile = startRig(rig);
        runFor(pile, 0.5);
        at[k] = pile->bodies[0].state.x.x;
        ASSERT_BELOW(fabs(pile->bodies[0].state.x.y), 1e-5);
        freeRig(rig);
    }
    ASSERT_NEAR(at[1], at[0], 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_bears_what_is_a_thousand_times_heavier_than_its_links),
        cmocka_unit_test(a_weight_on_a_chain_swings_with_the_period_of_a_pendulum),
        cmocka_unit_test(a_lid_on_two_hinges_swings_as_on_one),
    };
    return RUN(tests);
}

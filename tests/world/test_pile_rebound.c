// SPDX-License-Identifier: Apache-2.0
// What bounces where several contacts push.
#include "pile_rig.h"

static const double radius = 0.02, speed = 2.0; // m, m/s

// Five balls in a row, `gap` apart, of which the first `moving` come in.
static palPileRig* rowOfBalls(double restitution, double gap, int moving)
{
    palPileRig* rig = makeRig();
    const palRigidShape* ball = sphereShape(rig, radius);
    rig->def.gravity = pal_zeroVec3;
    rig->def.sweepsMost = 200;
    for (int i = 0; i < 5; i++)
    {
        double before = i < moving ? 0.01 : 0.0;
        palVec3 x = {i * (2.0 * radius + gap) - before, 0.0, 0.0};
        palPileBodyDef* body = addShape(rig, ball, 1000.0, x);
        body->velocity = palMakeVec3(i < moving ? speed : 0.0, 0.0, 0.0);
        body->material.restitution = restitution;
    }
    return rig;
}

// As many balls go out as came in: each passes its speed on, (1 + e)/2 of it.
static void the_last_balls_of_a_row_go_off(void** state)
{
    (void)state;
    static const double gaps[] = {0.0, 1e-6, 1e-4, 2e-3};
    for (int i = 0; i < 4; i++)
        for (int moving = 1; moving <= 2; moving++)
        {
            palPileRig* rig = rowOfBalls(1.0, gaps[i], moving);
            palPile* pile = startRig(rig);
            runFor(pile, 0.05);
            for (int k = 0; k < 5; k++)
                ASSERT_NEAR(pile->bodies[k].state.v.x, k < 5 - moving ? 0.0 : speed, 0.01 * speed);
            freeRig(rig);
        }
    palPileRig* rig = rowOfBalls(0.9, 1e-4, 1);
    palPile* pile = startRig(rig);
    runFor(pile, 0.05);
    ASSERT_NEAR(pile->bodies[4].state.v.x, speed * pow(0.95, 4.0), 5e-3 * speed);
    freeRig(rig);
}

// All corners of a box that falls flat on a floor hit it at once: it does not turn.
static void a_box_that_falls_flat_bounces_flat(void** state)
{
    (void)state;
    const double e = 0.5, size = 0.05, drop = 0.2;
    palPileRig* rig = makeRig();
    addFloor(rig, 0.0);
    palPileBodyDef* body = addShape(rig, boxShape(rig, size, size, size), 1000.0,
                                    palMakeVec3(0.0, 0.0, 0.5 * size + drop));
    body->material.restitution = e;
    palPile* pile = startRig(rig);
    double top = 0.0;
    while (pile->time < 0.25 || pile->bodies[1].state.v.z > 0.0)
    {
        palPile_Step(pile);
        bool hasHit = pile->time > sqrt(2.0 * drop / 9.81);
        top = hasHit ? fmax(top, pile->bodies[1].state.x.z - 0.5 * size) : top;
        ASSERT_BELOW(palLength(pile->bodies[1].u.omega), 1e-6);
    }
    ASSERT_NEAR(top, e * e * drop, 0.03 * e * e * drop);
    freeRig(rig);
}

// A ball that falls on a box on the floor: nothing gains energy, and all come to rest.
static void a_ball_on_a_box_comes_to_rest(void** state)
{
    (void)state;
    palPileRig* rig = makeRig();
    addFloor(rig, 0.0);
    addShape(rig, boxShape(rig, 0.1, 0.1, 0.05), 1000.0, palMakeVec3(0.0, 0.0, 0.025))
        ->material.restitution = 0.6;
    addShape(rig, sphereShape(rig, radius), 3000.0, palMakeVec3(0.0, 0.0, 0.25))
        ->material.restitution = 0.6;
    palPile* pile = startRig(rig);
    double least = INFINITY;
    for (int n = 0; n < 4000; n++)
    {
        palPile_Step(pile);
        double energy = palPile_KineticEnergy(pile) + palPile_PotentialEnergy(pile);
        ASSERT_BELOW(energy, least + 1e-6);
        least = fmin(least, energy);
    }
    assert_int_equal(pile->awakeCount, 0);
    ASSERT_NEAR(pile->bodies[1].state.x.z, 0.025, 1e-4);
    freeRig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_balls_of_a_row_go_off),
        cmocka_unit_test(a_box_that_falls_flat_bounces_flat),
        cmocka_unit_test(a_ball_on_a_box_comes_to_rest),
    };
    return RUN(tests);
}

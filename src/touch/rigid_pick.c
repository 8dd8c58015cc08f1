// SPDX-License-Identifier: Apache-2.0
// What a hand picks up: while a button of its device is down, the first free object that its tool
// or point touches is tied to it as both are then. Let go, the object has the velocities that it
// had in the hand.
#include "touch/rigid_world.h"

// The body of a pair besides one of its two.
static int otherBody(const palPile* pile, const palPilePair* pair, int body)
{
    int a = pile->items[pair->items[0]].body;
    return a == body ? pile->items[pair->items[1]].body : a;
}

// The normal force of a pair in the last step, N.
static double pairForce(const palPile* pile, const palPilePair* pair)
{
    const palPileContact* contacts = palPile_Contacts(pile, pair);
    double sum = 0.0;
    for (int i = 0; i < pair->count; i++)
        sum += contacts[i].lambda[0];
    return sum;
}

// The free object that a body touches, with the largest force where there are several; -1: none.
static int touchedBy(const palRigidWorld* world, int index)
{
    const palPile* pile = world->pile;
    const palPileBody* body = &pile->bodies[index];
    int found = -1;
    double most = 0.0;
    for (int i = body->firstItem; i < body->firstItem + body->itemCount; i++)
    {
        for (int p = pile->items[i].firstPair; p >= 0; p = palPilePair_Next(&pile->pairs[p], i))
        {
            int other = otherBody(pile, &pile->pairs[p], index);
            double force = pairForce(pile, &pile->pairs[p]);
            if (other >= world->objectCount || pile->bodies[other].motion != pal_motionFree ||
                !(force > most))
                continue;
            found = other;
            most = force;
        }
    }
    return found;
}

void palRigidWorld_Pick(palRigidWorld* world, const palMethodDef* def, const palDeviceState* device)
{
    const int body = world->hands[def->hand], tie = world->firstTie + def->hand;
    if (body < 0 || def->pick < 0)
        return;
    bool isHolding = world->pile->joints[tie].bodies[1] >= 0;
    bool isDown = (device->buttons >> def->pick & 1u) != 0;
    if (isHolding && !isDown)
        palPile_Untie(world->pile, tie);
    int touched = !isHolding && isDown ? touchedBy(world, body) : -1;
    if (touched >= 0)
        palPile_Tie(world->pile, tie, body, touched);
}

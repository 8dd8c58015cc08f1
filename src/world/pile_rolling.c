// SPDX-License-Identifier: Apache-2.0
// What stops a ball on a flat floor: a contact of a round body is a small patch and not a point.
//
// A patch resists turning about its normal by a torque of up to μ N times a share of the radius,
// and slow rolling by one of up to N times a smaller share of it. Both oppose the turning of one
// body against the other, act on both with opposite signs, and at most stop it: they only take
// energy.
// What rolls faster than a few centimetres a second rolls on as its inertia says.
//
// They act on the free motion, before contacts are solved, with the normal forces of the last
// step. What is left of the turning then fits the motion that friction allows. Taken from the
// result of the solve instead, every step would leave some sliding, and a pile of cylinders at
// rest would creep apart.
#include "world/pile.h"

static const double spinShare = 0.1;     // of the radius: patch that resists turning on the spot
static const double rollingShare = 4e-3; // of the radius: lever of the resistance to rolling
static const double rollingSpeed = 0.05; // m/s, of the surface, below which there is one

// The radius with which a part is round, m; infinite where it is not.
static double radiusOf(const palPileItem* item)
{
    palRigidShapeKind kind = item->shape->kind;
    bool isRound = kind == pal_rigidSphere || kind == pal_rigidCapsule || kind == pal_rigidCylinder;
    return isRound ? item->shape->radius : INFINITY;
}

static bool yields(const palPileBody* body)
{
    return body->index >= 0 && !body->isHeld;
}

// Takes up to `impulse`, N·m·s, from the turning of a against b about a unit axis.
static void brake(palPileBody* a, palPileBody* b, palVec3 axis, double rate, double impulse)
{
    if (!yields(a) && !yields(b))
        return;
    palVec3 ofA = yields(a) ? palMat3Apply(a->worldInverse, axis) : pal_zeroVec3;
    palVec3 ofB = yields(b) ? palMat3Apply(b->worldInverse, axis) : pal_zeroVec3;
    double stopping = rate / palDot(axis, palAdd(ofA, ofB));
    double taken = fmin(impulse, stopping);
    a->u.omega = palMulAdd(a->u.omega, -taken, ofA);
    b->u.omega = palMulAdd(b->u.omega, taken, ofB);
}

static void resist(palPileBody* a, palPileBody* b, const palPileContact* contact, double mu,
                   double radius, double h)
{
    palVec3 n = contact->axes[0];
    double impulse = h * contact->lambda[0] * radius;
    palVec3 turning = palSub(a->u.omega, b->u.omega);
    double spin = palDot(turning, n);
    if (spin != 0.0)
        brake(a, b, spin > 0.0 ? n : palNeg(n), fabs(spin), spinShare * mu * impulse);
    palVec3 rolling = palMulAdd(turning, -spin, n);
    double rate = palLength(rolling);
    if (rate > 0.0 && rate * radius < rollingSpeed)
        brake(a, b, palScale(1.0 / rate, rolling), rate, rollingShare * impulse);
}

static void resistPair(palPile* pile, palPilePair* pair)
{
    const palPileItem *a = &pile->items[pair->items[0]], *b = &pile->items[pair->items[1]];
    const palPileContact* contacts = palPile_Contacts(pile, pair);
    double radius = fmin(radiusOf(a), radiusOf(b));
    for (int c = 0; c < pair->count && radius < INFINITY; c++)
        if (contacts[c].lambda[0] > 0.0)
            resist(&pile->bodies[a->body], &pile->bodies[b->body], &contacts[c],
                   pair->material.kineticFriction, radius, pile->h);
}

void palPile_ResistRolling(palPile* pile)
{
    for (int i = 0; i < pile->awakeCount; i++)
    {
        const palPileBody* body = &pile->bodies[pile->awake[i]];
        for (int k = body->firstItem; k < body->firstItem + body->itemCount; k++)
            for (int p = pile->items[k].firstPair; p >= 0; p = palPilePair_Next(&pile->pairs[p], k))
                if (palPile_IsFirst(pile, &pile->pairs[p], k))
                    resistPair(pile, &pile->pairs[p]);
    }
}

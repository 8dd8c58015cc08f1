// SPDX-License-Identifier: Apache-2.0
// Contacts with neighbouring parts, judged together.
//
// A body that rests on a part is a little inside it, and therefore also in the way of the side of
// the next part, if that one is flush with the first: a floor of tiles, a row of boxes. Seen for
// itself, that pair has a contact with the side, square to the motion. No such side is there: where
// a body x is carried by a part t along the normal m, a contact of x with another part s counts
// only if s rises above the surface of t there. It does not if
//
//     - the contact point on s is no higher along m than the surface of t, up to a step, and
//     - s is flat and faces along m there: from a point that is beyond its edge and above it, the
//       nearest point of s is straight down.
//
// A contact whose normal is m as well lies on top of s, and stays. A contact that was left out
// carries nothing, so that two parts do not leave each other out.
#include "world/pile.h"

// Steps that are passed over, as a share of the thinner part's width, and at most, m.
static const double stepShare = 1e-3;
static const double stepMost = 5e-5;
// How far beyond the edge of a part, and above it, in steps and depths, its face is looked for, and
// the sine of the angle by which it may lean.
static const double lookSteps = 8.0;
static const double faceLean = 0.02;
// The cosine of the angle up to which two normals are the same: for shapes that are made of faces,
// of which one rests on both parts, and for round ones, which touch each at another place.
static const double sameFacing = 0.9986;
static const double sameRound = 1.0 - 5e-7;
// Beyond this cosine the contacts hold a body from opposite sides.
static const double opposite = -0.5;

// A contact of part x with a part s, seen from x.
typedef struct Touch
{
    const palPileItem *x, *s;
    palVec3 normal;  // from s to x
    palVec3 onOther; // the point of the surface of s, m
    double gap;      // m
} Touch;

static Touch touchOf(const palPile* pile, const palPilePair* pair, const palPileContact* contact,
                     int side)
{
    double half = side == 0 ? -0.5 : 0.5;
    return (Touch){
        .x = &pile->items[pair->items[side]],
        .s = &pile->items[pair->items[!side]],
        .normal = side == 0 ? contact->axes[0] : palNeg(contact->axes[0]),
        .onOther = palMulAdd(contact->point, half * contact->gap, contact->axes[0]),
        .gap = contact->gap,
    };
}

static bool isRound(const palRigidShape* shape)
{
    return shape->kind == pal_rigidSphere || shape->kind == pal_rigidCapsule ||
           shape->kind == pal_rigidCylinder;
}

static double stepOf(const palPileItem* a, const palPileItem* b)
{
    return fmin(stepShare * fmin(a->width, b->width), stepMost);
}

// Whether two contacts of a part with other parts could be with its bottom and with a side.
static bool areAcross(const palPileItem* x, palVec3 normal, palVec3 m)
{
    double cosine = palDot(normal, m);
    return cosine > opposite && cosine < (isRound(x->shape) ? sameRound : sameFacing);
}

// Whether part s has a face along m, no higher than `depth` above a point on its edge or its side.
static bool isFaceAbove(const Touch* touch, palVec3 m, double depth)
{
    const palPileItem* s = touch->s;
    palVec3 outward = palMulAdd(touch->normal, -palDot(touch->normal, m), m);
    palVec3 way = palScale(lookSteps * depth, palSub(m, palNormalize(outward)));
    palVec3 above = palRigidShape_Beyond(s->shape, s->pose, palAdd(touch->onOther, way));
    double height = palDot(above, m), beside = palLength(palMulAdd(above, -height, m));
    return height >= (lookSteps - 1.0) * depth && beside <= faceLean * height;
}

// Whether part s is flush with what carries the body, or lower, where it touches it.
static bool isFlush(const Touch* touch, const Touch* carried)
{
    if (!areAcross(touch->x, touch->normal, carried->normal))
        return false;
    double step = stepOf(touch->x, touch->s);
    if (palDot(carried->normal, palSub(touch->onOther, carried->onOther)) > step)
        return false;
    return isFaceAbove(touch, carried->normal, fmax(-carried->gap, 0.0) + step);
}

// The one normal of a convex pair, towards the part on a side.
static palVec3 normalOf(const palPile* pile, const palPilePair* pair, int side)
{
    palVec3 axis = palPile_Contacts(pile, pair)->axes[0];
    return side == 0 ? axis : palNeg(axis);
}

// The same of a convex pair at a glance: the middle of s is a point of it.
static bool couldBeFlush(const palPile* pile, const palPilePair* pair, int side,
                         const Touch* carried)
{
    const palPileItem *x = &pile->items[pair->items[side]], *s = &pile->items[pair->items[!side]];
    double above = palDot(carried->normal, palSub(s->pose.x, carried->onOther));
    return above <= 2.0 * stepOf(x, s) + fmax(-carried->gap, 0.0) &&
           areAcross(x, normalOf(pile, pair, side), carried->normal);
}

// Marks the contacts of a pair that one of another pair of the same part makes void.
static void judgeBy(const palPile* pile, const palPilePair* pair, int side, const Touch* carried,
                    bool isVoid[pal_meshPairContactsMax])
{
    const palPileContact* contacts = palPile_Contacts(pile, pair);
    for (int c = 0; c < pair->count; c++)
    {
        if (isVoid[c])
            continue;
        Touch touch = touchOf(pile, pair, &contacts[c], side);
        isVoid[c] = isFlush(&touch, carried);
    }
}

// The contact of a pair with the smallest gap.
static int deepestOf(const palPileContact* contacts, int count)
{
    int deepest = 0;
    for (int c = 1; c < count; c++)
        if (contacts[c].gap < contacts[deepest].gap)
            deepest = c;
    return deepest;
}

// The same by all contacts of another pair that carry the part: that are closed, as what rests is.
// Those of convex parts are in one plane, of which one is enough.
static void judgeByPair(const palPile* pile, const palPilePair* pair, int side,
                        const palPilePair* other, bool isVoid[pal_meshPairContactsMax])
{
    const palPileContact* contacts = palPile_Contacts(pile, other);
    const int item = pair->items[side], otherSide = other->items[1] == item;
    if (!pair->isMesh && !other->isMesh &&
        !areAcross(&pile->items[item], normalOf(pile, pair, side),
                   normalOf(pile, other, otherSide)))
        return;
    const palPileItem *a = &pile->items[other->items[0]], *b = &pile->items[other->items[1]];
    double margin = fmin(palPileItem_Margin(a), palPileItem_Margin(b));
    int first = other->isMesh ? 0 : deepestOf(contacts, other->count);
    int end = other->isMesh ? other->count : first + 1;
    for (int c = first; c < end; c++)
    {
        Touch carried = touchOf(pile, other, &contacts[c], otherSide);
        if (carried.gap <= margin && (pair->isMesh || couldBeFlush(pile, pair, side, &carried)))
            judgeBy(pile, pair, side, &carried, isVoid);
    }
}

static void judgePair(palPile* pile, int index)
{
    palPilePair* pair = &pile->pairs[index];
    palPileContact* contacts = palPile_Contacts(pile, pair);
    bool isVoid[pal_meshPairContactsMax] = {false};
    for (int side = 0; side < 2; side++)
    {
        int item = pair->items[side];
        for (int p = pile->items[item].firstPair; p >= 0;
             p = palPilePair_Next(&pile->pairs[p], item))
            if (p != index && pile->pairs[p].count > 0)
                judgeByPair(pile, pair, side, &pile->pairs[p], isVoid);
    }
    int kept = 0;
    for (int c = 0; c < pair->count; c++)
        if (!isVoid[c])
            contacts[kept++] = contacts[c];
    pair->count = kept;
}

void palPile_JudgeSeams(palPile* pile)
{
    for (int i = 0; i < pile->awakeCount; i++)
    {
        const palPileBody* body = &pile->bodies[pile->awake[i]];
        for (int k = body->firstItem; k < body->firstItem + body->itemCount; k++)
            for (int p = pile->items[k].firstPair; p >= 0; p = palPilePair_Next(&pile->pairs[p], k))
                if (pile->pairs[p].count > 0 && palPile_IsFirst(pile, &pile->pairs[p], k))
                    judgePair(pile, p);
    }
}

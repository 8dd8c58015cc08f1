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

// A part with a contact of it: the normal points at the part.
typedef struct Touch
{
    int item;
    palVec3 normal;
    palVec3 onOther; // the point of the other part's surface, m
    double gap;      // m
} Touch;

static Touch touchOf(const palPilePair* pair, const palPileContact* contact, int side)
{
    double half = side == 0 ? -0.5 : 0.5;
    return (Touch){
        .item = pair->items[side],
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

// Whether part s has a face along m, no higher than `depth` above a point on its edge or its side.
static bool isFaceAbove(const palPileItem* s, const Touch* touch, palVec3 m, double depth)
{
    palVec3 outward = palMulAdd(touch->normal, -palDot(touch->normal, m), m);
    palVec3 way = palScale(lookSteps * depth, palSub(m, palNormalize(outward)));
    palVec3 above = palRigidShape_Beyond(s->shape, s->pose, palAdd(touch->onOther, way));
    double height = palDot(above, m), beside = palLength(palMulAdd(above, -height, m));
    return height >= (lookSteps - 1.0) * depth && beside <= faceLean * height;
}

// Whether part s is flush with what carries the body, or lower, where it touches it.
static bool isFlush(const palPile* pile, const Touch* touch, const palPileItem* s,
                    const Touch* carried)
{
    const palPileItem* x = &pile->items[touch->item];
    double cosine = palDot(touch->normal, carried->normal);
    if (cosine < opposite || cosine > (isRound(x->shape) ? sameRound : sameFacing))
        return false;
    double step = stepOf(x, s);
    if (palDot(carried->normal, palSub(touch->onOther, carried->onOther)) > step)
        return false;
    return isFaceAbove(s, touch, carried->normal, fmax(-carried->gap, 0.0) + step);
}

// Whether a contact carries a part: it is closed, as what rests is.
static bool carries(const palPile* pile, const palPilePair* pair, const palPileContact* contact)
{
    const palPileItem *a = &pile->items[pair->items[0]], *b = &pile->items[pair->items[1]];
    double margin = fmin(palPileItem_Margin(a), palPileItem_Margin(b));
    return contact->gap <= margin;
}

// Whether another contact of the same part makes one of its contacts void.
static bool isVoid(const palPile* pile, int pairIndex, const Touch* touch, const palPileItem* s)
{
    const palPileItem* x = &pile->items[touch->item];
    for (int p = x->firstPair; p >= 0; p = palPilePair_Next(&pile->pairs[p], touch->item))
    {
        const palPilePair* pair = &pile->pairs[p];
        const palPileContact* contacts = palPile_Contacts(pile, pair);
        int side = pair->items[1] == touch->item;
        for (int c = 0; p != pairIndex && c < pair->count; c++)
        {
            Touch carried = touchOf(pair, &contacts[c], side);
            if (carries(pile, pair, &contacts[c]) && isFlush(pile, touch, s, &carried))
                return true;
        }
    }
    return false;
}

static void judgePair(palPile* pile, int index)
{
    palPilePair* pair = &pile->pairs[index];
    palPileContact* contacts = palPile_Contacts(pile, pair);
    int kept = 0;
    for (int c = 0; c < pair->count; c++)
    {
        bool isLeftOut = false;
        for (int side = 0; side < 2 && !isLeftOut; side++)
        {
            Touch touch = touchOf(pair, &contacts[c], side);
            isLeftOut = isVoid(pile, index, &touch, &pile->items[pair->items[!side]]);
        }
        if (!isLeftOut)
            contacts[kept++] = contacts[c];
    }
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

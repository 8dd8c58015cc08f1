// SPDX-License-Identifier: Apache-2.0
// Which parts are near each other.
//
// A part's box holds it wherever it can be at the end of the step, and somewhat more, so that it
// need not be moved in every step. Two parts are a pair while their boxes meet. Half-spaces have no
// box: a part is paired with one while its box reaches into it.
#include "world/pile.h"

#include <stdlib.h>

// By how much a box is larger than what it must hold, as a share of the part's size: a body that
// moves slowly leaves it rarely, and few pairs are too many.
static const double boxSlack = 0.1;

// Distance at which contacts are kept, as a share of the smaller part's size, and its limits, m:
// what rests on another thing moves by less.
static const double marginShare = 2e-3;
static const double marginLeast = 1e-5;
static const double marginMost = 1e-3;

double palPileItem_Margin(const palPileItem* item)
{
    return fmin(fmax(marginShare * item->extent, marginLeast), marginMost);
}

double palPile_Reach(const palPile* pile, const palPileItem* a, const palPileItem* b)
{
    // Either may be hit by the fastest body in this step.
    return fmin(palPileItem_Margin(a), palPileItem_Margin(b)) + 2.0 * pile->fastest * pile->h;
}

static bool isApart(const palPile* pile, int a, int b)
{
    int low = 0, high = pile->apartCount;
    while (low < high)
    {
        int middle = (low + high) / 2;
        const int* pair = pile->apart[middle];
        if (pair[0] == a && pair[1] == b)
            return true;
        if (pair[0] < a || (pair[0] == a && pair[1] < b))
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool palPile_MayTouch(const palPile* pile, const palPileBody* a, const palPileBody* b)
{
    int i = (int)(a - pile->bodies), j = (int)(b - pile->bodies);
    if (i == j || (a->motion != pal_motionFree && b->motion != pal_motionFree))
        return false;
    if ((a->meetsMoving && (b->motion == pal_motionFixed || b->meetsMoving)) ||
        (b->meetsMoving && a->motion == pal_motionFixed))
        return false;
    return (a->layers & b->touches) != 0 && (b->layers & a->touches) != 0 &&
           !isApart(pile, i < j ? i : j, i < j ? j : i) && !palPile_AreTied(pile, i, j);
}

static palContactMaterial materialOf(const palContactMaterial* a, const palContactMaterial* b)
{
    // The law of the more compliant one.
    palContactMaterial both = a->law <= b->law ? *a : *b;
    both.friction = fmax(a->friction, b->friction);
    both.kineticFriction = fmax(a->kineticFriction, b->kineticFriction);
    both.restitution = fmax(a->restitution, b->restitution);
    if (a->law == b->law)
    {
        both.frequency = fmin(a->frequency, b->frequency);
        both.dampingRatio = fmax(a->dampingRatio, b->dampingRatio);
        both.stiffness = fmin(a->stiffness, b->stiffness);
        both.damping = fmin(a->damping, b->damping);
    }
    return both;
}

static void takeLaw(const palContactMaterial* from, palContactMaterial* to)
{
    to->law = from->law;
    to->frequency = from->frequency;
    to->dampingRatio = from->dampingRatio;
    to->stiffness = from->stiffness;
    to->damping = from->damping;
}

static double orOwn(double value, double own)
{
    return isnan(value) ? own : value;
}

palContactMaterial palPile_PairMaterial(const palPile* pile, const palPileBody* a,
                                        const palPileBody* b)
{
    palContactMaterial both = materialOf(&a->material, &b->material);
    if (a->decidesLaw || b->decidesLaw)
        takeLaw(a->decidesLaw ? &a->material : &b->material, &both);
    for (int i = 0; i < pile->def.pairCount; i++)
    {
        const palPilePairDef* pair = &pile->materials[i];
        const palContactMaterial* m = &pair->material;
        if (!((a->layers & pair->layers[0]) && (b->layers & pair->layers[1])) &&
            !((b->layers & pair->layers[0]) && (a->layers & pair->layers[1])))
            continue;
        double kinetic = orOwn(m->kineticFriction, orOwn(m->friction, both.kineticFriction));
        both.friction = orOwn(m->friction, both.friction);
        both.kineticFriction = fmin(kinetic, both.friction);
        both.restitution = orOwn(m->restitution, both.restitution);
        both.law = pair->hasLaw ? m->law : both.law;
        both.frequency = orOwn(m->frequency, both.frequency);
        both.dampingRatio = orOwn(m->dampingRatio, both.dampingRatio);
        both.stiffness = orOwn(m->stiffness, both.stiffness);
        both.damping = orOwn(m->damping, both.damping);
    }
    return both;
}

// The box of a half-space meets that of a part where a corner of it is below its plane.
static bool reachesInto(const palPileItem* halfSpace, palBounds box)
{
    palVec3 n = palRotate(halfSpace->pose.q, palMakeVec3(0.0, 0.0, 1.0));
    palVec3 lowest = {
        n.x > 0.0 ? box.low.x : box.high.x,
        n.y > 0.0 ? box.low.y : box.high.y,
        n.z > 0.0 ? box.low.z : box.high.z,
    };
    return palDot(n, palSub(lowest, halfSpace->pose.x)) <= 0.0;
}

static bool areNear(const palPile* pile, int a, int b)
{
    const palPileItem *itemA = &pile->items[a], *itemB = &pile->items[b];
    if (itemA->isBoundless)
        return reachesInto(itemA, palMovingTree_Box(&pile->tree, b));
    if (itemB->isBoundless)
        return reachesInto(itemB, palMovingTree_Box(&pile->tree, a));
    return palBounds_Meet(palMovingTree_Box(&pile->tree, a), palMovingTree_Box(&pile->tree, b));
}

static bool havePair(const palPile* pile, int item, int other)
{
    for (int p = pile->items[item].firstPair; p >= 0; p = palPilePair_Next(&pile->pairs[p], item))
        if (pile->pairs[p].items[0] == other || pile->pairs[p].items[1] == other)
            return true;
    return false;
}

// The part with the lower number is a, whichever moved.
static void addPair(palPile* pile, int item, int other)
{
    int a = item < other ? item : other, b = item < other ? other : item;
    palPileItem *itemA = &pile->items[a], *itemB = &pile->items[b];
    const palPileBody *bodyA = &pile->bodies[itemA->body], *bodyB = &pile->bodies[itemB->body];
    if (!palPile_MayTouch(pile, bodyA, bodyB) || havePair(pile, item, other))
        return;
    bool isMesh = itemA->shape->kind == pal_rigidMesh || itemB->shape->kind == pal_rigidMesh;
    palContactSlots* slots = &pile->slots[isMesh];
    if (pile->unusedPair < 0 || slots->unusedCount == 0)
    {
        pile->info.leftOut++;
        return;
    }
    int index = pile->unusedPair;
    palPilePair* pair = &pile->pairs[index];
    pile->unusedPair = pair->next[0];
    *pair = (palPilePair){
        .items = {a, b},
        .next = {itemA->firstPair, itemB->firstPair},
        .slot = slots->unused[--slots->unusedCount],
        .isMesh = isMesh,
        .material = palPile_PairMaterial(pile, bodyA, bodyB),
    };
    itemA->firstPair = itemB->firstPair = index;
}

static void unlink(palPile* pile, int item, int index)
{
    int* link = &pile->items[item].firstPair;
    while (*link != index)
        link = &pile->pairs[*link].next[pile->pairs[*link].items[1] == item];
    *link = palPilePair_Next(&pile->pairs[index], item);
}

static void removePair(palPile* pile, int index)
{
    palPilePair* pair = &pile->pairs[index];
    unlink(pile, pair->items[0], index);
    unlink(pile, pair->items[1], index);
    palContactSlots* slots = &pile->slots[pair->isMesh];
    slots->unused[slots->unusedCount++] = pair->slot;
    *pair = (palPilePair){.items = {-1, -1}, .next = {pile->unusedPair, -1}};
    pile->unusedPair = index;
}

// The part has a new box: pairs that are no longer near go, new ones come.
static void renewPairs(palPile* pile, int item)
{
    for (int p = pile->items[item].firstPair; p >= 0;)
    {
        const palPilePair* pair = &pile->pairs[p];
        int next = palPilePair_Next(pair, item);
        if (!areNear(pile, pair->items[0], pair->items[1]))
            removePair(pile, p);
        p = next;
    }
    palBounds box = palMovingTree_Box(&pile->tree, item);
    int count = palMovingTree_Find(&pile->tree, box, pile->itemCount, pile->found);
    for (int i = 0; i < count; i++)
        addPair(pile, item, pile->found[i]);
    for (int i = 0; i < pile->boundlessCount; i++)
        if (reachesInto(&pile->items[pile->boundless[i]], box))
            addPair(pile, item, pile->boundless[i]);
}

void palPile_RenewPairs(palPile* pile, int index)
{
    const palPileBody* body = &pile->bodies[index];
    for (int i = body->firstItem; i < body->firstItem + body->itemCount; i++)
    {
        for (int p = pile->items[i].firstPair; p >= 0;)
        {
            const palPilePair* pair = &pile->pairs[p];
            int next = palPilePair_Next(pair, i);
            if (!palPile_MayTouch(pile, &pile->bodies[pile->items[pair->items[0]].body],
                                  &pile->bodies[pile->items[pair->items[1]].body]))
                removePair(pile, p);
            p = next;
        }
        if (!pile->items[i].isBoundless && pile->tree.leaves[i] >= 0)
            renewPairs(pile, i);
    }
}

static bool contains(palBounds outer, palBounds inner)
{
    return outer.low.x <= inner.low.x && outer.low.y <= inner.low.y && outer.low.z <= inner.low.z &&
           outer.high.x >= inner.high.x && outer.high.y >= inner.high.y &&
           outer.high.z >= inner.high.z;
}

// The box of a part, with its way in this step and half of the reach of its contacts.
static palBounds boxOf(const palPile* pile, const palPileItem* item)
{
    const palPileBody* body = &pile->bodies[item->body];
    const double h = pile->h;
    palBounds box = palRigidShape_Bounds(item->shape, item->pose);
    palVec3 way = palScale(h, body->u.v);
    double turn = h * palPileBody_TurnSpeed(body);
    box.low = palAdd(box.low, palMinVec3(way, pal_zeroVec3));
    box.high = palAdd(box.high, palMaxVec3(way, pal_zeroVec3));
    return palBounds_Grown(box, turn + palPileItem_Margin(item) + pile->fastest * h);
}

static void putItem(palPile* pile, int index)
{
    const palPileItem* item = &pile->items[index];
    if (item->isBoundless)
        return;
    palBounds box = boxOf(pile, item);
    if (pile->tree.leaves[index] >= 0 && contains(palMovingTree_Box(&pile->tree, index), box))
        return;
    palMovingTree_Put(&pile->tree, index, palBounds_Grown(box, boxSlack * item->extent));
    renewPairs(pile, index);
}

void palPile_PutBody(palPile* pile, const palPileBody* body)
{
    for (int i = body->firstItem; i < body->firstItem + body->itemCount; i++)
        putItem(pile, i);
}

void palPile_FindPairs(palPile* pile)
{
    // What never moves is put in once, before everything else.
    if (pile->time == 0.0)
        for (int i = 0; i < pile->itemCount; i++)
            if (pile->tree.leaves[i] < 0)
                putItem(pile, i);
    for (int i = 0; i < pile->awakeCount; i++)
        palPile_PutBody(pile, &pile->bodies[pile->awake[i]]);
}

bool palPile_IsFirst(const palPile* pile, const palPilePair* pair, int item)
{
    if (pair->items[0] == item)
        return true;
    const palPileBody* a = &pile->bodies[pile->items[pair->items[0]].body];
    return a->motion == pal_motionFixed || a->isAsleep;
}

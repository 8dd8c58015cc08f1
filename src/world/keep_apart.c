// SPDX-License-Identifier: Apache-2.0
// The sanity pass and the hold-back: what keeps bodies apart where the contact forces do not.
#include "world/step.h"

enum
{
    pushesMax = 4, // rounds of the sanity pass
    softStops = 2, // rounds of the hold-back that only shorten the motion; later ones stop it
};

static const double depthSought = 0.02;    // m: search distance for penetrating vertices
static const double solidDepth = 1e-5;     // m: of solids, accepted without holding back
static const double depthAccepted = 2e-4;  // m: penetration that may remain for a step
static const double overlapAccepted = 0.5; // of the contact distance: likewise, of a wire
static const double beforeCollision = 0.8; // share of the motion up to a collision that is kept

void palWorldStep_MoveSurfaces(palWorldStep* world)
{
    for (int i = 0; i < world->bodyCount; i++)
        palWorldBody_MoveSurface(world->bodies[i]);
}

//--------------------------------------------------------------------------------------------------
// The sanity pass

// The share of a push that body a gets: in proportion to the mobility, or all of it where only one
// of the two can move.
double palWorldStep_ShareOfA(const palWorldBody* a, const palWorldBody* b)
{
    double sum = a->mobility + b->mobility;
    if (a->ops->moves && b->ops->moves && sum > 0.0)
        return a->mobility / sum;
    return a->ops->moves ? 1.0 : 0.0;
}

// Pushes the vertices of one body of a pair that are inside the other. Returns the largest depth,
// m.
static double pushInside(palWorldStep* world, const palWorldPair* pair, bool ofA, double most)
{
    palWorldBody* a = world->bodies[pair->a];
    palWorldBody* b = world->bodies[pair->b];
    palSurfacePair surfaces = palWorldStep_Surfaces(world, pair);
    int count = palSurfacePair_Inside(&surfaces, ofA, depthSought, world->insideMax, world->inside);
    double shareA = palWorldStep_ShareOfA(a, b);
    double deepest = 0.0;
    count = count < world->insideMax ? count : world->insideMax;
    for (int i = 0; i < count; i++)
    {
        const palInsideVertex* inside = &world->inside[i];
        palSurfacePlace vertex = palMakeVertexPlace(inside->vertex);
        const palSurfacePlace* onA = ofA ? &vertex : &inside->place;
        const palSurfacePlace* onB = ofA ? &inside->place : &vertex;
        if (palWorldStep_IsJoined(world, pair, onA, onB))
            continue;
        deepest = fmax(deepest, inside->depth);
        if (!(inside->depth > pair->tolerance))
            continue;
        // The normal points out of the other body.
        palVec3 out = palScale(fmin(inside->depth, most) + pair->clearance, inside->normal);
        palVec3 ofBodyA = ofA ? out : palNeg(out);
        if (shareA > 0.0)
            a->ops->push(a, onA, palScale(shareA, ofBodyA), inside->depth);
        if (shareA < 1.0)
            b->ops->push(b, onB, palScale(shareA - 1.0, ofBodyA), inside->depth);
        world->pushed++;
    }
    return deepest;
}

// The largest depth of a pair, m.
static double pushPair(palWorldStep* world, palWorldPair* pair, double most)
{
    if (pair->isSolid && world->h > 0.0)
        return palWorldStep_PushSolids(world, pair, most);
    return fmax(pushInside(world, pair, false, most), pushInside(world, pair, true, most));
}

void palWorldStep_PushOut(palWorldStep* world, double most)
{
    for (int round = 0; round < pushesMax; round++)
    {
        bool isInside = false;
        world->residualDepth = 0.0;
        for (int i = 0; i < world->pairCount; i++)
        {
            palWorldPair* pair = &world->pairs[i];
            if (pair->isIgnored || !palWorldStep_AreSurfaces(world, pair))
                continue;
            double depth = pushPair(world, pair, most);
            world->residualDepth = fmax(world->residualDepth, depth);
            isInside = isInside || depth > pair->tolerance;
        }
        world->deepest = fmax(world->deepest, world->residualDepth);
        if (!isInside)
            return;
        for (int i = 0; i < world->bodyCount; i++)
            world->bodies[i]->ops->movePushed(world->bodies[i]);
        palWorldStep_MoveSurfaces(world);
    }
}

//--------------------------------------------------------------------------------------------------
// The hold-back

// The time, 0..1 of the step, of the first collision of features of a pair that end inside each
// other; 1: there is none.
static double firstCollision(palWorldStep* world, palWorldPair* pair)
{
    double first = 1.0;
    if (pair->isSolid)
        return palWorldStep_FirstSolidCollision(world, pair, solidDepth);
    palSurfacePair surfaces = palWorldStep_Surfaces(world, pair);
    palSurfacePair_Sweep(&surfaces, &world->found);
    for (int k = 0; k < world->found.count; k++)
    {
        const palSurfaceContact* contact = &world->found.contacts[k];
        if (!contact->leaves && contact->gap < -depthAccepted)
            first = fmin(first, contact->t);
    }
    return first;
}

// The same for a wire, which must not end much deeper than it begins.
static double firstOverlap(const palWorldStep* world, const palWorldPair* pair)
{
    double first = 1.0;
    for (int i = 0; i < world->linkCount; i++)
    {
        const palLink* link = &world->links[i];
        if (&world->pairs[world->pairOf[i]] != pair)
            continue;
        double start = palWorldStep_Gap(world, link, false) - link->distance;
        double end = palWorldStep_Gap(world, link, true) - link->distance;
        double least = fmin(start, 0.0) - overlapAccepted * link->distance;
        if (end < least)
            first = fmin(first, fmax(0.0, (start - least) / (start - end)));
    }
    return first;
}

// Merges the groups of two bodies that collide. A group gets the smallest share of its pairs.
static void joinGroups(palWorldStep* world, int a, int b)
{
    int from = world->groups[a], to = world->groups[b];
    for (int i = 0; i < world->bodyCount; i++)
        if (world->groups[i] == from)
            world->groups[i] = to;
}

// The velocity of a group's centre of mass, m/s; zero where something outside the world holds one
// of its bodies.
static palVec3 frameOf(const palWorldStep* world, int group)
{
    palVec3 sum = pal_zeroVec3;
    double mass = 0.0;
    for (int i = 0; i < world->bodyCount; i++)
    {
        const palWorldBody* body = world->bodies[i];
        palVec3 momentum;
        if (world->groups[i] != group)
            continue;
        double own = body->ops->momentum(body, &momentum);
        if (own == 0.0)
            return pal_zeroVec3;
        mass += own;
        sum = palAdd(sum, momentum);
    }
    return palScale(1.0 / mass, sum);
}

// Finds the pairs that collide, and the share of the motion that each body may keep. Returns
// whether there are any.
static bool findStops(palWorldStep* world, bool isLast)
{
    bool any = false;
    for (int i = 0; i < world->bodyCount; i++)
    {
        world->shares[i] = 1.0;
        world->groups[i] = i;
    }
    for (int i = 0; i < world->pairCount; i++)
    {
        palWorldPair* pair = &world->pairs[i];
        bool areSurfaces = palWorldStep_AreSurfaces(world, pair);
        double t = pair->isIgnored ? 1.0
                   : areSurfaces   ? firstCollision(world, pair)
                                   : firstOverlap(world, pair);
        if (t >= 1.0)
            continue;
        double share = isLast ? 0.0 : beforeCollision * t;
        world->shares[pair->a] = fmin(world->shares[pair->a], share);
        world->shares[pair->b] = fmin(world->shares[pair->b], share);
        joinGroups(world, pair->a, pair->b);
        any = true;
    }
    return any;
}

// The smallest share of the bodies of a group.
static double groupShare(const palWorldStep* world, int group)
{
    double share = 1.0;
    for (int i = 0; i < world->bodyCount; i++)
        if (world->groups[i] == group)
            share = fmin(share, world->shares[i]);
    return share;
}

// Where neither the contact forces nor the sanity pass keep bodies apart, as in folded and crushed
// tissue, those that collide stop before the collision, with their common momentum; in the worst
// case they stay where they were. A stopped body may be in the way of another, so that this is
// repeated, at most until all have stopped.
void palWorldStep_HoldBack(palWorldStep* world)
{
    for (int round = 0; round <= softStops + world->bodyCount; round++)
    {
        if (!findStops(world, round >= softStops))
            return;
        world->heldBack = true;
        for (int g = 0; g < world->bodyCount; g++)
        {
            double share = groupShare(world, g);
            if (!(share < 1.0))
                continue;
            palVec3 frame = frameOf(world, g);
            for (int i = 0; i < world->bodyCount; i++)
                if (world->groups[i] == g)
                    world->bodies[i]->ops->shorten(world->bodies[i], share, frame);
        }
        palWorldStep_MoveSurfaces(world);
    }
}

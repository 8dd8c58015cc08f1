// SPDX-License-Identifier: Apache-2.0
// What rests falls asleep: an island of bodies that touch each other and something that stands
// still, when each of them has been at rest for a while. It wakes as one (pile_contacts.c). What
// floats keeps the velocity that it has, however small.
#include "world/pile.h"

// A body comes to rest when its fastest point is slower than this, m/s. It may tremble, faster by
// this factor, as long as no point is farther from where it came to rest than this, m, and as a
// share of its size: what slides slowly, or swings and turns back, does not rest.
static const double restSpeed = 1e-2;
static const double trembleFactor = 3.0;
static const double trembleDistance = 2e-4;
static const double trembleShare = 0.01;
static const double restLeast = 0.5; // s, at rest before it falls asleep

// How far any point of a body is from where it came to rest, at most.
static double wayFromRest(const palPileBody* body)
{
    palQuat turn = palMulQuat(body->state.q, palConjugate(body->restPose.q));
    return palDistance(body->state.x, body->restPose.x) +
           body->extent * palLength(palRotationVector(turn));
}

// Counts how long bodies have been at rest. Returns whether one of them could sleep.
static bool countRest(palPile* pile)
{
    bool isAny = false;
    for (int i = 0; i < pile->movingCount; i++)
    {
        palPileBody* body = &pile->bodies[pile->moving[i]];
        double speed = palPileBody_Speed(body);
        bool rests = body->restTime > 0.0 && speed <= trembleFactor * restSpeed &&
                     wayFromRest(body) <= fmin(trembleDistance, trembleShare * body->extent);
        if (!rests)
        {
            body->restPose = (palPose){body->state.x, body->state.q};
            body->restTime = 0.0;
        }
        body->restTime += rests || speed <= restSpeed ? pile->h : 0.0;
        isAny = isAny || body->restTime >= restLeast;
    }
    return isAny;
}

// A driven body that moves keeps those awake that it touches.
static bool isShaken(const palPile* pile, const palPilePair* pair)
{
    return pile->bodies[pile->items[pair->items[0]].body].isMoving ||
           pile->bodies[pile->items[pair->items[1]].body].isMoving;
}

static void shake(palPile* pile)
{
    for (int i = 0; i < pile->blockCount; i++)
        if (pile->pairOf[i] != NULL && isShaken(pile, pile->pairOf[i]))
            for (int k = 0; k < 2; k++)
                pile->bodies[pile->items[pile->pairOf[i]->items[k]].body].restTime = 0.0;
}

// Whether an island touches, or is tied to, something that stands still.
static bool isAnchored(const palPile* pile, int island)
{
    const palContactIslands* islands = &pile->islands;
    for (int i = islands->blockStart[island]; i < islands->blockStart[island + 1]; i++)
    {
        const int* ends = pile->ends[islands->blocks[i]];
        if (ends[0] < 0 || ends[1] < 0)
            return true;
    }
    return false;
}

static bool isStill(const palRigidState* state)
{
    return palLengthSquared(state->v) + palLengthSquared(state->L) == 0.0;
}

static bool canSleep(const palPile* pile, int island)
{
    const palContactIslands* islands = &pile->islands;
    bool floats = !isAnchored(pile, island);
    for (int i = islands->bodyStart[island]; i < islands->bodyStart[island + 1]; i++)
    {
        const palPileBody* body = &pile->bodies[pile->moving[islands->bodies[i]]];
        if (body->restTime < restLeast || (floats && !isStill(&body->state)))
            return false;
    }
    return true;
}

static void putToSleep(palPile* pile, int island)
{
    const palContactIslands* islands = &pile->islands;
    int first = islands->bodyStart[island], end = islands->bodyStart[island + 1];
    for (int i = first; i < end; i++)
    {
        palPileBody* body = &pile->bodies[pile->moving[islands->bodies[i]]];
        body->isAsleep = true;
        body->state.v = body->state.L = pal_zeroVec3;
        body->nextInSleep = pile->moving[islands->bodies[i + 1 < end ? i + 1 : first]];
    }
    pile->awakeChanged = true;
}

void palPile_Sleep(palPile* pile)
{
    for (int i = 0; i < pile->movingCount; i++)
        pile->bodies[pile->moving[i]].index = -1;
    if (!countRest(pile) || !pile->def.sleeps || pile->hasRebounded)
        return;
    shake(pile);
    int count = palContactIslands_Find(&pile->islands, pile->movingCount, pile->isFixed,
                                       pile->blockCount, (const int(*)[2])pile->ends);
    for (int i = 0; i < count; i++)
        if (canSleep(pile, i))
            putToSleep(pile, i);
}

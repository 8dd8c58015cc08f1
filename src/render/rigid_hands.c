// SPDX-License-Identifier: Apache-2.0
#include "render/rigid_hands.h"

#include <string.h>

// Rows of a tick that are recorded at most, with their W of some 10 MB.
static const double problemRowsMax = 1000;
// Contacts of a hand that are reported in every tick, at most.
static const int handContactsMax = 128;
// Turns of a tick, and when they agree: N, and a share of the forces on the hand.
static const int turnsMost = 4;
static const double agreedForce = 1e-4;
static const double agreedShare = 1e-3;

//--------------------------------------------------------------------------------------------------
// Set-up

bool palRigidHands_AreNeeded(const palMethodDef* def)
{
    for (int i = 0; def->pile != NULL && i < def->pile->bodyCount; i++)
        if (def->pile->bodies[i].motion != pal_motionFixed)
            return true;
    return false;
}

palResult palRigidHands_Init(palRigidHands* hands, palShared* shared, const palContactMaterial* law,
                             palError* error)
{
    const palMethodDef* def = shared->defs;
    hands->world.law = *law;
    palResult result =
        palRigidWorld_Init(&hands->world, shared->defs, shared->handCount, pal_tieTurns, error);
    if (result != pal_ok)
        return result;
    for (int i = 0; i < def->colliderCount; i++)
        def->colliders[i].inTick = def->pile->bodies[i].motion != pal_motionFixed;
    shared->solvesHands = true;
    shared->reportCapacity += handContactsMax * shared->handCount;
    shared->updateCapacity += palRigidWorld_UpdateContacts(&hands->world);
    shared->problemRows = (int)fmin(hands->world.pile->rowCapacity, problemRowsMax);
    return pal_ok;
}

void palRigidHands_Free(palRigidHands* hands, const palShared* shared)
{
    const palMethodDef* def = shared->defs;
    for (int i = 0; i < def->colliderCount && hands->world.pile != NULL; i++)
        def->colliders[i].inTick = false;
    palRigidWorld_Free(&hands->world);
}

//--------------------------------------------------------------------------------------------------
// The tick

// A tick under way.
typedef struct Turns
{
    palRigidHands* hands;
    palShared* shared;
    palPile* pile;
    palTick* ticks;
    palHighInfo before[pal_handsMax];
    palVec3 stopped[pal_handsMax]; // N: by the stops, as the methods found it last
} Turns;

// What the hands hold, as the pile is to move it.
static void hold(Turns* turns)
{
    for (int i = 0; i < turns->shared->handCount; i++)
    {
        const palMethod* method = turns->shared->methods[i];
        palRigidStep step = method->ops->rigidHand->motion(method, &turns->ticks[i]);
        palPile_HoldCoupled(turns->pile, turns->hands->world.hands[i], &step);
        palRigidWorld_Pick(&turns->hands->world, &turns->shared->defs[i], &turns->ticks[i].device);
        turns->before[i] = turns->ticks[i].info;
    }
}

static void renewStops(Turns* turns)
{
    palPile_ClearStops(turns->pile);
    for (int i = 0; i < turns->shared->handCount; i++)
    {
        const palMethod* method = turns->shared->methods[i];
        turns->stopped[i] = method->ops->rigidHand->stop(method, &turns->ticks[i], turns->pile,
                                                         turns->hands->world.hands[i]);
    }
}

static void takeWrenches(Turns* turns, double share)
{
    palRigidHands* hands = turns->hands;
    for (int i = 0; i < turns->shared->handCount; i++)
    {
        palWrench w = palPile_HeldWrench(turns->pile, hands->world.hands[i], &hands->rows[i],
                                         &hands->active[i]);
        hands->wrenches[i].force = palMulAdd(hands->wrenches[i].force, share, w.force);
        hands->wrenches[i].torque = palMulAdd(hands->wrenches[i].torque, share, w.torque);
    }
}

// The methods, under what the moving bodies do.
static void solveHands(Turns* turns)
{
    for (int i = 0; i < turns->shared->handCount; i++)
    {
        palMethod* method = turns->shared->methods[i];
        palTick* tick = &turns->ticks[i];
        tick->info = turns->before[i];
        tick->info.problem = NULL;
        method->ops->rigidHand->push(method, tick, turns->hands->wrenches[i]);
        if (method->ops->solve != NULL)
            method->ops->solve(method, tick);
        tick->info.problem = turns->before[i].problem;
    }
}

static palVec3 sumStops(const palPile* pile, int body)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < pile->stopCount; i++)
        for (int k = 0; k < 3 && pile->stops[i].body == body; k++)
            sum = palMulAdd(sum, pile->stops[i].lambda[k], pile->stops[i].axes[k]);
    return sum;
}

// Whether what the stops did in the pile is what the methods found.
static bool agree(Turns* turns)
{
    palVec3 assumed[pal_handsMax];
    bool isAgreed = true;
    for (int i = 0; i < turns->shared->handCount; i++)
        assumed[i] = sumStops(turns->pile, turns->hands->world.hands[i]);
    renewStops(turns);
    for (int i = 0; i < turns->shared->handCount; i++)
    {
        double all = palLength(turns->stopped[i]) + palLength(turns->hands->wrenches[i].force);
        isAgreed = isAgreed &&
                   (turns->hands->rows[i] == 0 ||
                    palDistance(assumed[i], turns->stopped[i]) <= agreedForce + agreedShare * all);
    }
    return isAgreed;
}

static void clearWrenches(palRigidHands* hands)
{
    memset(hands->wrenches, 0, sizeof hands->wrenches);
}

static void takeTurns(Turns* turns)
{
    for (int turn = 0; turn < turnsMost; turn++)
    {
        clearWrenches(turns->hands);
        palPile_FindForces(turns->pile);
        takeWrenches(turns, 1.0);
        solveHands(turns);
        if (agree(turns))
            break;
    }
}

// H4. Where the pile goes in parts the methods are pushed by the mean over these.
void palRigidHands_Solve(palRigidHands* hands, palShared* shared, palTick* ticks)
{
    palPile* pile = hands->world.pile;
    Turns turns = {.hands = hands, .shared = shared, .pile = pile, .ticks = ticks};
    pile->problem = ticks[0].info.problem;
    palPile_SetGravity(pile, shared->defs->body.gravity);
    clearWrenches(hands);
    hold(&turns);
    palPile_Start(pile);
    while (pile->substep < pile->substeps)
    {
        palPile_BeginPart(pile);
        renewStops(&turns);
        if (pile->substeps == 1)
        {
            takeTurns(&turns);
        }
        else
        {
            palPile_FindForces(pile);
            takeWrenches(&turns, 1.0 / pile->substeps);
        }
        palPile_TakeForces(pile);
        palPile_EndPart(pile);
    }
    palPile_Finish(pile);
    if (pile->substeps > 1)
        solveHands(&turns);
}

palRigidStep palRigidHands_PointStep(const palPointState* point, const palPointFree* free, double h)
{
    palRigidStep step = {
        .h = h,
        .start = {.x = point->x, .q = pal_identityQuat, .v = point->v},
        .free.v = palScale(1.0 / h, palSub(free->x, point->x)),
    };
    step.inverse[0][0] = palMakeMat3Scale(free->compliance / (h * h));
    return step;
}

void palRigidHands_Archive(palRigidHands* hands, palArchive* archive)
{
    palRigidWorld_Archive(&hands->world, archive);
    PAL_ARCHIVE(archive, hands->active);
}

static palRigidHands* handsOf(const palMethod* method)
{
    return method->shared->rigid;
}

bool palRigidHands_ArePushing(const palMethod* method)
{
    const palRigidHands* hands = handsOf(method);
    return hands != NULL && hands->active[method->def.hand] > 0;
}

void palRigidHands_Report(palMethod* method, palTick* tick)
{
    palRigidHands* hands = handsOf(method);
    if (hands == NULL)
        return;
    tick->info.constraints += hands->rows[method->def.hand];
    tick->info.active += hands->active[method->def.hand];
    palRigidWorld_Report(&hands->world, method->def.hand, tick->snapshots[0]->sequence,
                         tick->info.contacts);
    palVec3 tied = palPile_JointForce(hands->world.pile, hands->world.hands[method->def.hand]);
    tick->info.carried = palAdd(tick->info.carried, tied);
}

bool palRigidHands_IsClear(const palMethod* method, palVec3 from, palVec3 to, double extent)
{
    const palRigidHands* hands = handsOf(method);
    if (hands == NULL)
        return true;
    palPile* pile = hands->world.pile;
    const palBounds way = {palMinVec3(from, to), palMaxVec3(from, to)};
    int count =
        palMovingTree_Find(&pile->tree, palBounds_Grown(way, extent), pile->itemCount, pile->found);
    for (int i = 0; i < count; i++)
    {
        const palPileBody* body = &pile->bodies[pile->items[pile->found[i]].body];
        if (body->motion != pal_motionFixed && !body->isHeld)
            return false;
    }
    return true;
}

// SPDX-License-Identifier: Apache-2.0
// Bodies that a caller moves, and their contacts that it alone knows.
#include "world/pile.h"

#include <string.h>

void palPile_Hold(palPile* pile, int index, const palRigidState* state, palTwist u)
{
    palPileBody* body = &pile->bodies[index];
    body->state = *state;
    body->u = u;
    palPile_PlaceItems(pile, body);
    palPile_Wake(pile, index);
}

void palPile_HoldCoupled(palPile* pile, int index, const palRigidStep* step)
{
    palPileBody* body = &pile->bodies[index];
    palPile_Hold(pile, index, &step->start, step->free);
    body->isCoupled = true;
    body->held = (palPose){body->state.x, body->state.q};
    memcpy(body->coupled, step->inverse, sizeof body->coupled);
}

// To the next part of a step a held body goes on as it is moved by then.
void palPile_CarryHeld(palPile* pile, palPileBody* body)
{
    if (!body->isCoupled)
        return;
    body->state.v = body->u.v;
    body->state.L = palMat3Apply(body->worldInertia, body->u.omega);
    if (pile->substep + 1 == pile->substeps)
        return;
    palQuat turn = palMakeQuatRotationVector(palScale(pile->h, body->u.omega));
    body->state.x = palMulAdd(body->state.x, pile->h, body->u.v);
    body->state.q = palNormalizeQuat(palMulQuat(turn, body->state.q));
    palPile_PlaceItems(pile, body);
}

void palPile_ClearStops(palPile* pile)
{
    pile->stopCount = 0;
}

void palPile_Stop(palPile* pile, const palPileStop* stop)
{
    if (pile->stopCount < pile->stopCapacity)
        pile->stops[pile->stopCount++] = *stop;
    else
        pile->info.leftOut++;
}

// In a later part of a step the body has moved.
static void addStop(palPile* pile, const palPileStop* stop)
{
    const palPileBody* body = &pile->bodies[stop->body];
    palVec3 point = stop->point;
    double gap = stop->gap;
    if (pile->substep > 0)
    {
        const palPose now = {body->state.x, body->state.q};
        point = palPose_Point(now, palPose_Local(body->held, stop->point));
        gap += palDot(stop->axes[0], palSub(point, stop->point));
    }
    const int size = stop->friction > 0.0 ? 3 : 1, bodies[2] = {stop->body, -1};
    for (int k = 0; k < size; k++)
    {
        int row = pile->rowCount + k;
        palWrench w = {stop->axes[k], palCross(palSub(point, body->state.x), stop->axes[k])};
        pile->J[row] = (palPairRow){{w, {pal_zeroVec3, pal_zeroVec3}}};
        pile->gapFree[row] = pile->h * palRowDot(w, body->u) + (k == 0 ? gap : 0.0);
        pile->softness[row] = k == 0 ? stop->softness : 0.0;
        pile->lambda[row] = stop->lambda[k];
    }
    const palContactBlock block = {
        .law = size == 3 ? pal_lawCone : pal_lawUnilateral,
        .size = size,
        .mu = stop->friction,
    };
    palPile_AddBlock(pile, block, bodies);
}

void palPile_FindForces(palPile* pile)
{
    pile->rowCount = pile->ownRows;
    pile->blockCount = pile->ownBlocks;
    for (int i = 0; i < pile->stopCount; i++)
        addStop(pile, &pile->stops[i]);
    palPile_SolveRows(pile);
    int row = pile->ownRows;
    for (int i = 0; i < pile->stopCount; i++)
    {
        palPileStop* stop = &pile->stops[i];
        const int size = stop->friction > 0.0 ? 3 : 1;
        for (int k = 0; k < 3; k++)
            stop->lambda[k] = k < size ? pile->lambda[row + k] : 0.0;
        row += size;
    }
}

palWrench palPile_HeldWrench(const palPile* pile, int body, int* rows, int* active)
{
    palWrench sum = {pal_zeroVec3, pal_zeroVec3};
    const int index = pile->bodies[body].index;
    *rows = *active = 0;
    for (int b = 0; b < pile->ownBlocks; b++)
        for (int e = 0; e < 2; e++)
            for (int r = 0; index >= 0 && pile->ends[b][e] == index && r < pile->blocks[b].size;
                 r++)
            {
                int row = pile->blocks[b].row + r;
                palWrench w = pile->J[row].wrench[e];
                *rows += 1;
                *active += pile->lambda[row] != 0.0;
                sum.force = palMulAdd(sum.force, pile->lambda[row], w.force);
                sum.torque = palMulAdd(sum.torque, pile->lambda[row], w.torque);
            }
    return sum;
}

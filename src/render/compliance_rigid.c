// SPDX-License-Identifier: Apache-2.0
// Rigid objects that move, in method `compliance`: the bodies of a pile (world/pile.h), whose
// contacts with each other, with fixed objects and with tools it finds afresh in every tick. Their
// rows stand after those of the links in the one problem of the tick, with the law of the pile.
// Contacts with soft bodies and wires, and all joints, are links like those of a tool.
#include "render/compliance.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum
{
    rowsMost = 480, // of the contacts of rigid bodies: W of the problem is dense
};

//--------------------------------------------------------------------------------------------------
// Set-up

// An object in its own frame. What is driven needs no mass; it gets one for its velocities' sake.
static palResult makeObject(palCompliance* compliance, int index, palError* error)
{
    const palMethodDef* def = compliance->def;
    const palPileBodyDef* body = &def->pile->bodies[index];
    palTool* tool = &compliance->objectTools[index];
    palResult result = palSurface_Copy(&def->colliders[index].surface, &tool->surface, error);
    if (result != pal_ok)
        return result;
    palQuat back = palConjugate(palNormalizeQuat(body->pose.q));
    palSurface_Transform(&tool->surface, 1.0, back, palNeg(palRotate(back, body->pose.x)));
    palRigidDef rigid = {
        .mass = body->motion == pal_motionFree ? body->mass : palDefaultPileBodyDef().mass,
        .gripOrientation = pal_identityQuat,
        .tangent = pal_tangentSafe,
    };
    compliance->objects[compliance->objectCount++] = (palSteppedTool){
        .tool = tool,
        .body = index,
        .state = compliance->rigid.pile->bodies[index].state,
    };
    return palRigidModel_Init(&tool->model, &rigid, error);
}

static bool movesAny(const palRigidPileDef* pile)
{
    for (int i = 0; pile != NULL && i < pile->bodyCount; i++)
        if (pile->bodies[i].motion != pal_motionFixed)
            return true;
    return false;
}

palResult palCompliance_InitRigid(palCompliance* compliance, palError* error)
{
    const palMethodDef* def = compliance->def;
    if (!movesAny(def->pile))
        return pal_ok;
    palResult result = palRigidWorld_Init(&compliance->rigid, compliance->shared.defs,
                                          compliance->shared.handCount, pal_tieOutside, error);
    if (result != pal_ok)
        return result;
    const palPile* pile = compliance->rigid.pile;
    size_t count = (size_t)def->colliderCount, blocks = (size_t)pile->blockCapacity;
    compliance->rigidRowsMax = pile->rowCapacity < rowsMost ? pile->rowCapacity : rowsMost;
    compliance->objectTools = calloc(count, sizeof *compliance->objectTools);
    compliance->objects = calloc(count, sizeof *compliance->objects);
    compliance->pairRows = calloc(blocks, sizeof *compliance->pairRows);
    if (!compliance->objectTools || !compliance->objects || !compliance->pairRows)
        return palError_Memory(error, "rigid objects", count * sizeof *compliance->objectTools);
    for (int i = 0; i < def->colliderCount && result == pal_ok; i++)
        if (pile->bodies[i].motion != pal_motionFixed)
            result = makeObject(compliance, i, error);
    return result;
}

void palCompliance_FreeRigid(palCompliance* compliance)
{
    for (int i = 0; i < compliance->objectCount; i++)
        palSurface_Free(&compliance->objectTools[compliance->objects[i].body].surface);
    palRigidWorld_Free(&compliance->rigid);
    free(compliance->objectTools);
    free(compliance->objects);
    free(compliance->pairRows);
}

//--------------------------------------------------------------------------------------------------
// The tick

void palCompliance_BeginRigid(palCompliance* compliance, const palTick* ticks)
{
    palPile* pile = compliance->rigid.pile;
    if (pile == NULL)
        return;
    palPile_SetGravity(pile, compliance->def->body.gravity);
    for (int i = 0; i < compliance->shared.handCount; i++)
    {
        const palSteppedTool* tool = &compliance->held[i].tool;
        if (compliance->held[i].wire < 0)
            palPile_Hold(pile, compliance->rigid.hands[i], &tool->state, tool->step.free);
        palRigidWorld_Pick(&compliance->rigid, &compliance->shared.defs[i], &ticks[i].device);
    }
    palPile_Begin(pile);
    for (int i = 0; i < compliance->objectCount; i++)
    {
        palSteppedTool* object = &compliance->objects[i];
        const palPileBody* body = &pile->bodies[object->body];
        object->state = body->state;
        object->step = palPileBody_Step(body, pile->def.dt);
    }
}

// The id of a body of the pile's problem; -1: no force moves it.
static int idOf(const palPile* pile, int index)
{
    return index >= 0 ? pile->bodies[pile->moving[index]].id : -1;
}

void palCompliance_AddPairs(palCompliance* compliance)
{
    palPile* pile = compliance->rigid.pile;
    int rows = 0;
    for (int b = 0; pile != NULL && b < pile->blockCount; b++)
    {
        const palContactBlock* block = &pile->blocks[b];
        palPairBlock pair = {
            .block = *block,
            .bodies = {idOf(pile, pile->ends[b][0]), idOf(pile, pile->ends[b][1])},
        };
        for (int r = 0; r < block->size; r++)
        {
            int row = block->row + r;
            memcpy(pair.J[r], pile->J[row].wrench, sizeof pair.J[r]);
            pair.gapFree[r] = pile->gapFree[row];
            pair.softness[r] = pile->softness[row];
            pair.lambda[r] = pile->lambda[row];
        }
        rows += block->size;
        compliance->pairRows[b] =
            rows <= compliance->rigidRowsMax ? palRows_AddPair(compliance->rows, &pair) : -1;
        pile->info.leftOut += compliance->pairRows[b] < 0;
    }
}

void palCompliance_AddObjects(palCompliance* compliance)
{
    for (int i = 0; i < compliance->objectCount; i++)
        palRows_AddTool(compliance->rows, &compliance->objects[i]);
}

void palCompliance_MoveObjects(palCompliance* compliance)
{
    palPile* pile = compliance->rigid.pile;
    const palRows* rows = compliance->rows;
    if (pile == NULL)
        return;
    for (int b = 0; b < pile->blockCount; b++)
        for (int r = 0; r < pile->blocks[b].size; r++)
            pile->lambda[pile->blocks[b].row + r] =
                compliance->pairRows[b] >= 0 ? rows->lambda[compliance->pairRows[b] + r] : 0.0;
    for (int i = 0; i < compliance->objectCount; i++)
    {
        const palSteppedTool* object = &compliance->objects[i];
        pile->bodies[object->body].u =
            palRigidStep_Correct(&object->step, palRows_ToolWrench(rows, object->body));
    }
    palPile_End(pile);
    for (int i = 0; i < compliance->objectCount; i++)
        compliance->objects[i].state = pile->bodies[compliance->objects[i].body].state;
}

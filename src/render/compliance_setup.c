// SPDX-License-Identifier: Apache-2.0
// How method `compliance` is made, and what of it is saved; compliance.c says how it works.
#include "render/compliance.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double recoverySpeed = 0.25; // m/s, at which deep penetrations are resolved
// Of the clearance: accuracy of the solve for a tool, whose contacts are redundant. Its few nm
// are some 10 µN.
static const double solvedShare = 1e-4;

//--------------------------------------------------------------------------------------------------
// Making it

static palResult refuse(palError* error, const char* what, const char* remedy)
{
    palError_Set(error, pal_errorInput, "%s", what);
    return palError_Remedy(error, "%s", remedy);
}

static palResult checkHand(const palCompliance* compliance, const palMethodDef* def,
                           palError* error)
{
    int hands = 0;
    for (int i = 0; i < def->wireCount; i++)
        hands += def->wires[i].handNode >= 0 && def->wires[i].hand == def->hand &&
                 def->wires[i].loop == 0;
    if (hands != (def->tool == NULL))
        return refuse(error, "method compliance needs one thing that the hand holds",
                      "give one of `wires` hand: start or hand: end, and loop: 0; or a tool");
    if (palIsFrozen(def) && def->loopCount > 1)
        return refuse(error, "response: frozen is for two rates",
                      "use response: advanced, or one slower loop");
    if (palIsFrozen(def) && compliance->rigid.pile != NULL)
        return refuse(error, "response: frozen does not know rigid objects that move",
                      "use response: advanced, or take motion out");
    return pal_ok;
}

// What the high rate has of a slower loop.
static palResult initView(palCompliance* compliance, int loop, palError* error)
{
    palLoopView* view = &compliance->views[loop];
    const palSlowLoop* slow = compliance->loops[loop];
    size_t rows = (size_t)(slow->jointRows > 0 ? slow->jointRows : 1);
    size_t joints = (size_t)(slow->sizes.joints > 0 ? slow->sizes.joints : 1);
    view->slowNodes = slow->sizes.nodes;
    view->fade.ticks = (int)round(slow->h / compliance->def->body.dt);
    view->offset = calloc(rows + (size_t)slow->contactRowsMax, sizeof *view->offset);
    palSlowPlaces* places[2] = {&view->placed, &view->now};
    bool isMade = view->offset != NULL;
    for (int i = 0; i < 2; i++)
    {
        places[i]->row = calloc(rows, sizeof(double));
        places[i]->turns = calloc(joints, sizeof *places[i]->turns);
        isMade = isMade && places[i]->row != NULL && places[i]->turns != NULL;
    }
    if (!isMade)
        return palError_Memory(error, "the joints of a loop", rows * sizeof(double));
    return palReducedMotion_Init(&view->motion, slow->bodyCount, error);
}

static void freeView(palLoopView* view)
{
    palReducedMotion_Free(&view->motion);
    free(view->offset);
    free(view->placed.row);
    free(view->placed.turns);
    free(view->now.row);
    free(view->now.turns);
}

// Wires of slower loops lie as at rest until the first snapshot of their loop.
static void placeSlowWires(palCompliance* compliance)
{
    const palMethodDef* def = compliance->def;
    for (int loop = 1, at = 0; loop <= compliance->loopCount; loop++)
        for (int i = 0; i < def->wireCount; i++)
        {
            const palBeamModel* model = def->wires[i].model;
            size_t count = (size_t)model->nodeCount;
            if (def->wires[i].loop != loop)
                continue;
            memcpy(compliance->slowX + at, model->restX, count * sizeof *model->restX);
            memcpy(compliance->slowQ + at, model->restQ, count * sizeof *model->restQ);
            at += model->nodeCount;
        }
}

static palResult allocate(palCompliance* compliance, int rows, palError* error)
{
    const palMethodDef* def = compliance->def;
    size_t count = (size_t)(rows > 0 ? rows : 1), nodes = 1;
    for (int i = 0; i < compliance->loopCount; i++)
        nodes += (size_t)compliance->views[i].slowNodes;
    compliance->wires = calloc((size_t)def->wireCount + 1, sizeof *compliance->wires);
    compliance->joints = calloc((size_t)def->jointCount + 1, sizeof *compliance->joints);
    compliance->slowX = calloc(nodes, sizeof *compliance->slowX);
    compliance->slowQ = calloc(nodes, sizeof *compliance->slowQ);
    compliance->forces = calloc(1, sizeof *compliance->forces + count * sizeof(double));
    compliance->own = calloc(count, sizeof *compliance->own);
    compliance->lastContacts = calloc(count, sizeof *compliance->lastContacts);
    compliance->lastLambda = calloc(count, sizeof *compliance->lastLambda);
    if (!compliance->wires || !compliance->joints || !compliance->slowX || !compliance->slowQ ||
        !compliance->forces || !compliance->own || !compliance->lastContacts ||
        !compliance->lastLambda)
        return palError_Memory(error, "the links of a tick",
                               count * sizeof *compliance->lastContacts);
    palResult result = palRows_Create((int)count, &compliance->rows, error);
    if (result == pal_ok)
        compliance->rows->recovery = recoverySpeed * def->body.dt;
    return result;
}

static palResult makeHighRate(palCompliance* compliance, palError* error)
{
    const palMethodDef* def = compliance->def;
    int rows = compliance->loops[0]->jointRows;
    compliance->jointRows = rows;
    double clearance = PAL_CONTACT_CLEARANCE;
    for (int i = 0; i < compliance->loopCount; i++)
    {
        rows += compliance->loops[i]->contactRowsMax;
        clearance = fmin(clearance, compliance->loops[i]->world.clearance);
    }
    rows += compliance->rigidRowsMax;
    compliance->touchingMost = palCompliance_WireContactsMost(def);
    rows += 3 * compliance->touchingMost;
    compliance->shared.reportCapacity = compliance->shared.problemRows = rows;
    if (compliance->rigid.pile != NULL)
        compliance->shared.updateCapacity = palRigidWorld_UpdateContacts(&compliance->rigid);
    palResult result = allocate(compliance, rows, error);
    if (result != pal_ok)
        return result;
    placeSlowWires(compliance);
    for (int i = 0; i < compliance->shared.handCount; i++)
    {
        compliance->held[i] = (palHeld){
            .wire = -1,
            .tool = {.tool = def[i].tool, .body = palMethodDef_HandBody(&def[i])},
        };
        if (def[i].tool != NULL || compliance->objectCount > 0)
            compliance->rows->settings.accuracy = solvedShare * clearance;
    }
    for (int i = 0; i < def->wireCount && result == pal_ok; i++)
    {
        if (def->wires[i].loop != 0)
            continue;
        if (def->wires[i].handNode >= 0)
            compliance->held[def->wires[i].hand].wire = compliance->wireCount;
        result = palSteppedWire_Init(&compliance->wires[compliance->wireCount++], &def->wires[i],
                                     def->colliderCount + i, 2 * rows, error);
    }
    for (int i = 0; i < def->jointCount; i++)
        compliance->joints[i] = def->joints[i];
    return result == pal_ok ? palCompliance_InitWires(compliance, error) : result;
}

palResult palCompliance_Init(palShared* shared, palError* error)
{
    palCompliance* compliance = (palCompliance*)shared;
    const palMethodDef* def = compliance->def = shared->defs;
    palResult result = palCompliance_InitRigid(compliance, error);
    for (int i = 0; i < shared->handCount && result == pal_ok; i++)
        result = checkHand(compliance, &def[i], error);
    if (result != pal_ok)
        return result;
    compliance->loopCount = def->loopCount > 1 ? def->loopCount : 1;
    for (int i = 0; i < compliance->loopCount && result == pal_ok; i++)
    {
        result = palSlowLoop_Create(def, shared->handCount, compliance->objectTools, i,
                                    &compliance->loops[i], error);
        if (result != pal_ok)
            return result;
        result = initView(compliance, i, error);
    }
    return result == pal_ok ? makeHighRate(compliance, error) : result;
}

palResult palCompliance_MakeSnapshot(const palShared* shared, palSnapshot* snapshot,
                                     palError* error)
{
    const palCompliance* compliance = (const palCompliance*)shared;
    return palSlowSnapshot_Create(&compliance->loops[snapshot->loop]->sizes, &snapshot->slow,
                                  error);
}

palResult palCompliance_MakeState(const palShared* shared, palHapticState* state, palError* error)
{
    const palCompliance* compliance = (const palCompliance*)shared;
    palResult result = palWireStates_Create(shared->defs, &state->wires, error);
    if (result == pal_ok && compliance->rigid.pile != NULL)
        result = palRigidWorld_MakeState(&compliance->rigid, state, error);
    return result;
}

void palCompliance_Free(palShared* shared)
{
    palCompliance* compliance = (palCompliance*)shared;
    for (int i = 0; i < pal_loopsMax; i++)
    {
        palSlowLoop_Destroy(compliance->loops[i]);
        freeView(&compliance->views[i]);
    }
    for (int i = 0; i < compliance->wireCount; i++)
        palSteppedWire_Free(&compliance->wires[i]);
    palRows_Destroy(compliance->rows);
    palCompliance_FreeRigid(compliance);
    palCompliance_FreeWires(compliance);
    free(compliance->wires);
    free(compliance->joints);
    free(compliance->slowX);
    free(compliance->slowQ);
    free(compliance->forces);
    free(compliance->own);
    free(compliance->lastContacts);
    free(compliance->lastLambda);
}

//--------------------------------------------------------------------------------------------------
// What changes in a run

static void archiveView(palCompliance* compliance, int loop, palArchive* archive)
{
    palLoopView* view = &compliance->views[loop];
    const palSlowLoop* slow = compliance->loops[loop];
    palReducedMotion_Archive(&view->motion, slow->bodyCount, archive);
    PAL_ARCHIVE(archive, view->sequence);
    PAL_ARCHIVE(archive, view->fade);
    PAL_ARCHIVE_ARRAY(archive, view->offset, slow->jointRows + slow->contactRowsMax);
    PAL_ARCHIVE_ARRAY(archive, view->placed.row, slow->jointRows);
    PAL_ARCHIVE_ARRAY(archive, view->placed.turns, slow->sizes.joints);
}

static void archiveHeld(palHeld* held, palArchive* archive)
{
    PAL_ARCHIVE(archive, held->tool.state);
    PAL_ARCHIVE(archive, held->handle);
    PAL_ARCHIVE(archive, held->hand);
    PAL_ARCHIVE(archive, held->deviceStart);
    PAL_ARCHIVE(archive, held->deviceTurn);
}

void palCompliance_Archive(palShared* shared, palArchive* archive)
{
    palCompliance* compliance = (palCompliance*)shared;
    size_t slowNodes = 0;
    for (int l = 0; l < compliance->loopCount; l++)
    {
        palSlowLoop_Archive(compliance->loops[l], archive);
        archiveView(compliance, l, archive);
        slowNodes += (size_t)compliance->views[l].slowNodes;
    }
    for (int i = 0; i < compliance->wireCount; i++)
        palSteppedWire_Archive(&compliance->wires[i], archive);
    for (int i = 0; i < shared->handCount; i++)
        archiveHeld(&compliance->held[i], archive);
    if (compliance->rigid.pile != NULL)
        palRigidWorld_Archive(&compliance->rigid, archive);
    for (int i = 0; i < compliance->def->jointCount; i++)
        palLink_Archive(&compliance->joints[i], archive);
    PAL_ARCHIVE_ARRAY(archive, compliance->slowX, slowNodes);
    PAL_ARCHIVE_ARRAY(archive, compliance->slowQ, slowNodes);
    palRows_Archive(compliance->rows, archive);
    PAL_ARCHIVE(archive, compliance->leftOut);
    PAL_ARCHIVE_ARRAY(archive, compliance->rubs, compliance->frameCount);
    PAL_ARCHIVE(archive, compliance->lastCount);
    PAL_ARCHIVE_ARRAY(archive, compliance->lastContacts, compliance->lastCount);
    PAL_ARCHIVE_ARRAY(archive, compliance->lastLambda, compliance->lastCount);
}

void palCompliance_ArchiveSnapshot(const palShared* shared, palSnapshot* snapshot,
                                   palArchive* archive)
{
    const palCompliance* compliance = (const palCompliance*)shared;
    palSlowSnapshot_Archive(snapshot->slow, &compliance->loops[snapshot->loop]->sizes, archive);
}

void palCompliance_ArchiveState(const palShared* shared, palHapticState* state, palArchive* archive)
{
    palWireStates_Archive(state->wires, shared->defs, archive);
    if (((const palCompliance*)shared)->rigid.pile != NULL)
        palRigidWorld_ArchiveState(state, archive);
}

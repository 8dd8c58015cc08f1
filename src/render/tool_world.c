// SPDX-License-Identifier: Apache-2.0
#include "render/tool_world.h"

#include "base/error.h"
#include "world/hand.h"

static const double longestStep = 0.25; // s

palResult palToolWorld_Init(palToolWorld* tools, double dt, palError* error)
{
    const palMethodDef* def = &tools->shared.defs[0];
    palWorldStepDef world = {
        .colliders = def->colliders,
        .colliderCount = def->colliderCount,
        .wires = def->wires,
        .wireCount = def->wireCount,
        .joints = def->joints,
        .jointCount = def->jointCount,
        .toolCount = tools->shared.handCount,
        .law = def->settings.linear.constraints,
        .contactsMax = def->settings.linear.contactsMax,
        .factor = palMethodDef_SoftFactor(def),
        .lookAhead = def->lowDt + def->latency,
        .radius = def->radius,
        .fastDt = dt,
    };
    for (int i = 0; i < world.toolCount; i++)
    {
        world.tools[i] = tools->shared.defs[i].tool;
        if (world.tools[i] != NULL)
            continue;
        palError_Set(error, pal_errorInput, "the method moves a tool, and there is none");
        return palError_Remedy(error, "give one, or use a method that touches with a point");
    }
    tools->shared.world = &tools->step;
    return palWorldStep_Init(&tools->step, &world, error);
}

void palToolWorld_Free(palShared* shared)
{
    palWorldStep_Free(&((palToolWorld*)shared)->step);
}

void palToolHand_Place(palMethod* method, const palDeviceState* device)
{
    palHandle handle = palHandle_FromDevice(device);
    palToolHand_Visual(method)->handle = handle;
}

void palToolWorld_Place(palShared* shared)
{
    palWorldStep_Place(&((palToolWorld*)shared)->step);
}

palPointState palToolHand_Point(const palMethod* method)
{
    ((palToolHand*)method)->haptic = palToolHand_Visual(method)->state;
    return palTool_GripPoint(method->def.tool, &palToolHand_Visual(method)->state);
}

void palToolHand_WriteState(const palMethod* method, palHapticHand* state)
{
    state->tool = ((const palToolHand*)method)->haptic;
}

void palToolWorld_AdvanceTo(palToolWorld* tools, const palHandle* handles, palLowStep* step)
{
    palWorldStep* world = &tools->step;
    palLowInfo* info = &step->info;
    double h = step->state->time - tools->time;
    tools->time = step->state->time;
    for (int i = 0; i < world->def.toolCount; i++)
    {
        const palHapticHand* hand = &step->state->hands[i];
        palRigidModel_SetCoupling(&world->tools[i]->own.model, &hand->coupling, hand->gravity);
        world->tools[i]->handle = handles[i];
    }
    if (!(h > 0.0))
    {
        palWorldStep_FindContacts(world);
        for (int i = 0; i < world->def.toolCount; i++)
            world->tools[i]->before = handles[i];
        return;
    }
    palWorldStepInfo done;
    palWorldStep_Advance(world, fmin(h, longestStep), &done);
    info->freeMs += done.freeMs;
    info->collideMs += done.collideMs;
    info->complianceMs += done.complianceMs;
    info->solveMs += done.solveMs;
    info->iterations += done.iterations;
    info->residual = done.residual;
    info->contacts = done.contacts;
    info->constraints = done.rows;
    double before = info->workerSeconds;
    palLowInfo_AddWorld(info, world);
    info->freeMs -= 1e3 * (info->workerSeconds - before);
}

void palToolWorld_Archive(palShared* shared, palArchive* archive)
{
    palToolWorld* tools = (palToolWorld*)shared;
    palWorldStep_Archive(&tools->step, archive);
    PAL_ARCHIVE(archive, tools->time);
}

void palToolHand_Archive(palMethod* method, palArchive* archive)
{
    PAL_ARCHIVE(archive, ((palToolHand*)method)->haptic);
}

void palToolHand_EndSnapshot(const palMethod* method, palLowStep* step)
{
    const palWorldStep* world = &palToolHand_World(method)->step;
    palHandSnapshot* snapshot = palLowStep_View(step, method);
    snapshot->trustCentre = palLowStep_Hand(step, method)->body.x;
    snapshot->trustRadius = INFINITY;
    snapshot->shrunk = world->overflow || world->leftOut > 0;
    step->info.failures = world->failures;
}

void palToolHand_EndTick(palToolHand* hand, const palRigidModel* model, palTwist u, palTick* tick)
{
    hand->haptic = palRigidStep_Integrate(&hand->step, model, u);
    palTool_HandForce(hand->method.def.tool, &hand->haptic, &hand->handle, tick->body, &tick->info);
}

bool palWorldWire_View(const palWorldStep* world, int index, palWireView* view)
{
    if (index >= world->def.wireCount)
        return false;
    const palWorldWire* wire = palWorldStep_Wire(world, index);
    *view = (palWireView){
        .nodeCount = wire->state.nodeCount,
        .radius = wire->wire->radius,
        .positions = wire->state.x,
        .rotations = wire->state.q,
    };
    return true;
}

bool palToolHand_View(const palMethod* method, const palHapticHand* hand, palToolView* view)
{
    (void)hand;
    const palWorldRigid* rigid = palToolHand_Visual(method);
    *view = (palToolView){
        .surface = &rigid->tool->surface,
        .position = palRigid_Point(&rigid->tool->model, &rigid->state, pal_zeroVec3),
        .orientation = rigid->state.q,
    };
    return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "render/tool_world.h"

#include "base/error.h"
#include "world/hand.h"

static const double longestStep = 0.25; // s

palResult palToolWorld_Init(palToolWorld* tools, double dt, palError* error)
{
    const palMethodDef* def = &tools->method.def;
    palWorldStepDef world = {
        .colliders = def->colliders,
        .colliderCount = def->colliderCount,
        .wires = def->wires,
        .wireCount = def->wireCount,
        .joints = def->joints,
        .jointCount = def->jointCount,
        .tool = def->tool,
        .law = def->settings.linear.constraints,
        .contactsMax = def->settings.linear.contactsMax,
        .factor = palMethodDef_SoftFactor(def),
        .lookAhead = def->lowDt + def->latency,
        .radius = def->radius,
        .fastDt = dt,
    };
    if (def->tool == NULL)
    {
        palError_Set(error, pal_errorInput, "the method moves a tool, and there is none");
        return palError_Remedy(error, "give one, or use a method that touches with a point");
    }
    tools->method.world = &tools->world;
    return palWorldStep_Init(&tools->world, &world, error);
}

void palToolWorld_Place(palMethod* method, const palDeviceState* device, palPointState* body)
{
    palToolWorld* tools = (palToolWorld*)method;
    palHandle handle = palHandle_FromDevice(device);
    palWorldStep_Place(&tools->world, &handle);
    tools->haptic = tools->world.tool->state;
    *body = palTool_GripPoint(method->def.tool, &tools->haptic);
}

void palToolWorld_WriteState(const palMethod* method, palHapticState* state)
{
    state->tool = ((const palToolWorld*)method)->haptic;
}

void palToolWorld_AdvanceTo(palToolWorld* tools, const palHandle* handle, palLowStep* step)
{
    palWorldStep* world = &tools->world;
    palLowInfo* info = &step->info;
    double h = step->hand->time - tools->time;
    tools->time = step->hand->time;
    world->tool->handle = *handle;
    if (!(h > 0.0))
    {
        palWorldStep_FindContacts(world);
        world->tool->before = *handle;
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

void palToolWorld_EndSnapshot(const palToolWorld* tools, palLowStep* step)
{
    const palWorldStep* world = &tools->world;
    step->snapshot->trustCentre = step->hand->body.x;
    step->snapshot->trustRadius = INFINITY;
    step->snapshot->shrunk = world->overflow || world->leftOut > 0;
    step->info.failures = world->failures;
}

void palToolWorld_EndTick(palToolWorld* tools, const palRigidModel* model, palTwist u,
                          palTick* tick)
{
    tools->haptic = palRigidStep_Integrate(&tools->step, model, u);
    palTool_HandForce(tools->method.def.tool, &tools->haptic, &tools->handle, tick->body,
                      &tick->info);
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

bool palToolWorld_View(const palMethod* method, const palHapticState* hand, int index,
                       palToolView* view)
{
    (void)hand;
    if (index > 0)
        return false;
    const palWorldRigid* rigid = ((const palToolWorld*)method)->world.tool;
    *view = (palToolView){
        .surface = &rigid->tool->surface,
        .position = palRigid_Point(&rigid->tool->model, &rigid->state, pal_zeroVec3),
        .orientation = rigid->state.q,
    };
    return true;
}

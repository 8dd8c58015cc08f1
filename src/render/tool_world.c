// SPDX-License-Identifier: Apache-2.0
#include "render/tool_world.h"

#include "base/error.h"

static const double longestStep = 0.25; // s

palWorldStepDef palToolWorldDef(const palMethodDef* def)
{
    return (palWorldStepDef){
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
    };
}

palResult palToolWorld_Init(palWorldStep* world, const palWorldStepDef* def, palError* error)
{
    if (def->tool == NULL)
    {
        palError_Set(error, pal_errorInput, "the method moves a tool, and there is none");
        return palError_Remedy(error, "give one, or use a method that touches with a point");
    }
    return palWorldStep_Init(world, def, error);
}

void palToolWorld_AdvanceTo(palWorldStep* world, const palHandle* handle, double h,
                            palLowInfo* info)
{
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

bool palToolWorld_View(const palWorldStep* world, int index, palToolView* view)
{
    if (index > 0)
        return false;
    const palWorldRigid* rigid = world->tool;
    *view = (palToolView){
        .surface = &rigid->tool->surface,
        .position = palRigid_Point(&rigid->tool->model, &rigid->state, pal_zeroVec3),
        .orientation = rigid->state.q,
    };
    return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "render/tool_world.h"

#include "base/clock.h"
#include "base/error.h"
#include "world/hand.h"

static const double longestStep = 0.25; // s

palResult palToolWorld_Init(palToolWorld* tools, double dt, palError* error)
{
    const palMethodDef* def = &tools->shared.defs[0];
    bool hasRigid = palRigidHands_AreNeeded(def);
    if (hasRigid)
    {
        const palContactMaterial law = palDefaultContactMaterial();
        tools->shared.rigid = &tools->rigid;
        palResult result = palRigidHands_Init(&tools->rigid, &tools->shared, &law, error);
        if (result != pal_ok)
            return result;
    }
    palWorldStepDef world = {
        .colliders = def->colliders,
        .colliderCount = def->colliderCount,
        .wires = def->wires,
        .wireCount = def->wireCount,
        .joints = def->joints,
        .jointCount = hasRigid ? 0 : def->jointCount, // all are of the pile
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
    palRigidHands_Free(&((palToolWorld*)shared)->rigid, shared);
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

// Where nothing yields, what is found is to be true of the haptic tools: the visual ones go where
// these are. Returns false where something is in their way.
static bool follow(palToolWorld* tools, palLowStep* step)
{
    palWorldStep* world = &tools->step;
    palRigidState states[pal_handsMax];
    if (!palWorldStep_HasOnlySolids(world))
        return false;
    for (int i = 0; i < world->def.toolCount; i++)
        states[i] = step->state->hands[i].tool;
    int64_t begin = palClock_Now();
    world->overflow = false;
    bool done = palWorldStep_Follow(world, states);
    step->info.collideMs += 1e-6 * (double)(palClock_Now() - begin);
    step->info.contacts = world->linkCount;
    return done;
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
        world->tools[i]->load = hand->pushed;
    }
    if (!(h > 0.0))
    {
        palWorldStep_FindContacts(world);
        for (int i = 0; i < world->def.toolCount; i++)
            world->tools[i]->before = handles[i];
        return;
    }
    if (tools->followsHaptic && follow(tools, step))
        return;
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
    if (shared->rigid != NULL)
        palRigidHands_Archive(shared->rigid, archive);
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

// ---------------------------------------------------------------------------------------------
// Rigid bodies that move

void palToolWorld_Solve(palShared* shared, palTick* ticks)
{
    if (shared->rigid != NULL)
        palRigidHands_Solve(shared->rigid, shared, ticks);
}

palResult palToolWorld_MakeState(const palShared* shared, palHapticState* state, palError* error)
{
    const palRigidHands* rigid = shared->rigid;
    return rigid != NULL ? palRigidWorld_MakeState(&rigid->world, state, error) : pal_ok;
}

void palToolWorld_WriteState(const palShared* shared, palHapticState* state)
{
    if (shared->rigid != NULL)
        palRigidWorld_WriteState(&shared->rigid->world, state);
}

bool palToolWorld_Rigid(const palShared* shared, int object, palRigidView* view)
{
    return shared->rigid != NULL && palRigidWorld_View(&shared->rigid->world, object, view);
}

palRigidTotals palToolWorld_Totals(const palShared* shared)
{
    return shared->rigid != NULL ? palRigidWorld_Totals(&shared->rigid->world)
                                 : (palRigidTotals){0};
}

void palToolWorld_SetFriction(palShared* shared, int object, double friction)
{
    if (shared->rigid != NULL)
        palPile_SetFriction(shared->rigid->world.pile, object, friction);
}

void palToolWorld_ArchiveState(const palShared* shared, palHapticState* state, palArchive* archive)
{
    if (shared->rigid != NULL)
        palRigidWorld_ArchiveState(state, archive);
}

palRigidStep palToolHand_Motion(const palMethod* method, const palTick* tick)
{
    (void)tick;
    const palToolHand* hand = (const palToolHand*)method;
    palRigidStep step = hand->step;
    step.free = hand->alone;
    return step;
}

void palToolHand_Push(palToolHand* hand, palWrench wrench)
{
    hand->step.free = hand->alone;
    hand->step.free = palRigidStep_Correct(&hand->step, wrench);
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

// SPDX-License-Identifier: Apache-2.0
#include "api/world_state.h"

#include "base/error.h"
#include "device/target.h"

#include <string.h>

// Whether a prepared world may be stepped or started.
static palResult checkIdle(const palWorld* world, palError* error)
{
    if (world->engine->run == NULL)
        return pal_ok;
    palError_Set(error, pal_errorInput, "the world runs already");
    return palError_Remedy(error, "end the run first: palWorld_Stop");
}

palResult palWorld_Step(palWorld* world, palError* error)
{
    palResult result = palWorld_Prepare(world, error);
    if (result == pal_ok)
        result = checkIdle(world, error);
    if (result != pal_ok)
        return result;
    palLockstep_Step(world->engine, &world->last);
    world->hasStepped = true;
    return pal_ok;
}

static palResult start(palWorld* world, bool callerTicks, palError* error)
{
    palResult result = palWorld_Prepare(world, error);
    if (result == pal_ok)
        result = checkIdle(world, error);
    if (result == pal_ok)
        result = palRealtime_Start(world->engine, callerTicks, error);
    if (result != pal_ok)
        return result;
    palWorld_TakeNote(world);
    world->hasStepped = world->hasStepped && callerTicks; // readers have what comes now
    return pal_ok;
}

void palWorld_TakeNote(palWorld* world)
{
    char* note = world->engine->schedulingNote;
    if (note[0] != '\0' && !world->isNoted)
        palMessages_Add(&world->messages, pal_severityWarning, "%s", note);
    world->isNoted = world->isNoted || note[0] != '\0';
    note[0] = '\0';
}

palResult palWorld_Start(palWorld* world, palError* error)
{
    return start(world, false, error);
}

palResult palWorld_StartLow(palWorld* world, palError* error)
{
    return start(world, true, error);
}

bool palWorld_Tick(palWorld* world)
{
    if (world == NULL || !world->isPrepared || !palRealtime_IsCallers(world->engine))
        return false;
    palEngine_CallerTick(world->engine, &world->last);
    world->hasStepped = true;
    return true;
}

void palWorld_Stop(palWorld* world)
{
    if (world != NULL && world->isPrepared)
        palRealtime_Stop(world->engine);
}

double palWorld_Time(const palWorld* world)
{
    if (world == NULL || !world->isPrepared)
        return -1.0;
    uint64_t ticks = world->engine->nextTick;
    return ((double)ticks - 1.0) * world->scene.time.dt;
}

void palHandState_Fill(palHandState* state, const palHandRecord* record)
{
    const palHandState now = {
        .size = state->size,
        .device = record->device,
        .deviceOrientation = record->deviceTurn,
        .position = record->proxy,
        .orientation = record->proxyTurn,
        .force = record->force,
        .torque = record->torque,
        .out = record->out,
        .activeRows = record->active,
    };
    memcpy(state, &now, state->size < sizeof now ? state->size : sizeof now);
}

palResult palWorld_GetHand(const palWorld* world, palHandId hand, palHandState* state)
{
    int place = (int)hand.index - 1;
    if (world == NULL || state == NULL || !world->hasStepped || place < 0 ||
        place >= world->handCount)
        return pal_errorInput;
    palHandState_Fill(state, &world->last.hands[place]);
    return pal_ok;
}

bool palWorld_SetTarget(palWorld* world, palHandId hand, palVec3 position, palQuat orientation)
{
    int place = (int)hand.index - 1;
    if (world == NULL || !world->isPrepared || place < 0 || place >= world->handCount ||
        world->hands[place].deviceOps != &pal_targetDevice)
        return false;
    return palTarget_Post(world->hands[place].device, position, orientation);
}

//--------------------------------------------------------------------------------------------------
// Changes while it runs

palResult palWorld_CheckPrepared(const palWorld* world, palError* error)
{
    palResult result = palWorld_Check(world, error);
    if (result != pal_ok || world->isPrepared)
        return result;
    palError_Set(error, pal_errorInput, "the world is not prepared");
    return palError_Remedy(error, "call palWorld_Prepare first, or change what is added");
}

// The index of an object; -1 after an error.
static int findObject(const palWorld* world, palBodyId body, palError* error)
{
    int place = palBodyId_Place(body);
    if (palWorld_CheckPrepared(world, error) != pal_ok)
        return -1;
    if (!palBodyId_IsWire(body) && place >= 0 && place < world->bodies.count)
        return place;
    palError_Set(error, pal_errorInput, "there is no such object");
    palError_Remedy(error, "give an id that palWorld_AddObject or palWorld_FindBody gave");
    return -1;
}

palResult palWorld_SetFriction(palWorld* world, palBodyId body, double friction, palError* error)
{
    palError unwanted;
    error = error != NULL ? error : &unwanted;
    int object = findObject(world, body, error);
    return object >= 0 ? palEngine_SetFriction(world->engine, object, friction, error)
                       : pal_errorInput;
}

palResult palWorld_SetYoung(palWorld* world, palBodyId body, double young, palError* error)
{
    palError unwanted;
    error = error != NULL ? error : &unwanted;
    int object = findObject(world, body, error);
    return object >= 0 ? palEngine_SetYoung(world->engine, object, young, error) : pal_errorInput;
}

palResult palWorld_SetGravity(palWorld* world, palVec3 gravity, palError* error)
{
    palError unwanted;
    error = error != NULL ? error : &unwanted;
    palResult result = palWorld_CheckPrepared(world, error);
    return result == pal_ok ? palEngine_SetGravity(world->engine, gravity, error) : result;
}

palResult palWorld_SetCoupling(palWorld* world, palHandId hand, double stiffness, double damping,
                               palError* error)
{
    palError unwanted;
    error = error != NULL ? error : &unwanted;
    palResult result = palWorld_CheckPrepared(world, error);
    if (result != pal_ok)
        return result;
    int place = (int)hand.index - 1;
    if (place < 0 || place >= world->handCount)
    {
        palError_Set(error, pal_errorInput, "there is no such hand");
        return palError_Remedy(error, "give an id that palWorld_AddHand or palWorld_HandAt gave");
    }
    const palCouplingValues wanted = {
        .stiffness = stiffness != 0.0 ? stiffness : NAN,
        .damping = damping != 0.0 ? damping : NAN,
        .turnStiffness = NAN,
        .turnDamping = NAN,
    };
    return palEngine_SetCoupling(world->engine, place, &wanted, NULL, error);
}

// SPDX-License-Identifier: Apache-2.0
#include "api/world_state.h"

#include "base/error.h"
#include "base/plain_locale.h"
#include "device/target.h"
#include "scene/schema.h"
#include "scene/setting.h"
#include "scene/soft_schema.h"

#include <string.h>

palResult palWorld_PrepareIdle(palWorld* world, palError* error)
{
    palResult result = palWorld_Prepare(world, error);
    if (result != pal_ok || world->engine->run == NULL)
        return result;
    palError_Set(error, pal_errorInput, "the world runs already");
    return palError_Remedy(error, "end the run first: palWorld_Stop");
}

palResult palWorld_Step(palWorld* world, palError* error)
{
    palResult result = palWorld_PrepareIdle(world, error);
    if (result != pal_ok)
        return result;
    palLockstep_Step(world->engine, &world->last);
    world->hasStepped = true;
    return pal_ok;
}

static palResult start(palWorld* world, bool callerTicks, palError* error)
{
    palResult result = palWorld_PrepareIdle(world, error);
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
    palHandState now = palMakeHandState(); // all bytes are set: states may be compared as memory
    now.size = state->size;
    now.device = record->device;
    now.deviceOrientation = record->deviceTurn;
    now.position = record->proxy;
    now.orientation = record->proxyTurn;
    now.force = record->force;
    now.torque = record->torque;
    now.out = record->out;
    now.activeRows = record->active;
    memcpy(state, &now, state->size < sizeof now ? state->size : sizeof now);
}

palResult palWorld_GetHand(const palWorld* world, palHandId hand, palHandState* state)
{
    int place = palWorld_HandPlace(world, hand);
    if (place < 0 || state == NULL || !world->hasStepped || place >= world->handCount)
        return pal_errorInput;
    palHandState_Fill(state, &world->last.hands[place]);
    return pal_ok;
}

bool palWorld_FillBody(const palWorld* world, int object, const palRigidView* moving, double time,
                       palBodyState* state)
{
    if (object >= world->bodies.count || world->bodies.colliders[object].soft != NULL)
        return false;
    palBodyState now = palMakeBodyState(); // all bytes are set, as in palHandState_Fill
    const palSceneObject* still = &world->scene.objects[object];
    now.size = state->size;
    now.position = moving != NULL ? moving->pose.x : still->position;
    now.orientation = moving != NULL ? moving->pose.q : palSceneObject_Rotation(still);
    now.velocity = moving != NULL ? moving->v : pal_zeroVec3;
    now.spin = moving != NULL ? moving->omega : pal_zeroVec3;
    now.isAsleep = moving != NULL && moving->isAsleep;
    now.time = time;
    memcpy(state, &now, state->size < sizeof now ? state->size : sizeof now);
    return true;
}

palResult palWorld_GetBody(const palWorld* world, palBodyId body, palBodyState* state)
{
    int place = world != NULL ? palWorld_BodyPlace(world, body) : -1;
    if (place < 0 || palBodyId_IsWire(body) || state == NULL || !world->hasStepped)
        return pal_errorInput;
    const palShared* shared = world->engine->methods.shared;
    palRigidView view;
    bool isMoving = shared->ops->rigid != NULL && shared->ops->rigid(shared, place, &view);
    return palWorld_FillBody(world, place, isMoving ? &view : NULL, world->last.t, state)
               ? pal_ok
               : pal_errorInput;
}

// The device of a hand that the program moves; NULL: it has another.
static palDevice* targetOf(const palWorld* world, palHandId hand)
{
    int place = palWorld_HandPlace(world, hand);
    if (place < 0 || !world->isPrepared || place >= world->handCount ||
        world->hands[place].deviceOps != &pal_targetDevice)
        return NULL;
    return world->hands[place].device;
}

bool palWorld_SetTarget(palWorld* world, palHandId hand, palVec3 position, palQuat orientation)
{
    palDevice* device = targetOf(world, hand);
    return device != NULL && palTarget_Post(device, position, orientation);
}

bool palWorld_SetButtons(palWorld* world, palHandId hand, uint32_t buttons)
{
    palDevice* device = targetOf(world, hand);
    if (device != NULL)
        palTarget_SetButtons(device, buttons);
    return device != NULL;
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
    if (palWorld_CheckPrepared(world, error) != pal_ok)
        return -1;
    int place = palWorld_BodyPlace(world, body);
    if (!palBodyId_IsWire(body) && place >= 0 && place < world->bodies.count)
        return place;
    palError_Set(error, pal_errorInput, "the world has no such object");
    palError_Remedy(error, "give an id that palWorld_AddObject or palWorld_FindBody gave");
    return -1;
}

// Whether a value is in the range of its key in scene files.
static palResult checkRange(const palSchemaTable* table, const char* name, double value,
                            palError* error)
{
    const palSchemaKey* key = palSchema_Find(table, name);
    if (value >= key->low && value <= key->high)
        return pal_ok;
    char range[96];
    locale_t callers = palPlainLocale_Enter();
    palSetting_FormatRange(key, range, sizeof range);
    palError_Set(error, pal_errorInput, "'%s' is out of range: %g", name, value);
    palError_Remedy(error, "allowed: %s", range);
    palPlainLocale_Leave(callers);
    return pal_errorInput;
}

static palResult setFriction(palWorld* world, palBodyId body, double friction, palError* error)
{
    const palSchemaTable* table = palSchema_Find(palSceneSchema(), "objects")->table;
    int object = findObject(world, body, error);
    if (object < 0)
        return pal_errorInput;
    palResult result = checkRange(table, "friction", friction, error);
    return result == pal_ok ? palEngine_SetFriction(world->engine, object, friction, error)
                            : result;
}

palResult palWorld_SetFriction(palWorld* world, palBodyId body, double friction, palError* error)
{
    palError own;
    return palWorld_Tell(NULL, setFriction(world, body, friction, &own), &own, error);
}

static palResult setYoung(palWorld* world, palBodyId body, double young, palError* error)
{
    int object = findObject(world, body, error);
    if (object < 0)
        return pal_errorInput;
    palResult result = checkRange(&pal_softTable, "young", young, error);
    return result == pal_ok ? palEngine_SetYoung(world->engine, object, young, error) : result;
}

palResult palWorld_SetYoung(palWorld* world, palBodyId body, double young, palError* error)
{
    palError own;
    return palWorld_Tell(NULL, setYoung(world, body, young, &own), &own, error);
}

static palResult setStiffening(palWorld* world, palBodyId body, double stiffening, palError* error)
{
    int object = findObject(world, body, error);
    if (object < 0)
        return pal_errorInput;
    palResult result = checkRange(&pal_softTable, "stiffening", stiffening, error);
    return result == pal_ok ? palEngine_SetStiffening(world->engine, object, stiffening, error)
                            : result;
}

palResult palWorld_SetStiffening(palWorld* world, palBodyId body, double stiffening,
                                 palError* error)
{
    palError own;
    return palWorld_Tell(NULL, setStiffening(world, body, stiffening, &own), &own, error);
}

static palResult setGravity(palWorld* world, palVec3 gravity, palError* error)
{
    const double components[] = {gravity.x, gravity.y, gravity.z};
    palResult result = palWorld_CheckPrepared(world, error);
    for (int i = 0; i < 3 && result == pal_ok; i++)
        result = checkRange(palSceneSchema(), "gravity", components[i], error);
    return result == pal_ok ? palEngine_SetGravity(world->engine, gravity, error) : result;
}

palResult palWorld_SetGravity(palWorld* world, palVec3 gravity, palError* error)
{
    palError own;
    return palWorld_Tell(NULL, setGravity(world, gravity, &own), &own, error);
}

// A gain that is given; NAN: the default.
static palResult readGain(const char* name, double given, double* gain, palError* error)
{
    const palSchemaTable* hand = palSchema_Find(palSceneSchema(), "hands")->table;
    *gain = given != 0.0 ? given : NAN;
    return given != 0.0 ? checkRange(palSchema_Find(hand, "coupling")->table, name, given, error)
                        : pal_ok;
}

static palResult setCoupling(palWorld* world, palHandId hand, const palCouplingDef* given,
                             palError* error)
{
    palCouplingDef def = palDefaultCouplingDef();
    palCouplingValues wanted;
    int place = palWorld_HandPlace(world, hand);
    palResult result = palWorld_CheckPrepared(world, error);
    if (result == pal_ok && !palTakeDef(given, sizeof def, &def))
        result = palNoSize("palCouplingDef", error);
    if (result == pal_ok && (place < 0 || place >= world->handCount))
        result = palNoSuchHand(error);
    if (result == pal_ok)
        result = readGain("stiffness", def.stiffness, &wanted.stiffness, error);
    if (result == pal_ok)
        result = readGain("damping", def.damping, &wanted.damping, error);
    if (result == pal_ok)
        result = readGain("turn_stiffness", def.turnStiffness, &wanted.turnStiffness, error);
    if (result == pal_ok)
        result = readGain("turn_damping", def.turnDamping, &wanted.turnDamping, error);
    return result == pal_ok ? palEngine_SetCoupling(world->engine, place, &wanted, NULL, error)
                            : result;
}

palResult palWorld_SetCoupling(palWorld* world, palHandId hand, const palCouplingDef* coupling,
                               palError* error)
{
    palError own;
    return palWorld_Tell(NULL, setCoupling(world, hand, coupling, &own), &own, error);
}

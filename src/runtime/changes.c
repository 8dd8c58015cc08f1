// SPDX-License-Identifier: Apache-2.0
#include "runtime/changes.h"

#include "base/error.h"
#include "device/coupling_limits.h"
#include "runtime/engine.h"

#include <stdlib.h>
#include <string.h>

//--------------------------------------------------------------------------------------------------
// Values

static void copyValues(const palRunChanges* changes, palValues* to, const palValues* from)
{
    palObjectValues* objects = to->objects;
    *to = *from;
    to->objects = objects;
    memcpy(objects, from->objects, (size_t)changes->objectCount * sizeof *objects);
}

static double approach(double now, double goal, double share)
{
    return share == 1.0 ? goal : now + share * (goal - now);
}

static palVec3 approachVector(palVec3 now, palVec3 goal, double share)
{
    return palMakeVec3(approach(now.x, goal.x, share), approach(now.y, goal.y, share),
                       approach(now.z, goal.z, share));
}

// Takes the newest values as the goal. Returns the share of the way that is left to go in this
// step; 0: nothing changes.
static double follow(palFollower* follower, const palValues** goal)
{
    bool isNew;
    unsigned slot = palTripleBuffer_Newest(&follower->buffer, &isNew);
    *goal = &follower->slots[slot];
    if (isNew)
        follower->stepsLeft = follower->steps;
    return follower->stepsLeft > 0 ? 1.0 / follower->stepsLeft-- : 0.0;
}

//--------------------------------------------------------------------------------------------------
// Slower loops

// Whether a wire is stepped at the high rate; if not, it is the first slower loop's unless the
// method has several.
static bool isFast(const palEngine* engine, const palWire* wire)
{
    return wire->loop == 0 &&
           palMethodOps_Accepts(engine->def.hands[0].method, PAL_ACCEPTS(pal_partLoop));
}

static bool isOfLoop(const palEngine* engine, const palWire* wire, int loop)
{
    int own = wire->loop > 0 ? wire->loop - 1 : 0;
    return !isFast(engine, wire) && own == loop;
}

// A surface that several loops look at is not written: their pairs have the friction.
static void applyFriction(palEngine* engine, int loop, int object, double friction)
{
    palShared* shared = engine->methods.shared;
    bool isAlone = shared->ops->loopWorld == NULL;
    palWorldStep* world = isAlone ? shared->world : shared->ops->loopWorld(shared, loop);
    if (isAlone)
        engine->def.methodDef.colliders[object].friction = friction;
    if (world != NULL)
        palWorldStep_SetFriction(world, object, friction);
}

static void applyObject(palEngine* engine, int loop, int object, const palValues* goal,
                        double share)
{
    palValues* now = &engine->changes.loops[loop].now;
    palObjectValues* at = &now->objects[object];
    const palObjectValues* to = &goal->objects[object];
    palCollider* collider = &engine->def.methodDef.colliders[object];
    if (at->friction != to->friction)
    {
        at->friction = approach(at->friction, to->friction, share);
        applyFriction(engine, loop, object, at->friction);
    }
    if (collider->soft == NULL || collider->loop != loop)
        return;
    collider->soft->gravity = now->gravity;
    if (at->young != to->young)
    {
        at->young = approach(at->young, to->young, share);
        palSoftBody_SetYoung(collider->soft, at->young);
    }
    at->stiffening = approach(at->stiffening, to->stiffening, share);
    collider->soft->stiffening = at->stiffening;
}

void palRunChanges_ApplyLow(palEngine* engine, int loop)
{
    palFollower* follower = &engine->changes.loops[loop];
    const palMethodDef* def = &engine->def.methodDef;
    const palValues* goal;
    double share = follow(follower, &goal);
    if (share == 0.0)
        return;
    follower->now.gravity = approachVector(follower->now.gravity, goal->gravity, share);
    for (int i = 0; i < engine->changes.objectCount; i++)
        applyObject(engine, loop, i, goal, share);
    for (int i = 0; i < def->wireCount; i++)
        if (isOfLoop(engine, &def->wires[i], loop))
            def->wires[i].model->gravity = follower->now.gravity;
}

//--------------------------------------------------------------------------------------------------
// High rate

static void applyHand(palEngine* engine, int hand, const palCouplingValues* to, double share)
{
    palRunChanges* changes = &engine->changes;
    palCouplingValues* at = &changes->high.now.couplings[hand];
    palVec3 gravity = changes->high.now.gravity;
    palPointModel* body = &engine->methods.methods[hand]->def.body;
    at->stiffness = approach(at->stiffness, to->stiffness, share);
    at->damping = approach(at->damping, to->damping, share);
    at->turnStiffness = approach(at->turnStiffness, to->turnStiffness, share);
    at->turnDamping = approach(at->turnDamping, to->turnDamping, share);
    body->stiffness = at->stiffness;
    body->damping = at->damping;
    body->gravity = gravity;
    palRigidModel_SetCoupling(&changes->tools[hand].model, at, gravity);
}

// Rigid objects that move in the tick.
static void applyRigid(palEngine* engine, const palValues* goal, double share)
{
    palShared* shared = engine->methods.shared;
    for (int i = 0; shared->ops->setFriction != NULL && i < engine->changes.objectCount; i++)
    {
        double* at = &engine->changes.high.now.objects[i].friction;
        if (*at == goal->objects[i].friction)
            continue;
        *at = approach(*at, goal->objects[i].friction, share);
        shared->ops->setFriction(shared, i, *at);
    }
}

void palRunChanges_ApplyTick(palEngine* engine)
{
    palValues* now = &engine->changes.high.now;
    const palMethodDef* def = &engine->def.methodDef;
    const palValues* goal;
    double share = follow(&engine->changes.high, &goal);
    if (share == 0.0)
        return;
    now->gravity = approachVector(now->gravity, goal->gravity, share);
    applyRigid(engine, goal, share);
    for (int i = 0; i < engine->methods.count; i++)
        applyHand(engine, i, &goal->couplings[i], share);
    for (int i = 0; i < def->wireCount; i++)
    {
        const palWire* wire = &def->wires[i];
        const palCouplingValues* at = &now->couplings[wire->hand];
        if (isFast(engine, wire))
            wire->model->gravity = now->gravity;
        if (wire->isSprung)
            wire->model->coupling = palMakeWireCoupling(wire->handNode, at->stiffness, at->damping);
    }
}

static palCouplingValues couplingOf(const palPointModel* body, const palTool* tool)
{
    return tool != NULL
               ? palRigidModel_Coupling(&tool->model)
               : (palCouplingValues){.stiffness = body->stiffness, .damping = body->damping};
}

void palRunChanges_WriteState(const palMethod* method, palHapticHand* hand)
{
    hand->gravity = method->def.body.gravity;
    hand->coupling = couplingOf(&method->def.body, method->def.tool);
}

//--------------------------------------------------------------------------------------------------
// Making it

static void initFollower(palFollower* follower, palRunChanges* changes, int steps,
                         palObjectValues** memory)
{
    palTripleBuffer_Init(&follower->buffer);
    follower->steps = steps > 1 ? steps : 1;
    for (int i = 0; i < 4; i++)
    {
        palValues* values = i < 3 ? &follower->slots[i] : &follower->now;
        values->objects = *memory;
        *memory += changes->objectCount;
        copyValues(changes, values, &changes->wanted);
    }
}

static void readValues(palRunChanges* changes, const palEngineDef* engine)
{
    const palMethodDef* def = &engine->methodDef;
    palValues* values = &changes->wanted;
    values->gravity = engine->hands[0].body.gravity;
    for (int i = 0; i < engine->handCount; i++)
        values->couplings[i] = couplingOf(&engine->hands[i].body, engine->hands[i].tool);
    for (int i = 0; i < changes->objectCount; i++)
    {
        const palCollider* collider = &def->colliders[i];
        values->objects[i] = (palObjectValues){
            .friction = collider->friction,
            .young = collider->soft != NULL ? collider->soft->young : 0.0,
            .stiffening = collider->soft != NULL ? collider->soft->stiffening : 0.0,
        };
        changes->canRub = changes->canRub || collider->friction > 0.0;
    }
    for (int i = 0; i < def->wireCount; i++)
        changes->canRub = changes->canRub || def->wires[i].friction > 0.0;
}

// The limits of the hand's device, and its tool, which from now on is the one here.
static void takeHand(palRunChanges* changes, int index, palEngineHandDef* hand)
{
    palDeviceLimits* limits = &changes->limits[index];
    limits->size = sizeof *limits;
    if (hand->deviceOps->limits != NULL)
        hand->deviceOps->limits(hand->device, limits);
    if (hand->tool == NULL)
        return;
    changes->tools[index] = *hand->tool;
    hand->tool = &changes->tools[index];
}

palResult palRunChanges_Init(palRunChanges* changes, palEngine* engine, palError* error)
{
    palEngineDef* def = &engine->def;
    size_t values = (size_t)def->methodDef.colliderCount * (4 * (pal_loopsMax + 1) + 1) + 1;
    pthread_mutex_init(&changes->lock, NULL);
    changes->objectCount = def->methodDef.colliderCount;
    changes->memory = calloc(values, sizeof *changes->memory);
    if (changes->memory == NULL)
        return palError_Memory(error, "the values of a run", values * sizeof *changes->memory);
    palObjectValues* memory = changes->memory;
    changes->wanted.objects = memory;
    memory += changes->objectCount;
    // Only the methods with several loops are short of rows for contacts that begin to rub.
    changes->canRub = def->hands[0].method->shared->loopWorld == NULL;
    readValues(changes, def);
    for (int loop = 0; loop < pal_loopsMax; loop++)
        initFollower(&changes->loops[loop], changes, pal_changeSteps, &memory);
    int ticks = (int)fmin(1e6, round(pal_changeSteps * def->lowDt / def->dt));
    initFollower(&changes->high, changes, ticks, &memory);
    for (int i = 0; i < def->handCount; i++)
        takeHand(changes, i, &def->hands[i]);
    return pal_ok;
}

void palRunChanges_Free(palRunChanges* changes)
{
    if (changes->memory != NULL)
        pthread_mutex_destroy(&changes->lock);
    free(changes->memory);
    changes->memory = NULL;
}

//--------------------------------------------------------------------------------------------------
// Setting

// With the lock.
static void publish(palEngine* engine)
{
    palRunChanges* changes = &engine->changes;
    for (int i = 0; i <= engine->loopCount; i++)
    {
        palFollower* to = i < engine->loopCount ? &changes->loops[i] : &changes->high;
        copyValues(changes, &to->slots[palTripleBuffer_Back(&to->buffer)], &changes->wanted);
        palTripleBuffer_Publish(&to->buffer);
    }
}

// The same value again is no change: what is on its way there arrives in time.
static void setValue(palEngine* engine, double* wanted, double value)
{
    pthread_mutex_lock(&engine->changes.lock);
    bool isNew = *wanted != value;
    *wanted = value;
    if (isNew)
        publish(engine);
    pthread_mutex_unlock(&engine->changes.lock);
}

static palResult checkObject(const palEngine* engine, int object, palError* error)
{
    if (object >= 0 && object < engine->changes.objectCount)
        return pal_ok;
    return palError_Set(error, pal_errorInput, "there is no object %d", object);
}

// The wires of `response: frozen` are stepped by two rates from one model.
static palResult checkFrozen(const palEngine* engine, const char* what, palError* error)
{
    const palMethodDef* def = &engine->def.methodDef;
    if (!palIsFrozen(def) || def->wireCount == 0)
        return pal_ok;
    palError_Set(error, pal_errorInput,
                 "%s of wires with `response: frozen` cannot change in a run", what);
    return palError_Remedy(error, "use `response: advanced`, or set it before the run");
}

palResult palEngine_SetFriction(palEngine* engine, int object, double friction, palError* error)
{
    palRunChanges* changes = &engine->changes;
    palResult result = checkObject(engine, object, error);
    if (result != pal_ok)
        return result;
    if (!(friction >= 0.0) || !isfinite(friction))
        return palError_Set(error, pal_errorInput, "a coefficient of friction of %g", friction);
    if (friction > 0.0 && !changes->canRub)
    {
        palError_Set(error, pal_errorInput, "nothing rubbed when the run began: there is no room");
        return palError_Remedy(error, "give some object or wire friction from the start");
    }
    setValue(engine, &changes->wanted.objects[object].friction, friction);
    return pal_ok;
}

static palResult checkSoft(const palEngine* engine, int object, palError* error)
{
    palResult result = checkObject(engine, object, error);
    if (result != pal_ok || engine->def.methodDef.colliders[object].soft != NULL)
        return result;
    palError_Set(error, pal_errorInput, "object %d is not soft", object);
    return palError_Remedy(error, "only soft objects have a Young's modulus and stiffen");
}

palResult palEngine_SetStiffening(palEngine* engine, int object, double stiffening, palError* error)
{
    palResult result = checkSoft(engine, object, error);
    if (result != pal_ok)
        return result;
    if (!(stiffening >= 0.0) || !isfinite(stiffening))
        return palError_Set(error, pal_errorInput, "a stiffening of %g", stiffening);
    setValue(engine, &engine->changes.wanted.objects[object].stiffening, stiffening);
    return pal_ok;
}

palResult palEngine_SetYoung(palEngine* engine, int object, double young, palError* error)
{
    palRunChanges* changes = &engine->changes;
    palResult result = checkSoft(engine, object, error);
    if (result != pal_ok)
        return result;
    if (!(young > 0.0) || !isfinite(young))
        return palError_Set(error, pal_errorInput, "a Young's modulus of %g Pa", young);
    setValue(engine, &changes->wanted.objects[object].young, young);
    return pal_ok;
}

palResult palEngine_SetGravity(palEngine* engine, palVec3 gravity, palError* error)
{
    palRunChanges* changes = &engine->changes;
    palResult result = checkFrozen(engine, "gravity", error);
    if (result != pal_ok)
        return result;
    if (!palIsFinite(gravity))
        return palError_Set(error, pal_errorInput, "gravity is not finite");
    pthread_mutex_lock(&changes->lock);
    bool isNew = memcmp(&changes->wanted.gravity, &gravity, sizeof gravity) != 0;
    changes->wanted.gravity = gravity;
    for (int i = 0; i < engine->def.handCount; i++)
        engine->def.hands[i].body.gravity = gravity;
    if (isNew)
        publish(engine);
    pthread_mutex_unlock(&changes->lock);
    return pal_ok;
}

palResult palEngine_SetCoupling(palEngine* engine, int hand, const palCouplingValues* wanted,
                                palMessages* messages, palError* error)
{
    palRunChanges* changes = &engine->changes;
    palResult result = checkFrozen(engine, "the coupling", error);
    if (result != pal_ok)
        return result;
    if (hand < 0 || hand >= engine->def.handCount)
        return palError_Set(error, pal_errorInput, "there is no hand %d", hand);
    palCouplingValues fit =
        palFitCoupling(&changes->limits[hand], engine->def.dt, wanted, messages);
    pthread_mutex_lock(&changes->lock);
    bool isNew = memcmp(&changes->wanted.couplings[hand], &fit, sizeof fit) != 0;
    changes->wanted.couplings[hand] = fit;
    engine->def.hands[hand].body.stiffness = fit.stiffness;
    engine->def.hands[hand].body.damping = fit.damping;
    if (isNew)
        publish(engine);
    pthread_mutex_unlock(&changes->lock);
    return pal_ok;
}

// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine.h"

#include "base/clock.h"
#include "base/error.h"
#include "render/soft_side.h"

#include <stdlib.h>
#include <string.h>

enum
{
    tickRingSize = 1 << 14, // 16 s at 1 kHz until someone must drain it
    lowRingSize = 1 << 12,
    ticksBetweenObservations = 1 << 10, // well below the size of the record ring
};

// Puts the proxy where the device is, or on the surface where the device starts inside.
static void placeProxy(palEngine* engine, palDeviceState* device)
{
    const palMethodDef* def = &engine->method->def;
    *device = (palDeviceState){.orientation = pal_identityQuat};
    engine->def.deviceOps->read(engine->def.device, 0.0, device);
    engine->body = (palPointState){.x = device->position};
    if (engine->method->ops->place != NULL)
    {
        engine->method->ops->place(engine->method, device, &engine->body);
        return;
    }
    palNearest nearest;
    bool isNear = palColliders_Nearest(def->colliders, def->colliderCount, device->position,
                                       def->radius, &nearest);
    if (isNear && nearest.gap < 0.0)
        engine->body.x = nearest.closest.point;
}

// The state that the first low-rate step finds.
static void publishState(palEngine* engine, double t, const palDeviceState* device, bool held)
{
    palHapticState* state = &engine->states[palTripleBuffer_Back(&engine->stateBuffer)];
    state->time = t;
    state->body = engine->body;
    state->device = device->position;
    state->deviceSpeed = device->velocity;
    state->deviceTurn = device->orientation;
    state->deviceSpin = device->angularVelocity;
    state->held = held;
    if (engine->method->ops->tell != NULL)
        engine->method->ops->tell(engine->method, state->own);
    palTripleBuffer_Publish(&engine->stateBuffer);
}

static palResult allocate(palEngine* engine, palError* error)
{
    const palMethodOps* ops = engine->def.method;
    palResult result = palMethod_Create(ops, &engine->def.methodDef, &engine->method, error);
    bool usesSoft =
        palSoftSide_IsNeeded(engine->def.methodDef.colliders, engine->def.methodDef.colliderCount);
    palSnapshotDef snapshotDef = {
        .contactCapacity = ops->contactCapacity,
        .usesPatch = ops->usesPatch,
        .usesSoft = usesSoft,
        .ownSize = ops->snapshotSize,
    };
    for (int i = 0; i < 3 && result == pal_ok; i++)
    {
        result = palSnapshot_Init(&engine->snapshots[i], &snapshotDef, error);
        if (result != pal_ok || ops->stateSize == 0)
            continue;
        engine->states[i].own = calloc(1, ops->stateSize);
        if (engine->states[i].own == NULL)
            result = palError_Memory(error, "the state of the haptic body", ops->stateSize);
    }
    if (result == pal_ok)
        result = palRing_Init(&engine->tickRecords, sizeof(palTickRecord), tickRingSize, error);
    if (result == pal_ok)
        result = palRing_Init(&engine->lowRecords, sizeof(palLowRecord), lowRingSize, error);
    return result;
}

palResult palEngine_Create(const palEngineDef* def, palEngine** engine, palError* error)
{
    *engine = NULL;
    palEngine* created = aligned_alloc(64, (sizeof *created + 63) & ~(size_t)63);
    if (created == NULL)
        return palError_Memory(error, "the engine", sizeof *created);
    memset(created, 0, sizeof *created);
    created->def = *def;
    palResult result = allocate(created, error);
    if (result != pal_ok)
    {
        palEngine_Destroy(created);
        return result;
    }
    created->safety = palMakeSafety(&def->safety);
    palTripleBuffer_Init(&created->snapshotBuffer);
    palTripleBuffer_Init(&created->stateBuffer);
    atomic_init(&created->stop, false);
    created->arrival = UINT64_MAX;
    created->observeEvery = ticksBetweenObservations;

    // Before the first tick: a proxy outside, and a snapshot of where it is.
    palDeviceState device;
    placeProxy(created, &device);
    device.position = created->body.x;
    device.velocity = device.angularVelocity = pal_zeroVec3;
    publishState(created, 0.0, &device, false);
    palEngine_LowStep(created, 0.0);
    palEngine_Publish(created);
    *engine = created;
    return pal_ok;
}

void palEngine_Destroy(palEngine* engine)
{
    if (engine == NULL)
        return;
    palMethod_Destroy(engine->method);
    for (int i = 0; i < 3; i++)
    {
        palSnapshot_Free(&engine->snapshots[i]);
        free(engine->states[i].own);
    }
    for (int i = 0; i < 3; i++)
        palDrawing_Free(&engine->drawings[i]);
    palRing_Free(&engine->tickRecords);
    palRing_Free(&engine->lowRecords);
    free(engine);
}

uint64_t palEngine_TickCount(const palEngine* engine)
{
    double ticks = ceil(engine->def.seconds / engine->def.dt - 1e-9);
    return ticks < 1e18 ? (uint64_t)ticks : UINT64_MAX;
}

palResult palEngine_StartDrawing(palEngine* engine, palError* error)
{
    palTripleBuffer_Init(&engine->drawingBuffer);
    for (int i = 0; i < 3; i++)
    {
        palDrawing_Free(&engine->drawings[i]);
        palResult result = palDrawing_Init(&engine->drawings[i], engine->def.method,
                                           &engine->def.methodDef, error);
        if (result != pal_ok)
            return result;
    }
    engine->isDrawing = true;
    return pal_ok;
}

const palDrawing* palEngine_NewDrawing(palEngine* engine)
{
    bool isNew = false;
    if (!engine->isDrawing)
        return NULL;
    const palDrawing* drawing =
        &engine->drawings[palTripleBuffer_Newest(&engine->drawingBuffer, &isNew)];
    return isNew ? drawing : NULL;
}

// Outside the measured step: a watched run is judged as an unwatched one.
static void draw(palEngine* engine, const palSnapshot* snapshot, const palHapticState* hand)
{
    palDrawing* drawing = &engine->drawings[palTripleBuffer_Back(&engine->drawingBuffer)];
    palDrawing_Fill(drawing, engine->method, snapshot, hand->body.x);
    palTripleBuffer_Publish(&engine->drawingBuffer);
}

void palEngine_LowStep(palEngine* engine, double t)
{
    int64_t begin = palClock_Now();
    bool isNew;
    const palHapticState* hand =
        &engine->states[palTripleBuffer_Newest(&engine->stateBuffer, &isNew)];
    palSnapshot* snapshot = &engine->snapshots[palTripleBuffer_Back(&engine->snapshotBuffer)];

    // L1..L6: the method's own, see src/render/NAME.c.
    palLowInfo info = {0};
    engine->method->ops->low(engine->method, hand, snapshot, &info);

    // What L7 will publish carries the time of the state that it was made for.
    snapshot->sequence = ++engine->lowSequence;
    snapshot->time = hand->time;
    snapshot->proxy = hand->body.x;

    double seconds = 1e-9 * (double)(palClock_Now() - begin);
    engine->shrunkSteps += snapshot->shrunk;
    engine->lowStatistics.steps++;
    palHistogram_Add(&engine->lowStatistics.stepTime, seconds);
    palLowRecord record = {
        .t = t,
        .stepMs = 1e3 * seconds,
        .freeMs = info.freeMs,
        .collideMs = info.collideMs,
        .complianceMs = info.complianceMs,
        .solveMs = info.solveMs,
        .contacts = info.contacts,
        .constraints = info.constraints,
        .iterations = info.iterations,
        .residual = info.residual,
    };
    if (engine->def.keepRecords)
        palRing_Put(&engine->lowRecords, &record);
    if (engine->isDrawing)
        draw(engine, snapshot, hand);
}

void palEngine_Publish(palEngine* engine)
{
    palTripleBuffer_Publish(&engine->snapshotBuffer);
}

void palEngine_Tick(palEngine* engine, double t, palTickRecord* record)
{
    // H1: the device and the newest snapshot.
    palDeviceState device = {.orientation = pal_identityQuat};
    engine->def.deviceOps->read(engine->def.device, t, &device);
    device.time = t;
    bool isNew;
    const palSnapshot* snapshot =
        &engine->snapshots[palTripleBuffer_Newest(&engine->snapshotBuffer, &isNew)];
    double age = t - snapshot->time;

    // H2..H5: the method's own, see src/render/NAME.c.
    const palSnapshot* snapshots[1] = {snapshot};
    palHighInfo info = {
        .snapshots = snapshots,
        .turn = pal_identityQuat,
        .converged = true,
        .surfaceGap = NAN,
        .problem = engine->problem,
    };
    if (engine->problem != NULL)
        engine->problem->count = 0;
    engine->method->ops->high(engine->method, snapshot, &device, &engine->body, &info);

    // H6: force to the device through the safety layer, state to the low rate.
    palForceRequest request = {info.force, info.torque, info.impulse};
    palVec3 force, torque;
    palSafety_Apply(&engine->safety, &request, age, device.fresh, engine->def.dt, &force, &torque);
    engine->def.deviceOps->write(engine->def.device, force, torque);
    publishState(engine, t, &device, info.held);

    *record = (palTickRecord){
        .t = t,
        .device = device.position,
        .deviceTurn = device.orientation,
        .proxy = engine->body.x,
        .proxyTurn = info.turn,
        .force = info.force,
        .torque = info.torque,
        .out = force,
        .constraints = info.constraints,
        .active = info.active,
        .iterations = info.iterations,
        .residual = info.residual,
        .snapshotAgeMs = 1e3 * age,
        .surfaceGap = info.surfaceGap,
        .contactCount = info.contactCount,
        .held = info.held,
        .impulse = info.impulse,
        .converged = info.converged,
    };
    memcpy(record->contacts, info.contacts, sizeof record->contacts);
}

void palEngine_Note(palEngine* engine, palTickRecord* record, int64_t nanoseconds)
{
    double seconds = 1e-9 * (double)nanoseconds;
    record->stepUs = 1e6 * seconds;
    engine->highStatistics.steps++;
    palHistogram_Add(&engine->highStatistics.stepTime, seconds);
    palHistogram_Add(&engine->snapshotAge, 1e-3 * record->snapshotAgeMs);
    if (engine->def.keepRecords)
        palRing_Put(&engine->tickRecords, record);
}

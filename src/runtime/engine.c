// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine.h"

#include "base/clock.h"
#include "base/error.h"
#include "world/step.h"

#include <stdlib.h>
#include <string.h>

enum
{
    tickRingSize = 1 << 14, // 16 s at 1 kHz until someone must drain it
    lowRingSize = 1 << 12,
    ticksBetweenObservations = 1 << 10, // well below the size of the record ring
};

palEngineDef palDefaultEngineDef(const palMethodOps* method)
{
    const double dt = 0.001, lowDt = 0.033, latency = 0.005; // s
    return (palEngineDef){
        .hands[0] =
            {
                .method = method,
                .body = {.mass = 1e-3, .stiffness = 1000.0, .damping = 0.8, .dt = dt},
                .safety = palDefaultSafetyDef(),
            },
        .handCount = 1,
        .dt = dt,
        .lowDt = lowDt,
        .latency = latency,
        .seconds = 1.0,
        .methodDef =
            {
                .lowDt = lowDt,
                .latency = latency,
                .radius = 0.02,
                .settings.penalty = {.stiffness = 2000.0, .damping = 1.0},
            },
    };
}

// Puts a proxy where the device is, or on the surface where the device starts inside.
static palPointState placePoint(const palMethodDef* def, palVec3 at)
{
    palPointState body = {.x = at};
    palNearest nearest;
    bool isNear =
        palColliders_Nearest(def->colliders, def->colliderCount, at, def->radius, &nearest);
    if (isNear && nearest.gap < 0.0)
        body.x = nearest.closest.point;
    return body;
}

// The haptic bodies where the devices are, and the devices' states as if they held them there.
static void placeHands(palEngine* engine, palTick* ticks)
{
    const palHands* hands = &engine->methods;
    for (int i = 0; i < hands->count; i++)
    {
        ticks[i].info.held = false;
        ticks[i].device =
            (palDeviceState){.size = sizeof ticks[i].device, .orientation = pal_identityQuat};
        engine->hands[i].device = ticks[i].device;
        palEngine_ReadDevice(engine, i, 0.0, &ticks[i].device);
        if (hands->methods[i]->ops->place != NULL)
            hands->methods[i]->ops->place(hands->methods[i], &ticks[i].device);
    }
    if (hands->shared->ops->place != NULL)
        hands->shared->ops->place(hands->shared);
    for (int i = 0; i < hands->count; i++)
    {
        palDeviceState* device = &ticks[i].device;
        palPointState* body = &engine->hands[i].body;
        *body = hands->methods[i]->ops->point != NULL
                    ? hands->methods[i]->ops->point(hands->methods[i])
                    : placePoint(&hands->defs[i], device->position);
        device->position = body->x;
        device->velocity = device->angularVelocity = pal_zeroVec3;
    }
}

// Contacts that a low-rate step may report, at most.
static int restingCapacity(const palEngine* engine)
{
    const palWorldStep* world = engine->methods.shared->world;
    return world != NULL ? world->contactsMax : 0;
}

static palResult allocateReport(palContactReport* report, int capacity, palError* error)
{
    size_t size = ((size_t)capacity + 1) * sizeof *report->items;
    *report = (palContactReport){.items = malloc(size), .capacity = capacity};
    return report->items != NULL ? pal_ok : palError_Memory(error, "the contacts of a step", size);
}

static palResult allocateLoop(palEngine* engine, int loop, palError* error)
{
    const palShared* shared = engine->methods.shared;
    palEngineLoop* side = &engine->loops[loop];
    palResult result = pal_ok;
    for (int i = 0; i < 3 && result == pal_ok; i++)
    {
        result = palHands_MakeSnapshot(&engine->methods, loop, &side->snapshots[i], error);
        if (result == pal_ok)
            result = allocateReport(&side->snapshots[i].resting, restingCapacity(engine), error);
        if (result == pal_ok && shared->ops->makeState != NULL)
            result = shared->ops->makeState(shared, &side->states[i], error);
    }
    palTripleBuffer_Init(&side->snapshotBuffer);
    palTripleBuffer_Init(&side->stateBuffer);
    if (result == pal_ok)
        result = palRing_Init(&side->records, sizeof(palLowRecord), lowRingSize, error);
    return result;
}

// Room for the contacts of one tick, and for those of all ticks between two looks of an observer.
static palResult allocateContacts(palEngine* engine, palError* error)
{
    int often = engine->methods.shared->reportCapacity;
    for (int i = 0; i < engine->methods.count; i++)
        often += engine->methods.methods[i]->reportCapacity;
    int resting = restingCapacity(engine) + engine->methods.shared->updateCapacity;
    size_t size = (size_t)(often + resting) * sizeof(palContactForce);
    palResult result = allocateReport(&engine->contacts, often + resting, error);
    if (result != pal_ok)
        return result;
    engine->takenContacts = malloc(size);
    if (engine->takenContacts == NULL)
        return palError_Memory(error, "the contacts of a step", size);
    double updates = ceil(ticksBetweenObservations * engine->def.dt / engine->def.lowDt) + 1.0;
    return palRing_Init(&engine->contactRecords, sizeof(palContactForce),
                        2 * ((unsigned)ticksBetweenObservations * (unsigned)often +
                             (unsigned)updates * (unsigned)resting),
                        error);
}

// A method for each hand.
static palResult createMethods(palEngine* engine, palError* error)
{
    palMethodDef defs[pal_handsMax];
    const palMethodOps* forms[pal_handsMax];
    for (int i = 0; i < engine->def.handCount; i++)
    {
        defs[i] = engine->def.methodDef;
        defs[i].body = engine->def.hands[i].body;
        defs[i].tool = engine->def.hands[i].tool;
        defs[i].tipRadius = engine->def.hands[i].tipRadius;
        defs[i].toolPart = engine->def.hands[i].toolPart;
        defs[i].pick = engine->def.hands[i].pick;
        forms[i] = engine->def.hands[i].method;
    }
    return palHands_Init(&engine->methods, forms, defs, engine->def.handCount, error);
}

static palResult allocate(palEngine* engine, palError* error)
{
    palResult result = palRunChanges_Init(&engine->changes, engine, error);
    if (result == pal_ok)
        result = createMethods(engine, error);
    for (int loop = 0; loop < engine->loopCount && result == pal_ok; loop++)
        result = allocateLoop(engine, loop, error);
    if (result == pal_ok)
        result = palRing_Init(&engine->tickRecords, palTickRecord_Size(engine->def.handCount),
                              tickRingSize, error);
    if (result == pal_ok)
        result = allocateContacts(engine, error);
    if (result == pal_ok)
        result = palReaders_Init(&engine->readers, engine, error);
    return result;
}

static void freeLoop(palEngineLoop* side)
{
    for (int i = 0; i < 3; i++)
    {
        palSnapshot_Free(&side->snapshots[i]);
        free(side->states[i].wires);
        free(side->states[i].rigid);
    }
    palRing_Free(&side->records);
}

// The low rate, and what the method has besides.
static void defineLoops(palEngine* engine, const palEngineDef* def)
{
    engine->loopCount = 1 + def->furtherCount;
    for (int loop = 0; loop < engine->loopCount; loop++)
    {
        palEngineLoop* side = &engine->loops[loop];
        side->dt = loop == 0 ? def->lowDt : def->furtherDt[loop - 1];
        side->latency = loop == 0 ? def->latency : def->furtherLatency[loop - 1];
        side->arrival = UINT64_MAX;
    }
}

palResult palEngine_Create(const palEngineDef* def, palEngine** engine, palError* error)
{
    *engine = NULL;
    palEngine* created = aligned_alloc(64, (sizeof *created + 63) & ~(size_t)63);
    if (created == NULL)
        return palError_Memory(error, "the engine", sizeof *created);
    memset(created, 0, sizeof *created);
    created->def = *def;
    created->def.handCount = def->handCount > 0 ? def->handCount : 1;
    created->def.methodDef.inRealTime = &created->inRealTime;
    defineLoops(created, def);
    palResult result = allocate(created, error);
    if (result != pal_ok)
    {
        palEngine_Destroy(created);
        return result;
    }
    for (int i = 0; i < created->def.handCount; i++)
    {
        created->hands[i].safety = palMakeSafety(&def->hands[i].safety);
        created->hands[i].output.size = sizeof created->hands[i].output;
    }
    atomic_init(&created->stop, false);
    atomic_init(&created->jointSpeed, INFINITY);
    created->observeEvery = ticksBetweenObservations;

    // Before the first tick: a proxy outside, and a snapshot of where it is.
    palTick ticks[pal_handsMax];
    placeHands(created, ticks);
    palEngine_PublishState(created, 0.0, ticks);
    for (int loop = 0; loop < created->loopCount; loop++)
    {
        palEngine_LoopStep(created, loop, 0.0);
        palEngine_LoopPublish(created, loop);
    }
    *engine = created;
    return pal_ok;
}

void palEngine_Destroy(palEngine* engine)
{
    if (engine == NULL)
        return;
    palRealtime_Stop(engine);
    palReaders_Free(&engine->readers);
    palHands_Free(&engine->methods);
    palRunChanges_Free(&engine->changes);
    for (int loop = 0; loop < engine->loopCount; loop++)
        freeLoop(&engine->loops[loop]);
    palRing_Free(&engine->tickRecords);
    palRing_Free(&engine->contactRecords);
    free(engine->contacts.items);
    free(engine->takenContacts);
    free(engine);
}

uint64_t palEngine_TickCount(const palEngine* engine)
{
    double ticks = ceil(engine->def.seconds / engine->def.dt - 1e-9);
    return ticks < 1e18 ? (uint64_t)ticks : UINT64_MAX;
}

void palEngine_LowStep(palEngine* engine, double t)
{
    palEngine_LoopStep(engine, 0, t);
}

void palEngine_Publish(palEngine* engine)
{
    palEngine_LoopPublish(engine, 0);
}

void palEngine_LoopPublish(palEngine* engine, int loop)
{
    palTripleBuffer_Publish(&engine->loops[loop].snapshotBuffer);
}

bool palEngine_TakeLow(palEngine* engine, palLowRecord* record)
{
    for (int loop = 0; loop < engine->loopCount; loop++)
        if (palRing_Take(&engine->loops[loop].records, record))
            return true;
    return false;
}

void palEngine_Note(palEngine* engine, palTickRecord* record, int64_t nanoseconds)
{
    double seconds = 1e-9 * (double)nanoseconds;
    record->stepUs = 1e6 * seconds;
    engine->highStatistics.steps++;
    palHistogram_Add(&engine->highStatistics.stepTime, seconds);
    palHistogram_Add(&engine->snapshotAge, 1e-3 * record->snapshotAgeMs);
    palReaders_FillTick(engine, record);
    if (!engine->def.keepRecords)
        return;
    // The record comes last: whoever sees it finds its contacts.
    size_t size = palTickRecord_Size(record->handCount);
    palTickRecord kept;
    memcpy(&kept, record, size);
    kept.contactCount = 0;
    for (int i = 0; i < record->contactCount; i++)
        kept.contactCount += palRing_Put(&engine->contactRecords, &record->contacts[i]);
    palRing_Put(&engine->tickRecords, &kept);
}

bool palEngine_TakeTick(palEngine* engine, palTickRecord* record)
{
    if (!palRing_Take(&engine->tickRecords, record))
        return false;
    for (int i = 0; i < record->contactCount; i++)
        palRing_Take(&engine->contactRecords, &engine->takenContacts[i]);
    record->contacts = engine->takenContacts;
    return true;
}

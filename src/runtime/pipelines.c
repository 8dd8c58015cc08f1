// SPDX-License-Identifier: Apache-2.0
// The two pipelines. Stages that are a method's own are in src/render/NAME.c (render/method.h).
#include "base/clock.h"
#include "runtime/engine.h"
#include "world/step.h"

#include <string.h>

//--------------------------------------------------------------------------------------------------
// Low rate

// What is counted already; in lockstep this thread also does what another one does in real time.
static double sumOf(const palLowInfo* info)
{
    return info->freeMs + info->collideMs + info->complianceMs + info->solveMs +
           1e3 * info->workerSeconds;
}

// Runs a stage. What it did not count itself of the time since the last stage is counted as `ms`.
static void runStage(palMethod* method, palLowStage* stage, palLowStep* step, double* ms,
                     int64_t* since)
{
    if (stage == NULL)
        return;
    double before = sumOf(&step->info);
    stage(method, step);
    int64_t now = palClock_Now();
    double taken = 1e-6 * (double)(now - *since);
    *ms += fmax(0.0, taken - (sumOf(&step->info) - before));
    *since = now;
}

// Counts a region that was made smaller, and remembers the smallest. Relaxed: numbers for who
// watches, which nothing else depends on; one loop alone describes regions that are finite.
static void noteRegion(palEngine* engine, const palSnapshot* snapshot)
{
    if (!snapshot->shrunk)
        return;
    atomic_fetch_add_explicit(&engine->shrunkSteps, 1, memory_order_relaxed);
    double least = atomic_load_explicit(&engine->leastRegion, memory_order_relaxed);
    if (isfinite(snapshot->trustRadius) && (least == 0.0 || snapshot->trustRadius < least))
        atomic_store_explicit(&engine->leastRegion, snapshot->trustRadius, memory_order_relaxed);
}

// Counts and records a step that took `seconds`.
static void noteStep(palEngine* engine, int loop, double t, double seconds, const palLowStep* step)
{
    palEngineLoop* side = &engine->loops[loop];
    const palLowInfo* info = &step->info;
    if (info->isLarge)
    {
        palHistogram_Add(&side->statistics.factorAge, info->factorAge);
        palHistogram_Add(&side->statistics.factorTime, info->factorTime);
        palHistogram_Add(&side->statistics.freeIterations, info->freeIterations);
    }
    noteRegion(engine, step->snapshot);
    side->failures = info->failures;
    side->statistics.steps++;
    palHistogram_Add(&side->statistics.stepTime, seconds);
    side->record = (palLowRecord){
        .t = t,
        .stepMs = 1e3 * seconds,
        .freeMs = info->freeMs,
        .collideMs = info->collideMs,
        .complianceMs = info->complianceMs,
        .solveMs = info->solveMs,
        .contacts = info->contacts,
        .constraints = info->constraints,
        .iterations = info->iterations > 0 ? info->iterations : info->freeIterations,
        .residual = info->residual,
        .loop = loop,
    };
    if (engine->def.keepRecords)
        palRing_Put(&side->records, &side->record);
}

// The contacts that the low rate alone has; where a tick has none, those of the hand as well.
static void report(const palEngine* engine, palLowStep* step)
{
    const palMethod* method = engine->method;
    palContactReport* resting = &step->snapshot->resting;
    resting->count = resting->dropped = 0;
    if (method->world != NULL)
        palWorldStep_Report(method->world, method->ops->solve == NULL, resting);
}

// Where the low rate puts the problem of its contact; NULL: nowhere.
static void recordProblem(const palEngine* engine)
{
    if (engine->lowProblem != NULL)
        palProblemCopy_Clear(engine->lowProblem);
    if (engine->method->world != NULL)
        engine->method->world->problem = engine->lowProblem;
}

void palEngine_LoopStep(palEngine* engine, int loop, double t)
{
    const int64_t begin = palClock_Now();
    int64_t since = begin;
    bool isNew;
    palEngineLoop* side = &engine->loops[loop];
    palMethod* method = engine->method;
    palLowStep step = {
        .hand = &side->states[palTripleBuffer_Newest(&side->stateBuffer, &isNew)],
        .snapshot = &side->snapshots[palTripleBuffer_Back(&side->snapshotBuffer)],
    };
    if (loop == 0)
        recordProblem(engine);

    // L1, L2, L6: the slower bodies come to the time of the haptic state, through the forces that
    // the high rate gave them since the last step, and contact among themselves.
    runStage(method, method->ops->advance, &step, &step.info.solveMs, &since);
    report(engine, &step);
    // L3: what is near the hand.
    runStage(method, method->ops->find, &step, &step.info.collideMs, &since);
    // L4, L5: the rows or planes of it, and how everything gives way at dt.
    runStage(method, method->ops->describe, &step, &step.info.complianceMs, &since);
    // L6 of methods that move bodies by forces of the low rate alone.
    runStage(method, method->ops->settle, &step, &step.info.solveMs, &since);

    // What L7, palEngine_LoopPublish, will publish has the time of the state it was made for.
    step.snapshot->sequence = ++side->sequence;
    step.snapshot->time = step.hand->time;
    step.snapshot->proxy = step.hand->body.x;

    double seconds = 1e-9 * (double)(since - begin) - step.info.workerSeconds;
    noteStep(engine, loop, t, seconds, &step);
    // Outside the measured step: a watched run is judged as an unwatched one.
    palReaders_FillLow(engine, loop, &step);
}

//--------------------------------------------------------------------------------------------------
// High rate

// What every slower loop finds at its next step.
void palEngine_PublishState(palEngine* engine, double t, const palDeviceState* device, bool held)
{
    for (int loop = 0; loop < engine->loopCount; loop++)
    {
        palEngineLoop* side = &engine->loops[loop];
        palHapticState* state = &side->states[palTripleBuffer_Back(&side->stateBuffer)];
        state->time = t;
        state->body = engine->body;
        state->device = device->position;
        state->deviceSpeed = device->velocity;
        state->deviceTurn = device->orientation;
        state->deviceSpin = device->angularVelocity;
        state->held = held;
        if (engine->method->ops->writeState != NULL)
            engine->method->ops->writeState(engine->method, state);
        palTripleBuffer_Publish(&side->stateBuffer);
    }
}

// Contacts of the low rate are reported once, when they arrive.
static void takeResting(palEngine* engine, const palContactReport* resting)
{
    for (int i = 0; i < resting->count; i++)
        palContactReport_Add(&engine->contacts, &resting->items[i]);
    engine->contacts.dropped += resting->dropped;
    engine->restingCount = engine->contacts.count;
}

// H1: the device, the newest snapshot of every slower loop, and the age of the oldest, s.
static double readHand(palEngine* engine, double t, palTick* tick)
{
    double age = 0.0;
    engine->def.deviceOps->read(engine->def.device, t, &tick->device);
    tick->device.time = t;
    for (int loop = 0; loop < engine->loopCount; loop++)
    {
        bool isNew;
        palEngineLoop* side = &engine->loops[loop];
        tick->snapshots[loop] =
            &side->snapshots[palTripleBuffer_Newest(&side->snapshotBuffer, &isNew)];
        age = fmax(age, t - tick->snapshots[loop]->time);
        if (isNew)
            takeResting(engine, &tick->snapshots[loop]->resting);
    }
    return age;
}

// H6: the force through the safety layer to the device. Returns what the device gets.
static palVec3 writeHand(palEngine* engine, const palTick* tick, double age)
{
    palDeviceOutput* output = &engine->output;
    const palSafetyStep step = {
        .dt = engine->def.dt,
        .snapshotAge = age,
        .deviceAge = tick->device.age,
        .deviceFresh = tick->device.fresh,
        .impulse = tick->info.impulse,
    };
    output->channelCount = 1;
    output->channels[pal_channelPalm] = (palDeviceChannel){tick->info.force, tick->info.torque};
    output->gripperForce = 0.0;
    palSafety_Apply(&engine->safety, &step, output);
    engine->def.deviceOps->write(engine->def.device, output);
    return output->channels[pal_channelPalm].force;
}

static void runTickStage(palMethod* method, palTickStage* stage, palTick* tick)
{
    if (stage != NULL)
        stage(method, tick);
}

// Of the device's state all but the fingers, which only those drivers fill in that have any.
static void beginTick(palEngine* engine, palTick* tick)
{
    engine->contacts.count = engine->contacts.dropped = engine->restingCount = 0;
    if (engine->problem != NULL)
        palProblemCopy_Clear(engine->problem);
    memset(&tick->device, 0, offsetof(palDeviceState, fingers));
    tick->device.size = sizeof tick->device;
    tick->device.orientation = pal_identityQuat;
    memset(tick->snapshots, 0, sizeof tick->snapshots);
    tick->body = &engine->body;
    tick->info = (palHighInfo){
        .turn = pal_identityQuat,
        .converged = true,
        .surfaceGap = NAN,
        .problem = engine->problem,
        .contacts = &engine->contacts,
    };
}

// Every field, so that nothing has to be cleared first; `stepUs` is known after the tick.
static void fillRecord(const palEngine* engine, const palTick* tick, palVec3 out, double age,
                       palTickRecord* record)
{
    const palHighInfo* info = &tick->info;
    *record = (palTickRecord){
        .t = tick->device.time,
        .device = tick->device.position,
        .deviceTurn = tick->device.orientation,
        .proxy = engine->body.x,
        .proxyTurn = info->turn,
        .force = info->force,
        .torque = info->torque,
        .out = out,
        .handEnergy = tick->device.features & pal_featureHandEnergy ? tick->device.handEnergy : NAN,
        .constraints = info->constraints,
        .active = info->active,
        .iterations = info->iterations,
        .residual = info->residual,
        .stepUs = 0.0,
        .snapshotAgeMs = 1e3 * age,
        .surfaceGap = info->surfaceGap,
        .contactCount = engine->contacts.count,
        .contacts = engine->contacts.items,
        .held = info->held,
        .impulse = info->impulse,
        .converged = info->converged,
    };
}

void palEngine_Tick(palEngine* engine, double t, palTickRecord* record)
{
    palMethod* method = engine->method;
    palTick tick;
    beginTick(engine, &tick);

    double age = readHand(engine, t, &tick);              // H1: device and snapshots
    runTickStage(method, method->ops->moveFreely, &tick); // H2: without contact
    runTickStage(method, method->ops->findGaps, &tick);   // H3: to what the snapshots have
    runTickStage(method, method->ops->solve, &tick);      // H4: the contact forces
    runTickStage(method, method->ops->correct, &tick);    // H5: the motion under them
    palVec3 out = writeHand(engine, &tick, age);          // H6: force to the hand,
    palEngine_PublishState(engine, t, &tick.device, tick.info.held); // state to the low rate

    fillRecord(engine, &tick, out, age, record);
    engine->droppedContacts += (uint64_t)engine->contacts.dropped;
}

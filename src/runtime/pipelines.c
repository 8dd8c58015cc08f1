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

// The time of a low-rate step, stage by stage.
typedef struct palStageClock
{
    int64_t since;  // ns: the end of the last stage
    double counted; // ms, of palLowInfo at that time
} palStageClock;

// At the end of a stage: what it did not count itself of its time is counted as `ms`.
static void countStage(palStageClock* clock, const palLowInfo* info, double* ms)
{
    int64_t now = palClock_Now();
    double taken = 1e-6 * (double)(now - clock->since);
    *ms += fmax(0.0, taken - (sumOf(info) - clock->counted));
    *clock = (palStageClock){now, sumOf(info)};
}

// L1, L2, L6: the slower bodies come to the time of the haptic state, through the forces that the
// high rate gave them since the last step, and contact among themselves.
static void advance(const palHands* hands, palLowStep* step)
{
    if (hands->shared->ops->advance != NULL)
        hands->shared->ops->advance(hands->shared, step);
}

// L3: what is near the hands.
static void find(const palHands* hands, palLowStep* step)
{
    if (hands->shared->ops->find != NULL)
        hands->shared->ops->find(hands->shared, step);
    for (int i = 0; i < hands->count; i++)
        if (hands->methods[i]->ops->find != NULL)
            hands->methods[i]->ops->find(hands->methods[i], step);
}

// L4, L5: the rows or planes of it, and how everything gives way at dt.
static void describe(const palHands* hands, palLowStep* step)
{
    if (hands->shared->ops->describe != NULL)
        hands->shared->ops->describe(hands->shared, step);
    for (int i = 0; i < hands->count; i++)
        if (hands->methods[i]->ops->describe != NULL)
            hands->methods[i]->ops->describe(hands->methods[i], step);
}

// L6 of methods that move bodies by forces of the low rate alone.
static void settle(const palHands* hands, palLowStep* step)
{
    if (hands->shared->ops->settle != NULL)
        hands->shared->ops->settle(hands->shared, step);
}

// Counts a step with a region that was made smaller, and remembers the smallest. Relaxed: numbers
// for who watches, which nothing else depends on; one loop alone describes regions that are finite.
static void noteRegions(palEngine* engine, const palSnapshot* snapshot)
{
    bool isAny = false;
    for (int i = 0; i < engine->methods.count; i++)
    {
        const palHandSnapshot* hand = &snapshot->hands[i];
        double least = atomic_load_explicit(&engine->leastRegion, memory_order_relaxed);
        isAny = isAny || hand->shrunk;
        if (hand->shrunk && isfinite(hand->trustRadius) &&
            (least == 0.0 || hand->trustRadius < least))
            atomic_store_explicit(&engine->leastRegion, hand->trustRadius, memory_order_relaxed);
    }
    if (isAny)
        atomic_fetch_add_explicit(&engine->shrunkSteps, 1, memory_order_relaxed);
}

// Whether elements of a soft body of the loop are flat or inside out.
static bool hasInverted(const palEngine* engine, int loop)
{
    const palMethodDef* def = &engine->def.methodDef;
    for (int i = 0; i < def->colliderCount; i++)
        if (def->colliders[i].soft != NULL && def->colliders[i].loop == loop &&
            def->colliders[i].soft->invertedCount > 0)
            return true;
    return false;
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
    noteRegions(engine, step->snapshot);
    side->failures = info->failures;
    side->statistics.invertedSteps += hasInverted(engine, loop);
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

// The contacts that the low rate alone has; where a tick has none, those of the hands as well.
static void report(const palHands* hands, palLowStep* step)
{
    palContactReport* resting = &step->snapshot->resting;
    resting->count = resting->dropped = 0;
    if (hands->shared->world != NULL)
        palWorldStep_Report(hands->shared->world, hands->methods[0]->ops->solve == NULL, resting);
}

// Where the low rate puts the problem of its contact; NULL: nowhere.
static void recordProblem(const palEngine* engine)
{
    if (engine->lowProblem != NULL)
        palProblemCopy_Clear(engine->lowProblem);
    if (engine->methods.shared->world != NULL)
        engine->methods.shared->world->problem = engine->lowProblem;
}

// What L7, palEngine_LoopPublish, will publish has the time of the state it was made for.
static void stamp(const palHands* hands, palLowStep* step, uint64_t sequence)
{
    step->snapshot->sequence = sequence;
    step->snapshot->time = step->state->time;
    for (int i = 0; i < hands->count; i++)
        step->snapshot->hands[i].proxy = step->state->hands[i].body.x;
}

void palEngine_LoopStep(palEngine* engine, int loop, double t)
{
    const int64_t begin = palClock_Now();
    palStageClock clock = {.since = begin};
    bool isNew;
    palEngineLoop* side = &engine->loops[loop];
    const palHands* hands = &engine->methods;
    palLowStep step = {
        .state = &side->states[palTripleBuffer_Newest(&side->stateBuffer, &isNew)],
        .snapshot = &side->snapshots[palTripleBuffer_Back(&side->snapshotBuffer)],
    };
    palLowInfo* info = &step.info;
    if (loop == 0)
        recordProblem(engine);

    advance(hands, &step); // L1, L2, L6
    countStage(&clock, info, &info->solveMs);
    report(hands, &step);
    palRunChanges_ApplyLow(engine, loop);
    find(hands, &step); // L3
    countStage(&clock, info, &info->collideMs);
    describe(hands, &step); // L4, L5
    countStage(&clock, info, &info->complianceMs);
    settle(hands, &step); // L6
    countStage(&clock, info, &info->solveMs);
    stamp(hands, &step, ++side->sequence);

    double seconds = 1e-9 * (double)(clock.since - begin) - info->workerSeconds;
    noteStep(engine, loop, t, seconds, &step);
    // Outside the measured step: a watched run is judged as an unwatched one.
    palReaders_FillLow(engine, loop, &step);
}

//--------------------------------------------------------------------------------------------------
// High rate

// What every slower loop finds at its next step.
void palEngine_PublishState(palEngine* engine, double t, const palTick* ticks)
{
    const palHands* hands = &engine->methods;
    for (int loop = 0; loop < engine->loopCount; loop++)
    {
        palEngineLoop* side = &engine->loops[loop];
        palHapticState* state = &side->states[palTripleBuffer_Back(&side->stateBuffer)];
        state->time = t;
        for (int i = 0; i < hands->count; i++)
        {
            const palDeviceState* device = &ticks[i].device;
            palHapticHand* hand = &state->hands[i];
            hand->body = engine->hands[i].body;
            hand->device = device->position;
            hand->deviceSpeed = device->velocity;
            hand->deviceTurn = device->orientation;
            hand->deviceSpin = device->angularVelocity;
            hand->held = ticks[i].info.held;
            palRunChanges_WriteState(hands->methods[i], hand);
            if (hands->methods[i]->ops->writeState != NULL)
                hands->methods[i]->ops->writeState(hands->methods[i], hand);
        }
        if (hands->shared->ops->writeState != NULL)
            hands->shared->ops->writeState(hands->shared, state);
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

// Of the device's state all but the fingers, which only those drivers fill in that have any.
static palVec3 weightOf(const palMethodDef* def)
{
    double mass = def->tool != NULL ? def->tool->model.def.mass.mass : def->body.mass;
    return palScale(mass, def->body.gravity);
}

static void beginTick(palEngine* engine, palTick* ticks)
{
    engine->contacts.count = engine->contacts.dropped = engine->restingCount = 0;
    for (int i = 0; i < engine->methods.count; i++)
    {
        if (engine->problems[i] != NULL)
            palProblemCopy_Clear(engine->problems[i]);
        palTick* tick = &ticks[i];
        memset(&tick->device, 0, offsetof(palDeviceState, fingers));
        tick->device.size = sizeof tick->device;
        tick->device.orientation = pal_identityQuat;
        memset(tick->snapshots, 0, sizeof tick->snapshots);
        tick->body = &engine->hands[i].body;
        tick->info = (palHighInfo){
            .turn = pal_identityQuat,
            .converged = true,
            .surfaceGap = NAN,
            .carried = weightOf(&engine->methods.methods[i]->def),
            .problem = engine->problems[i],
            .contacts = &engine->contacts,
        };
    }
}

static double lengthSquared(palQuat q)
{
    return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}

// Whether a state can be: finite, not farther away than any scene reaches, a rotation.
static bool isUsable(const palDeviceState* state)
{
    const double farthest = 1000.0; // m
    return palLength(state->position) <= farthest && palIsFinite(state->velocity) &&
           palIsFinite(state->angularVelocity) &&
           fabs(lengthSquared(state->orientation) - 1.0) < 1e-3;
}

void palEngine_ReadDevice(palEngine* engine, int hand, double t, palDeviceState* state)
{
    const palEngineHandDef* def = &engine->def.hands[hand];
    palEngineHand* side = &engine->hands[hand];
    def->deviceOps->read(def->device, t, state);
    if (lengthSquared(state->orientation) == 0.0) // not measured
        state->orientation = side->device.orientation;
    if (isUsable(state))
    {
        side->device = *state;
    }
    else
    {
        // As if the device had been silent: it stays where it was, and the force fades.
        *state = side->device;
        state->velocity = state->angularVelocity = pal_zeroVec3;
        state->fresh = false;
    }
    state->time = t;
}

// H1: the devices, the newest snapshot of every slower loop, and the age of the oldest, s.
static double readHands(palEngine* engine, double t, palTick* ticks)
{
    double age = 0.0;
    engine->hasNewSnapshot = false;
    int count = engine->methods.count;
    for (int i = 0; i < count; i++)
        palEngine_ReadDevice(engine, i, t, &ticks[i].device);
    for (int loop = 0; loop < engine->loopCount; loop++)
    {
        bool isNew;
        palEngineLoop* side = &engine->loops[loop];
        const palSnapshot* newest =
            &side->snapshots[palTripleBuffer_Newest(&side->snapshotBuffer, &isNew)];
        age = fmax(age, t - newest->time);
        if (isNew)
            takeResting(engine, &newest->resting);
        engine->hasNewSnapshot = engine->hasNewSnapshot || isNew;
        for (int i = 0; i < count; i++)
            ticks[i].snapshots[loop] = newest;
    }
    for (int i = 0; i < count; i++)
        ticks[i].view = &ticks[i].snapshots[0]->hands[i];
    return age;
}

// H2: without contact.
static void moveFreely(const palHands* hands, palTick* ticks)
{
    for (int i = 0; i < hands->count; i++)
        if (hands->methods[i]->ops->moveFreely != NULL)
            hands->methods[i]->ops->moveFreely(hands->methods[i], &ticks[i]);
    if (hands->shared->ops->moveFreely != NULL)
        hands->shared->ops->moveFreely(hands->shared, ticks);
}

// H3, H4: the gaps to what the snapshots have, and the contact forces: hand by hand, and of what
// they share.
static void solve(const palHands* hands, palTick* ticks)
{
    for (int i = 0; i < hands->count; i++)
    {
        const palMethodOps* ops = hands->methods[i]->ops;
        if (ops->findGaps != NULL)
            ops->findGaps(hands->methods[i], &ticks[i]);
        if (ops->solve != NULL && !hands->shared->solvesHands)
            ops->solve(hands->methods[i], &ticks[i]);
    }
    if (hands->shared->ops->solve != NULL)
        hands->shared->ops->solve(hands->shared, ticks);
}

// H5: the motion under them, and the forces on the hands.
static void correct(const palHands* hands, palTick* ticks)
{
    for (int i = 0; i < hands->count; i++)
        if (hands->methods[i]->ops->correct != NULL)
            hands->methods[i]->ops->correct(hands->methods[i], &ticks[i]);
}

// H6: the forces through the safety layers to the devices.
static void writeHands(palEngine* engine, const palTick* ticks, double age)
{
    for (int i = 0; i < engine->methods.count; i++)
    {
        const palTick* tick = &ticks[i];
        palDeviceOutput* output = &engine->hands[i].output;
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
        palSafety_Apply(&engine->hands[i].safety, &step, output);
        engine->def.hands[i].deviceOps->write(engine->def.hands[i].device, output);
    }
}

// By how much the force on a hand at rest is not explained. Where a tick solves no contacts, those
// of the low rate are reported with its snapshot.
static double judgeForce(palEngine* engine, int hand, double t, const palTick* tick)
{
    const palMethodOps* ops = engine->methods.methods[hand]->ops;
    const palBalanceTick balance = {
        .t = t,
        .hand = hand,
        .device = tick->device.position,
        .proxy = engine->hands[hand].body.x,
        .info = &tick->info,
        .reports =
            ops->solve != NULL || engine->methods.shared->world == NULL || engine->hasNewSnapshot,
    };
    return palBalance_Judge(&engine->hands[hand].balance, &balance);
}

static void fillHand(const palEngineHand* hand, const palTick* tick, palHandRecord* record)
{
    const palHighInfo* info = &tick->info;
    *record = (palHandRecord){
        .device = tick->device.position,
        .deviceTurn = tick->device.orientation,
        .proxy = hand->body.x,
        .proxyTurn = info->turn,
        .force = info->force,
        .torque = info->torque,
        .out = hand->output.channels[pal_channelPalm].force,
        .handEnergy = tick->device.features & pal_featureHandEnergy ? tick->device.handEnergy : NAN,
        .constraints = info->constraints,
        .active = info->active,
        .iterations = info->iterations,
        .residual = info->residual,
        .surfaceGap = info->surfaceGap,
        .held = info->held,
        .impulse = info->impulse,
        .converged = info->converged,
        .buttons = tick->device.buttons,
    };
}

// Every field, so that nothing has to be cleared first; `stepUs` is known after the tick.
static void fillRecord(palEngine* engine, double t, const palTick* ticks, double age,
                       palTickRecord* record)
{
    record->t = t;
    record->stepUs = 0.0;
    record->snapshotAgeMs = 1e3 * age;
    record->contactCount = engine->contacts.count;
    record->contacts = engine->contacts.items;
    record->handCount = engine->methods.count;
    for (int i = 0; i < engine->methods.count; i++)
    {
        fillHand(&engine->hands[i], &ticks[i], &record->hands[i]);
        engine->hands[i].unexplained = judgeForce(engine, i, t, &ticks[i]);
        record->hands[i].unexplained = engine->hands[i].unexplained;
    }
}

// Counts a tick in which a description ended. Relaxed, as in noteRegions; this thread alone writes.
static void noteHeld(palEngine* engine, const palTick* ticks)
{
    bool isAny = false;
    for (int i = 0; i < engine->methods.count; i++)
    {
        double farthest = atomic_load_explicit(&engine->farthestBehind, memory_order_relaxed);
        isAny = isAny || ticks[i].info.held;
        if (ticks[i].info.behind > farthest)
            atomic_store_explicit(&engine->farthestBehind, ticks[i].info.behind,
                                  memory_order_relaxed);
    }
    if (isAny)
        atomic_fetch_add_explicit(&engine->heldTicks, 1, memory_order_relaxed);
}

// Likewise the speed of the hands at which joints came apart. It is what was seen: a gap does not
// fall with the speed by any law, since a rod under tension swings by itself.
static void noteSpeed(palEngine* engine, const palTick* ticks)
{
    const palHighInfo* info = &ticks[0].info;
    double top = atomic_load_explicit(&engine->topSpeed, memory_order_relaxed);
    double held = atomic_load_explicit(&engine->jointSpeed, memory_order_relaxed);
    for (int i = 0; i < engine->methods.count; i++)
        top = fmax(top, palLength(ticks[i].device.velocity));
    if (info->jointGap > pal_tolerableGap)
        held = fmin(held, top);
    atomic_store_explicit(&engine->isJoined, info->isJoined, memory_order_relaxed);
    atomic_store_explicit(&engine->topSpeed, top, memory_order_relaxed);
    atomic_store_explicit(&engine->jointSpeed, held, memory_order_relaxed);
}

// Likewise what a tick left open: its solver, and joints.
static void noteOpen(palEngine* engine, double t, const palTick* ticks)
{
    const palHighInfo* info = &ticks[0].info;
    double residual = atomic_load_explicit(&engine->largestResidual, memory_order_relaxed);
    double widest = atomic_load_explicit(&engine->widestGap, memory_order_relaxed);
    if (!info->converged)
    {
        atomic_fetch_add_explicit(&engine->unsolvedTicks, 1, memory_order_relaxed);
        atomic_store_explicit(&engine->largestResidual, fmax(residual, info->residual),
                              memory_order_relaxed);
    }
    if (!(info->jointGap > widest))
        return;
    atomic_store_explicit(&engine->widestGap, info->jointGap, memory_order_relaxed);
    atomic_store_explicit(&engine->widestAt, t, memory_order_relaxed);
    atomic_store_explicit(&engine->widestJoint, info->joint, memory_order_relaxed);
}

void palEngine_Tick(palEngine* engine, double t, palTickRecord* record)
{
    const palHands* hands = &engine->methods;
    palTick ticks[pal_handsMax];
    beginTick(engine, ticks);
    palRunChanges_ApplyTick(engine);

    double age = readHands(engine, t, ticks); // H1: devices and snapshots
    moveFreely(hands, ticks);                 // H2
    solve(hands, ticks);                      // H3, H4
    correct(hands, ticks);                    // H5
    writeHands(engine, ticks, age);           // H6: forces to the hands,
    palEngine_PublishState(engine, t, ticks); // state to the low rate

    fillRecord(engine, t, ticks, age, record);
    noteHeld(engine, ticks);
    noteOpen(engine, t, ticks);
    noteSpeed(engine, ticks);
    engine->droppedContacts += (uint64_t)engine->contacts.dropped;
}

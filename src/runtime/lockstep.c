// SPDX-License-Identifier: Apache-2.0
// The lockstep scheduler: both rates in one thread, in virtual time. A low-rate step is computed at
// once but its snapshot arrives `latency` later, as it would from another thread; nothing depends
// on how fast the machine is, so that a run repeats bit for bit.
#include "base/clock.h"
#include "runtime/engine.h"

static const uint64_t nothingUnderWay = UINT64_MAX;

// The snapshot of a loop that is due, and the step of it that is due.
static void slowLoop(palEngine* engine, int loop, uint64_t k, double t)
{
    palEngineLoop* slow = &engine->loops[loop];
    uint64_t every = (uint64_t)fmax(1.0, round(slow->dt / engine->def.dt));
    uint64_t latency = (uint64_t)round(slow->latency / engine->def.dt);
    if (k == slow->arrival)
    {
        palEngine_LoopPublish(engine, loop);
        slow->arrival = nothingUnderWay;
    }
    // A step that is due while another is under way waits for its next turn.
    if (k % every != 0 || slow->arrival != nothingUnderWay)
        return;
    palEngine_LoopStep(engine, loop, t);
    slow->arrival = latency > 0 ? k + latency : nothingUnderWay;
    if (latency == 0)
        palEngine_LoopPublish(engine, loop);
}

void palLockstep_Step(palEngine* engine, palTickRecord* record)
{
    int64_t called = palClock_Now();
    uint64_t k = engine->nextTick++;
    double t = (double)k * engine->def.dt;
    for (int loop = 0; loop < engine->loopCount; loop++)
        slowLoop(engine, loop, k, t);

    int64_t begin = palClock_Now();
    palEngine_Tick(engine, t, record);
    int64_t end = palClock_Now();
    palEngine_Note(engine, record, end - begin);
    // Nothing is late in virtual time: a miss is a step that would have been.
    engine->highStatistics.deadlineMisses += record->stepUs > 1e6 * engine->def.dt;
    double call = 1e-9 * (double)(end - called);
    engine->virtualTicks++;
    engine->longCalls += call > engine->def.dt;
    engine->longestCall = fmax(engine->longestCall, call);
}

palResult palRunLockstep(palEngine* engine, palRunObserver* observer, void* user, palError* error)
{
    (void)error;
    uint64_t ticks = palEngine_TickCount(engine);
    int64_t begin = palClock_Now();
    while (engine->nextTick < ticks && !atomic_load(&engine->stop))
    {
        palTickRecord record;
        palLockstep_Step(engine, &record);
        if (observer != NULL && engine->nextTick % engine->observeEvery == 0)
            observer(user, engine, (double)engine->nextTick / (double)ticks);
    }
    engine->wallSeconds += 1e-9 * (double)(palClock_Now() - begin);
    if (observer != NULL)
        observer(user, engine, 1.0);
    return pal_ok;
}

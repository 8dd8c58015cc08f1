// SPDX-License-Identifier: Apache-2.0
// The real-time scheduler: the high rate in a thread of its own with absolute deadlines, every
// slower loop in another, and the caller's thread free to observe. Or the high rate is ticked by
// the caller, from a loop of its own (palEngine_CallerTick), beside the threads of the slower ones.
//
// The high-rate thread asks for SCHED_FIFO and locked memory; where that is not permitted it goes
// on with ordinary scheduling and says so once (engine->schedulingNote). It sleeps until `spin`
// before each deadline and spins the rest, because a wake-up costs tens of microseconds.
//
// A step that ends after the next deadline is a deadline miss. Periods that were missed whole are
// given up, not made up in a burst: the run then lasts longer than its own time, which the summary
// shows as a real-time factor below 1.
#include "base/assert.h"
#include "base/clock.h"
#include "base/error.h"
#include "runtime/engine.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum
{
    fifoPriority = 80, // above the rest of the system, below the kernel's own threads
};

static const double usualObservation = 0.05; // s, how often the caller's thread looks

// The deadlines of one loop.
typedef struct palPacer
{
    int64_t next;   // ns, the deadline that is waited for
    int64_t period; // ns
    int64_t spin;   // ns
} palPacer;

// Waits for the next deadline and notes how late it was met.
static void waitForDeadline(palPacer* pacer, palLoopStatistics* statistics)
{
    if (palClock_Now() < pacer->next - pacer->spin)
        palClock_SleepUntil(pacer->next - pacer->spin);
    int64_t now;
    while ((now = palClock_Now()) < pacer->next)
    {
    }
    palHistogram_Add(&statistics->lateness, 1e-9 * (double)(now - pacer->next));
}

// Moves on to the next deadline; a step that overran it is a miss, and whole periods are given up.
static void advanceDeadline(palPacer* pacer, palLoopStatistics* statistics)
{
    pacer->next += pacer->period;
    int64_t overrun = palClock_Now() - pacer->next;
    if (overrun <= 0)
        return;
    statistics->deadlineMisses++;
    int64_t whole = overrun / pacer->period;
    statistics->skippedPeriods += (uint64_t)whole;
    pacer->next += whole * pacer->period;
}

// One of the slower loops.
typedef struct palSlowThread
{
    palEngine* engine;
    int loop;
    pthread_t thread;
} palSlowThread;

struct palRealtimeRun
{
    uint64_t first;             // the tick that it begins with
    int64_t start;              // ns, the first deadline of all loops
    _Atomic bool isStopped;     // after the present tick; from anyone
    _Atomic bool highEnded;     // no tick will follow
    _Atomic uint64_t ticksDone; // for progress only
    pthread_t high;
    bool hasHigh;  // else the caller ticks
    bool isLocked; // it is one of those that keep the memory locked
    palSlowThread slow[pal_loopsMax];
    int slowCount;
    int64_t lastTick; // ns, caller's loop: when the tick before should have begun; 0: none yet
};

static bool mustStop(palEngine* engine)
{
    return atomic_load(&engine->stop) || atomic_load(&engine->run->isStopped);
}

static void* highLoop(void* argument)
{
    palEngine* engine = argument;
    palRealtimeRun* run = engine->run;
    const palEngineDef* def = &engine->def;
    palLoopStatistics* statistics = &engine->highStatistics;
    palPacer pacer = {run->start, (int64_t)(1e9 * def->dt), (int64_t)(1e9 * def->spin)};
    uint64_t ticks = palEngine_TickCount(engine);
    for (uint64_t k = run->first; k < ticks && !mustStop(engine); k++)
    {
        waitForDeadline(&pacer, statistics);
        palTickRecord record;
        int64_t begin = palClock_Now();
        palEngine_Tick(engine, (double)k * def->dt, &record);
        palEngine_Note(engine, &record, palClock_Now() - begin);
        advanceDeadline(&pacer, statistics);
        engine->nextTick = k + 1;
        atomic_store_explicit(&run->ticksDone, k + 1, memory_order_relaxed); // for progress only
    }
    // Release: what this thread measured is visible to whoever sees that it ended.
    atomic_store_explicit(&run->highEnded, true, memory_order_release);
    return NULL;
}

static void* lowLoop(void* argument)
{
    palSlowThread* mine = argument;
    palEngine* engine = mine->engine;
    const palRealtimeRun* run = engine->run;
    int loop = mine->loop;
    palLoopStatistics* statistics = &engine->loops[loop].statistics;
    palPacer pacer = {run->start, (int64_t)(1e9 * engine->loops[loop].dt), 0};
    double began = (double)run->first * engine->def.dt;
    while (!atomic_load_explicit(&run->highEnded, memory_order_acquire))
    {
        waitForDeadline(&pacer, statistics);
        palEngine_LoopStep(engine, loop, began + 1e-9 * (double)(palClock_Now() - run->start));
        palEngine_LoopPublish(engine, loop);
        advanceDeadline(&pacer, statistics);
    }
    return NULL;
}

// Memory is locked for the process as a whole: by the first run that begins, until the last that
// locked it ends.
static pthread_mutex_t lockGuard = PTHREAD_MUTEX_INITIALIZER;
static int lockCount;

// Locked memory, or a note that it is not.
static void lockMemory(palEngine* engine)
{
    pthread_mutex_lock(&lockGuard);
    engine->run->isLocked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    int failure = errno;
    lockCount += engine->run->isLocked;
    pthread_mutex_unlock(&lockGuard);
    if (!engine->run->isLocked)
        snprintf(engine->schedulingNote, sizeof engine->schedulingNote,
                 "memory could not be locked (%s): page faults may delay steps; grant it with "
                 "'ulimit -l unlimited' or CAP_IPC_LOCK",
                 strerror(failure));
}

static void unlockMemory(palRealtimeRun* run)
{
    pthread_mutex_lock(&lockGuard);
    lockCount -= run->isLocked;
    if (run->isLocked && lockCount == 0)
        munlockall();
    run->isLocked = false;
    pthread_mutex_unlock(&lockGuard);
}

// Starts a thread. Where memory is locked its stack counts against what may be locked: better no
// lock than no thread. What other runs have locked stays so.
static int startThread(palEngine* engine, pthread_t* thread, const pthread_attr_t* attributes,
                       void* (*loop)(void*), void* argument)
{
    int failure = pthread_create(thread, attributes, loop, argument);
    if (failure != EAGAIN)
        return failure;
    unlockMemory(engine->run);
    pthread_mutex_lock(&lockGuard);
    if (lockCount > 0)
        mlockall(MCL_CURRENT);
    pthread_mutex_unlock(&lockGuard);
    snprintf(engine->schedulingNote, sizeof engine->schedulingNote,
             "memory is not locked, because a thread would not fit: page faults may delay steps; "
             "grant more with 'ulimit -l unlimited' or CAP_IPC_LOCK");
    return pthread_create(thread, attributes, loop, argument);
}

// Starts the high rate with SCHED_FIFO if it may, else with ordinary scheduling and a note.
static int startHighThread(palEngine* engine)
{
    pthread_t* thread = &engine->run->high;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    struct sched_param parameters = {.sched_priority = fifoPriority};
    pthread_attr_setschedparam(&attributes, &parameters);
    int failure = startThread(engine, thread, &attributes, highLoop, engine);
    pthread_attr_destroy(&attributes);
    if (failure != EPERM)
        return failure;
    snprintf(engine->schedulingNote, sizeof engine->schedulingNote,
             "no permission for SCHED_FIFO: running with ordinary scheduling, deadlines will be "
             "missed under load; grant it with 'ulimit -r 80' or CAP_SYS_NICE");
    return startThread(engine, thread, NULL, highLoop, engine);
}

static int startThreads(palEngine* engine, bool callerTicks)
{
    palRealtimeRun* run = engine->run;
    int failure = 0;
    for (int loop = 0; loop < engine->loopCount && failure == 0; loop++)
    {
        palSlowThread* slow = &run->slow[loop];
        *slow = (palSlowThread){.engine = engine, .loop = loop};
        failure = startThread(engine, &slow->thread, NULL, lowLoop, slow);
        run->slowCount += failure == 0;
    }
    if (failure == 0 && !callerTicks)
    {
        failure = startHighThread(engine);
        run->hasHigh = failure == 0;
    }
    return failure;
}

palResult palRealtime_Start(palEngine* engine, bool callerTicks, palError* error)
{
    const int64_t headStart = 2000000; // ns from here to the first deadline
    PAL_ASSERT(engine->run == NULL);
    engine->run = calloc(1, sizeof *engine->run);
    if (engine->run == NULL)
        return palError_Memory(error, "a run in real time", sizeof *engine->run);
    lockMemory(engine); // takes its time, so before the clock starts
    engine->run->first = engine->nextTick;
    engine->run->start = palClock_Now() + headStart;
    engine->inRealTime = true;
    int failure = startThreads(engine, callerTicks);
    if (failure == 0)
        return pal_ok;
    palRealtime_Stop(engine);
    palError_Set(error, pal_errorRun, "cannot start a thread: %s", strerror(failure));
    return palError_Remedy(error,
                           "raise the limit on threads (ulimit -u), or run without --realtime");
}

bool palRealtime_IsOver(const palEngine* engine)
{
    return engine->run == NULL ||
           atomic_load_explicit(&engine->run->highEnded, memory_order_acquire);
}

bool palRealtime_IsCallers(const palEngine* engine)
{
    return engine->run != NULL && !engine->run->hasHigh;
}

void palRealtime_Observe(palEngine* engine, palRunObserver* observer, void* user)
{
    double ticks = (double)palEngine_TickCount(engine);
    double every = engine->def.observePeriod;
    int64_t period = (int64_t)(1e9 * (every > 0.0 ? every : usualObservation));
    int64_t next = palClock_Now();
    while (!palRealtime_IsOver(engine))
    {
        next += period;
        palClock_SleepUntil(next);
        uint64_t done = atomic_load_explicit(&engine->run->ticksDone, memory_order_relaxed);
        if (observer != NULL)
            observer(user, engine, (double)done / ticks);
    }
}

void palRealtime_Stop(palEngine* engine)
{
    palRealtimeRun* run = engine->run;
    if (run == NULL)
        return;
    atomic_store(&run->isStopped, true);
    if (run->hasHigh)
        pthread_join(run->high, NULL);
    atomic_store_explicit(&run->highEnded, true, memory_order_release);
    for (int loop = 0; loop < run->slowCount; loop++)
        pthread_join(run->slow[loop].thread, NULL);
    engine->inRealTime = false;
    unlockMemory(run);
    engine->wallSeconds += 1e-9 * (double)(palClock_Now() - run->start);
    engine->run = NULL;
    free(run);
}

palResult palRunRealtime(palEngine* engine, palRunObserver* observer, void* user, palError* error)
{
    palResult result = palRealtime_Start(engine, false, error);
    if (result == pal_ok)
        palRealtime_Observe(engine, observer, user);
    palRealtime_Stop(engine);
    if (observer != NULL)
        observer(user, engine, 1.0);
    return result;
}

//--------------------------------------------------------------------------------------------------
// The caller's own loop

// Notes how late a tick begins: a period after the one before it is in time, half a period more is
// a deadline missed, and whole periods are given up.
static void noteInterval(palRealtimeRun* run, int64_t period, int64_t begin,
                         palLoopStatistics* statistics)
{
    int64_t late = run->lastTick != 0 ? begin - (run->lastTick + period) : 0;
    palHistogram_Add(&statistics->lateness, 1e-9 * (double)(late > 0 ? late : 0));
    if (2 * late > period)
        statistics->deadlineMisses++;
    if (late > period)
        statistics->skippedPeriods += (uint64_t)(late / period);
}

void palEngine_CallerTick(palEngine* engine, palTickRecord* record)
{
    palRealtimeRun* run = engine->run;
    palLoopStatistics* statistics = &engine->highStatistics;
    int64_t period = (int64_t)(1e9 * engine->def.dt);
    int64_t begin = palClock_Now();
    noteInterval(run, period, begin, statistics);
    palEngine_Tick(engine, (double)engine->nextTick * engine->def.dt, record);
    int64_t end = palClock_Now();
    palEngine_Note(engine, record, end - begin);
    if (end - begin > period)
        statistics->deadlineMisses++;
    // A tick that overran is counted once: the next is late only by what the caller adds.
    run->lastTick = end - begin > period ? end - period : begin;
    engine->callerTicks++;
    engine->nextTick++;
    atomic_store_explicit(&run->ticksDone, engine->nextTick, memory_order_relaxed);
}

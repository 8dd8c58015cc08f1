// SPDX-License-Identifier: Apache-2.0
// The engine: hands, each with a device, a haptic body and the method of what it holds; what they
// share; and the two pipelines that drive them.
//
// palEngine_LoopStep is L1..L7 without the publishing, palEngine_Tick is H1..H6; both are in
// pipelines.c: start reading there. Two schedulers call them: lockstep.c (one thread, virtual time,
// bit-identical from run to run) and realtime.c (threads of their own with absolute deadlines; or
// the caller ticks in its own loop). The engine itself knows no clock but the t that it is given.
//
// A method may have further loops besides the low-rate one (method compliance): each has its own
// pair of triple buffers with the high rate, its own thread or turn, and nothing else.
//
// Who touches what: the devices and all under "high rate" belong to the high-rate thread while a
// run lasts, each of `loops` to the thread of that loop; they meet in the two triple buffers only.
#ifndef PAL_RUNTIME_ENGINE_H
#define PAL_RUNTIME_ENGINE_H

#include "base/histogram.h"
#include "device/safety.h"
#include "render/method.h"
#include "runtime/balance.h"
#include "runtime/changes.h"
#include "runtime/reader.h"
#include "runtime/record.h"
#include "runtime/triple_buffer.h"

typedef struct palEngineHandDef
{
    const palMethodOps* method;  // the form for what it holds; of one method for all hands
    palPointModel body;          // the haptic body and its coupling
    const palTool* tool;         // borrowed; NULL: it holds a point or a wire
    double tipRadius;            // m, of a point; 0: none
    const palPilePart* toolPart; // borrowed: as palMethodDef has it
    int pick;                    // likewise
    const palDeviceOps* deviceOps;
    palDevice* device; // borrowed, open
    palSafetyDef safety;
} palEngineHandDef;

typedef struct palEngineDef
{
    palEngineHandDef hands[pal_handsMax];
    int handCount;          // 0 means 1
    palMethodDef methodDef; // what is the same for all hands; colliders borrowed
    double dt;              // s, high rate
    double lowDt;           // s, low rate
    double latency;         // s, lockstep: from the start of a low-rate step to its arrival
    double seconds;         // length of the run; infinite: until it is stopped
    double spin;            // s, real time: the end of each wait that is spun
    double observePeriod;   // s, real time: how often the caller's thread looks; 0: 20 Hz
    bool keepRecords;       // fill the rings; someone must drain them

    // Loops besides the first low-rate one, which is number 0 (method compliance).
    int furtherCount;
    double furtherDt[pal_loopsMax - 1];      // s
    double furtherLatency[pal_loopsMax - 1]; // s, as latency
} palEngineDef;

/// What a loop measured. Written by its own thread; read after the run.
typedef struct palLoopStatistics
{
    palHistogram stepTime; // s
    palHistogram lateness; // s, real time: wake-up after the deadline
    uint64_t steps;
    _Atomic uint64_t deadlineMisses; // steps that ended after the next one should have begun; may
                                     // be read at any time
    uint64_t skippedPeriods;         // real time: periods given up to catch up

    uint64_t invertedSteps; // in which elements of soft bodies were flat or inside out

    // Of large soft bodies (body/soft_factor.h); empty without them.
    palHistogram factorAge;      // s
    palHistogram factorTime;     // s
    palHistogram freeIterations; // of their free motion
} palLoopStatistics;

/// A loop slower than the high rate. Number 0 is the low rate that every method has.
typedef struct palEngineLoop
{
    double dt;      // s
    double latency; // s, lockstep: from the start of a step to its arrival
    palLoopStatistics statistics;
    palRing records;                // of palLowRecord
    palLowRecord record;            // of the last step
    uint64_t sequence;              // of the newest snapshot
    int failures;                   // systems of bodies that could not be factored
    palTripleBuffer snapshotBuffer; // to the high rate
    palSnapshot snapshots[3];
    palTripleBuffer stateBuffer; // from the high rate
    palHapticState states[3];
    uint64_t arrival; // lockstep: the tick at which the snapshot under way arrives
} palEngineLoop;

/// One hand at the high rate.
typedef struct palEngineHand
{
    palPointState body;
    palSafety safety;
    palDeviceOutput output; // of the last tick
    palDeviceState device;  // the last state that could be used
    palBalance balance;
    double unexplained; // N, of the force of the last tick; NAN: not judged
} palEngineHand;

typedef struct palRealtimeRun palRealtimeRun;

static const double pal_tolerableGap = 1e-4; // m, of a joint between bodies of different rates

typedef struct palEngine
{
    palEngineDef def;
    palHands methods; // owned: of the hands, and what they share

    // Low rate.
    palEngineLoop loops[pal_loopsMax];
    int loopCount;                // at least 1
    _Atomic uint64_t shrunkSteps; // whose region was smaller than asked for; may be read any time
    _Atomic double leastRegion;   // m, the smallest trust radius of those; 0: none; likewise

    // High rate.
    bool hasNewSnapshot; // in this tick
    palEngineHand hands[pal_handsMax];
    palHistogram snapshotAge; // s
    palLoopStatistics highStatistics;
    _Atomic uint64_t heldTicks;     // in which a hand had left what was described; may be read any
                                    // time
    _Atomic double farthestBehind;  // m, of its haptic body then; likewise
    _Atomic uint64_t unsolvedTicks; // whose solver did not reach its accuracy; likewise
    _Atomic double largestResidual; // m, of these; likewise
    _Atomic double widestGap;       // m: how far a joint was open at most, ...
    _Atomic double widestAt;        // s, ... when, ...
    _Atomic int widestJoint;        // ... and which; all likewise
    _Atomic bool isJoined;          // joints tie bodies of different rates; likewise
    _Atomic double topSpeed;        // m/s, of the hands so far; likewise
    _Atomic double jointSpeed;      // m/s, that the hands had reached when one opened first;
                                    // infinite: none has; likewise
    palRing tickRecords;            // of palTickRecord
    palRing contactRecords;         // of palContactForce: those of each tick, before its record
    palContactReport contacts;      // of the last tick; memory owned
    int restingCount;               // of them the first, which the low rate found
    uint64_t droppedContacts;       // that pushed and found no room
    palContactForce* takenContacts; // owned, [contacts.capacity]; the caller's thread

    palReaders readers;    // for other threads
    palRunChanges changes; // by other threads

    // Lockstep: where every tick, by hand, and every step of the low rate puts the problem that it
    // solved (borrowed, or NULL), and after how many ticks the observer is called. A problem of all
    // hands is put where that of the first would be.
    palProblemCopy* problems[pal_handsMax];
    palProblemCopy* lowProblem;
    uint64_t observeEvery;

    // A run in real time, while it lasts, and whether one does. Written by the schedulers.
    palRealtimeRun* run; // owned
    bool inRealTime;

    // Ticks that were not made by the high-rate thread: by the caller's own loop on the clock, and
    // in virtual time, where the thread of the ticks also makes the low-rate steps.
    uint64_t callerTicks;
    uint64_t virtualTicks;
    uint64_t longCalls; // of these, with their low-rate step, took longer than dt
    double longestCall; // s

    // From anyone: ends the run after the present step.
    _Atomic bool stop;

    uint64_t nextTick; // the tick to come

    // Filled by the scheduler: what it could not do, and the wall time of all runs so far.
    char schedulingNote[256];
    double wallSeconds;
} palEngine;

/// The usual numbers of a scene: 1 kHz and 30 Hz, contacts sought within 20 mm, one hand with a
/// proxy of 1 g on a coupling of 1000 N/m. Without a device and without anything to touch.
palEngineDef palDefaultEngineDef(const palMethodOps* method);

palResult palEngine_Create(const palEngineDef* def, palEngine** engine, palError* error);
void palEngine_Destroy(palEngine* engine);

/// L1..L6 for time t, into the back slot of the snapshot buffer. Low-rate thread.
void palEngine_LowStep(palEngine* engine, double t);
/// L7: makes that snapshot the newest. Low-rate thread.
void palEngine_Publish(palEngine* engine);
/// The same for any loop slower than the high rate, from 0; each has a thread of its own.
void palEngine_LoopStep(palEngine* engine, int loop, double t);
void palEngine_LoopPublish(palEngine* engine, int loop);
/// Takes the record of a high-rate step, with its contacts. Returns false where there is none.
bool palEngine_TakeTick(palEngine* engine, palTickRecord* record);
/// Takes a record of a low-rate step out of any loop's ring. Returns false where all are empty.
bool palEngine_TakeLow(palEngine* engine, palLowRecord* record);
/// H1, the device of one hand: its state, or the last one where it has none that can be used.
void palEngine_ReadDevice(palEngine* engine, int hand, double t, palDeviceState* state);
/// H6, the part to the low rate: what every slower loop finds at its next step. High-rate thread.
void palEngine_PublishState(palEngine* engine, double t, const palTick* ticks);
/// H1..H6 for time t. High-rate thread. Real-time: see render/method.h for the contract.
void palEngine_Tick(palEngine* engine, double t, palTickRecord* record);

/// Counts and records a tick that took `nanoseconds`. High-rate thread, after palEngine_Tick.
void palEngine_Note(palEngine* engine, palTickRecord* record, int64_t nanoseconds);

/// What the next steps begin from, between two ticks of lockstep or after a run in real time
/// (archive.c).
void palEngine_Archive(palEngine* engine, palArchive* archive);

/// The number of high-rate steps of the whole run.
uint64_t palEngine_TickCount(const palEngine* engine);

/// Called by a scheduler between steps, never from a real-time thread: drain the rings, show
/// progress. `done` is 0..1.
typedef void palRunObserver(void* user, palEngine* engine, double done);

/// One high-rate step in virtual time, with the low-rate step and the arrival of a snapshot that
/// are due before it. Deterministic.
void palLockstep_Step(palEngine* engine, palTickRecord* record);
/// Runs from the present tick to the end, or until `stop`, in one thread in virtual time.
palResult palRunLockstep(palEngine* engine, palRunObserver* observer, void* user, palError* error);
/// Runs from the present tick to the end, or until `stop`, in real time, with a thread for every
/// rate; the caller's observes.
palResult palRunRealtime(palEngine* engine, palRunObserver* observer, void* user, palError* error);

// The parts of palRunRealtime, for runs that go on while the caller does something else. Start and
// Stop do not overlap with any other of these: a loop of the caller's ends before Stop.

/// Starts the threads and returns. With `callerTicks` only the slower loops have threads, and the
/// high rate is the caller's: palEngine_CallerTick.
palResult palRealtime_Start(palEngine* engine, bool callerTicks, palError* error);
/// Calls the observer now and then until the run is over, not from a real-time thread.
void palRealtime_Observe(palEngine* engine, palRunObserver* observer, void* user);
/// Whether the high rate has come to the end of the run, or was stopped.
bool palRealtime_IsOver(const palEngine* engine);
/// Whether a run lasts whose high rate is the caller's.
bool palRealtime_IsCallers(const palEngine* engine);
/// Ends the run after the present steps and joins the threads. Does nothing where none runs.
void palRealtime_Stop(palEngine* engine);

/// H1..H6 of the next tick, in the caller's own high-rate loop: one thread at a time, after
/// palRealtime_Start with `callerTicks`, every dt. Not limited by the length of the run. Never
/// contains low-rate work; real-time, but for two looks at the clock. A deadline is missed where
/// the call comes half a period late, counted from the one before, or takes longer than dt.
void palEngine_CallerTick(palEngine* engine, palTickRecord* record);

#endif

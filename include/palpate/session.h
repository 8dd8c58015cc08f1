// SPDX-License-Identifier: Apache-2.0
// Palpate: a session is a scene brought to life: its meshes loaded, its device open, its method
// ready. Run it whole, or step it inside a loop of your own.
//
//     palSessionDef def = palDefaultSessionDef();
//     def.scene = "scenes/sine-static.yaml";
//     palSession* session;
//     palError error;
//     if (palSession_Create(&def, &session, &error) != pal_ok) ...
//     palStep step = {0};
//     while (step.t < 1.0)
//         palSession_Step(session, &step);       // step.force is what the hand feels, N
//     palSession_Destroy(session);
//
// THREADS. A session belongs to one thread at a time. While palSession_Run lasts only
// palSession_Stop may be called by others. Two sessions share nothing.
//
// A palError may be NULL where only the result is wanted. docs/embedding.md tells the whole.
#ifndef PALPATE_SESSION_H
#define PALPATE_SESSION_H

#include <palpate/device.h>

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct palSession palSession;

/// What a session is made of. Everything is borrowed: the device until the session is destroyed,
/// the rest until palSession_Create returns.
typedef struct palSessionDef
{
    const char* scene;       ///< path of a scene file
    const char* const* sets; ///< [setCount], "path.to.key=value", applied to the scene before it is
                             ///< checked
    int setCount;
    const palDeviceOps* deviceOps; ///< a driver of your own in place of the scene's, of which only
                                   ///< limits, read and write are called; or NULL
    palDevice* device;             ///< and the device that it opened
} palSessionDef;

/// No scene, no changes, the scene's own device.
PAL_API palSessionDef palDefaultSessionDef(void);

/// Reads the scene, loads its meshes, opens its device. *session is NULL after a failure.
PAL_API palResult palSession_Create(const palSessionDef* def, palSession** session,
                                    palError* error);
/// Not while it runs; NULL is allowed.
PAL_API void palSession_Destroy(palSession* session);

/// Notes and warnings of the set-up: what a mesh check found, what was clamped. Returns NULL past
/// the end. *isWarning tells a warning from a note. A run may add some. Valid until the session is
/// run or destroyed.
PAL_API const palError* palSession_Message(const palSession* session, int index, bool* isWarning);

typedef enum palRunMode
{
    pal_modeLockstep, ///< one thread, virtual time, bit-identical from run to run
    pal_modeRealtime, ///< a thread a rate, absolute deadlines
} palRunMode;

/// Called now and then from the thread that called palSession_Run; `done` is 0..1.
typedef void palProgressFn(void* user, double done);

typedef struct palRunDef
{
    palRunMode mode;
    const char* directory; ///< gets haptic.csv, low.csv and summary.json; NULL: nothing is written
    bool contacts;         ///< the directory also gets contacts.csv: what touches what, and how
    const char* problems;  ///< lockstep: gets the contact problem of every step that has one, as
                           ///< files for `palpate solve`; NULL: none
    palProgressFn* progress; ///< NULL: none
    void* user;              ///< for progress
} palRunDef;

/// Runs the scene from its present time to its end, or until it is stopped.
PAL_API palResult palSession_Run(palSession* session, const palRunDef* def, palError* error);

/// Ends a run after the present step; what was recorded is kept, and the next run goes on from
/// there. May be called from any thread and from a signal handler.
PAL_API void palSession_Stop(palSession* session);

/// What one high-rate step did.
typedef struct palStep
{
    double t;       ///< s
    palVec3 device; ///< where the device point is, m
    palVec3 proxy;  ///< where the haptic body is, m
    palQuat turn;   ///< the proxy's orientation; identity where it is a point
    palVec3 force;  ///< on the hand, world frame, before the safety layer, N
    palVec3 torque; ///< about the device point, N·m
    palVec3 out;    ///< the force after the safety layer, N
    int active;     ///< constraint rows that push
} palStep;

/// Takes one high-rate step in lockstep, with the low-rate step that is due before it. The length
/// of the scene's run is no limit.
PAL_API void palSession_Step(palSession* session, palStep* step);

/// The summary of what ran so far, as JSON; valid until the next call. NULL without memory.
PAL_API const char* palSession_Summary(palSession* session);

/// A plain sentence on whether the scene fits its time budget; valid until the next call.
PAL_API const char* palSession_Verdict(palSession* session);

#ifdef __cplusplus
}
#endif
#endif

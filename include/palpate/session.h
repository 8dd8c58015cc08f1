// SPDX-License-Identifier: Apache-2.0
// Palpate: a session is a loaded scene: its meshes are loaded, its device is open, its method is
// initialised. Run it to the end, or step it in your own loop.
//
//     palSessionDef def = palDefaultSessionDef();
//     def.scene = "scenes/sine-static.yaml";
//     palSession* session;
//     palError error;
//     if (palSession_Create(&def, &session, &error) != pal_ok) ...
//     palStep step = {0};
//     while (step.t < 1.0)
//         palSession_Step(session, &step);       // step.force: force on the hand, N
//     palSession_Destroy(session);
//
// THREADS. A session may be used by one thread at a time. During palSession_Run other threads may
// call only palSession_Stop. Two sessions share no data.
//
// A palError argument may be NULL. See docs/embedding.md for details.
#ifndef PALPATE_SESSION_H
#define PALPATE_SESSION_H

#include <palpate/device.h>

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct palSession palSession;

/// The parameters of a session. All pointers are borrowed: the device until the session is
/// destroyed, the others until palSession_Create returns.
typedef struct palSessionDef
{
    const char* scene;       ///< path of a scene file
    const char* const* sets; ///< [setCount], "path.to.key=value", applied to the scene before it is
                             ///< checked
    int setCount;
    const palDeviceOps* deviceOps; ///< your own driver, which replaces the scene's; only limits,
                                   ///< read and write are called; NULL: the scene's driver
    palDevice* device;             ///< the device opened by deviceOps
} palSessionDef;

/// No scene, no changes, the device of the scene.
PAL_API palSessionDef palDefaultSessionDef(void);

/// Reads the scene, loads its meshes, opens its device. *session is NULL after a failure.
PAL_API palResult palSession_Create(const palSessionDef* def, palSession** session,
                                    palError* error);
/// Must not be called during a run; NULL is allowed.
PAL_API void palSession_Destroy(palSession* session);

/// Notes and warnings of the set-up by index: results of mesh checks, clamped values. Returns NULL
/// past the end. *isWarning distinguishes warnings from notes. A run may add messages. Valid until
/// the session is run or destroyed.
PAL_API const palError* palSession_Message(const palSession* session, int index, bool* isWarning);

typedef enum palRunMode
{
    pal_modeLockstep, ///< one thread, virtual time, bit-identical from run to run
    pal_modeRealtime, ///< one thread per rate, absolute deadlines
} palRunMode;

/// Called periodically from the thread that called palSession_Run; `done` is 0..1.
typedef void palProgressFn(void* user, double done);

typedef struct palRunDef
{
    palRunMode mode;
    const char* directory; ///< for haptic.csv, low.csv, summary.json and scene.yaml; NULL: nothing
                           ///< is written
    bool contacts;         ///< also write contacts.csv: the contacts of every step
    const char* problems;  ///< lockstep: directory for the contact problems of every step of both
                           ///< rates, as files for `palpate solve`; NULL: none
    palProgressFn* progress; ///< NULL: none
    void* user;              ///< for progress
} palRunDef;

/// Runs the scene from its current time to its end, or until it is stopped.
PAL_API palResult palSession_Run(palSession* session, const palRunDef* def, palError* error);

/// Ends a run after the current step; recorded data are kept, and the next run continues from
/// there. May be called from any thread and from a signal handler.
PAL_API void palSession_Stop(palSession* session);

/// The result of one high-rate step, for the first hand of the scene.
typedef struct palStep
{
    double t;       ///< s
    palVec3 device; ///< position of the device point, m
    palVec3 proxy;  ///< position of the proxy, m
    palQuat turn;   ///< orientation of the proxy; identity if it is a point
    palVec3 force;  ///< on the hand, world frame, before the safety layer, N
    palVec3 torque; ///< about the device point, N·m
    palVec3 out;    ///< the force after the safety layer, N
    int active;     ///< active constraint rows
} palStep;

/// Performs one high-rate step in lockstep, preceded by the low-rate step if it is due. Not limited
/// by the length of the scene's run.
PAL_API void palSession_Step(palSession* session, palStep* step);

/// The same step of another hand, from 0: after palSession_Step, or a tick of your own loop. Zero
/// where the scene has fewer.
PAL_API void palSession_HandStep(const palSession* session, int hand, palStep* step);

/// The summary of the run so far as JSON; valid until the next call. NULL if out of memory.
PAL_API const char* palSession_Summary(palSession* session);

/// A text stating whether the scene fits its time budget; valid until the next call.
PAL_API const char* palSession_Verdict(palSession* session);

#ifdef __cplusplus
}
#endif
#endif

// SPDX-License-Identifier: Apache-2.0
// What the program may see of a session beyond the public header.
#ifndef PAL_SCENE_SESSION_H
#define PAL_SCENE_SESSION_H

#include "runtime/engine.h"
#include "runtime/measure.h"
#include "scene/bodies.h"

#include <palpate/session.h>

/// Someone who looks on while the session runs. Everything is called from the thread that runs the
/// session, outside the two loops; each function may be NULL.
typedef struct palSessionWatch
{
    void (*tick)(void* user, const palTickRecord* record,
                 const double* energy); // J, by hand: work of the force on the device so far
    void (*low)(void* user, const palLowRecord* record);
    void (*drawing)(void* user, const palDrawing* drawing);
    void* user;
    double every;   // s between looks, in real time
    bool isEndless; // the run goes on past the scene's end
} palSessionWatch;

/// Not while a run lasts.
palResult palSession_Watch(palSession* session, const palSessionWatch* watch, palError* error);

/// A run in real time beside the caller: in threads of its own or, with `callerTicks`, with the
/// high rate in the caller's loop, which calls palSession_Tick every dt (runtime/engine.h).
palResult palSession_Start(palSession* session, bool callerTicks, palError* error);
/// High-rate thread of the caller.
void palSession_Tick(palSession* session, palStep* step);
/// Takes what the loops recorded, for the summary, the recording and the watch: at least once in
/// 16 s at 1 kHz, else records are dropped and counted. One thread, not the high rate's.
void palSession_Observe(palSession* session);
/// Ends the run. The caller's loop has ended before.
void palSession_End(palSession* session);

/// Whether a change "path=value", or a path, is of a value that can change while a run lasts:
/// gravity, objects.N.friction, objects.N.soft.young and stiffening, coupling.stiffness and
/// coupling.damping, at the top or of a hand.
bool palSession_IsLiveKey(const char* path);
/// Takes the session to the scene with these changes, which differ from the present ones in such
/// values only (runtime/changes.h). *isApplied is false where that takes another session after all:
/// the scene is then valid, and nothing was changed that a new session does not bring. Fails where
/// the scene refuses a value. At any time, from the thread that observes.
palResult palSession_Change(palSession* session, const char* const* sets, int setCount,
                            bool* isApplied, palError* error);

/// Whether drawings carry the stress of soft bodies, which costs the low rate about a millisecond a
/// step. At any time.
void palSession_DrawStress(palSession* session, bool wanted);
/// Adds the stress to a drawing of the bodies as they are, a bounded part of it each time. Not
/// while a run lasts.
void palSession_AddStress(palSession* session, palDrawing* drawing);

/// Records from here on, over several runs if need be, until it is stopped. Starting writes
/// scene.yaml, stopping summary.json. Not while a run lasts.
palResult palSession_StartRecording(palSession* session, const char* directory, palError* error);
palResult palSession_StopRecording(palSession* session, palError* error);

/// Lets the mouse take the hands of a scene that has several (device/steered.h); nothing where
/// there is only one. Before the first run.
palResult palSession_LetSteer(palSession* session, palError* error);
/// The mouse takes that hand, and leaves the one that it had; -1: it leaves it only. At any time.
void palSession_Steer(palSession* session, int hand);
/// The hand that the mouse has; -1: none.
int palSession_SteeredHand(const palSession* session);
/// The device that gets the samples of the mouse (device/browser.h): that of the hand that it has;
/// NULL: none.
palDevice* palSession_MouseDevice(palSession* session);
/// Whether the mouse has, or may take, a hand.
bool palSession_HasMouse(const palSession* session);
const palSceneBodies* palSession_Bodies(const palSession* session);
const palScene* palSession_Scene(const palSession* session);
const palEngine* palSession_Engine(const palSession* session);
const palMeasure* palSession_Measure(const palSession* session);

#endif

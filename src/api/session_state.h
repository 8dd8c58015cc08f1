// SPDX-License-Identifier: Apache-2.0
// What a session consists of; shared by the files of it: session.c runs it, session_setup.c makes
// what it needs, session_summary.c writes the results.
#ifndef PAL_API_SESSION_STATE_H
#define PAL_API_SESSION_STATE_H

#include "api/session.h"
#include "runtime/recording.h"
#include "runtime/verdict.h"

/// A hand: its device, and the coupling and the limits that the device allows.
typedef struct palSessionHand
{
    palTrajectory* trajectory; // owned; NULL with a device of the caller's
    const palDeviceOps* deviceOps;
    palDevice* device;
    bool ownsDevice;
    palPointModel body;
    palSafetyDef safety;
    palTool tool; // where it holds one; the surface is the world's
} palSessionHand;

struct palSession
{
    palScene scene;
    palMessages messages;
    palSceneBodies world;
    palSessionHand hands[pal_handsMax];
    int handCount;
    palEngine* engine;                 // owned
    palMeasure* measures;              // owned, [handCount]
    palBodyTotal* bodyTotals;          // owned, [objects]: of the first of them
    palToolGap toolGaps[pal_handsMax]; // of tools that touch with points; empty otherwise
    palRecording recording;
    bool isRecording;
    bool isNoted;          // that scheduling could not be had: one message, however many runs
    const palRunDef* run;  // borrowed, while a run lasts
    palReader* reader;     // of the watch; NULL where there is no observer
    palSessionWatch watch; // all NULL where there is no observer
    palRunMode mode;
    palProblemCopy problem;    // of the last tick, where problems are written
    palProblemCopy lowProblem; // of a low-rate step, until it is written
    palResult dumpResult;
    palError dumpError;
    palJson summary;
    palVerdict verdict;
};

/// Opens the devices of the scene, or takes the caller's for the first hand.
palResult palSession_OpenDevices(palSession* session, const palSessionDef* def, palError* error);

/// Creates the engine of a session whose world stands and whose devices are open.
palResult palSession_CreateEngine(palSession* session, palError* error);

#endif

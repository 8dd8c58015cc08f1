// SPDX-License-Identifier: Apache-2.0
// A session that clients view and control while it runs.
//
// A separate thread runs the session in real time (runtime/realtime.c) and executes commands
// between runs: pause, step, reset, change the method, record, replay. A pause ends a run and a
// resume starts the next, so that the two loops are independent of the viewer. The same thread
// collects the records of the loops, and readers copy them under a lock that the loops never take.
// The work of the loops does not depend on the number or speed of the readers, and nothing is
// queued: a reader gets the newest state, and the missed steps of the last ten seconds.
#ifndef PAL_LIVE_LIVE_H
#define PAL_LIVE_LIVE_H

#include "live/frame.h"
#include "live/message.h"

typedef struct palLive palLive;

typedef struct palLiveDef
{
    const char* scene;       // a scene file; NULL: start without a scene
    const char* const* sets; // "path=value", for every scene that is opened
    int setCount;
    const char* recordings; // the directory for recordings, each in its own subdirectory
    const char* replay;     // a directory with a haptic.csv to show first; NULL: none
} palLiveDef;

/// Opens the scene, so that its errors are reported at once, and starts to run it.
palResult palLive_Create(const palLiveDef* def, palLive** live, palError* error);
void palLive_Destroy(palLive* live);

/// Queues a command; commands are executed in order. Hand, choose, ack and colour are none. Returns
/// false if too many are pending.
bool palLive_Post(palLive* live, const palViewMessage* message);
/// The same for a scene file of any name.
bool palLive_Open(palLive* live, const char* path);
/// The mouse takes that hand of a scene with several; -1: it leaves the one that it has, which then
/// rests where it is. The others go on.
void palLive_Steer(palLive* live, int hand);
/// Moves the hand that the mouse has, if any. One thread at a time.
void palLive_Hand(palLive* live, const palHandSample* sample);

/// What a reader has received so far; zero for a new one.
typedef struct palLiveReader
{
    uint32_t number;         // frames encoded
    uint64_t version;        // of the state in the last frame
    uint32_t epoch;          // of the bodies
    uint32_t status;         // version of the status
    uint32_t values;         // version of the scene's values
    uint64_t drawing;        // version of the drawing
    palHistoryCursor cursor; // its hand is chosen by the reader
    palFrameField field;     // to colour by, chosen by the reader
    palFrameField shown;     // in the last frame with bodies
} palLiveReader;

/// Waits for new data for the reader, at most `seconds`. Returns whether there are any.
bool palLive_Wait(palLive* live, const palLiveReader* reader, double seconds);
/// Encodes the next frame for a reader.
void palLive_Encode(palLive* live, palLiveReader* reader, palFrame* frame);

#endif

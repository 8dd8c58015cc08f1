// SPDX-License-Identifier: Apache-2.0
// A session that people watch and steer while it runs.
//
// One thread of its own runs the session in real time (runtime/realtime.c) and between runs does
// what it was told: pause, step, reset, another method, record, replay. A pause is the end of a run
// and a resumption the start of the next, so that the two loops know nothing of any of this. What
// the loops record is gathered in that same thread, outside them, and readers copy from there under
// a lock that the loops never see. However many readers there are and however slow they are, the
// loops do the same work, and nothing waits in a queue: a reader gets the newest state, and of the
// steps it missed what the last ten seconds still hold.
#ifndef PAL_LIVE_LIVE_H
#define PAL_LIVE_LIVE_H

#include "live/frame.h"
#include "live/message.h"

typedef struct palLive palLive;

typedef struct palLiveDef
{
    const char* scene;       // a scene file; NULL: none is open at first
    const char* const* sets; // "path=value", for every scene that is opened
    int setCount;
    const char* recordings; // the directory that recordings go to, each in one of its own
    const char* replay;     // a directory with a haptic.csv to begin with; NULL: none
} palLiveDef;

/// Opens the scene, so that its faults are told at once, and starts to run it.
palResult palLive_Create(const palLiveDef* def, palLive** live, palError* error);
void palLive_Destroy(palLive* live);

/// Says what to do; it is done soon, in the order of saying. Hand, ack and colour are not for here.
/// Returns false where too much is waiting already.
bool palLive_Say(palLive* live, const palViewMessage* message);
/// The same for a scene file of any name.
bool palLive_Open(palLive* live, const char* path);
/// Moves the hand where the device is the browser's. One thread at a time.
void palLive_Hand(palLive* live, const palHandSample* sample);

/// What a reader has seen so far; zero for a new one.
typedef struct palLiveReader
{
    uint32_t number;  // frames made
    uint64_t version; // of the state that the last one showed
    uint32_t epoch;   // of the bodies
    uint32_t status;  // of the status
    uint32_t values;  // of the scene's values
    uint64_t drawing; // counts drawings
    palHistoryCursor cursor;
    palFrameField field; // to colour by; the reader's own wish
    palFrameField shown; // that the last frame with bodies had
} palLiveReader;

/// Waits until there is something that the reader has not seen, at most `seconds`. Returns whether
/// there is.
bool palLive_Wait(palLive* live, const palLiveReader* reader, double seconds);
/// Makes the next frame for a reader.
void palLive_Encode(palLive* live, palLiveReader* reader, palFrame* frame);

#endif

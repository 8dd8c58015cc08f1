// SPDX-License-Identifier: Apache-2.0
// What a live session consists of; shared by the files of this room.
#ifndef PAL_LIVE_STATE_H
#define PAL_LIVE_STATE_H

#include "base/json.h"
#include "live/live.h"
#include "live/playback.h"
#include "live/reel.h"
#include "runtime/verdict.h"
#include "scene/session.h"

#include <pthread.h>

enum
{
    pal_liveSetsMax = 64,
    pal_liveCommandsMax = 32,
    pal_livePathMax = 4096,
    pal_liveContactsMax = 256, // shown at once
};

static const double pal_historySeconds = 10.0; // kept at full rate

typedef enum palLiveMode
{
    pal_liveEmpty,   // no scene
    pal_livePaused,  // a scene that rests
    pal_liveRunning, // and one that runs
    pal_liveEnded,   // the scene's own hand has come to its end
    pal_liveReplay,  // a recording is shown
} palLiveMode;

/// What was measured of the session that runs, gathered from its records.
typedef struct palLiveStatistics
{
    palLoopStatistics high, low;
    palHistogram snapshotAge; // s
    double realTimeFactor;    // over the last second or so
    int64_t windowBegin;      // ns, of that second
    uint64_t windowSteps;     // steps at its begin
} palLiveStatistics;

struct palLive
{
    pthread_t thread;
    bool hasThread;
    char recordings[pal_livePathMax];

    // The thread's own.
    palSession* session; // owned; changed under the lock
    char scene[pal_livePathMax];
    char* sets[pal_liveSetsMax]; // owned, "path=value"
    int setCount;
    int setsGiven;                 // the first of them, which every scene gets
    palLiveStatistics* statistics; // owned
    palPlayback playback;
    bool isPlaying;
    double playbackAt;        // s from its first row
    int playbackRow;          // the last row that was put
    int64_t playedAt;         // ns, when playbackAt was true
    palReelWriter reelWriter; // of the recording under way
    palReel reel;             // of the recording that is shown
    int reelAt;               // the frame of it that is in the drawing; -1: none
    int64_t statusAt;         // ns, when the status was last written
    palJson json;

    // From here on under the lock.
    pthread_mutex_t lock;
    pthread_cond_t changed; // something new to see, or to do
    bool quit;
    palViewMessage commands[pal_liveCommandsMax];
    int commandCount;
    palLiveMode mode;
    char recording[64];   // the name of the recording under way; empty: none
    char replaying[256];  // the name of the recording that is shown
    uint64_t version;     // counts changes
    uint32_t epoch;       // counts sessions
    palTickRecord newest; // its contacts are the array below
    palContactForce newestContacts[pal_liveContactsMax];
    bool hasNewest;
    palHistory history;
    palDrawing drawing; // for the session's method
    bool hasDrawing;
    uint64_t drawingVersion; // counts what was put there
    int64_t stressWantedAt;  // ns, when a reader last asked for it; 0: none did
    char* status;            // owned, JSON
    uint32_t statusVersion;
    char* values; // owned, JSON: every value of the scene
    uint32_t valuesVersion;
    uint32_t errorNumber;
    char errorText[1536];
};

/// The callbacks of palSession_Watch.
palSessionWatch palLive_Watch(palLive* live);
/// Has the stress found while a reader looks at it, also where nothing moves. The live thread.
void palLive_MindStress(palLive* live);
/// Begins the statistics anew.
void palLive_ClearStatistics(palLive* live);

/// Writes the status anew, and the values of the scene where it was built anew. The live thread,
/// without the lock.
void palLive_WriteStatus(palLive* live);
void palLive_WriteValues(palLive* live);

/// Something went wrong that whoever looks should know.
void palLive_Tell(palLive* live, const palError* error);
/// Wakes the readers. With the lock.
void palLive_Changed(palLive* live);

/// Shows the recording in `directory` from its begin, and moves within it. The live thread.
palResult palLive_StartReplay(palLive* live, const char* directory, const char* name,
                              palError* error);
void palLive_Seek(palLive* live, double seconds);
/// Goes on by the time that has passed.
void palLive_Play(palLive* live);
void palLive_EndReplay(palLive* live);
/// Frees what was read for it.
void palLive_DropReplay(palLive* live);

#endif

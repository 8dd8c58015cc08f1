// SPDX-License-Identifier: Apache-2.0
// The state of a live session; shared by the files of this module.
#ifndef PAL_LIVE_STATE_H
#define PAL_LIVE_STATE_H

#include "api/session.h"
#include "base/json.h"
#include "live/live.h"
#include "live/motion.h"
#include "live/playback.h"
#include "runtime/verdict.h"

#include <pthread.h>

enum
{
    pal_liveSetsMax = 64,
    pal_liveCommandsMax = 32,
    pal_livePathMax = 4096,
    pal_liveContactsMax = 1024, // shown at once
};

static const double pal_historySeconds = 10.0; // stored at full rate

typedef enum palLiveMode
{
    pal_liveEmpty,   // no scene
    pal_livePaused,  // the scene is paused
    pal_liveRunning, // the scene runs
    pal_liveEnded,   // the scene's trajectory has ended
    pal_liveReplay,  // a recording is shown
} palLiveMode;

/// Measurements of the running session, collected from its records.
typedef struct palLiveStatistics
{
    palLoopStatistics high, low;
    palHistogram snapshotAge; // s
    double realTimeFactor;    // over the last measurement window of about 1 s
    int64_t windowBegin;      // ns, start of the current window
    uint64_t windowSteps;     // steps at its start
} palLiveStatistics;

struct palLive
{
    pthread_t thread;
    bool hasThread;
    char recordings[pal_livePathMax];

    // Used by the live thread only.
    palSession* session; // owned; changed under the lock
    char scene[pal_livePathMax];
    char* sets[pal_liveSetsMax]; // owned, "path=value"
    int setCount;
    int presetCount;               // the first of them, which apply to every scene
    palLiveStatistics* statistics; // owned
    palPlayback playback;
    bool isPlaying;
    double playbackAt;            // s from its first row
    int playbackRow;              // the last row added to the history
    int64_t playedAt;             // ns, clock time of playbackAt
    palMotionWriter motionWriter; // of the current recording
    palMotion motion;             // of the replayed recording
    int motionFrame;              // its frame in the drawing; -1: none
    int64_t statusAt;             // ns, when the status was last written
    palJson json;

    // Protected by the lock.
    pthread_mutex_t lock;
    pthread_cond_t changed; // new state or new commands
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
    uint64_t drawingVersion; // counts updates of the drawing
    int64_t stressWantedAt;  // ns, time of the last request for the stress; 0: none
    char* status;            // owned, JSON
    uint32_t statusVersion;
    char* values; // owned, JSON: every value of the scene
    uint32_t valuesVersion;
    uint32_t errorNumber;
    char errorText[2048];
};

/// The callbacks of palSession_Watch.
palSessionWatch palLive_Watch(palLive* live);
/// Enables the computation of stress while a reader displays it, also while paused. The live
/// thread.
void palLive_UpdateStress(palLive* live);
/// Resets the statistics.
void palLive_ClearStatistics(palLive* live);

/// Update the status, and the values of the scene after it was rebuilt. The live thread, without
/// the lock.
void palLive_WriteStatus(palLive* live);
void palLive_WriteValues(palLive* live);

/// Reports an error to the clients.
void palLive_ReportError(palLive* live, const palError* error);
/// Wakes the readers. With the lock.
void palLive_Changed(palLive* live);

/// Starts the replay of the recording in `directory`; moves within it. The live thread.
palResult palLive_StartReplay(palLive* live, const char* directory, const char* name,
                              palError* error);
void palLive_Seek(palLive* live, double seconds);
/// Advances the replay by the elapsed time.
void palLive_Play(palLive* live);
void palLive_EndReplay(palLive* live);
/// Frees the data of the replay.
void palLive_DropReplay(palLive* live);

#endif

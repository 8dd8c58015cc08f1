// SPDX-License-Identifier: Apache-2.0
// Replay of a recording: the rows of its haptic.csv replace the records of a run, and the bodies
// are positioned by its motion file.
#include "base/clock.h"
#include "live/state.h"

#include <stdio.h>
#include <string.h>

// Shows the bodies at the time of the current row. If the motion file is damaged, it is closed, and
// the bodies are shown at rest.
static void showBodies(palLive* live)
{
    int frame = palMotion_FrameAt(&live->motion, live->newest.t);
    if (frame == live->motionFrame)
        return;
    palError error = {0};
    pthread_mutex_lock(&live->lock);
    palResult result = palMotion_Show(&live->motion, frame, &live->drawing, &error);
    if (result != pal_ok)
        palDrawing_Rest(&live->drawing);
    live->drawingVersion++;
    pthread_mutex_unlock(&live->lock);
    live->motionFrame = frame;
    if (result == pal_ok)
        return;
    palMotion_Close(&live->motion);
    live->motionFrame = -1;
    palLive_ReportError(live, &error);
}

static void putRows(palLive* live, int from, int to)
{
    pthread_mutex_lock(&live->lock);
    for (int i = from; i <= to; i++)
        palHistory_Put(&live->history, &live->playback.rows[i], live->playback.energy[i]);
    live->newest = live->playback.rows[to];
    live->hasNewest = true;
    live->playbackRow = to;
    pthread_mutex_unlock(&live->lock);
    showBodies(live);
}

void palLive_Seek(palLive* live, double seconds)
{
    if (live->mode != pal_liveReplay)
        return;
    live->playbackAt = fmin(seconds, palPlayback_Seconds(&live->playback));
    live->playedAt = palClock_Now();
    // The plots show the seconds before this time.
    int to = palPlayback_RowAt(&live->playback, live->playbackAt);
    int from = palPlayback_RowAt(&live->playback, live->playbackAt - pal_historySeconds);
    pthread_mutex_lock(&live->lock);
    palHistory_Clear(&live->history);
    pthread_mutex_unlock(&live->lock);
    putRows(live, from, to);
}

palResult palLive_StartReplay(palLive* live, const char* directory, const char* name,
                              palError* error)
{
    char path[pal_livePathMax + 300];
    snprintf(path, sizeof path, "%s/haptic.csv", directory);
    palPlayback loaded;
    palResult result = palPlayback_Load(path, &loaded, error);
    if (result != pal_ok)
        return result;
    palMotion motion;
    result = palMotion_Open(&motion, directory, error);
    if (result != pal_ok)
    {
        palPlayback_Free(&loaded);
        return result;
    }
    palLive_DropReplay(live);
    live->playback = loaded;
    live->motion = motion;
    live->isPlaying = true;
    pthread_mutex_lock(&live->lock);
    live->mode = pal_liveReplay;
    palDrawing_Rest(&live->drawing);
    live->hasDrawing = true;
    live->drawingVersion++;
    snprintf(live->replaying, sizeof live->replaying, "%s", name);
    pthread_mutex_unlock(&live->lock);
    palLive_Seek(live, 0.0);
    return pal_ok;
}

void palLive_Play(palLive* live)
{
    int64_t now = palClock_Now();
    double seconds = palPlayback_Seconds(&live->playback);
    live->playbackAt = fmin(seconds, live->playbackAt + 1e-9 * (double)(now - live->playedAt));
    live->playedAt = now;
    int to = palPlayback_RowAt(&live->playback, live->playbackAt);
    if (to > live->playbackRow)
        putRows(live, live->playbackRow + 1, to);
    live->isPlaying = live->playbackAt < seconds;
}

void palLive_DropReplay(palLive* live)
{
    palPlayback_Free(&live->playback);
    palMotion_Close(&live->motion);
    live->motionFrame = -1;
}

void palLive_EndReplay(palLive* live)
{
    palLive_DropReplay(live);
    live->isPlaying = false;
    pthread_mutex_lock(&live->lock);
    palHistory_Clear(&live->history);
    live->hasNewest = false;
    live->replaying[0] = '\0';
    live->mode = live->session != NULL ? pal_livePaused : pal_liveEmpty;
    pthread_mutex_unlock(&live->lock);
}

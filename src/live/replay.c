// SPDX-License-Identifier: Apache-2.0
// Showing a recording again: the rows of its haptic.csv take the place of what a run would record,
// and the bodies are where its reel has them.
#include "base/clock.h"
#include "live/state.h"

#include <stdio.h>
#include <string.h>

// The bodies at the time of the row that is shown. A reel that turns out to be damaged is dropped,
// and the bodies rest.
static void showBodies(palLive* live)
{
    int frame = palReel_FrameAt(&live->reel, live->newest.t);
    if (frame == live->reelAt)
        return;
    palError error = {0};
    pthread_mutex_lock(&live->lock);
    palResult result = palReel_Show(&live->reel, frame, &live->drawing, &error);
    if (result != pal_ok)
        palDrawing_Rest(&live->drawing);
    live->drawingVersion++;
    pthread_mutex_unlock(&live->lock);
    live->reelAt = frame;
    if (result == pal_ok)
        return;
    palReel_Close(&live->reel);
    live->reelAt = -1;
    palLive_Tell(live, &error);
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
    // The plots show the seconds before.
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
    palReel reel;
    result = palReel_Open(&reel, directory, error);
    if (result != pal_ok)
    {
        palPlayback_Free(&loaded);
        return result;
    }
    palLive_DropReplay(live);
    live->playback = loaded;
    live->reel = reel;
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
    palReel_Close(&live->reel);
    live->reelAt = -1;
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

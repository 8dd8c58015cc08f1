// SPDX-License-Identifier: Apache-2.0
// Showing a recording again: the rows of its haptic.csv take the place of what a run would record.
#include "base/clock.h"
#include "live/state.h"

#include <stdio.h>
#include <string.h>

static void putRows(palLive* live, int from, int to)
{
    pthread_mutex_lock(&live->lock);
    for (int i = from; i <= to; i++)
        palHistory_Put(&live->history, &live->playback.rows[i], live->playback.energy[i]);
    live->newest = live->playback.rows[to];
    live->hasNewest = true;
    live->playbackRow = to;
    pthread_mutex_unlock(&live->lock);
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
    palPlayback_Free(&live->playback);
    live->playback = loaded;
    live->isPlaying = true;
    pthread_mutex_lock(&live->lock);
    live->mode = pal_liveReplay;
    live->hasDrawing = false;
    live->orientation = pal_identityQuat;
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

void palLive_EndReplay(palLive* live)
{
    palPlayback_Free(&live->playback);
    live->isPlaying = false;
    pthread_mutex_lock(&live->lock);
    palHistory_Clear(&live->history);
    live->hasNewest = false;
    live->replaying[0] = '\0';
    live->mode = live->session != NULL ? pal_livePaused : pal_liveEmpty;
    pthread_mutex_unlock(&live->lock);
}

// SPDX-License-Identifier: Apache-2.0
// The status of a run for the page, as JSON.
#include "base/clock.h"
#include "live/state.h"
#include "scene/values.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    recordingsShown = 100,
};

static const char* modeWord(palLiveMode mode)
{
    static const char* const words[] = {
        [pal_liveEmpty] = "empty", [pal_livePaused] = "paused", [pal_liveRunning] = "running",
        [pal_liveEnded] = "ended", [pal_liveReplay] = "replay",
    };
    return words[mode];
}

// Replaces a text by a copy of the JSON; the old text is kept if the allocation fails.
static bool replace(char** owned, const palJson* json)
{
    char* copy = json->failed ? NULL : strdup(json->text);
    if (copy == NULL)
        return false;
    free(*owned);
    *owned = copy;
    return true;
}

static void writeDistribution(palJson* json, const char* name, const palHistogram* histogram,
                              double scale)
{
    palJson_BeginObject(json, name);
    palJson_Number(json, "p50", scale * palHistogram_Percentile(histogram, 0.5));
    palJson_Number(json, "p99", scale * palHistogram_Percentile(histogram, 0.99));
    palJson_Number(json, "max", scale * histogram->max);
    palJson_End(json);
}

// Measures the ratio of simulated to real time over about one second.
static void measureRealTimeFactor(palLiveStatistics* statistics, double dt)
{
    int64_t now = palClock_Now();
    double elapsed = 1e-9 * (double)(now - statistics->windowBegin);
    if (statistics->windowBegin != 0 && elapsed < 1.0)
        return;
    double steps = (double)(statistics->high.steps - statistics->windowSteps);
    if (statistics->windowBegin != 0 && elapsed < 2.0)
        statistics->realTimeFactor = steps * dt / elapsed;
    statistics->windowBegin = now;
    statistics->windowSteps = statistics->high.steps;
}

static void writeHands(const palEngine* engine, const palScene* scene, palJson* json)
{
    static const char* const held[] = {
        [pal_handPoint] = "nothing", [pal_handTool] = "a tool", [pal_handWire] = "a wire"};
    palJson_BeginArray(json, "hands");
    for (int i = 0; i < engine->methods.count; i++)
    {
        palJson_BeginObject(json, NULL);
        palJson_Text(json, "holds", held[engine->methods.methods[i]->ops->hand]);
        palJson_Text(json, "device", palScene_HandAt(scene, i)->device.driver);
        palJson_End(json);
    }
    palJson_End(json);
}

static void writeRun(palLive* live, palJson* json)
{
    palLiveStatistics* statistics = live->statistics;
    const palEngine* engine = palSession_Engine(live->session);
    const palScene* scene = palSession_Scene(live->session);
    const palPointModel* body = &engine->def.hands[0].body;
    statistics->high.deadlineMisses = engine->highStatistics.deadlineMisses;
    palVerdict verdict = palJudge(engine, &statistics->high, &statistics->low);
    if (live->mode == pal_liveRunning)
        measureRealTimeFactor(statistics, engine->def.dt);
    palJson_Text(json, "scene", scene->name);
    palJson_Text(json, "file", scene->file);
    palJson_Text(json, "description", scene->description);
    palJson_Text(json, "method", scene->method.name);
    palJson_Text(json, "device", palScene_HandAt(scene, 0)->device.driver);
    palJson_Number(json, "dt", scene->time.dt);
    const palDevice* mouse = palSession_MouseDevice(live->session);
    palJson_Number(json, "latency",
                   mouse != NULL ? palBrowser_Latency(mouse) : palDefaultBrowserSettings().latency);
    palJson_Number(json, "stiffness", body->stiffness);
    palJson_Number(json, "damping", body->damping);
    palJson_Whole(json, "steered", palSession_SteeredHand(live->session));
    writeHands(engine, scene, json);
    palJson_Number(json, "real_time_factor", statistics->realTimeFactor);
    palJson_Whole(json, "steps", (int64_t)statistics->high.steps);
    palJson_Whole(json, "deadline_misses", (int64_t)statistics->high.deadlineMisses);
    palJson_Bool(json, "fits", verdict.highFits && verdict.lowFits);
    palJson_Text(json, "verdict", verdict.text);
    writeDistribution(json, "step_us", &statistics->high.stepTime, 1e6);
    writeDistribution(json, "low_ms", &statistics->low.stepTime, 1e3);
    writeDistribution(json, "age_ms", &statistics->snapshotAge, 1e3);
}

static void writeMessages(palSession* session, palJson* json)
{
    palJson_BeginArray(json, "messages");
    bool isWarning;
    const palError* message;
    for (int i = 0; (message = palSession_Message(session, i, &isWarning)) != NULL; i++)
    {
        char text[2048];
        palError_Format(message, text, sizeof text);
        palJson_Text(json, NULL, text);
    }
    palJson_End(json);
}

// Lists the directories that contain a haptic.csv.
static void writeRecordings(const palLive* live, palJson* json)
{
    palJson_BeginArray(json, "recordings");
    DIR* directory = opendir(live->recordings);
    int count = 0;
    for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;)
    {
        char path[pal_livePathMax + 300];
        snprintf(path, sizeof path, "%s/%s/haptic.csv", live->recordings, entry->d_name);
        if (entry->d_name[0] != '.' && access(path, R_OK) == 0 && count++ < recordingsShown)
            palJson_Text(json, NULL, entry->d_name);
    }
    if (directory != NULL)
        closedir(directory);
    palJson_End(json);
}

static void writeReplay(const palLive* live, palJson* json)
{
    palJson_BeginObject(json, "replay");
    palJson_Text(json, "name", live->replaying);
    palJson_Number(json, "at", live->playbackAt);
    palJson_Number(json, "seconds", palPlayback_Seconds(&live->playback));
    palJson_Bool(json, "playing", live->isPlaying);
    palJson_Bool(json, "bodies", live->motion.count > 0 || !palMotion_IsNeeded(&live->drawing));
    palJson_End(json);
}

void palLive_WriteStatus(palLive* live)
{
    // Only this thread writes the data read here, so that no lock is needed.
    palJson* json = &live->json;
    palJson_Free(json);
    palJson_BeginObject(json, NULL);
    palJson_Text(json, "mode", modeWord(live->mode));
    palJson_Text(json, "recording", live->recording);
    palJson_Text(json, "recordings_in", live->recordings);
    writeRecordings(live, json);
    if (live->session != NULL)
        writeRun(live, json);
    if (live->mode == pal_liveReplay)
        writeReplay(live, json);
    palJson_BeginObject(json, "error");
    palJson_Whole(json, "number", live->errorNumber);
    palJson_Text(json, "text", live->errorText);
    palJson_End(json);
    palJson_End(json);
    live->statusAt = palClock_Now();
    pthread_mutex_lock(&live->lock);
    if (replace(&live->status, json))
        live->statusVersion++;
    palLive_Changed(live);
    pthread_mutex_unlock(&live->lock);
}

void palLive_WriteValues(palLive* live)
{
    palJson* json = &live->json;
    palJson_Free(json);
    palJson_BeginObject(json, NULL);
    palJson_BeginArray(json, "sets");
    for (int i = 0; i < live->setCount; i++)
        palJson_Text(json, NULL, live->sets[i]);
    palJson_End(json);
    if (live->session != NULL)
    {
        palScene_WriteValues(palSession_Scene(live->session), json, "values");
        writeMessages(live->session, json);
    }
    palJson_End(json);
    pthread_mutex_lock(&live->lock);
    if (replace(&live->values, json))
        live->valuesVersion++;
    pthread_mutex_unlock(&live->lock);
}

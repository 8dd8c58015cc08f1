// SPDX-License-Identifier: Apache-2.0
#include "live/live.h"

#include "base/clock.h"
#include "base/error.h"
#include "live/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    recordingsMax = 9999, // in one directory
};

static const int64_t statusPeriod = 250000000; // ns
static const double idlePeriod = 0.25;         // s between status updates while nothing runs
static const double replayPeriod = 1.0 / 60.0; // s between steps of a replay

void palLive_ReportError(palLive* live, const palError* error)
{
    pthread_mutex_lock(&live->lock);
    live->errorNumber++;
    palError_Format(error, live->errorText, sizeof live->errorText);
    pthread_mutex_unlock(&live->lock);
}

static void setMode(palLive* live, palLiveMode mode)
{
    pthread_mutex_lock(&live->lock);
    live->mode = mode;
    pthread_mutex_unlock(&live->lock);
}

//--------------------------------------------------------------------------------------------------
// The scene and its changes

// Frees the changes from `from` on.
static void dropSets(palLive* live, int from)
{
    while (live->setCount > from)
        free(live->sets[--live->setCount]);
}

static bool addSet(palLive* live, const char* text)
{
    if (live->setCount == pal_liveSetsMax)
        return false;
    live->sets[live->setCount] = strdup(text);
    if (live->sets[live->setCount] == NULL)
        return false;
    live->setCount++;
    return true;
}

static palResult tooManyChanges(palError* error)
{
    palError_Set(error, pal_errorInput, "more than %d changes to the scene", pal_liveSetsMax);
    return palError_Remedy(error, "put some of them into the scene file");
}

static void removeSetAt(palLive* live, int i)
{
    free(live->sets[i]);
    live->setCount--;
    live->presetCount -= i < live->presetCount;
    memmove(&live->sets[i], &live->sets[i + 1],
            (size_t)(live->setCount - i) * sizeof live->sets[0]);
}

// Takes out what was set at that path. The settings of a driver go with it: another has its own.
static void removeSet(palLive* live, const char* path, size_t length)
{
    const char key[] = "device.driver";
    size_t before = length >= strlen(key) ? length - strlen(key) : 0; // "hands.1."
    bool isDriver = length >= strlen(key) && strncmp(path + before, key, strlen(key)) == 0;
    size_t device = before + strlen("device.");
    for (int i = live->setCount - 1; i >= 0; i--)
    {
        const char* set = live->sets[i];
        bool isSame = strncmp(set, path, length) == 0 && set[length] == '=';
        if (isSame || (isDriver && strncmp(set, path, device) == 0))
            removeSetAt(live, i);
    }
}

// Whether a scene file has a list of hands: `device` at its top then has no meaning.
static bool hasHands(const char* path)
{
    palScene scene;
    palError unwanted = {0};
    palResult result = palScene_Load(path, NULL, 0, &scene, NULL, &unwanted);
    bool isSo = result == pal_ok && scene.handCount > 0;
    if (result == pal_ok)
        palScene_Free(&scene);
    return isSo;
}

// The changes, for a scene with several hands without those of the device of a single one.
static void chooseSets(palLive* live, const char* scene, palSessionDef* def,
                       const char* sets[pal_liveSetsMax])
{
    bool isList = hasHands(scene);
    def->sets = sets;
    for (int i = 0; i < live->setCount; i++)
        if (!isList || strncmp(live->sets[i], "device.", strlen("device.")) != 0)
            sets[def->setCount++] = live->sets[i];
}

static palResult createSession(palLive* live, const char* scene, palSession** session,
                               palDrawing* drawing, palHistory* history, palError* error)
{
    const char* sets[pal_liveSetsMax];
    palSessionDef def = palDefaultSessionDef();
    def.scene = scene;
    chooseSets(live, scene, &def, sets);
    palResult result = palSession_Create(&def, session, error);
    if (result != pal_ok)
        return result;
    *drawing = (palDrawing){0};
    result = palSession_LetSteer(*session, error);
    const palEngineDef* engine = &palSession_Engine(*session)->def;
    if (result == pal_ok)
        result = palDrawing_Init(drawing, &palSession_Engine(*session)->methods, error);
    *history = (palHistory){.stream = live->history.stream};
    if (result == pal_ok)
        result = palHistory_Init(history, pal_historySeconds, engine->dt, engine->handCount, error);
    if (result == pal_ok)
        return pal_ok;
    palDrawing_Free(drawing);
    palSession_Destroy(*session);
    return result;
}

// Replaces the session by one for the scene with the current changes. If that fails, the old
// session is kept.
static palResult build(palLive* live, const char* scene, palError* error)
{
    palSession* session;
    palDrawing drawing;
    palHistory history;
    palResult result = createSession(live, scene, &session, &drawing, &history, error);
    if (result != pal_ok)
        return result;
    palSession* old = live->session;
    palLive_DropReplay(live);
    palMotionWriter_Close(&live->motionWriter, NULL);
    palLive_ClearStatistics(live);
    if (scene != live->scene)
        snprintf(live->scene, sizeof live->scene, "%s", scene);

    pthread_mutex_lock(&live->lock);
    palDrawing_Free(&live->drawing);
    palHistory_Free(&live->history);
    live->session = session;
    live->drawing = drawing;
    live->history = history;
    live->hasDrawing = live->hasNewest = live->isPlaying = false;
    live->recording[0] = live->replaying[0] = '\0';
    live->mode = pal_liveRunning;
    live->epoch++;
    pthread_mutex_unlock(&live->lock);
    palSession_Destroy(old);
    palSessionWatch watch = palLive_Watch(live);
    return palSession_Watch(session, &watch, error);
}

static void closeScene(palLive* live)
{
    palSession* old = live->session;
    dropSets(live, live->presetCount);
    palLive_DropReplay(live);
    palMotionWriter_Close(&live->motionWriter, NULL);
    pthread_mutex_lock(&live->lock);
    live->session = NULL;
    live->mode = pal_liveEmpty;
    live->hasDrawing = live->hasNewest = live->isPlaying = false;
    live->recording[0] = live->replaying[0] = '\0';
    live->epoch++;
    pthread_mutex_unlock(&live->lock);
    palSession_Destroy(old);
}

static palResult openScene(palLive* live, const char* path, palError* error)
{
    dropSets(live, live->presetCount);
    return build(live, path, error);
}

// The scene with the current changes: the session goes on with them where it can, else another one
// takes its place, unless it `mustGoOn`. *isDone says whether either was done.
static palResult changeSession(palLive* live, const palViewMessage* message, bool mustGoOn,
                               bool* isDone, palError* error)
{
    *isDone = false;
    palResult result = pal_ok;
    if (palSession_IsLiveKey(message->text))
        result = palSession_Change(live->session, (const char* const*)live->sets, live->setCount,
                                   isDone, error);
    if (result != pal_ok || *isDone || mustGoOn)
        return result;
    *isDone = true;
    return build(live, live->scene, error);
}

// Applies or removes one change; if the scene is then invalid, or it was not done, everything is
// restored.
static palResult change(palLive* live, const palViewMessage* message, bool mustGoOn, bool* isDone,
                        palError* error)
{
    char* before[pal_liveSetsMax];
    int count = live->setCount;
    int presetCount = live->presetCount;
    for (int i = 0; i < count; i++)
        before[i] = strdup(live->sets[i]);
    removeSet(live, message->text, strcspn(message->text, "="));
    bool kept = message->verb == pal_verbUnset || addSet(live, message->text);
    *isDone = false;
    palResult result =
        kept ? changeSession(live, message, mustGoOn, isDone, error) : tooManyChanges(error);
    bool isRestored = result != pal_ok || !*isDone;
    if (isRestored)
        dropSets(live, 0);
    for (int i = 0; i < count; i++)
    {
        if (isRestored && before[i] != NULL)
            live->sets[live->setCount++] = before[i];
        else
            free(before[i]);
    }
    live->presetCount = isRestored ? presetCount : live->presetCount;
    return result;
}

//--------------------------------------------------------------------------------------------------
// Recording

// Finds the first unused name for a recording.
static palResult nameRecording(const palLive* live, char* name, size_t size, palError* error)
{
    char path[pal_livePathMax + 64];
    for (int i = 1; i <= recordingsMax; i++)
    {
        snprintf(name, size, "recording-%d", i);
        snprintf(path, sizeof path, "%s/%s", live->recordings, name);
        if (access(path, F_OK) != 0)
            return pal_ok;
    }
    palError_Set(error, pal_errorFile, "there are %d recordings already", recordingsMax);
    palError_Remedy(error, "move some of them, or use another directory with --out");
    return palError_At(error, live->recordings, 0, 0);
}

static palResult record(palLive* live, palError* error)
{
    char path[pal_livePathMax + 64];
    char name[sizeof live->recording];
    if (nameRecording(live, name, sizeof name, error) != pal_ok)
        return pal_errorFile;
    snprintf(path, sizeof path, "%s/%s", live->recordings, name);
    palResult result = palSession_StartRecording(live->session, path, error);
    if (result != pal_ok)
        return result;
    if (palMotion_IsNeeded(&live->drawing))
        result = palMotionWriter_Open(&live->motionWriter, path, error);
    if (result != pal_ok)
    {
        palSession_StopRecording(live->session, NULL);
        return result;
    }
    pthread_mutex_lock(&live->lock);
    snprintf(live->recording, sizeof live->recording, "%s", name);
    pthread_mutex_unlock(&live->lock);
    return pal_ok;
}

static palResult stopRecording(palLive* live, palError* error)
{
    pthread_mutex_lock(&live->lock);
    live->recording[0] = '\0';
    pthread_mutex_unlock(&live->lock);
    palResult bodies = palMotionWriter_Close(&live->motionWriter, error);
    palResult rows = palSession_StopRecording(live->session, bodies == pal_ok ? error : NULL);
    return bodies != pal_ok ? bodies : rows;
}

static palResult replay(palLive* live, const char* name, palError* error)
{
    char path[pal_livePathMax + 300];
    stopRecording(live, NULL);
    snprintf(path, sizeof path, "%s/%.255s", live->recordings, name);
    return palLive_StartReplay(live, path, name, error);
}

//--------------------------------------------------------------------------------------------------
// Commands

static void stepOnce(palLive* live, uint32_t count)
{
    palStep step;
    if (live->mode == pal_liveRunning)
        setMode(live, pal_livePaused);
    for (uint32_t i = 0; i < count && live->mode == pal_livePaused; i++)
        palSession_Step(live->session, &step);
}

static void pauseOrResume(palLive* live, bool resume)
{
    if (live->mode == pal_liveReplay)
    {
        bool isAtEnd = live->playbackAt >= palPlayback_Seconds(&live->playback);
        if (resume && isAtEnd)
            palLive_Seek(live, 0.0);
        live->isPlaying = resume;
        live->playedAt = palClock_Now();
    }
    else if (live->mode == pal_livePaused || live->mode == pal_liveRunning)
    {
        setMode(live, resume ? pal_liveRunning : pal_livePaused);
    }
}

static palResult execute(palLive* live, const palViewMessage* message, palError* error)
{
    bool isDone;
    if (message->verb == pal_verbOpen)
        return openScene(live, message->text, error);
    if (live->session == NULL)
        return pal_ok;
    switch (message->verb)
    {
    case pal_verbGallery:
        closeScene(live);
        return pal_ok;
    case pal_verbPause:
    case pal_verbResume:
        pauseOrResume(live, message->verb == pal_verbResume);
        return pal_ok;
    case pal_verbStep:
        stepOnce(live, message->number);
        return pal_ok;
    case pal_verbReset:
        return build(live, live->scene, error);
    case pal_verbSet:
    case pal_verbUnset:
        return change(live, message, false, &isDone, error);
    case pal_verbRecord:
        return live->mode != pal_liveReplay && live->recording[0] == '\0' ? record(live, error)
                                                                          : pal_ok;
    case pal_verbStop:
        return stopRecording(live, error);
    case pal_verbReplay:
        return replay(live, message->text, error);
    case pal_verbSeek:
        palLive_Seek(live, message->seconds);
        return pal_ok;
    case pal_verbLive:
        if (live->mode == pal_liveReplay)
            palLive_EndReplay(live);
        setMode(live, pal_liveRunning);
        return pal_ok;
    default:
        return pal_ok;
    }
}

static bool isChange(const palViewMessage* message)
{
    return message->verb == pal_verbSet || message->verb == pal_verbUnset;
}

// The next command. With the lock.
static void dropCommand(palLive* live)
{
    live->commandCount--;
    memmove(&live->commands[0], &live->commands[1],
            (size_t)live->commandCount * sizeof live->commands[0]);
}

static bool mustStopRun(palLive* live)
{
    pthread_mutex_lock(&live->lock);
    bool waiting = live->commandCount > 0 || live->quit;
    pthread_mutex_unlock(&live->lock);
    return waiting;
}

// Executes all pending commands. Returns false when the thread must end.
static bool executeAll(palLive* live)
{
    for (;;)
    {
        palViewMessage message;
        pthread_mutex_lock(&live->lock);
        bool quit = live->quit;
        bool any = live->commandCount > 0;
        if (any)
        {
            message = live->commands[0];
            dropCommand(live);
        }
        pthread_mutex_unlock(&live->lock);
        if (quit || !any)
            return !quit;
        palError error = {0};
        uint32_t epoch = live->epoch;
        if (execute(live, &message, &error) != pal_ok)
            palLive_ReportError(live, &error);
        if (live->epoch != epoch || isChange(&message))
            palLive_WriteValues(live);
        palLive_WriteStatus(live);
    }
}

//--------------------------------------------------------------------------------------------------
// The thread

// Executes the next command if it is a change that the run need not stop for. Returns whether it
// was. During a run.
static bool changeInRun(palLive* live)
{
    pthread_mutex_lock(&live->lock);
    bool any = live->commandCount > 0;
    palViewMessage message = live->commands[0];
    pthread_mutex_unlock(&live->lock);
    bool isDone;
    palError error = {0};
    if (!any || !isChange(&message) || !palSession_IsLiveKey(message.text))
        return false;
    palResult result = change(live, &message, true, &isDone, &error);
    if (result == pal_ok && !isDone)
        return false;
    if (result != pal_ok)
        palLive_ReportError(live, &error);
    pthread_mutex_lock(&live->lock);
    dropCommand(live);
    pthread_mutex_unlock(&live->lock);
    palLive_WriteValues(live);
    palLive_WriteStatus(live);
    return true;
}

// Called periodically during a run.
static void onProgress(void* user, double done)
{
    (void)done;
    palLive* live = user;
    while (changeInRun(live))
    {
    }
    if (mustStopRun(live))
        palSession_Stop(live->session);
    palLive_UpdateStress(live);
    if (palClock_Now() - live->statusAt >= statusPeriod)
    {
        palLive_WriteStatus(live);
        return;
    }
    pthread_mutex_lock(&live->lock);
    palLive_Changed(live);
    pthread_mutex_unlock(&live->lock);
}

static void runSession(palLive* live)
{
    palError error = {0};
    const palRunDef run = {.mode = pal_modeRealtime, .progress = onProgress, .user = live};
    if (palSession_Run(live->session, &run, &error) != pal_ok)
    {
        palLive_ReportError(live, &error);
        setMode(live, pal_livePaused);
    }
    else if (!mustStopRun(live))
    {
        setMode(live, pal_liveEnded);
    }
}

// Waits for a command, at most `seconds`.
static void waitForCommand(palLive* live, double seconds)
{
    struct timespec until = palClock_After(seconds);
    pthread_mutex_lock(&live->lock);
    int late = 0;
    while (live->commandCount == 0 && !live->quit && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&live->changed, &live->lock, &until);
    pthread_mutex_unlock(&live->lock);
}

static void* runThread(void* argument)
{
    palLive* live = argument;
    palLive_WriteValues(live);
    palLive_WriteStatus(live);
    while (executeAll(live))
    {
        if (live->mode == pal_liveRunning)
            runSession(live);
        else
            waitForCommand(live, live->isPlaying ? replayPeriod : idlePeriod);
        if (live->isPlaying)
            palLive_Play(live);
        palLive_UpdateStress(live);
        palLive_WriteStatus(live);
    }
    return NULL;
}

//--------------------------------------------------------------------------------------------------
// Interface

static palResult begin(palLive* live, const palLiveDef* def, palError* error)
{
    live->statistics = calloc(1, sizeof *live->statistics);
    if (live->statistics == NULL)
        return palError_Memory(error, "the statistics", sizeof *live->statistics);
    for (int i = 0; i < def->setCount; i++)
        if (!addSet(live, def->sets[i]))
            return tooManyChanges(error);
    live->presetCount = live->setCount;
    palResult result = def->scene != NULL ? build(live, def->scene, error) : pal_ok;
    if (result == pal_ok && def->replay != NULL && live->session != NULL)
        result = palLive_StartReplay(live, def->replay, def->replay, error);
    if (result != pal_ok)
        return result;
    int failure = pthread_create(&live->thread, NULL, runThread, live);
    live->hasThread = failure == 0;
    if (failure == 0)
        return pal_ok;
    palError_Set(error, pal_errorRun, "cannot start a thread: %s", strerror(failure));
    return palError_Remedy(error, "raise the limit on threads (ulimit -u)");
}

palResult palLive_Create(const palLiveDef* def, palLive** live, palError* error)
{
    *live = NULL;
    palLive* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the live session", sizeof *created);
    // Timed waits use the monotonic clock.
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&created->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&created->lock, NULL);
    snprintf(created->recordings, sizeof created->recordings, "%s", def->recordings);
    created->version = 1;
    created->epoch = 1;
    palResult result = begin(created, def, error);
    if (result != pal_ok)
    {
        palLive_Destroy(created);
        return result;
    }
    *live = created;
    return pal_ok;
}

void palLive_Destroy(palLive* live)
{
    if (live == NULL)
        return;
    pthread_mutex_lock(&live->lock);
    live->quit = true;
    pthread_cond_broadcast(&live->changed);
    pthread_mutex_unlock(&live->lock);
    if (live->hasThread)
        pthread_join(live->thread, NULL);
    palSession_Destroy(live->session);
    palLive_DropReplay(live);
    palMotionWriter_Close(&live->motionWriter, NULL);
    palDrawing_Free(&live->drawing);
    palHistory_Free(&live->history);
    dropSets(live, 0);
    palJson_Free(&live->json);
    pthread_mutex_destroy(&live->lock);
    pthread_cond_destroy(&live->changed);
    free(live->statistics);
    free(live->status);
    free(live->values);
    free(live);
}

bool palLive_Post(palLive* live, const palViewMessage* message)
{
    pthread_mutex_lock(&live->lock);
    bool fits = live->commandCount < pal_liveCommandsMax;
    // Of consecutive pending seeks only the last is kept.
    bool isSeek = message->verb == pal_verbSeek && live->commandCount > 0 &&
                  live->commands[live->commandCount - 1].verb == pal_verbSeek;
    if (isSeek)
        live->commands[live->commandCount - 1] = *message;
    else if (fits)
        live->commands[live->commandCount++] = *message;
    pthread_cond_broadcast(&live->changed);
    pthread_mutex_unlock(&live->lock);
    return fits || isSeek;
}

bool palLive_Open(palLive* live, const char* path)
{
    palViewMessage message = {.verb = pal_verbOpen};
    if (strlen(path) >= sizeof message.text)
        return false;
    snprintf(message.text, sizeof message.text, "%s", path);
    return palLive_Post(live, &message);
}

void palLive_Steer(palLive* live, int hand)
{
    pthread_mutex_lock(&live->lock);
    if (live->session != NULL)
        palSession_Steer(live->session, hand);
    pthread_mutex_unlock(&live->lock);
}

void palLive_Hand(palLive* live, const palHandSample* sample)
{
    pthread_mutex_lock(&live->lock);
    palDevice* device = live->session != NULL ? palSession_MouseDevice(live->session) : NULL;
    if (device != NULL)
        palBrowser_Post(device, sample);
    pthread_mutex_unlock(&live->lock);
}

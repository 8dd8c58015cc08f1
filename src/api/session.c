// SPDX-License-Identifier: Apache-2.0
#include "api/session_state.h"

#include "base/error.h"
#include "base/file.h"
#include "device/steered.h"
#include "scene/given.h"
#include "scene/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

palSessionDef palDefaultSessionDef(void)
{
    return (palSessionDef){0};
}

static palResult createMeasures(palSession* session, palError* error)
{
    const palHands* hands = &session->engine->methods;
    const palSceneBodies* world = &session->world->bodies;
    size_t totals = (size_t)world->count * sizeof *session->bodyTotals;
    palResult result = pal_ok;
    session->measures = calloc((size_t)hands->count, sizeof *session->measures);
    session->bodyTotals = malloc(totals + 1);
    if (session->measures == NULL || session->bodyTotals == NULL)
        return palError_Memory(error, "the measurements", sizeof *session->measures + totals);
    for (int i = 0; i < hands->count && result == pal_ok; i++)
    {
        const palMethod* method = hands->methods[i];
        palMeasure_Init(&session->measures[i], i, world->colliders, world->count,
                        i == 0 ? session->bodyTotals : NULL);
        if (method->ops->points == NULL)
            continue;
        int count;
        const palVec3* points = method->ops->points(method, &count);
        session->measures[i].toolGap = &session->toolGaps[i];
        result = palToolGap_Init(&session->toolGaps[i], world->colliders, world->count, points,
                                 count, error);
    }
    return result;
}

static palResult bringToLife(palSession* session, const palSessionDef* def, palError* error)
{
    if (def->scene == NULL)
    {
        palError_Set(error, pal_errorInput, "the session has no scene");
        return palError_Remedy(error, "set palSessionDef.scene to the path of a scene file");
    }
    palResult result = palWorld_Load(def->scene, def->sets, def->setCount, &session->world, error);
    if (result == pal_ok && def->deviceOps != NULL)
        result = palWorld_SetDevice(session->world, palWorld_HandAt(session->world, 0),
                                    def->deviceOps, def->device, error);
    if (result != pal_ok)
        return result;
    session->world->keepsRecords = true;
    result = palWorld_Prepare(session->world, error);
    if (result != pal_ok)
        return result;
    session->engine = session->world->engine;
    return createMeasures(session, error);
}

palResult palSession_Create(const palSessionDef* def, palSession** session, palError* error)
{
    palError unwanted;
    error = error != NULL ? error : &unwanted;
    *session = NULL;
    palSession* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "a session", sizeof *created);
    palResult result = bringToLife(created, def, error);
    if (result != pal_ok)
    {
        palSession_Destroy(created);
        return result;
    }
    created->steered = -1;
    *session = created;
    return pal_ok;
}

void palSession_Destroy(palSession* session)
{
    if (session == NULL)
        return;
    palSession_StopRecording(session, NULL);
    palJson_Free(&session->summary);
    for (int i = 0; i < pal_handsMax; i++)
    {
        palToolGap_Free(&session->toolGaps[i]);
        palProblemCopy_Free(&session->problems[i]);
    }
    palProblemCopy_Free(&session->lowProblem);
    free(session->measures);
    free(session->bodyTotals);
    palWorld_Destroy(session->world);
    free(session);
}

const palError* palSession_Message(const palSession* session, int index, bool* isWarning)
{
    return palWorld_Message(session->world, index, isWarning);
}

static void watchTick(const palSession* session, const palTickRecord* tick)
{
    double energy[pal_handsMax];
    for (int i = 0; i < tick->handCount; i++)
        energy[i] = session->measures[i].energy;
    session->watch.tick(session->watch.user, tick, energy);
}

// Takes out of the rings what the loops have put there.
static void drain(palSession* session)
{
    palTickRecord tick;
    while (palEngine_TakeTick(session->engine, &tick))
    {
        for (int i = 0; i < tick.handCount; i++)
            palMeasure_Tick(&session->measures[i], &tick);
        if (session->isRecording)
            palRecording_Tick(&session->recording, &tick);
        if (session->watch.tick != NULL)
            watchTick(session, &tick);
    }
    palLowRecord low;
    while (palEngine_TakeLow(session->engine, &low))
    {
        palMeasure_Low(&session->measures[0], &low);
        if (session->isRecording)
            palRecording_Low(&session->recording, &low);
        if (session->watch.low != NULL)
            session->watch.low(session->watch.user, &low);
    }
    bool isNew = false;
    const palDrawing* drawing =
        session->reader != NULL ? palReader_Drawing(session->reader, &isNew) : NULL;
    if (isNew && session->watch.drawing != NULL)
        session->watch.drawing(session->watch.user, drawing);
}

// Writes the problem of the last tick, or of the low-rate step before it, if there is one; `after`
// ends the name of the file.
static void dumpProblem(palSession* session, const char* name, const char* after,
                        palProblemCopy* problem)
{
    if (problem->problem.rows == 0 || session->dumpResult != pal_ok)
        return;
    char path[600];
    unsigned long long tick = session->engine->nextTick - 1;
    snprintf(path, sizeof path, "%s/%s-%06llu%s.txt", session->run->problems, name, tick, after);
    session->dumpResult = palProblemCopy_Write(problem, path, &session->dumpError);
    palProblemCopy_Clear(problem);
}

static void observe(void* user, palEngine* engine, double done)
{
    palSession* session = user;
    drain(session);
    static const char* const hands[pal_handsMax] = {"", "-hand1", "-hand2", "-hand3"};
    for (int i = 0; i < pal_handsMax; i++)
        if (engine->problems[i] != NULL)
            dumpProblem(session, "problem", hands[i], engine->problems[i]);
    if (engine->lowProblem != NULL)
        dumpProblem(session, "low-problem", "", engine->lowProblem);
    if (session->run->progress != NULL)
        session->run->progress(session->run->user, done);
}

// The rows of a problem of the low rate, at most; 0: it solves none.
static int lowProblemRows(const palHands* hands)
{
    const palWorldStep* world = hands->shared->world;
    return world != NULL && world->rows != NULL ? world->rows->rowCapacity : 0;
}

// Has every step of both rates keep its problem, and the observer called after every tick.
static palResult beginDump(palSession* session, const palRunDef* def, palError* error)
{
    session->dumpResult = pal_ok;
    if (def->problems == NULL)
        return pal_ok;
    if (def->mode == pal_modeRealtime)
    {
        palError_Set(error, pal_errorInput, "contact problems cannot be written in real time");
        return palError_Remedy(error, "run in lockstep: without --realtime");
    }
    if (!palMakeDirectories(def->problems))
        return palCannotWrite(def->problems, error);
    const palHands* hands = &session->engine->methods;
    palProblemCopy_Free(&session->lowProblem);
    palResult result = palProblemCopy_Init(&session->lowProblem, lowProblemRows(hands), error);
    for (int i = 0; i < hands->count && result == pal_ok; i++)
    {
        palProblemCopy_Free(&session->problems[i]);
        result = palProblemCopy_Init(&session->problems[i], palHands_ProblemRows(hands, i), error);
    }
    if (result != pal_ok)
        return result;
    for (int i = 0; i < hands->count; i++)
        session->engine->problems[i] = &session->problems[i];
    session->engine->lowProblem = &session->lowProblem;
    session->engine->observeEvery = 1;
    return pal_ok;
}

static double chosen(double asked, double used)
{
    return isnan(asked) ? used : asked;
}

// What the scene leaves open and the session has found.
static void fillOpenValues(const palWorldHand* hand, palSceneHand* open)
{
    const palRigidDef* tool = &hand->tool.model.def;
    palSceneCoupling* coupling = &open->coupling;
    coupling->stiffness = chosen(coupling->stiffness, hand->body.stiffness);
    coupling->damping = chosen(coupling->damping, hand->body.damping);
    open->safety.maxForce = chosen(open->safety.maxForce, hand->safety.maxForce);
    open->safety.maxTorque = chosen(open->safety.maxTorque, hand->safety.maxTorque);
    if (!open->hasTool)
        return;
    coupling->turnStiffness = chosen(coupling->turnStiffness, tool->rotationStiffness);
    coupling->turnDamping = chosen(coupling->turnDamping, tool->rotationDamping);
    open->tool.mass = chosen(open->tool.mass, tool->mass.mass);
}

// The scene as it runs, with hands of its own. Freed by freeSceneCopy.
static palScene* copyScene(const palSession* session)
{
    palScene* scene = malloc(sizeof *scene);
    size_t size = (size_t)session->world->scene.handCount * sizeof *scene->hands;
    palSceneHand* hands = malloc(size + palGiven_Bytes(size));
    if (scene == NULL || hands == NULL)
    {
        free(hands);
        free(scene);
        return NULL;
    }
    *scene = session->world->scene;
    if (scene->handCount > 0)
        memcpy(hands, scene->hands, size + palGiven_Bytes(size));
    scene->hands = hands;
    for (int i = 0; i < session->world->handCount; i++)
        fillOpenValues(&session->world->hands[i], scene->handCount > 0 ? &hands[i] : &scene->hand);
    return scene;
}

static void freeSceneCopy(palScene* scene)
{
    free(scene->hands);
    free(scene);
}

// scene.yaml: the scene as it runs, so that the recording can be repeated.
static palResult writeScene(const palSession* session, const char* directory, palError* error)
{
    char path[600], note[160];
    const palDeviceOps* device = session->world->hands[0].deviceOps;
    palScene* scene = copyScene(session);
    if (scene == NULL)
        return palError_Memory(error, "a copy of the scene", sizeof *scene);
    bool isOther = device != palFindDeviceDriver(palScene_HandAt(scene, 0)->device.driver);
    snprintf(path, sizeof path, "%s/scene.yaml", directory);
    snprintf(note, sizeof note, "Run with the program's own device '%.60s', not with this one.",
             device->name);
    palResult result = palScene_Write(scene, path, isOther ? note : NULL, error);
    freeSceneCopy(scene);
    return result;
}

palResult palSession_StartRecording(palSession* session, const char* directory, palError* error)
{
    const palHands* hands = &session->engine->methods;
    bool turns = false;
    for (int i = 0; i < hands->count; i++)
        turns = turns || hands->methods[i]->ops->hand != pal_handPoint;
    palResult result =
        palRecording_Open(&session->recording, directory, hands->count, turns, error);
    if (result != pal_ok)
        return result;
    result = writeScene(session, directory, error);
    if (result != pal_ok)
        palRecording_Close(&session->recording, NULL);
    session->isRecording = result == pal_ok;
    return result;
}

palResult palSession_StopRecording(palSession* session, palError* error)
{
    if (!session->isRecording)
        return pal_ok;
    session->isRecording = false;
    char path[600];
    snprintf(path, sizeof path, "%s/summary.json", session->recording.directory);
    palResult closed = palRecording_Close(&session->recording, error);
    // The summary is written also where the rows could not be: it needs far less room. The first
    // failure is the one that is reported.
    palError* unwanted = closed == pal_ok ? error : NULL;
    palResult written = palSession_Summary(session) != NULL
                            ? palJson_WriteFile(&session->summary, path, unwanted)
                            : palError_Memory(unwanted, "the summary", session->summary.capacity);
    return closed != pal_ok ? closed : written;
}

// A press that has reached its depth and met nothing was aimed wrong.
static void warnAboutMisses(palSession* session)
{
    palWorld* world = session->world;
    for (int i = 0; i < world->handCount; i++)
    {
        const palSceneHand* given = palScene_HandAt(&world->scene, i);
        const palMeasure* measure = &session->measures[i];
        if (world->hands[i].trajectory == NULL ||
            given->trajectory.def.kind != pal_trajectoryPress || measure->contactSteps > 0)
            continue;
        double end = palTrajectory_Duration(world->hands[i].trajectory);
        double deepest = 0.5 * (end + given->trajectory.def.hold);
        if ((double)measure->ticks * world->scene.time.dt < deepest)
            continue;
        char key[64];
        palError* warning = palMessages_Add(&world->messages, pal_severityWarning,
                                            "%s: the press never touched anything",
                                            palScene_HandKey(&world->scene, i, "trajectory", key));
        palError_At(warning, world->scene.file, 0, 0);
        palError_Remedy(warning, "check its target, direction and depth");
    }
}

// The stop was this run's; the next one goes on.
static void endRun(palSession* session)
{
    warnAboutMisses(session);
    atomic_store(&session->engine->stop, false);
    palWorld_TakeNote(session->world);
}

palResult palSession_Run(palSession* session, const palRunDef* def, palError* error)
{
    palError unwanted;
    error = error != NULL ? error : &unwanted;
    session->run = def;
    session->mode = def->mode;
    palResult result = beginDump(session, def, error);
    if (result != pal_ok)
        return result;
    if (def->directory != NULL)
        result = palSession_StartRecording(session, def->directory, error);
    if (result == pal_ok && def->directory != NULL && def->contacts)
        result = palRecording_OpenContacts(&session->recording, error);
    if (result != pal_ok)
    {
        session->isRecording = false;
        return result;
    }
    result = def->mode == pal_modeRealtime
                 ? palRunRealtime(session->engine, observe, session, error)
                 : palRunLockstep(session->engine, observe, session, error);
    memset(session->engine->problems, 0, sizeof session->engine->problems);
    session->engine->lowProblem = NULL;
    if (result == pal_ok && session->dumpResult != pal_ok)
    {
        result = session->dumpResult;
        *error = session->dumpError;
    }
    endRun(session);
    if (def->directory == NULL)
        return result;
    palResult closed = palSession_StopRecording(session, result == pal_ok ? error : NULL);
    return result != pal_ok ? result : closed;
}

void palSession_Stop(palSession* session)
{
    atomic_store(&session->engine->stop, true);
}

void palSession_HandStep(const palSession* session, int index, palStep* step)
{
    const palTickRecord* last = &session->world->last;
    *step = (palStep){0};
    if (index < 0 || index >= last->handCount)
        return;
    const palHandRecord* hand = &last->hands[index];
    *step = (palStep){
        .t = last->t,
        .device = hand->device,
        .proxy = hand->proxy,
        .turn = hand->proxyTurn,
        .force = hand->force,
        .torque = hand->torque,
        .out = hand->out,
        .active = hand->active,
    };
}

void palSession_Step(palSession* session, palStep* step)
{
    palWorld_Step(session->world, NULL); // it is prepared
    drain(session);
    palSession_HandStep(session, 0, step);
}

palResult palSession_Start(palSession* session, bool callerTicks, palError* error)
{
    palResult result = callerTicks ? palWorld_StartLow(session->world, error)
                                   : palWorld_Start(session->world, error);
    if (result == pal_ok)
        session->mode = pal_modeRealtime;
    return result;
}

void palSession_Tick(palSession* session, palStep* step)
{
    palWorld_Tick(session->world);
    palSession_HandStep(session, 0, step);
}

void palSession_Observe(palSession* session)
{
    drain(session);
}

void palSession_End(palSession* session)
{
    palWorld_Stop(session->world);
    drain(session);
    endRun(session);
}

palResult palSession_Watch(palSession* session, const palSessionWatch* watch, palError* error)
{
    session->watch = *watch;
    session->engine->def.observePeriod = watch->every;
    session->engine->observeEvery = (uint64_t)fmax(1.0, watch->every / session->engine->def.dt);
    if (watch->isEndless)
        session->engine->def.seconds = INFINITY;
    palEngine_CloseReader(session->engine, session->reader);
    return palEngine_OpenReader(session->engine, true, &session->reader, error);
}

void palSession_DrawStress(palSession* session, bool wanted)
{
    if (session->reader != NULL)
        palReader_ShowStress(session->reader, wanted);
}

void palSession_AddStress(palSession* session, palDrawing* drawing)
{
    palReader_AddStress(session->reader, &session->engine->methods, drawing);
}

palResult palSession_LetSteer(palSession* session, palError* error)
{
    palWorld* world = session->world;
    palResult result = pal_ok;
    for (int i = 0; i < world->handCount && world->handCount > 1 && result == pal_ok; i++)
    {
        palWorldHand* hand = &world->hands[i];
        palEngineHandDef* def = &session->engine->def.hands[i];
        palDriverContext context = palWorld_DriverContext(world, i);
        palDevice* steered;
        result = palSteered_Open(hand->deviceOps, hand->device, &context, &steered, error);
        if (result != pal_ok)
            break;
        def->deviceOps = hand->deviceOps = &pal_steeredDevice;
        def->device = hand->device = steered;
    }
    return result;
}

static bool isSteered(const palSession* session, int hand)
{
    return session->world->hands[hand].deviceOps == &pal_steeredDevice;
}

void palSession_Steer(palSession* session, int hand)
{
    session->steered = -1;
    for (int i = 0; i < session->world->handCount; i++)
    {
        if (isSteered(session, i))
            palSteered_Take(session->world->hands[i].device, i == hand);
        if (isSteered(session, i) && i == hand)
            session->steered = hand;
    }
}

int palSession_SteeredHand(const palSession* session)
{
    for (int i = 0; i < session->world->handCount; i++)
        if (session->world->hands[i].deviceOps == &pal_browserDevice)
            return i;
    return session->steered;
}

palDevice* palSession_MouseDevice(palSession* session)
{
    int hand = palSession_SteeredHand(session);
    palDevice* device = hand >= 0 ? session->world->hands[hand].device : NULL;
    return device != NULL && isSteered(session, hand) ? palSteered_Mouse(device) : device;
}

bool palSession_HasMouse(const palSession* session)
{
    return palSession_SteeredHand(session) >= 0 || isSteered(session, 0);
}

const palSceneBodies* palSession_Bodies(const palSession* session)
{
    return &session->world->bodies;
}

const palScene* palSession_Scene(const palSession* session)
{
    return &session->world->scene;
}

const palEngine* palSession_Engine(const palSession* session)
{
    return session->engine;
}

const palMeasure* palSession_Measure(const palSession* session)
{
    return &session->measures[0];
}

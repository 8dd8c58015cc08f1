// SPDX-License-Identifier: Apache-2.0
#include "scene/session.h"
#include "base/error.h"
#include "device/browser.h"
#include "device/coupling_limits.h"
#include "device/replay.h"
#include "runtime/recording.h"
#include "runtime/verdict.h"
#include "scene/wires.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct palSession
{
    palScene scene;
    palMessages messages;
    palWorld world;
    palTool tool;              // its surface is the world's
    palTrajectory* trajectory; // owned; NULL with a device of the caller's
    const palDeviceOps* deviceOps;
    palDevice* device;
    bool ownsDevice;
    palEngine* engine;   // owned
    palMeasure* measure; // owned
    palRecording recording;
    bool isRecording;
    bool isNoted;          // that scheduling could not be had: one message, however many runs
    const palRunDef* run;  // borrowed, while a run lasts
    palSessionWatch watch; // all NULL where nobody watches
    palRunMode mode;
    palPlanesProblem problem; // of the last tick, where problems are written
    palResult dumpResult;
    palError dumpError;
    palJson summary;
    palVerdict verdict;
};

palSessionDef palDefaultSessionDef(void)
{
    return (palSessionDef){0};
}

// Opens the scene's device, or takes the caller's.
static palResult openDevice(palSession* session, const palSessionDef* def, palError* error)
{
    const palScene* scene = &session->scene;
    if (def->deviceOps != NULL)
    {
        session->deviceOps = def->deviceOps;
        session->device = def->device;
        return pal_ok;
    }
    palTrajectoryDef aimed = palWorld_Aim(&session->world, &scene->trajectory);
    palResult result = pal_ok;
    // One that is named elsewhere than in the scene file is told by its own name.
    if (aimed.kind == pal_trajectoryFile && scene->trajectory.filePlace.line > 0)
        result = palScene_FindFile(scene, scene->trajectory.filePlace, "trajectory.file",
                                   aimed.file, error);
    if (result == pal_ok)
        result = palTrajectory_Create(&aimed, &session->trajectory, error);
    if (result != pal_ok)
        return result;
    session->deviceOps = palFindDeviceDriver(scene->device.driver);
    palReplayDef replay = {.trajectory = session->trajectory, .dt = scene->time.dt};
    palSimulatedDef simulated = {
        .preset = palFindDevicePreset(scene->device.preset),
        .hand = scene->device.hand,
        .trajectory = session->trajectory,
        .dt = scene->time.dt,
    };
    palBrowserDef browser = palDefaultBrowserDef();
    palTrajectory_At(session->trajectory, 0.0, &browser.home, &browser.orientation);
    // No faster than the contact descriptions reach; as runtime/verdict.c, for a box.
    browser.maxSpeed = scene->method.radius / sqrt(3.0) / (scene->time.lowDt + scene->time.latency);
    const void* settings = &simulated;
    if (session->deviceOps == &pal_replayDevice)
        settings = &replay;
    else if (session->deviceOps == &pal_browserDevice)
        settings = &browser;
    result = session->deviceOps->open(settings, &session->device, error);
    session->ownsDevice = result == pal_ok;
    return result;
}

// The coupling and the force limits that the device allows.
static void fitToDevice(palSession* session, palPointModel* body, palSafetyDef* safety)
{
    const palScene* scene = &session->scene;
    palDeviceLimits limits = session->deviceOps->limits(session->device);
    palCouplingRequest request = palDefaultCouplingRequest(&limits, scene->time.dt);
    request.stiffness = scene->coupling.stiffness;
    request.damping = scene->coupling.damping;
    if (session->deviceOps == &pal_simulatedDevice)
        request.passiveDamping =
            palFindDevicePreset(scene->device.preset)->damping + scene->device.hand.damping;
    palDeviceCoupling coupling = palLimitCoupling(&request, &session->messages);
    *body = (palPointModel){
        .mass = scene->coupling.mass,
        .stiffness = coupling.stiffness,
        .damping = coupling.damping,
        .gravity = scene->gravity,
        .dt = scene->time.dt,
    };
    *safety = palLimitSafetyDef(scene->safety, &limits);
}

// Where the scene leaves the coupling's rotation open it is that of the translation at this lever,
// about half the width of a grip, m.
static const double gripLever = 0.02;

// The tool with the coupling that the device allows.
static palResult makeTool(palSession* session, const palPointModel* body, palError* error)
{
    const palSceneCoupling* coupling = &session->scene.coupling;
    palRigidDef def = palDefaultRigidDef();
    double lever = gripLever * gripLever;
    def.mass = session->world.toolMass;
    def.tangent = pal_tangentSafe; // a symmetric A, which the contact solvers ask for
    def.stiffness = body->stiffness;
    def.damping = body->damping;
    def.rotationStiffness =
        isnan(coupling->turnStiffness) ? lever * body->stiffness : coupling->turnStiffness;
    def.rotationDamping =
        isnan(coupling->turnDamping) ? lever * body->damping : coupling->turnDamping;
    def.gravity = body->gravity;
    session->tool.surface = session->world.toolSurface;
    return palRigidModel_Init(&session->tool.model, &def, error);
}

static palResult createEngine(palSession* session, palError* error)
{
    const palScene* scene = &session->scene;
    palEngineDef def = {
        .method = palFindMethod(scene->method.name),
        .deviceOps = session->deviceOps,
        .device = session->device,
        .dt = scene->time.dt,
        .lowDt = scene->time.lowDt,
        .latency = scene->time.latency,
        .seconds = scene->time.seconds,
        .spin = scene->time.spin,
        .keepRecords = true,
    };
    fitToDevice(session, &def.methodDef.body, &def.safety);
    for (int i = 0; i < session->world.wireCount; i++)
    {
        const palWire* wire = &session->world.wires[i];
        if (wire->isSprung)
            wire->model->coupling = palMakeWireCoupling(
                wire->handNode, def.methodDef.body.stiffness, def.methodDef.body.damping);
    }
    def.methodDef.lowDt = scene->time.lowDt;
    def.methodDef.latency = scene->time.latency;
    def.methodDef.radius = scene->method.radius;
    def.methodDef.limitShape = scene->method.limits;
    def.methodDef.frozenResponse = scene->method.response == pal_softFrozen;
    def.methodDef.elementsAtOnce = scene->method.elementsAtOnce;
    def.methodDef.penaltyStiffness = scene->method.penaltyStiffness;
    def.methodDef.penaltyDamping = scene->method.penaltyDamping;
    def.methodDef.colliders = session->world.colliders;
    def.methodDef.colliderCount = session->world.count;
    def.methodDef.wires = session->world.wires;
    def.methodDef.wireCount = session->world.wireCount;
    def.methodDef.joints = session->world.joints;
    def.methodDef.jointCount = session->world.jointCount;
    def.methodDef.constraintForce = scene->method.force == 1;
    def.methodDef.wideCompliance = scene->method.complianceStep == 1;
    def.methodDef.noCorrection = scene->method.correction == 0;
    def.methodDef.loopCount = 1 + scene->time.loopCount;
    def.methodDef.loopDt[0] = scene->time.lowDt;
    def.furtherCount = def.method->usesWires ? scene->time.loopCount : 0;
    for (int i = 0; i < scene->time.loopCount; i++)
    {
        def.methodDef.loopDt[i + 1] = scene->time.loops[i].dt;
        def.furtherDt[i] = scene->time.loops[i].dt;
        def.furtherLatency[i] = scene->time.loops[i].latency;
    }
    def.methodDef.toolLaw = scene->method.constraints;
    def.methodDef.modelStep = scene->method.modelStep;
    def.methodDef.modelFilter = scene->method.filter;
    if (scene->hasTool)
    {
        palResult result = makeTool(session, &def.methodDef.body, error);
        if (result != pal_ok)
            return result;
        def.methodDef.tool = &session->tool;
    }
    return palEngine_Create(&def, &session->engine, error);
}

static palResult bringToLife(palSession* session, const palSessionDef* def, palError* error)
{
    palResult result = palScene_Load(def->scene, def->sets, def->setCount, &session->scene,
                                     &session->messages, error);
    if (result == pal_ok)
        result = palWorld_Init(&session->world, &session->scene, &session->messages, error);
    if (result == pal_ok)
        result = openDevice(session, def, error);
    if (result == pal_ok)
        result = createEngine(session, error);
    if (result != pal_ok)
        return result;
    session->measure = malloc(sizeof *session->measure);
    if (session->measure == NULL)
        return palError_Memory(error, "the measurements", sizeof *session->measure);
    palMeasure_Init(session->measure, session->world.colliders, session->world.count);
    return pal_ok;
}

palResult palSession_Create(const palSessionDef* def, palSession** session, palError* error)
{
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
    *session = created;
    return pal_ok;
}

void palSession_Destroy(palSession* session)
{
    if (session == NULL)
        return;
    palSession_StopRecording(session, NULL);
    palEngine_Destroy(session->engine);
    if (session->ownsDevice)
        session->deviceOps->close(session->device);
    palTrajectory_Destroy(session->trajectory);
    palWorld_Free(&session->world);
    palMessages_Free(&session->messages);
    palJson_Free(&session->summary);
    free(session->measure);
    free(session);
}

const palError* palSession_Message(const palSession* session, int index, bool* isWarning)
{
    if (index < 0 || index >= session->messages.count)
        return NULL;
    *isWarning = session->messages.items[index].severity != pal_severityNote;
    return &session->messages.items[index].what;
}

// Takes out of the rings what the loops have put there.
static void drain(palSession* session)
{
    palTickRecord tick;
    while (palRing_Take(&session->engine->tickRecords, &tick))
    {
        palMeasure_Tick(session->measure, &tick);
        if (session->isRecording)
            palRecording_Tick(&session->recording, &tick);
        if (session->watch.tick != NULL)
            session->watch.tick(session->watch.user, &tick, session->measure->energy);
    }
    palLowRecord low;
    while (palEngine_TakeLow(session->engine, &low))
    {
        palMeasure_Low(session->measure, &low);
        if (session->isRecording)
            palRecording_Low(&session->recording, &low);
        if (session->watch.low != NULL)
            session->watch.low(session->watch.user, &low);
    }
    const palDrawing* drawing = palEngine_NewDrawing(session->engine);
    if (drawing != NULL && session->watch.drawing != NULL)
        session->watch.drawing(session->watch.user, drawing);
}

// Writes the problem of the last tick, if it had one.
static void dumpProblem(palSession* session)
{
    if (session->problem.count == 0 || session->dumpResult != pal_ok)
        return;
    char path[600];
    unsigned long long tick = session->engine->nextTick - 1;
    snprintf(path, sizeof path, "%s/problem-%06llu.txt", session->run->problems, tick);
    session->dumpResult = palPlanesProblem_Write(&session->problem, path, &session->dumpError);
}

static void observe(void* user, palEngine* engine, double done)
{
    palSession* session = user;
    drain(session);
    if (engine->problem != NULL)
        dumpProblem(session);
    if (session->run->progress != NULL)
        session->run->progress(session->run->user, done);
}

// Has every tick keep its problem, and the observer called after every tick.
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
    {
        palError_Set(error, pal_errorFile, "cannot make the folder: %s", strerror(errno));
        palError_At(error, def->problems, 0, 0);
        return palError_Remedy(error, "choose another folder for the problems");
    }
    session->engine->problem = &session->problem;
    session->engine->observeEvery = 1;
    return pal_ok;
}

palResult palSession_StartRecording(palSession* session, const char* directory, palError* error)
{
    palResult result = palRecording_Open(&session->recording, directory,
                                         session->engine->method->ops->turns, error);
    session->isRecording = result == pal_ok;
    return result;
}

palResult palSession_StopRecording(palSession* session, palError* error)
{
    if (!session->isRecording)
        return pal_ok;
    session->isRecording = false;
    palResult result = palRecording_Close(&session->recording, error);
    if (result != pal_ok)
        return result;
    char path[600];
    snprintf(path, sizeof path, "%s/summary.json", session->recording.directory);
    if (palSession_Summary(session) == NULL)
        return palError_Memory(error, "the summary", session->summary.capacity);
    return palJson_WriteFile(&session->summary, path, error);
}

palResult palSession_Run(palSession* session, const palRunDef* def, palError* error)
{
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
    session->engine->problem = NULL;
    if (result == pal_ok && session->dumpResult != pal_ok)
    {
        result = session->dumpResult;
        *error = session->dumpError;
    }
    // The stop was this run's; the next one goes on.
    atomic_store(&session->engine->stop, false);
    if (session->engine->schedulingNote[0] != '\0' && !session->isNoted)
        palMessages_Add(&session->messages, pal_severityWarning, "%s",
                        session->engine->schedulingNote);
    session->isNoted = session->isNoted || session->engine->schedulingNote[0] != '\0';
    session->engine->schedulingNote[0] = '\0';
    if (def->directory == NULL)
        return result;
    palResult closed = palSession_StopRecording(session, result == pal_ok ? error : NULL);
    return result != pal_ok ? result : closed;
}

void palSession_Stop(palSession* session)
{
    atomic_store(&session->engine->stop, true);
}

void palSession_Step(palSession* session, palStep* step)
{
    palTickRecord record;
    palLockstep_Step(session->engine, &record);
    drain(session);
    *step = (palStep){
        .t = record.t,
        .device = record.device,
        .proxy = record.proxy,
        .turn = record.proxyTurn,
        .force = record.force,
        .torque = record.torque,
        .out = record.out,
        .active = record.active,
    };
}

static void writeScene(const palSession* session, palJson* json)
{
    const palScene* scene = &session->scene;
    const palRigidDef* tool = &session->tool.model.def;
    const palPointModel* body = &session->engine->def.methodDef.body;
    palJson_Text(json, "scene", scene->name);
    palJson_Text(json, "file", scene->file);
    palJson_Text(json, "method", scene->method.name);
    palJson_Text(json, "mode", session->mode == pal_modeRealtime ? "realtime" : "lockstep");
    palJson_Whole(json, "seed", scene->seed);
    palJson_BeginObject(json, "versions");
    palJson_Text(json, "palpate", palVersion());
    palJson_BeginArray(json, "with");
    for (int i = 0; palFeature(i) != NULL; i++)
        palJson_Text(json, NULL, palFeature(i));
    palJson_End(json);
    palJson_End(json);
    palJson_Text(json, "device", session->deviceOps->name);
    palJson_Number(json, "seconds", scene->time.seconds);
    palJson_Bool(json, "complete",
                 session->engine->nextTick >= palEngine_TickCount(session->engine));
    palJson_Number(json, "dt_s", scene->time.dt);
    palJson_Number(json, "low_dt_s", scene->time.lowDt);
    palJson_Number(json, "latency_s", scene->time.latency);
    palJson_Number(json, "coupling_stiffness_N_m", body->stiffness);
    palJson_Number(json, "coupling_damping_Ns_m", body->damping);
    palJson_Number(json, "proxy_mass_kg", scene->hasTool ? tool->mass.mass : body->mass);
    if (scene->hasTool)
    {
        palJson_Number(json, "coupling_turn_stiffness_Nm_rad", tool->rotationStiffness);
        palJson_Number(json, "coupling_turn_damping_Nms_rad", tool->rotationDamping);
        palJson_Whole(json, "tool_triangles", session->tool.surface.triangleCount);
    }
    int triangles = 0;
    for (int i = 0; i < session->world.count; i++)
        triangles += session->world.colliders[i].surface.triangleCount;
    palJson_Whole(json, "objects", session->world.count);
    palJson_Whole(json, "triangles", triangles);
}

// What each object was pushed with, in all.
static void writeBodies(const palSession* session, palJson* json)
{
    palJson_BeginArray(json, "bodies");
    for (int i = 0; i < session->world.count; i++)
    {
        const palBodyTotal* total = &session->measure->bodies[i];
        const palSoftBody* soft = session->world.colliders[i].soft;
        palVec3 mean = palScale(1.0 / (double)(total->steps > 0 ? total->steps : 1), total->sum);
        palJson_BeginObject(json, NULL);
        palJson_Text(json, "name", session->scene.objects[i].name);
        palJson_Bool(json, "soft", soft != NULL);
        if (soft != NULL)
        {
            palJson_Whole(json, "nodes", soft->nodeCount);
            palJson_Whole(json, "elements", soft->tetCount + soft->hexCount);
        }
        palJson_Whole(json, "contact_steps", (int64_t)total->steps);
        palJson_BeginArray(json, "mean_force_N");
        palJson_Number(json, NULL, mean.x);
        palJson_Number(json, NULL, mean.y);
        palJson_Number(json, NULL, mean.z);
        palJson_End(json);
        palJson_Number(json, "max_force_N", total->largest);
        palJson_End(json);
    }
    palJson_End(json);
}

static void writeMessages(const palSession* session, palJson* json)
{
    palJson_BeginArray(json, "messages");
    for (int i = 0; i < session->messages.count; i++)
    {
        char text[2048];
        palError_Format(&session->messages.items[i].what, text, sizeof text);
        palJson_Text(json, NULL, text);
    }
    palJson_End(json);
}

const char* palSession_Summary(palSession* session)
{
    palJson* json = &session->summary;
    palJson_Free(json);
    session->verdict = palMakeVerdict(session->engine);
    palJson_BeginObject(json, NULL);
    writeScene(session, json);
    palVerdict_Write(&session->verdict, session->engine, json);
    palMeasure_Write(session->measure, json);
    writeBodies(session, json);
    writeMessages(session, json);
    palJson_End(json);
    return json->failed ? NULL : json->text;
}

const char* palSession_Verdict(palSession* session)
{
    session->verdict = palMakeVerdict(session->engine);
    return session->verdict.text;
}

palResult palSession_Watch(palSession* session, const palSessionWatch* watch, palError* error)
{
    session->watch = *watch;
    session->engine->def.observePeriod = watch->every;
    session->engine->observeEvery = (uint64_t)fmax(1.0, watch->every / session->engine->def.dt);
    if (watch->isEndless)
        session->engine->def.seconds = INFINITY;
    return palEngine_StartDrawing(session->engine, error);
}

void palSession_DrawStress(palSession* session, bool wanted)
{
    // A wish: nothing else is ordered by it.
    atomic_store_explicit(&session->engine->drawsStress, wanted, memory_order_relaxed);
}

void palSession_AddStress(palSession* session, palDrawing* drawing)
{
    palEngine* engine = session->engine;
    palDrawing_FillStress(drawing, &engine->drawingWork, engine->method, true);
}

palDevice* palSession_BrowserDevice(palSession* session)
{
    return session->deviceOps == &pal_browserDevice ? session->device : NULL;
}

const palWorld* palSession_World(const palSession* session)
{
    return &session->world;
}

const palScene* palSession_Scene(const palSession* session)
{
    return &session->scene;
}

const palEngine* palSession_Engine(const palSession* session)
{
    return session->engine;
}

const palMeasure* palSession_Measure(const palSession* session)
{
    return session->measure;
}

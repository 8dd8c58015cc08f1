// SPDX-License-Identifier: Apache-2.0
// From a scene to what runs it: the device, the coupling that the device allows, the engine.
#include "scene/session_state.h"

#include "base/error.h"
#include "device/coupling_limits.h"
#include "scene/wires.h"
#include "world/step.h"

// Where the scene leaves the coupling's rotation open it is that of the translation at this lever,
// about half the width of a grip, m.
static const double gripLever = 0.02;

// Opens the scene's driver with the settings that the scene gives it.
static palResult openDriver(palSession* session, palError* error)
{
    const palScene* scene = &session->scene;
    const palDeviceOps* ops = session->deviceOps;
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = session->trajectory;
    context.dt = scene->time.dt;
    palTrajectory_At(session->trajectory, 0.0, &context.home, &context.homeOrientation);
    // No faster than the contact descriptions reach; as runtime/verdict.c, for a box.
    context.maxSpeed = scene->method.radius / sqrt(3.0) / (scene->time.lowDt + scene->time.latency);
    const void* settings = ops->settings != NULL ? scene->device.settings : NULL;
    palResult result = ops->open(&context, settings, &session->device, error);
    if (result != pal_ok)
        palError_At(error, scene->file, scene->devicePlace.line, scene->devicePlace.column);
    return result;
}

palResult palSession_OpenDevice(palSession* session, const palSessionDef* def, palError* error)
{
    const palScene* scene = &session->scene;
    if (def->deviceOps != NULL)
    {
        const palDeviceOps* ops = def->deviceOps;
        if (ops->size < offsetof(palDeviceOps, write) + sizeof ops->write)
        {
            palError_Set(error, pal_errorInput, "the session's palDeviceOps has no size");
            return palError_Remedy(error, "set its first member to sizeof(palDeviceOps)");
        }
        session->deviceOps = def->deviceOps;
        session->device = def->device;
        return pal_ok;
    }
    palTrajectoryDef aimed = palWorld_Aim(&session->world, &scene->trajectory);
    palResult result = pal_ok;
    if (aimed.kind == pal_trajectoryFile)
        result = palScene_FindFile(scene, scene->trajectory.filePlace, "trajectory.file",
                                   aimed.file, error);
    if (result == pal_ok)
        result = palTrajectory_Create(&aimed, &session->trajectory, error);
    if (result != pal_ok)
        return result;
    session->deviceOps = palFindDeviceDriver(scene->device.driver);
    result = openDriver(session, error);
    session->ownsDevice = result == pal_ok;
    return result;
}

// The coupling and the force limits that the device allows.
static void fitToDevice(palSession* session, palPointModel* body, palSafetyDef* safety)
{
    const palScene* scene = &session->scene;
    palDeviceLimits limits = {.size = sizeof limits};
    session->deviceOps->limits(session->device, &limits);
    palCouplingRequest request = palDefaultCouplingRequest(&limits, scene->time.dt);
    request.stiffness = scene->coupling.stiffness;
    request.damping = scene->coupling.damping;
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
    session->tool.spacing = session->scene.tool.spacing;
    return palRigidModel_Init(&session->tool.model, &def, error);
}

// What the scene says about the method, and what it acts on.
static void describeMethod(palSession* session, palMethodDef* def)
{
    const palScene* scene = &session->scene;
    const palSceneMethod* method = &scene->method;
    const palWorld* world = &session->world;
    def->lowDt = scene->time.lowDt;
    def->latency = scene->time.latency;
    def->radius = method->radius;
    def->settings = method->settings;
    def->tool = scene->hasTool ? &session->tool : NULL;
    def->colliders = world->colliders;
    def->colliderCount = world->count;
    def->wires = world->wires;
    def->wireCount = world->wireCount;
    def->joints = world->joints;
    def->jointCount = world->jointCount;
}

// The rates besides the two; only methods with wires have any.
static void describeLoops(const palSceneTime* time, palEngineDef* def)
{
    def->furtherCount = time->loopCount;
    def->methodDef.loopCount = 1 + time->loopCount;
    def->methodDef.loopDt[0] = time->lowDt;
    for (int i = 0; i < time->loopCount; i++)
    {
        def->methodDef.loopDt[i + 1] = time->loops[i].dt;
        def->furtherDt[i] = time->loops[i].dt;
        def->furtherLatency[i] = time->loops[i].latency;
    }
}

// A wire that is held by a spring gets the one that the device allows.
static void gripWires(const palWorld* world, const palPointModel* body)
{
    for (int i = 0; i < world->wireCount; i++)
    {
        const palWire* wire = &world->wires[i];
        if (wire->isSprung)
            wire->model->coupling =
                palMakeWireCoupling(wire->handNode, body->stiffness, body->damping);
    }
}

// What overlaps from the start does not touch.
static void warnAboutOverlaps(palSession* session)
{
    const palScene* scene = &session->scene;
    const palWorldStep* world = session->engine->method->world;
    for (int i = 0; world != NULL && i < world->pairCount; i++)
    {
        const palWorldPair* pair = &world->pairs[i];
        if (!pair->isIgnored || pair->a >= session->world.count || pair->b >= session->world.count)
            continue;
        const palSceneObject* object = &scene->objects[pair->a]; // one of the two is soft
        const palSceneObject* other = &scene->objects[pair->b];
        palScenePlace place = object->isSoft ? object->softPlace : other->softPlace;
        palError* warning =
            palMessages_Add(&session->messages, pal_severityWarning,
                            "%s and %s overlap at the start: there is no contact between them",
                            object->name, other->name);
        palError_At(warning, scene->file, place.line, place.column);
        palError_Remedy(warning, "move them apart, if they are to touch");
    }
}

palResult palSession_CreateEngine(palSession* session, palError* error)
{
    const palScene* scene = &session->scene;
    palEngineDef def = {
        .method = palFindMethodForm(scene->method.name, palScene_Hand(scene)),
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
    describeMethod(session, &def.methodDef);
    describeLoops(&scene->time, &def);
    gripWires(&session->world, &def.methodDef.body);
    palResult result = scene->hasTool ? makeTool(session, &def.methodDef.body, error) : pal_ok;
    if (result == pal_ok)
        result = palEngine_Create(&def, &session->engine, error);
    if (result == pal_ok)
        warnAboutOverlaps(session);
    return result;
}

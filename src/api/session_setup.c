// SPDX-License-Identifier: Apache-2.0
// From a scene to what runs it: the device, the coupling that the device allows, the engine.
#include "api/session_state.h"

#include "base/error.h"
#include "device/coupling_limits.h"
#include "scene/wires.h"
#include "world/step.h"

// Opens the driver of a hand with the settings that the scene gives it.
static palResult openDriver(const palScene* scene, const palSceneHand* given, palSessionHand* hand,
                            palError* error)
{
    const palDeviceOps* ops = hand->deviceOps;
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = hand->trajectory;
    context.dt = scene->time.dt;
    if (hand->trajectory != NULL)
        palTrajectory_At(hand->trajectory, 0.0, &context.home, &context.homeOrientation);
    // No faster than the contact descriptions reach; as runtime/verdict.c, for a box.
    context.maxSpeed = scene->method.radius / sqrt(3.0) / (scene->time.lowDt + scene->time.latency);
    const void* settings = ops->settings != NULL ? given->device.settings : NULL;
    palResult result = ops->open(&context, settings, &hand->device, error);
    if (result != pal_ok)
        palError_At(error, scene->file, given->devicePlace.line, given->devicePlace.column);
    return result;
}

// The scene's driver for a hand.
static palResult openDevice(palSession* session, int index, palError* error)
{
    const palScene* scene = &session->scene;
    const palSceneHand* given = palScene_HandAt(scene, index);
    palSessionHand* hand = &session->hands[index];
    palTrajectoryDef aimed = palSceneBodies_Aim(&session->world, &given->trajectory);
    palResult result = pal_ok;
    char key[64];
    if (aimed.kind == pal_trajectoryFile)
        result = palScene_FindFile(scene, given->trajectory.filePlace,
                                   palScene_HandKey(scene, index, "trajectory.file", key),
                                   aimed.file, error);
    if (result == pal_ok && given->hasTrajectory)
        result = palTrajectory_Create(&aimed, &hand->trajectory, error);
    if (result != pal_ok)
        return result;
    hand->deviceOps = palFindDeviceDriver(given->device.driver);
    result = openDriver(scene, given, hand, error);
    hand->ownsDevice = result == pal_ok;
    return result;
}

// The device of the caller.
static palResult takeDevice(palSessionHand* hand, const palSessionDef* def, palError* error)
{
    const palDeviceOps* ops = def->deviceOps;
    if (ops->size < offsetof(palDeviceOps, write) + sizeof ops->write)
    {
        palError_Set(error, pal_errorInput, "the session's palDeviceOps has no size");
        return palError_Remedy(error, "set its first member to sizeof(palDeviceOps)");
    }
    hand->deviceOps = def->deviceOps;
    hand->device = def->device;
    return pal_ok;
}

palResult palSession_OpenDevices(palSession* session, const palSessionDef* def, palError* error)
{
    palResult result = pal_ok;
    for (int i = 0; i < palScene_HandCount(&session->scene) && result == pal_ok; i++)
    {
        session->handCount++;
        result = i == 0 && def->deviceOps != NULL ? takeDevice(&session->hands[i], def, error)
                                                  : openDevice(session, i, error);
    }
    return result;
}

// The coupling and the force limits that the device of a hand allows.
static palCouplingValues fitToDevice(palSession* session, int index)
{
    const palScene* scene = &session->scene;
    const palSceneHand* given = palScene_HandAt(scene, index);
    palSessionHand* hand = &session->hands[index];
    palDeviceLimits limits = {.size = sizeof limits};
    hand->deviceOps->limits(hand->device, &limits);
    palCouplingValues wished = palSceneCoupling_Values(&given->coupling);
    palCouplingValues coupling =
        palFitCoupling(&limits, scene->time.dt, &wished, &session->messages);
    hand->body = (palPointModel){
        .mass = given->coupling.mass,
        .stiffness = coupling.stiffness,
        .damping = coupling.damping,
        .gravity = scene->gravity,
        .dt = scene->time.dt,
    };
    hand->safety = palLimitSafetyDef(given->safety, &limits);
    return coupling;
}

// The tool of a hand with the coupling that its device allows.
static palResult makeTool(palSession* session, int index, const palCouplingValues* coupling,
                          palError* error)
{
    const palSceneHand* given = palScene_HandAt(&session->scene, index);
    palSessionHand* hand = &session->hands[index];
    palRigidDef def = palDefaultRigidDef();
    def.mass = session->world.tools[index].mass;
    def.tangent = pal_tangentSafe; // a symmetric A, which the contact solvers ask for
    def.stiffness = coupling->stiffness;
    def.damping = coupling->damping;
    def.rotationStiffness = coupling->turnStiffness;
    def.rotationDamping = coupling->turnDamping;
    def.gravity = hand->body.gravity;
    hand->tool.surface = session->world.tools[index].surface;
    hand->tool.spacing = given->tool.spacing;
    return palRigidModel_Init(&hand->tool.model, &def, error);
}

// What the scene says about the method, and what it acts on.
static void describeMethod(palSession* session, palMethodDef* def)
{
    const palScene* scene = &session->scene;
    const palSceneMethod* method = &scene->method;
    const palSceneBodies* world = &session->world;
    def->lowDt = scene->time.lowDt;
    def->latency = scene->time.latency;
    def->radius = method->radius;
    def->settings = method->settings;
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

// A wire that is held by a spring gets the one that the device of its hand allows.
static void gripWires(palSession* session)
{
    const palSceneBodies* world = &session->world;
    for (int i = 0; i < world->wireCount; i++)
    {
        const palWire* wire = &world->wires[i];
        palWireEnd end;
        if (!wire->isSprung)
            continue;
        const palPointModel* body = &session->hands[palScene_Holder(&session->scene, i, &end)].body;
        wire->model->coupling = palMakeWireCoupling(wire->handNode, body->stiffness, body->damping);
    }
}

// What overlaps from the start does not touch.
static void warnAboutOverlaps(palSession* session)
{
    const palScene* scene = &session->scene;
    const palWorldStep* world = session->engine->methods.shared->world;
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

// What the engine gets of a hand.
static palResult describeHand(palSession* session, int index, palEngineDef* def, palError* error)
{
    palSessionHand* hand = &session->hands[index];
    bool hasTool = palScene_HandAt(&session->scene, index)->hasTool;
    palCouplingValues coupling = fitToDevice(session, index);
    def->hands[index] = (palEngineHandDef){
        .method = palFindMethodForm(session->scene.method.name,
                                    palScene_HandKind(&session->scene, index)),
        .body = hand->body,
        .tool = hasTool ? &hand->tool : NULL,
        .deviceOps = hand->deviceOps,
        .device = hand->device,
        .safety = hand->safety,
    };
    return hasTool ? makeTool(session, index, &coupling, error) : pal_ok;
}

palResult palSession_CreateEngine(palSession* session, palError* error)
{
    const palScene* scene = &session->scene;
    palEngineDef def = {
        .handCount = session->handCount,
        .dt = scene->time.dt,
        .lowDt = scene->time.lowDt,
        .latency = scene->time.latency,
        .seconds = scene->time.seconds,
        .spin = scene->time.spin,
        .keepRecords = true,
    };
    describeMethod(session, &def.methodDef);
    describeLoops(&scene->time, &def);
    palResult result = pal_ok;
    for (int i = 0; i < session->handCount && result == pal_ok; i++)
        result = describeHand(session, i, &def, error);
    if (result != pal_ok)
        return result;
    gripWires(session);
    result = palEngine_Create(&def, &session->engine, error);
    if (result == pal_ok)
        warnAboutOverlaps(session);
    return result;
}

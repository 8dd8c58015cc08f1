// SPDX-License-Identifier: Apache-2.0
// From a scene to what runs it: the devices, the coupling that each allows, the engine.
#include "api/world_state.h"

#include "base/error.h"
#include "device/coupling_limits.h"
#include "scene/wires.h"
#include "world/step.h"

palDriverContext palWorld_DriverContext(const palWorld* world, int index)
{
    const palScene* scene = &world->scene;
    const palWorldHand* hand = &world->hands[index];
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = hand->trajectory;
    context.dt = scene->time.dt;
    if (hand->trajectory != NULL)
        palTrajectory_At(hand->trajectory, 0.0, &context.home, &context.homeOrientation);
    // No faster than the contact descriptions reach; as runtime/verdict.c, for a box.
    context.maxSpeed = scene->method.radius / sqrt(3.0) / (scene->time.lowDt + scene->time.latency);
    return context;
}

// Opens the driver of a hand with the settings that the scene gives it.
static palResult openDriver(palWorld* world, int index, palError* error)
{
    const palScene* scene = &world->scene;
    const palSceneHand* given = palScene_HandAt(scene, index);
    palWorldHand* hand = &world->hands[index];
    const palDeviceOps* ops = hand->deviceOps;
    palDriverContext context = palWorld_DriverContext(world, index);
    const void* settings = ops->settings != NULL ? given->device.settings : NULL;
    palResult result = ops->open(&context, settings, &hand->device, error);
    if (result != pal_ok)
        palError_At(error, scene->file, given->devicePlace.line, given->devicePlace.column);
    return result;
}

// The scene's driver for a hand.
static palResult openDevice(palWorld* world, int index, palError* error)
{
    const palScene* scene = &world->scene;
    const palSceneHand* given = palScene_HandAt(scene, index);
    palWorldHand* hand = &world->hands[index];
    palResult result = palSceneBodies_MakeTrajectory(&world->bodies, scene, index,
                                                     &hand->trajectory, &world->messages, error);
    if (result != pal_ok)
        return result;
    hand->deviceOps = palFindDeviceDriver(given->device.driver);
    result = openDriver(world, index, error);
    hand->ownsDevice = result == pal_ok;
    return result;
}

palResult palWorld_OpenDevices(palWorld* world, palError* error)
{
    palResult result = pal_ok;
    for (int i = 0; i < palScene_HandCount(&world->scene) && result == pal_ok; i++)
    {
        world->handCount++;
        const palOwnDevice* own = &world->ownDevices[i];
        world->hands[i] = (palWorldHand){.deviceOps = own->ops, .device = own->device};
        result = own->ops != NULL ? pal_ok : openDevice(world, i, error);
    }
    return result;
}

// The coupling and the force limits that the device of a hand allows.
static palCouplingValues fitToDevice(palWorld* world, int index)
{
    const palScene* scene = &world->scene;
    const palSceneHand* given = palScene_HandAt(scene, index);
    palWorldHand* hand = &world->hands[index];
    palDeviceLimits limits = {.size = sizeof limits};
    hand->deviceOps->limits(hand->device, &limits);
    palCouplingValues wished = palSceneCoupling_Values(&given->coupling);
    palCouplingValues coupling = palFitCoupling(&limits, scene->time.dt, &wished, &world->messages);
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
static palResult makeTool(palWorld* world, int index, const palCouplingValues* coupling,
                          palError* error)
{
    const palSceneHand* given = palScene_HandAt(&world->scene, index);
    palWorldHand* hand = &world->hands[index];
    palRigidDef def = palDefaultRigidDef();
    def.mass = world->bodies.tools[index].mass;
    def.tangent = pal_tangentSafe; // a symmetric A, which the contact solvers ask for
    def.stiffness = coupling->stiffness;
    def.damping = coupling->damping;
    def.rotationStiffness = coupling->turnStiffness;
    def.rotationDamping = coupling->turnDamping;
    def.gravity = hand->body.gravity;
    hand->tool.surface = world->bodies.tools[index].surface;
    hand->tool.spacing = given->tool.spacing;
    return palRigidModel_Init(&hand->tool.model, &def, error);
}

// What the scene says about the method, and what it acts on.
static void describeMethod(palWorld* world, palMethodDef* def)
{
    const palScene* scene = &world->scene;
    const palSceneMethod* method = &scene->method;
    const palSceneBodies* bodies = &world->bodies;
    def->lowDt = scene->time.lowDt;
    def->latency = scene->time.latency;
    def->radius = method->radius;
    def->settings = method->settings;
    def->colliders = bodies->colliders;
    def->colliderCount = bodies->count;
    def->wires = bodies->wires;
    def->wireCount = bodies->wireCount;
    def->joints = bodies->joints;
    def->jointCount = bodies->jointCount;
    def->pile = bodies->hasPile ? &bodies->pile : NULL;
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
static void gripWires(palWorld* world)
{
    const palSceneBodies* bodies = &world->bodies;
    for (int i = 0; i < bodies->wireCount; i++)
    {
        const palWire* wire = &bodies->wires[i];
        palWireEnd end;
        if (!wire->isSprung)
            continue;
        const palPointModel* body = &world->hands[palScene_Holder(&world->scene, i, &end)].body;
        wire->model->coupling = palMakeWireCoupling(wire->handNode, body->stiffness, body->damping);
    }
}

// What overlaps from the start does not touch.
static void warnAboutOverlaps(palWorld* world)
{
    const palScene* scene = &world->scene;
    const palWorldStep* step = world->engine->methods.shared->world;
    for (int i = 0; step != NULL && i < step->pairCount; i++)
    {
        const palWorldPair* pair = &step->pairs[i];
        if (!pair->isIgnored || pair->a >= world->bodies.count || pair->b >= world->bodies.count)
            continue;
        const palSceneObject* object = &scene->objects[pair->a]; // one of the two is soft
        const palSceneObject* other = &scene->objects[pair->b];
        palScenePlace place = object->isSoft ? object->softPlace : other->softPlace;
        palError* warning =
            palMessages_Add(&world->messages, pal_severityWarning,
                            "%s and %s overlap at the start: there is no contact between them",
                            object->name, other->name);
        palError_At(warning, scene->file, place.line, place.column);
        palError_Remedy(warning, "move them apart, if they are to touch");
    }
}

// What the engine gets of a hand.
static palResult describeHand(palWorld* world, int index, palEngineDef* def, palError* error)
{
    palWorldHand* hand = &world->hands[index];
    bool hasTool = palScene_HandAt(&world->scene, index)->hasTool;
    palCouplingValues coupling = fitToDevice(world, index);
    def->hands[index] = (palEngineHandDef){
        .method =
            palFindMethodForm(world->scene.method.name, palScene_HandKind(&world->scene, index)),
        .body = hand->body,
        .tool = hasTool ? &hand->tool : NULL,
        .tipRadius = palScene_HandAt(&world->scene, index)->tipRadius,
        .pick = palScene_HandAt(&world->scene, index)->pick,
        .toolPart =
            world->bodies.tools[index].part.shape != NULL ? &world->bodies.tools[index].part : NULL,
        .deviceOps = hand->deviceOps,
        .device = hand->device,
        .safety = hand->safety,
    };
    return hasTool ? makeTool(world, index, &coupling, error) : pal_ok;
}

palResult palWorld_CreateEngine(palWorld* world, palError* error)
{
    const palScene* scene = &world->scene;
    palEngineDef def = {
        .handCount = world->handCount,
        .dt = scene->time.dt,
        .lowDt = scene->time.lowDt,
        .latency = scene->time.latency,
        .seconds = world->keepsRecords ? scene->time.seconds : INFINITY,
        .spin = scene->time.spin,
        .keepRecords = world->keepsRecords,
    };
    describeMethod(world, &def.methodDef);
    describeLoops(&scene->time, &def);
    palResult result = pal_ok;
    for (int i = 0; i < world->handCount && result == pal_ok; i++)
        result = describeHand(world, i, &def, error);
    if (result != pal_ok)
        return result;
    gripWires(world);
    result = palEngine_Create(&def, &world->engine, error);
    if (result == pal_ok)
        warnAboutOverlaps(world);
    return result;
}

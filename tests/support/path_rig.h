// SPDX-License-Identifier: Apache-2.0
// An engine with a world and a hand of the test's own, run in lockstep.
//
//     palRig rig;
//     rigInit(&rig, &(palRigDef){.method = "accurate", .path = sine});
//     rigAddShape(&rig, &shape, friction, pose);
//     rigStart(&rig);
//     while (rigStep(&rig, &record)) ...
//     rigFree(&rig);
#ifndef PAL_TESTS_PATH_RIG_H
#define PAL_TESTS_PATH_RIG_H

#include "check.h"

#include "device/driver.h"
#include "math/quat.h"
#include "mesh/shapes.h"
#include "runtime/engine.h"

/// Where the hand is at time t.
typedef palVec3 palRigPath(const void* user, double t);

/// How the hand is turned at time t, as a rotation vector.
typedef palVec3 palRigTurn(const void* user, double t);

struct palDevice
{
    palRigPath* path;
    palRigTurn* turn;
    const void* user;
    double dt;
};

static inline void rigRead(palDevice* device, double t, palDeviceState* state)
{
    palVec3 before = device->path(device->user, t - device->dt);
    *state = (palDeviceState){.position = device->path(device->user, t), .fresh = true};
    state->velocity = palScale(1.0 / device->dt, palSub(state->position, before));
    state->orientation = pal_identityQuat;
    if (device->turn == NULL)
        return;
    palQuat last = palMakeQuatRotationVector(device->turn(device->user, t - device->dt));
    state->orientation = palMakeQuatRotationVector(device->turn(device->user, t));
    palVec3 turned = palRotationVector(palMulQuat(state->orientation, palConjugate(last)));
    state->angularVelocity = palScale(1.0 / device->dt, turned);
}

static const palDeviceOps rigDeviceOps = {
    .name = "rig", .read = rigRead, .write = palDriver_IgnoreForce};

/// Zeros take the values of the paper's experiments.
typedef struct palRigDef
{
    const char* method;
    palRigPath* path;
    palRigTurn* turn; // not at all
    const void* user; // of the path, borrowed
    double seconds;   // 1
    double dt;        // 1 ms
    double lowDt;     // 33 ms
    double latency;   // 5 ms; negative: none
    double radius;    // 20 mm
    palLimitShape limitShape;
    double tolerance;    // of merging triangles: they are not merged
    const palTool* tool; // none
    double spacing;      // of its points: by its size
} palRigDef;

typedef struct palRig
{
    palRigDef def;
    palCollider colliders[8];
    int colliderCount;
    palTool tool; // that of `def`, with its spacing
    struct palDevice device;
    palEngine* engine;
    uint64_t ticks;
} palRig;

/// A rotation, scaling and translation of the whole experiment.
typedef struct palRigPose
{
    double scale;
    palQuat rotation;
    palVec3 position;
} palRigPose;

static const palRigPose rigHome = {1.0, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

static inline palRigPose rigAt(double x, double y, double z)
{
    palRigPose pose = rigHome;
    pose.position = palMakeVec3(x, y, z);
    return pose;
}

static inline palVec3 rigPlace(const palRigPose* pose, palVec3 x)
{
    return palAdd(pose->position, palScale(pose->scale, palRotate(pose->rotation, x)));
}

static inline void rigInit(palRig* rig, const palRigDef* def)
{
    *rig = (palRig){.def = *def};
    palRigDef* d = &rig->def;
    d->seconds = d->seconds == 0.0 ? 1.0 : d->seconds;
    d->dt = d->dt == 0.0 ? 1e-3 : d->dt;
    d->lowDt = d->lowDt == 0.0 ? 0.033 : d->lowDt;
    d->latency = d->latency == 0.0 ? 0.005 : d->latency;
    d->radius = d->radius == 0.0 ? 0.02 : d->radius;
}

/// Takes the surface over.
static inline void rigAdd(palRig* rig, palSurface* surface, double friction, palRigPose pose)
{
    assert_true(rig->colliderCount < (int)(sizeof rig->colliders / sizeof rig->colliders[0]));
    palSurface_Transform(surface, pose.scale, pose.rotation, pose.position);
    assert_int_equal(
        palCollider_Init(&rig->colliders[rig->colliderCount++], surface, friction, NULL), pal_ok);
}

static inline void rigAddShape(palRig* rig, const palShapeDef* shape, double friction,
                               palRigPose pose)
{
    palSurface surface;
    assert_int_equal(palMakeShape(shape, &surface, NULL), pal_ok);
    rigAdd(rig, &surface, friction, pose);
}

/// A closed box of given full extents, `resolution` cells along its longest side.
static inline void rigAddBox(palRig* rig, palVec3 size, int resolution, double friction,
                             palRigPose pose)
{
    palShapeDef shape = palDefaultShapeDef(pal_shapeBox);
    shape.size = size;
    shape.resolution = resolution;
    rigAddShape(rig, &shape, friction, pose);
}

/// Begins a run, or begins again after `def` was changed.
static inline void rigStart(palRig* rig)
{
    const palRigDef* d = &rig->def;
    palEngine_Destroy(rig->engine);
    rig->engine = NULL;
    rig->device = (struct palDevice){d->path, d->turn, d->user, d->dt};
    if (d->tool != NULL)
        rig->tool = *d->tool;
    rig->tool.spacing = d->spacing;
    palEngineDef def = {
        .hands[0].method =
            palFindMethodForm(d->method, d->tool != NULL ? pal_handTool : pal_handPoint),
        .hands[0].deviceOps = &rigDeviceOps,
        .hands[0].device = &rig->device,
        .hands[0].safety = palDefaultSafetyDef(),
        .dt = d->dt,
        .lowDt = d->lowDt,
        .latency = fmax(0.0, d->latency),
        .seconds = d->seconds,
        .hands[0].body = {.mass = 1e-3, .stiffness = 1000.0, .damping = 0.8, .dt = d->dt},
        .hands[0].tool = d->tool != NULL ? &rig->tool : NULL,
        .methodDef =
            {
                .lowDt = d->lowDt,
                .latency = fmax(0.0, d->latency),
                .radius = d->radius,
                .settings.accurate = {.limits = d->limitShape, .tolerance = d->tolerance},
                .settings.penalty = {.stiffness = 2000.0, .damping = 1.0},
                .colliders = rig->colliders,
                .colliderCount = rig->colliderCount,
            },
    };
    assert_non_null(def.hands[0].method);
    assert_int_equal(palEngine_Create(&def, &rig->engine, NULL), pal_ok);
    rig->ticks = palEngine_TickCount(rig->engine);
}

/// One high-rate step. Returns false after the last.
static inline bool rigStep(palRig* rig, palTickRecord* record)
{
    if (rig->engine->nextTick >= rig->ticks)
        return false;
    palLockstep_Step(rig->engine, record);
    assert_true(palIsFinite(record->hands[0].force) && palIsFinite(record->hands[0].proxy));
    return true;
}

/// The signed distance of a point to the nearest surface, m; negative inside.
static inline double rigGap(const palRig* rig, palVec3 x)
{
    palNearest nearest;
    bool found = palColliders_Nearest(rig->colliders, rig->colliderCount, x, INFINITY, &nearest);
    return found ? nearest.gap : INFINITY;
}

static inline void rigFree(palRig* rig)
{
    palEngine_Destroy(rig->engine);
    for (int i = 0; i < rig->colliderCount; i++)
        palCollider_Free(&rig->colliders[i]);
    *rig = (palRig){0};
}

#endif

// SPDX-License-Identifier: Apache-2.0
// A test rig: an engine on one shape, held by a device that is where the test puts it and keeps
// what it is given.
#ifndef PAL_TESTS_RIG_H
#define PAL_TESTS_RIG_H

#include "check.h"

#include "math/quat.h"
#include "mesh/shapes.h"
#include "runtime/engine.h"

struct palDevice
{
    palVec3 position; // m, what the next read gives
    palVec3 velocity; // m/s
    bool silent;      // reads give nothing fresh
    palVec3 force;    // N, of the last write
    uint64_t writes;
    bool finite;    // all writes were
    double largest; // N, longest force that was written
    double jump;    // N, greatest change from one write to the next
};

static inline void rigLimits(const palDevice* device, palDeviceLimits* limits)
{
    (void)device;
    limits->hasForce = true;
}

static inline void rigRead(palDevice* device, double t, palDeviceState* state)
{
    (void)t;
    *state = (palDeviceState){
        .position = device->position,
        .velocity = device->velocity,
        .orientation = pal_identityQuat,
        .fresh = !device->silent,
    };
}

static inline void rigWrite(palDevice* device, const palDeviceOutput* output)
{
    palVec3 force = output->channels[0].force;
    palVec3 torque = output->channels[0].torque;
    device->finite =
        (device->writes == 0 || device->finite) && palIsFinite(force) && palIsFinite(torque);
    device->largest = fmax(device->largest, palLength(force));
    device->jump = fmax(device->jump, palDistance(force, device->force));
    device->force = force;
    device->writes++;
}

static const palDeviceOps rigDevice = {
    .name = "rig",
    .summary = "is where the test puts it",
    .limits = rigLimits,
    .read = rigRead,
    .write = rigWrite,
};

typedef struct rig
{
    palCollider collider;
    palDevice device;
    palEngine* engine;
    palTool tool; // of methods that use one
} rig;

/// Whether a form of a method can touch what a rig has: colliders, and no bodies that move.
static inline bool rigTakes(const palMethodOps* form)
{
    return form != NULL &&
           (form->rigidHand != NULL || !palMethodOps_Accepts(form, PAL_ACCEPTS(pal_partFree)));
}

/// The usual numbers, held by the rig's device. Of a method with several forms the first: with a
/// point in the hand, else a tool, else a wire.
static inline palEngineDef rigDef(const char* method)
{
    const palMethodOps* form = NULL;
    for (int i = 0; i < pal_handKindCount && form == NULL; i++)
        form = palFindMethodForm(method, i);
    palEngineDef def = palDefaultEngineDef(form);
    def.hands[0].deviceOps = &rigDevice;
    return def;
}

/// Makes the thing to touch.
static inline void rigShape(rig* r, const palShapeDef* shape, palQuat rotation, palVec3 position,
                            double friction)
{
    palSurface surface;
    palError error;
    *r = (rig){0};
    assert_int_equal(palMakeShape(shape, &surface, &error), pal_ok);
    palSurface_Transform(&surface, 1.0, rotation, position);
    assert_int_equal(palCollider_Init(&r->collider, &surface, friction, &error), pal_ok);
}

static const double rigToolRadius = 2e-3; // m

/// A small ball on the end of a massless handle, for methods that use a tool.
static inline void rigTool(palTool* tool, const palPointModel* body)
{
    palError error;
    palShapeDef shape = palDefaultShapeDef(pal_shapeSphere);
    shape.radius = rigToolRadius;
    shape.resolution = 12;
    palRigidDef def = palDefaultRigidDef();
    assert_int_equal(palMakeShape(&shape, &tool->surface, &error), pal_ok);
    assert_int_equal(palMass_FromSurface(&tool->surface, 1000.0, &def.mass, &error), pal_ok);
    def.stiffness = body->stiffness;
    def.damping = body->damping;
    def.gravity = body->gravity;
    def.tangent = pal_tangentSafe;
    assert_int_equal(palRigidModel_Init(&tool->model, &def, &error), pal_ok);
}

/// Starts an engine on it, with the device at `start` unless the definition brings its own.
static inline void rigStart(rig* r, palEngineDef def, palVec3 start)
{
    palError error;
    def.methodDef.colliders = &r->collider;
    def.methodDef.colliderCount = 1;
    r->device = (palDevice){.position = start};
    if (def.hands[0].device == NULL)
        def.hands[0].device = &r->device;
    if (def.hands[0].method->hand == pal_handTool && def.hands[0].tool == NULL)
    {
        rigTool(&r->tool, &def.hands[0].body);
        def.hands[0].tool = &r->tool;
    }
    assert_int_equal(palEngine_Create(&def, &r->engine, &error), pal_ok);
}

static inline void rigStop(rig* r)
{
    palEngine_Destroy(r->engine);
    palSurface_Free(&r->tool.surface);
    r->tool = (palTool){0};
    r->engine = NULL;
}

static inline void rigFree(rig* r)
{
    rigStop(r);
    palCollider_Free(&r->collider);
}

/// One step in lockstep.
static inline palTickRecord rigStep(rig* r)
{
    palTickRecord record;
    palLockstep_Step(r->engine, &record);
    return record;
}

/// A sheet of 2 m in z = 0 that faces +z.
static inline palShapeDef rigPlane(void)
{
    palShapeDef shape = palDefaultShapeDef(pal_shapePlane);
    shape.size = palMakeVec3(2.0, 2.0, 0.0);
    return shape;
}

#endif

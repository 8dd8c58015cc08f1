// SPDX-License-Identifier: Apache-2.0
// A test rig: an engine with method compliance on wires and soft bodies that the test makes, and a
// device whose pose the test sets.
#ifndef PAL_TESTS_WIRE_RIG_H
#define PAL_TESTS_WIRE_RIG_H

#include "check.h"

#include "device/driver.h"
#include "render/compliance.h"
#include "runtime/engine.h"

#include <stdio.h>

struct palDevice
{
    palVec3 position;
    palQuat orientation;
};

static inline void wireRigLimits(const palDevice* device, palDeviceLimits* limits)
{
    (void)device;
    limits->hasForce = true;
}

static inline void wireRigRead(palDevice* device, double t, palDeviceState* state)
{
    (void)t;
    *state = (palDeviceState){
        .position = device->position,
        .orientation = device->orientation,
        .fresh = true,
    };
}

static const palDeviceOps wireRigDevice = {
    .name = "rig",
    .limits = wireRigLimits,
    .read = wireRigRead,
    .write = palDriver_IgnoreForce,
};

typedef struct wireRig
{
    palWire wires[64];
    int wireCount;
    palLink joints[256];
    int jointCount;
    palCollider colliders[4];
    int colliderCount;
    palDevice device;
    palEngineDef def;
    palEngine* engine;
} wireRig;

/// 1 kHz and 50 Hz, latency of one low-rate step, the advanced response.
static inline void wireRigInit(wireRig* r)
{
    const double dt = 1e-3;
    *r = (wireRig){.device = {.orientation = {1, 0, 0, 0}}};
    r->def = (palEngineDef){
        .hands[0].method = &pal_methodCompliance,
        .hands[0].deviceOps = &wireRigDevice,
        .hands[0].safety = palDefaultSafetyDef(),
        .dt = dt,
        .lowDt = 0.02,
        .latency = 0.02,
        .seconds = INFINITY,
    };
    r->def.hands[0].body = (palPointModel){.mass = 1e-3, .stiffness = 1e3, .dt = dt};
    r->def.methodDef.radius = 0.005;
}

typedef struct wireRigDef
{
    palVec3 start, end;
    int elements;
    double radius;
    palMaterial material;
    double massDamping, stiffnessDamping;
    palVec3 gravity;
    bool heldStart, heldEnd; // clamped
    int hand;                // -1: none, 0: at its start, 1: at its end
    int loop;
    double theta;
    double friction;
} wireRigDef;

/// Two hundred millimetres of rubber, 4 mm thick, in ten elements; damped so that it settles.
static inline wireRigDef wireRigRubber(void)
{
    return (wireRigDef){
        .end = {0.2, 0.0, 0.0},
        .elements = 10,
        .radius = 0.002,
        .material = {.young = 5e7, .poisson = 0.4, .density = 1100.0},
        .massDamping = 20.0,
        .hand = -1,
        .theta = 1.0,
    };
}

static inline int wireRigAdd(wireRig* r, const wireRigDef* def)
{
    palVec3 points[pal_wireNodesMax];
    uint8_t held[pal_wireNodesMax] = {0};
    palError error;
    int last = def->elements;
    for (int i = 0; i <= last; i++)
        points[i] = palLerp(def->start, def->end, (double)i / last);
    held[0] = def->heldStart || def->hand == 0 ? pal_holdNode : pal_holdNothing;
    held[last] = def->heldEnd || def->hand == 1 ? pal_holdNode : pal_holdNothing;
    palBeamSection section = palMakeRoundSection(def->radius, def->material.poisson);
    palBeamDef beam = palDefaultBeamDef();
    beam.nodeCount = last + 1;
    beam.points = points;
    beam.sections = &section;
    beam.sectionCount = 1;
    beam.material = def->material;
    beam.held = held;
    beam.massDamping = def->massDamping;
    beam.stiffnessDamping = def->stiffnessDamping;
    beam.implicitness = def->theta;
    beam.gravity = def->gravity;
    palWire* wire = &r->wires[r->wireCount];
    *wire = (palWire){.loop = def->loop, .handNode = def->hand < 0 ? -1 : def->hand * last};
    wire->radius = def->radius;
    wire->friction = def->friction;
    snprintf(wire->name, sizeof wire->name, "wire%d", r->wireCount);
    assert_int_equal(palBeamModel_Create(&beam, &wire->model, &error), pal_ok);
    return r->wireCount++;
}

static inline palLink wireRigJoint(palLinkKind kind)
{
    return (palLink){
        .kind = kind,
        .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        .turn = {1, 0, 0, 0},
    };
}

/// Joins one place of a wire with one of another.
static inline void wireRigJoin(wireRig* r, palLinkKind kind, int wire, palBeamPlace at, int to,
                               palBeamPlace toAt)
{
    palLink joint = wireRigJoint(kind);
    joint.ends[0] = palMakeWirePlace(r->colliderCount + wire, at);
    joint.ends[1] = palMakeWirePlace(r->colliderCount + to, toAt);
    r->joints[r->jointCount++] = joint;
}

static inline void wireRigStart(wireRig* r)
{
    palError error;
    palMethodDef* method = &r->def.methodDef;
    r->def.hands[0].body.dt = r->def.dt;
    method->lowDt = r->def.lowDt;
    method->latency = r->def.latency;
    method->wires = r->wires;
    method->wireCount = r->wireCount;
    method->joints = r->joints;
    method->jointCount = r->jointCount;
    method->colliders = r->colliders;
    method->colliderCount = r->colliderCount;
    r->def.hands[0].device = &r->device;
    assert_int_equal(palEngine_Create(&r->def, &r->engine, &error), pal_ok);
}

static inline palCompliance* wireRigMethod(const wireRig* r)
{
    return (palCompliance*)r->engine->methods.shared;
}

static inline palTickRecord wireRigRun(wireRig* r, double seconds)
{
    palTickRecord record = {0};
    long ticks = lround(seconds / r->def.dt);
    for (long k = 0; k < ticks; k++)
        palLockstep_Step(r->engine, &record);
    return record;
}

/// The state of a wire, at whichever rate it is.
static inline const palBeamState* wireRigState(const wireRig* r, int wire)
{
    const palCompliance* compliance = wireRigMethod(r);
    for (int i = 0; i < compliance->wireCount; i++)
        if (compliance->wires[i].body == r->colliderCount + wire)
            return &compliance->wires[i].state;
    for (int l = 0; l < compliance->loopCount; l++)
        for (int i = 0; i < compliance->loops[l]->bodyCount; i++)
            if (compliance->loops[l]->bodies[i].wire == wire)
                return compliance->loops[l]->bodies[i].beam.state;
    return NULL;
}

static inline void wireRigStop(wireRig* r)
{
    palEngine_Destroy(r->engine);
    r->engine = NULL;
}

static inline void wireRigFree(wireRig* r)
{
    wireRigStop(r);
    for (int i = 0; i < r->wireCount; i++)
        palBeamModel_Destroy(r->wires[i].model);
    for (int i = 0; i < r->colliderCount; i++)
        palCollider_Free(&r->colliders[i]);
}

#endif

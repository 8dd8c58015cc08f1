// SPDX-License-Identifier: Apache-2.0
// The experiment on the force of a soft body: a hand presses the centre of a face of a soft cube
// along a given path, either in an engine with two rates or, as the reference, with all
// computations at the high rate and the unreduced body (soft_reference.h). Used by tests and
// benchmarks.
//
// The cube of 10 cm is fixed at its lower face. The hand touches the node in the centre of the top;
// the mesh is symmetric about it, so that without friction there is no lateral force.
#ifndef PAL_BENCH_SOFT_PRESS_H
#define PAL_BENCH_SOFT_PRESS_H

#include "soft_reference.h"

#include "device/driver.h"
#include "math/quat.h"
#include "mesh/extract.h"
#include "runtime/engine.h"

/// The depth of the hand below the undeformed top at time t, m.
typedef double palPressPath(const void* user, double t);

typedef struct palSoftPressDef
{
    const char* method;
    bool frozen;      // response: frozen
    int atOnce;       // largest body factorised within the step, elements; 0: default
    int cells;        // per side, even
    palVolumeCut cut; // of the cells into elements
    double young;     // Pa
    double beta;      // stiffness-proportional damping, s
    double friction;  //
    double lowDt;     // s
    double latency;   // s
    palPressPath* path;
    double aside;                  // lateral position of the hand: along x from the centre, m
    double stroke;                 // lateral speed along x, m/s; not used by the reference
    const void* user;              // argument of the path, borrowed
    const palDeviceOps* deviceOps; // NULL: the hand follows the path exactly
    palDevice* device;             // borrowed, open
} palSoftPressDef;

struct palDevice
{
    palPressPath* path;
    const void* user;
    double aside;  // m
    double stroke; // m/s
    double dt;     // s
    double top;    // m
};

typedef struct palSoftPress
{
    palSoftPressDef def;
    struct palDevice device;
    palCollider block;
    palEngine* engine;
    int node;       // in the centre of the top
    double top;     // m
    double seconds; // time of the reference, s
    palPointState point;
    palPointModel model;
    palSoftReference reference;
} palSoftPress;

static inline palSoftPressDef palDefaultSoftPressDef(void)
{
    return (palSoftPressDef){
        .method = "accurate",
        .cells = 8,
        .cut = pal_cutFive,
        .young = 10e3,
        .beta = 0.005,
        .lowDt = 0.033,
        .latency = 0.033,
    };
}

static inline void palSoftPress_Read(palDevice* device, double t, palDeviceState* state)
{
    double now = device->path(device->user, t);
    double before = device->path(device->user, t - device->dt);
    *state = (palDeviceState){
        .time = t,
        .position = {device->aside + device->stroke * t, 0.0, device->top - now},
        .velocity = {device->stroke, 0.0, (before - now) / device->dt},
        .orientation = pal_identityQuat,
        .fresh = true,
    };
}

static inline void palSoftPress_Free(palSoftPress* press)
{
    palEngine_Destroy(press->engine);
    palSoftReference_Free(&press->reference);
    palCollider_Free(&press->block);
    *press = (palSoftPress){0};
}

// The body, fixed at its lower face.
static inline palResult palSoftPress_MakeBody(palSoftPress* press, const palVolume* volume,
                                              palSoftBody** body, palError* error)
{
    bool* held = calloc((size_t)volume->vertexCount, sizeof *held);
    if (held == NULL)
        return pal_errorMemory;
    for (int i = 0; i < volume->vertexCount; i++)
    {
        palVec3 x = volume->vertices[i];
        held[i] = x.z < -press->top + 1e-9;
        if (palDistance(x, palMakeVec3(0.0, 0.0, press->top)) < 1e-9)
            press->node = i;
    }
    palSoftDef def = palDefaultSoftDef();
    def.volume = volume;
    def.held = held;
    def.material.young = press->def.young;
    def.stiffnessDamping = press->def.beta;
    palResult result = palSoftBody_Create(&def, body, error);
    free(held);
    return result;
}

// The surface, each vertex bound to one node.
static inline palResult palSoftPress_MakeSurface(palSoftPress* press, const palVolume* volume,
                                                 palSoftBody** body, palError* error)
{
    palVolumeSurface skin;
    palSkin binding;
    palResult result = palVolumeSurface_Init(&skin, volume, error);
    if (result != pal_ok)
        return result;
    result = palSkin_Init(&binding, skin.surface.vertexCount, 1, error);
    for (int v = 0; v < skin.surface.vertexCount && result == pal_ok; v++)
    {
        binding.nodes[v] = skin.vertices[v];
        binding.weights[v] = 1.0;
    }
    if (result == pal_ok)
        result = palCollider_Init(&press->block, &skin.surface, press->def.friction, error);
    if (result == pal_ok)
    {
        result = palCollider_Bind(&press->block, *body, &binding, error);
        *body = NULL;
    }
    palSkin_Free(&binding);
    palVolumeSurface_Free(&skin);
    return result;
}

static inline palResult palSoftPress_MakeBlock(palSoftPress* press, palError* error)
{
    palVolumeShapeDef shape = palDefaultVolumeShapeDef(pal_volumeBlock);
    palVolume volume;
    palSoftBody* body = NULL;
    shape.cut = press->def.cut;
    shape.size = palMakeVec3(0.1, 0.1, 0.1);
    shape.cells[0] = shape.cells[1] = shape.cells[2] = press->def.cells;
    palResult result = palMakeVolumeShape(&shape, &volume, error);
    if (result != pal_ok)
        return result;
    result = palSoftPress_MakeBody(press, &volume, &body, error);
    if (result == pal_ok)
        result = palSoftPress_MakeSurface(press, &volume, &body, error);
    palSoftBody_Destroy(body);
    palVolume_Free(&volume);
    return result;
}

/// Creates the engine with the block and the hand; or, with `isReference`, the reference.
static inline palResult palSoftPress_Init(palSoftPress* press, const palSoftPressDef* def,
                                          bool isReference, palError* error)
{
    static const palDeviceOps ops = {
        .name = "press", .read = palSoftPress_Read, .write = palDriver_IgnoreForce};
    const double dt = 1e-3;
    *press = (palSoftPress){.def = *def, .top = 0.05};
    press->model = (palPointModel){.mass = 1e-3, .stiffness = 1000.0, .damping = 0.8, .dt = dt};
    press->point.x = palMakeVec3(0.0, 0.0, press->top - def->path(def->user, 0.0));
    press->device = (struct palDevice){
        def->path, def->user, def->aside, def->stroke, dt, press->top,
    };
    palResult result = palSoftPress_MakeBlock(press, error);
    if (result == pal_ok && isReference)
        result = palSoftReference_Init(&press->reference, press->block.soft, error);
    palEngineDef engine = {
        .hands[0].method = palFindMethodForm(def->method, pal_handPoint),
        .hands[0].deviceOps = def->deviceOps != NULL ? def->deviceOps : &ops,
        .hands[0].device = def->deviceOps != NULL ? def->device : &press->device,
        .hands[0].safety = palDefaultSafetyDef(),
        .hands[0].body = press->model,
        .dt = dt,
        .lowDt = def->lowDt,
        .latency = def->latency,
        .methodDef =
            {
                .lowDt = def->lowDt,
                .latency = def->latency,
                .radius = 0.02,
                .settings =
                    {
                        .soft = {.response = def->frozen ? pal_softFrozen : pal_softAdvanced,
                                 .elementsAtOnce = def->atOnce},
                        .penalty = {.stiffness = 2000.0, .damping = 1.0},
                    },
                .colliders = &press->block,
                .colliderCount = 1,
            },
    };
    if (result == pal_ok && !isReference)
        result = palEngine_Create(&engine, &press->engine, error);
    if (result != pal_ok)
        palSoftPress_Free(press);
    return result;
}

/// Result of one high-rate step.
typedef struct palPressSample
{
    double t;     // s
    double force; // on the hand, upward, N
    double depth; // of the proxy, m
} palPressSample;

static inline palPressSample palSoftPress_Step(palSoftPress* press)
{
    if (press->engine != NULL)
    {
        palTickRecord record;
        palLockstep_Step(press->engine, &record);
        return (palPressSample){record.t, record.hands[0].force.z,
                                press->top - record.hands[0].proxy.z};
    }
    palDeviceState state;
    press->seconds += press->model.dt;
    palSoftPress_Read(&press->device, press->seconds, &state);
    palVec3 force = palSoftReference_Touch(&press->reference, &press->model, press->node,
                                           state.position, state.velocity, &press->point);
    return (palPressSample){press->seconds, force.z, press->top - press->point.x.z};
}

/// The force at rest with the centre of the top at that depth, from a static solve, N.
static inline double palSoftPress_Static(palSoftPress* reference, double depth)
{
    return palSoftReference_Press(&reference->reference, reference->node, reference->top - depth);
}

#endif

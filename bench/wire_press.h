// SPDX-License-Identifier: Apache-2.0
// The experiment on the force of a soft body through a wire: a hand moves the end of a wire up and
// down, either in an engine with two rates or, as the reference, with all computations at the high
// rate and the unreduced soft body. Used by tests and benchmarks.
//
//     tip     the wire is vertical, its lower end is attached to the centre of the top of a block
//     lying   the wire lies on the block and is pressed against it: several contacts, friction
#ifndef PAL_BENCH_WIRE_PRESS_H
#define PAL_BENCH_WIRE_PRESS_H

#include "soft_reference.h"

#include "constraint/wire_contact.h"
#include "device/driver.h"
#include "render/compliance.h"
#include "runtime/engine.h"
#include "scene/bodies.h"

#include <stdio.h>

enum
{
    palWirePress_Rows = 96, // of the reference's problem
};

static const char palWirePress_Block[] = "palpate: 1\n"
                                         "method: {name: compliance, radius: 0.005}\n"
                                         "trajectory: {kind: line}\n"
                                         "objects:\n"
                                         "  - name: block\n"
                                         "    shape: {kind: box, size: [0.06, 0.06, 0.06]}\n"
                                         "    friction: %g\n"
                                         "    soft: {young: 10000, poisson: 0.4, elements: tets, "
                                         "resolution: 4, fixed: [{nodes: zmin}]}\n"
                                         "wires:\n";
static const char palWirePress_Tip[] =
    "  - {name: wire, start: [0, 0, 0.03], end: [0, 0, 0.08], elements: %d, hand: end,\n"
    "     section: {shape: circle, radius: 0.001}, young: 2.0e+9, density: 1200}\n"
    "joints: [{kind: ball, wire: wire, at: 0, to: block}]\n";
static const char palWirePress_Lying[] =
    "  - {name: wire, start: [-0.05, 0.004, 0.034], end: [0.025, 0.004, 0.034], elements: %d,\n"
    "     hand: start, section: {shape: circle, radius: 0.001}, young: 2.0e+10, density: 1200}\n";

/// The downward displacement of the hand at time t, m.
typedef double palWirePath(const void* user, double t);

struct palWirePressHand
{
    palWirePath* path;
    const void* user;
};

typedef struct palWirePressDef
{
    bool lying;
    bool frozen;
    double friction; // of the block
    int elements;    // of the wire
    double lowDt;    // s
    double latency;  // s
    palWirePath* path;
    const void* user; // argument of the path, borrowed
} palWirePressDef;

typedef struct palWirePress
{
    palWirePressDef def;
    palScene scene;
    palSceneBodies world;
    struct palWirePressHand hand;
    palEngine* engine; // NULL for the reference

    // The reference.
    uint64_t ticks;
    palSoftReference soft;
    palSteppedWire wire;
    palRows* rows;
    palLink contacts[palWirePress_Rows];
    palSparseRow* J; // owned, [palWirePress_Rows]
    double* solved;  // owned, [palWirePress_Rows][rows of the body]: A⁻¹ Jᵀ
    palVec3* before; // owned: the surface at the start of the tick
} palWirePress;

static inline void palWirePress_Read(palDevice* device, double t, palDeviceState* state)
{
    const struct palWirePressHand* hand = (const void*)device;
    *state = (palDeviceState){
        .time = t,
        .position = {0.0, 0.0, -hand->path(hand->user, t)},
        .orientation = pal_identityQuat,
        .fresh = true,
    };
}

static const palDeviceOps palWirePress_Device = {
    .name = "wire press",
    .read = palWirePress_Read,
    .write = palDriver_IgnoreForce,
};

static inline void palWirePress_Free(palWirePress* press)
{
    palEngine_Destroy(press->engine);
    palSoftReference_Free(&press->soft);
    palSteppedWire_Free(&press->wire);
    palRows_Destroy(press->rows);
    palSceneBodies_Free(&press->world);
    palScene_Free(&press->scene);
    free(press->J);
    free(press->solved);
    free(press->before);
    free(press);
}

static inline palWirePressDef palDefaultWirePressDef(void)
{
    return (palWirePressDef){.friction = 0.3, .elements = 10, .lowDt = 0.033, .latency = 0.033};
}

static inline palResult palWirePress_StartEngine(palWirePress* press, palError* error)
{
    const double dt = 1e-3;
    palEngineDef def = {
        .hands[0].method = &pal_methodCompliance,
        .hands[0].deviceOps = &palWirePress_Device,
        .hands[0].device = (palDevice*)&press->hand,
        .hands[0].safety = palDefaultSafetyDef(),
        .dt = dt,
        .lowDt = press->def.lowDt,
        .latency = press->def.latency,
        .seconds = INFINITY,
        .hands[0].body = {.mass = 1e-3, .stiffness = 1e3, .dt = dt},
        .methodDef =
            {
                .lowDt = press->def.lowDt,
                .latency = press->def.latency,
                .radius = press->scene.method.radius,
                .settings.soft.response = press->def.frozen ? pal_softFrozen : pal_softAdvanced,
                .colliders = press->world.colliders,
                .colliderCount = press->world.count,
                .wires = press->world.wires,
                .wireCount = press->world.wireCount,
                .joints = press->world.joints,
                .jointCount = press->world.jointCount,
            },
    };
    return palEngine_Create(&def, &press->engine, error);
}

static inline palResult palWirePress_StartReference(palWirePress* press, palError* error)
{
    palSoftBody* body = press->world.colliders[0].soft;
    size_t vertices = (size_t)press->world.colliders[0].surface.vertexCount;
    palResult result = palSoftReference_Init(&press->soft, body, error);
    if (result == pal_ok)
        result = palSteppedWire_Init(&press->wire, &press->world.wires[0], press->world.count,
                                     2 * palWirePress_Rows, error);
    if (result == pal_ok)
        result = palRows_Create(palWirePress_Rows, &press->rows, error);
    press->J = calloc(palWirePress_Rows, sizeof *press->J);
    press->solved = calloc(palWirePress_Rows * 3 * (size_t)body->freeCount, sizeof(double));
    press->before = calloc(vertices, sizeof *press->before);
    bool ok = press->J != NULL && press->solved != NULL && press->before != NULL;
    return result == pal_ok && !ok ? pal_errorMemory : result;
}

static inline palResult palWirePress_Create(const palWirePressDef* def, bool isReference,
                                            palWirePress** press, palError* error)
{
    char text[2048];
    int length = snprintf(text, sizeof text, palWirePress_Block, def->friction);
    snprintf(text + length, sizeof text - (size_t)length,
             def->lying ? palWirePress_Lying : palWirePress_Tip, def->elements);
    palWirePress* created = calloc(1, sizeof *created);
    *press = created;
    if (created == NULL)
        return pal_errorMemory;
    created->def = *def;
    created->hand = (struct palWirePressHand){def->path, def->user};
    palMessages messages = {0};
    palResult result =
        palScene_Parse(text, strlen(text), "wire-press", NULL, 0, &created->scene, NULL, error);
    if (result == pal_ok)
        result = palSceneBodies_Init(&created->world, &created->scene, &messages, error);
    palMessages_Free(&messages);
    if (result == pal_ok)
        result = isReference ? palWirePress_StartReference(created, error)
                             : palWirePress_StartEngine(created, error);
    if (result != pal_ok)
    {
        palWirePress_Free(created);
        *press = NULL;
    }
    return result;
}

// The links of this tick: the joint, or the contacts of the lying wire.
static inline void palWirePress_Gather(palWirePress* press)
{
    const palWireSearch search = {
        .wire = &press->world.wires[0],
        .body = press->world.count,
        .state = &press->wire.state,
        .collider = &press->world.colliders[0],
        .threshold = press->scene.method.radius,
    };
    int dropped = 0;
    int count = press->world.jointCount > 0
                    ? 0
                    : palFindWireContacts(&search, 24, press->contacts, &dropped);
    palRows_Begin(press->rows);
    for (int i = 0; i < press->world.jointCount; i++)
        palRows_Add(press->rows, &press->world.joints[i], 0);
    for (int i = 0; i < count; i++)
        palRows_Add(press->rows, &press->contacts[i], 0);
    palRows_TakeAll(press->rows);
    memset(press->rows->lambda, 0, (size_t)press->rows->count * sizeof(double));
}

// Adds the body to gaps and compliance of the rows, after its free motion.
static inline void palWirePress_AddBody(palWirePress* press, double h)
{
    palRows* rows = press->rows;
    const palCollider* block = &press->world.colliders[0];
    size_t size = press->soft.rows;
    for (int i = 0; i < rows->linkCount; i++)
        for (int r = 0; r < palLink_Rows(rows->links[i]); r++)
        {
            const palPlace* end = &rows->links[i]->ends[1];
            palVec3 axis = palNeg(rows->links[i]->axes[r]);
            int row = rows->first[i] + r;
            palVec3 moved = palCollider_Point(block, &end->on);
            if (rows->sliding[row])
                moved = palSub(moved, palSurfacePlace_Point(&end->on, press->before));
            rows->gap[row] += palDot(axis, moved);
            press->J[row] = palReducibleSoft_Row(block->soft, &block->skin, end, axis, false);
            memset(press->soft.b, 0, size * sizeof(double));
            palSparseRow_Add(&press->J[row], 1.0, press->soft.b);
            palCholesky_Solve(press->soft.factor, press->soft.b,
                              press->solved + (size_t)row * size);
        }
    for (int i = 0; i < rows->count; i++)
        for (int j = 0; j < rows->count; j++)
            for (int k = 0; k < press->J[i].count; k++)
                rows->W[i * rows->stride + j] +=
                    h * h * press->J[i].value[k] *
                    press->solved[(size_t)j * size + (size_t)press->J[i].index[k]];
}

// One tick with all computations at the high rate.
static inline palVec3 palWirePress_StepReference(palWirePress* press)
{
    const double h = 1e-3;
    palCollider* block = &press->world.colliders[0];
    const palWire* wire = &press->world.wires[0];
    double t = h * (double)press->ticks++;
    palBeamHand hand = {
        .x = wire->model->restX[wire->handNode],
        .q = wire->model->restQ[wire->handNode],
    };
    hand.x.z -= press->def.path(press->def.user, t) - press->def.path(press->def.user, 0.0);
    palWirePress_Gather(press);
    palSteppedWire_Move(&press->wire, h, &hand);
    palRows_AddWires(press->rows, &press->wire, 1);
    palRows_AddCompliance(press->rows, &press->wire, 1);
    memcpy(press->before, palCollider_Vertices(block),
           (size_t)block->surface.vertexCount * sizeof *press->before);
    palSoftReference_Step(&press->soft, h);
    palCollider_Follow(block);
    palWirePress_AddBody(press, h);
    palRows_Solve(press->rows);
    palRows_MoveWires(press->rows, &press->wire, 1);

    palSoftBody_Velocities(block->soft, press->soft.b);
    memset(press->soft.x, 0, press->soft.rows * sizeof(double));
    for (int r = 0; r < press->rows->count; r++)
        for (size_t i = 0; i < press->soft.rows; i++)
        {
            double dv =
                h * press->rows->lambda[r] * press->solved[(size_t)r * press->soft.rows + i];
            press->soft.b[i] += dv;
            press->soft.x[i] += h * dv;
        }
    palSoftBody_Move(block->soft, press->soft.x, press->soft.b);
    palCollider_Follow(block);
    palVec3 force, torque;
    palBeam_Reaction(wire->model, &press->wire.work, wire->handNode, &force, &torque);
    return palNeg(force);
}

/// One tick. Returns the force on the hand, N.
static inline palVec3 palWirePress_Step(palWirePress* press)
{
    if (press->engine == NULL)
        return palWirePress_StepReference(press);
    palTickRecord record;
    palLockstep_Step(press->engine, &record);
    return record.hands[0].force;
}

#endif

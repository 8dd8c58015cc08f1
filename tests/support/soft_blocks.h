// SPDX-License-Identifier: Apache-2.0
// Several blocks, soft or rigid, and hands that go from point to point among them, whatever they
// feel.
#ifndef PAL_TESTS_SOFT_BLOCKS_H
#define PAL_TESTS_SOFT_BLOCKS_H

#include "../../bench/soft_reference.h"
#include "check.h"

#include "device/driver.h"
#include "math/quat.h"
#include "mesh/extract.h"
#include "mesh/shapes.h"
#include "runtime/engine.h"

enum
{
    blocksMax = 6,
    pointsMax = 8,
};

/// A block whose lower face is held.
typedef struct blockDef
{
    palVec3 low, high; // m
    double cell;       // m: side of a cell; five tets each
    double young;      // Pa; 0: rigid
    double friction;
} blockDef;

struct palDevice
{
    palVec3 at[pointsMax];
    double time[pointsMax]; // s
    int count;
};

typedef struct blocks
{
    palCollider colliders[blocksMax];
    int count;
    struct palDevice hands[pal_handsMax];
    const palTool* tools[pal_handsMax]; // borrowed: of the hands; NULL: a point
    palTies* ties;                      // borrowed: between soft blocks; NULL: none
    palEngine* engine;
} blocks;

static inline palVec3 blocksHandAt(const palDevice* hand, double t)
{
    for (int i = 0; i + 1 < hand->count; i++)
        if (t < hand->time[i + 1])
            return palLerp(hand->at[i], hand->at[i + 1],
                           fmax(0.0, (t - hand->time[i]) / (hand->time[i + 1] - hand->time[i])));
    return hand->at[hand->count - 1];
}

static inline void blocksRead(palDevice* hand, double t, palDeviceState* state)
{
    palVec3 now = blocksHandAt(hand, t);
    *state = (palDeviceState){
        .time = t,
        .position = now,
        .velocity = palScale(1e3, palSub(now, blocksHandAt(hand, t - 1e-3))),
        .orientation = pal_identityQuat,
        .fresh = true,
    };
}

/// A hand's next point, reached after so many seconds.
static inline void blocksGoHand(blocks* b, int index, palVec3 to, double seconds)
{
    palDevice* hand = &b->hands[index];
    assert_true(hand->count < pointsMax);
    hand->at[hand->count] = to;
    hand->time[hand->count] = hand->count > 0 ? hand->time[hand->count - 1] + seconds : 0.0;
    hand->count++;
}

static inline void blocksGo(blocks* b, palVec3 to, double seconds)
{
    blocksGoHand(b, 0, to, seconds);
}

/// A soft body of some volume, its lowest nodes held unless it is free, with the surface of the
/// volume.
static inline void blocksBind(palCollider* collider, palVolume* volume, double young,
                              double friction, bool isFree)
{
    palVolumeSurface skin;
    palSkin binding;
    palSoftBody* body;
    bool* held = calloc((size_t)volume->vertexCount, sizeof *held);
    double low = INFINITY;
    for (int i = 0; i < volume->vertexCount; i++)
        low = fmin(low, volume->vertices[i].z);
    for (int i = 0; i < volume->vertexCount; i++)
        held[i] = !isFree && volume->vertices[i].z < low + 1e-9;
    palSoftDef def = palDefaultSoftDef();
    def.volume = volume;
    def.held = held;
    def.material.young = young;
    def.stiffnessDamping = 0.005;
    assert_int_equal(palSoftBody_Create(&def, &body, NULL), pal_ok);
    free(held);
    assert_int_equal(palVolumeSurface_Init(&skin, volume, NULL), pal_ok);
    assert_int_equal(palSkin_Init(&binding, skin.surface.vertexCount, 1, NULL), pal_ok);
    for (int v = 0; v < skin.surface.vertexCount; v++)
    {
        binding.nodes[v] = skin.vertices[v];
        binding.weights[v] = 1.0;
    }
    assert_int_equal(palCollider_Init(collider, &skin.surface, friction, NULL), pal_ok);
    assert_int_equal(palCollider_Bind(collider, body, &binding, NULL), pal_ok);
    palSkin_Free(&binding);
    palVolumeSurface_Free(&skin);
}

static inline void blocksAddAs(blocks* b, const blockDef* def, bool isFree)
{
    assert_true(b->count < blocksMax);
    palCollider* collider = &b->colliders[b->count++];
    palVec3 size = palSub(def->high, def->low);
    palVec3 middle = palLerp(def->low, def->high, 0.5);
    if (def->young == 0.0)
    {
        palShapeDef shape = palDefaultShapeDef(pal_shapeBox);
        palSurface surface;
        shape.size = size;
        assert_int_equal(palMakeShape(&shape, &surface, NULL), pal_ok);
        palSurface_Transform(&surface, 1.0, pal_identityQuat, middle);
        assert_int_equal(palCollider_Init(collider, &surface, def->friction, NULL), pal_ok);
        return;
    }
    palVolumeShapeDef shape = palDefaultVolumeShapeDef(pal_volumeBlock);
    palVolume volume;
    shape.cut = pal_cutFive;
    shape.size = size;
    shape.cells[0] = (int)lround(size.x / def->cell);
    shape.cells[1] = (int)lround(size.y / def->cell);
    shape.cells[2] = (int)lround(size.z / def->cell);
    assert_int_equal(palMakeVolumeShape(&shape, &volume, NULL), pal_ok);
    palVolume_Transform(&volume, 1.0, pal_identityQuat, middle);
    blocksBind(collider, &volume, def->young, def->friction, isFree);
    palVolume_Free(&volume);
}

static inline void blocksAdd(blocks* b, const blockDef* def)
{
    blocksAddAs(b, def, false);
}

/// A block of which nothing is held.
static inline void blocksAddFree(blocks* b, const blockDef* def)
{
    blocksAddAs(b, def, true);
}

/// The engine, once blocks and points are there; every hand that has points is one.
static inline void blocksStart(blocks* b, const char* method, double lowDt)
{
    static const palDeviceOps ops = {
        .name = "hand", .read = blocksRead, .write = palDriver_IgnoreForce};
    palEngineDef def = palDefaultEngineDef(NULL);
    palEngineHandDef usual = def.hands[0];
    for (def.handCount = 0; def.handCount < pal_handsMax; def.handCount++)
    {
        palEngineHandDef* hand = &def.hands[def.handCount];
        if (b->hands[def.handCount].count == 0)
            break;
        *hand = usual;
        hand->tool = b->tools[def.handCount];
        hand->method = palFindMethodForm(method, hand->tool != NULL ? pal_handTool : pal_handPoint);
        hand->deviceOps = &ops;
        hand->device = &b->hands[def.handCount];
    }
    def.lowDt = def.latency = lowDt;
    def.methodDef.lowDt = def.methodDef.latency = lowDt;
    def.methodDef.radius = 0.02;
    def.methodDef.ties = b->ties;
    def.methodDef.colliders = b->colliders;
    def.methodDef.colliderCount = b->count;
    palError error;
    if (palEngine_Create(&def, &b->engine, &error) != pal_ok)
        fail_msg("%s", error.text);
}

static inline palTickRecord blocksStep(blocks* b)
{
    palTickRecord record;
    palLockstep_Step(b->engine, &record);
    return record;
}

static inline void blocksFree(blocks* b)
{
    palEngine_Destroy(b->engine);
    for (int i = 0; i < b->count; i++)
        palCollider_Free(&b->colliders[i]);
    *b = (blocks){0};
}

#endif

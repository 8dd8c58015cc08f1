// SPDX-License-Identifier: Apache-2.0
// Scenes of a few lines under method compliance, with the hand where the test puts it.
#ifndef PAL_TESTS_COMPLIANCE_SCENE_H
#define PAL_TESTS_COMPLIANCE_SCENE_H

#include "check.h"

#include "device/driver.h"
#include "render/compliance.h"
#include "runtime/engine.h"
#include "scene/bodies.h"

#include <stdlib.h>
#include <string.h>

struct palDevice
{
    palVec3 position;
};

static inline void readHand(palDevice* device, double t, palDeviceState* state)
{
    *state = (palDeviceState){
        .time = t,
        .position = device->position,
        .orientation = pal_identityQuat,
        .fresh = true,
    };
}

static const palDeviceOps handDevice = {
    .name = "hand", .read = readHand, .write = palDriver_IgnoreForce};

typedef struct fixture
{
    palScene scene;
    palSceneBodies world;
    palDevice hand;
    palEngine* engine;
} fixture;

/// The world of a scene; startEngine makes the rest of the fixture.
static inline fixture* makeFixture(const char* text)
{
    palError error;
    palMessages messages = {0};
    fixture* f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(palScene_Parse(text, strlen(text), "test", NULL, 0, &f->scene, NULL, &error),
                     pal_ok);
    assert_int_equal(palSceneBodies_Init(&f->world, &f->scene, &messages, &error), pal_ok);
    palMessages_Free(&messages);
    return f;
}

/// Only where the hand holds a wire are there wires.
static inline void startEngine(fixture* f, const palMethodOps* method, double lowDt)
{
    palError error;
    palEngineDef def = {
        .hands[0].method = method,
        .hands[0].deviceOps = &handDevice,
        .hands[0].device = &f->hand,
        .hands[0].safety = palDefaultSafetyDef(),
        .dt = 1e-3,
        .lowDt = lowDt,
        .latency = lowDt,
        .seconds = INFINITY,
        .hands[0].body = {.mass = 1e-3, .stiffness = 1e3, .dt = 1e-3},
        .methodDef =
            {
                .lowDt = lowDt,
                .latency = lowDt,
                .radius = f->scene.method.radius,
                .settings = f->scene.method.settings,
                .colliders = f->world.colliders,
                .colliderCount = f->world.count,
                .wires = f->world.wires,
                .wireCount = method->hand == pal_handPoint ? 0 : f->world.wireCount,
                .joints = f->world.joints,
                .jointCount = f->world.jointCount,
            },
    };
    assert_int_equal(palEngine_Create(&def, &f->engine, &error), pal_ok);
}

static inline fixture* setUp(const char* text, double lowDt)
{
    fixture* f = makeFixture(text);
    startEngine(f, &pal_methodCompliance, lowDt);
    return f;
}

static inline void tearDown(fixture* f)
{
    palEngine_Destroy(f->engine);
    palSceneBodies_Free(&f->world);
    palScene_Free(&f->scene);
    free(f);
}

// Moves the hand to a place within that time.
static inline palTickRecord moveHand(fixture* f, palVec3 to, double seconds)
{
    palTickRecord record = {0};
    palVec3 from = f->hand.position;
    int ticks = (int)lround(1e3 * seconds);
    for (int k = 1; k <= ticks; k++)
    {
        f->hand.position = palLerp(from, to, (double)k / ticks);
        palLockstep_Step(f->engine, &record);
        assert_true(palIsFinite(record.hands[0].force));
    }
    return record;
}

/// The centre of mass.
static inline palVec3 middleOf(const palSoftBody* body)
{
    palVec3 sum = pal_zeroVec3;
    double mass = 0.0;
    for (int i = 0; i < body->nodeCount; i++)
    {
        sum = palMulAdd(sum, body->mass[i], body->x[i]);
        mass += body->mass[i];
    }
    return palScale(1.0 / mass, sum);
}

#endif

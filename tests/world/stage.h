// SPDX-License-Identifier: Apache-2.0
// A world without a tool or a method, for tests: the objects of a scene text, stepped on their own.
#ifndef PAL_TESTS_WORLD_STAGE_H
#define PAL_TESTS_WORLD_STAGE_H

#include "../render/depth.h"

#include "scene/bodies.h"
#include "world/step.h"

#include <string.h>

typedef struct stage
{
    palScene scene;
    palMessages messages;
    palSceneBodies world;
    palWorldStep step;
    palWorldStepInfo info;
} stage;

/// How the soft bodies are factored.
static palSoftFactorDef stageFactor;

static inline palWorldStepDef stageDef(stage* s)
{
    return (palWorldStepDef){
        .colliders = s->world.colliders,
        .colliderCount = s->world.count,
        .wires = s->world.wires,
        .wireCount = s->world.wireCount,
        .joints = s->world.joints,
        .jointCount = s->world.jointCount,
        .factor = stageFactor,
    };
}

static inline stage* stageMake(const char* objects, palVec3 gravity)
{
    char text[4096];
    palError error = {0};
    stage* s = calloc(1, sizeof *s);
    assert_non_null(s);
    snprintf(text, sizeof text,
             "palpate: 1\nmethod: {name: accurate}\ntrajectory: {kind: line, start: [1, 1, 1], "
             "end: [1, 1, 2], speed: 0.1}\ngravity: [0, 0, 0]\n"
             "objects:\n%s",
             objects);
    if (palScene_Parse(text, strlen(text), "test", NULL, 0, &s->scene, &s->messages, &error) !=
            pal_ok ||
        palSceneBodies_Init(&s->world, &s->scene, &s->messages, &error) != pal_ok)
        fail_msg("%s; %s", error.text, error.remedy);
    // A scene refuses free bodies under gravity, for methods in which nothing would hold them.
    for (int i = 0; i < s->world.wireCount; i++)
        s->world.wires[i].model->gravity = gravity;
    for (int i = 0; i < s->world.count; i++)
        if (s->world.colliders[i].soft != NULL)
            s->world.colliders[i].soft->gravity = gravity;
    palWorldStepDef def = stageDef(s);
    assert_int_equal(palWorldStep_Init(&s->step, &def, &error), pal_ok);
    palWorldStep_Place(&s->step);
    return s;
}

static inline void stageFree(stage* s)
{
    palWorldStep_Free(&s->step);
    palSceneBodies_Free(&s->world);
    palScene_Free(&s->scene);
    palMessages_Free(&s->messages);
    free(s);
}

static inline void stageAdvance(stage* s, double h)
{
    palWorldStep_Advance(&s->step, h, &s->info);
    assert_int_equal(s->step.failures, 0);
}

/// Σ m x / Σ m of a soft object.
static inline palVec3 stageCentre(const stage* s, int object)
{
    const palSoftBody* body = s->world.colliders[object].soft;
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < body->nodeCount; i++)
        sum = palMulAdd(sum, body->mass[i], body->x[i]);
    return palScale(1.0 / palSoftBody_Mass(body), sum);
}

static inline palVec3 stageMomentum(const stage* s, int object)
{
    const palSoftBody* body = s->world.colliders[object].soft;
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < body->nodeCount; i++)
        sum = palMulAdd(sum, body->mass[i], body->v[i]);
    return sum;
}

/// The force of all contacts on a body in the last solve, N.
static inline palVec3 stageForce(const stage* s, int body)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < s->step.linkCount; i++)
        for (int e = 0; e < 2; e++)
        {
            const palLink* link = &s->step.links[i];
            if (link->ends[e].body != body)
                continue;
            for (int k = 0; k < palLink_Rows(link); k++)
                sum = palMulAdd(sum, (e == 0 ? 1.0 : -1.0) * link->lambda[k], link->axes[k]);
        }
    return sum;
}

/// How deep any vertex of the one object is in the other, m.
static inline double stageDepth(const stage* s, int a, int b)
{
    palCollider_Vertices(&s->world.colliders[a]);
    palCollider_Vertices(&s->world.colliders[b]);
    const palSurface* one = &s->world.colliders[a].surface;
    const palSurface* other = &s->world.colliders[b].surface;
    return fmax(depthIn(one, other), depthIn(other, one));
}

#endif

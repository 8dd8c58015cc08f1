// SPDX-License-Identifier: Apache-2.0
#include "scene/settle.h"

#include "base/error.h"
#include "scene/wires.h"
#include "world/settle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settling
{
    palCollider*
        colliders;   // owned, [objects, then the surfaces of the wires]; what settles is soft
    palLink* joints; // owned, [jointCount]
    bool* settles;   // owned, [objects]
} settling;

static palResult atObject(const palScene* scene, int object, palError* error)
{
    char key[64];
    snprintf(key, sizeof key, "objects.%d.soft", object);
    return palScene_At(scene, scene->objects[object].softPlace, key, error);
}

// The world of what settles; the rest of it does not move.
static palWorldStepDef describe(settling* s, const palSceneBodies* world)
{
    int bodies = world->count + world->wireCount;
    memcpy(s->colliders, world->colliders, (size_t)bodies * sizeof *s->colliders);
    for (int i = 0; i < bodies; i++)
        if (i >= world->count || !s->settles[i])
            s->colliders[i].soft = NULL;
    palWorldStepDef def = {.colliders = s->colliders, .colliderCount = bodies, .joints = s->joints};
    for (int i = 0; i < world->jointCount; i++)
    {
        palLink link = palSceneBodies_HoldJoint(world, &world->joints[i], s->settles);
        if (link.ends[0].kind == pal_placeSurface || link.ends[1].kind == pal_placeSurface)
            s->joints[def.jointCount++] = link;
    }
    return def;
}

static void noteSag(const palScene* scene, int object, const palSoftBody* body,
                    palMessages* messages)
{
    double sag = 0.0;
    for (int i = 0; i < body->nodeCount; i++)
        sag = fmax(sag, palDistance(body->x[i], body->rest[i]));
    palError* note = palMessages_Add(messages, pal_severityNote,
                                     "%s sags by %.3g mm under gravity before the run begins",
                                     scene->objects[object].name, 1e3 * sag);
    atObject(scene, object, note);
}

// An object that nothing holds may fall or slide in the run: it starts as it is.
static void warnOfFall(const palScene* scene, const palSettleInfo* info, palMessages* messages)
{
    const char* name = scene->objects[info->object].name;
    palError* warning = palMessages_Add(
        messages, pal_severityWarning,
        info->falls ? "%s cannot start at rest: nothing holds it, and nothing is below it"
                    : "%s cannot start at rest: nothing holds it, and it still moves after all "
                      "steps",
        name);
    palError_Remedy(warning, "put something below it, hold a part of it with soft.fixed, or let it "
                             "move: soft.start: unloaded");
    atObject(scene, info->object, warning);
}

static palResult settleAll(settling* s, const palSceneBodies* world, const palScene* scene,
                           palMessages* messages, palError* error)
{
    for (;;)
    {
        palSettleInfo info;
        palError what;
        palWorldStepDef def = describe(s, world);
        palResult result = palSettle(&def, &info, &what);
        for (int i = 0; i < world->count && result == pal_ok; i++)
            if (s->settles[i])
                noteSag(scene, i, s->colliders[i].soft, messages);
        if (result != pal_errorRun)
        {
            if (result != pal_ok && error != NULL)
                *error = what;
            return result;
        }
        if (scene->objects[info.object].soft.fixedCount > 0)
        {
            palError_Set(error, pal_errorInput, "%s cannot start at rest: %.300s",
                         scene->objects[info.object].name, what.text);
            palError_Remedy(error,
                            "raise soft.young, hold more of it, or give soft.start: unloaded");
            return atObject(scene, info.object, error);
        }
        warnOfFall(scene, &info, messages);
        s->settles[info.object] = false;
    }
}

palResult palSceneBodies_Settle(palSceneBodies* world, const palScene* scene, palMessages* messages,
                                palError* error)
{
    size_t bodies = (size_t)(world->count + world->wireCount);
    size_t bytes = bodies * sizeof(palCollider) + (size_t)world->jointCount * sizeof(palLink);
    settling s = {
        .colliders = calloc(bodies + 1, sizeof *s.colliders),
        .joints = calloc((size_t)world->jointCount + 1, sizeof *s.joints),
        .settles = calloc(bodies + 1, sizeof *s.settles),
    };
    palResult result = pal_ok;
    if (s.colliders == NULL || s.joints == NULL || s.settles == NULL)
        result = palError_Memory(error, "bringing soft bodies to rest", bytes);
    for (int i = 0; i < world->count && result == pal_ok; i++)
        s.settles[i] = scene->objects[i].isSoft && palLength(scene->gravity) > 0.0 &&
                       scene->objects[i].soft.start == pal_startSettled;
    if (result == pal_ok)
        result = settleAll(&s, world, scene, messages, error);
    free(s.colliders);
    free(s.joints);
    free(s.settles);
    return result;
}

// SPDX-License-Identifier: Apache-2.0
// Changes of a scene's values while its session runs.
#include "api/session_state.h"

#include "scene/given.h"

#include <string.h>

// Whether a path, up to an equals sign, is this key.
static bool isKey(const char* path, const char* key)
{
    size_t length = strcspn(path, "=");
    return strlen(key) == length && strncmp(path, key, length) == 0;
}

// The rest of a path after "LIST.N."; NULL: it is no element's.
static const char* afterElement(const char* path, const char* list)
{
    size_t at = strlen(list);
    if (strncmp(path, list, at) != 0)
        return NULL;
    size_t digits = strspn(path + at, "0123456789");
    return digits > 0 && path[at + digits] == '.' ? path + at + digits + 1 : NULL;
}

bool palSession_IsLiveKey(const char* path)
{
    const char* object = afterElement(path, "objects.");
    const char* hand = afterElement(path, "hands.");
    if (object != NULL)
        return isKey(object, "friction") || isKey(object, "soft.young") ||
               isKey(object, "soft.stiffening");
    path = hand != NULL ? hand : path;
    return (hand == NULL && isKey(path, "gravity")) || isKey(path, "coupling.stiffness") ||
           isKey(path, "coupling.damping") || isKey(path, "coupling.turn_stiffness") ||
           isKey(path, "coupling.turn_damping");
}

static palResult changeObject(palSession* session, int index, const palSceneObject* to,
                              palError* error)
{
    const palSceneObject* from = &session->world->scene.objects[index];
    palBodyId body = palWorld_BodyId(session->world, index, false);
    palResult result = pal_ok;
    if (to->friction != from->friction)
        result = palWorld_SetFriction(session->world, body, to->friction, error);
    if (result == pal_ok && to->isSoft && to->soft.stiffening != from->soft.stiffening)
        result = palWorld_SetStiffening(session->world, body, to->soft.stiffening, error);
    if (result != pal_ok || !to->isSoft || to->soft.young == from->soft.young)
        return result;
    // Regions have a modulus of their own, which does not go with the rest.
    if (to->soft.regionCount > 0)
        return pal_errorInput;
    return palWorld_SetYoung(session->world, body, to->soft.young, error);
}

static palResult changeCoupling(palSession* session, int hand, const palScene* to, palError* error)
{
    palCouplingValues wished = palSceneCoupling_Values(&palScene_HandAt(to, hand)->coupling);
    palResult result =
        palEngine_SetCoupling(session->engine, hand, &wished, &session->world->messages, error);
    if (result == pal_ok)
        palRigidModel_SetCoupling(&session->world->hands[hand].tool.model,
                                  &session->engine->changes.wanted.couplings[hand], to->gravity);
    return result;
}

// Of two scenes that differ in values of these keys only.
static palResult changeTo(palSession* session, const palScene* to, palError* error)
{
    const palScene* from = &session->world->scene;
    palResult result = pal_ok;
    for (int i = 0; i < to->objectCount && result == pal_ok; i++)
        result = changeObject(session, i, &to->objects[i], error);
    if (result == pal_ok && palDistance(to->gravity, from->gravity) > 0.0)
        result = palWorld_SetGravity(session->world, to->gravity, error);
    // Not compared: an open value is NAN, which equals nothing.
    for (int i = 0; i < session->world->handCount && result == pal_ok; i++)
        result = changeCoupling(session, i, to, error);
    return result;
}

// The bits of a list's given values are behind its elements.
static void copyGiven(void* elements, const void* from, int count, size_t size)
{
    size_t bytes = (size_t)count * size;
    if (count > 0)
        memcpy((char*)elements + bytes, (const char*)from + bytes, palGiven_Bytes(bytes));
}

// What a recording and a viewer show of the scene.
static void keepValues(palScene* scene, const palScene* to)
{
    for (int i = 0; i < to->objectCount; i++)
    {
        scene->objects[i].friction = to->objects[i].friction;
        scene->objects[i].soft.young = to->objects[i].soft.young;
        scene->objects[i].soft.stiffening = to->objects[i].soft.stiffening;
    }
    for (int i = 0; i < to->handCount; i++)
        scene->hands[i].coupling = to->hands[i].coupling;
    scene->hand.coupling = to->hand.coupling;
    scene->gravity = to->gravity;
    memcpy(scene->given, to->given, sizeof scene->given);
    copyGiven(scene->objects, to->objects, to->objectCount, sizeof *to->objects);
    copyGiven(scene->hands, to->hands, to->handCount, sizeof *to->hands);
}

palResult palSession_Change(palSession* session, const char* const* sets, int setCount,
                            bool* isApplied, palError* error)
{
    palScene scene;
    palMessages unwanted = {0};
    palError refused;
    *isApplied = false;
    palResult result =
        palScene_Load(session->world->scene.file, sets, setCount, &scene, &unwanted, error);
    palMessages_Free(&unwanted);
    if (result != pal_ok)
        return result;
    *isApplied = scene.objectCount == session->world->scene.objectCount &&
                 scene.handCount == session->world->scene.handCount &&
                 changeTo(session, &scene, &refused) == pal_ok;
    if (*isApplied)
        keepValues(&session->world->scene, &scene);
    if (*isApplied && session->isRecording)
        palMessages_Add(&session->world->messages, pal_severityNote,
                        "values of the scene were changed at %.3f s, after scene.yaml was written",
                        (double)session->measures[0].ticks * session->world->scene.time.dt);
    palScene_Free(&scene);
    return pal_ok;
}

// SPDX-License-Identifier: Apache-2.0
// The hands of a scene, in whichever form they are given, and what they and the method must fit.
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

int palScene_HandCount(const palScene* scene)
{
    return scene->handCount > 0 ? scene->handCount : 1;
}

const palSceneHand* palScene_HandAt(const palScene* scene, int hand)
{
    return scene->handCount > 0 ? &scene->hands[hand] : &scene->hand;
}

const char* palScene_HandKey(const palScene* scene, int hand, const char* key, char out[64])
{
    if (scene->handCount > 0)
        snprintf(out, 64, "hands.%d.%s", hand, key);
    else
        snprintf(out, 64, "%s", key);
    return out;
}

int palScene_Holder(const palScene* scene, int wire, palWireEnd* end)
{
    *end = scene->wires[wire].hand;
    if (*end != pal_wireEndNone)
        return 0;
    for (int i = 0; i < scene->handCount; i++)
    {
        const palSceneHand* hand = &scene->hands[i];
        *end = hand->wire.end;
        if (hand->hasWire && *end != pal_wireEndNone &&
            strcmp(hand->wire.name, scene->wires[wire].name) == 0)
            return i;
    }
    return -1;
}

int palScene_HeldWire(const palScene* scene, int hand)
{
    palWireEnd end;
    for (int i = 0; i < scene->wireCount; i++)
        if (palScene_Holder(scene, i, &end) == hand)
            return i;
    return -1;
}

palHandKind palScene_HandKind(const palScene* scene, int hand)
{
    if (palScene_HandAt(scene, hand)->hasTool)
        return pal_handTool;
    return palScene_HeldWire(scene, hand) >= 0 ? pal_handWire : pal_handPoint;
}

int palScene_HandRank(const palScene* scene, int hand)
{
    int rank = 0;
    for (int i = 0; i < hand; i++)
        rank += palScene_HandKind(scene, i) != pal_handWire;
    return rank;
}

bool palScene_UsesWires(const palScene* scene)
{
    for (int i = 0; i < palScene_HandCount(scene); i++)
        if (palScene_HandKind(scene, i) == pal_handWire)
            return true;
    return false;
}

const char* palToolName(int hand, char out[16])
{
    if (hand > 0)
        snprintf(out, 16, "tool%d", hand);
    else
        snprintf(out, 16, "tool");
    return out;
}

int palScene_FindTool(const palScene* scene, const char* name)
{
    for (int i = 0; i < palScene_HandCount(scene); i++)
    {
        char own[16];
        if (palScene_HandAt(scene, i)->hasTool && strcmp(name, palToolName(i, own)) == 0)
            return i;
    }
    return -1;
}

// Whether a name in a joint means a tool; an object may have that name as well.
static bool meansTool(const palScene* scene, const char* name)
{
    for (int i = 0; i < scene->objectCount; i++)
        if (strcmp(scene->objects[i].name, name) == 0)
            return false;
    return palScene_FindTool(scene, name) >= 0;
}

static bool isToolJoint(const palScene* scene, int joint)
{
    return meansTool(scene, scene->joints[joint].body) || meansTool(scene, scene->joints[joint].to);
}

static bool isSheet(const palSceneObject* object)
{
    for (int i = 0; i < object->partCount; i++)
    {
        palSceneObject part = palScenePart_Object(&object->parts[i]);
        if (isSheet(&part))
            return true;
    }
    palShapeKind kind = object->shape.kind;
    return object->mesh[0] == '\0' && object->partCount == 0 &&
           (kind == pal_shapePlane || kind == pal_shapeSine);
}

unsigned palScene_Parts(const palScene* scene)
{
    unsigned parts = 0;
    for (int i = 0; i < scene->objectCount; i++)
    {
        const palSceneObject* object = &scene->objects[i];
        parts |= PAL_ACCEPTS(object->isSoft                      ? pal_partSoft
                             : object->motion != pal_motionFixed ? pal_partFree
                                                                 : pal_partStatic);
        if (object->representation == pal_representPoints)
            parts |= PAL_ACCEPTS(pal_partPoints);
        if (isSheet(object))
            parts |= PAL_ACCEPTS(pal_partSheet);
    }
    int held = 0;
    for (int i = 0; i < palScene_HandCount(scene); i++)
        held += palScene_HeldWire(scene, i) >= 0;
    if (scene->wireCount > held)
        parts |= PAL_ACCEPTS(pal_partWire);
    for (int i = 0; i < scene->jointCount; i++)
    {
        const palSceneJoint* joint = &scene->joints[i];
        parts |= PAL_ACCEPTS(isToolJoint(scene, i) ? pal_partToolJoint : pal_partJoint);
        if (palSceneJoint_IsSlider(joint))
            parts |= PAL_ACCEPTS(pal_partSlider);
    }
    if (scene->time.loopCount > 0)
        parts |= PAL_ACCEPTS(pal_partLoop);
    return parts;
}

bool palScene_Fits(const palScene* scene, const palMethodEntry* method)
{
    for (int i = 0; i < palScene_HandCount(scene); i++)
        if (!palMethodOps_Accepts(method->forms[palScene_HandKind(scene, i)],
                                  palScene_Parts(scene)))
            return false;
    return true;
}

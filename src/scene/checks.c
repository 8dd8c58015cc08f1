// SPDX-License-Identifier: Apache-2.0
#include "scene/checks.h"

#include "base/error.h"
#include "scene/schema.h"

#include <stdio.h>
#include <string.h>

// The node of `key` in the map `section` of the file, else the section, else the root: where a
// fault between several keys is shown.
static const palYamlNode* findNode(const palYamlNode* root, const char* section, const char* key)
{
    const palYamlNode* map = palYamlNode_Find(root, section);
    const palYamlNode* node = palYamlNode_Find(map, key);
    if (node != NULL)
        return node;
    return map != NULL ? map : root;
}

// What the table cannot say: how values bear on each other.
static void checkTime(const palSceneTime* time, const palYamlNode* root, palFaults* faults)
{
    if (time->lowDt < time->dt)
    {
        palError* error =
            palFaults_Add(faults, findNode(root, "time", "low_dt"),
                          "'low_dt' (%g s) is shorter than 'dt' (%g s)", time->lowDt, time->dt);
        palError_Remedy(error, "the low rate cannot be the faster one");
    }
    if (time->latency > time->lowDt)
    {
        palError* error = palFaults_Add(faults, findNode(root, "time", "latency"),
                                        "'latency' (%g s) is longer than 'low_dt' (%g s)",
                                        time->latency, time->lowDt);
        palError_Remedy(error, "a result cannot come later than the next one starts");
    }
    if (time->spin > time->dt)
    {
        palError* error =
            palFaults_Add(faults, findNode(root, "time", "spin"),
                          "'spin' (%g s) is longer than 'dt' (%g s)", time->spin, time->dt);
        palError_Remedy(error, "it is a part of each step's wait");
    }
}

// The map of an item of a list in the file, for a fault; NULL where there is none.
static const palYamlNode* itemAt(const palYamlNode* root, const char* key, int index)
{
    const palYamlNode* list = palYamlNode_Find(root, key);
    const palYamlNode* map = list != NULL ? list->first : NULL;
    for (int i = 0; i < index && map != NULL; i++)
        map = map->next;
    return map;
}

// The node of a key of it.
static const palYamlNode* findInItem(const palYamlNode* root, const char* list, int index,
                                     const char* key)
{
    const palYamlNode* map = itemAt(root, list, index);
    const palYamlNode* node = map != NULL ? palYamlNode_Find(map, key) : NULL;
    return node != NULL ? node : map != NULL ? map : root;
}

static const palYamlNode* findObject(const palYamlNode* root, int object, const char* key)
{
    return findInItem(root, "objects", object, key);
}

// The node of a key of its soft map.
static const palYamlNode* findSoft(const palYamlNode* root, int object, const char* key)
{
    const palYamlNode* map = itemAt(root, "objects", object);
    return map != NULL ? findNode(map, "soft", key) : root;
}

static void checkSoft(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    const double mostPoisson = 0.49;
    for (int i = 0; i < scene->objectCount; i++)
    {
        const palSceneObject* object = &scene->objects[i];
        if (!object->isSoft || object->soft.poisson <= mostPoisson)
            continue;
        palError* error =
            palFaults_Add(faults, findSoft(root, i, "poisson"),
                          "'poisson' is %g: so nearly incompressible that these elements lock and "
                          "the object would feel far too stiff",
                          object->soft.poisson);
        palError_Remedy(error, "use at most %g", mostPoisson);
    }
}

// Rigid bodies that move are so many at most.
static void checkCount(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    bool isMoving = (palScene_Parts(scene) & PAL_ACCEPTS(pal_partFree)) != 0 ||
                    strcmp(scene->method.name, "impulse") == 0;
    if (!isMoving || scene->objectCount <= pal_objectsMax)
        return;
    palError* error =
        palFaults_Add(faults, itemAt(root, "objects", pal_objectsMax),
                      "there are %d objects, and this is number %d; rigid ones may move",
                      scene->objectCount, pal_objectsMax + 1);
    palError_Remedy(error, "at most %d are allowed where they may", pal_objectsMax);
}

// What moves as a whole is not soft.
static void checkMotion(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    for (int i = 0; i < scene->objectCount; i++)
    {
        const palSceneObject* object = &scene->objects[i];
        if (object->isSoft && object->motion != pal_motionFixed)
            palError_Remedy(palFaults_Add(faults, findObject(root, i, "motion"),
                                          "the object is soft, and 'motion' is that of rigid ones"),
                            "take 'motion' or 'soft' out; a soft object without 'fixed' is free");
        if (object->isRepeated)
            palError_Remedy(
                palFaults_Add(faults, findObject(root, i, "repeat"), "'repeat' is for scene files"),
                "add each of the objects");
    }
}

static void addLoop(int loop, int first, int last, const char* name, const palYamlNode* node,
                    palFaults* faults)
{
    palError* error = palFaults_Add(faults, node, "%s is in loop %d, but there are loops %d to %d",
                                    name, loop, first, last);
    palError_Remedy(error, "add time.loops, or give it another loop");
}

static void checkLoops(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    const int last = 1 + scene->time.loopCount;
    for (int i = 0; i < scene->objectCount; i++)
        if (scene->objects[i].loop > last)
            addLoop(scene->objects[i].loop, 1, last, scene->objects[i].name,
                    findObject(root, i, "loop"), faults);
    for (int i = 0; i < scene->wireCount; i++)
        if (scene->wires[i].loop > last)
            addLoop(scene->wires[i].loop, 0, last, scene->wires[i].name,
                    findInItem(root, "wires", i, "loop"), faults);
}

// An end that is clamped cannot follow the hand.
static void checkClamps(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    for (int i = 0; i < scene->wireCount; i++)
    {
        const palSceneWire* wire = &scene->wires[i];
        palWireEnd held;
        if (palScene_Holder(scene, i, &held) < 0 ||
            (wire->clamped != held && wire->clamped != pal_wireEndBoth))
            continue;
        palError* error = palFaults_Add(faults, findInItem(root, "wires", i, "clamped"),
                                        "the end of %s that the hand holds is clamped", wire->name);
        palError_Remedy(error, "take 'clamped' or 'hand' out, or give one of them the other end");
    }
}

// How many things a joint may mean by a name.
static int countNamed(const palScene* scene, const char* name)
{
    int count = strcmp(name, "world") == 0 || palScene_FindTool(scene, name) >= 0;
    for (int i = 0; i < scene->objectCount; i++)
        count += strcmp(scene->objects[i].name, name) == 0;
    for (int i = 0; i < scene->wireCount; i++)
        count += strcmp(scene->wires[i].name, name) == 0;
    return count;
}

static void checkJointNames(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    for (int i = 0; i < 3 * scene->jointCount; i++)
    {
        static const char* const keys[] = {"wire", "body", "to"};
        const palSceneJoint* joint = &scene->joints[i / 3];
        const char* const names[] = {joint->wire, joint->body, joint->to};
        if (names[i % 3][0] == '\0' || countNamed(scene, names[i % 3]) < 2)
            continue;
        palError* error = palFaults_Add(faults, findInItem(root, "joints", i / 3, keys[i % 3]),
                                        "more than one thing is named '%s'", names[i % 3]);
        palError_Remedy(error, "give each object and wire a name of its own, other than `world` "
                               "and `tool`");
    }
}

// Where a part of the scene stands in the file.
static const palYamlNode* partNode(const palScene* scene, const palYamlNode* root, palPartKind part)
{
    if (part == pal_partWire)
        return palYamlNode_Find(root, "wires");
    if (part == pal_partJoint || part == pal_partToolJoint)
        return palYamlNode_Find(root, "joints");
    if (part == pal_partLoop)
        return findNode(root, "time", "loops");
    for (int i = 0; i < scene->jointCount && part == pal_partSlider; i++)
        if (palSceneJoint_IsSlider(&scene->joints[i]))
            return itemAt(root, "joints", i);
    for (int i = 0; i < scene->objectCount && part == pal_partPoints; i++)
        if (scene->objects[i].representation == pal_representPoints)
            return findObject(root, i, "representation");
    return findNode(root, "method", "name");
}

// What of that part is first, beside rigid objects that move.
static const palYamlNode* besideNode(const palScene* scene, const palYamlNode* root,
                                     palPartKind part)
{
    for (int i = 0; i < scene->objectCount && part == pal_partSoft; i++)
        if (scene->objects[i].isSoft)
            return findObject(root, i, "soft");
    return partNode(scene, root, part);
}

// A hand: that of `hands`, or the top of the file in the short form.
typedef struct Hand
{
    const palScene* scene;
    int index;
    const palSceneHand* given;
    const palYamlNode* node; // the map of its keys
} Hand;

static Hand handAt(const palScene* scene, const palYamlNode* root, int index)
{
    const palYamlNode* item = scene->handCount > 0 ? itemAt(root, "hands", index) : root;
    return (Hand){scene, index, palScene_HandAt(scene, index), item != NULL ? item : root};
}

// A hand holds one thing, and a wire is in one hand.
static bool checkHold(const Hand* hand, palFaults* faults)
{
    const palScene* scene = hand->scene;
    const palSceneHandWire* named = &hand->given->wire;
    int wire = palScene_HeldWire(scene, hand->index);
    palError* error = NULL;
    if (hand->given->hasWire && named->end != pal_wireEndNone &&
        (wire < 0 || strcmp(scene->wires[wire].name, named->name) != 0))
    {
        const palYamlNode* node = findNode(hand->node, "wire", "name");
        bool isThere = false;
        for (int i = 0; i < scene->wireCount; i++)
            isThere = isThere || strcmp(scene->wires[i].name, named->name) == 0;
        error = palFaults_Add(faults, node,
                              isThere ? "another hand holds the wire '%.60s', or this hand another"
                                      : "there is no wire named '%.60s'",
                              named->name);
        palError_Remedy(error, isThere ? "a hand holds one wire by one end, and a wire is in one "
                                         "hand"
                                       : "give the `name` of one of `wires`");
        return false;
    }
    if (!hand->given->hasTool || wire < 0)
        return true;
    error = palFaults_Add(faults, palYamlNode_Find(hand->node, "tool"),
                          "the hand holds a tool and the wire '%.60s'", scene->wires[wire].name);
    palError_Remedy(error, "take the tool or the wire's 'hand' out");
    return false;
}

// Only a point has a tip.
static void checkTip(const Hand* hand, palFaults* faults)
{
    if (!(hand->given->tipRadius > 0.0) ||
        palScene_HandKind(hand->scene, hand->index) == pal_handPoint)
        return;
    palError* error = palFaults_Add(faults, palYamlNode_Find(hand->node, "tip_radius"),
                                    "tip_radius is that of a point, and here a %s is in the hand",
                                    hand->given->hasTool ? "tool" : "wire");
    palError_Remedy(error, "take tip_radius out");
}

// A button that picks up needs something that the hand can pick up.
static void checkPick(const Hand* hand, palFaults* faults)
{
    const palScene* scene = hand->scene;
    palHandKind kind = palScene_HandKind(scene, hand->index);
    const palMethodOps* method = palFindMethodForm(scene->method.name, kind);
    const palYamlNode* node = palYamlNode_Find(hand->node, "pick");
    if (node == NULL || hand->given->pick < 0 || method == NULL)
        return;
    bool isAny = false;
    for (int i = 0; i < scene->objectCount; i++)
        isAny = isAny || scene->objects[i].motion == pal_motionFree;
    if (method->picksUp && isAny)
        return;
    if (!method->picksUp)
        palError_Remedy(palFaults_Add(faults, node,
                                      "method %s picks nothing up with %s in the hand",
                                      method->name, palHandKind_Name(kind)),
                        "take 'pick' out, or use impulse, accurate, or compliance with a tool");
    else
        palError_Remedy(palFaults_Add(faults, node, "there is no free object to be picked up"),
                        "take 'pick' out, or give an object motion: free");
}

// What a hand holds must be something that the method moves.
static void checkHand(const Hand* of, const palYamlNode* root, palFaults* faults)
{
    const palScene* scene = of->scene;
    const palMethodEntry* method = palFindMethod(scene->method.name);
    palHandKind hand = palScene_HandKind(scene, of->index);
    if (!checkHold(of, faults))
        return;
    checkTip(of, faults);
    if (method == NULL || method->forms[hand] != NULL)
        return;
    char kinds[64] = "", names[160];
    for (int i = 0; i < pal_handKindCount; i++)
        if (method->forms[i] != NULL)
        {
            size_t used = strlen(kinds);
            snprintf(kinds + used, sizeof kinds - used, "%s%s", used > 0 ? " or " : "",
                     palHandKind_Name(i));
        }
    palListMethods(hand, palScene_Parts(scene), names, sizeof names);
    const char* const remedies[pal_handKindCount] = {
        [pal_handPoint] = "add a 'tool', for example tool: {shape: {kind: cylinder}}",
        [pal_handTool] = "take the tool out",
        [pal_handWire] = "take the wire's 'hand' out",
    };
    const char* point = method->forms[pal_handTool] != NULL
                            ? remedies[pal_handPoint]
                            : "give one of 'wires' hand: start or hand: end";
    const palYamlNode* node = hand == pal_handTool   ? palYamlNode_Find(of->node, "tool")
                              : hand == pal_handWire ? palYamlNode_Find(root, "wires")
                                                     : findNode(root, "method", "name");
    palError* error =
        palFaults_Add(faults, node, "method %s takes %s in the hand, and here it is %s",
                      method->name, kinds, palHandKind_Name(hand));
    palError_Remedy(error, "%s%s%s%s", names[0] != '\0' ? "use method " : "", names,
                    names[0] != '\0' ? ", or " : "",
                    hand == pal_handPoint ? point : remedies[hand]);
}

// What a method does not take beside rigid objects that move, or joints that only these have.
static void addTogether(const palScene* scene, const palMethodOps* method, palPartKind part,
                        unsigned parts, const char* names, const palYamlNode* root,
                        palFaults* faults)
{
    bool isJoint = (parts & PAL_ACCEPTS(pal_partFree)) == 0;
    palError* error = palFaults_Add(
        faults, isJoint ? partNode(scene, root, pal_partSlider) : besideNode(scene, root, part),
        "method %s does not take %s together with %s", method->name, palPartKind_Name(part),
        palPartKind_Name(isJoint ? pal_partSlider : pal_partFree));
    palError_Remedy(
        error, names[0] != '\0' ? "use method %s, or take one of them out" : "take one of them out",
        names);
}

// Everything that the scene contains must take part.
static void checkParts(const palScene* scene, palHandKind hand, const palYamlNode* root,
                       palFaults* faults)
{
    const palMethodOps* method = palFindMethodForm(scene->method.name, hand);
    // A joint with a tool concerns the hand that holds it.
    unsigned others = hand == pal_handTool ? 0 : PAL_ACCEPTS(pal_partToolJoint);
    unsigned parts = palScene_Parts(scene) & ~others;
    if (method == NULL)
        return;
    char names[160];
    palListMethods(hand, parts, names, sizeof names);
    bool movesRigid = (parts & PAL_RIGID_PARTS) != 0;
    for (int part = 0; part < pal_partKindCount; part++)
    {
        unsigned bit = PAL_ACCEPTS(part);
        if (parts & method->accepts & bit && movesRigid && method->notWithFree & bit)
            addTogether(scene, method, part, parts, names, root, faults);
        if (!(parts & ~method->accepts & bit))
            continue;
        palError* error =
            palFaults_Add(faults, partNode(scene, root, part), "method %s %s %s%s%s", method->name,
                          part == pal_partSoft ? "cannot touch" : "does not take",
                          palPartKind_Name(part), hand == pal_handPoint ? "" : " with ",
                          hand == pal_handPoint ? "" : palHandKind_Name(hand));
        if (names[0] != '\0')
            palError_Remedy(error, "use method %s, or take them out", names);
        else
            palError_Remedy(error, "take them out; palpate methods lists what each method takes");
    }
}

// Bodies that stand still between updates are for one hand.
static void checkFrozen(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    if (palScene_HandCount(scene) == 1 || scene->method.settings.soft.response != pal_softFrozen)
        return;
    palError* error =
        palFaults_Add(faults, findNode(root, "method", "response"),
                      "response: frozen is for one hand, there are %d", palScene_HandCount(scene));
    palError_Remedy(error, "take 'response' out");
}

// Not every form knows soft objects that stand still between updates.
static void checkResponse(const palScene* scene, palHandKind hand, const palYamlNode* root,
                          palFaults* faults)
{
    const palMethodOps* method = palFindMethodForm(scene->method.name, hand);
    if (method == NULL || !method->isNeverFrozen ||
        scene->method.settings.soft.response != pal_softFrozen ||
        !(palScene_Parts(scene) & PAL_ACCEPTS(pal_partSoft)))
        return;
    palError* error = palFaults_Add(faults, findNode(root, "method", "response"),
                                    "method %s with %s does not know frozen soft objects",
                                    method->name, palHandKind_Name(method->hand));
    palError_Remedy(error, "take 'response' out, or use method linear");
}

// Rigid objects that move under a method without restitution.
static void checkBounces(const palScene* scene, const palMethodOps* method, const palYamlNode* root,
                         palFaults* faults)
{
    const palYamlNode* given =
        scene->contact.restitution > 0.0 ? findNode(root, "contact", "restitution") : NULL;
    for (int i = 0; i < scene->objectCount && given == NULL; i++)
        if (scene->objects[i].contact.restitution > 0.0)
            given = findObject(root, i, "contact");
    for (int i = 0; i < scene->pairCount && given == NULL; i++)
        if (scene->pairs[i].contact.restitution > 0.0)
            given = findInItem(root, "pairs", i, "restitution");
    if (given != NULL)
        palError_Remedy(palFaults_Add(faults, given, "method %s has no restitution", method->name),
                        "take it out, or use method impulse without soft objects and wires");
}

// `pairs` is for rigid objects: soft ones and wires meet all of them.
static void checkPairs(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    for (int i = 0; i < scene->pairCount; i++)
        for (int k = 0; k < scene->objectCount; k++)
        {
            const palSceneObject* object = &scene->objects[k];
            const palScenePair* pair = &scene->pairs[i];
            bool isMeant =
                strcmp(object->name, pair->body) == 0 || strcmp(object->name, pair->to) == 0 ||
                (object->layer[0] != '\0' &&
                 (strcmp(object->layer, pair->body) == 0 || strcmp(object->layer, pair->to) == 0));
            if (object->isSoft && isMeant)
                palError_Remedy(palFaults_Add(faults, findInItem(root, "pairs", i, "body"),
                                              "'%s' is soft, and 'pairs' is for rigid objects",
                                              object->name),
                                "name rigid objects, or take the pair out");
        }
}

static bool isMeant(const palSceneObject* object, const char* name)
{
    return strcmp(object->name, name) == 0 ||
           (object->layer[0] != '\0' && strcmp(object->layer, name) == 0);
}

// Methods that find themselves what stands still have their own contacts with it.
static void checkToolPairs(const palScene* scene, const palMethodOps* method,
                           const palYamlNode* root, palFaults* faults)
{
    for (int i = 0; i < scene->pairCount; i++)
        for (int end = 0; end < 2; end++)
        {
            const palScenePair* pair = &scene->pairs[i];
            const char* name = end == 0 ? pair->body : pair->to;
            const char* other = end == 0 ? pair->to : pair->body;
            bool isTool = false;
            for (int hand = 0; hand < palScene_HandCount(scene); hand++)
            {
                char tool[16];
                isTool = isTool || strcmp(palToolName(hand, tool), name) == 0;
            }
            for (int k = 0; k < scene->objectCount && isTool; k++)
                if (isMeant(&scene->objects[k], other) &&
                    scene->objects[k].motion == pal_motionFixed)
                    palError_Remedy(palFaults_Add(faults, findInItem(root, "pairs", i, "body"),
                                                  "method %s has its own contacts of the tool with "
                                                  "'%s', which does not move",
                                                  method->name, scene->objects[k].name),
                                    "name objects that move, or use method impulse");
        }
}

// Some methods move few rigid objects, without restitution, and with no soft object frozen.
static void checkRigid(const palScene* scene, palHandKind hand, const palYamlNode* root,
                       palFaults* faults)
{
    const palMethodOps* method = palFindMethodForm(scene->method.name, hand);
    if (method == NULL || !(palScene_Parts(scene) & PAL_ACCEPTS(pal_partFree)))
        return;
    if (method->rigidHand != NULL)
        checkToolPairs(scene, method, root, faults);
    if (method->rigidMost == 0)
        return;
    int moving = 0;
    for (int i = 0; i < scene->objectCount; i++)
    {
        moving += scene->objects[i].motion != pal_motionFixed;
        if (scene->objects[i].motion != pal_motionFixed && moving == method->rigidMost + 1)
            palError_Remedy(palFaults_Add(faults, findObject(root, i, "motion"),
                                          "method %s moves at most %d rigid objects", method->name,
                                          method->rigidMost),
                            "take some out, or use method impulse without soft objects and wires");
    }
    if (method->neverBounces)
        checkBounces(scene, method, root, faults);
    checkPairs(scene, root, faults);
    if (scene->method.settings.soft.response == pal_softFrozen)
        palError_Remedy(palFaults_Add(faults, findNode(root, "method", "response"),
                                      "response: frozen does not know rigid objects that move"),
                        "take 'response' out");
}

static void checkPath(const palTrajectoryDef* def, const palYamlNode* hand, palFaults* faults)
{
    const palYamlNode* map = palYamlNode_Find(hand, "trajectory");
    if (def->kind == pal_trajectoryPath && def->pointCount == 0)
    {
        palError* error =
            palFaults_Add(faults, findNode(hand, "trajectory", "points"), "the path has no points");
        palError_Remedy(error, "give one or more, as {t: 0, at: [0, 0.1, 0]}");
    }
    for (int i = 1; map != NULL && def->kind == pal_trajectoryPath && i < def->pointCount; i++)
    {
        if (def->points[i].t > def->points[i - 1].t)
            continue;
        palError* error = palFaults_Add(faults, findInItem(map, "points", i, "t"),
                                        "'t' is %g s, not later than the point before, at %g s",
                                        def->points[i].t, def->points[i - 1].t);
        palError_Remedy(error, "put the points in the order of their times");
    }
}

static void checkTrajectory(const Hand* hand, palFaults* faults)
{
    const palSceneTrajectory* trajectory = &hand->given->trajectory;
    int objectCount = hand->scene->objectCount;
    const palDeviceOps* driver = palFindDeviceDriver(hand->given->device.driver);
    if (!hand->given->hasTrajectory && driver != NULL && driver->knowsPose)
        return;
    if (!hand->given->hasTrajectory)
    {
        palError* error =
            palFaults_Add(faults, hand->node, "%s misses the key 'trajectory'",
                          hand->scene->handCount > 0 ? "hand" : palSceneSchema()->noun);
        palError_Remedy(error, "add trajectory: a map");
        return;
    }
    checkPath(&trajectory->def, hand->node, faults);
    if (trajectory->object < objectCount)
        return;
    palError* error = palFaults_Add(faults, findNode(hand->node, "trajectory", "object"),
                                    "'object' is %d, but the scene has %d object%s",
                                    trajectory->object, objectCount, palPlural(objectCount));
    palError_Remedy(error, "objects are counted from 0");
}

// A scene has `hands`, or the keys of one hand at the top.
static void checkHandForms(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    const palSchemaTable* table = palSchema_Find(palSceneSchema(), "hands")->table;
    for (int i = 0; scene->handCount > 0 && i < table->keyCount; i++)
    {
        const palYamlNode* node = palYamlNode_Find(root, table->keys[i].name);
        if (node == NULL)
            continue;
        palError* error = palFaults_AddAtKey(faults, node, "'%s' and 'hands' exclude each other",
                                             table->keys[i].name);
        palError_Remedy(error, "move it into the hand that it is for, as hands.0.%s",
                        table->keys[i].name);
    }
}

// Whether the scene names a method that there is. One that there is not has its own message, and
// what it would take is not known.
static bool namesMethod(const palYamlNode* root)
{
    const palYamlNode* node = palYamlNode_Find(palYamlNode_Find(root, "method"), "name");
    return node == NULL || node->text == NULL || palFindMethod(node->text) != NULL;
}

static void checkHands(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    bool isKnown = namesMethod(root);
    checkHandForms(scene, root, faults);
    for (int i = 0; i < palScene_HandCount(scene); i++)
    {
        Hand hand = handAt(scene, root, i);
        checkTrajectory(&hand, faults);
        if (!isKnown)
            continue;
        checkHand(&hand, root, faults);
        checkPick(&hand, faults);
    }
    bool isChecked[pal_handKindCount] = {false};
    for (int i = 0; i < palScene_HandCount(scene); i++)
    {
        palHandKind kind = palScene_HandKind(scene, i);
        if (isKnown && !isChecked[kind])
        {
            checkParts(scene, kind, root, faults);
            checkResponse(scene, kind, root, faults);
            checkRigid(scene, kind, root, faults);
        }
        isChecked[kind] = true;
    }
    checkFrozen(scene, root, faults);
}

void palScene_Check(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    checkTime(&scene->time, root, faults);
    checkSoft(scene, root, faults);
    checkMotion(scene, root, faults);
    checkCount(scene, root, faults);
    checkLoops(scene, root, faults);
    checkClamps(scene, root, faults);
    checkJointNames(scene, root, faults);
    checkHands(scene, root, faults);
}

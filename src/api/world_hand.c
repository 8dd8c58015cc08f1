// SPDX-License-Identifier: Apache-2.0
// The hands of a world from the defs of a program.
#include "api/world_maker.h"

#include "base/error.h"

#include <stdio.h>

#define HAND(member) PAL_AT("palHandDef", member)

static palResult putHeld(palMaker* maker, palYamlNode* map, const palHandDef* def, palError* error)
{
    static const char* const ends[] = {"none", "start", "end"};
    const palHandDef usual = palDefaultHandDef();
    if (def->kind == pal_handWire)
    {
        char name[64];
        bool isWire;
        if (!palWorld_BodyName(maker->world, def->wire, &isWire, name) || !isWire)
            return palNoSuchBody("palHandDef.wire", "wire", error);
        palYamlNode* wire = palMaker_Map(maker, map, "wire", HAND("wire"));
        palMaker_Text(maker, wire, "name", name, HAND("wire"));
        palMaker_Choice(maker, wire, "end", ends, 3, (int)def->wireEnd, HAND("wireEnd"));
    }
    if (def->kind != pal_handTool)
        return pal_ok;
    if (def->tool == NULL)
        return palRefuseSurface("palHandDef.tool", "the tool has no surface", error);
    palYamlNode* tool = palMaker_Map(maker, map, "tool", HAND("tool"));
    palResult result = palMaker_Surface(maker, tool, def->tool, error);
    palMaker_Vector(maker, tool, "position", def->toolPosition, HAND("toolPosition"));
    palMaker_Vector(maker, tool, "rotation", def->toolRotation, HAND("toolRotation"));
    palMaker_Number(maker, tool, "density", def->toolDensity, usual.toolDensity,
                    HAND("toolDensity"));
    palMaker_Number(maker, tool, "mass", def->toolMass, 0.0, HAND("toolMass"));
    return result;
}

static void putDevice(palMaker* maker, palYamlNode* map, const palHandDef* def)
{
    bool isTarget = def->driver == NULL;
    palYamlNode* device = palMaker_Map(maker, map, "device", HAND("driver"));
    palMaker_Text(maker, device, "driver", isTarget ? "target" : def->driver, HAND("driver"));
    if (!isTarget)
        return;
    palMaker_Vector(maker, device, "position", def->position, HAND("position"));
    palMaker_Vector(maker, device, "rotation", def->rotation, HAND("rotation"));
    palMaker_Number(maker, device, "interval", def->targetInterval, 0.0, HAND("targetInterval"));
}

static palResult putHand(palMaker* maker, palYamlNode* map, const void* given, palError* error)
{
    const palHandDef usual = palDefaultHandDef();
    const palHandDef* def = given;
    palResult result = putHeld(maker, map, def, error);
    if (result != pal_ok)
        return result;
    putDevice(maker, map, def);
    palMaker_Number(maker, map, "tip_radius", def->tipRadius, 0.0, HAND("tipRadius"));
    palMaker_Number(maker, map, "pick", def->pick, 0.0, HAND("pick"));
    palYamlNode* coupling = palMaker_Map(maker, map, "coupling", HAND("stiffness"));
    palMaker_Number(maker, coupling, "stiffness", def->stiffness, 0.0, HAND("stiffness"));
    palMaker_Number(maker, coupling, "damping", def->damping, 0.0, HAND("damping"));
    palMaker_Number(maker, coupling, "turn_stiffness", def->turnStiffness, 0.0,
                    HAND("turnStiffness"));
    palMaker_Number(maker, coupling, "turn_damping", def->turnDamping, 0.0, HAND("turnDamping"));
    palMaker_Number(maker, coupling, "mass", def->mass, usual.mass, HAND("mass"));
    palYamlNode* safety = palMaker_Map(maker, map, "safety", HAND("maxForce"));
    palMaker_Number(maker, safety, "max_force", def->maxForce, 0.0, HAND("maxForce"));
    return pal_ok;
}

// Makes the hand of the short form the first of `hands`.
static palResult listFirstHand(palWorld* world, palError* error)
{
    palMaker maker = {.world = world};
    const palSchemaTable* table = palTableOf("hands");
    if (palYamlNode_Find(world->tree, "hands") != NULL || palWorld_HandAt(world, 0).index == 0)
        return pal_ok;
    palYamlNode* first =
        palMaker_Map(&maker, palMaker_ListOf(&maker, "hands"), NULL, "@palHandDef");
    if (first == NULL)
        return palError_Memory(error, "the world", sizeof *first);
    for (int i = 0; i < table->keyCount; i++)
    {
        palYamlNode* node = palYamlNode_Find(world->tree, table->keys[i].name);
        if (node != NULL)
            palYamlNode_Move(world->tree, node, first);
    }
    return pal_ok;
}

// The keys of the driver, one by one as changes.
static palResult setKeys(palWorld* world, const palHandDef* def, int hand, palError* error)
{
    palResult result = pal_ok;
    for (int i = 0; i < def->keyCount && result == pal_ok; i++)
    {
        char change[512];
        if (def->keys == NULL || def->keys[i] == NULL)
            return palIsNull("palHandDef.keys", error);
        int length = snprintf(change, sizeof change, "hands.%d.device.%s", hand, def->keys[i]);
        if (length < (int)sizeof change)
            result = palWorld_Set(world, change, error);
        else
            result = palError_Set(error, pal_errorInput, "palHandDef.keys: one is too long");
    }
    return result;
}

// Ends the addition of a hand: its device.
static palResult finishHand(palWorld* world, const palHandDef* def, palHandId id, palError* error)
{
    palResult result = setKeys(world, def, palWorld_HandPlace(world, id), error);
    if (result == pal_ok && def->deviceOps != NULL)
        result = palWorld_SetDevice(world, id, def->deviceOps, def->device, error);
    palYamlNode* list = palYamlNode_Find(world->tree, "hands");
    if (result != pal_ok)
        palYamlNode_Replace(list, list->last, NULL);
    return result;
}

static palResult addHand(palWorld* world, const palHandDef* given, palHandId* id, palError* error)
{
    palHandDef def = palDefaultHandDef();
    palResult result = palWorld_MayChange(world, error);
    if (result == pal_ok && palWorld_HandAt(world, pal_handsMax - 1).index != 0)
    {
        palError_Set(error, pal_errorInput, "the world has %d hands", pal_handsMax);
        result = palError_Remedy(error, "it can have no more");
    }
    if (result == pal_ok)
        result = listFirstHand(world, error);
    uint32_t place = 0;
    const palAddition hand = {"hands", "@palHandDef", given, &def, sizeof def, NULL, putHand};
    if (result == pal_ok)
        result = palWorld_AddElement(world, &hand, &place, error);
    if (result == pal_ok)
        result = finishHand(world, &def, palWorld_HandId(world, (int)place - 1), error);
    if (result == pal_ok)
        *id = palWorld_HandId(world, (int)place - 1);
    return result;
}

palResult palWorld_AddHand(palWorld* world, const palHandDef* given, palHandId* id, palError* error)
{
    palError own;
    palHandId made = {0};
    palResult result = palWorld_Check(world, &own);
    if (result == pal_ok)
        result = addHand(world, given, &made, &own);
    if (id != NULL)
        *id = made;
    return palWorld_Tell(world, result, &own, error);
}

#undef HAND

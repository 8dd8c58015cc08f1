// SPDX-License-Identifier: Apache-2.0
// Bodies that every name in `pairs` means or does not mean alike are in one layer.
#include "scene/rigid_pairs.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum
{
    layersMax = 32, // of a pile
};

// The objects, then what the hands hold.
typedef struct Members
{
    const palScene* scene;
    int count;
} Members;

static bool isMeant(const Members* members, int member, const char* name)
{
    const palScene* scene = members->scene;
    char tool[16];
    if (member >= scene->objectCount)
        return strcmp(palToolName(member - scene->objectCount, tool), name) == 0;
    const palSceneObject* object = &scene->objects[member];
    return strcmp(object->name, name) == 0 || strcmp(object->layer, name) == 0;
}

// The `end` of a pair: what it names.
static const char* nameOf(const palScenePair* pair, int end)
{
    return end == 0 ? pair->body : pair->to;
}

static bool areAlike(const Members* members, int a, int b)
{
    for (int i = 0; i < 2 * members->scene->pairCount; i++)
    {
        const char* name = nameOf(&members->scene->pairs[i / 2], i % 2);
        if (isMeant(members, a, name) != isMeant(members, b, name))
            return false;
    }
    return true;
}

static palResult checkNames(const Members* members, palError* error)
{
    const palScene* scene = members->scene;
    for (int i = 0; i < 2 * scene->pairCount; i++)
    {
        const palScenePair* pair = &scene->pairs[i / 2];
        bool isThere = false;
        for (int m = 0; m < members->count && !isThere; m++)
            isThere = isMeant(members, m, nameOf(pair, i % 2));
        if (isThere)
            continue;
        palError_Set(error, pal_errorInput, "no object and no layer is named '%s'",
                     nameOf(pair, i % 2));
        palError_Remedy(error, "give the `name` or the `layer` of an object, or `tool`");
        return palScene_At(scene, pair->place, "pairs", error);
    }
    return pal_ok;
}

// The members of which the first of each layer stands for all; `layers`, [members->count], is the
// number of the layer of each. Returns how many layers there are; 0: too many.
static int findLayers(const Members* members, int firsts[layersMax], int* layers)
{
    int count = 0;
    for (int m = 0; m < members->count; m++)
    {
        int layer = 0;
        while (layer < count && !areAlike(members, m, firsts[layer]))
            layer++;
        if (layer == layersMax)
            return 0;
        if (layer == count)
            firsts[count++] = m;
        layers[m] = layer;
    }
    return count;
}

// The layers that a name means, a bit each.
static uint32_t layersOf(const Members* members, const int* firsts, int count, const char* name)
{
    uint32_t bits = 0;
    for (int i = 0; i < count; i++)
        bits |= isMeant(members, firsts[i], name) ? 1u << i : 0u;
    return bits;
}

static palPilePairDef makePair(const palScenePair* pair)
{
    const palSceneContact* c = &pair->contact;
    return (palPilePairDef){
        .hasLaw = pair->hasLaw,
        .material = {.friction = pair->friction,
                     .kineticFriction = c->kineticFriction,
                     .restitution = c->restitution,
                     .law = c->law,
                     .frequency = c->frequency,
                     .dampingRatio = c->dampingRatio,
                     .stiffness = c->stiffness,
                     .damping = c->damping},
    };
}

// Which layers each touches; what the later pair says counts.
static void findTouches(const palScene* scene, const palPilePairDef* pairs,
                        uint32_t touches[layersMax])
{
    for (int i = 0; i < layersMax; i++)
        touches[i] = UINT32_MAX;
    for (int i = 0; i < scene->pairCount; i++)
        for (int layer = 0; layer < layersMax; layer++)
        {
            const uint32_t* ends = pairs[i].layers;
            uint32_t others =
                (ends[0] >> layer & 1 ? ends[1] : 0u) | (ends[1] >> layer & 1 ? ends[0] : 0u);
            bool isNever = scene->pairs[i].touch == pal_pairNeverTouches;
            touches[layer] = isNever ? touches[layer] & ~others : touches[layer] | others;
        }
}

static palResult setLayers(palSceneBodies* world, const Members* members, int* layers,
                           palError* error)
{
    const palScene* scene = members->scene;
    int firsts[layersMax];
    uint32_t touches[layersMax];
    int count = findLayers(members, firsts, layers);
    if (count == 0)
    {
        palError_Set(error, pal_errorInput, "pairs tell more than %d kinds of objects apart",
                     layersMax);
        palError_Remedy(error, "give objects that touch alike the same layer, and name that");
        return palScene_At(scene, scene->pairs[0].place, "pairs", error);
    }
    for (int i = 0; i < scene->pairCount; i++)
    {
        world->pairs[i] = makePair(&scene->pairs[i]);
        for (int end = 0; end < 2; end++)
            world->pairs[i].layers[end] =
                layersOf(members, firsts, count, nameOf(&scene->pairs[i], end));
    }
    findTouches(scene, world->pairs, touches);
    for (int m = 0; m < members->count; m++)
    {
        uint32_t bit = 1u << layers[m];
        if (m < scene->objectCount)
            world->pileBodies[m].layers = bit, world->pileBodies[m].touches = touches[layers[m]];
        else
            world->pile.hands[m - scene->objectCount] = (palPileHandDef){bit, touches[layers[m]]};
    }
    world->pile.pairs = world->pairs;
    world->pile.pairCount = scene->pairCount;
    return pal_ok;
}

palResult palSceneBodies_AddPairs(palSceneBodies* world, const palScene* scene, palError* error)
{
    const Members members = {scene, scene->objectCount + palScene_HandCount(scene)};
    if (scene->pairCount == 0)
        return pal_ok;
    palResult result = checkNames(&members, error);
    if (result != pal_ok)
        return result;
    int* layers = malloc((size_t)members.count * sizeof *layers);
    world->pairs = calloc((size_t)scene->pairCount, sizeof *world->pairs);
    result = layers != NULL && world->pairs != NULL
                 ? setLayers(world, &members, layers, error)
                 : palError_Memory(error, "pairs", (size_t)members.count * sizeof *layers);
    free(layers);
    return result;
}

palContactMaterial palScene_Material(const palScene* scene, const palSceneObject* object)
{
    const palSceneContact* c = object != NULL ? &object->contact : &scene->contact;
    double friction = object != NULL ? object->friction : 0.0;
    return (palContactMaterial){
        .friction = friction,
        .kineticFriction =
            isnan(c->kineticFriction) ? friction : fmin(c->kineticFriction, friction),
        .restitution = c->restitution,
        .law = c->law,
        .frequency = c->frequency,
        .dampingRatio = c->dampingRatio,
        .stiffness = c->stiffness,
        .damping = c->damping,
    };
}

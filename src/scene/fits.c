// SPDX-License-Identifier: Apache-2.0
#include "scene/fits.h"

#include "base/error.h"
#include "mesh/rounds.h"

#include <stdlib.h>

static const double fineShare = 0.25; // of the play: facets should be this high at most

enum
{
    roundsMax = 512, // of a scene
    perBody = 64,
    warningsMax = 8,
};

// A round part of an object, or of the tool of a hand.
typedef struct Round
{
    palRound round;
    int object; // or the number of objects and the hand
    bool moves; // it may be moved to where it fits
} Round;

typedef struct Fits
{
    const palSceneBodies* world;
    const palScene* scene;
    palMessages* messages;
    Round* rounds; // owned, [roundsMax]
    int count;
    int told; // warnings
} Fits;

static palResult addRounds(Fits* fits, const palSurface* surface, const palTopology* topology,
                           Round of, palError* error)
{
    palRound found[perBody];
    int count;
    int room = roundsMax - fits->count < perBody ? roundsMax - fits->count : perBody;
    palResult result = palRounds_Find(surface, topology, room, found, &count, error);
    for (int i = 0; i < count; i++)
    {
        of.round = found[i];
        fits->rounds[fits->count++] = of;
    }
    return result;
}

static palResult addTool(Fits* fits, int hand, palError* error)
{
    const palSurface* surface = &fits->world->tools[hand].surface;
    Round of = {.object = fits->scene->objectCount + hand, .moves = true};
    palTopology topology;
    palResult result = palTopology_Init(&topology, surface, error);
    if (result != pal_ok)
        return result;
    result = addRounds(fits, surface, &topology, of, error);
    palTopology_Free(&topology);
    return result;
}

static palResult addAll(Fits* fits, palError* error)
{
    palResult result = pal_ok;
    for (int i = 0; i < fits->world->count && result == pal_ok; i++)
    {
        const palCollider* collider = &fits->world->colliders[i];
        Round of = {.object = i, .moves = fits->scene->objects[i].motion != pal_motionFixed};
        if (collider->closed && !palCollider_Yields(collider))
            result = addRounds(fits, &collider->surface, &collider->topology, of, error);
    }
    for (int i = 0; i < palScene_HandCount(fits->scene) && result == pal_ok; i++)
        if (palScene_HandAt(fits->scene, i)->hasTool)
            result = addTool(fits, i, error);
    return result;
}

static const char* nameOf(const Fits* fits, const Round* round)
{
    const palScene* scene = fits->scene;
    return round->object < scene->objectCount ? scene->objects[round->object].name : "tool";
}

// Whether a hole and a shaft are a fit whose play is less than their facets are high.
static bool isCoarse(const Round* hole, const Round* shaft)
{
    double play = hole->round.radius - shaft->round.radius;
    return hole->round.isHole && !shaft->round.isHole && hole->object != shaft->object &&
           (hole->moves || shaft->moves) && play > 0.0 &&
           play < fmax(hole->round.facetHeight, shaft->round.facetHeight);
}

static void warn(Fits* fits, const Round* hole, const Round* shaft)
{
    const palScene* scene = fits->scene;
    const Round* coarse = hole->round.facetHeight >= shaft->round.facetHeight ? hole : shaft;
    double play = hole->round.radius - shaft->round.radius;
    palError* warning = palMessages_Add(
        fits->messages, pal_severityWarning,
        "'%s' has %.3g mm of play a side in '%s', whose holes and shafts are polygons: facets of "
        "'%s' are %.3g mm high, so that it is between %.3g and %.3g mm as it is turned",
        nameOf(fits, shaft), 1e3 * play, nameOf(fits, hole), nameOf(fits, coarse),
        1e3 * coarse->round.facetHeight, 1e3 * (play - hole->round.facetHeight),
        1e3 * (play + shaft->round.facetHeight));
    palScenePlace place =
        coarse->object < scene->objectCount
            ? scene->objects[coarse->object].place
            : palScene_HandAt(scene, coarse->object - scene->objectCount)->toolPlace;
    palError_At(warning, scene->file, place.line, place.column);
    double sides = PAL_PI / acos(1.0 - fineShare * play / coarse->round.radius);
    palError_Remedy(warning, "give it %d sides or more", 4 * (int)ceil(0.25 * sides));
    fits->told++;
}

// Whether there was a fit of two objects before these parts: one warning is enough for both.
static bool isFirst(const Fits* fits, int hole, int shaft)
{
    for (int i = 0; i < hole; i++)
        for (int k = 0; k < fits->count; k++)
            if (fits->rounds[i].object == fits->rounds[hole].object &&
                fits->rounds[k].object == fits->rounds[shaft].object &&
                isCoarse(&fits->rounds[i], &fits->rounds[k]))
                return false;
    for (int k = 0; k < shaft; k++)
        if (fits->rounds[k].object == fits->rounds[shaft].object &&
            isCoarse(&fits->rounds[hole], &fits->rounds[k]))
            return false;
    return true;
}

static void compare(Fits* fits)
{
    for (int i = 0; i < fits->count; i++)
        for (int k = 0; k < fits->count && fits->told < warningsMax; k++)
            if (isCoarse(&fits->rounds[i], &fits->rounds[k]) && isFirst(fits, i, k))
                warn(fits, &fits->rounds[i], &fits->rounds[k]);
}

palResult palSceneBodies_CheckFits(const palSceneBodies* world, const palScene* scene,
                                   palMessages* messages, palError* error)
{
    Fits fits = {.world = world, .scene = scene, .messages = messages};
    bool moves = world->hasPile;
    for (int i = 0; i < palScene_HandCount(scene); i++)
        moves = moves || palScene_HandAt(scene, i)->hasTool;
    if (!moves)
        return pal_ok;
    fits.rounds = calloc(roundsMax, sizeof *fits.rounds);
    if (fits.rounds == NULL)
        return palError_Memory(error, "the fits of a scene", roundsMax * sizeof *fits.rounds);
    palResult result = addAll(&fits, error);
    if (result == pal_ok)
        compare(&fits);
    free(fits.rounds);
    return result;
}

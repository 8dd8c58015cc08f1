// SPDX-License-Identifier: Apache-2.0
#include "world/replay.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

//--------------------------------------------------------------------------------------------------
// High rate

palResult palReducedMotion_Init(palReducedMotion* motion, int bodies, palError* error)
{
    size_t count = (size_t)bodies + 1;
    *motion = (palReducedMotion){
        .state = calloc(count, sizeof *motion->state),
        .free = calloc(count, sizeof *motion->free),
    };
    if (motion->state != NULL && motion->free != NULL)
        return pal_ok;
    palReducedMotion_Free(motion);
    return palError_Memory(error, "the motion of slower bodies", count * sizeof *motion->state);
}

void palReducedMotion_Free(palReducedMotion* motion)
{
    free(motion->state);
    free(motion->free);
    *motion = (palReducedMotion){0};
}

void palReducedMotion_Archive(palReducedMotion* motion, int bodies, palArchive* archive)
{
    PAL_ARCHIVE(archive, motion->sequence);
    PAL_ARCHIVE_ARRAY(archive, motion->state, bodies);
}

// One step under the forces p, or none where they do not act, with the friction that there is in
// it. p is changed.
static void step(const palModes* modes, bool acts, double* p, palModesState* state)
{
    double before[pal_modesMax];
    if (modes->rubCount == 0)
    {
        palModes_Advance(modes, acts ? p : NULL, state);
        return;
    }
    if (!acts)
        memset(p, 0, (size_t)modes->count * sizeof *p);
    memcpy(before, state->q, (size_t)modes->count * sizeof *before);
    palModes_AddRubs(modes, state, p);
    palModes_Advance(modes, p, state);
    palModes_Rub(modes, before, state);
}

void palReducedMotion_CatchUp(palReducedMotion* motion, const palModes* modes, const void* model,
                              int index, palPushModes* push, palObserveModes* observe, double time,
                              const palTrack* given)
{
    palModes_Start(modes, &motion->state[index]);
    for (uint64_t k = palTrack_Since(given, time); k < given->ticks; k++)
    {
        double p[pal_modesMax];
        bool acts = push(model, index, palTrack_Tick(given, k), p);
        step(modes, acts, p, &motion->state[index]);
        if (acts && observe != NULL)
            observe(model, index, palTrack_Tick(given, k), &motion->state[index]);
    }
}

static void copyState(const palModes* modes, const palModesState* from, palModesState* to)
{
    size_t bytes = (size_t)modes->count * sizeof(double);
    memcpy(to->q, from->q, bytes);
    memcpy(to->v, from->v, bytes);
    memcpy(to->rub, from->rub, sizeof to->rub);
}

void palReducedMotion_MoveFreely(palReducedMotion* motion, const palModes* modes, int index)
{
    copyState(modes, &motion->state[index], &motion->free[index]);
    double p[pal_modesMax];
    memset(p, 0, (size_t)modes->count * sizeof *p);
    palModes_AddRubs(modes, &motion->state[index], p);
    palModes_Advance(modes, modes->rubCount > 0 ? p : NULL, &motion->free[index]);
}

void palReducedMotion_Take(palReducedMotion* motion, const palModes* modes, int index)
{
    palModes_Rub(modes, motion->state[index].q, &motion->free[index]);
    copyState(modes, &motion->free[index], &motion->state[index]);
}

//--------------------------------------------------------------------------------------------------
// Slower loop

void palTrack_Replay(const palTrack* track, palReplay* replay, const void* model, int index,
                     palPushModes* push, palObserveModes* observe)
{
    const palModes* modes = replay->modes;
    int next = 0;
    replay->steps = (int)lround((replay->until - replay->from) / replay->dt);
    replay->isPushed = false;
    palModes_Start(modes, &replay->end);
    memset(replay->mean, 0, (size_t)modes->count * sizeof *replay->mean);
    memset(replay->rub, 0, sizeof replay->rub);
    for (int k = 1; k <= replay->steps; k++)
    {
        const palTickForces* forces =
            palTrack_At(track, replay->from + k * replay->dt, 0.5 * replay->dt, &next);
        double p[pal_modesMax];
        bool acts = forces != NULL && push(model, index, forces, p);
        step(modes, acts, p, &replay->end);
        for (int j = 0; j < modes->rubCount; j++)
            for (int r = 0; r < pal_rubRows; r++)
                replay->rub[j][r] += replay->end.rub[j][r];
        if (acts && observe != NULL)
            observe(model, index, forces, &replay->end);
        for (int i = 0; i < modes->count; i++)
        {
            replay->mean[i] += replay->end.q[i];
            replay->isPushed = replay->isPushed || (acts && p[i] != 0.0);
        }
    }
    for (int i = 0; i < modes->count && replay->steps > 0; i++)
        replay->mean[i] /= replay->steps;
    for (int j = 0; j < modes->rubCount && replay->steps > 0; j++)
        for (int r = 0; r < pal_rubRows; r++)
            replay->rub[j][r] /= replay->steps;
}

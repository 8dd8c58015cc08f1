// SPDX-License-Identifier: Apache-2.0
#include "render/slow_part.h"

#include <string.h>

const palRowSet* palSlowPart_Set(const palSlowPart* part, uint64_t sequence)
{
    for (int i = 0; i < pal_rowSetsMax; i++)
        if (part->sets[i].sequence == sequence && sequence != 0)
            return &part->sets[i];
    return NULL;
}

void palSlowPart_Push(const palSlowPart* part, const palRowSet* set, const double* lambda,
                      double* p)
{
    int m = part->modes.count;
    memset(p, 0, (size_t)m * sizeof *p);
    for (int r = 0; r < set->count; r++)
    {
        double force = lambda[set->row[r]];
        if (force == 0.0)
            continue;
        const double* B = set->B[r];
        for (int i = 0; i < m; i++)
            p[i] += force * B[i];
    }
}

void palSlowPart_Advance(const palSlowPart* part, const palLinkForces* forces, palModesState* state)
{
    double p[pal_modesMax];
    const palRowSet* set = forces != NULL ? palSlowPart_Set(part, forces->sequence) : NULL;
    if (set != NULL)
        palSlowPart_Push(part, set, forces->lambda, p);
    palModes_Advance(&part->modes, set != NULL ? p : NULL, state);
}

void palSlowMotion_Begin(palSlowMotion* motion, const palSlowSnapshot* snapshot, uint64_t sequence,
                         double time)
{
    if (sequence != motion->sequence)
    {
        motion->sequence = sequence;
        for (int i = 0; i < snapshot->partCount; i++)
            palModes_Start(&snapshot->parts[i].modes, &motion->state[i]);
        uint64_t oldest = motion->ticks > pal_linkHistory ? motion->ticks - pal_linkHistory : 0;
        for (uint64_t k = oldest; k < motion->ticks; k++)
        {
            const palLinkForces* forces = &motion->history[k % pal_linkHistory];
            for (int i = 0; i < snapshot->partCount && forces->time > time + 1e-9; i++)
                palSlowPart_Advance(&snapshot->parts[i], forces, &motion->state[i]);
        }
    }
    for (int i = 0; i < snapshot->partCount; i++)
    {
        const palModes* modes = &snapshot->parts[i].modes;
        memcpy(motion->free[i].q, motion->state[i].q, (size_t)modes->count * sizeof(double));
        memcpy(motion->free[i].v, motion->state[i].v, (size_t)modes->count * sizeof(double));
        palModes_Advance(modes, NULL, &motion->free[i]);
    }
}

void palSlowMotion_End(palSlowMotion* motion, const palSlowSnapshot* snapshot,
                       const palLinkForces* forces)
{
    for (int i = 0; i < snapshot->partCount; i++)
    {
        const palSlowPart* part = &snapshot->parts[i];
        palModesState* state = &motion->state[i];
        double p[pal_modesMax];
        palSlowPart_Push(part, &part->sets[0], forces->lambda, p);
        memcpy(state->q, motion->free[i].q, (size_t)part->modes.count * sizeof(double));
        memcpy(state->v, motion->free[i].v, (size_t)part->modes.count * sizeof(double));
        palModes_Correct(&part->modes, p, state);
    }
    palLinkForces* kept = &motion->history[motion->ticks++ % pal_linkHistory];
    kept->time = forces->time;
    kept->sequence = forces->sequence;
    kept->count = forces->count;
    memcpy(kept->lambda, forces->lambda, (size_t)forces->count * sizeof(double));
}

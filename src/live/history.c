// SPDX-License-Identifier: Apache-2.0
#include "live/history.h"

#include "base/error.h"

#include <stdlib.h>

enum
{
    capacityMax = 1 << 17,
};

palResult palHistory_Init(palHistory* history, double seconds, double dt, palError* error)
{
    uint32_t stream = history->stream;
    unsigned capacity = 1;
    while (capacity < capacityMax && (double)capacity < seconds / dt)
        capacity *= 2;
    *history = (palHistory){.capacity = capacity, .stream = stream + 1};
    history->samples = calloc(capacity, sizeof *history->samples);
    if (history->samples == NULL)
        return palError_Memory(error, "the history", capacity * sizeof *history->samples);
    return pal_ok;
}

void palHistory_Free(palHistory* history)
{
    free(history->samples);
    *history = (palHistory){.stream = history->stream};
}

void palHistory_Clear(palHistory* history)
{
    history->count = 0;
    history->stream++;
}

void palHistory_Put(palHistory* history, const palTickRecord* record, double energy)
{
    const palHandRecord* hand = &record->hands[0];
    palTickSample* sample = &history->samples[history->count++ % history->capacity];
    *sample = (palTickSample){
        .t = record->t,
        .values = {(float)hand->force.x, (float)hand->force.y, (float)hand->force.z,
                   (float)palLength(hand->out), (float)hand->active, (float)record->contactCount,
                   (float)hand->iterations, (float)record->stepUs, (float)record->snapshotAgeMs,
                   (float)energy, hand->held, (float)hand->handEnergy},
    };
}

int palHistory_Unseen(const palHistory* history, const palHistoryCursor* cursor, int countMax,
                      uint64_t* from, bool* restart)
{
    *restart = cursor->stream != history->stream;
    uint64_t oldest = history->count > history->capacity ? history->count - history->capacity : 0;
    uint64_t next = *restart ? 0 : cursor->next;
    *from = next > oldest ? next : oldest;
    uint64_t unseen = history->count - *from;
    if (unseen > (uint64_t)countMax)
        *from = history->count - (uint64_t)countMax;
    return (int)(history->count - *from);
}

const palTickSample* palHistory_At(const palHistory* history, uint64_t index)
{
    return &history->samples[index % history->capacity];
}

// SPDX-License-Identifier: Apache-2.0
#include "live/history.h"

#include "base/error.h"

#include <stdlib.h>

enum
{
    capacityMax = 1 << 17,
};

palResult palHistory_Init(palHistory* history, double seconds, double dt, int handCount,
                          palError* error)
{
    uint32_t stream = history->stream;
    unsigned capacity = 1;
    while (capacity < capacityMax && (double)capacity < seconds / dt)
        capacity *= 2;
    size_t count = (size_t)capacity * (size_t)handCount;
    *history = (palHistory){.capacity = capacity, .handCount = handCount, .stream = stream + 1};
    history->samples = calloc(count, sizeof *history->samples);
    if (history->samples == NULL)
        return palError_Memory(error, "the history", count * sizeof *history->samples);
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

static palTickSample* sampleAt(const palHistory* history, uint64_t index, int hand)
{
    return &history->samples[(index % history->capacity) * (uint64_t)history->handCount +
                             (uint64_t)hand];
}

void palHistory_Put(palHistory* history, const palTickRecord* record, const double* energy)
{
    for (int i = 0; i < history->handCount; i++)
    {
        const palHandRecord* hand = &record->hands[i];
        palTickSample* sample = sampleAt(history, history->count, i);
        *sample = (palTickSample){.t = record->t};
        if (i >= record->handCount)
            continue;
        *sample = (palTickSample){
            .t = record->t,
            .values = {(float)hand->force.x, (float)hand->force.y, (float)hand->force.z,
                       (float)palLength(hand->out), (float)hand->active,
                       (float)record->contactCount, (float)hand->iterations, (float)record->stepUs,
                       (float)record->snapshotAgeMs, (float)energy[i], hand->held,
                       (float)hand->handEnergy},
        };
    }
    history->count++;
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

const palTickSample* palHistory_At(const palHistory* history, uint64_t index, int hand)
{
    return sampleAt(history, index, hand);
}

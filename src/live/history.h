// SPDX-License-Identifier: Apache-2.0
// The last seconds of a run at full rate, for plots: a ring buffer of fixed size.
//
// Each reader has its own cursor. A slow reader gets the samples that are still in the ring; the
// cost is bounded by the size of the ring, independent of the number of missed steps.
#ifndef PAL_LIVE_HISTORY_H
#define PAL_LIVE_HISTORY_H

#include "runtime/record.h"

enum
{
    pal_historyColumns = 12, // of a sample, see palTickSample
};

/// The data of one hand in one high-rate step for the plots.
typedef struct palTickSample
{
    double t; // s
    // of the hand: force x, y, z before the safety layer (N), |force| after it (N), active rows,
    // contacts, iterations, step time (µs), snapshot age (ms), work of the force on the device (J),
    // held (0 or 1), energy received by the hand (J; NaN: the device cannot tell)
    float values[pal_historyColumns];
} palTickSample;

typedef struct palHistory
{
    palTickSample* samples; // owned, [capacity][handCount]
    int handCount;
    unsigned capacity; // steps, a power of two
    uint64_t count;    // steps added since the last clear; the ring contains the last ones
    uint32_t stream;   // changes when the history is cleared
} palHistory;

/// The position of a reader.
typedef struct palHistoryCursor
{
    uint32_t stream;
    uint64_t next;
    int hand; // whose samples it reads; after a change it restarts
} palHistoryCursor;

/// Allocates room for `seconds` at a step of `dt`, at most 2^17 steps, of so many hands.
palResult palHistory_Init(palHistory* history, double seconds, double dt, int handCount,
                          palError* error);
void palHistory_Free(palHistory* history);

/// Clears the history: every reader restarts.
void palHistory_Clear(palHistory* history);
/// `energy` by hand. Hands that the record does not have are zero.
void palHistory_Put(palHistory* history, const palTickRecord* record, const double* energy);

/// The number of steps after the cursor that are still in the ring, at most `countMax`; *from is
/// the index of the first. Does not move the cursor. *restart: the reader's data are of another
/// stream.
int palHistory_Unseen(const palHistory* history, const palHistoryCursor* cursor, int countMax,
                      uint64_t* from, bool* restart);
const palTickSample* palHistory_At(const palHistory* history, uint64_t index, int hand);

#endif

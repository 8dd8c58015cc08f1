// SPDX-License-Identifier: Apache-2.0
// The last seconds of a run at full rate, for plots: a ring that forgets, never a queue that grows.
//
// Readers keep a cursor each. One that comes back late gets what the ring still holds, however many
// steps it missed; what it costs is bounded by the ring, not by how slow the reader is.
#ifndef PAL_LIVE_HISTORY_H
#define PAL_LIVE_HISTORY_H

#include "runtime/record.h"

enum
{
    pal_historyColumns = 11, // of a sample, see palTickSample
};

/// What the plots show of one high-rate step.
typedef struct palTickSample
{
    double t; // s
    // force x, y, z before the safety layer (N), |force| after it (N), active rows,
    // contacts, iterations, step time (µs), snapshot age (ms), energy given to the hand (J), held
    // (0 or 1)
    float values[pal_historyColumns];
} palTickSample;

typedef struct palHistory
{
    palTickSample* samples; // owned, [capacity]
    unsigned capacity;      // a power of two
    uint64_t count;         // samples ever put since the last clearing; the ring holds the last
    uint32_t stream;        // changes when the samples begin anew
} palHistory;

/// Where a reader is.
typedef struct palHistoryCursor
{
    uint32_t stream;
    uint64_t next;
} palHistoryCursor;

/// Room for `seconds` at a step of `dt`, and at most 2^17 samples.
palResult palHistory_Init(palHistory* history, double seconds, double dt, palError* error);
void palHistory_Free(palHistory* history);

/// Begins anew: every reader starts over.
void palHistory_Clear(palHistory* history);
void palHistory_Put(palHistory* history, const palTickRecord* record, double energy);

/// How many samples the cursor has not seen and the ring still holds, at most `most`; *from is the
/// index of the first. Does not move the cursor. *restart: what the reader has is of another
/// stream.
int palHistory_Unseen(const palHistory* history, const palHistoryCursor* cursor, int most,
                      uint64_t* from, bool* restart);
const palTickSample* palHistory_At(const palHistory* history, uint64_t index);

#endif

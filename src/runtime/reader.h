// SPDX-License-Identifier: Apache-2.0
// Readers: what a run shows to other threads, whatever their rate, without holding it up.
//
// A reader has triple buffers of its own with every loop. After each step the slower loops leave a
// drawing and the contacts that only they have, and the high rate leaves its record and contacts;
// the reader finds the newest of each, whole and of one step, and may keep it as long as it likes.
// A loop copies a bounded amount for each reader that is open, outside the time that it measures,
// and never allocates or waits.
//
// Readers are opened and closed at any time, from any thread but a loop's: memory is allocated
// there. A reader that is being closed is left alone by every loop that has not begun to fill it,
// and the closing thread waits for one that has.
#ifndef PAL_RUNTIME_READER_H
#define PAL_RUNTIME_READER_H

#include "runtime/drawing.h"
#include "runtime/record.h"
#include "runtime/triple_buffer.h"

enum
{
    pal_readersMax = 8, // open at once
};

/// What a high-rate step left.
typedef struct palTickReading
{
    palTickRecord record; // with the contacts of this step; those of the low rate alone are below
    uint64_t steps;       // so far
    uint64_t deadlineMisses;   // so far
    uint64_t unconverged;      // steps so far whose solver did not reach its tolerance
    double longestUs;          // the longest step so far, µs
    palContactForce* contacts; // owned: of the record
} palTickReading;

/// What a step of a slower loop left.
typedef struct palLowReading
{
    palDrawing drawing;       // of this loop's surfaces alone
    palLowRecord record;      // its times
    palContactReport resting; // contacts that this loop alone has, until its next step; owned
    uint64_t steps;           // so far
    uint64_t deadlineMisses;  // so far, but for this step
} palLowReading;

/// One loop's side of a reader.
typedef struct palReaderLoop
{
    palTripleBuffer buffer;
    palLowReading readings[3];
    palDrawingWork work; // of the stress; empty where the reader does not show it
} palReaderLoop;

typedef enum palReaderState
{
    pal_readerFree,
    pal_readerOpening, // memory is being allocated
    pal_readerOpen,    // the loops fill it
    pal_readerClosing, // no loop begins to fill it
} palReaderState;

typedef struct palReader
{
    _Atomic int state; // palReaderState
    int loopCount;
    palReaderLoop loops[pal_loopsMax];
    palTripleBuffer tickBuffer;
    palTickReading ticks[3];
    bool hasDrawing, hasTick;   // the reader's own: a step was seen
    _Atomic bool isStressShown; // a wish, from anyone
} palReader;

/// The readers of an engine.
typedef struct palReaders
{
    palReader readers[pal_readersMax];
    _Atomic int openCount; // a hint: 0 where no loop has anything to do
    // Odd while that loop fills readers: the slower loops, and last the high rate.
    _Atomic uint32_t turns[pal_loopsMax + 1];
    palDrawing first; // owned: as everything was at the start, after which readers are made
    int contactCapacity, restingCapacity;
    uint64_t unconverged; // the high rate's
    double longestUs;
} palReaders;

struct palEngine;

/// Of an engine whose method and loops stand. Part of palEngine_Create.
palResult palReaders_Init(palReaders* readers, const struct palEngine* engine, palError* error);
void palReaders_Free(palReaders* readers);

/// A slower loop, after its step; the high rate, after its tick. No allocation, no waiting.
void palReaders_FillLow(struct palEngine* engine, int loop, const palLowStep* step);
void palReaders_FillTick(struct palEngine* engine, const palTickRecord* record);

/// Opens a reader; with `withStress` it can show the stress of soft bodies. Any thread but a
/// loop's. Fails where pal_readersMax are open.
palResult palEngine_OpenReader(struct palEngine* engine, bool withStress, palReader** reader,
                               palError* error);
/// Closes it; what it returned is gone. NULL is allowed.
void palEngine_CloseReader(struct palEngine* engine, palReader* reader);

// One thread at a time for each reader. What they return stays until the next call of the same
// function.

/// The newest high-rate step, or NULL where there was none since the reader was opened. *isNew says
/// whether it was not seen before.
const palTickReading* palReader_Tick(palReader* reader, bool* isNew);
/// The newest step of the first slower loop, with the surfaces that the others have moved;
/// likewise.
const palDrawing* palReader_Drawing(palReader* reader, bool* isNew);
/// Of each loop, what the last palReader_Drawing found; NULL: nothing yet.
const palLowReading* palReader_Low(const palReader* reader, int loop);

/// Whether drawings carry the stress, which costs the low rate about a millisecond a step. Any
/// thread. Without effect on readers that cannot show it.
void palReader_ShowStress(palReader* reader, bool wanted);
/// Adds the stress to a drawing of the bodies as they are, a bounded part of it each time. Not
/// while a run lasts.
void palReader_AddStress(palReader* reader, const palHands* hands, palDrawing* drawing);

#endif

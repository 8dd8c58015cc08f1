// SPDX-License-Identifier: Apache-2.0
#include "runtime/reader.h"

#include "base/clock.h"
#include "base/error.h"
#include "runtime/engine.h"

#include <stdlib.h>
#include <string.h>

static const int64_t closingPoll = 50000; // ns between looks whether a loop has left a reader

//--------------------------------------------------------------------------------------------------
// Memory

palResult palReaders_Init(palReaders* readers, const palEngine* engine, palError* error)
{
    readers->contactCapacity = engine->contacts.capacity;
    readers->restingCapacity = engine->loops[0].snapshots[0].resting.capacity;
    return palDrawing_Init(&readers->first, &engine->methods, error);
}

static void freeMemory(palReader* reader)
{
    for (int loop = 0; loop < pal_loopsMax; loop++)
    {
        for (int i = 0; i < 3; i++)
        {
            palDrawing_Free(&reader->loops[loop].readings[i].drawing);
            free(reader->loops[loop].readings[i].resting.items);
        }
        palDrawingWork_Free(&reader->loops[loop].work);
        memset(&reader->loops[loop], 0, sizeof reader->loops[loop]);
    }
    for (int i = 0; i < 3; i++)
        free(reader->ticks[i].contacts);
    memset(reader->ticks, 0, sizeof reader->ticks);
}

void palReaders_Free(palReaders* readers)
{
    for (int i = 0; i < pal_readersMax; i++)
        freeMemory(&readers->readers[i]);
    palDrawing_Free(&readers->first);
}

static palResult allocateContacts(palContactForce** items, int capacity, palError* error)
{
    size_t size = ((size_t)capacity + 1) * sizeof **items;
    *items = malloc(size);
    return *items != NULL ? pal_ok : palError_Memory(error, "the contacts of a reader", size);
}

static palResult allocateLoop(palReaderLoop* side, const palEngine* engine, bool withStress,
                              palError* error)
{
    const palReaders* readers = &engine->readers;
    palResult result = pal_ok;
    palTripleBuffer_Init(&side->buffer);
    for (int i = 0; i < 3 && result == pal_ok; i++)
    {
        palLowReading* reading = &side->readings[i];
        result = palDrawing_InitAs(&reading->drawing, &readers->first, error);
        reading->resting.capacity = readers->restingCapacity;
        if (result == pal_ok)
            result = allocateContacts(&reading->resting.items, reading->resting.capacity, error);
    }
    if (result == pal_ok && withStress)
        result = palDrawingWork_Init(&side->work, &engine->methods, error);
    return result;
}

static palResult allocate(palReader* reader, const palEngine* engine, bool withStress,
                          palError* error)
{
    palResult result = pal_ok;
    reader->loopCount = engine->loopCount;
    reader->hasDrawing = reader->hasTick = false;
    atomic_store_explicit(&reader->isStressShown, false, memory_order_relaxed);
    palTripleBuffer_Init(&reader->tickBuffer);
    for (int i = 0; i < 3 && result == pal_ok; i++)
        result =
            allocateContacts(&reader->ticks[i].contacts, engine->readers.contactCapacity, error);
    for (int loop = 0; loop < engine->loopCount && result == pal_ok; loop++)
        result = allocateLoop(&reader->loops[loop], engine, withStress, error);
    return result;
}

//--------------------------------------------------------------------------------------------------
// Opening and closing
//
// A loop makes its turn odd and then looks at the state of a reader; the closing thread sets the
// state and then looks at the turns. In the one order of these sequentially consistent operations
// either the loop sees that the reader is being closed, or the closing thread sees the odd turn.

static palReader* claimSlot(palReaders* readers)
{
    for (int i = 0; i < pal_readersMax; i++)
    {
        int expected = pal_readerFree;
        if (atomic_compare_exchange_strong(&readers->readers[i].state, &expected,
                                           pal_readerOpening))
            return &readers->readers[i];
    }
    return NULL;
}

palResult palEngine_OpenReader(palEngine* engine, bool withStress, palReader** reader,
                               palError* error)
{
    *reader = claimSlot(&engine->readers);
    if (*reader == NULL)
    {
        palError_Set(error, pal_errorInput, "%d readers are open already", pal_readersMax);
        return palError_Remedy(error, "close one that is no longer used");
    }
    palResult result = allocate(*reader, engine, withStress, error);
    if (result == pal_ok)
    {
        atomic_fetch_add(&engine->readers.openCount, 1);
        // Release, among others: a loop that sees it open finds its memory.
        atomic_store(&(*reader)->state, pal_readerOpen);
        return pal_ok;
    }
    freeMemory(*reader);
    atomic_store(&(*reader)->state, pal_readerFree);
    *reader = NULL;
    return result;
}

void palEngine_CloseReader(palEngine* engine, palReader* reader)
{
    palReaders* readers = &engine->readers;
    if (reader == NULL)
        return;
    atomic_store(&reader->state, pal_readerClosing);
    for (int i = 0; i <= pal_loopsMax; i++)
    {
        uint32_t turn = atomic_load(&readers->turns[i]);
        while (turn % 2 == 1 && atomic_load(&readers->turns[i]) == turn)
            palClock_SleepUntil(palClock_Now() + closingPoll);
    }
    freeMemory(reader);
    atomic_fetch_sub(&readers->openCount, 1);
    atomic_store(&reader->state, pal_readerFree);
}

//--------------------------------------------------------------------------------------------------
// The loops

// Whether there may be readers to fill; then until endTurn none that is open is freed.
static bool beginTurn(palReaders* readers, int loop)
{
    // Relaxed: one that was opened just now is filled at the next step.
    if (atomic_load_explicit(&readers->openCount, memory_order_relaxed) == 0)
        return false;
    atomic_fetch_add(&readers->turns[loop], 1);
    return true;
}

static void endTurn(palReaders* readers, int loop)
{
    // Release: what was written is complete for the thread that frees it.
    atomic_fetch_add_explicit(&readers->turns[loop], 1, memory_order_release);
}

static bool isOpen(const palReader* reader)
{
    return atomic_load(&reader->state) == pal_readerOpen;
}

static void copyContacts(palContactReport* to, const palContactReport* from)
{
    to->count = from->count < to->capacity ? from->count : to->capacity;
    to->dropped = from->dropped + from->count - to->count;
    memcpy(to->items, from->items, (size_t)to->count * sizeof *to->items);
}

void palReaders_FillLow(palEngine* engine, int loop, const palLowStep* step)
{
    palReaders* readers = &engine->readers;
    const palEngineLoop* of = &engine->loops[loop];
    if (!beginTurn(readers, loop))
        return;
    for (int i = 0; i < pal_readersMax; i++)
    {
        palReader* reader = &readers->readers[i];
        palReaderLoop* side = &reader->loops[loop];
        if (!isOpen(reader))
            continue;
        palLowReading* reading = &side->readings[palTripleBuffer_Back(&side->buffer)];
        palDrawing_Fill(&reading->drawing, &engine->methods, step->snapshot, step->state);
        if (side->work.stresses != NULL)
            palDrawing_FillStress(
                &reading->drawing, &side->work, &engine->methods,
                atomic_load_explicit(&reader->isStressShown, memory_order_relaxed));
        copyContacts(&reading->resting, &step->snapshot->resting);
        reading->record = of->record;
        reading->steps = of->statistics.steps;
        reading->deadlineMisses = of->statistics.deadlineMisses;
        palTripleBuffer_Publish(&side->buffer);
    }
    endTurn(readers, loop);
}

void palReaders_FillTick(palEngine* engine, const palTickRecord* record)
{
    palReaders* readers = &engine->readers;
    bool isConverged = true;
    for (int i = 0; i < record->handCount; i++)
        isConverged = isConverged && record->hands[i].converged;
    readers->unconverged += !isConverged;
    readers->longestUs = fmax(readers->longestUs, record->stepUs);
    if (!beginTurn(readers, pal_loopsMax))
        return;
    int contacts = record->contactCount - engine->restingCount;
    for (int i = 0; i < pal_readersMax; i++)
    {
        palReader* reader = &readers->readers[i];
        if (!isOpen(reader))
            continue;
        palTickReading* reading = &reader->ticks[palTripleBuffer_Back(&reader->tickBuffer)];
        memcpy(&reading->record, record, palTickRecord_Size(record->handCount));
        reading->record.contacts = reading->contacts;
        reading->record.contactCount = contacts;
        memcpy(reading->contacts, record->contacts + engine->restingCount,
               (size_t)contacts * sizeof *reading->contacts);
        reading->steps = engine->highStatistics.steps;
        reading->deadlineMisses =
            atomic_load_explicit(&engine->highStatistics.deadlineMisses, memory_order_relaxed);
        reading->unconverged = readers->unconverged;
        reading->longestUs = readers->longestUs;
        palTripleBuffer_Publish(&reader->tickBuffer);
    }
    endTurn(readers, pal_loopsMax);
}

//--------------------------------------------------------------------------------------------------
// Reading

const palTickReading* palReader_Tick(palReader* reader, bool* isNew)
{
    palTickReading* newest = &reader->ticks[palTripleBuffer_Newest(&reader->tickBuffer, isNew)];
    reader->hasTick = reader->hasTick || *isNew;
    return reader->hasTick ? newest : NULL;
}

static palLowReading* newestOf(palReaderLoop* side, bool* isNew)
{
    return &side->readings[palTripleBuffer_Newest(&side->buffer, isNew)];
}

const palDrawing* palReader_Drawing(palReader* reader, bool* isNew)
{
    palDrawing* drawing = &newestOf(&reader->loops[0], isNew)->drawing;
    reader->hasDrawing = reader->hasDrawing || *isNew;
    bool isOtherNew;
    for (int loop = 1; loop < reader->loopCount && *isNew; loop++)
        palDrawing_Take(drawing, &newestOf(&reader->loops[loop], &isOtherNew)->drawing);
    return reader->hasDrawing ? drawing : NULL;
}

const palLowReading* palReader_Low(const palReader* reader, int loop)
{
    const palLowReading* reading = &reader->loops[loop].readings[reader->loops[loop].buffer.front];
    return reading->steps > 0 ? reading : NULL;
}

void palReader_ShowStress(palReader* reader, bool wanted)
{
    // A wish: nothing else is ordered by it.
    atomic_store_explicit(&reader->isStressShown, wanted, memory_order_relaxed);
}

void palReader_AddStress(palReader* reader, const palHands* hands, palDrawing* drawing)
{
    palDrawing_FillStress(drawing, &reader->loops[0].work, hands, true);
}

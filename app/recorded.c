// SPDX-License-Identifier: Apache-2.0
#include "recorded.h"

#include "base/error.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The columns of haptic.csv up to `active`, in their order.
static bool parseStep(const char* line, palRecordedStep* step)
{
    return sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%*f,%*f,%*f,%*d,%d", &step->t,
                  &step->device.x, &step->device.y, &step->device.z, &step->proxy.x, &step->proxy.y,
                  &step->proxy.z, &step->force.x, &step->force.y, &step->force.z,
                  &step->active) == 11;
}

static bool parseLow(const char* line, palRecordedLow* low)
{
    double collide, compliance, solve;
    if (sscanf(line, "%lf,%lf,%*f,%lf,%lf,%lf", &low->t, &low->step, &collide, &compliance,
               &solve) != 5)
        return false;
    low->solve = collide + compliance + solve;
    return true;
}

// Makes room for one more element.
static bool makeRoom(void** items, int count, int* capacity, size_t size)
{
    if (count < *capacity)
        return true;
    *capacity = *capacity > 0 ? 2 * *capacity : 4096;
    void* grown = realloc(*items, (size_t)*capacity * size);
    if (grown == NULL)
        return false;
    *items = grown;
    return true;
}

static bool addStep(palRecorded* recorded, int* capacity, const char* line)
{
    palRecordedStep step;
    if (!parseStep(line, &step)) // the header line
        return true;
    if (!makeRoom((void**)&recorded->steps, recorded->count, capacity, sizeof step))
        return false;
    recorded->steps[recorded->count++] = step;
    return true;
}

static bool addLow(palRecorded* recorded, int* capacity, const char* line)
{
    palRecordedLow low;
    if (!parseLow(line, &low))
        return true;
    if (!makeRoom((void**)&recorded->lows, recorded->lowCount, capacity, sizeof low))
        return false;
    recorded->lows[recorded->lowCount++] = low;
    return true;
}

// Calls `add` for every line of a file of the recording.
static palResult readLines(palRecorded* recorded, const char* directory, const char* name,
                           bool (*add)(palRecorded*, int*, const char*), palError* error)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE* file = fopen(path, "r");
    if (file == NULL)
        return palCannotRead(path, error);
    char line[1024];
    int capacity = 0;
    bool allocated = true;
    while (allocated && fgets(line, sizeof line, file) != NULL)
        allocated = add(recorded, &capacity, line);
    fclose(file);
    return allocated ? pal_ok : palError_Memory(error, "a recording", (size_t)capacity);
}

palResult palRecorded_Load(palRecorded* recorded, const char* directory, palError* error)
{
    *recorded = (palRecorded){0};
    palResult result = readLines(recorded, directory, "haptic.csv", addStep, error);
    if (result == pal_ok)
        result = readLines(recorded, directory, "low.csv", addLow, error);
    if (result == pal_ok && recorded->count == 0)
    {
        palError_Set(error, pal_errorFile, "the recording contains no steps");
        palError_Remedy(error, "run the scene for at least one step");
        result = palError_At(error, directory, 0, 0);
    }
    if (result != pal_ok)
        palRecorded_Free(recorded);
    return result;
}

void palRecorded_Free(palRecorded* recorded)
{
    free(recorded->steps);
    free(recorded->lows);
    *recorded = (palRecorded){0};
}

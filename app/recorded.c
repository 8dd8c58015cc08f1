// SPDX-License-Identifier: Apache-2.0
#include "recorded.h"

#include "base/error.h"

#include <errno.h>
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

static bool append(palRecorded* recorded, int* capacity, const palRecordedStep* step)
{
    if (recorded->count == *capacity)
    {
        *capacity = *capacity > 0 ? 2 * *capacity : 4096;
        palRecordedStep* grown =
            realloc(recorded->steps, (size_t)*capacity * sizeof *recorded->steps);
        if (grown == NULL)
            return false;
        recorded->steps = grown;
    }
    recorded->steps[recorded->count++] = *step;
    return true;
}

palResult palRecorded_Load(palRecorded* recorded, const char* directory, palError* error)
{
    *recorded = (palRecorded){0};
    char path[600];
    snprintf(path, sizeof path, "%s/haptic.csv", directory);
    FILE* file = fopen(path, "r");
    if (file == NULL)
    {
        palError_Set(error, pal_errorFile, "the recording cannot be read: %s", strerror(errno));
        return palError_At(error, path, 0, 0);
    }
    char line[1024];
    int capacity = 0;
    bool enough = true;
    while (enough && fgets(line, sizeof line, file) != NULL)
    {
        palRecordedStep step;
        if (parseStep(line, &step)) // the header is no step
            enough = append(recorded, &capacity, &step);
    }
    fclose(file);
    if (enough && recorded->count > 0)
        return pal_ok;
    palRecorded_Free(recorded);
    if (!enough)
        return palError_Memory(error, "a recording", (size_t)capacity * sizeof(palRecordedStep));
    palError_Set(error, pal_errorFile, "the recording holds no steps");
    return palError_At(error, path, 0, 0);
}

void palRecorded_Free(palRecorded* recorded)
{
    free(recorded->steps);
    *recorded = (palRecorded){0};
}

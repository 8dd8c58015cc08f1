// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char hapticHeader[] =
    "t,dev_x,dev_y,dev_z,proxy_x,proxy_y,proxy_z,force_x,force_y,force_z,torque_x,torque_y,torque_z,"
    "constraints,active,iterations,residual,step_us,snapshot_age_ms,out_x,out_y,out_z,held,converged\n";
static const char lowHeader[] = "t,step_ms,free_ms,collide_ms,compliance_ms,solve_ms,contacts,"
                                "constraints,iterations,residual\n";

static palResult cannotWrite(palRecording* recording, const char* path, palError* error)
{
    palError_Set(error, pal_errorFile, "cannot write: %s", strerror(errno));
    palError_At(error, path, 0, 0);
    palError_Remedy(error, "choose another directory with --out, or make room");
    if (recording->haptic != NULL)
        fclose(recording->haptic);
    if (recording->low != NULL)
        fclose(recording->low);
    *recording = (palRecording){0};
    return pal_errorFile;
}

// mkdir -p
static bool makeDirectories(const char* path)
{
    char partial[512];
    snprintf(partial, sizeof partial, "%s", path);
    for (char* c = partial + 1; *c != '\0'; c++)
    {
        if (*c != '/')
            continue;
        *c = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return false;
        *c = '/';
    }
    return mkdir(partial, 0777) == 0 || errno == EEXIST;
}

palResult palRecording_Open(palRecording* recording, const char* directory, palError* error)
{
    *recording = (palRecording){0};
    char path[600];
    if (strlen(directory) >= sizeof recording->directory)
        return palError_Set(error, pal_errorInput, "the path of the output directory is too long");
    snprintf(recording->directory, sizeof recording->directory, "%s", directory);
    if (!makeDirectories(directory))
        return cannotWrite(recording, directory, error);
    snprintf(path, sizeof path, "%s/haptic.csv", directory);
    recording->haptic = fopen(path, "w");
    if (recording->haptic == NULL || fputs(hapticHeader, recording->haptic) == EOF)
        return cannotWrite(recording, path, error);
    snprintf(path, sizeof path, "%s/low.csv", directory);
    recording->low = fopen(path, "w");
    if (recording->low == NULL || fputs(lowHeader, recording->low) == EOF)
        return cannotWrite(recording, path, error);
    return pal_ok;
}

// The shorter of the two forms that read back exactly, so that a recording can be replayed bit for
// bit.
static void putNumber(FILE* file, double value, char end)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    fprintf(file, "%s%c", text, end);
}

static void putVec3(FILE* file, palVec3 value)
{
    putNumber(file, value.x, ',');
    putNumber(file, value.y, ',');
    putNumber(file, value.z, ',');
}

void palRecording_Tick(palRecording* recording, const palTickRecord* record)
{
    FILE* file = recording->haptic;
    putNumber(file, record->t, ',');
    putVec3(file, record->device);
    putVec3(file, record->proxy);
    putVec3(file, record->force);
    putVec3(file, record->torque);
    fprintf(file, "%d,%d,%d,", record->constraints, record->active, record->iterations);
    putNumber(file, record->residual, ',');
    fprintf(file, "%.3f,%.6g,", record->stepUs, record->snapshotAgeMs);
    putVec3(file, record->out);
    fprintf(file, "%d,%d\n", record->held, record->converged);
}

void palRecording_Low(palRecording* recording, const palLowRecord* record)
{
    FILE* file = recording->low;
    putNumber(file, record->t, ',');
    fprintf(file, "%.6f,%.6f,%.6f,%.6f,%.6f,", record->stepMs, record->freeMs, record->collideMs,
            record->complianceMs, record->solveMs);
    fprintf(file, "%d,%d,%d,", record->contacts, record->constraints, record->iterations);
    putNumber(file, record->residual, '\n');
}

palResult palRecording_Close(palRecording* recording, palError* error)
{
    bool written = !ferror(recording->haptic) && !ferror(recording->low);
    written = fclose(recording->haptic) == 0 && written;
    written = fclose(recording->low) == 0 && written;
    recording->haptic = recording->low = NULL;
    if (!written)
        return cannotWrite(recording, recording->directory, error);
    return pal_ok;
}

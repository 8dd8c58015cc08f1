// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording.h"

#include "base/error.h"
#include "base/file.h"
#include "base/plain_locale.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Columns of the first hand; those of others are named with a prefix, and leave out what is the
// same for all.
static const char hapticHeader[] =
    "t,dev_x,dev_y,dev_z,proxy_x,proxy_y,proxy_z,force_x,force_y,force_z,"
    "torque_x,torque_y,torque_z,constraints,active,iterations,residual,step_us,snapshot_age_ms,"
    "out_x,out_y,out_z,held,converged";
static const char turnHeader[] = ",proxy_qw,proxy_qx,proxy_qy,proxy_qz,dev_qw,dev_qx,dev_qy,dev_qz";
static const char buttonHeader[] = ",buttons";
static const char* const common[] = {"t", "step_us", "snapshot_age_ms"};
static const char lowHeader[] = "t,step_ms,free_ms,collide_ms,compliance_ms,solve_ms,contacts,"
                                "constraints,iterations,residual,loop\n";
static const char contactsHeader[] =
    "t,object,point_x,point_y,point_z,normal_x,normal_y,normal_z,gap,force_x,force_y,force_z,"
    "force_normal,force_tangential,other,hand,area\n";

static palResult cannotWrite(palRecording* recording, const char* path, palError* error)
{
    palCannotWrite(path, error);
    if (recording->haptic != NULL)
        fclose(recording->haptic);
    if (recording->low != NULL)
        fclose(recording->low);
    if (recording->contacts != NULL)
        fclose(recording->contacts);
    *recording = (palRecording){0};
    return pal_errorFile;
}

// Opens a file of the directory without touching what an earlier run left in it.
static FILE* openKept(const char* directory, const char* name, char* path, size_t size)
{
    snprintf(path, size, "%s/%s", directory, name);
    return fopen(path, "a");
}

// Empties the file and begins it. A pipe cannot be emptied and need not be.
static bool begin(FILE* file, const char* header)
{
    bool isEmpty = ftruncate(fileno(file), 0) == 0 || errno == EINVAL;
    return isEmpty && fputs(header, file) != EOF;
}

static bool isCommon(const char* name, size_t length)
{
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        if (strlen(common[i]) == length && strncmp(common[i], name, length) == 0)
            return true;
    return false;
}

// The columns of a further hand.
static void putColumns(FILE* file, int hand, const char* names)
{
    for (size_t length; *names != '\0'; names += length)
    {
        names += *names == ',';
        length = strcspn(names, ",");
        if (!isCommon(names, length))
            fprintf(file, ",hand%d_%.*s", hand, (int)length, names);
    }
}

palResult palRecording_Open(palRecording* recording, const char* directory, int hands, bool turns,
                            palError* error)
{
    *recording = (palRecording){.turns = turns};
    char path[600];
    if (strlen(directory) >= sizeof recording->directory)
    {
        errno = ENAMETOOLONG;
        return cannotWrite(recording, directory, error);
    }
    snprintf(recording->directory, sizeof recording->directory, "%s", directory);
    if (!palMakeDirectories(directory))
        return cannotWrite(recording, directory, error);
    // Both can be opened, or neither is changed.
    recording->haptic = openKept(directory, "haptic.csv", path, sizeof path);
    if (recording->haptic != NULL)
        recording->low = openKept(directory, "low.csv", path, sizeof path);
    if (recording->haptic == NULL || recording->low == NULL)
        return cannotWrite(recording, path, error);
    if (!begin(recording->haptic, hapticHeader) || !begin(recording->low, lowHeader))
        return cannotWrite(recording, directory, error);
    fputs(turns ? turnHeader : "", recording->haptic);
    fputs(buttonHeader, recording->haptic);
    for (int i = 1; i < hands; i++)
    {
        putColumns(recording->haptic, i, hapticHeader);
        putColumns(recording->haptic, i, turns ? turnHeader : "");
        putColumns(recording->haptic, i, buttonHeader);
    }
    return fputc('\n', recording->haptic) != EOF ? pal_ok
                                                 : cannotWrite(recording, directory, error);
}

palResult palRecording_OpenContacts(palRecording* recording, palError* error)
{
    char path[600];
    recording->contacts = openKept(recording->directory, "contacts.csv", path, sizeof path);
    if (recording->contacts != NULL && begin(recording->contacts, contactsHeader))
        return pal_ok;
    return cannotWrite(recording, path, error);
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

static void putTurn(FILE* file, palQuat q, char end)
{
    putNumber(file, q.w, ',');
    putNumber(file, q.x, ',');
    putNumber(file, q.y, ',');
    putNumber(file, q.z, end);
}

static void putContact(FILE* file, double t, const palContactForce* contact)
{
    double normal = -palDot(contact->force, contact->normal);
    palVec3 tangential = palMulAdd(contact->force, normal, contact->normal);
    putNumber(file, t, ',');
    fprintf(file, "%d,", contact->object);
    putVec3(file, contact->point);
    putVec3(file, contact->normal);
    putNumber(file, contact->gap, ',');
    putVec3(file, contact->force);
    putNumber(file, normal, ',');
    putNumber(file, palLength(tangential), ',');
    fprintf(file, "%d,%d,", contact->other, contact->hand);
    putNumber(file, contact->area, '\n');
}

// One hand's part of a row; with the first what is the same for all.
static void putHand(FILE* file, const palTickRecord* tick, int index, bool turns)
{
    const palHandRecord* record = &tick->hands[index];
    putVec3(file, record->device);
    putVec3(file, record->proxy);
    putVec3(file, record->force);
    putVec3(file, record->torque);
    fprintf(file, "%d,%d,%d,", record->constraints, record->active, record->iterations);
    putNumber(file, record->residual, ',');
    if (index == 0)
        fprintf(file, "%.3f,%.6g,", tick->stepUs, tick->snapshotAgeMs);
    putVec3(file, record->out);
    fprintf(file, "%d,%d,", record->held, record->converged);
    if (turns)
    {
        putTurn(file, record->proxyTurn, ',');
        putTurn(file, record->deviceTurn, ',');
    }
    fprintf(file, "%u%c", (unsigned)record->buttons, index + 1 < tick->handCount ? ',' : '\n');
}

void palRecording_Tick(palRecording* recording, const palTickRecord* record)
{
    FILE* file = recording->haptic;
    locale_t callers = palPlainLocale_Enter();
    putNumber(file, record->t, ',');
    for (int i = 0; i < record->handCount; i++)
        putHand(file, record, i, recording->turns);
    for (int i = 0; i < record->contactCount && recording->contacts != NULL; i++)
        putContact(recording->contacts, record->t, &record->contacts[i]);
    palPlainLocale_Leave(callers);
}

void palRecording_Low(palRecording* recording, const palLowRecord* record)
{
    FILE* file = recording->low;
    locale_t callers = palPlainLocale_Enter();
    putNumber(file, record->t, ',');
    fprintf(file, "%.6f,%.6f,%.6f,%.6f,%.6f,", record->stepMs, record->freeMs, record->collideMs,
            record->complianceMs, record->solveMs);
    fprintf(file, "%d,%d,%d,", record->contacts, record->constraints, record->iterations);
    putNumber(file, record->residual, ',');
    fprintf(file, "%d\n", record->loop);
    palPlainLocale_Leave(callers);
}

palResult palRecording_Close(palRecording* recording, palError* error)
{
    // What failed in the middle of the run is not known any more; most likely there was no room.
    FILE* const files[] = {recording->haptic, recording->low, recording->contacts};
    int reason = 0;
    for (int i = 0; i < 3; i++)
    {
        if (files[i] != NULL && ferror(files[i]))
            reason = ENOSPC;
        if (files[i] != NULL && fclose(files[i]) != 0)
            reason = errno;
    }
    recording->haptic = recording->low = recording->contacts = NULL;
    if (reason == 0)
        return pal_ok;
    errno = reason;
    return cannotWrite(recording, recording->directory, error);
}

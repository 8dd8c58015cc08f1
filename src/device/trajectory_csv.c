// SPDX-License-Identifier: Apache-2.0
#include "device/trajectory_csv.h"

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/plain_locale.h"

#include <stdlib.h>
#include <string.h>

enum
{
    maxFileBytes = 256 << 20, // a day of 100 Hz; keeps a wrong file from filling the memory
};

// Beyond this a time (s) or a position (m) is a wrong unit, and differences might overflow.
static const double largestValue = 1e9;

typedef enum Field
{
    fieldT,
    fieldX,
    fieldY,
    fieldZ,
    fieldQw,
    fieldQx,
    fieldQy,
    fieldQz,
    fieldCount,
} Field;

static const char* const plainNames[fieldCount] = {"t", "x", "y", "z", "qw", "qx", "qy", "qz"};
static const char* const deviceNames[fieldCount] = {"t",      "dev_x",  "dev_y",  "dev_z",
                                                    "dev_qw", "dev_qx", "dev_qy", "dev_qz"};

static bool hasPlace(const palCsv* csv, bool all)
{
    int count = 0;
    for (int field = fieldX; field <= fieldZ; field++)
        count += csv->column[field] >= 0;
    return all ? count == 3 : count > 0;
}

static palResult readHeader(palCsv* csv)
{
    if (!palCsv_NextLine(csv))
    {
        palError_Set(csv->error, pal_errorInput, "the file is empty");
        palError_Remedy(csv->error, "a trajectory has a line 't,x,y,z' and at least one row");
        palError_At(csv->error, csv->name, 1, 1);
        return pal_errorInput;
    }
    palResult result = palCsv_FindColumns(csv, plainNames, fieldCount);
    if (result == pal_ok && !hasPlace(csv, false))
    {
        result = palCsv_FindColumns(csv, deviceNames, fieldCount);
        // Neither spelling: speak of the plain one.
        if (result == pal_ok && !hasPlace(csv, true))
            result = palCsv_FindColumns(csv, plainNames, fieldCount);
    }
    if (result != pal_ok)
        return result;
    bool turns = false;
    for (int field = fieldQw; field <= fieldQz; field++)
        turns |= csv->column[field] >= 0;
    for (int field = 0; field < (turns ? fieldCount : fieldQw); field++)
        if (csv->column[field] < 0)
            return palCsv_MissingColumn(csv, plainNames[field],
                                        "the first line must name comma-separated columns t,x,y,z "
                                        "(seconds and metres) and, all four or none, qw,qx,qy,qz");
    return pal_ok;
}

static palResult checkTime(const palCsv* csv, double before, double t)
{
    if (t > before)
        return pal_ok;
    palError_Set(csv->error, pal_errorInput, "t = %g %s", t,
                 t == before ? "is there twice" : "is before the row above");
    palError_Remedy(csv->error, "sort the rows by time and keep one of each time");
    return palCsv_At(csv, fieldT);
}

static palResult checkTurn(const palCsv* csv, palQuat q)
{
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (length > 1e-6)
        return pal_ok;
    palError_Set(csv->error, pal_errorInput, "qw,qx,qy,qz are all zero: no orientation");
    palError_Remedy(csv->error, "write 1,0,0,0 for no rotation");
    return palCsv_At(csv, -1);
}

// Room for one more row.
static palResult grow(palTrajectorySamples* samples, bool turns, palError* error)
{
    if (samples->count < samples->capacity)
        return pal_ok;
    size_t capacity = samples->capacity > 0 ? 2 * samples->capacity : 1024;
    double* t = realloc(samples->t, capacity * sizeof *t);
    if (t != NULL)
        samples->t = t;
    palVec3* x = realloc(samples->x, capacity * sizeof *x);
    if (x != NULL)
        samples->x = x;
    palQuat* q = turns ? realloc(samples->q, capacity * sizeof *q) : NULL;
    if (q != NULL)
        samples->q = q;
    if (t == NULL || x == NULL || (turns && q == NULL))
        return palError_Memory(error, "a trajectory",
                               capacity * (sizeof *t + sizeof *x + (turns ? sizeof *q : 0)));
    samples->capacity = capacity;
    return pal_ok;
}

static palResult readRows(palCsv* csv, palTrajectorySamples* samples)
{
    bool turns = csv->column[fieldQw] >= 0;
    while (palCsv_NextLine(csv))
    {
        double value[fieldCount] = {0};
        palResult result = palCsv_ReadRow(csv, value);
        palQuat q = {value[fieldQw], value[fieldQx], value[fieldQy], value[fieldQz]};
        if (result == pal_ok && samples->count > 0)
            result = checkTime(csv, samples->t[samples->count - 1], value[fieldT]);
        if (result == pal_ok && turns)
            result = checkTurn(csv, q);
        if (result == pal_ok)
            result = grow(samples, turns, csv->error);
        if (result != pal_ok)
            return result;
        samples->t[samples->count] = value[fieldT];
        samples->x[samples->count] = palMakeVec3(value[fieldX], value[fieldY], value[fieldZ]);
        if (turns)
            samples->q[samples->count] = palNormalizeQuat(q);
        samples->count++;
    }
    if (samples->count > 0)
        return pal_ok;
    palError_Set(csv->error, pal_errorInput, "there is a header but no row");
    palError_Remedy(csv->error, "add at least one row of numbers below the header");
    return palCsv_At(csv, -1);
}

palResult palTrajectorySamples_Parse(const char* text, size_t length, const char* name,
                                     palTrajectorySamples* samples, palError* error)
{
    *samples = (palTrajectorySamples){0};
    palCsv csv = palMakeCsv(text, length, name, error);
    csv.largest = largestValue;
    csv.units = "seconds and metres";
    locale_t callers = palPlainLocale_Enter();
    palResult result = readHeader(&csv);
    if (result == pal_ok)
        result = readRows(&csv, samples);
    palPlainLocale_Leave(callers);
    if (result != pal_ok)
        palTrajectorySamples_Free(samples);
    return result;
}

palResult palTrajectorySamples_Load(const char* path, palTrajectorySamples* samples,
                                    palError* error)
{
    *samples = (palTrajectorySamples){0};
    char* text;
    size_t length;
    palResult result = palReadFile(path, maxFileBytes, &text, &length, error);
    if (result == pal_ok)
        result = palTrajectorySamples_Parse(text, length, path, samples, error);
    free(text);
    return result;
}

void palTrajectorySamples_Free(palTrajectorySamples* samples)
{
    free(samples->t);
    free(samples->x);
    free(samples->q);
    *samples = (palTrajectorySamples){0};
}

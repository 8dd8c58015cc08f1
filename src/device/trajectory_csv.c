// SPDX-License-Identifier: Apache-2.0
#include "device/trajectory_csv.h"

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/plain_locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    maxFileBytes = 256 << 20, // a day of 100 Hz; keeps a wrong file from filling the memory
};

// Beyond this a position is damaged, and differences might overflow.
static const double largestValue = 1e9;
// Nanoseconds since 1970 are less.
static const double largestTime = 1e19;

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
    fieldButtons,
    fieldCount,
} Field;

static const char* const plainNames[fieldCount] = {"t",  "x",  "y",  "z",      "qw",
                                                   "qx", "qy", "qz", "buttons"};
static const char* const deviceNames[fieldCount] = {
    "t", "dev_x", "dev_y", "dev_z", "dev_qw", "dev_qx", "dev_qy", "dev_qz", "buttons"};

static bool hasPlace(const palCsv* csv, bool all)
{
    int count = 0;
    for (int field = fieldX; field <= fieldZ; field++)
        count += csv->column[field] >= 0;
    return all ? count == 3 : count > 0;
}

// The names that the caller gives the columns, cut out of `names`, which has the commas. A field
// without one gets a name that no column has.
static int splitNames(char* names, const char* given[fieldCount])
{
    int count = 0;
    for (char* rest = names; rest != NULL && count < fieldCount; count++)
    {
        char* comma = strchr(rest, ',');
        if (comma != NULL)
            *comma = '\0';
        while (*rest == ' ')
            rest++;
        char* end = rest + strlen(rest);
        while (end > rest && end[-1] == ' ')
            *--end = '\0';
        given[count] = rest;
        rest = comma != NULL ? comma + 1 : NULL;
    }
    for (int field = count; field < fieldCount; field++)
        given[field] = "\n";
    return count;
}

// The first fields, up to the positions or the orientations, that have a column.
static palResult checkColumns(const palCsv* csv, int needed, const char* remedy)
{
    for (int field = 0; field < needed; field++)
    {
        if (csv->column[field] >= 0)
            continue;
        if (csv->fields[field][0] != '\n')
            return palCsv_MissingColumn(csv, csv->fields[field], remedy);
        palError_Set(csv->error, pal_errorInput, "no column is named for %s", plainNames[field]);
        palError_Remedy(csv->error, "%s", remedy);
        return palCsv_At(csv, -1);
    }
    return pal_ok;
}

static palResult findGiven(palCsv* csv, char* columns)
{
    const char* given[fieldCount];
    int count = splitNames(columns, given);
    palResult result = palCsv_FindColumns(csv, given, fieldCount);
    int needed = count > fieldButtons ? fieldCount : count > fieldQw ? fieldButtons : fieldQw;
    return result == pal_ok ? checkColumns(csv, needed,
                                           "trajectory.columns must name columns of the first "
                                           "line for t,x,y,z, all four or none of qw,qx,qy,qz, "
                                           "and after these one for the buttons or none")
                            : result;
}

// `columns` are the names that the caller gives, which are cut up; "": the usual ones.
static palResult readHeader(palCsv* csv, char* columns)
{
    if (!palCsv_NextLine(csv))
    {
        palError_Set(csv->error, pal_errorInput, "the file is empty");
        palError_Remedy(csv->error, "a trajectory has a line 't,x,y,z' and at least one row");
        palError_At(csv->error, csv->name, 1, 1);
        return pal_errorInput;
    }
    if (columns[0] != '\0')
        return findGiven(csv, columns);
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
    for (int field = 0; field < fieldCount; field++)
        csv->fields[field] = plainNames[field];
    return checkColumns(csv, turns ? fieldButtons : fieldQw,
                        "the first line must name comma-separated columns t,x,y,z (seconds and "
                        "metres) and, all four or none, qw,qx,qy,qz; or name them in "
                        "trajectory.columns");
}

static palResult checkPlace(const palCsv* csv, const double value[fieldCount])
{
    for (int field = fieldX; field <= fieldQz; field++)
    {
        if (fabs(value[field]) <= largestValue)
            continue;
        palError_Set(csv->error, pal_errorInput, "%s: %g is out of range", csv->fields[field],
                     value[field]);
        palError_Remedy(csv->error, "remove the row, or write a number of at most %g",
                        largestValue);
        return palCsv_At(csv, field);
    }
    return pal_ok;
}

static palResult checkButtons(const palCsv* csv, double value)
{
    if (value >= 0.0 && value <= UINT32_MAX && value == floor(value))
        return pal_ok;
    palError_Set(csv->error, pal_errorInput, "%s: %g is no set of buttons",
                 csv->fields[fieldButtons], value);
    palError_Remedy(csv->error, "write a whole number with one bit for each button that is down: "
                                "0 for none, 1 for the first, 2 for the second, 3 for both");
    return palCsv_At(csv, fieldButtons);
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
static palResult grow(palTrajectorySamples* samples, bool turns, bool presses, palError* error)
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
    uint32_t* buttons = presses ? realloc(samples->buttons, capacity * sizeof *buttons) : NULL;
    if (buttons != NULL)
        samples->buttons = buttons;
    if (t == NULL || x == NULL || (turns && q == NULL) || (presses && buttons == NULL))
        return palError_Memory(error, "a trajectory",
                               capacity * (sizeof *t + sizeof *x + (turns ? sizeof *q : 0)));
    samples->capacity = capacity;
    return pal_ok;
}

static palResult readRows(palCsv* csv, palTrajectorySamples* samples)
{
    bool turns = csv->column[fieldQw] >= 0, presses = csv->column[fieldButtons] >= 0;
    while (palCsv_NextLine(csv))
    {
        double value[fieldCount] = {0};
        palResult result = palCsv_ReadRow(csv, value);
        palQuat q = {value[fieldQw], value[fieldQx], value[fieldQy], value[fieldQz]};
        if (result == pal_ok)
            result = checkPlace(csv, value);
        if (result == pal_ok && samples->count > 0)
            result = checkTime(csv, samples->t[samples->count - 1], value[fieldT]);
        if (result == pal_ok && turns)
            result = checkTurn(csv, q);
        if (result == pal_ok && presses)
            result = checkButtons(csv, value[fieldButtons]);
        if (result == pal_ok)
            result = grow(samples, turns, presses, csv->error);
        if (result != pal_ok)
            return result;
        samples->t[samples->count] = value[fieldT];
        samples->x[samples->count] = palMakeVec3(value[fieldX], value[fieldY], value[fieldZ]);
        if (turns)
            samples->q[samples->count] = palNormalizeQuat(q);
        if (presses)
            samples->buttons[samples->count] = (uint32_t)value[fieldButtons];
        samples->count++;
    }
    if (samples->count > 0)
        return pal_ok;
    palError_Set(csv->error, pal_errorInput, "there is a header but no row");
    palError_Remedy(csv->error, "add at least one row of numbers below the header");
    return palCsv_At(csv, -1);
}

palResult palTrajectorySamples_Parse(const char* text, size_t length, const char* columns,
                                     const char* name, palTrajectorySamples* samples,
                                     palError* error)
{
    *samples = (palTrajectorySamples){0};
    char names[256];
    snprintf(names, sizeof names, "%s", columns);
    palCsv csv = palMakeCsv(text, length, name, error);
    csv.largest = largestTime;
    csv.units = "a number";
    locale_t callers = palPlainLocale_Enter();
    palResult result = readHeader(&csv, names);
    if (result == pal_ok)
        result = readRows(&csv, samples);
    palPlainLocale_Leave(callers);
    if (result != pal_ok)
        palTrajectorySamples_Free(samples);
    return result;
}

palResult palTrajectorySamples_Load(const char* path, const char* columns,
                                    palTrajectorySamples* samples, palError* error)
{
    *samples = (palTrajectorySamples){0};
    char* text;
    size_t length;
    palResult result = palReadFile(path, maxFileBytes, &text, &length, error);
    if (result == pal_ok)
        result = palTrajectorySamples_Parse(text, length, columns, path, samples, error);
    free(text);
    return result;
}

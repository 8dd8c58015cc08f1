// SPDX-License-Identifier: Apache-2.0
#include "measured.h"

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/plain_locale.h"

#include <stdlib.h>

enum
{
    fieldDepth,
    fieldForce,
    fieldCount,
    maxFileBytes = 16 << 20,
};

static palResult readHeader(palCsv* csv)
{
    static const char* const names[fieldCount] = {"depth_m", "force_N"};
    if (!palCsv_NextLine(csv))
    {
        palError_Set(csv->error, pal_errorInput, "the file is empty");
        palError_Remedy(csv->error, "a measurement has a line 'depth_m,force_N' and rows below it");
        return palError_At(csv->error, csv->name, 1, 1);
    }
    palResult result = palCsv_FindColumns(csv, names, fieldCount);
    for (int field = 0; field < fieldCount && result == pal_ok; field++)
        if (csv->column[field] < 0)
            result = palCsv_MissingColumn(csv, names[field],
                                          "the first line must name the comma-separated columns "
                                          "depth_m and force_N, in metres and newtons");
    return result;
}

// Keeps the rows in the order of their depth.
static void insert(palMeasured* measured, const double row[fieldCount])
{
    int at = measured->count++;
    for (; at > 0 && measured->depth[at - 1] > row[fieldDepth]; at--)
    {
        measured->depth[at] = measured->depth[at - 1];
        measured->force[at] = measured->force[at - 1];
    }
    measured->depth[at] = row[fieldDepth];
    measured->force[at] = row[fieldForce];
}

static palResult readRow(palCsv* csv, palMeasured* measured)
{
    double row[fieldCount];
    palResult result = palCsv_ReadRow(csv, row);
    if (result != pal_ok)
        return result;
    if (row[fieldDepth] < 0.0)
    {
        palError_Set(csv->error, pal_errorInput, "depth_m: %g is above the surface",
                     row[fieldDepth]);
        palError_Remedy(csv->error, "count depths from the first touch, positive inwards, and "
                                    "remove the rows before it");
        return palCsv_At(csv, fieldDepth);
    }
    if (measured->count == pal_measuredMax)
    {
        palError_Set(csv->error, pal_errorInput, "more than %d rows", pal_measuredMax);
        palError_Remedy(csv->error, "every row is a press: keep some 10 to 50 of them");
        return palCsv_At(csv, -1);
    }
    insert(measured, row);
    return pal_ok;
}

static palResult readRows(palCsv* csv, palMeasured* measured)
{
    palResult result = readHeader(csv);
    while (result == pal_ok && palCsv_NextLine(csv))
        result = readRow(csv, measured);
    if (result != pal_ok || measured->count > 0)
        return result;
    palError_Set(csv->error, pal_errorInput, "there is a header but no row");
    palError_Remedy(csv->error, "add a row of a depth and a force for each measured point");
    return palCsv_At(csv, -1);
}

palResult palMeasured_Load(palMeasured* measured, const char* path, palError* error)
{
    *measured = (palMeasured){0};
    char* text;
    size_t length;
    palResult result = palReadFile(path, maxFileBytes, &text, &length, error);
    measured->depth = calloc(pal_measuredMax, sizeof *measured->depth);
    measured->force = calloc(pal_measuredMax, sizeof *measured->force);
    if (result == pal_ok && (measured->depth == NULL || measured->force == NULL))
        result =
            palError_Memory(error, "a measurement", 2 * pal_measuredMax * sizeof *measured->depth);
    if (result == pal_ok)
    {
        palCsv csv = palMakeCsv(text, length, path, error);
        csv.largest = 1e6;
        csv.units = "metres and newtons";
        locale_t callers = palPlainLocale_Enter();
        result = readRows(&csv, measured);
        palPlainLocale_Leave(callers);
    }
    free(text);
    if (result != pal_ok)
        palMeasured_Free(measured);
    return result;
}

void palMeasured_Free(palMeasured* measured)
{
    free(measured->depth);
    free(measured->force);
    *measured = (palMeasured){0};
}

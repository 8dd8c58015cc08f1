// SPDX-License-Identifier: Apache-2.0
#include "mesh/cursor.h"

#include "base/error.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char damaged[] = "the file is damaged: export it again";

palCursor palMakeCursor(const void* data, size_t size, const char* format, char comment,
                        palError* error)
{
    return (palCursor){
        .scan = palMakeScan(data, size, comment),
        .start = data,
        .format = format,
        .error = error,
    };
}

int palScalar_Size(palScalar type)
{
    static const int sizes[pal_scalarCount] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

palResult palCursor_Fault(const palCursor* cursor, const char* remedy, const char* format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    palError_Set(cursor->error, pal_errorInput, "%s", text);
    palError_Remedy(cursor->error, "%s", remedy);
    return palCursor_AddLocation(cursor);
}

palResult palCursor_AddLocation(const palCursor* cursor)
{
    palError* error = cursor->error;
    if (!cursor->binary)
        palError_At(error, NULL, cursor->scan.line, 0);
    else if (error != NULL)
    {
        size_t length = strlen(error->text);
        snprintf(error->text + length, sizeof error->text - length, " (at byte %td)",
                 cursor->scan.at - cursor->start);
    }
    return pal_errorInput;
}

static palResult truncatedFile(const palCursor* cursor)
{
    return palCursor_Fault(cursor, "copy or export it again",
                           "the %s file is truncated: it ends inside its data", cursor->format);
}

static palResult unexpectedWord(palCursor* cursor, const char* kind)
{
    char word[32];
    cursor->scan.at = cursor->scan.last;
    palScan_Word(&cursor->scan, word, sizeof word);
    return palCursor_Fault(cursor, damaged, "'%s' found where %s is expected", word, kind);
}

// Reads the bits of the next binary scalar. Returns false at the end of the file.
static bool takeBits(palCursor* cursor, int size, uint64_t* bits)
{
    if (cursor->scan.end - cursor->scan.at < size)
        return false;
    *bits = 0;
    for (int i = 0; i < size; i++)
    {
        int byteIndex = cursor->encoding == pal_encodingBig ? i : size - 1 - i;
        *bits = *bits << 8 | (unsigned char)cursor->scan.at[byteIndex];
    }
    cursor->scan.at += size;
    return true;
}

static double fromBits(palScalar type, uint64_t bits)
{
    union
    {
        uint32_t bits;
        float value;
    } single = {.bits = (uint32_t)bits};
    union
    {
        uint64_t bits;
        double value;
    } wide = {.bits = bits};
    switch (type)
    {
    case pal_scalarInt8:
        return (int8_t)bits;
    case pal_scalarInt16:
        return (int16_t)bits;
    case pal_scalarInt32:
        return (int32_t)bits;
    case pal_scalarInt64:
        return (double)(int64_t)bits;
    case pal_scalarFloat32:
        return single.value;
    case pal_scalarFloat64:
        return wide.value;
    default:
        return (double)bits;
    }
}

palResult palCursor_Real(palCursor* cursor, palScalar type, double* value)
{
    *value = 0.0;
    if (cursor->encoding != pal_encodingText)
    {
        uint64_t bits;
        if (!takeBits(cursor, palScalar_Size(type), &bits))
            return truncatedFile(cursor);
        *value = fromBits(type, bits);
        return pal_ok;
    }
    if (!palScan_Skip(&cursor->scan))
        return truncatedFile(cursor);
    if (!palScan_Number(&cursor->scan, value))
        return unexpectedWord(cursor, "a number");
    return pal_ok;
}

palResult palCursor_Whole(palCursor* cursor, palScalar type, int64_t* value)
{
    // Every whole number up to 2^53 is a double; no mesh has larger indices.
    const double largest = 9007199254740992.0;
    double number;
    *value = 0;
    palResult result = palCursor_Real(cursor, type, &number);
    if (result != pal_ok)
        return result;
    if (fabs(number) <= largest && number == floor(number))
    {
        *value = (int64_t)number;
        return pal_ok;
    }
    if (cursor->encoding == pal_encodingText)
        return unexpectedWord(cursor, "a whole number");
    return palCursor_Fault(cursor, damaged, "%g is not a valid index", number);
}

palResult palCursor_Int(palCursor* cursor, palScalar type, int* value)
{
    int64_t wide;
    palResult result = palCursor_Whole(cursor, type, &wide);
    *value = (int)wide;
    if (result == pal_ok && (wide < INT_MIN || wide > INT_MAX))
        return palCursor_Fault(cursor, damaged, "the number %lld is too large here",
                               (long long)wide);
    return result;
}

palResult palCursor_CheckRoom(const palCursor* cursor, double count, int numbers, int bytes)
{
    // A number in text takes at least a digit and a blank, the last one only the digit.
    double available = (double)(cursor->scan.end - cursor->scan.at);
    double needed =
        cursor->encoding == pal_encodingText ? 2.0 * numbers * count - 1.0 : (double)bytes * count;
    if (count >= 0.0 && count <= INT_MAX && needed <= available)
        return pal_ok;
    return palCursor_Fault(cursor, "the file is truncated or damaged: copy or export it again",
                           "the %s file declares %.0f entries here, more than fit into the file",
                           cursor->format, count);
}

palResult palCursor_Count(palCursor* cursor, palScalar type, int numbers, int bytes, int* count)
{
    int64_t wide;
    *count = 0;
    palResult result = palCursor_Whole(cursor, type, &wide);
    if (result == pal_ok)
        result = palCursor_CheckRoom(cursor, (double)wide, numbers, bytes);
    if (result == pal_ok)
        *count = (int)wide;
    return result;
}

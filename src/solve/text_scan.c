// SPDX-License-Identifier: Apache-2.0
#include "solve/text_scan.h"

#include "base/error.h"
#include "base/plain_locale.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

palTextScan palMakeTextScan(const char* file, const char* text, size_t length, palError* error)
{
    return (palTextScan){.file = file, .text = text, .length = length, .line = 1, .error = error};
}

palResult palTextScan_Fail(palTextScan* scan, const char* format, ...)
{
    char text[sizeof scan->error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    palError_Set(scan->error, pal_errorInput, "%s", text);
    palError_At(scan->error, scan->file, scan->line, (int)(scan->at - scan->lineStart) + 1);
    return pal_errorInput;
}

static bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

bool palTextScan_Skip(palTextScan* scan)
{
    bool comment = false;
    for (; scan->at < scan->length; scan->at++)
    {
        char c = scan->text[scan->at];
        if (c == '\n')
        {
            scan->line++;
            scan->lineStart = scan->at + 1;
            comment = false;
        }
        else if (c == '#')
            comment = true;
        else if (!comment && !isBlank(c))
            return true;
    }
    return false;
}

// The length of the word at the scan.
static size_t wordLength(const palTextScan* scan)
{
    size_t end = scan->at;
    while (end < scan->length && !isBlank(scan->text[end]) && scan->text[end] != '#')
        end++;
    return end - scan->at;
}

void palTextScan_Word(palTextScan* scan, char* word, size_t size)
{
    palTextScan_Skip(scan);
    size_t length = wordLength(scan);
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), scan->text + scan->at);
    scan->at += length;
}

bool palTextScan_Take(palTextScan* scan, const char* word)
{
    palTextScan_Skip(scan);
    size_t length = wordLength(scan);
    if (strlen(word) != length || strncmp(word, scan->text + scan->at, length) != 0)
        return false;
    scan->at += length;
    return true;
}

palResult palTextScan_Number(palTextScan* scan, const char* what, bool bound, double* number)
{
    *number = 0.0;
    if (!palTextScan_Skip(scan))
        return palTextScan_Fail(scan, "the file ends where %s is expected", what);
    size_t length = wordLength(scan);
    char word[64];
    if (length < sizeof word)
    {
        char* end;
        memcpy(word, scan->text + scan->at, length);
        word[length] = '\0';
        locale_t previous = palPlainLocale_Enter();
        *number = strtod(word, &end);
        palPlainLocale_Leave(previous);
        bool whole = end == word + length && strchr(word, 'x') == NULL && strchr(word, 'X') == NULL;
        if (whole && (isfinite(*number) || (bound && !isnan(*number))))
        {
            scan->at += length;
            return pal_ok;
        }
    }
    return palTextScan_Fail(scan, "'%.*s' is not a number; %s is expected",
                            (int)(length < 40 ? length : 40), scan->text + scan->at, what);
}

palResult palTextScan_Whole(palTextScan* scan, const char* what, int low, int high, int* number)
{
    *number = low;
    if (!palTextScan_Skip(scan))
        return palTextScan_Fail(scan, "the file ends where %s is expected", what);
    palTextScan start = *scan;
    double value;
    palResult result = palTextScan_Number(scan, what, false, &value);
    if (result != pal_ok)
        return result;
    if (value != floor(value) || value < low || value > high)
    {
        *scan = start;
        return palTextScan_Fail(scan, "%s is %g, but must be a whole number from %d to %d", what,
                                value, low, high);
    }
    *number = (int)value;
    return pal_ok;
}

palResult palTextScan_Numbers(palTextScan* scan, const char* what, size_t count, double* numbers)
{
    for (size_t i = 0; i < count; i++)
    {
        palResult result = palTextScan_Number(scan, what, false, &numbers[i]);
        if (result != pal_ok)
            return result;
    }
    return pal_ok;
}

palResult palTextScan_Expect(palTextScan* scan, const char* what, size_t count)
{
    if (scan->length - scan->at + 1 >= 2 * count)
        return pal_ok;
    palTextScan_Fail(scan, "the file is too short for the %zu numbers of %s", count, what);
    palError_Remedy(scan->error, "it may be truncated; write it again");
    return pal_errorInput;
}

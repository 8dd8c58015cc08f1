// SPDX-License-Identifier: Apache-2.0
#include "mesh/scan.h"

#include "base/plain_locale.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    longestNumber = 63, // characters; a double needs 24
};

palScan palMakeScan(const void* text, size_t size, char comment)
{
    const char* start = text;
    return (palScan){
        .at = start, .end = start + size, .last = start, .line = 1, .comment = comment};
}

static bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool palScan_SkipInLine(palScan* scan)
{
    while (scan->at < scan->end && isBlank(*scan->at))
        scan->at++;
    return scan->at < scan->end && *scan->at != '\n' &&
           (scan->comment == 0 || *scan->at != scan->comment);
}

void palScan_NextLine(palScan* scan)
{
    size_t available = (size_t)(scan->end - scan->at);
    const char* newline = available > 0 ? memchr(scan->at, '\n', available) : NULL;
    scan->at = newline != NULL ? newline + 1 : scan->end;
    scan->line += newline != NULL;
}

bool palScan_Skip(palScan* scan)
{
    while (!palScan_SkipInLine(scan))
    {
        if (scan->at == scan->end)
            return false;
        palScan_NextLine(scan);
    }
    return true;
}

// The length of the word at `at`.
static size_t wordLength(const palScan* scan)
{
    const char* end = scan->at;
    while (end < scan->end && !isBlank(*end) && *end != '\n')
        end++;
    return (size_t)(end - scan->at);
}

bool palScan_Word(palScan* scan, char* word, size_t size)
{
    word[0] = '\0';
    if (!palScan_SkipInLine(scan))
        return false;
    size_t length = wordLength(scan);
    size_t kept = length < size ? length : size - 1;
    memcpy(word, scan->at, kept);
    word[kept] = '\0';
    scan->last = scan->at;
    scan->at += length;
    return true;
}

bool palScan_Quoted(palScan* scan, char* text, size_t size)
{
    const char* end = scan->at + 1;
    scan->last = scan->at;
    if (scan->at == scan->end || *scan->at != '"')
        return false;
    while (end < scan->end && *end != '"' && *end != '\n')
        end++;
    if (end == scan->end || *end != '"')
        return false;
    size_t length = (size_t)(end - scan->at) - 1;
    size_t kept = length < size ? length : size - 1;
    memcpy(text, scan->at + 1, kept);
    text[kept] = '\0';
    scan->at = end + 1;
    return true;
}

bool palScan_Number(palScan* scan, double* number)
{
    char text[longestNumber + 1];
    size_t length = wordLength(scan);
    scan->last = scan->at;
    if (length == 0 || length > longestNumber)
        return false;
    memcpy(text, scan->at, length);
    text[length] = '\0';
    char* end;
    locale_t previous = palPlainLocale_Enter();
    *number = strtod(text, &end);
    palPlainLocale_Leave(previous);
    if (end != text + length)
        return false;
    scan->at += length;
    return true;
}

bool palScan_Whole(palScan* scan, int* number)
{
    double value;
    if (!palScan_Number(scan, &value))
        return false;
    if (!(value >= INT_MIN && value <= INT_MAX) || value != floor(value))
        return false;
    *number = (int)value;
    return true;
}

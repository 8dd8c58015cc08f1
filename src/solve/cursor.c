// SPDX-License-Identifier: Apache-2.0
#include "solve/cursor.h"

#include "base/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

palCursor palMakeCursor(const char* file, const char* text, size_t length, palError* error)
{
    return (palCursor){.file = file, .text = text, .length = length, .line = 1, .error = error};
}

palResult palCursor_Fail(palCursor* cursor, const char* format, ...)
{
    char text[sizeof cursor->error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    palError_Set(cursor->error, pal_errorInput, "%s", text);
    palError_At(cursor->error, cursor->file, cursor->line,
                (int)(cursor->at - cursor->lineStart) + 1);
    return pal_errorInput;
}

static bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

bool palCursor_Skip(palCursor* cursor)
{
    bool comment = false;
    for (; cursor->at < cursor->length; cursor->at++)
    {
        char c = cursor->text[cursor->at];
        if (c == '\n')
        {
            cursor->line++;
            cursor->lineStart = cursor->at + 1;
            comment = false;
        }
        else if (c == '#')
            comment = true;
        else if (!comment && !isBlank(c))
            return true;
    }
    return false;
}

// The length of the word at the cursor.
static size_t wordLength(const palCursor* cursor)
{
    size_t end = cursor->at;
    while (end < cursor->length && !isBlank(cursor->text[end]) && cursor->text[end] != '#')
        end++;
    return end - cursor->at;
}

void palCursor_Word(palCursor* cursor, char* word, size_t size)
{
    palCursor_Skip(cursor);
    size_t length = wordLength(cursor);
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1),
             cursor->text + cursor->at);
    cursor->at += length;
}

bool palCursor_Take(palCursor* cursor, const char* word)
{
    palCursor_Skip(cursor);
    size_t length = wordLength(cursor);
    if (strlen(word) != length || strncmp(word, cursor->text + cursor->at, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

palResult palCursor_Number(palCursor* cursor, const char* what, bool bound, double* number)
{
    *number = 0.0;
    if (!palCursor_Skip(cursor))
        return palCursor_Fail(cursor, "the file ends where %s is expected", what);
    size_t length = wordLength(cursor);
    char word[64];
    if (length < sizeof word)
    {
        char* end;
        memcpy(word, cursor->text + cursor->at, length);
        word[length] = '\0';
        *number = strtod(word, &end);
        bool whole = end == word + length && strchr(word, 'x') == NULL && strchr(word, 'X') == NULL;
        if (whole && (isfinite(*number) || (bound && !isnan(*number))))
        {
            cursor->at += length;
            return pal_ok;
        }
    }
    return palCursor_Fail(cursor, "'%.*s' is not a number; %s is expected",
                          (int)(length < 40 ? length : 40), cursor->text + cursor->at, what);
}

palResult palCursor_Whole(palCursor* cursor, const char* what, int low, int high, int* number)
{
    *number = low;
    if (!palCursor_Skip(cursor))
        return palCursor_Fail(cursor, "the file ends where %s is expected", what);
    palCursor before = *cursor;
    double value;
    palResult result = palCursor_Number(cursor, what, false, &value);
    if (result != pal_ok)
        return result;
    if (value != floor(value) || value < low || value > high)
    {
        *cursor = before;
        return palCursor_Fail(cursor, "%s is %g, but must be a whole number from %d to %d", what,
                              value, low, high);
    }
    *number = (int)value;
    return pal_ok;
}

palResult palCursor_Numbers(palCursor* cursor, const char* what, size_t count, double* numbers)
{
    for (size_t i = 0; i < count; i++)
    {
        palResult result = palCursor_Number(cursor, what, false, &numbers[i]);
        if (result != pal_ok)
            return result;
    }
    return pal_ok;
}

palResult palCursor_Expect(palCursor* cursor, const char* what, size_t count)
{
    if (cursor->length - cursor->at + 1 >= 2 * count)
        return pal_ok;
    palCursor_Fail(cursor, "the file is too short for the %zu numbers of %s", count, what);
    palError_Remedy(cursor->error, "it may have been cut off; write it again");
    return pal_errorInput;
}

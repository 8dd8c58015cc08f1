// SPDX-License-Identifier: Apache-2.0
#include "base/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void palMessages_Free(palMessages* messages)
{
    free(messages->items);
    *messages = (palMessages){0};
}

static bool grow(palMessages* messages)
{
    int capacity = messages->capacity > 0 ? 2 * messages->capacity : 8;
    palMessage* items = realloc(messages->items, (size_t)capacity * sizeof *items);
    if (items == NULL)
        return false;
    messages->items = items;
    messages->capacity = capacity;
    return true;
}

palError* palMessages_Add(palMessages* messages, palSeverity severity, const char* format, ...)
{
    if (messages == NULL)
        return NULL;
    if (messages->count == messages->capacity && !grow(messages))
    {
        messages->dropped++;
        return NULL;
    }
    palMessage* message = &messages->items[messages->count++];
    memset(message, 0, sizeof *message);
    message->severity = severity;
    message->what.code = severity == pal_severityError ? pal_errorInput : pal_ok;
    va_list args;
    va_start(args, format);
    vsnprintf(message->what.text, sizeof message->what.text, format, args);
    va_end(args);
    return &message->what;
}

const char* palSeverity_Name(palSeverity severity)
{
    static const char* const names[] = {
        [pal_severityNote] = "note",
        [pal_severityWarning] = "warning",
        [pal_severityError] = "error",
    };
    return names[severity];
}

int palMessages_Count(const palMessages* messages, palSeverity severity)
{
    int count = 0;
    for (int i = 0; i < messages->count; i++)
        count += messages->items[i].severity == severity;
    return count;
}

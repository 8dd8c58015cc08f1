// SPDX-License-Identifier: Apache-2.0
// A list of findings for a person: what a mesh check saw, what a scene check refused, what was
// clamped. Filled at set-up only; the library never prints them, the program does.
#ifndef PAL_BASE_MESSAGES_H
#define PAL_BASE_MESSAGES_H

#include <palpate/base.h>

typedef enum palSeverity
{
    pal_severityNote,    // a fact worth knowing
    pal_severityWarning, // works, but not as one might expect
    pal_severityError,   // cannot be used
} palSeverity;

typedef struct palMessage
{
    palSeverity severity;
    palError what; // code is pal_ok for notes and warnings
} palMessage;

typedef struct palMessages
{
    palMessage* items; // owned
    int count;
    int capacity;
    int lost; // messages that found no memory
} palMessages;

void palMessages_Free(palMessages* messages);

/// Appends a message and returns it for palError_At and palError_Remedy, or NULL without memory or
/// with messages == NULL (both accept NULL).
palError* palMessages_Add(palMessages* messages, palSeverity severity, const char* format, ...)
    PAL_PRINTF(3, 4);

/// "note", "warning" or "error".
const char* palSeverity_Name(palSeverity severity);

/// "s" unless the count is one.
static inline const char* palPlural(int count)
{
    return count == 1 ? "" : "s";
}

/// The number of messages of one severity.
int palMessages_Count(const palMessages* messages, palSeverity severity);

#endif

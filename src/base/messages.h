// SPDX-License-Identifier: Apache-2.0
// A list of messages for the user: results of mesh checks, errors in a scene, clamped values.
// Filled at set-up only; the library never prints them, the program does.
#ifndef PAL_BASE_MESSAGES_H
#define PAL_BASE_MESSAGES_H

#include <palpate/base.h>

typedef enum palSeverity
{
    pal_severityNote,    // information
    pal_severityWarning, // usable, but possibly not as intended
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
    int dropped; // messages lost because an allocation failed
} palMessages;

void palMessages_Free(palMessages* messages);

/// Appends a message and returns it for palError_At and palError_Remedy. Returns NULL, which both
/// accept, if the allocation fails or messages is NULL.
palError* palMessages_Add(palMessages* messages, palSeverity severity, const char* format, ...)
    PAL_PRINTF(3, 4);

/// "note", "warning" or "error".
const char* palSeverity_Name(palSeverity severity);

/// The plural ending: "s" unless the count is one.
static inline const char* palPlural(int count)
{
    return count == 1 ? "" : "s";
}

/// The number of messages of one severity.
int palMessages_Count(const palMessages* messages, palSeverity severity);

#endif

// SPDX-License-Identifier: Apache-2.0
// Writes JSON into a growing buffer. Commas and indentation are added automatically:
//
//     palJson json = {0};
//     palJson_BeginObject(&json, NULL);
//     palJson_Number(&json, "dt", 0.001);
//     palJson_BeginArray(&json, "runs");
//     palJson_Text(&json, NULL, "first");
//     palJson_End(&json);
//     palJson_End(&json);
//     palJson_WriteFile(&json, path, error);
//     palJson_Free(&json);
//
// The name is NULL inside arrays and for the outermost value. Numbers are written with enough
// digits to be read back exactly; NaN and infinity, which JSON does not have, become null.
#ifndef PAL_BASE_JSON_H
#define PAL_BASE_JSON_H

#include "base/histogram.h"

enum
{
    pal_jsonDepthMax = 32,
};

typedef struct palJson
{
    char* text; // owned, zero-terminated; NULL while empty
    size_t length;
    size_t capacity;
    bool failed; // out of memory: the text is incomplete
    int depth;
    char closer[pal_jsonDepthMax]; // '}' or ']' of each open level
    bool filled[pal_jsonDepthMax]; // whether the level has a value already
} palJson;

void palJson_Free(palJson* json);

void palJson_BeginObject(palJson* json, const char* name);
void palJson_BeginArray(palJson* json, const char* name);
/// Ends the innermost object or array.
void palJson_End(palJson* json);

void palJson_Number(palJson* json, const char* name, double value);
void palJson_Whole(palJson* json, const char* name, int64_t value);
void palJson_Bool(palJson* json, const char* name, bool value);
void palJson_Text(palJson* json, const char* name, const char* value);
void palJson_Vec3(palJson* json, const char* name, palVec3 value);

/// {"unit": …, "count": …, "mean": …, "p50": …, "p99": …, "p999": …, "max": …}; the values are
/// multiplied by scale.
void palJson_Distribution(palJson* json, const char* name, const char* unit,
                          const palHistogram* histogram, double scale);

/// Writes the text to a file, completely or not at all (a temporary file is renamed).
palResult palJson_WriteFile(const palJson* json, const char* path, palError* error);

#endif

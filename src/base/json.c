// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/plain_locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void palJson_Free(palJson* json)
{
    free(json->text);
    *json = (palJson){0};
}

static void append(palJson* json, const char* text, size_t length)
{
    if (json->length + length + 1 > json->capacity)
    {
        size_t capacity = 2 * (json->length + length + 256);
        char* grown = realloc(json->text, capacity);
        if (grown == NULL)
        {
            json->failed = true;
            return;
        }
        json->text = grown;
        json->capacity = capacity;
    }
    memcpy(json->text + json->length, text, length);
    json->length += length;
    json->text[json->length] = '\0';
}

static void appendText(palJson* json, const char* text)
{
    append(json, text, strlen(text));
}

static void appendQuoted(palJson* json, const char* text)
{
    appendText(json, "\"");
    for (const unsigned char* c = (const unsigned char*)text; *c != '\0'; c++)
    {
        char escaped[8];
        if (*c == '"' || *c == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", *c);
        else if (*c < 0x20)
            snprintf(escaped, sizeof escaped, "\\u%04x", *c);
        else
            snprintf(escaped, sizeof escaped, "%c", *c);
        appendText(json, escaped);
    }
    appendText(json, "\"");
}

static void newLine(palJson* json)
{
    appendText(json, "\n");
    for (int i = 0; i < json->depth; i++)
        appendText(json, "  ");
}

// Writes the comma, the line break and the name before a value.
static void beginValue(palJson* json, const char* name)
{
    if (json->depth > 0)
    {
        bool* filled = &json->filled[json->depth - 1];
        if (*filled)
            appendText(json, ",");
        *filled = true;
        newLine(json);
    }
    if (name != NULL)
    {
        appendQuoted(json, name);
        appendText(json, ": ");
    }
}

static void beginLevel(palJson* json, const char* name, const char* opener, char closer)
{
    PAL_ASSERT(json->depth < pal_jsonDepthMax);
    beginValue(json, name);
    appendText(json, opener);
    json->closer[json->depth] = closer;
    json->filled[json->depth] = false;
    json->depth++;
}

void palJson_BeginObject(palJson* json, const char* name)
{
    beginLevel(json, name, "{", '}');
}

void palJson_BeginArray(palJson* json, const char* name)
{
    beginLevel(json, name, "[", ']');
}

void palJson_End(palJson* json)
{
    PAL_ASSERT(json->depth > 0);
    json->depth--;
    if (json->filled[json->depth])
        newLine(json);
    append(json, &json->closer[json->depth], 1);
    if (json->depth == 0)
        appendText(json, "\n");
}

void palJson_Number(palJson* json, const char* name, double value)
{
    char text[pal_numberTextMax] = "null";
    locale_t previous = palPlainLocale_Enter();
    if (isfinite(value))
        palFormatNumber(value, text);
    palPlainLocale_Leave(previous);
    beginValue(json, name);
    appendText(json, text);
}

void palJson_Whole(palJson* json, const char* name, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    beginValue(json, name);
    appendText(json, text);
}

void palJson_Bool(palJson* json, const char* name, bool value)
{
    beginValue(json, name);
    appendText(json, value ? "true" : "false");
}

void palJson_Text(palJson* json, const char* name, const char* value)
{
    beginValue(json, name);
    appendQuoted(json, value);
}

void palJson_Vec3(palJson* json, const char* name, palVec3 value)
{
    palJson_BeginArray(json, name);
    palJson_Number(json, NULL, value.x);
    palJson_Number(json, NULL, value.y);
    palJson_Number(json, NULL, value.z);
    palJson_End(json);
}

void palJson_Distribution(palJson* json, const char* name, const char* unit,
                          const palHistogram* histogram, double scale)
{
    palJson_BeginObject(json, name);
    palJson_Text(json, "unit", unit);
    palJson_Whole(json, "count", (int64_t)histogram->count);
    palJson_Number(json, "mean", scale * palHistogram_Mean(histogram));
    palJson_Number(json, "p50", scale * palHistogram_Percentile(histogram, 0.5));
    palJson_Number(json, "p99", scale * palHistogram_Percentile(histogram, 0.99));
    palJson_Number(json, "p999", scale * palHistogram_Percentile(histogram, 0.999));
    palJson_Number(json, "max", scale * histogram->max);
    palJson_End(json);
}

static void putText(const void* data, FILE* file)
{
    const palJson* json = data;
    fwrite(json->text, 1, json->length, file);
}

palResult palJson_WriteFile(const palJson* json, const char* path, palError* error)
{
    if (json->failed || json->text == NULL)
        return palError_Memory(error, "a JSON text", json->length);
    return palWriteFile(path, putText, json, error);
}

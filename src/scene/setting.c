// SPDX-License-Identifier: Apache-2.0
#include "scene/setting.h"

#include "base/assert.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Stores the default that the table gives as text. It is ours, so it is of the key's type.
static void storeFallback(const palSchemaKey* key, void* field)
{
    double x = 0.0, y = 0.0, z = 0.0;
    switch (key->type)
    {
    case pal_schemaWhole:
        *(int*)field = atoi(key->fallback);
        break;
    case pal_schemaNumber:
        *(double*)field = strtod(key->fallback, NULL);
        break;
    case pal_schemaVector:
        sscanf(key->fallback, "[%lf, %lf, %lf]", &x, &y, &z);
        *(palVec3*)field = (palVec3){x, y, z};
        break;
    case pal_schemaChoice:
        *(int*)field = palSetting_FindName(key, key->fallback);
        break;
    default:
        snprintf(field, key->size, "%s", key->fallback);
    }
}

static void storeUnset(const palSchemaKey* key, void* field)
{
    if (key->type == pal_schemaNumber)
        *(double*)field = NAN;
    else
        *(char*)field = '\0';
}

int palSetting_DefaultKind(const palSchemaTable* table)
{
    const palSchemaKey* key = &table->keys[0];
    return table->byKind && key->fallback != NULL ? palSetting_FindName(key, key->fallback) : -1;
}

int palSetting_KindOf(const palSchemaTable* table, const void* record)
{
    const palSchemaKey* key = &table->keys[0];
    const void* field = palSetting_AtConst(key, record);
    if (!table->byKind)
        return -1;
    return key->type == pal_schemaName ? palSetting_FindName(key, field) : *(const int*)field;
}

static void setKindDefaults(const palSchemaTable* table, int kind, void* record)
{
    const palSchemaTable* further = palSchema_KindTable(table, kind);
    if (further == NULL)
        return;
    PAL_ASSERT(further->size <= table->kindSize && !further->byKind);
    palSetting_SetDefaults(further, -1, palSetting_KindRecord(table, record));
}

void palSetting_SetDefaults(const palSchemaTable* table, int kind, void* record)
{
    memset(record, 0, table->size);
    kind = kind < 0 ? palSetting_DefaultKind(table) : kind;
    if (table->setDefaults != NULL)
        table->setDefaults(kind < 0 ? 0 : kind, record);
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        void* field = palSetting_At(key, record);
        if (key->type == pal_schemaMap)
            palSetting_SetDefaults(key->table, -1, field);
        else if (key->fallback != NULL)
            storeFallback(key, field);
        else if (key->unset != NULL)
            storeUnset(key, field);
    }
    setKindDefaults(table, kind, record);
}

static void freeList(const palSchemaKey* key, void* record)
{
    char* elements = palSetting_Elements(key, record);
    for (int i = 0; i < palSetting_ElementCount(key, record); i++)
        palSetting_FreeLists(key->table, elements + (size_t)i * key->table->size);
    free(elements);
    *(char**)palSetting_At(key, record) = NULL;
    *(int*)((char*)record + key->count) = 0;
}

void palSetting_FreeLists(const palSchemaTable* table, void* record)
{
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        if (key->type == pal_schemaMap)
            palSetting_FreeLists(key->table, palSetting_At(key, record));
        else if (key->type == pal_schemaList)
            freeList(key, record);
    }
}

// [+-] digits [. digits] [e [+-] digits], with at least one digit before the exponent.
static bool isDecimal(const char* text)
{
    text += *text == '+' || *text == '-';
    size_t whole = strspn(text, "0123456789");
    text += whole;
    size_t part = 0;
    if (*text == '.')
    {
        part = strspn(text + 1, "0123456789");
        text += 1 + part;
    }
    if (whole + part == 0)
        return false;
    if (*text == 'e' || *text == 'E')
    {
        text++;
        text += *text == '+' || *text == '-';
        size_t digits = strspn(text, "0123456789");
        if (digits == 0)
            return false;
        text += digits;
    }
    return *text == '\0';
}

bool palSetting_ParseNumber(const char* text, double* number)
{
    static const char* const notFinite[] = {"inf", ".inf", "infinity", "nan", ".nan"};
    const char* magnitude = text + (*text == '+' || *text == '-');
    *number = NAN;
    for (size_t i = 0; i < sizeof notFinite / sizeof notFinite[0]; i++)
        if (strcasecmp(magnitude, notFinite[i]) == 0)
            return true;
    if (!isDecimal(text))
        return false;
    *number = strtod(text, NULL);
    return true;
}

int palSetting_FindName(const palSchemaKey* key, const char* name)
{
    for (int i = 0; key->nameAt(i) != NULL; i++)
        if (strcmp(key->nameAt(i), name) == 0)
            return i;
    return -1;
}

const char* palSetting_TypeText(const palSchemaKey* key)
{
    switch (key->type)
    {
    case pal_schemaWhole:
        return "a whole number";
    case pal_schemaNumber:
        return "a number";
    case pal_schemaVector:
        return "a list of three numbers";
    case pal_schemaBox:
        return "two corners of three numbers";
    case pal_schemaText:
        return "text";
    case pal_schemaPath:
        return "a file name";
    case pal_schemaChoice:
    case pal_schemaName:
        return "a name";
    case pal_schemaMap:
        return "a map";
    case pal_schemaList:
        return "a list";
    }
    return "";
}

size_t palSetting_FormatRange(const palSchemaKey* key, char* out, size_t size)
{
    const char* space = key->unit != NULL ? " " : "";
    const char* unit = key->unit != NULL ? key->unit : "";
    if (key->low == key->high)
        return (size_t)snprintf(out, size, "%.10g%s%s", key->low, space, unit);
    return (size_t)snprintf(out, size, "%.10g to %.10g%s%s", key->low, key->high, space, unit);
}

// "[x, y, z]"
static size_t formatVector(palVec3 v, char* out, size_t size)
{
    char x[pal_numberTextMax], y[pal_numberTextMax], z[pal_numberTextMax];
    palFormatNumber(v.x, x);
    palFormatNumber(v.y, y);
    palFormatNumber(v.z, z);
    return (size_t)snprintf(out, size, "[%s, %s, %s]", x, y, z);
}

size_t palSetting_FormatValue(const palSchemaKey* key, const void* record, char* out, size_t size)
{
    const void* field = palSetting_AtConst(key, record);
    const palVec3* v = field;
    char low[4 * pal_numberTextMax], high[4 * pal_numberTextMax];
    int length = 0;
    switch (key->type)
    {
    case pal_schemaWhole:
        length = snprintf(out, size, "%d", *(const int*)field);
        break;
    case pal_schemaNumber:
        if (isnan(*(const double*)field) && key->unset != NULL)
            length = snprintf(out, size, "%s", key->unset);
        else
        {
            palFormatNumber(*(const double*)field, low);
            length = snprintf(out, size, "%s", low);
        }
        break;
    case pal_schemaVector:
        length = (int)formatVector(*v, out, size);
        break;
    case pal_schemaBox:
        formatVector(v[0], low, sizeof low);
        formatVector(v[1], high, sizeof high);
        length = snprintf(out, size, "[%s, %s]", low, high);
        break;
    case pal_schemaChoice:
        length = snprintf(out, size, "%s", key->nameAt(*(const int*)field));
        break;
    case pal_schemaText:
    case pal_schemaPath:
    case pal_schemaName:
        if (*(const char*)field == '\0')
            field = key->unset != NULL ? key->unset : "\"\"";
        length = snprintf(out, size, "%s", (const char*)field);
        break;
    case pal_schemaMap:
    case pal_schemaList:
        length = snprintf(out, size, "%s", "");
    }
    return (size_t)length;
}

// Appends "word" or ", word" to a list of words of which `length` bytes are written or would be.
static size_t appendWord(char* out, size_t size, size_t length, const char* word)
{
    size_t at = length < size ? length : size;
    int added =
        snprintf(at < size ? out + at : NULL, size - at, "%s%s", length > 0 ? ", " : "", word);
    return length + (size_t)added;
}

size_t palSetting_FormatKeys(const palSchemaTable* table, int kind, char* out, size_t size)
{
    size_t length = 0;
    for (int i = 0; i < table->keyCount; i++)
        if (palSchema_Uses(&table->keys[i], kind))
            length = appendWord(out, size, length, table->keys[i].name);
    const palSchemaTable* further = palSchema_KindTable(table, kind);
    for (int i = 0; further != NULL && i < further->keyCount; i++)
        length = appendWord(out, size, length, further->keys[i].name);
    return length;
}

size_t palSetting_FormatNames(const palSchemaKey* key, char* out, size_t size)
{
    size_t length = 0;
    for (int i = 0; key->nameAt(i) != NULL; i++)
        length = appendWord(out, size, length, key->nameAt(i));
    return length;
}

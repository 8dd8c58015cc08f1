// SPDX-License-Identifier: Apache-2.0
#include "scene/faults.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Adds a message and says where. What stood in the file may hold control characters (YAML's "\e"),
// which do not belong on a terminal.
static palError* addAt(palFaults* faults, int origin, int line, int column, char* text)
{
    if (++faults->count > pal_faultsMax)
        return NULL;
    for (char* c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = '?';
    palError* error = palMessages_Add(faults->messages, pal_severityError, "%s", text);
    if (origin < 0)
    {
        palError_At(error, faults->file, line, column);
        return error;
    }
    const char* set = faults->sets[origin];
    char where[sizeof error->file];
    bool isProgram = set[0] == '@';
    const char* path = set + isProgram;
    snprintf(where, sizeof where, "%s%.*s", isProgram ? "" : "--set ", (int)strcspn(path, "="),
             path);
    palError_At(error, where, 0, 0);
    return error;
}

palError* palFaults_Add(palFaults* faults, const palYamlNode* node, const char* format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (node == NULL)
        return addAt(faults, -1, 0, 0, text);
    return addAt(faults, node->origin, node->line, node->column, text);
}

palError* palFaults_AddAtKey(palFaults* faults, const palYamlNode* node, const char* format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return addAt(faults, node->origin, node->keyLine, node->keyColumn, text);
}

void palFaults_AddError(palFaults* faults, int origin, const palError* error)
{
    char text[sizeof error->text];
    snprintf(text, sizeof text, "%s", error->text);
    palError* added = addAt(faults, origin, error->line, error->column, text);
    palError_Remedy(added, "%s", error->remedy);
    if (added != NULL)
        added->code = error->code;
}

void palFaults_End(palFaults* faults)
{
    int more = faults->count - pal_faultsMax;
    if (more <= 0)
        return;
    palError* error = palMessages_Add(faults->messages, pal_severityError, "%d more faults", more);
    palError_At(error, faults->file, 0, 0);
    palError_Remedy(error, "mend these first");
}

palResult palFaults_Conclude(const palFaults* faults, palError* error)
{
    const palMessages* messages = faults->messages;
    if (faults->count == 0)
        return pal_ok;
    if (messages->count == faults->before)
        return palError_Memory(error, "messages", sizeof(palMessage));
    if (error != NULL)
        *error = messages->items[faults->before].what;
    return messages->items[faults->before].what.code;
}

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
    if (set[0] == '@')
        snprintf(where, sizeof where, "%s", set + 1);
    else
        snprintf(where, sizeof where, "--set %.*s", (int)strcspn(set, "="), set);
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

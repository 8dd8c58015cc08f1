// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include "base/error.h"
#include "base/spelling.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    maxOptions = 48,
};

int palPrintError(const palError* error)
{
    char text[2048];
    palError_Format(error, text, sizeof text);
    fprintf(stderr, "palpate: error: %s\n", text);
    return error->code == pal_errorRun || error->code == pal_errorMemory ? 1 : 2;
}

static void printRemark(const palError* what, bool isWarning)
{
    char text[2048];
    palError_Format(what, text, sizeof text);
    fprintf(stderr, "palpate: %s: %s\n", isWarning ? "warning" : "note", text);
}

int palPrintMessage(const palMessage* message)
{
    if (message->severity == pal_severityError)
        return palPrintError(&message->what);
    printRemark(&message->what, message->severity == pal_severityWarning);
    return 0;
}

void palPrintMessages(const palSession* session, int* shown)
{
    bool isWarning;
    const palError* message;
    for (; (message = palSession_Message(session, *shown, &isWarning)) != NULL; (*shown)++)
        printRemark(message, isWarning);
}

int palPrintUsageError(const palCommand* command, const char* text)
{
    fprintf(stderr, "palpate %s: error: %s; see palpate %s --help\n", command->name, text,
            command->name);
    return 2;
}

int palPrintUnknown(const palCommand* command, const char* kind, const char* word,
                    const char* const* names, int count, const char* fallback)
{
    const char* suggestion = palNearestWord(word, names, count);
    fprintf(stderr, "palpate%s%s: error: unknown %s '%s'; ", command != NULL ? " " : "",
            command != NULL ? command->name : "", kind, word);
    if (suggestion != NULL)
        fprintf(stderr, "did you mean '%s'?\n", suggestion);
    else
        fprintf(stderr, "%s\n", fallback);
    return 2;
}

int palPrintJson(palJson* json)
{
    palError error = {0};
    bool isWhole = !json->failed && json->text != NULL;
    if (isWhole)
        fputs(json->text, stdout);
    else
        palError_Memory(&error, "a report", json->length);
    palJson_Free(json);
    return isWhole ? 0 : palPrintError(&error);
}

void palSceneSets_AddList(palSceneSets* sets, const palOptionList* list)
{
    memcpy(&sets->items[sets->count], list->items, (size_t)list->count * sizeof list->items[0]);
    sets->count += list->count;
}

void palSceneSets_Add(palSceneSets* sets, const char* key, const char* value)
{
    char* text = sets->memory[sets->flagCount++];
    snprintf(text, pal_setTextMax, "%s=%s", key, value);
    sets->items[sets->count++] = text;
}

void palSceneSets_AddSeconds(palSceneSets* sets, double seconds)
{
    char text[40];
    snprintf(text, sizeof text, "%.10g", seconds);
    if (!isnan(seconds))
        palSceneSets_Add(sets, "time.seconds", text);
}

static void printHelp(const palCommand* command, const palOption* options, int count)
{
    printf("palpate %s: %s\n\nusage: palpate %s %s\n", command->name, command->summary,
           command->name, command->usage);
    if (count > 0)
        printf("\noptions:\n");
    for (int i = 0; i < count; i++)
    {
        char signature[64];
        snprintf(signature, sizeof signature, "--%s%s%s", options[i].name,
                 options[i].argument ? " " : "", options[i].argument ? options[i].argument : "");
        printf("  %-26s %s\n", signature, options[i].help);
    }
    printf("  %-26s %s\n", "--help", "this text");
    if (command->examples != NULL)
        printf("\nexamples:\n%s", command->examples);
}

static int wrongUsage(const palCommand* command, const char* format, ...) PAL_PRINTF(2, 3);
static int wrongUsage(const palCommand* command, const char* format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    palPrintUsageError(command, text);
    return -2;
}

static int unknownOption(const palCommand* command, const palOption* options, int count,
                         const char* word)
{
    const char* names[maxOptions];
    for (int i = 0; i < count && i < maxOptions; i++)
        names[i] = options[i].name;
    const char* suggestion = palNearestWord(word, names, count < maxOptions ? count : maxOptions);
    if (suggestion == NULL)
        return wrongUsage(command, "unknown option '--%s'", word);
    fprintf(stderr, "palpate %s: error: unknown option '--%s'; did you mean '--%s'?\n",
            command->name, word, suggestion);
    return -2;
}

static bool parseNumber(const char* text, double* number)
{
    char* end;
    errno = 0;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && errno == 0 && isfinite(*number);
}

// Stores one option's argument. Returns false if the text does not match the option's kind.
static bool storeValue(const palOption* option, const char* text)
{
    double number;
    switch (option->kind)
    {
    case pal_optionFlag:
        *(bool*)option->value = true;
        return true;
    case pal_optionText:
        *(const char**)option->value = text;
        return true;
    case pal_optionNumber:
        return parseNumber(text, (double*)option->value);
    case pal_optionWhole:
        if (!parseNumber(text, &number) || number != floor(number) || fabs(number) > 1e9)
            return false;
        *(int*)option->value = (int)number;
        return true;
    case pal_optionList:
    {
        palOptionList* list = option->value;
        if (list->count == pal_listItemsMax)
            return false;
        list->items[list->count++] = text;
        return true;
    }
    }
    return false;
}

// Parses the option at argv[index]: --name, --name=value or --name value.
static int parseOne(const palCommand* command, const palOption* options, int optionCount, int argc,
                    char** argv, int* index)
{
    const char* word = argv[*index] + 2;
    size_t length = strcspn(word, "=");
    for (int i = 0; i < optionCount; i++)
    {
        const palOption* option = &options[i];
        if (strlen(option->name) != length || strncmp(option->name, word, length) != 0)
            continue;
        const char* text = word[length] == '=' ? word + length + 1 : NULL;
        if (option->kind == pal_optionFlag && text != NULL)
            return wrongUsage(command, "--%s takes no value", option->name);
        if (option->kind != pal_optionFlag && text == NULL)
        {
            if (*index + 1 >= argc)
                return wrongUsage(command, "--%s needs a value", option->name);
            text = argv[++*index];
        }
        if (storeValue(option, text))
            return 0;
        if (option->kind == pal_optionList)
            return wrongUsage(command, "--%s is used more than %d times", option->name,
                              pal_listItemsMax);
        return wrongUsage(command, "--%s needs a %s number, found '%.40s'", option->name,
                          option->kind == pal_optionWhole ? "whole" : "finite", text);
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    return unknownOption(command, options, optionCount, name);
}

int palOptions_Parse(const palCommand* command, const palOption* options, int optionCount, int argc,
                     char** argv, int capacity, const char** operands)
{
    int operandCount = 0;
    bool optionsEnded = false;
    for (int i = 1; i < argc; i++)
    {
        if (!optionsEnded && strcmp(argv[i], "--") == 0)
        {
            optionsEnded = true;
        }
        else if (!optionsEnded && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0))
        {
            printHelp(command, options, optionCount);
            return -1;
        }
        else if (!optionsEnded && strncmp(argv[i], "--", 2) == 0)
        {
            int result = parseOne(command, options, optionCount, argc, argv, &i);
            if (result != 0)
                return result;
        }
        else if (operandCount == capacity)
        {
            return wrongUsage(command, "unexpected operand '%s'", argv[i]);
        }
        else
        {
            operands[operandCount++] = argv[i];
        }
    }
    return operandCount;
}

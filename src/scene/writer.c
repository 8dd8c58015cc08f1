// SPDX-License-Identifier: Apache-2.0
#include "scene/writer.h"

#include "base/archive.h"
#include "base/error.h"
#include "base/file.h"
#include "base/plain_locale.h"
#include "base/utf8.h"
#include "scene/given.h"
#include "scene/setting.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

enum
{
    commandMax = 1 << 16, // bytes of a command line that is repeated
};

typedef struct Writer
{
    palGiven given; // of the struct that is written
    FILE* file;
    const char* directory; // of the file, absolute; NULL: unknown
    bool isUnnamed;        // names of files are left out, and what the scene is called
    int depth;             // levels of the current line, those of comments included
    int commentDepth;      // of the outermost map that is a comment; -1: values are written
    bool startsElement;    // the next line is the first of a list's element
} Writer;

//--------------------------------------------------------------------------------------------------
// Text

// The character at `text` as an escape in double quotes, if YAML does not take it as it is or folds
// it: control characters, line separators, the byte order mark. Returns false where it needs none.
static bool escape(const unsigned char* text, size_t length, char out[8])
{
    unsigned code = text[0];
    if (length == 2)
        code = (text[0] & 0x1Fu) << 6 | (text[1] & 0x3Fu);
    if (length == 3)
        code = (text[0] & 0x0Fu) << 12 | (text[1] & 0x3Fu) << 6 | (text[2] & 0x3Fu);
    bool isControl = code < 0x20 || (code >= 0x7F && code < 0xA0);
    bool isSeparator = code == 0x2028 || code == 0x2029;
    bool isMark = code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
    if (length > 3 || !(isControl || isSeparator || isMark || code == '"' || code == '\\'))
        return false;
    if (code == '"' || code == '\\')
        snprintf(out, 8, "\\%c", (char)code);
    else
        snprintf(out, 8, "\\u%04X", code);
    return true;
}

// Text in double quotes. Returns false where it is not UTF-8; a bad byte becomes U+FFFD.
static bool putQuoted(FILE* file, const char* text)
{
    bool isValid = true;
    const unsigned char* at = (const unsigned char*)text;
    size_t left = strlen(text);
    fputc('"', file);
    while (left > 0)
    {
        char escaped[8];
        size_t length = palUtf8_Length(at, left);
        isValid = isValid && length > 0;
        if (length == 0)
            fputs("\\uFFFD", file);
        else if (escape(at, length, escaped))
            fputs(escaped, file);
        else
            fwrite(at, 1, length, file);
        at += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    fputc('"', file);
    return isValid;
}

// Whether every reader of YAML takes the text for itself without quotes.
static bool isPlainWord(const char* text)
{
    static const char* const others[] = {"y",    "n",     "yes",  "no", "on",
                                         "true", "false", "null", "off"};
    if (!isalpha((unsigned char)text[0]) || strlen(text) > 64)
        return false;
    for (const char* c = text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("_-.", *c) == NULL)
            return false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcasecmp(text, others[i]) == 0)
            return false;
    return true;
}

static void putWord(FILE* file, const char* text)
{
    if (isPlainWord(text))
        fputs(text, file);
    else
        putQuoted(file, text);
}

//--------------------------------------------------------------------------------------------------
// Files

// The absolute path of a file; a link of that name is kept. Returns false where it is too long.
static bool makeAbsolute(const char* file, char out[PATH_MAX])
{
    char directory[PATH_MAX], whole[PATH_MAX];
    const char* slash = strrchr(file, '/');
    const char* name = slash != NULL ? slash + 1 : file;
    int length = slash != NULL ? (int)(name - file) : 1;
    snprintf(directory, sizeof directory, "%.*s", length, slash != NULL ? file : ".");
    if (realpath(directory, whole) == NULL)
    {
        // There is no such directory.
        name = file;
        if (file[0] == '/' || getcwd(whole, sizeof whole) == NULL)
            whole[0] = '\0';
    }
    const char* joint = whole[0] == '\0' || strcmp(whole, "/") == 0 ? "" : "/";
    return snprintf(out, PATH_MAX, "%s%s%s", whole, joint, name) < PATH_MAX;
}

// A file as the copy of the scene names it, and why that will not do, if so.
static void putPath(const Writer* writer, const palSchemaKey* key, const char* file)
{
    char absolute[PATH_MAX];
    const char* path = file[0] != '\0' && makeAbsolute(file, absolute) ? absolute : file;
    size_t length = writer->directory != NULL ? strlen(writer->directory) : 0;
    if (length > 0 && strncmp(path, writer->directory, length) == 0 && path[length] == '/')
        path += length + 1;
    const char* fault = strlen(path) >= key->size ? "  # too long for a scene file" : "";
    if (!putQuoted(writer->file, path))
        fault = "  # the path is not UTF-8: a scene file cannot name it";
    fputs(fault, writer->file);
}

//--------------------------------------------------------------------------------------------------
// Values

// The start of a line: "    ", "  - " and, where it is a comment, "# ", and the key.
static void putKey(Writer* writer, const char* name, bool isComment)
{
    int split = writer->commentDepth >= 0 ? writer->commentDepth : writer->depth;
    fprintf(writer->file, "%*s", 2 * (split - writer->startsElement), "");
    if (writer->startsElement)
        fputs("- ", writer->file);
    if (isComment)
        fprintf(writer->file, "# %*s", 2 * (writer->depth - split), "");
    fprintf(writer->file, "%s:", name);
    writer->startsElement = false;
}

static void putValue(const Writer* writer, const palSchemaKey* key, const void* record)
{
    const void* field = palSetting_AtConst(key, record);
    char text[256];
    bool isOpen; // left to whoever builds the world: the text says how
    bool isName =
        key->type == pal_schemaPath || (key->type == pal_schemaText && writer->depth == 0);
    if (isName && writer->isUnnamed)
        return;
    switch (key->type)
    {
    case pal_schemaText:
    case pal_schemaName:
        putWord(writer->file, field);
        break;
    case pal_schemaChoice:
        putWord(writer->file, key->nameAt(*(const int*)field));
        break;
    case pal_schemaPath:
        putPath(writer, key, field);
        break;
    default:
        isOpen = key->type == pal_schemaNumber && isnan(*(const double*)field);
        palSetting_FormatValue(key, record, text, sizeof text);
        fprintf(writer->file, isOpen ? "(%s)" : "%s", text);
    }
}

static void putTable(Writer* writer, const palSchemaTable* table, const void* record);

// A map: with its values, empty, or as a comment.
static void putMap(Writer* writer, const palSchemaKey* key, const void* record, bool isComment)
{
    const void* map = palSetting_AtConst(key, record);
    if (key->given != 0 && !palGiven_Has(writer->given, key, record))
        return;
    int before = writer->commentDepth;
    putKey(writer, key->name, isComment);
    bool isEmpty = !isComment && !palGiven_HasAny(writer->given, key->table, map);
    fputs(isEmpty ? " {}\n" : "\n", writer->file);
    if (isComment && before < 0)
        writer->commentDepth = writer->depth;
    writer->depth++;
    putTable(writer, key->table, map);
    writer->depth--;
    writer->commentDepth = before;
}

static void putList(Writer* writer, const palSchemaKey* key, const void* record, bool isComment)
{
    int count = palSetting_ElementCount(key, record);
    const char* element = palSetting_Elements(key, record);
    palGiven before = writer->given;
    putKey(writer, key->name, isComment);
    fputs(count == 0 ? " []\n" : "\n", writer->file);
    writer->depth += 2;
    writer->given = palGiven_OfList(key, record);
    for (int i = 0; i < count; i++, element += key->table->size)
    {
        writer->startsElement = true;
        if (!palGiven_HasAny(writer->given, key->table, element))
        {
            fprintf(writer->file, "%*s- {}\n", 2 * (writer->depth - 1), "");
            writer->startsElement = false;
        }
        putTable(writer, key->table, element);
    }
    writer->depth -= 2;
    writer->given = before;
}

static void putEntry(Writer* writer, const palSchemaKey* key, const void* record)
{
    bool isComment =
        writer->commentDepth >= 0 || !(key->required || palGiven_Has(writer->given, key, record));
    if (key->type == pal_schemaMap)
    {
        putMap(writer, key, record, isComment);
        return;
    }
    if (key->type == pal_schemaList)
    {
        putList(writer, key, record, isComment);
        return;
    }
    putKey(writer, key->name, isComment);
    fputc(' ', writer->file);
    putValue(writer, key, record);
    fputc('\n', writer->file);
}

static void putTable(Writer* writer, const palSchemaTable* table, const void* record)
{
    const palSchemaTable* further = palSchema_KindTable(table, palSetting_KindOf(table, record));
    for (int i = 0; i < table->keyCount; i++)
        if (palGiven_Applies(writer->given, table, &table->keys[i], record))
            putEntry(writer, &table->keys[i], record);
    if (further != NULL)
        putTable(writer, further, (const char*)record + table->kindOffset);
}

void palScene_Print(const palScene* scene, const char* directory, FILE* file)
{
    char absolute[PATH_MAX];
    bool isKnown = directory != NULL && realpath(directory, absolute) != NULL;
    Writer writer = {.given = palGiven_OfScene(scene),
                     .file = file,
                     .directory = isKnown ? absolute : NULL,
                     .commentDepth = -1};
    putTable(&writer, palSceneSchema(), scene);
}

palResult palScene_Hash(const palScene* scene, uint64_t* hash, palError* error)
{
    char* text = NULL;
    size_t size = 0;
    FILE* file = open_memstream(&text, &size);
    if (file == NULL)
        return palError_Memory(error, "the text of a scene", 1);
    Writer writer = {
        .given = palGiven_OfScene(scene), .file = file, .isUnnamed = true, .commentDepth = -1};
    locale_t callers = palPlainLocale_Enter();
    putTable(&writer, palSceneSchema(), scene);
    palPlainLocale_Leave(callers);
    bool isWritten = fclose(file) == 0;
    *hash = palHash(*hash, text, size);
    free(text);
    return isWritten ? pal_ok : palError_Memory(error, "the text of a scene", size);
}

//--------------------------------------------------------------------------------------------------
// The file

typedef struct Copy
{
    const palScene* scene;
    const char* path;
    const char* note;
    const char* command; // arguments, each with a zero byte at its end; NULL: unknown
    const char* commandEnd;
} Copy;

// Text within a comment: control characters and bytes that are not UTF-8 become '?'.
static void putCommentText(FILE* file, const char* text, size_t length)
{
    const unsigned char* at = (const unsigned char*)text;
    for (size_t step; length > 0; at += step, length -= step)
    {
        char escaped[8];
        step = palUtf8_Length(at, length);
        bool isBad = step == 0 || (escape(at, step, escaped) && escaped[1] == 'u');
        step = step > 0 ? step : 1;
        fwrite(isBad ? (const unsigned char*)"?" : at, 1, isBad ? 1 : step, file);
    }
}

// An argument as a shell takes it.
static void putArgument(FILE* file, const char* argument)
{
    bool isQuoted =
        argument[0] == '\0' || strpbrk(argument, " \t\n\"'\\$`!*?[](){}<>|&;#~") != NULL;
    fputs(isQuoted ? "'" : "", file);
    for (const char* at = argument; *at != '\0';)
    {
        size_t length = strcspn(at, "'");
        putCommentText(file, at, length);
        at += length;
        if (*at == '\'')
            fputs("'\\''", file), at++;
    }
    fputs(isQuoted ? "'" : "", file);
}

static void putComment(FILE* file, const char* title, const char* text)
{
    fprintf(file, "# %s", title);
    putCommentText(file, text, strlen(text));
    fputc('\n', file);
}

static void putOpening(const Copy* copy, FILE* file)
{
    char date[32], directory[PATH_MAX];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    fprintf(file, "# Written by palpate %s, %s\n", palVersion(), date);
    fputs("# Command:", file);
    for (const char* at = copy->command; at < copy->commandEnd; at += strlen(at) + 1)
    {
        fputc(' ', file);
        putArgument(file, at);
    }
    fputc('\n', file);
    if (getcwd(directory, sizeof directory) != NULL)
        putComment(file, "Working directory: ", directory);
    putComment(file, "Scene: ", copy->scene->file);
    if (copy->note != NULL)
        putComment(file, "", copy->note);
    fputs("#\n# Values in comments are defaults that the scene did not set.\n\n", file);
}

static void writeCopy(const void* data, FILE* file)
{
    const Copy* copy = data;
    char directory[PATH_MAX];
    const char* slash = strrchr(copy->path, '/');
    int length = slash != NULL ? (int)(slash - copy->path) + 1 : 1;
    snprintf(directory, sizeof directory, "%.*s", length, slash != NULL ? copy->path : ".");
    putOpening(copy, file);
    palScene_Print(copy->scene, directory, file);
}

palResult palScene_Write(const palScene* scene, const char* path, const char* note, palError* error)
{
    char* command;
    size_t length;
    palReadFile("/proc/self/cmdline", commandMax, &command, &length, NULL);
    const Copy copy = {.scene = scene,
                       .path = path,
                       .note = note,
                       .command = command,
                       .commandEnd = command != NULL ? command + length : NULL};
    palResult result = palWriteFile(path, writeCopy, &copy, error);
    free(command);
    return result;
}

// SPDX-License-Identifier: Apache-2.0
#include "device/trajectory_csv.h"

#include "base/error.h"
#include "base/file.h"
#include "base/plain_locale.h"

#include <stdlib.h>
#include <string.h>

enum
{
    maxFileBytes = 256 << 20, // a day of 100 Hz; keeps a wrong file from filling the memory
    maxNumberLength = 64,     // characters; %.17g needs 24
};

// Beyond this a time (s) or a position (m) is a wrong unit, and differences might overflow.
static const double largestValue = 1e9;

typedef enum Field
{
    fieldT,
    fieldX,
    fieldY,
    fieldZ,
    fieldQw,
    fieldQx,
    fieldQy,
    fieldQz,
    fieldCount,
} Field;

static const char* const fieldNames[fieldCount] = {"t", "x", "y", "z", "qw", "qx", "qy", "qz"};

// A piece of the text.
typedef struct Span
{
    const char* at;
    size_t length;
} Span;

typedef struct Reader
{
    const char* name;       // borrowed: of the file, for messages
    Span rest;              // what has not been read
    Span line;              // the line being read, without its end
    int lineNumber;         // 1-based
    int columns;            // cells of the header
    int column[fieldCount]; // index of each field's cell, -1 where there is none
    palError* error;
} Reader;

//--------------------------------------------------------------------------------------------------
// Lines and cells

static bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static Span trim(Span span)
{
    while (span.length > 0 && isBlank(span.at[0]))
        span.at++, span.length--;
    while (span.length > 0 && isBlank(span.at[span.length - 1]))
        span.length--;
    return span;
}

static bool spanIs(Span span, const char* prefix, const char* word)
{
    size_t n = strlen(prefix);
    return span.length == n + strlen(word) && memcmp(span.at, prefix, n) == 0 &&
           memcmp(span.at + n, word, span.length - n) == 0;
}

// The next line that is not blank. Returns false at the end.
static bool nextLine(Reader* reader)
{
    while (reader->rest.length > 0)
    {
        const char* end = memchr(reader->rest.at, '\n', reader->rest.length);
        size_t length = end != NULL ? (size_t)(end - reader->rest.at) : reader->rest.length;
        size_t step = end != NULL ? length + 1 : length;
        reader->line = (Span){reader->rest.at, length};
        reader->rest.at += step;
        reader->rest.length -= step;
        reader->lineNumber++;
        if (trim(reader->line).length > 0)
            return true;
    }
    return false;
}

// Cuts the cell before the next comma off `line`. Returns false when the line has no more cells.
static bool nextCell(Span* line, Span* cell)
{
    if (line->at == NULL)
        return false;
    const char* comma = memchr(line->at, ',', line->length);
    size_t length = comma != NULL ? (size_t)(comma - line->at) : line->length;
    *cell = trim((Span){line->at, length});
    *line = comma != NULL ? (Span){comma + 1, line->length - length - 1} : (Span){NULL, 0};
    return true;
}

// Adds file, line and column, the column that of `cell`.
static palResult at(const Reader* reader, Span cell)
{
    palError_At(reader->error, reader->name, reader->lineNumber,
                (int)(cell.at - reader->line.at) + 1);
    return pal_errorInput;
}

// As much of a cell as a message can show.
static int shown(Span cell)
{
    return cell.length < 40 ? (int)cell.length : 40;
}

//--------------------------------------------------------------------------------------------------
// The header

// A column name, without the quotation marks that some programs write.
static Span columnName(Span cell)
{
    if (cell.length >= 2 && cell.at[0] == '"' && cell.at[cell.length - 1] == '"')
        return trim((Span){cell.at + 1, cell.length - 2});
    return cell;
}

// Finds the columns whose names are the fields' with `prefix` before them; t has none.
static palResult findColumns(Reader* reader, const char* prefix)
{
    for (int field = 0; field < fieldCount; field++)
        reader->column[field] = -1;
    Span line = reader->line, cell;
    for (reader->columns = 0; nextCell(&line, &cell); reader->columns++)
    {
        for (int field = 0; field < fieldCount; field++)
        {
            Span name = columnName(cell);
            if (!spanIs(name, field == fieldT ? "" : prefix, fieldNames[field]))
                continue;
            if (reader->column[field] >= 0)
            {
                palError_Set(reader->error, pal_errorInput, "column '%.*s' is there twice",
                             (int)name.length, name.at);
                palError_Remedy(reader->error, "remove or rename one of them");
                return at(reader, cell);
            }
            reader->column[field] = reader->columns;
        }
    }
    return pal_ok;
}

static palResult missingColumn(const Reader* reader, const char* name)
{
    palError_Set(reader->error, pal_errorInput, "no column '%s'", name);
    palError_Remedy(reader->error,
                    "the first line must name comma-separated columns t,x,y,z (seconds and metres) "
                    "and, all four or none, qw,qx,qy,qz");
    return at(reader, reader->line);
}

static palResult readHeader(Reader* reader)
{
    if (!nextLine(reader))
    {
        palError_Set(reader->error, pal_errorInput, "the file is empty");
        palError_Remedy(reader->error, "a trajectory has a line 't,x,y,z' and at least one row");
        palError_At(reader->error, reader->name, 1, 1);
        return pal_errorInput;
    }
    const int* column = reader->column;
    palResult result = findColumns(reader, "");
    if (result == pal_ok && column[fieldX] < 0 && column[fieldY] < 0 && column[fieldZ] < 0)
    {
        result = findColumns(reader, "dev_");
        // Neither spelling: speak of the plain one.
        if (result == pal_ok && (column[fieldX] < 0 || column[fieldY] < 0 || column[fieldZ] < 0))
            result = findColumns(reader, "");
    }
    if (result != pal_ok)
        return result;
    bool turns = column[fieldQw] >= 0 || column[fieldQx] >= 0 || column[fieldQy] >= 0 ||
                 column[fieldQz] >= 0;
    for (int field = 0; field < (turns ? fieldCount : fieldQw); field++)
        if (column[field] < 0)
            return missingColumn(reader, fieldNames[field]);
    return pal_ok;
}

//--------------------------------------------------------------------------------------------------
// The rows

static palResult notANumber(const Reader* reader, Span cell, Field field)
{
    palError_Set(reader->error, pal_errorInput, "%s: '%.*s' is not a number", fieldNames[field],
                 shown(cell), cell.at);
    palError_Remedy(reader->error, "write numbers with a decimal point, like -0.0125 or 1e-3");
    return at(reader, cell);
}

static palResult readNumber(const Reader* reader, Span cell, Field field, double* value)
{
    char text[maxNumberLength];
    if (cell.length == 0 || cell.length >= sizeof text)
        return notANumber(reader, cell, field);
    memcpy(text, cell.at, cell.length);
    text[cell.length] = '\0';
    char* end;
    *value = strtod(text, &end);
    // strtod also reads hexadecimal, which no recording means.
    if (end != text + cell.length || strpbrk(text, "xX") != NULL)
        return notANumber(reader, cell, field);
    if (isfinite(*value) && fabs(*value) <= largestValue)
        return pal_ok;
    palError_Set(reader->error, pal_errorInput, "%s: %s is %s", fieldNames[field], text,
                 isfinite(*value) ? "out of range" : "not finite");
    palError_Remedy(reader->error, "remove the row, or write seconds and metres of at most %g",
                    largestValue);
    return at(reader, cell);
}

// Reads the cells of the current line that belong to a field.
static palResult readRow(const Reader* reader, double value[fieldCount])
{
    Span line = reader->line, cell = reader->line;
    int columns = 0;
    for (; nextCell(&line, &cell); columns++)
    {
        if (columns == reader->columns)
        {
            palError_Set(reader->error, pal_errorInput,
                         "the row has more cells than the header has columns (%d)",
                         reader->columns);
            palError_Remedy(reader->error, "separate cells with commas and write decimals with a "
                                           "point");
            return at(reader, cell);
        }
        for (int field = 0; field < fieldCount; field++)
        {
            if (reader->column[field] != columns)
                continue;
            palResult result = readNumber(reader, cell, (Field)field, &value[field]);
            if (result != pal_ok)
                return result;
        }
    }
    if (columns == reader->columns)
        return pal_ok;
    palError_Set(reader->error, pal_errorInput, "the row ends after %d of the header's %d cells",
                 columns, reader->columns);
    palError_Remedy(reader->error, "complete the row or remove it");
    return at(reader, (Span){reader->line.at + reader->line.length, 0});
}

static palResult checkTime(const Reader* reader, double before, double t)
{
    if (t > before)
        return pal_ok;
    palError_Set(reader->error, pal_errorInput, "t = %g %s", t,
                 t == before ? "is there twice" : "is before the row above");
    palError_Remedy(reader->error, "sort the rows by time and keep one of each time");
    Span line = reader->line, cell;
    for (int i = 0; i <= reader->column[fieldT]; i++)
        nextCell(&line, &cell);
    return at(reader, cell);
}

static palResult checkTurn(const Reader* reader, palQuat q)
{
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (length > 1e-6)
        return pal_ok;
    palError_Set(reader->error, pal_errorInput, "qw,qx,qy,qz are all zero: no orientation");
    palError_Remedy(reader->error, "write 1,0,0,0 for no rotation");
    return at(reader, reader->line);
}

// Room for one more row.
static palResult grow(palTrajectorySamples* samples, bool turns, palError* error)
{
    if (samples->count < samples->capacity)
        return pal_ok;
    size_t capacity = samples->capacity > 0 ? 2 * samples->capacity : 1024;
    double* t = realloc(samples->t, capacity * sizeof *t);
    if (t != NULL)
        samples->t = t;
    palVec3* x = realloc(samples->x, capacity * sizeof *x);
    if (x != NULL)
        samples->x = x;
    palQuat* q = turns ? realloc(samples->q, capacity * sizeof *q) : NULL;
    if (q != NULL)
        samples->q = q;
    if (t == NULL || x == NULL || (turns && q == NULL))
        return palError_Memory(error, "a trajectory",
                               capacity * (sizeof *t + sizeof *x + (turns ? sizeof *q : 0)));
    samples->capacity = capacity;
    return pal_ok;
}

static palResult readRows(Reader* reader, palTrajectorySamples* samples)
{
    bool turns = reader->column[fieldQw] >= 0;
    while (nextLine(reader))
    {
        double value[fieldCount] = {0};
        palResult result = readRow(reader, value);
        palQuat q = {value[fieldQw], value[fieldQx], value[fieldQy], value[fieldQz]};
        if (result == pal_ok && samples->count > 0)
            result = checkTime(reader, samples->t[samples->count - 1], value[fieldT]);
        if (result == pal_ok && turns)
            result = checkTurn(reader, q);
        if (result == pal_ok)
            result = grow(samples, turns, reader->error);
        if (result != pal_ok)
            return result;
        samples->t[samples->count] = value[fieldT];
        samples->x[samples->count] = palMakeVec3(value[fieldX], value[fieldY], value[fieldZ]);
        if (turns)
            samples->q[samples->count] = palNormalizeQuat(q);
        samples->count++;
    }
    if (samples->count > 0)
        return pal_ok;
    palError_Set(reader->error, pal_errorInput, "there is a header but no row");
    palError_Remedy(reader->error, "add at least one row of numbers below the header");
    return at(reader, reader->line);
}

palResult palTrajectorySamples_Parse(const char* text, size_t length, const char* name,
                                     palTrajectorySamples* samples, palError* error)
{
    *samples = (palTrajectorySamples){0};
    Reader reader = {.name = name, .rest = {text, length}, .error = error};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        reader.rest = (Span){text + 3, length - 3};
    locale_t callers = palPlainLocale_Enter();
    palResult result = readHeader(&reader);
    if (result == pal_ok)
        result = readRows(&reader, samples);
    palPlainLocale_Leave(callers);
    if (result != pal_ok)
        palTrajectorySamples_Free(samples);
    return result;
}

palResult palTrajectorySamples_Load(const char* path, palTrajectorySamples* samples,
                                    palError* error)
{
    *samples = (palTrajectorySamples){0};
    char* text;
    size_t length;
    palResult result = palReadFile(path, maxFileBytes, &text, &length, error);
    if (result == pal_ok)
        result = palTrajectorySamples_Parse(text, length, path, samples, error);
    free(text);
    return result;
}

void palTrajectorySamples_Free(palTrajectorySamples* samples)
{
    free(samples->t);
    free(samples->x);
    free(samples->q);
    *samples = (palTrajectorySamples){0};
}

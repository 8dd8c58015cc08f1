// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    maxNumberLength = 64, // characters; %.17g needs 24
};

typedef palCsvSpan Span;

palCsv palMakeCsv(const char* text, size_t length, const char* name, palError* error)
{
    bool hasMark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
    return (palCsv){
        .name = name,
        .rest = hasMark ? (Span){text + 3, length - 3} : (Span){text, length},
        .error = error,
    };
}

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

bool palCsv_NextLine(palCsv* csv)
{
    while (csv->rest.length > 0)
    {
        const char* end = memchr(csv->rest.at, '\n', csv->rest.length);
        size_t length = end != NULL ? (size_t)(end - csv->rest.at) : csv->rest.length;
        size_t step = end != NULL ? length + 1 : length;
        csv->line = (Span){csv->rest.at, length};
        csv->rest.at += step;
        csv->rest.length -= step;
        csv->lineNumber++;
        if (trim(csv->line).length > 0)
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
static palResult atCell(const palCsv* csv, Span cell)
{
    palError_At(csv->error, csv->name, csv->lineNumber, (int)(cell.at - csv->line.at) + 1);
    return pal_errorInput;
}

palResult palCsv_At(const palCsv* csv, int field)
{
    Span line = csv->line, cell = csv->line;
    for (int i = 0; field >= 0 && i <= csv->column[field]; i++)
        nextCell(&line, &cell);
    return atCell(csv, cell);
}

palResult palCsv_MissingColumn(const palCsv* csv, const char* name, const char* remedy)
{
    palError_Set(csv->error, pal_errorInput, "no column '%s'", name);
    palError_Remedy(csv->error, "%s", remedy);
    return palCsv_At(csv, -1);
}

// A column name, without the quotation marks that some programs write.
static Span columnName(Span cell)
{
    if (cell.length >= 2 && cell.at[0] == '"' && cell.at[cell.length - 1] == '"')
        return trim((Span){cell.at + 1, cell.length - 2});
    return cell;
}

palResult palCsv_FindColumns(palCsv* csv, const char* const* fields, int count)
{
    csv->fieldCount = count;
    for (int field = 0; field < count; field++)
    {
        csv->fields[field] = fields[field];
        csv->column[field] = -1;
    }
    Span line = csv->line, cell;
    for (csv->columns = 0; nextCell(&line, &cell); csv->columns++)
    {
        Span name = columnName(cell);
        for (int field = 0; field < count; field++)
        {
            if (name.length != strlen(fields[field]) ||
                memcmp(name.at, fields[field], name.length) != 0)
                continue;
            if (csv->column[field] >= 0)
            {
                palError_Set(csv->error, pal_errorInput, "column '%.*s' is there twice",
                             (int)name.length, name.at);
                palError_Remedy(csv->error, "remove or rename one of them");
                return atCell(csv, cell);
            }
            csv->column[field] = csv->columns;
        }
    }
    return pal_ok;
}

static palResult notANumber(const palCsv* csv, Span cell, int field)
{
    // As much of the cell as a message can show.
    int shown = cell.length < 40 ? (int)cell.length : 40;
    palError_Set(csv->error, pal_errorInput, "%s: '%.*s' is not a number", csv->fields[field],
                 shown, cell.at);
    palError_Remedy(csv->error, "write numbers with a decimal point, like -0.0125 or 1e-3");
    return atCell(csv, cell);
}

static palResult readNumber(const palCsv* csv, Span cell, int field, double* value)
{
    char text[maxNumberLength];
    if (cell.length == 0 || cell.length >= sizeof text)
        return notANumber(csv, cell, field);
    memcpy(text, cell.at, cell.length);
    text[cell.length] = '\0';
    char* end;
    *value = strtod(text, &end);
    // strtod also reads hexadecimal, which no recording means.
    if (end != text + cell.length || strpbrk(text, "xX") != NULL)
        return notANumber(csv, cell, field);
    if (isfinite(*value) && fabs(*value) <= csv->largest)
        return pal_ok;
    palError_Set(csv->error, pal_errorInput, "%s: %s is %s", csv->fields[field], text,
                 isfinite(*value) ? "out of range" : "not finite");
    palError_Remedy(csv->error, "remove the row, or write %s of at most %g", csv->units,
                    csv->largest);
    return atCell(csv, cell);
}

palResult palCsv_ReadRow(const palCsv* csv, double* values)
{
    Span line = csv->line, cell = csv->line;
    int columns = 0;
    for (; nextCell(&line, &cell); columns++)
    {
        if (columns == csv->columns)
        {
            palError_Set(csv->error, pal_errorInput,
                         "the row has more cells than the header has columns (%d)", csv->columns);
            palError_Remedy(csv->error,
                            "separate cells with commas and write decimals with a point");
            return atCell(csv, cell);
        }
        for (int field = 0; field < csv->fieldCount; field++)
        {
            if (csv->column[field] != columns)
                continue;
            palResult result = readNumber(csv, cell, field, &values[field]);
            if (result != pal_ok)
                return result;
        }
    }
    if (columns == csv->columns)
        return pal_ok;
    palError_Set(csv->error, pal_errorInput, "the row ends after %d of the header's %d cells",
                 columns, csv->columns);
    palError_Remedy(csv->error, "complete the row or remove it");
    return atCell(csv, (Span){csv->line.at + csv->line.length, 0});
}

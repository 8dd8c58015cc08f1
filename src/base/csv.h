// SPDX-License-Identifier: Apache-2.0
// Tables of numbers from text with commas: the first line names the columns, in any order, of which
// some are looked for and others not looked at. Blank lines are skipped; a byte order mark, Windows
// line ends and quoted names are accepted. Errors tell line and column.
#ifndef PAL_BASE_CSV_H
#define PAL_BASE_CSV_H

#include <palpate/base.h>

enum
{
    pal_csvFieldsMax = 9,
};

/// A piece of the text.
typedef struct palCsvSpan
{
    const char* at;
    size_t length;
} palCsvSpan;

typedef struct palCsv
{
    const char* name;                     // borrowed: of the file, for messages
    double largest;                       // numbers beyond it are refused
    const char* units;                    // borrowed: "seconds and metres", likewise
    palCsvSpan rest;                      // what has not been read
    palCsvSpan line;                      // the line being read, without its end
    int lineNumber;                       // 1-based
    int columns;                          // cells of the header
    int fieldCount;                       // columns that are looked for
    const char* fields[pal_csvFieldsMax]; // borrowed: their names
    int column[pal_csvFieldsMax];         // index of each field's cell, -1 where there is none
    palError* error;
} palCsv;

palCsv palMakeCsv(const char* text, size_t length, const char* name, palError* error);

/// The next line that is not blank. Returns false at the end.
bool palCsv_NextLine(palCsv* csv);
/// Finds the columns with these names in the present line. Fails where one is there twice.
palResult palCsv_FindColumns(palCsv* csv, const char* const* fields, int count);
/// The cells of the present line that belong to a field. The caller sets the "C" locale.
palResult palCsv_ReadRow(const palCsv* csv, double* values);

/// Adds file, line and column to the error: of a field's cell; -1: of the line.
palResult palCsv_At(const palCsv* csv, int field);
/// The error of a column that is missing.
palResult palCsv_MissingColumn(const palCsv* csv, const char* name, const char* remedy);

#endif

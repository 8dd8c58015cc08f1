// SPDX-License-Identifier: Apache-2.0
#include "solve/siconos_matrix.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double* entryAt(const palMatrixTarget* target, int row, int column)
{
    return &target->A[(size_t)row * target->stride + (size_t)column];
}

static palResult parseDense(palTextScan* scan, const palMatrixTarget* target)
{
    int rows, columns;
    palResult result =
        palTextScan_Whole(scan, "the matrix's number of rows", target->rows, target->rows, &rows);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the matrix's number of columns", target->columns,
                                   target->columns, &columns);
    for (int j = 0; j < target->columns && result == pal_ok; j++)
        for (int i = 0; i < target->rows && result == pal_ok; i++)
            result =
                palTextScan_Number(scan, "an entry of the matrix", false, entryAt(target, i, j));
    return result;
}

// The layout of a sparse-block matrix: block k lies in block row r with start[r] <= k < start[r+1]
// and in block column column[k]. Block rows and columns end at `rowEnd` and `columnEnd`.
typedef struct palBlockLayout
{
    int* memory; // owned: the arrays below
    int* rowEnd;
    int* columnEnd;
    int* start;
    int* column;
    int blocks;
    int rowBlocks;
    int columnBlocks;
    int filled; // length of start
} palBlockLayout;

static palResult parseWholes(palTextScan* scan, const char* what, int count, int high, int* values)
{
    for (int i = 0; i < count; i++)
    {
        palResult result = palTextScan_Whole(scan, what, 0, high, &values[i]);
        if (result != pal_ok)
            return result;
    }
    return pal_ok;
}

static palResult parseLayout(palTextScan* scan, const palMatrixTarget* target,
                             palBlockLayout* layout)
{
    // A block has at least one row and column, so that there are at most rows · columns blocks.
    int rows = target->rows, columns = target->columns;
    int blocksMax = (int)fmin((double)rows * columns, INT32_MAX);
    palResult result =
        palTextScan_Whole(scan, "the number of blocks", 0, blocksMax, &layout->blocks);
    if (result == pal_ok)
        result = palTextScan_Expect(scan, "the blocks", (size_t)layout->blocks);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of block rows", 1, rows, &layout->rowBlocks);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of block columns", 1, columns,
                                   &layout->columnBlocks);
    if (result != pal_ok)
        return result;
    size_t size =
        2 * (size_t)layout->rowBlocks + (size_t)layout->columnBlocks + (size_t)layout->blocks + 2;
    layout->memory = calloc(size, sizeof(int));
    if (layout->memory == NULL)
        return palError_Memory(scan->error, "a sparse-block matrix", size * sizeof(int));
    layout->rowEnd = layout->memory;
    layout->columnEnd = layout->rowEnd + layout->rowBlocks;
    layout->start = layout->columnEnd + layout->columnBlocks;
    layout->column = layout->start + layout->rowBlocks + 2;
    int stored;
    result = parseWholes(scan, "the end of a block row", layout->rowBlocks, rows, layout->rowEnd);
    if (result == pal_ok)
        result = parseWholes(scan, "the end of a block column", layout->columnBlocks, columns,
                             layout->columnEnd);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of filled block rows", 0,
                                   layout->rowBlocks + 1, &layout->filled);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of stored blocks", layout->blocks,
                                   layout->blocks, &stored);
    if (result == pal_ok)
        result = parseWholes(scan, "the start of a block row", layout->filled, layout->blocks,
                             layout->start);
    if (result == pal_ok)
        result = parseWholes(scan, "a block's column", layout->blocks, layout->columnBlocks - 1,
                             layout->column);
    return result;
}

static palResult parseBlockEntries(palTextScan* scan, const palBlockLayout* layout,
                                   const palMatrixTarget* target)
{
    int row = 0;
    for (int k = 0; k < layout->blocks; k++)
    {
        while (row + 1 < layout->filled && layout->start[row + 1] <= k)
            row++;
        int column = layout->column[k];
        int index;
        palResult result = palTextScan_Whole(scan, "the index of a block", k, k, &index);
        if (result != pal_ok)
            return result;
        if (row >= layout->rowBlocks)
            return palTextScan_Fail(scan, "block %d lies below the last block row", k);
        int firstRow = row > 0 ? layout->rowEnd[row - 1] : 0;
        int firstColumn = column > 0 ? layout->columnEnd[column - 1] : 0;
        for (int j = firstColumn; j < layout->columnEnd[column]; j++)
            for (int i = firstRow; i < layout->rowEnd[row]; i++)
            {
                result =
                    palTextScan_Number(scan, "an entry of a block", false, entryAt(target, i, j));
                if (result != pal_ok)
                    return result;
            }
    }
    return pal_ok;
}

static palResult parseBlocks(palTextScan* scan, const palMatrixTarget* target)
{
    palBlockLayout layout = {0};
    palResult result = parseLayout(scan, target, &layout);
    if (result == pal_ok)
        result = parseBlockEntries(scan, &layout, target);
    free(layout.memory);
    return result;
}

// Skips words up to and with one that is expected.
static palResult skipTo(palTextScan* scan, const char* word)
{
    char next[64];
    do
        palTextScan_Word(scan, next, sizeof next);
    while (next[0] != '\0' && strcmp(next, word) != 0);
    return next[0] != '\0' ? pal_ok : palTextScan_Fail(scan, "'%s' is missing", word);
}

// "row : value", or in triplets "row column : value".
static palResult parseSparseEntry(palTextScan* scan, const palMatrixTarget* target, int column)
{
    int row;
    double value;
    palResult result = palTextScan_Whole(scan, "the row of an entry", 0, target->rows - 1, &row);
    if (result == pal_ok && column < 0)
        result = palTextScan_Whole(scan, "the column of an entry", 0, target->columns - 1, &column);
    if (result == pal_ok && !palTextScan_Take(scan, ":"))
        result = palTextScan_Fail(scan, "':' is expected before the value of an entry");
    if (result == pal_ok)
        result = palTextScan_Number(scan, "an entry of the matrix", false, &value);
    if (result == pal_ok)
        *entryAt(target, row, column) += value;
    return result;
}

static palResult parseColumns(palTextScan* scan, const palMatrixTarget* target)
{
    palResult result = pal_ok;
    for (int j = 0; j < target->columns && result == pal_ok; j++)
    {
        int column, first = 0, last = -1;
        result = skipTo(scan, "col");
        if (result == pal_ok)
            result = palTextScan_Whole(scan, "the number of a column", j, j, &column);
        if (result == pal_ok)
            result = skipTo(scan, "locations");
        if (result == pal_ok)
            result = palTextScan_Whole(scan, "the first entry of a column", 0, INT32_MAX, &first);
        if (result == pal_ok)
            result = skipTo(scan, "to");
        if (result == pal_ok)
            result = palTextScan_Whole(scan, "the last entry of a column", -1, INT32_MAX, &last);
        for (int k = first; k <= last && result == pal_ok; k++)
            result = parseSparseEntry(scan, target, j);
    }
    return result;
}

static palResult parseSparse(palTextScan* scan, const palMatrixTarget* target)
{
    int origin, count = 0;
    char word[64];
    palResult result = palTextScan_Whole(scan, "the form of the sparse matrix", 0, 9, &origin);
    // The second line begins with "triplet:" or with the size.
    do
        palTextScan_Word(scan, word, sizeof word);
    while (word[0] != '\0' && strcmp(word, "triplet:") != 0 && strstr(word, "-by-") == NULL);
    if (result == pal_ok && word[0] == '\0')
        result = palTextScan_Fail(scan, "the entries of the sparse matrix are missing");
    if (result == pal_ok && strcmp(word, "triplet:") != 0)
        return parseColumns(scan, target);
    if (result == pal_ok)
        result = skipTo(scan, "nnz:");
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of entries", 0, INT32_MAX, &count);
    for (int k = 0; k < count && result == pal_ok; k++)
        result = parseSparseEntry(scan, target, -1);
    return result;
}

static palResult parseSize(palTextScan* scan, const char* what, int most, int* size)
{
    return palTextScan_Whole(scan, what, *size >= 0 ? *size : 0, *size >= 0 ? *size : most, size);
}

palResult palSiconosMatrix_Head(palTextScan* scan, int most, int* type, int* rows, int* columns)
{
    palResult result = palTextScan_Whole(scan, "the matrix's storage type", 0, 2, type);
    if (result == pal_ok)
        result = parseSize(scan, "the matrix's number of rows", most, rows);
    return result == pal_ok ? parseSize(scan, "the matrix's number of columns", most, columns)
                            : result;
}

palResult palSiconosMatrix_Entries(palTextScan* scan, int type, const palMatrixTarget* target)
{
    return type == 0   ? parseDense(scan, target)
           : type == 1 ? parseBlocks(scan, target)
                       : parseSparse(scan, target);
}

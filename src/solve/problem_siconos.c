// SPDX-License-Identifier: Apache-2.0
// The text formats of Siconos Numerics for contact problems. The files do not name their format: it
// is recognised by the relations between the first integers.
//
//     friction   dimension, contacts, MATRIX, q, mu
//     LCP        size, MATRIX, q
//     mixed LCP  storage (1 0), n, m, first rows of the blocks and n + m, whether each block is
//                complementary, MATRIX, q;  or storage (0 1), n, m, A, B, C, D, a, b by rows
//     mixed LCP, old   n, m, n + m, A, B, C, D, a, b by rows
//     MATRIX     type, rows, columns, and for type 0 (dense) rows, columns and the entries by
//                columns; for type 1 (sparse blocks) the fields of parseBlockMatrix
//
// where M = [A C; D B], the n equality rows first. Data after these fields (solutions, remarks) are
// ignored.
#include "base/error.h"
#include "solve/stored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    headMax = 6,
};

// Reads the first numbers of the file, to recognise the format; missing ones are -1.
static void peek(palTextScan scan, double head[headMax])
{
    palError ignored;
    scan.error = &ignored;
    for (int i = 0; i < headMax; i++)
        if (palTextScan_Number(&scan, "", false, &head[i]) != pal_ok)
            head[i] = -1.0;
}

static bool isFlag(double value)
{
    return value == 0.0 || value == 1.0;
}

static palResult parseDense(palTextScan* scan, palStoredProblem* stored)
{
    size_t n = (size_t)stored->problem.rows;
    int rows, columns;
    palResult result =
        palTextScan_Whole(scan, "the matrix's number of rows", (int)n, (int)n, &rows);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the matrix's number of columns", rows, rows, &columns);
    for (size_t j = 0; j < n && result == pal_ok; j++)
        for (size_t i = 0; i < n && result == pal_ok; i++)
            result = palTextScan_Number(scan, "an entry of the matrix", false,
                                        &stored->W[i * (size_t)stored->problem.stride + j]);
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

static palResult parseLayout(palTextScan* scan, int n, palBlockLayout* layout)
{
    // A block has at least one row and column, so that there are at most n² blocks.
    int blocksMax = n < 40000 ? n * n : INT32_MAX;
    palResult result =
        palTextScan_Whole(scan, "the number of blocks", 0, blocksMax, &layout->blocks);
    if (result == pal_ok)
        result = palTextScan_Expect(scan, "the blocks", (size_t)layout->blocks);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of block rows", 1, n, &layout->rowBlocks);
    if (result == pal_ok)
        result =
            palTextScan_Whole(scan, "the number of block columns", 1, n, &layout->columnBlocks);
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
    result = parseWholes(scan, "the end of a block row", layout->rowBlocks, n, layout->rowEnd);
    if (result == pal_ok)
        result = parseWholes(scan, "the end of a block column", layout->columnBlocks, n,
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
                                   palStoredProblem* stored)
{
    int n = stored->problem.rows;
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
        if (layout->rowEnd[row] > n || layout->columnEnd[column] > n)
            return palTextScan_Fail(scan, "block %d extends beyond the matrix", k);
        for (int j = firstColumn; j < layout->columnEnd[column]; j++)
            for (int i = firstRow; i < layout->rowEnd[row]; i++)
            {
                double* entry = &stored->W[(size_t)i * (size_t)stored->problem.stride + (size_t)j];
                result = palTextScan_Number(scan, "an entry of a block", false, entry);
                if (result != pal_ok)
                    return result;
            }
    }
    return pal_ok;
}

// After type, rows and columns: numbers of blocks, block rows and block columns; the end of each
// block row and of each block column; length of the list of starts, number of blocks again; the
// first block of each block row, and the end; the block column of each block; then each block: its
// index and its entries by columns.
static palResult parseBlockMatrix(palTextScan* scan, palStoredProblem* stored)
{
    palBlockLayout layout = {0};
    palResult result = parseLayout(scan, stored->problem.rows, &layout);
    if (result == pal_ok)
        result = parseBlockEntries(scan, &layout, stored);
    free(layout.memory);
    return result;
}

static palResult parseMatrix(palTextScan* scan, palStoredProblem* stored)
{
    int n = stored->problem.rows;
    int type, rows, columns;
    palResult result = palTextScan_Whole(scan, "the matrix's storage type", 0, 2, &type);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the matrix's number of rows", n, n, &rows);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the matrix's number of columns", n, n, &columns);
    if (result != pal_ok)
        return result;
    if (type == 2)
    {
        palTextScan_Fail(scan, "the matrix is stored as a sparse matrix");
        return palError_Remedy(scan->error, "store it dense (type 0) or in blocks (type 1)");
    }
    return type == 0 ? parseDense(scan, stored) : parseBlockMatrix(scan, stored);
}

static palResult parseFriction(palTextScan* scan, palStoredProblem* stored)
{
    int dimension, contacts;
    palResult result = palTextScan_Whole(scan, "the dimension", 2, 3, &dimension);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of contacts", 1, pal_storedRowsMax / dimension,
                                   &contacts);
    if (result == pal_ok)
        result = palStoredProblem_Init(stored, dimension * contacts, contacts, scan->error);
    if (result != pal_ok)
        return result;
    stored->format = "Siconos friction";
    result = parseMatrix(scan, stored);
    if (result == pal_ok)
        result = palTextScan_Numbers(scan, "an entry of q", (size_t)stored->problem.rows,
                                     stored->gapFree);
    for (int i = 0; i < contacts && result == pal_ok; i++)
    {
        stored->blocks[i] =
            (palContactBlock){.law = pal_lawCone, .row = dimension * i, .size = dimension};
        result = palTextScan_Number(scan, "a friction coefficient", false, &stored->blocks[i].mu);
    }
    return result;
}

static palResult parseLinear(palTextScan* scan, palStoredProblem* stored)
{
    int size;
    palResult result = palTextScan_Whole(scan, "the size", 1, pal_storedRowsMax, &size);
    if (result == pal_ok)
        result = palStoredProblem_Init(stored, size, 1, scan->error);
    if (result != pal_ok)
        return result;
    stored->format = "Siconos LCP";
    stored->blocks[0] = (palContactBlock){.law = pal_lawUnilateral, .size = size};
    result = parseMatrix(scan, stored);
    return result == pal_ok
               ? palTextScan_Numbers(scan, "an entry of q", (size_t)size, stored->gapFree)
               : result;
}

// Reads A, B, C, D, a, b by rows into M = [A C; D B] and q = [a b].
static palResult parseParts(palTextScan* scan, int n, int m, palStoredProblem* stored)
{
    const struct
    {
        int row, column, rows, columns;
    } parts[] = {{0, 0, n, n}, {n, n, m, m}, {0, n, n, m}, {n, 0, m, n}};
    palResult result = palTextScan_Expect(scan, "the matrix", (size_t)(n + m) * (size_t)(n + m));
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < parts[k].rows && result == pal_ok; i++)
            result = palTextScan_Numbers(
                scan, "an entry of the matrix", (size_t)parts[k].columns,
                &stored->W[(size_t)(parts[k].row + i) * (size_t)stored->problem.stride +
                           (size_t)parts[k].column]);
    if (result == pal_ok)
        result = palTextScan_Numbers(scan, "an entry of q", (size_t)(n + m), stored->gapFree);
    int blocks = 0;
    if (n > 0)
        stored->blocks[blocks++] = (palContactBlock){.law = pal_lawBilateral, .size = n};
    if (m > 0)
        stored->blocks[blocks++] = (palContactBlock){.law = pal_lawUnilateral, .row = n, .size = m};
    stored->problem.blockCount = blocks;
    return result;
}

// Reads the blocks of a mixed problem with one matrix: first rows up to n + m, then their kinds.
static palResult parseMixedBlocks(palTextScan* scan, palStoredProblem* stored)
{
    int rows = stored->problem.rows;
    int count = 0, row;
    palResult result = palTextScan_Whole(scan, "the first row of a block", 0, 0, &row);
    while (result == pal_ok && row < rows)
    {
        int next;
        result = palTextScan_Whole(scan, "the first row of a block", row + 1, rows, &next);
        stored->blocks[count++] = (palContactBlock){.row = row, .size = next - row};
        row = next;
    }
    for (int i = 0; i < count && result == pal_ok; i++)
    {
        int complementary;
        result = palTextScan_Whole(scan, "the kind of a block", 0, 1, &complementary);
        stored->blocks[i].law = complementary ? pal_lawUnilateral : pal_lawBilateral;
    }
    stored->problem.blockCount = count;
    return result;
}

static palResult parseMixed(palTextScan* scan, bool old, palStoredProblem* stored)
{
    int whole = 0, parts = 1, n, m, lines;
    palResult result = pal_ok;
    if (!old)
        result = palTextScan_Whole(scan, "the storage in one matrix", 0, 1, &whole);
    if (!old && result == pal_ok)
        result = palTextScan_Whole(scan, "the storage in parts", 0, 1, &parts);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of equalities", 0, pal_storedRowsMax, &n);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of complementarities", 0,
                                   pal_storedRowsMax - n, &m);
    if (result == pal_ok && old)
        result = palTextScan_Whole(scan, "the number of lines", n + m, n + m, &lines);
    if (result == pal_ok)
        result = palStoredProblem_Init(stored, n + m, n + m + 2, scan->error);
    if (result != pal_ok)
        return result;
    stored->problem.blockCount = 0;
    stored->format = "Siconos mixed LCP";
    if (!whole)
        return parseParts(scan, n, m, stored);
    result = parseMixedBlocks(scan, stored);
    if (result == pal_ok)
        result = parseMatrix(scan, stored);
    return result == pal_ok
               ? palTextScan_Numbers(scan, "an entry of q", (size_t)(n + m), stored->gapFree)
               : result;
}

palResult palStoredProblem_ParseSiconos(palTextScan* scan, palStoredProblem* stored)
{
    double head[headMax];
    peek(*scan, head);
    bool friction = (head[0] == 2 || head[0] == 3) && head[3] == head[0] * head[1] &&
                    head[4] == head[3] && head[2] >= 0 && head[2] <= 2;
    bool mixedWhole = head[0] == 1 && isFlag(head[1]) && head[4] == 0;
    bool mixedParts = head[0] == 0 && head[1] == 1;
    bool linear =
        head[0] >= 1 && head[1] >= 0 && head[1] <= 2 && head[2] == head[0] && head[3] == head[0];
    bool mixedOld = head[0] >= 0 && head[1] >= 0 && head[2] == head[0] + head[1] && head[2] > 0;
    palResult result;
    if (friction)
        result = parseFriction(scan, stored);
    else if (mixedWhole || mixedParts)
        result = parseMixed(scan, false, stored);
    else if (linear)
        result = parseLinear(scan, stored);
    else if (mixedOld)
        result = parseMixed(scan, true, stored);
    else
    {
        palTextScan_Skip(scan);
        palTextScan_Fail(scan, "unknown format of a contact problem");
        return palError_Remedy(scan->error,
                               "use the palpate format ('palpate-problem 1'), an LCP, mixed LCP or "
                               "friction file of Siconos, or an HDF5 file of FCLib");
    }
    if (result == pal_ok)
        result = palContactProblem_Check(&stored->problem, scan->error);
    if (result == pal_ok)
        palStoredProblem_Symmetrize(stored);
    return result;
}

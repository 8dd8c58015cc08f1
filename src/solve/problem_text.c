// SPDX-License-Identifier: Apache-2.0
// Our text format of contact problems (docs/problems.md).
#include "base/error.h"
#include "base/spelling.h"
#include "solve/stored.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const magic = "palpate-problem";

enum
{
    lawMax = 16,
};

static palResult parseLaw(palCursor* cursor, palLaw* law)
{
    palCursor_Skip(cursor);
    palCursor before = *cursor;
    char word[32];
    palCursor_Word(cursor, word, sizeof word);
    const char* names[lawMax];
    int count = 0;
    for (; count < lawMax && palLawName((palLaw)count) != NULL; count++)
    {
        names[count] = palLawName((palLaw)count);
        if (strcmp(word, names[count]) == 0)
        {
            *law = (palLaw)count;
            return pal_ok;
        }
    }
    *cursor = before;
    palCursor_Fail(cursor, "unknown law '%s'", word);
    const char* near = palNearestWord(word, names, count);
    if (near != NULL)
        palError_Remedy(cursor->error, "did you mean '%s'?", near);
    else
        palError_Remedy(cursor->error, "use unilateral, bilateral, box, pyramid, cone or torsion");
    return pal_errorInput;
}

// "block LAW SIZE [mu M] [radius R] [low L] [high H]"; the word "block" is taken already.
static palResult parseBlock(palCursor* cursor, int row, int rows, palContactBlock* block)
{
    *block = (palContactBlock){.row = row, .low = -INFINITY, .high = INFINITY};
    palResult result = parseLaw(cursor, &block->law);
    if (result == pal_ok)
        result = palCursor_Whole(cursor, "the block's number of rows", 1, rows - row, &block->size);
    const struct
    {
        const char* name;
        double* value;
        bool bound;
    } parameters[] = {
        {"mu", &block->mu, false},
        {"radius", &block->radius, false},
        {"low", &block->low, true},
        {"high", &block->high, true},
    };
    for (bool more = true; more && result == pal_ok;)
    {
        more = false;
        for (int i = 0; i < 4 && result == pal_ok; i++)
            if (palCursor_Take(cursor, parameters[i].name))
            {
                result = palCursor_Number(cursor, parameters[i].name, parameters[i].bound,
                                          parameters[i].value);
                more = true;
            }
    }
    return result;
}

// The blocks up to the word "matrix", into an array of at most `rows`.
static palResult parseBlocks(palCursor* cursor, int rows, palContactBlock* blocks, int* count)
{
    int row = 0;
    *count = 0;
    while (palCursor_Take(cursor, "block"))
    {
        if (row == rows)
            return palCursor_Fail(cursor, "a block too many: the %d rows are covered", rows);
        palResult result = parseBlock(cursor, row, rows, &blocks[*count]);
        if (result != pal_ok)
            return result;
        row += blocks[(*count)++].size;
    }
    if (row < rows)
        return palCursor_Fail(cursor, "'block' is expected; %d of %d rows are covered", row, rows);
    return pal_ok;
}

static palResult parseMatrix(palCursor* cursor, palStoredProblem* stored)
{
    size_t n = (size_t)stored->problem.rows;
    size_t stride = (size_t)stored->problem.stride;
    if (!palCursor_Take(cursor, "matrix"))
        return palCursor_Fail(cursor, "'matrix' is expected");
    bool symmetric = palCursor_Take(cursor, "symmetric");
    if (!symmetric && !palCursor_Take(cursor, "full"))
        return palCursor_Fail(cursor, "'symmetric' or 'full' is expected");
    for (size_t i = 0; i < n; i++)
    {
        palResult result = palCursor_Numbers(cursor, "an entry of the matrix",
                                             symmetric ? i + 1 : n, stored->W + i * stride);
        if (result != pal_ok)
            return result;
        for (size_t j = 0; j < i && symmetric; j++)
            stored->W[j * stride + i] = stored->W[i * stride + j];
    }
    palStoredProblem_Symmetrize(stored);
    return pal_ok;
}

static palResult parseBody(palCursor* cursor, palStoredProblem* stored)
{
    size_t n = (size_t)stored->problem.rows;
    palResult result = parseMatrix(cursor, stored);
    if (result != pal_ok)
        return result;
    if (!palCursor_Take(cursor, "gap"))
        return palCursor_Fail(cursor, "'gap' is expected");
    result = palCursor_Numbers(cursor, "a gap", n, stored->gapFree);
    if (result == pal_ok && palCursor_Take(cursor, "lambda"))
    {
        stored->hasGuess = true;
        result = palCursor_Numbers(cursor, "a force", n, stored->lambda);
    }
    if (result == pal_ok && palCursor_Skip(cursor))
        return palCursor_Fail(cursor, "the problem is complete; nothing more is expected");
    return result;
}

static palResult parseOurs(palCursor* cursor, palStoredProblem* stored)
{
    int version, rows, blockCount;
    palResult result = palCursor_Whole(cursor, "the version of the format", 1, 1, &version);
    if (result != pal_ok)
        return result;
    if (!palCursor_Take(cursor, "rows"))
        return palCursor_Fail(cursor, "'rows' is expected");
    result = palCursor_Whole(cursor, "the number of rows", 0, pal_storedRowsMax, &rows);
    if (result == pal_ok)
        result = palCursor_Expect(cursor, "the matrix", (size_t)rows * ((size_t)rows + 1) / 2);
    if (result == pal_ok)
        result = palStoredProblem_Init(stored, rows, rows, cursor->error);
    if (result != pal_ok)
        return result;
    stored->format = "palpate problem";
    result = parseBlocks(cursor, rows, stored->blocks, &blockCount);
    stored->problem.blockCount = result == pal_ok ? blockCount : 0;
    if (result == pal_ok)
        result = palContactProblem_Check(&stored->problem, cursor->error);
    if (result == pal_ok)
        result = parseBody(cursor, stored);
    return result;
}

palResult palStoredProblem_Parse(const char* file, const char* text, size_t length,
                                 palStoredProblem* stored, palError* error)
{
    palError ignored;
    *stored = (palStoredProblem){0};
    palCursor cursor = palMakeCursor(file, text, length, error != NULL ? error : &ignored);
    palResult result = palCursor_Take(&cursor, magic)
                           ? parseOurs(&cursor, stored)
                           : palStoredProblem_ParseSiconos(&cursor, stored);
    if (result != pal_ok)
    {
        palStoredProblem_Free(stored);
        palError_At(error, file, 0, 0);
    }
    return result;
}

static void writeNumbers(FILE* file, size_t count, const double* numbers)
{
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s%.17g", i > 0 ? " " : "", numbers[i]);
    fputc('\n', file);
}

static void writeBlock(FILE* file, const palContactBlock* block)
{
    fprintf(file, "block %s %d", palLawName(block->law), block->size);
    if (block->law >= pal_lawPyramid)
        fprintf(file, " mu %.17g", block->mu);
    if (block->law == pal_lawTorsion)
        fprintf(file, " radius %.17g", block->radius);
    if (block->law == pal_lawBox)
        fprintf(file, " low %.17g high %.17g", block->low, block->high);
    fputc('\n', file);
}

palResult palContactProblem_Write(const palContactProblem* problem, const double* lambda,
                                  const char* path, palError* error)
{
    FILE* file = fopen(path, "w");
    if (file == NULL)
    {
        palError_Set(error, pal_errorFile, "cannot write: %s", strerror(errno));
        return palError_At(error, path, 0, 0);
    }
    size_t n = (size_t)problem->rows;
    fprintf(file, "%s 1\nrows %d\n", magic, problem->rows);
    for (int i = 0; i < problem->blockCount; i++)
        writeBlock(file, &problem->blocks[i]);
    fprintf(file, "matrix %s # m/N\n", problem->asymmetric ? "full" : "symmetric");
    for (size_t i = 0; i < n; i++)
        writeNumbers(file, problem->asymmetric ? n : i + 1,
                     problem->W + i * (size_t)problem->stride);
    fprintf(file, "gap # m\n");
    writeNumbers(file, n, problem->gapFree);
    if (lambda != NULL)
    {
        fprintf(file, "lambda # N\n");
        writeNumbers(file, n, lambda);
    }
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
    {
        palError_Set(error, pal_errorFile, "cannot write: %s", strerror(errno));
        palError_Remedy(error, "see whether the disk is full");
        return palError_At(error, path, 0, 0);
    }
    return pal_ok;
}

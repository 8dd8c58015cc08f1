// SPDX-License-Identifier: Apache-2.0
// The palpate text format of contact problems (docs/problems.md).
#include "solve/problem_text.h"
#include "base/error.h"
#include "base/file.h"
#include "base/spelling.h"
#include "solve/sparse_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* const pal_problemMagic = "palpate-problem";

enum
{
    lawMax = 16,
};

static palResult parseLaw(palTextScan* scan, palLaw* law)
{
    palTextScan_Skip(scan);
    palTextScan before = *scan;
    char word[32];
    palTextScan_Word(scan, word, sizeof word);
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
    *scan = before;
    palTextScan_Fail(scan, "unknown law '%s'", word);
    const char* suggestion = palNearestWord(word, names, count);
    if (suggestion != NULL)
        palError_Remedy(scan->error, "did you mean '%s'?", suggestion);
    else
        palError_Remedy(scan->error, "use unilateral, bilateral, box, pyramid, cone or torsion");
    return pal_errorInput;
}

// "block LAW SIZE [mu M] [radius R] [low L] [high H]"; the word "block" has been read already.
static palResult parseBlock(palTextScan* scan, int row, int rows, palContactBlock* block)
{
    *block = (palContactBlock){.row = row, .low = -INFINITY, .high = INFINITY};
    palResult result = parseLaw(scan, &block->law);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the block's number of rows", 1, rows - row, &block->size);
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
            if (palTextScan_Take(scan, parameters[i].name))
            {
                result = palTextScan_Number(scan, parameters[i].name, parameters[i].bound,
                                            parameters[i].value);
                more = true;
            }
    }
    return result;
}

// A body of a block: its number, or -1 for "world".
static palResult parseEnd(palTextScan* scan, int bodyCount, int* end)
{
    *end = -1;
    if (palTextScan_Take(scan, "world"))
        return pal_ok;
    if (bodyCount == 0)
        return palTextScan_Fail(scan, "'world' is expected: the problem has no bodies");
    return palTextScan_Whole(scan, "the number of a body", 0, bodyCount - 1, end);
}

palResult palParseBlocks(palTextScan* scan, int rows, palContactBlock* blocks, int* count,
                         int bodyCount, int (*ends)[2])
{
    int row = 0;
    *count = 0;
    while (palTextScan_Take(scan, "block"))
    {
        if (row == rows)
            return palTextScan_Fail(scan, "extra block: all %d rows are covered already", rows);
        palTextScan start = *scan;
        palResult result = parseBlock(scan, row, rows, &blocks[*count]);
        if (result == pal_ok && ends != NULL && !palTextScan_Take(scan, "between"))
        {
            *scan = start;
            palTextScan_Fail(scan, "'between' and the two bodies of the block are expected");
            result = palError_Remedy(scan->error, "write, for example, 'between 0 world'");
        }
        for (int e = 0; e < 2 && result == pal_ok && ends != NULL; e++)
            result = parseEnd(scan, bodyCount, &ends[*count][e]);
        if (result != pal_ok)
            return result;
        row += blocks[(*count)++].size;
    }
    if (row < rows)
        return palTextScan_Fail(scan, "'block' is expected; %d of %d rows are covered", row, rows);
    return pal_ok;
}

static palResult parseMatrix(palTextScan* scan, palStoredProblem* stored)
{
    size_t n = (size_t)stored->problem.rows;
    size_t stride = (size_t)stored->problem.stride;
    if (!palTextScan_Take(scan, "matrix"))
        return palTextScan_Fail(scan, "'matrix' is expected");
    bool symmetric = palTextScan_Take(scan, "symmetric");
    if (!symmetric && !palTextScan_Take(scan, "full"))
        return palTextScan_Fail(scan, "'symmetric' or 'full' is expected");
    for (size_t i = 0; i < n; i++)
    {
        palResult result = palTextScan_Numbers(scan, "an entry of the matrix",
                                               symmetric ? i + 1 : n, stored->W + i * stride);
        if (result != pal_ok)
            return result;
        for (size_t j = 0; j < i && symmetric; j++)
            stored->W[j * stride + i] = stored->W[i * stride + j];
    }
    palStoredProblem_Symmetrize(stored);
    return pal_ok;
}

static palResult parseBody(palTextScan* scan, palStoredProblem* stored)
{
    size_t n = (size_t)stored->problem.rows;
    palResult result = parseMatrix(scan, stored);
    if (result != pal_ok)
        return result;
    if (!palTextScan_Take(scan, "gap"))
        return palTextScan_Fail(scan, "'gap' is expected");
    result = palTextScan_Numbers(scan, "a gap", n, stored->gapFree);
    if (result == pal_ok && palTextScan_Take(scan, "lambda"))
    {
        stored->hasGuess = true;
        result = palTextScan_Numbers(scan, "a force", n, stored->lambda);
    }
    if (result == pal_ok && palTextScan_Skip(scan))
        return palTextScan_Fail(scan, "unexpected text after the end of the problem");
    return result;
}

static palResult parseDense(palTextScan* scan, int rows, palStoredProblem* stored)
{
    int blockCount;
    palResult result =
        palTextScan_Expect(scan, "the matrix", (size_t)rows * ((size_t)rows + 1) / 2);
    if (result == pal_ok)
        result = palStoredProblem_Init(stored, rows, rows, scan->error);
    if (result != pal_ok)
        return result;
    stored->format = "palpate problem";
    result = palParseBlocks(scan, rows, stored->blocks, &blockCount, 0, NULL);
    stored->problem.blockCount = result == pal_ok ? blockCount : 0;
    if (result == pal_ok)
        result = palContactProblem_Check(&stored->problem, scan->error);
    if (result == pal_ok)
        result = parseBody(scan, stored);
    return result;
}

palResult palParseHead(palTextScan* scan, int* rows, bool* isSparse)
{
    int version;
    *isSparse = false;
    palResult result = palTextScan_Whole(scan, "the version of the format", 1, 1, &version);
    if (result == pal_ok && !palTextScan_Take(scan, "rows"))
        return palTextScan_Fail(scan, "'rows' is expected");
    palTextScan before = *scan;
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of rows", 0, pal_sparseRowsMax, rows);
    palTextScan after = *scan;
    *isSparse = result == pal_ok && palTextScan_Take(scan, "step");
    if (!*isSparse)
        *scan = after;
    if (result != pal_ok || *isSparse || *rows <= pal_storedRowsMax)
        return result;
    *scan = before;
    palTextScan_Fail(scan, "%d rows; a problem with a matrix may have %d", *rows,
                     pal_storedRowsMax);
    return palError_Remedy(scan->error, "write it with bodies and rows instead");
}

// The dense form of a problem in the sparse one.
static palResult parseSparse(palTextScan* scan, int rows, palStoredProblem* stored)
{
    palStoredSparse sparse;
    palResult result = palStoredSparse_ParseRest(scan, rows, &sparse);
    if (result == pal_ok)
        result = palStoredSparse_ToDense(&sparse, stored, scan->error);
    palStoredSparse_Free(&sparse);
    return result;
}

static palResult parsePalpate(palTextScan* scan, palStoredProblem* stored)
{
    int rows;
    bool isSparse;
    palResult result = palParseHead(scan, &rows, &isSparse);
    if (result != pal_ok)
        return result;
    return isSparse ? parseSparse(scan, rows, stored) : parseDense(scan, rows, stored);
}

palResult palStoredProblem_Parse(const char* file, const char* text, size_t length,
                                 palStoredProblem* stored, palError* error)
{
    palError ignored;
    *stored = (palStoredProblem){0};
    palTextScan scan = palMakeTextScan(file, text, length, error != NULL ? error : &ignored);
    palResult result = palTextScan_Take(&scan, pal_problemMagic)
                           ? parsePalpate(&scan, stored)
                           : palStoredProblem_ParseSiconos(&scan, stored);
    if (result != pal_ok)
    {
        palStoredProblem_Free(stored);
        palError_At(error, file, 0, 0);
    }
    return result;
}

void palWriteNumbers(FILE* file, size_t count, const double* numbers)
{
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s%.17g", i > 0 ? " " : "", numbers[i]);
    fputc('\n', file);
}

void palWriteBlock(FILE* file, const palContactBlock* block)
{
    fprintf(file, "block %s %d", palLawName(block->law), block->size);
    if (block->law >= pal_lawPyramid)
        fprintf(file, " mu %.17g", block->mu);
    if (block->law == pal_lawTorsion)
        fprintf(file, " radius %.17g", block->radius);
    if (block->law == pal_lawBox)
        fprintf(file, " low %.17g high %.17g", block->low, block->high);
}

typedef struct palSolved
{
    const palContactProblem* problem;
    const double* lambda; // or NULL
} palSolved;

static void writeSolved(const void* data, FILE* file)
{
    const palSolved* solved = data;
    const palContactProblem* problem = solved->problem;
    size_t n = (size_t)problem->rows;
    fprintf(file, "%s 1\nrows %d\n", pal_problemMagic, problem->rows);
    for (int i = 0; i < problem->blockCount; i++)
    {
        palWriteBlock(file, &problem->blocks[i]);
        fputc('\n', file);
    }
    fprintf(file, "matrix %s # m/N\n", problem->asymmetric ? "full" : "symmetric");
    for (size_t i = 0; i < n; i++)
        palWriteNumbers(file, problem->asymmetric ? n : i + 1,
                        problem->W + i * (size_t)problem->stride);
    fprintf(file, "gap # m\n");
    palWriteNumbers(file, n, problem->gapFree);
    if (solved->lambda == NULL)
        return;
    fprintf(file, "lambda # N\n");
    palWriteNumbers(file, n, solved->lambda);
}

palResult palContactProblem_Write(const palContactProblem* problem, const double* lambda,
                                  const char* path, palError* error)
{
    return palWriteFile(path, writeSolved, &(palSolved){problem, lambda}, error);
}

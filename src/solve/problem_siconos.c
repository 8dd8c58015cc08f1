// SPDX-License-Identifier: Apache-2.0
// The text formats of Siconos Numerics for contact problems. The files do not name their format: it
// is recognised by the relations between the first integers.
//
//     friction   dimension, contacts, MATRIX, q, mu
//     global friction   dimension, contacts, MATRIX M, MATRIX H, q, b, mu
//     LCP        size, MATRIX, q
//     relay      the same, then the lower and the upper bounds of the forces
//     mixed LCP  storage (1 0), n, m, first rows of the blocks and n + m, whether each block is
//                complementary, MATRIX, q;  or storage (0 1), n, m, A, B, C, D, a, b by rows
//     mixed LCP, old   n, m, n + m, A, B, C, D, a, b by rows
//     MATRIX     siconos_matrix.h
//
// where M = [A C; D B] of mixed problems, the n equality rows first; and M v = H r + q, u = Hᵀ v +
// b of global ones, from which v is eliminated. Data after these fields (solutions, remarks) are
// ignored.
#include "base/error.h"
#include "solve/siconos_matrix.h"
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

// Reads the matrix of a problem into its W.
static palResult parseMatrix(palTextScan* scan, palStoredProblem* stored)
{
    int n = stored->problem.rows, type, rows = n, columns = n;
    palMatrixTarget target = {stored->W, n, n, (size_t)stored->problem.stride};
    palResult result = palSiconosMatrix_Head(scan, n, &type, &rows, &columns);
    return result == pal_ok ? palSiconosMatrix_Entries(scan, type, &target) : result;
}

// Reads a matrix of its own: *A, [rows][columns], which the caller frees.
static palResult parseOwnMatrix(palTextScan* scan, int* rows, int* columns, double** A)
{
    int type;
    palResult result = palSiconosMatrix_Head(scan, pal_storedRowsMax, &type, rows, columns);
    if (result != pal_ok)
        return result;
    size_t size = (size_t)*rows * (size_t)*columns + 1;
    *A = calloc(size, sizeof **A);
    if (*A == NULL)
        return palError_Memory(scan->error, "a matrix", size * sizeof **A);
    palMatrixTarget target = {*A, *rows, *columns, (size_t)*columns};
    return palSiconosMatrix_Entries(scan, type, &target);
}

static palResult parseFrictionCoefficients(palTextScan* scan, int dimension,
                                           palStoredProblem* stored)
{
    palResult result = pal_ok;
    for (int i = 0; i < stored->problem.blockCount && result == pal_ok; i++)
    {
        stored->blocks[i] =
            (palContactBlock){.law = pal_lawCone, .row = dimension * i, .size = dimension};
        result = palTextScan_Number(scan, "a friction coefficient", false, &stored->blocks[i].mu);
    }
    return result;
}

// After the matrix M of a global problem.
static palResult parseGlobalRest(palTextScan* scan, int dimension, int n, double* M,
                                 palStoredProblem* stored)
{
    int rows = n, columns = stored->problem.rows;
    double* H = NULL;
    double* f = calloc((size_t)n + 1, sizeof *f);
    double* Ht = calloc((size_t)n * (size_t)columns + 1, sizeof *Ht);
    palResult result = f != NULL && Ht != NULL ? parseOwnMatrix(scan, &rows, &columns, &H)
                                               : palError_Memory(scan->error, "a global problem",
                                                                 (size_t)n * sizeof *Ht);
    if (result == pal_ok)
        result = palTextScan_Numbers(scan, "an entry of q", (size_t)n, f);
    if (result == pal_ok)
        result = palTextScan_Numbers(scan, "an entry of b", (size_t)columns, stored->gapFree);
    if (result == pal_ok)
        result = parseFrictionCoefficients(scan, dimension, stored);
    for (int i = 0; i < n && result == pal_ok; i++)
        for (int j = 0; j < columns; j++)
            Ht[(size_t)j * (size_t)n + (size_t)i] = H[(size_t)i * (size_t)columns + (size_t)j];
    if (result == pal_ok)
        result = palStoredProblem_Condense(stored, n, M, Ht, f, scan->error);
    free(f);
    free(H);
    free(Ht);
    return result;
}

// Whether a matrix of this size follows, which no q is like.
static bool isMatrixNext(palTextScan scan, int rows, int columns)
{
    double head[headMax];
    peek(scan, head);
    return (head[0] == 0 || head[0] == 1 || head[0] == 2) && head[1] == rows && head[2] == columns;
}

static palResult parseFrictionRest(palTextScan* scan, int dimension, int n, double* M,
                                   palStoredProblem* stored)
{
    int rows = stored->problem.rows;
    if (isMatrixNext(*scan, n, rows))
    {
        stored->format = "Siconos global friction";
        return parseGlobalRest(scan, dimension, n, M, stored);
    }
    stored->format = "Siconos friction";
    if (n != rows)
        return palTextScan_Fail(scan, "the matrix has %d rows, but %d contacts have %d", n,
                                stored->problem.blockCount, rows);
    for (int i = 0; i < n; i++)
        memcpy(stored->W + (size_t)i * (size_t)stored->problem.stride, M + (size_t)i * (size_t)n,
               (size_t)n * sizeof *M);
    palResult result = palTextScan_Numbers(scan, "an entry of q", (size_t)n, stored->gapFree);
    return result == pal_ok ? parseFrictionCoefficients(scan, dimension, stored) : result;
}

// A local problem, or a global one, which has another matrix after the first.
static palResult parseFriction(palTextScan* scan, palStoredProblem* stored)
{
    int dimension, contacts, n = -1, columns = -1;
    double* M = NULL;
    palResult result = palTextScan_Whole(scan, "the dimension", 2, 3, &dimension);
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of contacts", 0, pal_storedRowsMax / dimension,
                                   &contacts);
    if (result == pal_ok)
        result = parseOwnMatrix(scan, &n, &columns, &M);
    if (result == pal_ok && columns != n)
        result = palTextScan_Fail(scan, "the matrix of %d rows and %d columns is not square", n,
                                  columns);
    if (result == pal_ok)
        result = palStoredProblem_Init(stored, dimension * contacts, contacts, scan->error);
    if (result == pal_ok)
        result = parseFrictionRest(scan, dimension, n, M, stored);
    free(M);
    return result;
}

// Whether these are forces and gaps that belong together: δ = W λ + q.
static bool areForcesAndGaps(const palStoredProblem* stored, const double* lambda,
                             const double* gap)
{
    int n = stored->problem.rows;
    double error = 0.0, largest = 0.0;
    for (int i = 0; i < n; i++)
    {
        double sum = stored->gapFree[i];
        for (int j = 0; j < n; j++)
            sum += stored->W[(size_t)i * (size_t)stored->problem.stride + (size_t)j] * lambda[j];
        error = fmax(error, fabs(sum - gap[i]));
        largest = fmax(largest, fabs(gap[i]));
    }
    return error <= 1e-5 * largest; // files have six digits and more
}

// After q an LCP may have its solution, and a relay has its bounds: just so many numbers, each
// lower bound below its upper one, which are not forces and gaps.
static void parseBounds(palTextScan scan, double* bounds, palStoredProblem* stored)
{
    palError ignored;
    scan.error = &ignored;
    size_t n = (size_t)stored->problem.rows;
    bool isRelay = palTextScan_Numbers(&scan, "", 2 * n, bounds) == pal_ok &&
                   !palTextScan_Skip(&scan) && !areForcesAndGaps(stored, bounds, bounds + n);
    for (size_t i = 0; i < n; i++)
        isRelay = isRelay && bounds[i] < bounds[n + i];
    if (!isRelay)
        return;
    stored->format = "Siconos relay";
    stored->problem.blockCount = (int)n;
    for (size_t i = 0; i < n; i++)
        stored->blocks[i] = (palContactBlock){
            .law = pal_lawBox, .row = (int)i, .size = 1, .low = bounds[i], .high = bounds[n + i]};
}

static palResult parseLinear(palTextScan* scan, palStoredProblem* stored)
{
    int size;
    palResult result = palTextScan_Whole(scan, "the size", 1, pal_storedRowsMax, &size);
    if (result == pal_ok)
        result = palStoredProblem_Init(stored, size, size, scan->error);
    if (result != pal_ok)
        return result;
    stored->format = "Siconos LCP";
    stored->problem.blockCount = 1;
    stored->blocks[0] = (palContactBlock){.law = pal_lawUnilateral, .size = size};
    result = parseMatrix(scan, stored);
    if (result == pal_ok)
        result = palTextScan_Numbers(scan, "an entry of q", (size_t)size, stored->gapFree);
    double* bounds = malloc(2 * (size_t)size * sizeof *bounds);
    if (result == pal_ok && bounds == NULL)
        result = palError_Memory(scan->error, "bounds", 2 * (size_t)size * sizeof *bounds);
    if (result == pal_ok)
        parseBounds(*scan, bounds, stored);
    free(bounds);
    return result;
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
    // A sparse matrix is recognised by its name; other numbers might be those of an LCP in blocks.
    bool isMatrix = head[1] >= 0 && head[2] >= 0 && head[3] == head[4] &&
                    (head[2] <= 1 || (head[2] == 2 && strstr(scan->text, "CSparse") != NULL));
    bool friction = (head[0] == 2 || head[0] == 3) && isMatrix;
    bool rolling = head[0] == 5 && isMatrix;
    bool mixedWhole = head[0] == 1 && isFlag(head[1]) && head[4] == 0;
    bool mixedParts = head[0] == 0 && head[1] == 1;
    bool linear =
        head[0] >= 1 && head[1] >= 0 && head[1] <= 2 && head[2] == head[0] && head[3] == head[0];
    bool mixedOld = head[0] >= 0 && head[1] >= 0 && head[2] == head[0] + head[1] && head[2] > 0;
    palResult result;
    if (rolling)
    {
        palTextScan_Skip(scan);
        palTextScan_Fail(scan, "problems with rolling friction (dimension 5) are not supported");
        return palError_Remedy(scan->error, "use friction problems in two or three dimensions");
    }
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
                               "use the palpate format ('palpate-problem 1'), an LCP, mixed LCP, "
                               "relay or friction file of Siconos, or an HDF5 file of FCLib");
    }
    if (result == pal_ok)
        result = palContactProblem_Check(&stored->problem, scan->error);
    if (result == pal_ok)
        palStoredProblem_Symmetrize(stored);
    return result;
}

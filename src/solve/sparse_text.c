// SPDX-License-Identifier: Apache-2.0
#include "solve/sparse_text.h"

#include "base/error.h"
#include "base/file.h"
#include "solve/problem_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The size limit of a file: a million rows of twelve numbers.
static const size_t sparseBytesMax = (size_t)1 << 30;

//--------------------------------------------------------------------------------------------------
// Reading

// Six numbers of a symmetric matrix, its lower triangle row by row: xx, xy, yy, xz, yz, zz.
static palResult parseInertia(palTextScan* scan, palMat3* inertia)
{
    double n[6];
    palResult result = palTextScan_Numbers(scan, "an inertia", 6, n);
    *inertia = (palMat3){{{n[0], n[1], n[3]}, {n[1], n[2], n[4]}, {n[3], n[4], n[5]}}};
    return result;
}

// Whether a symmetric matrix has no negative eigenvalue, up to rounding.
static bool isSemiDefinite(const palMat3* a)
{
    const double(*m)[3] = a->m;
    double trace = m[0][0] + m[1][1] + m[2][2];
    double minors = m[0][0] * m[1][1] - m[0][1] * m[0][1] + m[0][0] * m[2][2] - m[0][2] * m[0][2] +
                    m[1][1] * m[2][2] - m[1][2] * m[1][2];
    const double rounding = 1e-12;
    return trace >= 0.0 && minors >= -rounding * trace * trace &&
           palMat3Determinant(*a) >= -rounding * trace * trace * trace &&
           fmin(m[0][0], fmin(m[1][1], m[2][2])) >= 0.0;
}

// "body inverse M I...", "body mass M I..." or "body fixed".
static palResult parseMass(palTextScan* scan, palInverseMass* body)
{
    *body = (palInverseMass){0};
    if (!palTextScan_Take(scan, "body"))
        return palTextScan_Fail(scan, "'body' is expected");
    if (palTextScan_Take(scan, "fixed"))
        return pal_ok;
    bool isInverse = palTextScan_Take(scan, "inverse");
    if (!isInverse && !palTextScan_Take(scan, "mass"))
        return palTextScan_Fail(scan, "'mass', 'inverse' or 'fixed' is expected");
    palTextScan before = *scan;
    double mass;
    palMat3 inertia;
    palResult result = palTextScan_Number(scan, "a mass", false, &mass);
    if (result == pal_ok)
        result = parseInertia(scan, &inertia);
    if (result != pal_ok)
        return result;
    bool isValid = mass >= 0.0 && isSemiDefinite(&inertia);
    *body = (palInverseMass){.mass = mass, .inertia = inertia};
    if (!isInverse)
    {
        body->mass = 1.0 / mass;
        isValid = isValid && mass > 0.0 && palMat3Inverse(inertia, &body->inertia);
    }
    double sum = body->mass + body->inertia.m[0][0] + body->inertia.m[1][1];
    if (isValid && isfinite(sum + body->inertia.m[2][2] + body->inertia.m[1][0]))
        return pal_ok;
    *scan = before;
    palTextScan_Fail(scan, "no body has this mass and inertia");
    return palError_Remedy(scan->error, isInverse
                                            ? "a mass and an inertia have no negative eigenvalues"
                                            : "both must be positive; write 'fixed' for a body "
                                              "that does not move");
}

static palResult parseMasses(palTextScan* scan, palStoredSparse* stored)
{
    palResult result = pal_ok;
    for (int i = 0; i < stored->problem.bodyCount && result == pal_ok; i++)
        result = parseMass(scan, &stored->bodies[i]);
    return result;
}

static palResult parseRows(palTextScan* scan, palStoredSparse* stored)
{
    if (!palTextScan_Take(scan, "jacobian"))
        return palTextScan_Fail(scan, "'jacobian' is expected");
    for (int i = 0; i < stored->problem.rows; i++)
        for (int e = 0; e < 2; e++)
        {
            double n[6];
            palResult result = palTextScan_Numbers(scan, "a force or torque of a row", 6, n);
            if (result != pal_ok)
                return result;
            stored->J[i].wrench[e] = (palWrench){{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
        }
    return pal_ok;
}

static palResult parseSoftness(palTextScan* scan, palStoredSparse* stored)
{
    for (int i = 0; i < stored->problem.rows; i++)
    {
        palTextScan_Skip(scan);
        palTextScan before = *scan;
        palResult result = palTextScan_Number(scan, "a softness", false, &stored->softness[i]);
        if (result == pal_ok && stored->softness[i] < 0.0)
        {
            *scan = before;
            palTextScan_Fail(scan, "the softness %g must not be negative", stored->softness[i]);
            result = palError_Remedy(scan->error, "write 0 for a rigid row");
        }
        if (result != pal_ok)
            return result;
    }
    return pal_ok;
}

// Everything after the blocks.
static palResult parseNumbers(palTextScan* scan, palStoredSparse* stored)
{
    size_t n = (size_t)stored->problem.rows;
    palResult result = parseRows(scan, stored);
    if (result == pal_ok && !palTextScan_Take(scan, "gap"))
        return palTextScan_Fail(scan, "'gap' is expected");
    if (result == pal_ok)
        result = palTextScan_Numbers(scan, "a gap", n, stored->gapFree);
    if (result == pal_ok && palTextScan_Take(scan, "softness"))
        result = parseSoftness(scan, stored);
    if (result == pal_ok && palTextScan_Take(scan, "lambda"))
    {
        stored->hasGuess = true;
        result = palTextScan_Numbers(scan, "a force", n, stored->lambda);
    }
    if (result == pal_ok && palTextScan_Skip(scan))
        return palTextScan_Fail(scan, "unexpected text after the end of the problem");
    return result;
}

// The blocks, checked.
static palResult parseBlocks(palTextScan* scan, palStoredSparse* stored)
{
    palSparseProblem* problem = &stored->problem;
    palResult result = palParseBlocks(scan, problem->rows, stored->blocks, &problem->blockCount,
                                      problem->bodyCount, stored->ends);
    const palContactProblem blocks = {
        .rows = problem->rows,
        .blockCount = problem->blockCount,
        .stride = problem->rows,
        .blocks = stored->blocks,
    };
    return result == pal_ok ? palContactProblem_Check(&blocks, scan->error) : result;
}

palResult palStoredSparse_ParseRest(palTextScan* scan, int rows, palStoredSparse* stored)
{
    *stored = (palStoredSparse){0};
    palTextScan before = *scan;
    double h;
    int bodyCount = 0;
    palResult result = palTextScan_Number(scan, "the time step", false, &h);
    if (result == pal_ok && !(h > 0.0))
    {
        *scan = before;
        result = palTextScan_Fail(scan, "the time step %g must be positive", h);
    }
    if (result == pal_ok && !palTextScan_Take(scan, "bodies"))
        result = palTextScan_Fail(scan, "'bodies' is expected");
    if (result == pal_ok)
        result = palTextScan_Whole(scan, "the number of bodies", 0, pal_sparseRowsMax, &bodyCount);
    // A row has thirteen numbers, a body at least two words.
    if (result == pal_ok)
        result =
            palTextScan_Expect(scan, "bodies and rows", 13 * (size_t)rows + 2 * (size_t)bodyCount);
    if (result == pal_ok)
        result = palStoredSparse_Init(stored, bodyCount, rows, rows, scan->error);
    stored->problem.h = h;
    if (result == pal_ok)
        result = parseMasses(scan, stored);
    if (result == pal_ok)
        result = parseBlocks(scan, stored);
    if (result == pal_ok)
        result = parseNumbers(scan, stored);
    if (result != pal_ok)
        palStoredSparse_Free(stored);
    return result;
}

palResult palStoredSparse_Parse(const char* file, const char* text, size_t length, bool* isSparse,
                                palStoredSparse* stored, palError* error)
{
    palError ignored;
    palTextScan scan = palMakeTextScan(file, text, length, &ignored);
    int rows;
    *stored = (palStoredSparse){0};
    *isSparse = false;
    if (palTextScan_Take(&scan, pal_problemMagic))
        palParseHead(&scan, &rows, isSparse);
    if (!*isSparse)
        return pal_ok;
    scan.error = error != NULL ? error : &ignored;
    palResult result = palStoredSparse_ParseRest(&scan, rows, stored);
    if (result != pal_ok)
        palError_At(scan.error, file, 0, 0);
    return result;
}

palResult palStoredSparse_Read(const char* path, bool* isSparse, palStoredSparse* stored,
                               palError* error)
{
    char* text;
    size_t length;
    *stored = (palStoredSparse){0};
    *isSparse = false;
    palResult result = palReadFile(path, sparseBytesMax, &text, &length, error);
    if (result == pal_ok)
        result = palStoredSparse_Parse(path, text, length, isSparse, stored, error);
    free(text);
    return result;
}

palResult palStoredSparse_ToDense(const palStoredSparse* sparse, palStoredProblem* stored,
                                  palError* error)
{
    const palSparseProblem* problem = &sparse->problem;
    size_t n = (size_t)problem->rows;
    if (problem->rows > pal_storedRowsMax)
    {
        palError_Set(error, pal_errorInput, "%d rows; solvers that need W may have %d",
                     problem->rows, pal_storedRowsMax);
        return palError_Remedy(error, "use gauss-seidel or conjugate");
    }
    palResult result = palStoredProblem_Init(stored, problem->rows, problem->blockCount, error);
    if (result != pal_ok)
        return result;
    stored->problem.stride = problem->rows;
    palSparseProblem_Dense(problem, stored->W);
    memcpy(stored->gapFree, sparse->gapFree, n * sizeof(double));
    memcpy(stored->lambda, sparse->lambda, n * sizeof(double));
    memcpy(stored->blocks, sparse->blocks, (size_t)problem->blockCount * sizeof *stored->blocks);
    stored->hasGuess = sparse->hasGuess;
    stored->format = "palpate problem of bodies";
    return pal_ok;
}

//--------------------------------------------------------------------------------------------------
// Writing

typedef struct palSparseSolved
{
    const palSparseProblem* problem;
    const double* lambda; // or NULL
} palSparseSolved;

static void writeMass(FILE* file, const palInverseMass* body)
{
    const double(*I)[3] = body->inertia.m;
    const double numbers[7] = {body->mass, I[0][0], I[1][0], I[1][1], I[2][0], I[2][1], I[2][2]};
    bool isFixed = true;
    for (int i = 0; i < 7; i++)
        isFixed &= numbers[i] == 0.0;
    if (isFixed)
    {
        fprintf(file, "body fixed\n");
        return;
    }
    fprintf(file, "body inverse ");
    palWriteNumbers(file, 7, numbers);
}

static void writeEnd(FILE* file, int end)
{
    if (end < 0)
        fprintf(file, " world");
    else
        fprintf(file, " %d", end);
}

static void writeSolved(const void* data, FILE* file)
{
    const palSparseSolved* solved = data;
    const palSparseProblem* problem = solved->problem;
    size_t n = (size_t)problem->rows;
    fprintf(file, "%s 1\nrows %d\nstep %.17g # s\n", pal_problemMagic, problem->rows, problem->h);
    fprintf(file, "bodies %d # 1/kg, 1/(kg m2)\n", problem->bodyCount);
    for (int i = 0; i < problem->bodyCount; i++)
        writeMass(file, &problem->bodies[i]);
    for (int i = 0; i < problem->blockCount; i++)
    {
        palWriteBlock(file, &problem->blocks[i]);
        fprintf(file, " between");
        writeEnd(file, problem->ends[i][0]);
        writeEnd(file, problem->ends[i][1]);
        fputc('\n', file);
    }
    fprintf(file, "jacobian\n");
    for (size_t i = 0; i < n; i++)
    {
        const palWrench* w = problem->J[i].wrench;
        const double numbers[12] = {w[0].force.x,  w[0].force.y,  w[0].force.z,  w[0].torque.x,
                                    w[0].torque.y, w[0].torque.z, w[1].force.x,  w[1].force.y,
                                    w[1].force.z,  w[1].torque.x, w[1].torque.y, w[1].torque.z};
        palWriteNumbers(file, 12, numbers);
    }
    fprintf(file, "gap # m\n");
    palWriteNumbers(file, n, problem->gapFree);
    fprintf(file, "softness # m/N\n");
    palWriteNumbers(file, n, problem->softness);
    if (solved->lambda == NULL)
        return;
    fprintf(file, "lambda # N\n");
    palWriteNumbers(file, n, solved->lambda);
}

palResult palSparseProblem_Write(const palSparseProblem* problem, const double* lambda,
                                 const char* path, palError* error)
{
    return palWriteFile(path, writeSolved, &(palSparseSolved){problem, lambda}, error);
}

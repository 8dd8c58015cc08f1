// SPDX-License-Identifier: Apache-2.0
#include "solve/stored.h"

#include "base/error.h"
#include "base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The size limit of a problem file: 6000 rows have 36 million numbers of 25 bytes; larger problems
// are sparse.
static const size_t problemBytesMax = (size_t)1 << 30;

palResult palStoredProblem_Init(palStoredProblem* stored, int rows, int blockCount, palError* error)
{
    *stored = (palStoredProblem){.format = ""};
    // Rows are aligned to 64-byte cache lines.
    int stride = (rows + 7) / 8 * 8;
    size_t count = (size_t)rows * (size_t)stride;
    stored->W = calloc(count + 1, sizeof(double));
    stored->gapFree = calloc((size_t)rows + 1, sizeof(double));
    stored->lambda = calloc((size_t)rows + 1, sizeof(double));
    stored->blocks = calloc((size_t)blockCount + 1, sizeof(palContactBlock));
    if (stored->W == NULL || stored->gapFree == NULL || stored->lambda == NULL ||
        stored->blocks == NULL)
    {
        palStoredProblem_Free(stored);
        return palError_Memory(error, "a contact problem", count * sizeof(double));
    }
    stored->problem = (palContactProblem){
        .rows = rows,
        .blockCount = blockCount,
        .stride = stride,
        .W = stored->W,
        .gapFree = stored->gapFree,
        .blocks = stored->blocks,
    };
    return pal_ok;
}

void palStoredProblem_Free(palStoredProblem* stored)
{
    free(stored->W);
    free(stored->gapFree);
    free(stored->blocks);
    free(stored->lambda);
    *stored = (palStoredProblem){0};
}

void palStoredProblem_Symmetrize(palStoredProblem* stored)
{
    size_t n = (size_t)stored->problem.rows;
    size_t stride = (size_t)stored->problem.stride;
    double* W = stored->W;
    double largest = 0.0, difference = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
        {
            largest = fmax(largest, fmax(fabs(W[i * stride + j]), fabs(W[j * stride + i])));
            difference = fmax(difference, fabs(W[i * stride + j] - W[j * stride + i]));
        }
    stored->problem.asymmetric = difference > 1e-12 * largest;
    if (stored->problem.asymmetric)
        return;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            W[i * stride + j] = W[j * stride + i] =
                0.5 * W[i * stride + j] + 0.5 * W[j * stride + i];
}

palResult palStoredProblem_Read(const char* path, palStoredProblem* stored, palError* error)
{
    *stored = (palStoredProblem){0};
    char* text;
    size_t length;
    palResult result = palReadFile(path, problemBytesMax, &text, &length, error);
    if (result == pal_ok)
    {
        bool hdf5 = length >= 8 && memcmp(text, "\211HDF\r\n\032\n", 8) == 0;
        result = hdf5 ? palStoredProblem_ReadFclib(path, stored, error)
                      : palStoredProblem_Parse(path, text, length, stored, error);
    }
    free(text);
    if (result != pal_ok)
        palStoredProblem_Free(stored);
    return result;
}

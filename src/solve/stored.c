// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "solve/sample.h"

#include <stdlib.h>

palResult palStoredProblem_Init(palStoredProblem* stored, int rows, int blockCount, palError* error)
{
    *stored = (palStoredProblem){.format = ""};
    // Rows start on 64-byte lines of their own.
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

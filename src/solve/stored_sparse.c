// SPDX-License-Identifier: Apache-2.0
#include "solve/stored_sparse.h"

#include "base/error.h"

#include <stdlib.h>

palResult palStoredSparse_Init(palStoredSparse* stored, int bodyCount, int rows, int blockCount,
                               palError* error)
{
    size_t n = (size_t)rows + 1, blocks = (size_t)blockCount + 1, bodies = (size_t)bodyCount + 1;
    *stored = (palStoredSparse){
        .bodies = calloc(bodies, sizeof *stored->bodies),
        .J = calloc(n, sizeof *stored->J),
        .gapFree = calloc(n, sizeof *stored->gapFree),
        .softness = calloc(n, sizeof *stored->softness),
        .blocks = calloc(blocks, sizeof *stored->blocks),
        .ends = calloc(blocks, sizeof *stored->ends),
        .lambda = calloc(n, sizeof *stored->lambda),
    };
    if (stored->bodies == NULL || stored->J == NULL || stored->gapFree == NULL ||
        stored->softness == NULL || stored->blocks == NULL || stored->ends == NULL ||
        stored->lambda == NULL)
    {
        palStoredSparse_Free(stored);
        return palError_Memory(error, "a contact problem", n * sizeof *stored->J);
    }
    stored->problem = (palSparseProblem){
        .bodyCount = bodyCount,
        .bodies = stored->bodies,
        .rows = rows,
        .J = stored->J,
        .gapFree = stored->gapFree,
        .softness = stored->softness,
        .blockCount = blockCount,
        .blocks = stored->blocks,
        .ends = (const int(*)[2])stored->ends,
    };
    return pal_ok;
}

void palStoredSparse_Free(palStoredSparse* stored)
{
    free(stored->bodies);
    free(stored->J);
    free(stored->gapFree);
    free(stored->softness);
    free(stored->blocks);
    free(stored->ends);
    free(stored->lambda);
    *stored = (palStoredSparse){0};
}

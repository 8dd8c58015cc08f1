// SPDX-License-Identifier: Apache-2.0
#include "body/row_space.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum
{
    fullDepth = 4,    // vectors a row: M⁻¹Jᵀ, x1, x2, x3
    instantDepth = 3, // from which on M⁻¹Jᵀ is one of them
};

_Static_assert((int)pal_rowSpaceColumns <= (int)pal_modesMax, "a mode for every column");

palResult palRowSpace_Init(palRowSpace* space, const palReducible* body, int rowCapacity,
                           palError* error)
{
    int least = rowCapacity + pal_rowSpaceExtras;
    int columns = least > pal_rowSpaceColumns ? least : pal_rowSpaceColumns;
    size_t bytes = palReduction_WorkSize(columns) * sizeof(double);
    *space = (palRowSpace){.rowCapacity = rowCapacity, .work = malloc(bytes)};
    palResult result = space->work != NULL
                           ? palReducedBody_Init(&space->body, body, columns, error)
                           : palError_Memory(error, "the response of a body", bytes);
    if (result == pal_ok)
        result = palReduction_Init(&space->reduction, columns, space->work, error);
    if (result != pal_ok)
        palRowSpace_Free(space);
    space->bodies[0] = &space->body;
    space->reduction.bodies = space->bodies;
    space->reduction.bodyCount = 1;
    return result;
}

void palRowSpace_Free(palRowSpace* space)
{
    palReducedBody_Free(&space->body);
    palReduction_Free(&space->reduction);
    free(space->work);
    space->work = NULL;
}

// Appends A⁻¹ of the first `count` right-hand sides.
static void appendSolutions(palRowSpace* space, int count)
{
    const palReducible* ops = &space->body.ops;
    ops->solve(ops->body, count, space->body.MV,
               palReducedBody_Column(&space->body, space->reduction.denseCount));
    space->reduction.denseCount += count;
}

// Appends A⁻¹ M x for the `count` columns from `first` on.
static void appendSuccessors(palRowSpace* space, int first, int count)
{
    const palReducible* ops = &space->body.ops;
    ops->mass(ops->body, count, palReducedBody_Column(&space->body, first), space->body.MV);
    appendSolutions(space, count);
}

// Returns false where the state is not finite.
static bool collectColumns(palRowSpace* space, const palSparseRow* rows, int rowCount,
                           const double* balance, double h)
{
    const palReducible* ops = &space->body.ops;
    palReduction* reduction = &space->reduction;
    size_t size = (size_t)ops->size;
    double* unbalanced = palReducedBody_Right(&space->body, rowCount);
    double* velocity = space->body.KV;
    memset(space->body.MV, 0, (size_t)rowCount * size * sizeof(double));
    for (int r = 0; r < rowCount; r++)
        palSparseRow_Add(&rows[r], 1.0, palReducedBody_Right(&space->body, r));
    ops->state(ops->body, unbalanced, velocity);
    for (size_t i = 0; i < size; i++)
        unbalanced[i] += balance[i];
    int first = reduction->denseCount = space->depth >= instantDepth ? rowCount : 0;
    ops->instant(ops->body, h, first, space->body.MV, space->body.V);
    appendSolutions(space, rowCount + 1);
    // The body settles along this one.
    if (!ops->refine(ops->body, unbalanced, palReducedBody_Column(&space->body, first + rowCount)))
        return false;
    if (space->depth > 1)
        appendSuccessors(space, first, rowCount + 1);
    else
        appendSuccessors(space, first + rowCount, 1);
    if (space->depth >= fullDepth)
        appendSuccessors(space, first + rowCount + 1, rowCount);
    memcpy(palReducedBody_Column(&space->body, reduction->denseCount++), velocity,
           size * sizeof *velocity);
    if (ops->rigid != NULL)
    {
        ops->rigid(ops->body, palReducedBody_Column(&space->body, reduction->denseCount),
                   palReducedBody_Column(&space->body, reduction->denseCount + 1));
        reduction->denseCount += 2;
    }
    palReduction_Normalise(reduction, 0, reduction->denseCount);
    return true;
}

static int depthFor(int rowCount)
{
    for (int depth = fullDepth; depth > 1; depth--)
        if (depth * rowCount + pal_rowSpaceExtras <= pal_rowSpaceColumns)
            return depth;
    return 1;
}

bool palRowSpace_Build(palRowSpace* space, const palSparseRow* rows, int rowCount,
                       const double* balance, double h)
{
    const palReducible* ops = &space->body.ops;
    space->reduction.modes.count = 0;
    space->depth = depthFor(rowCount);
    space->factored = ops->size > 0 && rowCount <= space->rowCapacity &&
                      ops->factor(ops->body, pal_reductionStep) &&
                      collectColumns(space, rows, rowCount, balance, h);
    return space->factored && palReduction_FindModes(&space->reduction, h);
}

void palRowSpace_Archive(palRowSpace* space, palArchive* archive)
{
    palReduction_Archive(&space->reduction, archive);
    palReducedBody_Archive(&space->body, space->reduction.denseCount, archive);
}

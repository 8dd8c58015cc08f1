// SPDX-License-Identifier: Apache-2.0
#include "body/response.h"

#include "base/error.h"
#include "body/response_space.h"

#include <stdlib.h>

palResult palResponse_Create(const palSoftFactorDef* def, palSoftBody* body, int nodes, bool isTied,
                             palResponse** response, palError* error)
{
    *response = NULL;
    palResponse* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the response of a soft body", sizeof *created);
    // A touched node that is tied has no unit columns: theirs are dense.
    int units = 3 * nodes, others = pal_responseDenseMax - pal_responseUnitsMax;
    int columns = units + others + (isTied ? units : 0);
    created->nodes = nodes;
    palResult result = palReducibleSoft_Init(&created->soft, body, def, error);
    palReducible ops = palReducibleSoft_Ops(&created->soft);
    if (result == pal_ok)
        result = palReducedBody_Init(&created->columns, &ops, columns, error);
    if (result == pal_ok && palResponse_IsLarge(created))
    {
        size_t bytes = (size_t)units * palResponse_Rows(created) * sizeof(double);
        created->kept = malloc(bytes);
        if (created->kept == NULL)
            result = palError_Memory(error, "the response of a soft body", bytes);
    }
    if (result != pal_ok)
    {
        palResponse_Destroy(created);
        return result;
    }
    *response = created;
    return pal_ok;
}

void palResponse_Destroy(palResponse* response)
{
    if (response == NULL)
        return;
    palReducibleSoft_Free(&response->soft);
    palReducedBody_Free(&response->columns);
    free(response->kept);
    free(response);
}

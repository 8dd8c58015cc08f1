// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool_gap.h"

#include "base/error.h"

#include <stdlib.h>

palResult palToolGap_Init(palToolGap* gap, const palCollider* colliders, int colliderCount,
                          const palVec3* points, int count, palError* error)
{
    *gap = (palToolGap){
        .colliders = colliders,
        .colliderCount = colliderCount,
        .points = points,
        .count = count,
        .turn = pal_identityQuat,
    };
    gap->least = malloc(((size_t)count + 1) * sizeof *gap->least);
    if (gap->least == NULL)
        return palError_Memory(error, "the gaps of a tool", (size_t)count * sizeof *gap->least);
    for (int i = 0; i < count; i++)
    {
        gap->least[i] = -INFINITY;
        gap->extent = fmax(gap->extent, palLength(points[i]));
    }
    return pal_ok;
}

void palToolGap_Free(palToolGap* gap)
{
    free(gap->least);
    *gap = (palToolGap){0};
}

// Looks at one point.
static double look(palToolGap* gap, const palHandRecord* record, int i)
{
    palVec3 x = palAdd(record->proxy, palRotate(record->proxyTurn, gap->points[i]));
    double least = INFINITY;
    for (int k = 0; k < gap->colliderCount; k++)
    {
        palNearest nearest;
        if (gap->colliders[k].soft == NULL &&
            palColliders_Nearest(&gap->colliders[k], 1, x, fabs(least), &nearest))
            least = nearest.gap;
    }
    gap->least[i] = least + gap->moved;
    return least;
}

double palToolGap_Find(palToolGap* gap, const palHandRecord* record)
{
    // A turn by θ moves a point at r by 2 r sin(θ/2) at most.
    palQuat turn = palMulQuat(record->proxyTurn, palConjugate(gap->turn));
    double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    gap->moved += palDistance(record->proxy, gap->proxy) + 2.0 * gap->extent * sine;
    gap->proxy = record->proxy;
    gap->turn = record->proxyTurn;
    double best = gap->count > 0 ? look(gap, record, gap->nearest) : INFINITY;
    for (int i = 0; i < gap->count; i++)
    {
        if (gap->least[i] - gap->moved >= best)
            continue;
        double found = look(gap, record, i);
        if (found >= best)
            continue;
        best = found;
        gap->nearest = i;
    }
    return best;
}

// SPDX-License-Identifier: Apache-2.0
#include "touch/patch.h"

#include "base/error.h"

#include <float.h>
#include <stdlib.h>

palResult palPatch_Init(palPatch* patch, palError* error)
{
    *patch = (palPatch){0};
    patch->limited = calloc(pal_patchMax, sizeof *patch->limited);
    patch->planes = calloc(pal_patchMax, sizeof *patch->planes);
    patch->boxes = calloc(pal_patchRunsMax, sizeof *patch->boxes);
    patch->groups = calloc(pal_patchGroupsMax, sizeof *patch->groups);
    patch->blocks = calloc(pal_patchBlocksMax, sizeof *patch->blocks);
    if (patch->limited == NULL || patch->planes == NULL || patch->boxes == NULL ||
        patch->groups == NULL || patch->blocks == NULL)
    {
        palPatch_Free(patch);
        return palError_Memory(error, "a patch of limited constraints",
                               pal_patchMax * sizeof *patch->limited);
    }
    return pal_ok;
}

void palPatch_Free(palPatch* patch)
{
    free(patch->limited);
    free(patch->planes);
    free(patch->boxes);
    free(patch->groups);
    free(patch->blocks);
    *patch = (palPatch){0};
}

void palPatch_Archive(palPatch* patch, palArchive* archive)
{
    PAL_ARCHIVE(archive, patch->origin);
    PAL_ARCHIVE(archive, patch->count);
    PAL_ARCHIVE(archive, patch->runCount);
    PAL_ARCHIVE(archive, patch->groupCount);
    PAL_ARCHIVE(archive, patch->blockCount);
    PAL_ARCHIVE(archive, patch->stride);
    PAL_ARCHIVE(archive, patch->overhang);
    PAL_ARCHIVE_ARRAY(archive, patch->limited, patch->count);
    PAL_ARCHIVE_ARRAY(archive, patch->planes, patch->count);
    PAL_ARCHIVE_ARRAY(archive, patch->boxes, patch->runCount);
    PAL_ARCHIVE_ARRAY(archive, patch->groups, patch->groupCount);
    PAL_ARCHIVE_ARRAY(archive, patch->blocks, patch->blockCount);
}

void palPatch_Clear(palPatch* patch, palVec3 origin)
{
    patch->origin = origin;
    patch->count = 0;
    patch->runCount = 0;
    patch->groupCount = 0;
    patch->blockCount = 0;
    patch->stride = INFINITY;
    patch->overhang = 0.0;
}

// A float below or above, by at least the distance to the next one, so that rounding never makes a
// box too small.
static float below(double value)
{
    float rounded = (float)value;
    return rounded - (FLT_EPSILON * fabsf(rounded) + FLT_MIN);
}

static float above(double value)
{
    return -below(-value);
}

// The box of one constraint: its corners, and its limits where they go beyond them.
static palPatchBox boxOf(const palPatch* patch, const palLimited* limited)
{
    palVec3 reach = palMakeVec3(limited->reach, limited->reach, limited->reach);
    palVec3 low = palSub(limited->c, reach);
    palVec3 high = palAdd(limited->c, reach);
    for (int i = 0; i < limited->cornerCount; i++)
    {
        low = palMinVec3(low, limited->corner[i]);
        high = palMaxVec3(high, limited->corner[i]);
    }
    low = palSub(low, patch->origin);
    high = palSub(high, patch->origin);
    return (palPatchBox){{below(low.x), below(low.y), below(low.z)},
                         {above(high.x), above(high.y), above(high.z)}};
}

// Starts a box, or extends it.
static void extend(palPatchBox* box, const palPatchBox* by, bool isNew)
{
    for (int k = 0; k < 3; k++)
    {
        box->low[k] = isNew || by->low[k] < box->low[k] ? by->low[k] : box->low[k];
        box->high[k] = isNew || by->high[k] > box->high[k] ? by->high[k] : box->high[k];
    }
}

bool palPatch_Add(palPatch* patch, const palLimited* limited)
{
    if (patch->count == pal_patchMax)
        return false;
    palPatchBox box = boxOf(patch, limited);
    bool newRun = patch->count % pal_patchRun == 0;
    bool newGroup = patch->count % (pal_patchRun * pal_patchGroup) == 0;
    bool newBlock = patch->count % (pal_patchRun * pal_patchGroup * pal_patchBlock) == 0;
    patch->runCount += newRun;
    patch->groupCount += newGroup;
    patch->blockCount += newBlock;
    extend(&patch->boxes[patch->runCount - 1], &box, newRun);
    extend(&patch->groups[patch->groupCount - 1], &box, newGroup);
    extend(&patch->blocks[patch->blockCount - 1], &box, newBlock);
    if (limited->kind == pal_limitedPoint)
    {
        patch->stride = fmin(patch->stride, limited->size);
        patch->overhang = fmax(patch->overhang, limited->reach);
    }
    patch->planes[patch->count] = (palPatchPlane){limited->n, palDot(limited->n, limited->c)};
    patch->limited[patch->count++] = *limited;
    return true;
}

void palPatch_AddFace(palPatch* patch, const palCollider* collider, int object, int triangle,
                      palLimitShape shape)
{
    const int* corner = collider->surface.triangles[triangle];
    palVec3 v[3];
    palLimited limited;
    for (int k = 0; k < 3; k++)
        v[k] = palCollider_Vertex(collider, corner[k]);
    if (!palLimited_FromTriangle(&limited, shape, v[0], v[1], v[2]))
        return;
    limited.friction = collider->friction;
    limited.object = object;
    limited.triangle = triangle;
    limited.twoSided = !collider->closed;
    palPatch_Add(patch, &limited);
}

void palPatch_AddConcaveEdges(palPatch* patch, const palCollider* collider, int object,
                              int triangle)
{
    const palTopology* topology = &collider->topology;
    for (int k = 0; k < 3; k++)
    {
        int edge = topology->triangleEdges[triangle][k];
        const int* sides = topology->edgeTriangles[edge];
        palCollider_RenewEdge(collider, edge);
        if (topology->edgeKinds[edge] != pal_edgeConcave || sides[0] != triangle)
            continue;
        const palVec3 ends[2] = {
            palCollider_Vertex(collider, collider->surface.triangles[triangle][k]),
            palCollider_Vertex(collider, collider->surface.triangles[triangle][(k + 1) % 3])};
        palVec3 along = palNormalize(palSub(ends[1], ends[0]));
        palVec3 n1 = topology->triangleNormals[sides[0]];
        palVec3 n2 = topology->triangleNormals[sides[1]];
        palLimited limited;
        palLimited_FromEdge(&limited, ends[0], ends[1], n1, palCross(n1, along), n2,
                            palCross(along, n2));
        limited.friction = collider->friction;
        limited.object = object;
        limited.triangle = triangle;
        palPatch_Add(patch, &limited);
    }
}

static bool meet(const palPatchBox* a, const palPatchBox* b)
{
    return (a->low[0] <= b->high[0]) & (a->high[0] >= b->low[0]) & (a->low[1] <= b->high[1]) &
           (a->high[1] >= b->low[1]) & (a->low[2] <= b->high[2]) & (a->high[2] >= b->low[2]);
}

static int nearInGroup(const palPatch* patch, int group, const palPatchBox* wanted, int* runs)
{
    int count = 0;
    int end = (group + 1) * pal_patchGroup;
    end = end < patch->runCount ? end : patch->runCount;
    for (int i = group * pal_patchGroup; i < end; i++)
    {
        // Written first and counted after, so that the loop has no branch to predict.
        runs[count] = i;
        count += meet(&patch->boxes[i], wanted);
    }
    return count;
}

int palPatch_Near(const palPatch* patch, palVec3 low, palVec3 high, int* runs)
{
    palVec3 a = palSub(low, patch->origin);
    palVec3 b = palSub(high, patch->origin);
    const palPatchBox wanted = {{below(a.x), below(a.y), below(a.z)},
                                {above(b.x), above(b.y), above(b.z)}};
    int count = 0;
    for (int k = 0; k < patch->blockCount; k++)
    {
        int last = (k + 1) * pal_patchBlock;
        last = last < patch->groupCount ? last : patch->groupCount;
        for (int g = k * pal_patchBlock; g < last && meet(&patch->blocks[k], &wanted); g++)
            if (meet(&patch->groups[g], &wanted))
                count += nearInGroup(patch, g, &wanted, runs + count);
    }
    return count;
}

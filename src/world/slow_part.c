// SPDX-License-Identifier: Apache-2.0
#include "world/slow_part.h"

#include "base/block.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

//--------------------------------------------------------------------------------------------------
// Memory

// The arrays of a part; the part itself is where it is.
static void layPart(palSlowPart* part, palPartSize size, palBlock* block)
{
    size_t rows = (size_t)size.rows;
    size_t width = ((size_t)size.modes + 3) & ~(size_t)3;
    palSlowPart laid = {.capacity = size};
    for (int s = 0; s < pal_rowSetsMax; s++)
    {
        laid.sets[s].row = palBlock_Take(block, rows * sizeof(int));
        laid.sets[s].B = palBlock_Take(block, rows * width * sizeof(double));
    }
    if (part != NULL)
        *part = laid;
}

// With a NULL snapshot only counts the bytes.
static size_t lay(palSlowSnapshot* snapshot, const palSlowSizes* sizes)
{
    palBlock block = {.memory = (unsigned char*)snapshot};
    palBlock_Take(&block, sizeof *snapshot);
    size_t rows = (size_t)sizes->rows, joints = (size_t)sizes->joints;
    palSlowSnapshot laid = {
        .contacts = palBlock_Take(&block, (size_t)sizes->contacts * sizeof(palLink)),
        .axes = palBlock_Take(&block, joints * sizeof *laid.axes),
        .turns = palBlock_Take(&block, joints * sizeof *laid.turns),
        .start = palBlock_Take(&block, rows * sizeof(double)),
        .free = palBlock_Take(&block, rows * sizeof(double)),
        .W = palBlock_Take(&block, rows * rows * sizeof(double)),
        .parts = palBlock_Take(&block, (size_t)sizes->bodies * sizeof(palSlowPart)),
        .x = palBlock_Take(&block, (size_t)sizes->nodes * sizeof(palVec3)),
        .q = palBlock_Take(&block, (size_t)sizes->nodes * sizeof(palQuat)),
    };
    for (int i = 0; i < sizes->bodies; i++)
        layPart(snapshot != NULL ? &laid.parts[i] : NULL, sizes->parts[i], &block);
    if (snapshot != NULL)
        *snapshot = laid;
    return block.used;
}

palResult palSlowSnapshot_Create(const palSlowSizes* sizes, palSlowSnapshot** snapshot,
                                 palError* error)
{
    size_t size = lay(NULL, sizes);
    *snapshot = calloc(1, size);
    if (*snapshot == NULL)
        return palError_Memory(error, "a snapshot of slower bodies", size);
    lay(*snapshot, sizes);
    return pal_ok;
}

palResult palSlowPart_Create(palPartSize size, palSlowPart** part, palError* error)
{
    palBlock block = {.memory = NULL};
    palBlock_Take(&block, sizeof **part);
    layPart(NULL, size, &block);
    *part = calloc(1, block.used);
    if (*part == NULL)
        return palError_Memory(error, "the links of a body", block.used);
    block = (palBlock){.memory = (unsigned char*)*part};
    palBlock_Take(&block, sizeof **part);
    layPart(*part, size, &block);
    return pal_ok;
}

void palSlowPart_Copy(palSlowPart* to, const palSlowPart* from)
{
    to->modes = from->modes;
    to->width = from->width;
    for (int s = 0; s < pal_rowSetsMax; s++)
    {
        palRowSet* into = &to->sets[s];
        const palRowSet* set = &from->sets[s];
        size_t count = (size_t)set->count;
        into->sequence = set->sequence;
        into->count = set->count;
        memcpy(into->row, set->row, count * sizeof *set->row);
        memcpy(into->B, set->B, count * (size_t)from->width * sizeof *set->B);
    }
}

void palSlowPart_Archive(palSlowPart* part, palArchive* archive)
{
    palModes_Archive(&part->modes, archive);
    PAL_ARCHIVE(archive, part->width);
    for (int s = 0; s < pal_rowSetsMax; s++)
    {
        palRowSet* set = &part->sets[s];
        PAL_ARCHIVE(archive, set->sequence);
        PAL_ARCHIVE(archive, set->count);
        PAL_ARCHIVE_ARRAY(archive, set->row, set->count);
        for (int r = 0; r < set->count; r++)
            PAL_ARCHIVE_ARRAY(archive, palSlowPart_B(part, set, r), part->modes.count);
    }
}

void palSlowSnapshot_Archive(palSlowSnapshot* snapshot, const palSlowSizes* sizes,
                             palArchive* archive)
{
    size_t rows;
    PAL_ARCHIVE(archive, snapshot->contactCount);
    PAL_ARCHIVE_ARRAY(archive, snapshot->contacts, snapshot->contactCount);
    PAL_ARCHIVE_ARRAY(archive, snapshot->axes, sizes->joints);
    PAL_ARCHIVE_ARRAY(archive, snapshot->turns, sizes->joints);
    PAL_ARCHIVE(archive, snapshot->rowCount);
    rows = (size_t)snapshot->rowCount;
    PAL_ARCHIVE_ARRAY(archive, snapshot->start, rows);
    PAL_ARCHIVE_ARRAY(archive, snapshot->free, rows);
    PAL_ARCHIVE_ARRAY(archive, snapshot->W, rows * rows);
    PAL_ARCHIVE(archive, snapshot->partCount);
    for (int i = 0; i < snapshot->partCount; i++)
        palSlowPart_Archive(&snapshot->parts[i], archive);
    PAL_ARCHIVE_ARRAY(archive, snapshot->x, sizes->nodes);
    PAL_ARCHIVE_ARRAY(archive, snapshot->q, sizes->nodes);
}

//--------------------------------------------------------------------------------------------------
// Motion

const palRowSet* palSlowPart_Set(const palSlowPart* part, uint64_t sequence)
{
    for (int i = 0; i < pal_rowSetsMax; i++)
        if (part->sets[i].sequence == sequence && sequence != 0)
            return &part->sets[i];
    return NULL;
}

void palSlowPart_Push(const palSlowPart* part, const palRowSet* set, const double* lambda,
                      double* p)
{
    int m = part->modes.count;
    memset(p, 0, (size_t)m * sizeof *p);
    for (int r = 0; r < set->count; r++)
    {
        double force = lambda[set->row[r]];
        if (force == 0.0)
            continue;
        const double* B = palSlowPart_B(part, set, r);
        for (int i = 0; i < m; i++)
            p[i] += force * B[i];
    }
}

bool palSlowPart_Pushes(const void* parts, int index, const palTickForces* forces, double* p)
{
    const palSlowPart* part = (const palSlowPart*)parts + index;
    const palRowSet* set = palSlowPart_Set(part, forces->sequence);
    if (set != NULL)
        palSlowPart_Push(part, set, ((const palLinkForces*)forces)->lambda, p);
    return set != NULL;
}

void palSlowSnapshot_Begin(const palSlowSnapshot* snapshot, palReducedMotion* motion,
                           uint64_t sequence, double time, const palTrack* given)
{
    for (int i = 0; i < snapshot->partCount; i++)
    {
        const palModes* modes = &snapshot->parts[i].modes;
        if (sequence != motion->sequence)
            palReducedMotion_CatchUp(motion, modes, snapshot->parts, i, palSlowPart_Pushes, NULL,
                                     time, given);
        palReducedMotion_MoveFreely(motion, modes, i);
    }
    motion->sequence = sequence;
}

void palSlowSnapshot_End(const palSlowSnapshot* snapshot, palReducedMotion* motion,
                         const double* lambda)
{
    for (int i = 0; i < snapshot->partCount; i++)
    {
        const palSlowPart* part = &snapshot->parts[i];
        double p[pal_modesMax];
        palSlowPart_Push(part, &part->sets[0], lambda, p);
        palModes_Correct(&part->modes, p, &motion->free[i]);
        palReducedMotion_Take(motion, &part->modes, i);
    }
}

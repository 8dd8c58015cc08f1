// SPDX-License-Identifier: Apache-2.0
// The sections of Gmsh's format 4.1, which group nodes and elements by the model's entities:
// points, curves, surfaces and volumes, each in any number of physical groups.
#include "mesh/msh.h"

#include "mesh/grow.h"

static palResult addLabel(palMsh* msh, int label)
{
    int* labels = palGrow(msh->labels, msh->labelCount, &msh->labelCapacity, sizeof *labels,
                          "physical groups", msh->cursor.error);
    if (labels == NULL)
        return pal_errorMemory;
    msh->labels = labels;
    labels[msh->labelCount++] = label;
    return pal_ok;
}

// "tag, position or box, groups, boundary" with the boundary of entities of dimension 1 and more.
static palResult readEntity(palMsh* msh, int dimension)
{
    palCursor* cursor = &msh->cursor;
    palMshEntity entity = {.dimension = dimension, .firstLabel = msh->labelCount};
    int bounds = 0;
    palResult result = palCursor_Int(cursor, pal_scalarInt32, &entity.tag);
    for (int k = 0; k < (dimension == 0 ? 3 : 6) && result == pal_ok; k++)
        result = palCursor_Real(cursor, pal_scalarFloat64, &(double){0});
    if (result == pal_ok)
        result = palCursor_Count(cursor, msh->size, 1, 4, &entity.labelCount);
    if (result == pal_ok && entity.labelCount > pal_cellLabelsMax)
        return palCursor_Fault(cursor, "use fewer physical groups",
                               "entity %d is in %d physical groups; the limit is %d", entity.tag,
                               entity.labelCount, pal_cellLabelsMax);
    for (int k = 0; k < entity.labelCount && result == pal_ok; k++)
    {
        int label;
        result = palCursor_Int(cursor, pal_scalarInt32, &label);
        if (result == pal_ok)
            result = addLabel(msh, label);
    }
    if (result == pal_ok && dimension > 0)
        result = palCursor_Count(cursor, msh->size, 1, 4, &bounds);
    for (int k = 0; k < bounds && result == pal_ok; k++)
        result = palCursor_Int(cursor, pal_scalarInt32, &(int){0});
    if (result != pal_ok)
        return result;
    palMshEntity* entities = palGrow(msh->entities, msh->entityCount, &msh->entityCapacity,
                                     sizeof *entities, "entities", cursor->error);
    if (entities == NULL)
        return pal_errorMemory;
    msh->entities = entities;
    entities[msh->entityCount++] = entity;
    return pal_ok;
}

static int compareEntities(const void* a, const void* b)
{
    const palMshEntity* s = a;
    const palMshEntity* t = b;
    if (s->dimension != t->dimension)
        return s->dimension < t->dimension ? -1 : 1;
    return s->tag < t->tag ? -1 : s->tag > t->tag;
}

// Moves to the section's numbers, which begin on the line after its name.
static void beginSection(palMsh* msh)
{
    if (msh->body != pal_encodingText)
        palScan_NextLine(&msh->cursor.scan);
    msh->cursor.encoding = msh->body;
}

palResult palMsh_ReadEntities(palMsh* msh)
{
    int counts[4];
    palResult result = pal_ok;
    beginSection(msh);
    for (int k = 0; k < 4 && result == pal_ok; k++)
        result = palCursor_Count(&msh->cursor, msh->size, 4, 28, &counts[k]);
    for (int k = 0; k < 4 && result == pal_ok; k++)
        for (int i = 0; i < counts[k] && result == pal_ok; i++)
            result = readEntity(msh, k);
    if (result == pal_ok && msh->entityCount > 0)
        qsort(msh->entities, (size_t)msh->entityCount, sizeof *msh->entities, compareEntities);
    return result;
}

// Reads "number of blocks, total count, lowest tag, highest tag".
static palResult readBlockCount(palMsh* msh, int* blocks)
{
    beginSection(msh);
    palResult result = palCursor_Count(&msh->cursor, msh->size, 4, 12, blocks);
    for (int k = 0; k < 3 && result == pal_ok; k++)
        result = palCursor_Whole(&msh->cursor, msh->size, &(int64_t){0});
    return result;
}

// Reads a block's "dimension, tag, parametric or type, count". An entry has at least `bytes` bytes.
static palResult readBlockHead(palMsh* msh, int head[3], int numbers, int bytes, int* count)
{
    palResult result = pal_ok;
    for (int k = 0; k < 3 && result == pal_ok; k++)
        result = palCursor_Int(&msh->cursor, pal_scalarInt32, &head[k]);
    if (result == pal_ok)
        result = palCursor_Count(&msh->cursor, msh->size, numbers, bytes, count);
    if (result == pal_ok && (head[0] < 0 || head[0] > 3))
        return palCursor_Fault(&msh->cursor, "the file is damaged: export it again",
                               "an entity has dimension %d", head[0]);
    return result;
}

// The tags of a block precede its coordinates: both are read in parallel with two cursors.
static palResult readNodeBlock(palMsh* msh)
{
    palCursor* cursor = &msh->cursor;
    int head[3], count;
    palResult result = readBlockHead(msh, head, 4, 28, &count);
    palCursor tags = *cursor;
    for (int i = 0; i < count && result == pal_ok; i++)
        result = palCursor_Whole(cursor, msh->size, &(int64_t){0});
    for (int i = 0; i < count && result == pal_ok; i++)
    {
        int64_t tag;
        double p[6]; // x, y, z and the parameters on the entity
        int numbers = head[2] != 0 ? 3 + head[0] : 3;
        result = palCursor_Whole(&tags, msh->size, &tag);
        for (int k = 0; k < numbers && result == pal_ok; k++)
            result = palCursor_Real(cursor, pal_scalarFloat64, &p[k]);
        if (result != pal_ok)
            return result;
        result = palVolumeBuilder_AddVertex(msh->builder, tag, palMakeVec3(p[0], p[1], p[2]),
                                            cursor->error);
        if (result == pal_errorInput)
            palCursor_AddLocation(cursor);
    }
    return result;
}

palResult palMsh_ReadNodeBlocks(palMsh* msh)
{
    int blocks;
    palResult result = readBlockCount(msh, &blocks);
    for (int i = 0; i < blocks && result == pal_ok; i++)
        result = readNodeBlock(msh);
    return result;
}

static palResult readElementBlock(palMsh* msh)
{
    int head[3], count, nodes;
    palCellKind kind;
    palResult result = readBlockHead(msh, head, 2, 8, &count);
    if (result == pal_ok)
        result = palMsh_CellType(msh, head[2], &kind, &nodes);
    if (result != pal_ok)
        return result;
    palMshEntity key = {.dimension = head[0], .tag = head[1]};
    const palMshEntity* entity =
        msh->entityCount > 0
            ? bsearch(&key, msh->entities, (size_t)msh->entityCount, sizeof key, compareEntities)
            : NULL;
    const int* labels = entity != NULL ? msh->labels + entity->firstLabel : NULL;
    int labelCount = entity != NULL ? entity->labelCount : 0;
    for (int i = 0; i < count && result == pal_ok; i++)
    {
        result = palCursor_Whole(&msh->cursor, msh->size, &(int64_t){0});
        if (result == pal_ok)
            result = palMsh_ReadCell(msh, kind, nodes, msh->size, labels, labelCount);
    }
    return result;
}

palResult palMsh_ReadElementBlocks(palMsh* msh)
{
    int blocks;
    palResult result = readBlockCount(msh, &blocks);
    for (int i = 0; i < blocks && result == pal_ok; i++)
        result = readElementBlock(msh);
    return result;
}

// SPDX-License-Identifier: Apache-2.0
// Gmsh's .msh (Gmsh reference manual, "MSH file format", and its legacy formats 1 and 2): sections
// between $Name and $EndName. In a binary file the keywords and a few counts remain text.
#include "mesh/msh.h"

#include "base/error.h"
#include "mesh/volume_read.h"

#include <stdlib.h>
#include <string.h>

static const char again[] = "export it again from Gmsh";

palResult palMsh_CellType(const palMsh* msh, int type, palCellKind* kind, int* nodes)
{
    // Indexed by Gmsh element type; the corner nodes come first for every order.
    static const struct
    {
        palCellKind kind;
        int nodes;
    } types[] = {
        {pal_cellNone, 0},      {pal_cellLine, 2},      {pal_cellTriangle, 3},
        {pal_cellQuad, 4},      {pal_cellTet, 4},       {pal_cellHex, 8},
        {pal_cellPrism, 6},     {pal_cellPyramid, 5},   {pal_cellLine, 3},
        {pal_cellTriangle, 6},  {pal_cellQuad, 9},      {pal_cellTet, 10},
        {pal_cellHex, 27},      {pal_cellPrism, 18},    {pal_cellPyramid, 14},
        {pal_cellPoint, 1},     {pal_cellQuad, 8},      {pal_cellHex, 20},
        {pal_cellPrism, 15},    {pal_cellPyramid, 13},  {pal_cellTriangle, 9},
        {pal_cellTriangle, 10}, {pal_cellTriangle, 12}, {pal_cellTriangle, 15},
        {pal_cellTriangle, 15}, {pal_cellTriangle, 21}, {pal_cellLine, 4},
        {pal_cellLine, 5},      {pal_cellLine, 6},      {pal_cellTet, 20},
        {pal_cellTet, 35},      {pal_cellTet, 56},
    };
    // Not in the table: complete hexahedra of orders 3 and 4, quads of orders 3 and 4.
    bool known = type > 0 && type < (int)(sizeof types / sizeof types[0]);
    *kind = known ? types[type].kind : pal_cellNone;
    *nodes = known ? types[type].nodes : 0;
    if (type == 92 || type == 93)
        *kind = pal_cellHex, *nodes = type == 92 ? 64 : 125;
    else if (type == 36 || type == 37)
        *kind = pal_cellQuad, *nodes = type == 36 ? 16 : 25;
    if (*kind != pal_cellNone)
        return pal_ok;
    return palCursor_Fault(&msh->cursor, "mesh with elements of order 1 or 2 and export again",
                           "elements of Gmsh type %d are not supported", type);
}

palResult palMsh_ReadCell(palMsh* msh, palCellKind kind, int nodes, palScalar scalar,
                          const int* labels, int labelCount)
{
    int64_t ids[pal_cellCornersMax];
    int corners = palCellKind_Corners(kind);
    palCursor before = msh->cursor;
    for (int k = 0; k < nodes; k++)
    {
        int64_t id;
        palResult result = palCursor_Whole(&msh->cursor, scalar, &id);
        if (result != pal_ok)
            return result;
        if (k < corners)
            ids[k] = id;
    }
    msh->builder->repairs.higherOrder += nodes > corners && palCellKind_Dimension(kind) == 3;
    palResult result =
        palVolumeBuilder_AddCell(msh->builder, kind, ids, labels, labelCount, msh->cursor.error);
    return result == pal_errorInput ? palCursor_AddLocation(&before) : result;
}

static palResult addNode(palMsh* msh, int64_t id, const double p[3])
{
    palResult result = palVolumeBuilder_AddVertex(msh->builder, id, palMakeVec3(p[0], p[1], p[2]),
                                                  msh->cursor.error);
    return result == pal_errorInput ? palCursor_AddLocation(&msh->cursor) : result;
}

// $MeshFormat: version, 0 or 1 for binary, the size of a number; a binary file adds the int 1.
static palResult readFormat(palMsh* msh)
{
    palCursor* cursor = &msh->cursor;
    double version;
    int binary, size;
    palResult result = palCursor_Real(cursor, pal_scalarFloat64, &version);
    if (result == pal_ok)
        result = palCursor_Int(cursor, pal_scalarInt32, &binary);
    if (result == pal_ok)
        result = palCursor_Int(cursor, pal_scalarInt32, &size);
    if (result != pal_ok)
        return result;
    if (version >= 2.0 && version < 3.0)
        msh->version = 2;
    else if (version > 4.05 && version < 4.15)
        msh->version = 4;
    else
        return palCursor_Fault(cursor, "save it with Mesh.MshFileVersion = 4.1 or 2.2",
                               "Gmsh format %g is not supported", version);
    if (size != 8 && !(msh->version == 4 && size == 4))
        return palCursor_Fault(cursor, again, "numbers of %d bytes are not supported", size);
    msh->size = size == 8 ? pal_scalarUint64 : pal_scalarUint32;
    if (binary == 0)
        return pal_ok;
    cursor->binary = true;
    palScan_NextLine(&cursor->scan);
    static const char little[4] = {1, 0, 0, 0}, big[4] = {0, 0, 0, 1};
    bool hasMark = cursor->scan.end - cursor->scan.at >= 4;
    if (hasMark && memcmp(cursor->scan.at, little, 4) == 0)
        msh->body = pal_encodingLittle;
    else if (hasMark && memcmp(cursor->scan.at, big, 4) == 0)
        msh->body = pal_encodingBig;
    else
        return palCursor_Fault(cursor, again, "the byte-order mark is missing");
    cursor->scan.at += 4;
    return pal_ok;
}

// $PhysicalNames, always text: dimension, tag, "name".
static palResult readNames(palMsh* msh)
{
    palCursor* cursor = &msh->cursor;
    int count;
    palResult result = palCursor_Count(cursor, pal_scalarInt32, 3, 3, &count);
    for (int i = 0; i < count && result == pal_ok; i++)
    {
        int dimension = 0, tag = 0;
        result = palCursor_Int(cursor, pal_scalarInt32, &dimension);
        if (result == pal_ok)
            result = palCursor_Int(cursor, pal_scalarInt32, &tag);
        if (result != pal_ok)
            return result;
        char name[pal_volumeNameSize];
        palScan_SkipInLine(&cursor->scan);
        if (!palScan_Quoted(&cursor->scan, name, sizeof name))
            return palCursor_Fault(cursor, again, "the name of physical group %d is not in quotes",
                                   tag);
        result = palVolumeBuilder_AddName(msh->builder, dimension, tag, name, cursor->error);
    }
    return result;
}

// $NOD (1) and $Nodes (2): number, x, y, z.
static palResult readNodes(palMsh* msh)
{
    palCursor* cursor = &msh->cursor;
    int count;
    palResult result = palCursor_Count(cursor, pal_scalarInt32, 4, 4, &count);
    if (result == pal_ok && msh->body != pal_encodingText)
        palScan_NextLine(&cursor->scan);
    cursor->encoding = msh->body;
    for (int i = 0; i < count && result == pal_ok; i++)
    {
        int64_t id;
        double p[3];
        result = palCursor_Whole(cursor, pal_scalarInt32, &id);
        for (int k = 0; k < 3 && result == pal_ok; k++)
            result = palCursor_Real(cursor, pal_scalarFloat64, &p[k]);
        if (result == pal_ok)
            result = addNode(msh, id, p);
    }
    return result;
}

// One element of $ELM: number, type, physical group, entity, count, nodes.
static palResult readElement1(palMsh* msh)
{
    palCursor* cursor = &msh->cursor;
    int64_t number;
    int head[4], nodes; // type, physical group, entity, count
    palCellKind kind;
    palResult result = palCursor_Whole(cursor, pal_scalarInt32, &number);
    for (int k = 0; k < 4 && result == pal_ok; k++)
        result = palCursor_Int(cursor, pal_scalarInt32, &head[k]);
    if (result == pal_ok)
        result = palMsh_CellType(msh, head[0], &kind, &nodes);
    if (result != pal_ok)
        return result;
    if (nodes != head[3])
        return palCursor_Fault(cursor, again, "an element of Gmsh type %d has %d nodes, not %d",
                               head[0], nodes, head[3]);
    return palMsh_ReadCell(msh, kind, nodes, pal_scalarInt32, &head[1], 1);
}

// The tags of an element of version 2: the first one is its physical group.
static palResult readTags(palMsh* msh, int count, int* group)
{
    palResult result = pal_ok;
    *group = 0;
    for (int k = 0; k < count && result == pal_ok; k++)
    {
        int tag;
        result = palCursor_Int(&msh->cursor, pal_scalarInt32, &tag);
        if (k == 0)
            *group = tag;
    }
    return result;
}

// Reads one run of elements. Text: "number type tags tag... nodes" per line; binary: "type count
// tags", then `count` times "number tag... nodes".
static palResult readRun(palMsh* msh, int* count)
{
    palCursor* cursor = &msh->cursor;
    bool text = msh->body == pal_encodingText;
    int64_t number;
    int type, tags, group, nodes;
    palCellKind kind;
    palResult result = pal_ok;
    *count = 1;
    if (text)
        result = palCursor_Whole(cursor, pal_scalarInt32, &number);
    if (result == pal_ok)
        result = palCursor_Int(cursor, pal_scalarInt32, &type);
    if (result == pal_ok && !text)
        result = palCursor_Count(cursor, pal_scalarInt32, 1, 8, count);
    if (result == pal_ok)
        result = palCursor_Int(cursor, pal_scalarInt32, &tags);
    if (result == pal_ok)
        result = palMsh_CellType(msh, type, &kind, &nodes);
    for (int i = 0; i < *count && result == pal_ok; i++)
    {
        if (!text)
            result = palCursor_Whole(cursor, pal_scalarInt32, &number);
        if (result == pal_ok)
            result = readTags(msh, tags, &group);
        if (result == pal_ok)
            result = palMsh_ReadCell(msh, kind, nodes, pal_scalarInt32, &group, 1);
    }
    return result;
}

static palResult readElements(palMsh* msh)
{
    palCursor* cursor = &msh->cursor;
    int count, read;
    palResult result = palCursor_Count(cursor, pal_scalarInt32, 4, 4, &count);
    if (result == pal_ok && msh->body != pal_encodingText)
        palScan_NextLine(&cursor->scan);
    cursor->encoding = msh->body;
    for (int i = 0; i < count && result == pal_ok; i += read)
    {
        read = 1;
        result = msh->version == 1 ? readElement1(msh) : readRun(msh, &read);
        if (result == pal_ok && read == 0)
            return palCursor_Fault(cursor, again, "a run of elements is empty");
    }
    return result;
}

// Skips an unused section, up to the line that ends it.
static palResult skipSection(palMsh* msh, const char* name)
{
    palScan* scan = &msh->cursor.scan;
    char end[64] = "$End";
    strncat(end, name, sizeof end - strlen(end) - 1);
    while (!msh->cursor.binary && scan->at < scan->end)
    {
        palScan_NextLine(scan);
        if (scan->end - scan->at >= 4 && strncasecmp(scan->at, "$End", 4) == 0)
            return pal_ok;
    }
    size_t available = (size_t)(scan->end - scan->at);
    const char* found = available > 0 ? memmem(scan->at, available, end, strlen(end)) : NULL;
    if (found == NULL)
        return palCursor_Fault(&msh->cursor, again, "the section $%s has no %s", name, end);
    scan->at = found;
    return pal_ok;
}

static palResult readSection(palMsh* msh, const char* name)
{
    static const struct
    {
        const char* name;
        int version; // 0: any
        palResult (*read)(palMsh*);
    } sections[] = {
        {"MeshFormat", 0, readFormat},
        {"PhysicalNames", 0, readNames},
        {"NOD", 1, readNodes},
        {"ELM", 1, readElements},
        {"Nodes", 2, readNodes},
        {"Elements", 2, readElements},
        {"Entities", 4, palMsh_ReadEntities},
        {"Nodes", 4, palMsh_ReadNodeBlocks},
        {"Elements", 4, palMsh_ReadElementBlocks},
    };
    if (msh->version == 0 && strcmp(name, "NOD") == 0)
        msh->version = 1;
    bool needsVersion = strcmp(name, "Nodes") == 0 || strcmp(name, "Elements") == 0;
    if (msh->version == 0 && needsVersion)
        return palCursor_Fault(&msh->cursor, again, "$%s precedes $MeshFormat", name);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strcmp(name, sections[i].name) == 0 &&
            (sections[i].version == 0 || sections[i].version == msh->version))
            return sections[i].read(msh);
    return skipSection(msh, name);
}

static palResult readSections(palMsh* msh)
{
    palCursor* cursor = &msh->cursor;
    bool any = false;
    while (palScan_Skip(&cursor->scan))
    {
        char name[64];
        palScan_Word(&cursor->scan, name, sizeof name);
        if (name[0] != '$')
            return palCursor_Fault(cursor, any ? again : "Gmsh files begin with $MeshFormat",
                                   "'%s' found where a section $... should begin", name);
        any = true;
        palResult result = readSection(msh, name + 1);
        cursor->encoding = pal_encodingText;
        if (result != pal_ok)
            return result;
        palScan_Skip(&cursor->scan);
        char end[64];
        if (!palScan_Word(&cursor->scan, end, sizeof end) || strncasecmp(end, "$End", 4) != 0)
            return palCursor_Fault(cursor, again, "the section %s has no $End... after its data",
                                   name);
    }
    return pal_ok;
}

palResult palReadMsh(const palVolumeBytes* bytes, palVolumeBuilder* builder, palError* error)
{
    palMsh msh = {
        .cursor = palMakeCursor(bytes->data, bytes->size, "Gmsh", 0, error),
        .builder = builder,
    };
    palResult result = readSections(&msh);
    free(msh.entities);
    free(msh.labels);
    return result;
}

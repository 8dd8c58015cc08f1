// SPDX-License-Identifier: Apache-2.0
// TetGen's .node and .ele (H. Si, "TetGen, a Delaunay-based quality tetrahedral mesh generator",
// ACM TOMS 41(2), 2015, and its manual): a header line, then numbered lines. '#' starts a comment.
#include "base/error.h"
#include "mesh/cursor.h"
#include "mesh/volume_read.h"

#include <limits.h>
#include <math.h>

static const char again[] = "the file is damaged: run TetGen again";

static palResult readInts(palCursor* cursor, int* values, int count)
{
    palResult result = pal_ok;
    for (int i = 0; i < count && result == pal_ok; i++)
        result = palCursor_Int(cursor, pal_scalarInt32, &values[i]);
    return result;
}

// Adds the node of a line, or in the second pass its marker.
static palResult readNode(palCursor* cursor, int attributes, int markers, bool marking,
                          palVolumeBuilder* builder)
{
    int64_t id;
    double p[3];
    int marker = 0;
    palResult result = palCursor_Whole(cursor, pal_scalarInt32, &id);
    for (int k = 0; k < 3 && result == pal_ok; k++)
        result = palCursor_Real(cursor, pal_scalarFloat64, &p[k]);
    for (int k = 0; k < attributes && result == pal_ok; k++)
        result = palCursor_Real(cursor, pal_scalarFloat64, &(double){0});
    if (result == pal_ok && markers > 0)
        result = palCursor_Int(cursor, pal_scalarInt32, &marker);
    if (result != pal_ok)
        return result;
    if (!marking)
        result =
            palVolumeBuilder_AddVertex(builder, id, palMakeVec3(p[0], p[1], p[2]), cursor->error);
    else if (marker != 0)
        result = palVolumeBuilder_AddMember(builder, 0, marker, id, cursor->error);
    return result == pal_errorInput ? palCursor_AddLocation(cursor) : result;
}

static palResult readTet(palCursor* cursor, int nodes, int attributes, palVolumeBuilder* builder)
{
    int64_t ids[4], id;
    int label = 0;
    palResult result = palCursor_Whole(cursor, pal_scalarInt32, &id);
    for (int k = 0; k < nodes && result == pal_ok; k++)
    {
        result = palCursor_Whole(cursor, pal_scalarInt32, &id);
        if (k < 4)
            ids[k] = id;
    }
    for (int k = 0; k < attributes && result == pal_ok; k++)
    {
        double value;
        result = palCursor_Real(cursor, pal_scalarFloat64, &value);
        if (k == 0 && fabs(value) < INT_MAX && value == floor(value))
            label = (int)value;
    }
    if (result != pal_ok)
        return result;
    builder->repairs.higherOrder += nodes > 4;
    result = palVolumeBuilder_AddCell(builder, pal_cellTet, ids, &label, 1, cursor->error);
    return result == pal_errorInput ? palCursor_AddLocation(cursor) : result;
}

// Header: points, dimension (3), attributes, markers (0 or 1). Line: number, x, y, z, attributes,
// marker. The markers are read in a second pass, when all nodes are known.
static palResult readNodes(palCursor* cursor, palVolumeBuilder* builder)
{
    int count, head[3];
    palResult result = palCursor_Count(cursor, pal_scalarInt32, 4, 4, &count);
    if (result == pal_ok)
        result = readInts(cursor, head, 3);
    if (result != pal_ok)
        return result;
    if (head[0] != 3 || head[1] < 0 || head[2] < 0 || head[2] > 1)
        return palCursor_Fault(cursor, again,
                               "%d dimensions, %d attributes and %d markers are invalid", head[0],
                               head[1], head[2]);
    palCursor start = *cursor;
    for (int pass = 0; pass <= head[2] && result == pal_ok; pass++)
    {
        *cursor = start;
        for (int i = 0; i < count && result == pal_ok; i++)
            result = readNode(cursor, head[1], head[2], pass == 1, builder);
    }
    return result;
}

// Header: tetrahedra, nodes of each (4 or 10, the corners first), attributes. Line: number, nodes,
// attributes; the first attribute is the region if it is a whole number.
static palResult readElements(palCursor* cursor, palVolumeBuilder* builder)
{
    int count, head[2];
    palResult result = palCursor_Count(cursor, pal_scalarInt32, 5, 5, &count);
    if (result == pal_ok)
        result = readInts(cursor, head, 2);
    if (result == pal_ok && ((head[0] != 4 && head[0] != 10) || head[1] < 0))
        return palCursor_Fault(cursor, again, "elements of %d nodes with %d attributes are invalid",
                               head[0], head[1]);
    for (int i = 0; i < count && result == pal_ok; i++)
        result = readTet(cursor, head[0], head[1], builder);
    return result;
}

palResult palReadTetgen(const palVolumeBytes* bytes, palVolumeBuilder* builder, palError* error)
{
    palCursor cursor = palMakeCursor(bytes->data, bytes->size, "TetGen .node", '#', error);
    palResult result = readNodes(&cursor, builder);
    if (result != pal_ok)
        return result;
    cursor = palMakeCursor(bytes->elements, bytes->elementsSize, "TetGen .ele", '#', error);
    result = readElements(&cursor, builder);
    if (result != pal_ok)
        palError_At(error, bytes->elementsPath, 0, 0);
    return result;
}

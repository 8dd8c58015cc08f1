// SPDX-License-Identifier: Apache-2.0
// Legacy VTK (VTK user's guide, "VTK file formats", versions 1 to 5.1): four header lines, then
// keywords with their numbers, as text or binary, which is always big-endian. The cells, their
// types and their labels are separate arrays: the reader stores their positions and reads them in
// parallel at the end of the file.
#include "base/error.h"
#include "mesh/cursor.h"
#include "mesh/volume_read.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char again[] = "the file is damaged: export it again";

typedef struct Array
{
    palCursor cursor; // at its first number
    palScalar type;
    double count; // numbers
} Array;

typedef struct Reader
{
    palCursor cursor;
    palEncoding body;
    palVolumeBuilder* builder; // borrowed
    int cellCount;
    bool offsets;  // version 5.1: offsets and corners are separate arrays
    Array cells;   // or the offsets
    Array corners; // 5.1
    Array types;
    Array labels; // of the cells
    bool hasCells, hasTypes, hasLabels;
    double dataCount; // tuples of the current attributes
    bool ofPoints;    // the attributes belong to points, not cells
    bool ofCells;
    int setCount; // node sets so far
} Reader;

static palResult scalarType(const Reader* reader, const char* name, palScalar* type)
{
    static const struct
    {
        const char* name;
        palScalar type;
    } types[] = {
        {"char", pal_scalarInt8},          {"unsigned_char", pal_scalarUint8},
        {"short", pal_scalarInt16},        {"unsigned_short", pal_scalarUint16},
        {"int", pal_scalarInt32},          {"unsigned_int", pal_scalarUint32},
        {"long", pal_scalarInt64},         {"unsigned_long", pal_scalarUint64},
        {"vtktypeint64", pal_scalarInt64}, {"vtktypeuint64", pal_scalarUint64},
        {"vtkidtype", pal_scalarInt32},    {"float", pal_scalarFloat32},
        {"double", pal_scalarFloat64},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcasecmp(name, types[i].name) == 0)
        {
            *type = types[i].type;
            return pal_ok;
        }
    return palCursor_Fault(&reader->cursor, "save it with arrays of numbers only",
                           "numbers of the VTK type '%s' are not supported", name);
}

// Skips the rest of the line and returns the position of the numbers.
static Array beginArray(Reader* reader, palScalar type, double count)
{
    palCursor* cursor = &reader->cursor;
    if (reader->body != pal_encodingText)
        palScan_NextLine(&cursor->scan);
    Array array = {.cursor = *cursor, .type = type, .count = count};
    array.cursor.encoding = reader->body;
    return array;
}

// Stores the position of an array and moves past it.
static palResult skipArray(Reader* reader, palScalar type, double count, Array* array)
{
    palCursor* cursor = &reader->cursor;
    *array = beginArray(reader, type, count);
    int size = palScalar_Size(type);
    palResult result = palCursor_CheckRoom(&array->cursor, count, 1, size);
    if (result != pal_ok)
        return result;
    *cursor = array->cursor;
    if (reader->body != pal_encodingText)
        cursor->scan.at += (ptrdiff_t)count * size;
    for (double i = 0.0; reader->body == pal_encodingText && i < count && result == pal_ok; i++)
        result = palCursor_Real(cursor, type, &(double){0});
    cursor->encoding = pal_encodingText;
    return result;
}

static palResult readPoints(Reader* reader)
{
    char name[32];
    int count;
    palScalar type;
    Array array;
    palResult result = palCursor_Count(&reader->cursor, pal_scalarInt32, 3, 3, &count);
    if (result != pal_ok)
        return result;
    palScan_Word(&reader->cursor.scan, name, sizeof name);
    result = scalarType(reader, name, &type);
    if (result == pal_ok)
        result = skipArray(reader, type, 3.0 * count, &array);
    for (int i = 0; i < count && result == pal_ok; i++)
    {
        double p[3];
        for (int k = 0; k < 3 && result == pal_ok; k++)
            result = palCursor_Real(&array.cursor, type, &p[k]);
        if (result != pal_ok)
            return result;
        result = palVolumeBuilder_AddVertex(reader->builder, i, palMakeVec3(p[0], p[1], p[2]),
                                            reader->cursor.error);
        if (result == pal_errorInput)
            palCursor_AddLocation(&array.cursor);
    }
    return result;
}

// "OFFSETS type" or "CONNECTIVITY type" and its numbers.
static palResult readPart(Reader* reader, const char* keyword, double count, Array* array)
{
    char word[32];
    palScalar type;
    palScan_Skip(&reader->cursor.scan);
    palScan_Word(&reader->cursor.scan, word, sizeof word);
    if (strcasecmp(word, keyword) != 0)
        return palCursor_Fault(&reader->cursor, again, "'%s' found where %s is expected", word,
                               keyword);
    palScan_Word(&reader->cursor.scan, word, sizeof word);
    palResult result = scalarType(reader, word, &type);
    return result == pal_ok ? skipArray(reader, type, count, array) : result;
}

static palResult readCells(Reader* reader)
{
    palCursor* cursor = &reader->cursor;
    int count, size;
    palResult result = palCursor_Count(cursor, pal_scalarInt32, 1, 1, &count);
    if (result == pal_ok)
        result = palCursor_Count(cursor, pal_scalarInt32, 1, 1, &size);
    if (result != pal_ok)
        return result;
    palCursor next = *cursor;
    char word[32];
    palScan_Skip(&next.scan);
    palScan_Word(&next.scan, word, sizeof word);
    reader->offsets = strcasecmp(word, "OFFSETS") == 0;
    reader->hasCells = true;
    reader->cellCount = reader->offsets && count > 0 ? count - 1 : count;
    if (!reader->offsets)
        return skipArray(reader, pal_scalarInt32, size, &reader->cells);
    result = readPart(reader, "OFFSETS", count, &reader->cells);
    return result == pal_ok ? readPart(reader, "CONNECTIVITY", size, &reader->corners) : result;
}

static palResult readTypes(Reader* reader)
{
    int count;
    palResult result = palCursor_Count(&reader->cursor, pal_scalarInt32, 1, 1, &count);
    if (result != pal_ok)
        return result;
    reader->hasTypes = true;
    return skipArray(reader, pal_scalarInt32, count, &reader->types);
}

static bool isLabel(const char* name)
{
    static const char* const names[] = {
        "region",    "regions",     "label",         "labels",    "material",  "materials",
        "domain",    "part",        "materialids",   "matid",     "cell_tags", "cellentityids",
        "region_id", "material_id", "gmsh:physical", "medit:ref",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

// VTK encodes blanks and other special characters in a name as %XX.
static void decode(const char* name, char* decoded, size_t size)
{
    size_t length = 0;
    for (; *name != '\0' && length + 1 < size; name++)
    {
        unsigned code;
        if (*name == '%' && sscanf(name + 1, "%2x", &code) == 1 && code >= 32 && name[2] != '\0')
        {
            decoded[length++] = (char)code;
            name += 2;
        }
        else
            decoded[length++] = *name;
    }
    decoded[length] = '\0';
}

static palResult readNodeSet(Reader* reader, const char* name, Array array)
{
    char decoded[pal_volumeNameSize];
    decode(name, decoded, sizeof decoded);
    int tag = INT_MIN + reader->setCount++; // apart from the labels of point cells
    palError* error = reader->cursor.error;
    palResult result = palVolumeBuilder_AddName(reader->builder, 0, tag, decoded, error);
    for (double i = 0.0; i < array.count && result == pal_ok; i++)
    {
        double value;
        result = palCursor_Real(&array.cursor, array.type, &value);
        if (result == pal_ok && value != 0.0)
            result = palVolumeBuilder_AddMember(reader->builder, 0, tag, (int64_t)i, error);
    }
    return result;
}

// Skips the numbers of an attribute; stores regions and node sets.
static palResult readArray(Reader* reader, const char* name, const char* typeName, double count,
                           int components)
{
    static const char setPrefix[] = "node_set_";
    palScalar type;
    Array array;
    palResult result = scalarType(reader, typeName, &type);
    if (result == pal_ok)
        result = skipArray(reader, type, count * components, &array);
    if (result != pal_ok || components != 1)
        return result;
    if (reader->ofCells && !reader->hasLabels && isLabel(name))
    {
        reader->labels = array;
        reader->hasLabels = true;
    }
    if (reader->ofPoints && strncmp(name, setPrefix, strlen(setPrefix)) == 0)
        return readNodeSet(reader, name + strlen(setPrefix), array);
    return pal_ok;
}

// SCALARS name type [components], then usually LOOKUP_TABLE name.
static palResult readScalars(Reader* reader)
{
    palScan* scan = &reader->cursor.scan;
    char name[128], type[32], word[32];
    int components = 1;
    palScan_Word(scan, name, sizeof name);
    palScan_Word(scan, type, sizeof type);
    if (palScan_SkipInLine(scan) && !palScan_Whole(scan, &components))
        return palCursor_Fault(&reader->cursor, again,
                               "the number of components of '%s' is invalid", name);
    if (components < 1 || components > 9)
        return palCursor_Fault(&reader->cursor, again, "the array '%s' has %d components", name,
                               components);
    palScan next = *scan;
    palScan_NextLine(&next);
    palScan_Word(&next, word, sizeof word);
    if (strcasecmp(word, "LOOKUP_TABLE") == 0)
    {
        palScan_Word(&next, word, sizeof word);
        *scan = next;
    }
    return readArray(reader, name, type, reader->dataCount, components);
}

static palResult readField(Reader* reader)
{
    palScan* scan = &reader->cursor.scan;
    char name[128], type[32];
    int arrays;
    palScan_Word(scan, name, sizeof name);
    palResult result = palCursor_Count(&reader->cursor, pal_scalarInt32, 1, 1, &arrays);
    for (int i = 0; i < arrays && result == pal_ok; i++)
    {
        int components = 0, tuples = 0;
        palScan_Skip(scan);
        palScan_Word(scan, name, sizeof name);
        result = palCursor_Int(&reader->cursor, pal_scalarInt32, &components);
        if (result == pal_ok)
            result = palCursor_Int(&reader->cursor, pal_scalarInt32, &tuples);
        palScan_Word(scan, type, sizeof type);
        if (result == pal_ok && (components < 0 || tuples < 0))
            result = palCursor_Fault(&reader->cursor, again, "the array '%s' has no size", name);
        if (result == pal_ok)
            result = readArray(reader, name, type, tuples, components);
    }
    return result;
}

// Attributes of a fixed number of components: NAME name type.
static palResult readFixed(Reader* reader, int components)
{
    char name[128], type[32];
    palScan_Word(&reader->cursor.scan, name, sizeof name);
    palScan_Word(&reader->cursor.scan, type, sizeof type);
    return readArray(reader, name, type, reader->dataCount, components);
}

// COLOR_SCALARS name n and LOOKUP_TABLE name n: bytes in binary, numbers in text.
static palResult readColours(Reader* reader, bool table)
{
    char name[128];
    int count;
    Array array;
    palScan_Word(&reader->cursor.scan, name, sizeof name);
    palResult result = palCursor_Count(&reader->cursor, pal_scalarInt32, 1, 1, &count);
    double numbers = table ? 4.0 * count : count * reader->dataCount;
    return result == pal_ok ? skipArray(reader, pal_scalarUint8, numbers, &array) : result;
}

static palResult readTexture(Reader* reader)
{
    char name[128], type[32];
    int components = 0;
    palScan_Word(&reader->cursor.scan, name, sizeof name);
    palResult result = palCursor_Int(&reader->cursor, pal_scalarInt32, &components);
    palScan_Word(&reader->cursor.scan, type, sizeof type);
    if (result == pal_ok && (components < 1 || components > 3))
        return palCursor_Fault(&reader->cursor, again, "the array '%s' has %d components", name,
                               components);
    return result == pal_ok ? readArray(reader, name, type, reader->dataCount, components) : result;
}

// METADATA ends at the next empty line.
static palResult skipMetadata(Reader* reader)
{
    palScan* scan = &reader->cursor.scan;
    do
        palScan_NextLine(scan);
    while (scan->at < scan->end && palScan_SkipInLine(scan));
    return pal_ok;
}

static palResult readData(Reader* reader, bool ofPoints)
{
    int count;
    palResult result = palCursor_Count(&reader->cursor, pal_scalarInt32, 0, 0, &count);
    reader->dataCount = count;
    reader->ofPoints = ofPoints;
    reader->ofCells = !ofPoints;
    return result;
}

static palResult readDataset(Reader* reader)
{
    char word[64];
    palScan_Word(&reader->cursor.scan, word, sizeof word);
    if (strcasecmp(word, "UNSTRUCTURED_GRID") == 0)
        return pal_ok;
    if (strcasecmp(word, "POLYDATA") == 0)
        return palCursor_Fault(&reader->cursor,
                               "create a volume mesh, or save it as .stl or .ply and load it "
                               "as a surface, which can be embedded in voxels",
                               "the VTK file contains polygons: it is a surface");
    return palCursor_Fault(&reader->cursor, "save it as an unstructured grid",
                           "the VTK dataset %s has no explicit elements", word);
}

static palResult readKeyword(Reader* reader, const char* word)
{
    static const struct
    {
        const char* word;
        int components;
    } fixed[] = {{"VECTORS", 3},  {"NORMALS", 3},      {"TENSORS", 9},
                 {"TENSORS6", 6}, {"PEDIGREE_IDS", 1}, {"GLOBAL_IDS", 1}};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (strcasecmp(word, fixed[i].word) == 0)
            return readFixed(reader, fixed[i].components);
    if (strcasecmp(word, "DATASET") == 0)
        return readDataset(reader);
    if (strcasecmp(word, "POINTS") == 0)
        return readPoints(reader);
    if (strcasecmp(word, "CELLS") == 0)
        return readCells(reader);
    if (strcasecmp(word, "CELL_TYPES") == 0)
        return readTypes(reader);
    if (strcasecmp(word, "CELL_DATA") == 0 || strcasecmp(word, "POINT_DATA") == 0)
        return readData(reader, strcasecmp(word, "POINT_DATA") == 0);
    if (strcasecmp(word, "SCALARS") == 0)
        return readScalars(reader);
    if (strcasecmp(word, "FIELD") == 0)
        return readField(reader);
    if (strcasecmp(word, "COLOR_SCALARS") == 0 || strcasecmp(word, "LOOKUP_TABLE") == 0)
        return readColours(reader, strcasecmp(word, "LOOKUP_TABLE") == 0);
    if (strcasecmp(word, "TEXTURE_COORDINATES") == 0)
        return readTexture(reader);
    if (strcasecmp(word, "METADATA") == 0)
        return skipMetadata(reader);
    return palCursor_Fault(&reader->cursor, again, "the VTK keyword '%s' is not supported", word);
}

// The cell kind of a VTK cell type; pal_cellNone: ignored.
static palResult cellKind(const palCursor* at, int type, palCellKind* kind)
{
    static const struct
    {
        palCellKind kind;
        int types[6]; // linear, quadratic variants, Lagrange, Bezier
    } kinds[] = {
        {pal_cellPoint, {1}},
        {pal_cellLine, {3, 21, 35, 68, 75}},
        {pal_cellTriangle, {5, 22, 34, 69, 76}},
        {pal_cellQuad, {8, 9, 23, 28, 70, 77}},
        {pal_cellTet, {10, 24, 71, 78}},
        {pal_cellHex, {11, 12, 25, 29, 72, 79}},
        {pal_cellHex, {33}},
        {pal_cellPrism, {13, 26, 31, 32, 73, 80}},
        {pal_cellPyramid, {14, 27, 37, 74, 81}},
        {pal_cellNone, {2, 4, 6, 7, 30, 36}},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (int k = 0; k < 6; k++)
            if (kinds[i].types[k] == type && type != 0)
            {
                *kind = kinds[i].kind;
                return pal_ok;
            }
    return palCursor_Fault(at, "mesh the part with tetrahedra or hexahedra",
                           "cells of VTK type %d cannot be converted to tetrahedra or hexahedra",
                           type);
}

// The number of corners of the next cell; version 5.1 gives its end offset instead.
static palResult readCornerCount(Reader* reader, int64_t* begin, int* count)
{
    int64_t value;
    palResult result = palCursor_Whole(&reader->cells.cursor, reader->cells.type, &value);
    if (result != pal_ok)
        return result;
    int64_t corners = reader->offsets ? value - *begin : value;
    double remaining =
        reader->offsets ? reader->corners.count - (double)*begin : reader->cells.count;
    if (corners < 0 || (double)corners > remaining)
        return palCursor_Fault(&reader->cells.cursor, again, "a cell has %lld corners",
                               (long long)corners);
    *begin += corners;
    *count = (int)corners;
    return pal_ok;
}

static palResult readCell(Reader* reader, int64_t* begin)
{
    // A pixel's and a voxel's corners are numbered along x, then y, then z.
    static const int voxelToHex[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    Array* corners = reader->offsets ? &reader->corners : &reader->cells;
    int64_t ids[pal_cellCornersMax];
    int type, label = 0, count = 0;
    palCellKind kind = pal_cellNone;
    palResult result = palCursor_Int(&reader->types.cursor, reader->types.type, &type);
    if (result == pal_ok)
        result = cellKind(&reader->types.cursor, type, &kind);
    if (result == pal_ok && reader->hasLabels)
        result = palCursor_Int(&reader->labels.cursor, reader->labels.type, &label);
    if (result == pal_ok)
        result = readCornerCount(reader, begin, &count);
    int needed = palCellKind_Corners(kind);
    if (result == pal_ok && count < needed)
        return palCursor_Fault(&corners->cursor, again, "a cell of VTK type %d has %d corners",
                               type, count);
    for (int k = 0; result == pal_ok && k < count; k++)
    {
        int64_t id;
        result = palCursor_Whole(&corners->cursor, corners->type, &id);
        if (k < needed)
            ids[type == 8 || type == 11 ? voxelToHex[k] : k] = id;
    }
    if (result != pal_ok || kind == pal_cellNone)
        return result;
    reader->builder->repairs.higherOrder += count > needed && palCellKind_Dimension(kind) == 3;
    result = palVolumeBuilder_AddCell(reader->builder, kind, ids, &label, 1, reader->cursor.error);
    return result == pal_errorInput ? palCursor_AddLocation(&corners->cursor) : result;
}

static palResult addCells(Reader* reader)
{
    if (!reader->hasCells || !reader->hasTypes)
        return palCursor_Fault(&reader->cursor, "save it as an unstructured grid",
                               "the VTK file has no %s", reader->hasCells ? "CELL_TYPES" : "CELLS");
    if (reader->types.count < reader->cellCount ||
        (reader->hasLabels && reader->labels.count < reader->cellCount))
        return palCursor_Fault(&reader->cursor, again,
                               "the VTK file has %d cells and fewer types or labels",
                               reader->cellCount);
    int64_t begin = 0;
    palResult result = pal_ok;
    if (reader->offsets && reader->cells.count > 0.0)
        result = palCursor_Whole(&reader->cells.cursor, reader->cells.type, &begin);
    if (result == pal_ok && begin != 0)
        return palCursor_Fault(&reader->cells.cursor, again, "the first offset is not 0");
    for (int i = 0; i < reader->cellCount && result == pal_ok; i++)
        result = readCell(reader, &begin);
    return result;
}

// "# vtk DataFile Version x.y", a title, ASCII or BINARY.
static palResult readHeader(Reader* reader)
{
    palScan* scan = &reader->cursor.scan;
    static const char magic[] = "# vtk DataFile Version ";
    char word[32];
    size_t length = strlen(magic);
    if ((size_t)(scan->end - scan->at) < length || strncasecmp(scan->at, magic, length) != 0)
        return palCursor_Fault(&reader->cursor, "save it as legacy VTK, not as XML (.vtu)",
                               "the file does not begin with '# vtk DataFile Version'");
    palScan_NextLine(scan);
    palScan_NextLine(scan);
    palScan_Word(scan, word, sizeof word);
    if (strcasecmp(word, "BINARY") == 0)
    {
        reader->body = pal_encodingBig;
        reader->cursor.binary = true;
    }
    else if (strcasecmp(word, "ASCII") != 0)
        return palCursor_Fault(&reader->cursor, again,
                               "'%s' found where ASCII or BINARY is expected", word);
    return pal_ok;
}

palResult palReadVtk(const palVolumeBytes* bytes, palVolumeBuilder* builder, palError* error)
{
    Reader reader = {
        .cursor = palMakeCursor(bytes->data, bytes->size, "VTK", 0, error),
        .builder = builder,
    };
    palResult result = readHeader(&reader);
    while (result == pal_ok && palScan_Skip(&reader.cursor.scan))
    {
        char word[64];
        palScan_Word(&reader.cursor.scan, word, sizeof word);
        result = readKeyword(&reader, word);
    }
    return result == pal_ok ? addCells(&reader) : result;
}

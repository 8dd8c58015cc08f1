// SPDX-License-Identifier: Apache-2.0
// Medit's .mesh and its binary form .meshb (P. J. Frey, "MEDIT: an interactive mesh visualization
// software", INRIA RT-0253, 2001; L. Marechal, "Handling unstructured meshes in the Gamma mesh
// format", INRIA): keywords, each with a count and that many lines. A cell's line ends with a
// reference (its label).
#include "base/error.h"
#include "mesh/cursor.h"
#include "mesh/volume_read.h"

#include <string.h>

static const char again[] = "the file is damaged: export it again";

// The supported keywords with their binary codes. The corner nodes come first.
typedef struct Keyword
{
    const char* word;
    int code;
    palCellKind kind; // pal_cellNone: vertices
    int nodes;
} Keyword;

static const Keyword keywords[] = {
    {"Vertices", 4, pal_cellNone, 0},      {"Edges", 5, pal_cellLine, 2},
    {"Triangles", 6, pal_cellTriangle, 3}, {"Quadrilaterals", 7, pal_cellQuad, 4},
    {"Tetrahedra", 8, pal_cellTet, 4},     {"Prisms", 9, pal_cellPrism, 6},
    {"Pentahedra", 9, pal_cellPrism, 6},   {"Hexahedra", 10, pal_cellHex, 8},
    {"TetrahedraP2", 30, pal_cellTet, 10}, {"HexahedraQ2", 33, pal_cellHex, 27},
    {"Pyramids", 49, pal_cellPyramid, 5},
};

enum
{
    keywordCount = sizeof keywords / sizeof keywords[0],
    codeDimension = 3,
    codeEnd = 54,
};

typedef struct Reader
{
    palCursor cursor;
    palScalar real;
    palScalar whole;    // of an index or a reference
    palScalar position; // of the next keyword, binary
    palVolumeBuilder* builder;
} Reader;

static palResult readVertex(Reader* reader)
{
    palCursor* cursor = &reader->cursor;
    double p[3];
    int reference;
    palResult result = pal_ok;
    for (int k = 0; k < 3 && result == pal_ok; k++)
        result = palCursor_Real(cursor, reader->real, &p[k]);
    if (result == pal_ok)
        result = palCursor_Int(cursor, reader->whole, &reference);
    if (result != pal_ok)
        return result;
    result = palVolumeBuilder_AddVertex(reader->builder, reader->builder->vertexCount + 1,
                                        palMakeVec3(p[0], p[1], p[2]), cursor->error);
    return result == pal_errorInput ? palCursor_AddLocation(cursor) : result;
}

static palResult readCell(Reader* reader, const Keyword* keyword)
{
    palCursor* cursor = &reader->cursor;
    int64_t ids[pal_cellCornersMax];
    int corners = palCellKind_Corners(keyword->kind);
    int reference;
    palResult result = pal_ok;
    for (int k = 0; k < keyword->nodes && result == pal_ok; k++)
    {
        int64_t id;
        result = palCursor_Whole(cursor, reader->whole, &id);
        if (k < corners)
            ids[k] = id;
    }
    if (result == pal_ok)
        result = palCursor_Int(cursor, reader->whole, &reference);
    if (result != pal_ok)
        return result;
    reader->builder->repairs.higherOrder += keyword->nodes > corners;
    result =
        palVolumeBuilder_AddCell(reader->builder, keyword->kind, ids, &reference, 1, cursor->error);
    return result == pal_errorInput ? palCursor_AddLocation(cursor) : result;
}

static palResult readList(Reader* reader, const Keyword* keyword)
{
    int count;
    bool vertices = keyword->kind == pal_cellNone;
    int numbers = vertices ? 4 : keyword->nodes + 1;
    palResult result =
        palCursor_Count(&reader->cursor, reader->whole, numbers, 4 * numbers, &count);
    for (int i = 0; i < count && result == pal_ok; i++)
        result = vertices ? readVertex(reader) : readCell(reader, keyword);
    return result;
}

static palResult checkDimension(Reader* reader)
{
    int dimension;
    palResult result = palCursor_Int(&reader->cursor, pal_scalarInt32, &dimension);
    if (result == pal_ok && dimension != 3)
        return palCursor_Fault(&reader->cursor, "export a mesh of the part's volume",
                               "the mesh has %d dimensions, not 3", dimension);
    return result;
}

// Skips to the next word that begins with a letter.
static void skipNumbers(palScan* scan)
{
    while (palScan_Skip(scan))
    {
        char c = *scan->at;
        if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
            return;
        char word[8];
        palScan_Word(scan, word, sizeof word);
    }
}

static palResult readText(Reader* reader)
{
    palScan* scan = &reader->cursor.scan;
    char word[64];
    palScan_Skip(scan);
    palScan_Word(scan, word, sizeof word);
    if (strcmp(word, "MeshVersionFormatted") != 0)
        return palCursor_Fault(&reader->cursor, "Medit text files begin with this keyword",
                               "'%s' found where MeshVersionFormatted is expected", word);
    palResult result = palCursor_Int(&reader->cursor, pal_scalarInt32, &(int){0});
    while (result == pal_ok && palScan_Skip(scan))
    {
        palScan_Word(scan, word, sizeof word);
        const Keyword* found = NULL;
        for (int i = 0; i < keywordCount; i++)
            if (strcmp(word, keywords[i].word) == 0)
                found = &keywords[i];
        if (strcmp(word, "End") == 0)
            break;
        if (strcmp(word, "Dimension") == 0)
            result = checkDimension(reader);
        else if (found != NULL)
            result = readList(reader, found);
        else if ((word[0] >= 'A' && word[0] <= 'Z') || (word[0] >= 'a' && word[0] <= 'z'))
            skipNumbers(scan);
        else
            result = palCursor_Fault(&reader->cursor, again,
                                     "'%s' found where a keyword is expected", word);
    }
    return result;
}

// A binary file is a linked list: keyword code, file position of the next keyword, then the
// keyword's numbers. Version 1 has single precision, version 3 64-bit positions, version 4 64-bit
// integers.
static palResult readBinary(Reader* reader)
{
    palCursor* cursor = &reader->cursor;
    int version, code = 0;
    cursor->scan.at += 4;
    palResult result = palCursor_Int(cursor, pal_scalarInt32, &version);
    if (result == pal_ok && (version < 1 || version > 4))
        return palCursor_Fault(cursor, "save it with version 2 or 3",
                               "version %d of Medit's binary format is not supported", version);
    reader->real = version == 1 ? pal_scalarFloat32 : pal_scalarFloat64;
    reader->whole = version == 4 ? pal_scalarInt64 : pal_scalarInt32;
    reader->position = version >= 3 ? pal_scalarInt64 : pal_scalarInt32;
    while (result == pal_ok)
    {
        int64_t next = 0;
        result = palCursor_Int(cursor, pal_scalarInt32, &code);
        if (result != pal_ok || code == codeEnd)
            return result;
        result = palCursor_Whole(cursor, reader->position, &next);
        if (result == pal_ok &&
            (next < cursor->scan.at - cursor->start || next > cursor->scan.end - cursor->start))
            return palCursor_Fault(cursor, again, "the list of keywords is damaged");
        if (result == pal_ok && code == codeDimension)
            result = checkDimension(reader);
        for (int i = 0; i < keywordCount && result == pal_ok; i++)
            if (keywords[i].code == code)
            {
                result = readList(reader, &keywords[i]);
                break;
            }
        cursor->scan.at = cursor->start + next;
    }
    return result;
}

palResult palReadMedit(const palVolumeBytes* bytes, palVolumeBuilder* builder, palError* error)
{
    static const unsigned char little[4] = {1, 0, 0, 0}, big[4] = {0, 0, 0, 1};
    Reader reader = {
        .cursor = palMakeCursor(bytes->data, bytes->size, "Medit", '#', error),
        .builder = builder,
    };
    bool isLittle = bytes->size >= 4 && memcmp(bytes->data, little, 4) == 0;
    bool isBig = bytes->size >= 4 && memcmp(bytes->data, big, 4) == 0;
    if (!isLittle && !isBig)
        return readText(&reader);
    reader.cursor.binary = true;
    reader.cursor.encoding = isLittle ? pal_encodingLittle : pal_encodingBig;
    return readBinary(&reader);
}

// SPDX-License-Identifier: Apache-2.0
// PLY, the Stanford polygon file (G. Turk, "The PLY Polygon File Format", 1994): a text header that
// declares elements and their properties, then the elements in that order, as text or binary.
#include "base/error.h"
#include "mesh/cursor.h"
#include "mesh/read.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum
{
    maxElements = 32,
    maxProperties = 256, // per element
};

typedef enum Role
{
    roleSkipped,
    roleX,
    roleY,
    roleZ,
    roleCorners, // of a face or a strip
} Role;

typedef struct Property
{
    palScalar type;
    palScalar countType; // of a list; pal_scalarCount otherwise
    Role role;
} Property;

typedef enum ElementKind
{
    elementSkipped,
    elementVertex,
    elementFace,
    elementStrips,
} ElementKind;

typedef struct Element
{
    ElementKind kind;
    int count;
    int line; // of its declaration
    int propertyCount;
    Property properties[maxProperties];
} Element;

typedef struct Reader
{
    palCursor cursor;
    int elementCount;
    Element elements[maxElements];
    int* corners; // owned: of the face being read
    int cornerCapacity;
    palSurfaceBuilder* builder; // borrowed
} Reader;

static palResult badHeader(const Reader* reader, const char* text, const char* word)
{
    palError* error = reader->cursor.error;
    palError_Set(error, pal_errorInput, text, word);
    palError_At(error, NULL, reader->cursor.scan.line, 0);
    palError_Remedy(error, "save the mesh again as PLY 1.0");
    return pal_errorInput;
}

// The type of that name; pal_scalarCount: unknown. PLY has no 64-bit integers.
static palScalar scalarType(const char* name)
{
    static const struct
    {
        const char* old;
        const char* sized;
        palScalar type;
    } types[] = {
        {"char", "int8", pal_scalarInt8},        {"uchar", "uint8", pal_scalarUint8},
        {"short", "int16", pal_scalarInt16},     {"ushort", "uint16", pal_scalarUint16},
        {"int", "int32", pal_scalarInt32},       {"uint", "uint32", pal_scalarUint32},
        {"float", "float32", pal_scalarFloat32}, {"double", "float64", pal_scalarFloat64},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(name, types[i].old) == 0 || strcmp(name, types[i].sized) == 0)
            return types[i].type;
    return pal_scalarCount;
}

static Role propertyRole(ElementKind kind, const char* name, bool isList)
{
    if (kind == elementVertex && !isList && name[0] >= 'x' && name[0] <= 'z' && name[1] == '\0')
        return (Role)(roleX + (name[0] - 'x'));
    bool corners = strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0;
    if ((kind == elementFace || kind == elementStrips) && isList && corners)
        return roleCorners;
    return roleSkipped;
}

static palResult readFormat(Reader* reader)
{
    char word[32];
    palScan_Word(&reader->cursor.scan, word, sizeof word);
    if (strcmp(word, "ascii") == 0)
        reader->cursor.encoding = pal_encodingText;
    else if (strcmp(word, "binary_little_endian") == 0)
        reader->cursor.encoding = pal_encodingLittle;
    else if (strcmp(word, "binary_big_endian") == 0)
        reader->cursor.encoding = pal_encodingBig;
    else
        return badHeader(reader, "unknown PLY format '%s'", word);
    return pal_ok;
}

static palResult readElement(Reader* reader)
{
    char name[64];
    if (reader->elementCount == maxElements)
        return badHeader(reader, "%s", "the PLY header declares more than 32 elements");
    Element* element = &reader->elements[reader->elementCount++];
    *element = (Element){.line = reader->cursor.scan.line};
    palScan_Word(&reader->cursor.scan, name, sizeof name);
    palScan_SkipInLine(&reader->cursor.scan);
    if (!palScan_Whole(&reader->cursor.scan, &element->count) || element->count < 0)
        return badHeader(reader, "the count of the PLY element '%s' is not a valid number", name);
    if (strcmp(name, "vertex") == 0)
        element->kind = elementVertex;
    else if (strcmp(name, "face") == 0)
        element->kind = elementFace;
    else if (strcmp(name, "tristrips") == 0)
        element->kind = elementStrips;
    return pal_ok;
}

static palResult readProperty(Reader* reader)
{
    char word[64];
    if (reader->elementCount == 0)
        return badHeader(reader, "%s", "a PLY property precedes the first element");
    Element* element = &reader->elements[reader->elementCount - 1];
    if (element->propertyCount == maxProperties)
        return badHeader(reader, "%s", "a PLY element has more than 256 properties");
    Property* property = &element->properties[element->propertyCount++];
    *property = (Property){.countType = pal_scalarCount};
    palScan_Word(&reader->cursor.scan, word, sizeof word);
    bool isList = strcmp(word, "list") == 0;
    if (isList)
    {
        palScan_Word(&reader->cursor.scan, word, sizeof word);
        property->countType = scalarType(word);
        if (property->countType >= pal_scalarFloat32)
            return badHeader(reader, "the count type of a PLY list is '%s', not an integer type",
                             word);
        palScan_Word(&reader->cursor.scan, word, sizeof word);
    }
    property->type = scalarType(word);
    if (property->type == pal_scalarCount)
        return badHeader(reader, "unknown PLY type '%s'", word);
    palScan_Word(&reader->cursor.scan, word, sizeof word);
    property->role = propertyRole(element->kind, word, isList);
    return pal_ok;
}

// Reads the lines from "ply" to "end_header" and moves to the first byte of the body.
static palResult readHeader(Reader* reader)
{
    palScan* scan = &reader->cursor.scan;
    char word[64];
    palScan_Word(scan, word, sizeof word);
    if (strcmp(word, "ply") != 0)
        return badHeader(reader, "%s", "the file does not begin with 'ply': it is not a PLY file");
    bool formatSeen = false;
    for (;;)
    {
        palScan_NextLine(scan);
        if (scan->at == scan->end)
            return badHeader(reader, "%s",
                             "the PLY header has no 'end_header': the file is truncated");
        palResult result = pal_ok;
        palScan_Word(scan, word, sizeof word);
        if (strcmp(word, "format") == 0)
        {
            result = readFormat(reader);
            formatSeen = true;
        }
        else if (strcmp(word, "element") == 0)
            result = readElement(reader);
        else if (strcmp(word, "property") == 0)
            result = readProperty(reader);
        else if (strcmp(word, "end_header") == 0)
            break;
        else if (word[0] != '\0' && strcmp(word, "comment") != 0 && strcmp(word, "obj_info") != 0)
            result = badHeader(reader, "unknown PLY header line '%s'", word);
        if (result != pal_ok)
            return result;
    }
    palScan_NextLine(scan);
    return formatSeen ? pal_ok : badHeader(reader, "%s", "the PLY header has no 'format' line");
}

// Reads a list property; if `kept`, its numbers are stored in reader->corners. Numbers outside the
// range of int become INT_MAX and are rejected later as invalid indices.
static palResult readList(Reader* reader, const Property* property, bool kept, int* count)
{
    double length;
    palResult result = palCursor_Real(&reader->cursor, property->countType, &length);
    if (result != pal_ok)
        return result;
    // Every number takes at least a byte: a length beyond the rest of the file is rejected at once.
    if (!(length >= 0.0) || length > (double)(reader->cursor.scan.end - reader->cursor.scan.at) ||
        length > INT_MAX)
        return palCursor_Fault(&reader->cursor, "the file is truncated or damaged: export it again",
                               "a PLY list of %g numbers does not fit into the file", length);
    *count = (int)length;
    if (kept && *count > reader->cornerCapacity)
    {
        int* corners = realloc(reader->corners, (size_t)*count * sizeof *corners);
        if (corners == NULL)
            return palError_Memory(reader->cursor.error, "a face",
                                   (size_t)*count * sizeof *corners);
        reader->corners = corners;
        reader->cornerCapacity = *count;
    }
    for (int i = 0; i < *count; i++)
    {
        double value = 0.0;
        result = palCursor_Real(&reader->cursor, property->type, &value);
        if (result != pal_ok)
            return result;
        if (kept)
            reader->corners[i] = value >= INT_MIN && value <= INT_MAX ? (int)value : INT_MAX;
    }
    return pal_ok;
}

// The orientation alternates along a strip; -1 starts a new strip.
static palResult addStrips(Reader* reader, int count)
{
    int start = 0;
    for (int i = 0; i < count; i++)
    {
        const int* c = &reader->corners[i];
        if (*c == -1)
        {
            start = i + 1;
            continue;
        }
        if (i < start + 2)
            continue;
        bool odd = (i - start) % 2 != 0;
        int triangle[3] = {odd ? c[-1] : c[-2], odd ? c[-2] : c[-1], c[0]};
        palResult result =
            palSurfaceBuilder_AddPolygon(reader->builder, triangle, 3, reader->cursor.error);
        if (result != pal_ok)
            return result;
    }
    return pal_ok;
}

// Reads one element of the body and adds it to the surface.
static palResult readInstance(Reader* reader, const Element* element)
{
    double position[3] = {0.0, 0.0, 0.0};
    int cornerCount = 0;
    for (int i = 0; i < element->propertyCount; i++)
    {
        const Property* property = &element->properties[i];
        double value = 0.0;
        int count = 0;
        palResult result;
        if (property->countType == pal_scalarCount)
            result = palCursor_Real(&reader->cursor, property->type, &value);
        else
            result = readList(reader, property, property->role == roleCorners, &count);
        if (result != pal_ok)
            return result;
        if (property->role == roleCorners)
            cornerCount = count;
        else if (property->role != roleSkipped)
            position[property->role - roleX] = value;
    }
    palVec3 vertex = {position[0], position[1], position[2]};
    if (element->kind == elementVertex && !palIsFinite(vertex))
        return palCursor_Fault(&reader->cursor,
                               "repair the vertex in a mesh editor and export again",
                               "vertex %d is not finite (%g, %g, %g)",
                               reader->builder->surface.vertexCount, vertex.x, vertex.y, vertex.z);
    palResult result = pal_ok;
    if (element->kind == elementVertex)
        result = palSurfaceBuilder_AddVertex(reader->builder, vertex, reader->cursor.error);
    else if (element->kind == elementFace)
        result = palSurfaceBuilder_AddPolygon(reader->builder, reader->corners, cornerCount,
                                              reader->cursor.error);
    else if (element->kind == elementStrips)
        result = addStrips(reader, cornerCount);
    if (result == pal_errorInput)
        palCursor_AddLocation(&reader->cursor);
    return result;
}

static bool hasRole(const Element* element, Role role)
{
    for (int i = 0; i < element->propertyCount; i++)
        if (element->properties[i].role == role)
            return true;
    return false;
}

// Rejects an element without the required properties, or with a count that exceeds the file.
static palResult checkElement(const Reader* reader, const Element* element)
{
    const char* missing = NULL;
    if (element->kind == elementVertex &&
        !(hasRole(element, roleX) && hasRole(element, roleY) && hasRole(element, roleZ)))
        missing = "the PLY vertices have no x, y and z";
    if ((element->kind == elementFace || element->kind == elementStrips) && element->count > 0 &&
        !hasRole(element, roleCorners))
        missing = "the PLY faces have no list vertex_indices";
    if (missing != NULL)
    {
        palError_Set(reader->cursor.error, pal_errorInput, "%s", missing);
        palError_Remedy(reader->cursor.error, "export the mesh as a PLY polygon surface");
        palError_At(reader->cursor.error, NULL, element->line, 0);
        return pal_errorInput;
    }
    double bytesMin = 0.0; // per instance
    for (int i = 0; i < element->propertyCount; i++)
    {
        const Property* property = &element->properties[i];
        bool isList = property->countType != pal_scalarCount;
        bool isText = reader->cursor.encoding == pal_encodingText;
        bytesMin += isText ? 1 : palScalar_Size(isList ? property->countType : property->type);
    }
    if (bytesMin * element->count <= (double)(reader->cursor.scan.end - reader->cursor.scan.at))
        return pal_ok;
    palError_Set(reader->cursor.error, pal_errorInput,
                 "the PLY header declares %d elements here, more than fit into the file",
                 element->count);
    palError_Remedy(reader->cursor.error, "the file is truncated: copy or export it again");
    palError_At(reader->cursor.error, NULL, element->line, 0);
    return pal_errorInput;
}

static palResult readBody(Reader* reader)
{
    for (int i = 0; i < reader->elementCount; i++)
    {
        const Element* element = &reader->elements[i];
        palResult result = checkElement(reader, element);
        // An element without properties has no data.
        int count = element->propertyCount > 0 ? element->count : 0;
        for (int k = 0; k < count && result == pal_ok; k++)
            result = readInstance(reader, element);
        if (result != pal_ok)
            return result;
    }
    return pal_ok;
}

palResult palReadPly(const palSurfaceBytes* bytes, palSurfaceBuilder* builder, palMessages* notes,
                     palError* error)
{
    (void)notes;
    Reader* reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return palError_Memory(error, "the PLY reader", sizeof *reader);
    reader->cursor = palMakeCursor(bytes->data, bytes->size, "PLY", 0, error);
    reader->builder = builder;
    palResult result = readHeader(reader);
    reader->cursor.binary = reader->cursor.encoding != pal_encodingText;
    if (result == pal_ok)
        result = readBody(reader);
    free(reader->corners);
    free(reader);
    return result;
}

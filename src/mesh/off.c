// SPDX-License-Identifier: Apache-2.0
// OFF, Geomview's object file (Geomview manual, "OFF: Object File Format"): counts, vertices, then
// polygons. The keyword [ST][C][N]OFF gives the data of each vertex: texture coordinates, colour,
// normal. The binary form is big-endian with 32 bits per number; after the corners of a face come
// the number of its colour components and these, which some writers leave out altogether.
#include "base/error.h"
#include "mesh/read.h"
#include "mesh/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader
{
    palScan scan; // also used for a binary body
    bool binary;
    bool hasColourCounts; // a binary face ends with the number of its colours
    int extras;           // numbers per vertex in addition to its position
    int vertexCount;
    int faceCount;
    int* corners; // owned: of the face being read
    int cornerCapacity;
    palSurfaceBuilder* builder; // borrowed
    palError* error;            // borrowed
} Reader;

static palResult fault(const Reader* reader, const char* text, const char* remedy)
{
    palError_Set(reader->error, pal_errorInput, "%s", text);
    palError_Remedy(reader->error, "%s", remedy);
    if (!reader->binary)
        palError_At(reader->error, NULL, reader->scan.line, 0);
    return pal_errorInput;
}

static palResult truncatedFile(const Reader* reader)
{
    return fault(reader, "the OFF file is truncated: it ends inside its data",
                 "copy or export it again");
}

static bool accept(palScan* scan, const char* letters)
{
    size_t length = strlen(letters);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, letters, length) != 0)
        return false;
    scan->at += length;
    return true;
}

// Reads "[ST][C][N]OFF [BINARY]". The keyword may be missing, and in files of the ModelNet
// collection the counts follow it without a blank.
static palResult readKeyword(Reader* reader)
{
    palScan* scan = &reader->scan;
    if (!palScan_Skip(scan))
        return fault(reader, "the OFF file is empty", "export the mesh again");
    palScan start = *scan;
    reader->extras += accept(scan, "ST") ? 2 : 0;
    reader->extras += accept(scan, "C") ? 4 : 0;
    reader->extras += accept(scan, "N") ? 3 : 0;
    if (!accept(scan, "OFF"))
    {
        *scan = start;
        reader->extras = 0;
        if (strchr("0123456789", *scan->at) == NULL)
            return fault(reader, "the file does not begin with a supported OFF keyword",
                         "use three-dimensional OFF, COFF, NOFF or STOFF");
    }
    palScan_SkipInLine(scan);
    reader->binary = accept(scan, "BINARY");
    if (reader->binary)
        palScan_NextLine(scan);
    return pal_ok;
}

// Reads a big-endian word. Returns false at the end of the file.
static bool readWord(Reader* reader, uint32_t* word)
{
    const unsigned char* b = (const unsigned char*)reader->scan.at;
    if (reader->scan.end - reader->scan.at < 4)
        return false;
    *word = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    reader->scan.at += 4;
    return true;
}

static palResult readWhole(Reader* reader, int* number)
{
    if (reader->binary)
    {
        uint32_t word;
        if (!readWord(reader, &word))
            return truncatedFile(reader);
        *number = (int)word;
        return pal_ok;
    }
    if (!palScan_Skip(&reader->scan))
        return truncatedFile(reader);
    if (!palScan_Whole(&reader->scan, number))
        return fault(reader, "a whole number is expected", "the file is damaged: export it again");
    return pal_ok;
}

static palResult readNumber(Reader* reader, double* number)
{
    if (reader->binary)
    {
        union
        {
            uint32_t bits;
            float value;
        } word;
        if (!readWord(reader, &word.bits))
            return truncatedFile(reader);
        *number = word.value;
        return pal_ok;
    }
    if (!palScan_Skip(&reader->scan))
        return truncatedFile(reader);
    if (!palScan_Number(&reader->scan, number))
        return fault(reader, "a number is expected", "the file is damaged: export it again");
    return pal_ok;
}

static palResult readCounts(Reader* reader)
{
    int edgeCount = 0;
    palResult result = readWhole(reader, &reader->vertexCount);
    if (result == pal_ok)
        result = readWhole(reader, &reader->faceCount);
    if (result == pal_ok && reader->binary)
        result = readWhole(reader, &edgeCount);
    if (result != pal_ok)
        return result;
    if (!reader->binary)
        palScan_NextLine(&reader->scan);
    // A vertex takes at least 3 characters or numbers, a face one character or two numbers.
    double available = (double)(reader->scan.end - reader->scan.at);
    double vertexBytes = reader->binary ? 4.0 * (3 + reader->extras) : 3.0;
    double faceBytes = reader->binary ? 8.0 : 1.0;
    if (reader->vertexCount < 0 || reader->faceCount < 0 ||
        vertexBytes * reader->vertexCount + faceBytes * reader->faceCount > available)
        return fault(reader, "the OFF header declares more vertices and faces than the file has",
                     "the file is truncated: copy or export it again");
    return pal_ok;
}

// Skips colours, normals and texture coordinates after a vertex or face.
static palResult skipExtras(Reader* reader, int count)
{
    if (!reader->binary)
    {
        palScan_NextLine(&reader->scan);
        return pal_ok;
    }
    if (count < 0 || reader->scan.end - reader->scan.at < (ptrdiff_t)count * 4)
        return truncatedFile(reader);
    reader->scan.at += (ptrdiff_t)count * 4;
    return pal_ok;
}

static palResult readVertex(Reader* reader)
{
    double position[3];
    for (int i = 0; i < 3; i++)
    {
        palResult result = readNumber(reader, &position[i]);
        if (result != pal_ok)
            return result;
    }
    palVec3 vertex = {position[0], position[1], position[2]};
    if (!palIsFinite(vertex))
    {
        char text[80];
        snprintf(text, sizeof text, "vertex %d is not finite",
                 reader->builder->surface.vertexCount);
        return fault(reader, text, "repair the vertex in a mesh editor and export again");
    }
    palResult result = skipExtras(reader, reader->extras);
    if (result != pal_ok)
        return result;
    return palSurfaceBuilder_AddVertex(reader->builder, vertex, reader->error);
}

static palResult readFace(Reader* reader)
{
    int count;
    palResult result = readWhole(reader, &count);
    if (result != pal_ok)
        return result;
    // Every corner takes at least a byte: more corners than bytes are rejected at once.
    if (count < 0 || count > reader->scan.end - reader->scan.at)
        return fault(reader, "a face declares more corners than fit into the file",
                     "the file is truncated or damaged: export it again");
    if (count > reader->cornerCapacity)
    {
        int* corners = realloc(reader->corners, (size_t)count * sizeof *corners);
        if (corners == NULL)
            return palError_Memory(reader->error, "a face", (size_t)count * sizeof *corners);
        reader->corners = corners;
        reader->cornerCapacity = count;
    }
    for (int i = 0; i < count && result == pal_ok; i++)
        result = readWhole(reader, &reader->corners[i]);
    if (result != pal_ok)
        return result;
    int line = reader->scan.line;
    int colours = 0;
    if (reader->hasColourCounts)
        result = readWhole(reader, &colours);
    if (result == pal_ok)
        result = skipExtras(reader, colours);
    if (result == pal_ok)
        result =
            palSurfaceBuilder_AddPolygon(reader->builder, reader->corners, count, reader->error);
    if (result == pal_errorInput && !reader->binary)
        palError_At(reader->error, NULL, line, 0);
    return result;
}

// Whether the file is whole if its binary faces have no colour counts: faces of three or more
// vertices that end exactly where the file ends.
static bool isWholeWithoutColourCounts(Reader reader)
{
    for (int i = 0; i < reader.faceCount; i++)
    {
        uint32_t corners = 0, vertex = 0;
        if (!readWord(&reader, &corners) || corners < 3)
            return false;
        for (uint32_t k = 0; k < corners; k++)
            if (!readWord(&reader, &vertex) || vertex >= (uint32_t)reader.vertexCount)
                return false;
    }
    return reader.scan.at == reader.scan.end;
}

palResult palReadOff(const palSurfaceBytes* bytes, palSurfaceBuilder* builder, palMessages* notes,
                     palError* error)
{
    (void)notes;
    Reader reader = {
        .scan = palMakeScan(bytes->data, bytes->size, '#'),
        .builder = builder,
        .error = error,
    };
    palResult result = readKeyword(&reader);
    if (result == pal_ok)
        result = readCounts(&reader);
    for (int i = 0; i < reader.vertexCount && result == pal_ok; i++)
        result = readVertex(&reader);
    reader.hasColourCounts = reader.binary && !isWholeWithoutColourCounts(reader);
    for (int i = 0; i < reader.faceCount && result == pal_ok; i++)
        result = readFace(&reader);
    free(reader.corners);
    return result;
}

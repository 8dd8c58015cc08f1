// SPDX-License-Identifier: Apache-2.0
// STL. As text: "solid NAME", then "facet normal i j k", "outer loop", three lines "vertex x y z",
// "endloop", "endfacet" for every triangle, and "endsolid NAME"; several solids may follow each
// other. Writers differ in upper and lower case, in line ends, and in "end solid" as two words:
// what counts here is the order of "facet" and "vertex". As binary: a header of 80 bytes, the
// number of triangles, and 50 bytes per triangle, little-endian. Positions are rounded to single
// precision, in which files of both kinds are written, so that equal corners are equal.
#include "base/error.h"
#include "mesh/read.h"
#include "mesh/scan.h"

#include <string.h>
#include <strings.h>

enum
{
    headerBytes = 84,
    triangleBytes = 50,
};

static palResult fault(palError* error, int line, const char* text, const char* remedy)
{
    palError_Set(error, pal_errorInput, "%s", text);
    palError_Remedy(error, "%s", remedy);
    if (line > 0)
        palError_At(error, NULL, line, 0);
    return pal_errorInput;
}

// Moves to the end of the line, also where lines end with a carriage return alone.
static void skipLine(palScan* scan)
{
    while (scan->at < scan->end && *scan->at != '\n' && *scan->at != '\r')
        scan->at++;
}

static palResult readVertex(palScan* scan, palSurfaceBuilder* builder, palError* error)
{
    double p[3];
    for (int k = 0; k < 3; k++)
    {
        palScan_SkipInLine(scan);
        if (!palScan_Number(scan, &p[k]))
            return fault(error, scan->line, "a vertex has fewer than three numbers",
                         "the file is truncated or damaged: export it again");
        p[k] = (float)p[k];
        if (!isfinite(p[k]))
            return fault(error, scan->line, "a vertex is not finite",
                         "repair the vertex in a mesh editor and export again");
    }
    return palSurfaceBuilder_AddVertex(builder, palMakeVec3(p[0], p[1], p[2]), error);
}

static palResult readText(const palSurfaceBytes* bytes, palSurfaceBuilder* builder,
                          palMessages* notes, palError* error)
{
    char word[16], second[16];
    bool ended = false;
    int facets = 0;
    palScan scan = palMakeScan(bytes->data, bytes->size, 0);
    palResult result = pal_ok;
    while (result == pal_ok && palScan_Skip(&scan))
    {
        palScan_Word(&scan, word, sizeof word);
        if (strcasecmp(word, "vertex") == 0)
        {
            result = readVertex(&scan, builder, error);
            continue;
        }
        bool opens = strcasecmp(word, "facet") == 0;
        if (opens && builder->surface.vertexCount != 3 * facets)
            return fault(error, scan.line, "the previous facet does not have three vertices",
                         "the file is damaged: export it again");
        facets += opens;
        if (strcasecmp(word, "end") == 0 && palScan_Word(&scan, second, sizeof second))
            ended = ended || strcasecmp(second, "solid") == 0;
        ended = ended || strcasecmp(word, "endsolid") == 0;
        skipLine(&scan);
    }
    if (result == pal_ok && builder->surface.vertexCount != 3 * facets)
        return fault(error, scan.line, "the file is truncated: it ends inside a facet",
                     "copy or export it again");
    if (result == pal_ok && !ended)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "the STL file has no 'endsolid': it may be truncated"),
                        "compare the shape with the original");
    return result;
}

static uint32_t littleWord(const unsigned char* d)
{
    return d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
}

// The three corners of a binary triangle, which begin after its normal.
static palResult readCorners(const unsigned char* data, palSurfaceBuilder* builder, palError* error)
{
    palResult result = pal_ok;
    for (int k = 0; k < 3 && result == pal_ok; k++)
    {
        double p[3];
        for (int i = 0; i < 3; i++)
        {
            union
            {
                uint32_t bits;
                float value;
            } number = {.bits = littleWord(data + 12 * (k + 1) + 4 * i)};
            p[i] = number.value;
        }
        result = palSurfaceBuilder_AddVertex(builder, palMakeVec3(p[0], p[1], p[2]), error);
    }
    return result;
}

static palResult readBinary(const palSurfaceBytes* bytes, uint32_t count,
                            palSurfaceBuilder* builder, palMessages* notes, palError* error)
{
    size_t present = (bytes->size - headerBytes) / triangleBytes;
    if (present < count)
    {
        palError_Set(error, pal_errorInput,
                     "the binary STL declares %u triangles but contains only %zu", count, present);
        palError_Remedy(error, "the file is truncated: copy or export it again");
        return pal_errorInput;
    }
    size_t rest = bytes->size - headerBytes - (size_t)triangleBytes * count;
    if (rest > 0)
        palMessages_Add(notes, pal_severityNote, "%zu bytes after the last triangle are ignored",
                        rest);
    palResult result = pal_ok;
    for (uint32_t t = 0; t < count && result == pal_ok; t++)
        result = readCorners(bytes->data + headerBytes + (size_t)triangleBytes * t, builder, error);
    return result;
}

palResult palReadStl(const palSurfaceBytes* bytes, palSurfaceBuilder* builder, palMessages* notes,
                     palError* error)
{
    if (bytes->size == 0)
        return fault(error, 0, "the file is empty", "export the mesh again");
    uint32_t count = bytes->size >= headerBytes ? littleWord(bytes->data + headerBytes - 4) : 0;
    bool exact =
        bytes->size >= headerBytes && bytes->size == headerBytes + (uint64_t)triangleBytes * count;
    // Some programs begin the header of a binary file with "solid".
    palScan scan = palMakeScan(bytes->data, bytes->size, 0);
    bool startsSolid =
        palScan_Skip(&scan) && scan.end - scan.at >= 5 && strncasecmp(scan.at, "solid", 5) == 0;
    palResult result;
    if (startsSolid && !exact)
        result = readText(bytes, builder, notes, error);
    else if (bytes->size < headerBytes)
        return fault(error, 0, "the file is neither a text STL ('solid ...') nor a binary one",
                     "export it again");
    else
        result = readBinary(bytes, count, builder, notes, error);
    for (int v = 0; v + 2 < builder->surface.vertexCount && result == pal_ok; v += 3)
        result = palSurfaceBuilder_AddTriangle(builder, v, v + 1, v + 2, error);
    return result;
}

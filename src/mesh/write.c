// SPDX-License-Identifier: Apache-2.0
#include "mesh/write.h"

#include "base/error.h"
#include "base/file.h"
#include "mesh/load.h"

static void putWord(FILE* file, uint32_t word)
{
    unsigned char bytes[4] = {word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24};
    fwrite(bytes, 1, sizeof bytes, file);
}

static void putFloat(FILE* file, double value)
{
    union
    {
        float value;
        uint32_t bits;
    } word = {.value = (float)value};
    putWord(file, word.bits);
}

static void putDouble(FILE* file, double value)
{
    union
    {
        double value;
        uint64_t bits;
    } word = {.value = value};
    putWord(file, (uint32_t)word.bits);
    putWord(file, (uint32_t)(word.bits >> 32));
}

static void writePly(const void* data, FILE* file)
{
    const palSurface* surface = data;
    fprintf(file,
            "ply\nformat binary_little_endian 1.0\ncomment Palpate %s, metres\n"
            "element vertex %d\nproperty double x\nproperty double y\nproperty double z\n"
            "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
            palVersion(), surface->vertexCount, surface->triangleCount);
    for (int i = 0; i < surface->vertexCount; i++)
    {
        putDouble(file, surface->vertices[i].x);
        putDouble(file, surface->vertices[i].y);
        putDouble(file, surface->vertices[i].z);
    }
    for (int i = 0; i < surface->triangleCount; i++)
    {
        putc(3, file);
        for (int k = 0; k < 3; k++)
            putWord(file, (uint32_t)surface->triangles[i][k]);
    }
}

static void writeStl(const void* data, FILE* file)
{
    const palSurface* surface = data;
    char header[80] = "Palpate surface, metres";
    fwrite(header, 1, sizeof header, file);
    putWord(file, (uint32_t)surface->triangleCount);
    for (int i = 0; i < surface->triangleCount; i++)
    {
        palVec3 p[4]; // the normal, then the corners
        for (int k = 0; k < 3; k++)
            p[k + 1] = surface->vertices[surface->triangles[i][k]];
        p[0] = palNormalize(palCross(palSub(p[2], p[1]), palSub(p[3], p[1])));
        for (int k = 0; k < 4; k++)
        {
            putFloat(file, p[k].x);
            putFloat(file, p[k].y);
            putFloat(file, p[k].z);
        }
        fwrite("\0", 1, 2, file);
    }
}

static void writeObj(const void* data, FILE* file)
{
    const palSurface* surface = data;
    fprintf(file, "# Palpate %s, metres\n", palVersion());
    for (int i = 0; i < surface->vertexCount; i++)
        fprintf(file, "v %.17g %.17g %.17g\n", surface->vertices[i].x, surface->vertices[i].y,
                surface->vertices[i].z);
    for (int i = 0; i < surface->triangleCount; i++)
        fprintf(file, "f %d %d %d\n", surface->triangles[i][0] + 1, surface->triangles[i][1] + 1,
                surface->triangles[i][2] + 1);
}

static void writeOff(const void* data, FILE* file)
{
    const palSurface* surface = data;
    fprintf(file, "OFF\n# Palpate %s, metres\n%d %d 0\n", palVersion(), surface->vertexCount,
            surface->triangleCount);
    for (int i = 0; i < surface->vertexCount; i++)
        fprintf(file, "%.17g %.17g %.17g\n", surface->vertices[i].x, surface->vertices[i].y,
                surface->vertices[i].z);
    for (int i = 0; i < surface->triangleCount; i++)
        fprintf(file, "3 %d %d %d\n", surface->triangles[i][0], surface->triangles[i][1],
                surface->triangles[i][2]);
}

static palFileWriter* findWriter(const char* path)
{
    palSurfaceFormat format;
    if (!palFindSurfaceFormat(path, &format))
        return NULL;
    switch (format)
    {
    case pal_surfacePly:
        return writePly;
    case pal_surfaceStl:
        return writeStl;
    case pal_surfaceObj:
        return writeObj;
    case pal_surfaceOff:
        return writeOff;
    default:
        return NULL;
    }
}

palResult palSurface_Write(const palSurface* surface, const char* path, palError* error)
{
    palFileWriter* write = findWriter(path);
    if (write == NULL)
    {
        palError_Set(error, pal_errorInput, "no surface can be written in this format");
        palError_Remedy(error, "use .ply, .stl, .obj or .off");
        palError_At(error, path, 0, 0);
        return pal_errorInput;
    }
    return palWriteFile(path, write, surface, error);
}

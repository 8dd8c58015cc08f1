// SPDX-License-Identifier: Apache-2.0
#include "mesh/write.h"

#include "base/error.h"
#include "mesh/load.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

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

static void writePly(const palSurface* surface, FILE* file)
{
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

static void writeStl(const palSurface* surface, FILE* file)
{
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

static void writeObj(const palSurface* surface, FILE* file)
{
    fprintf(file, "# Palpate %s, metres\n", palVersion());
    for (int i = 0; i < surface->vertexCount; i++)
        fprintf(file, "v %.17g %.17g %.17g\n", surface->vertices[i].x, surface->vertices[i].y,
                surface->vertices[i].z);
    for (int i = 0; i < surface->triangleCount; i++)
        fprintf(file, "f %d %d %d\n", surface->triangles[i][0] + 1, surface->triangles[i][1] + 1,
                surface->triangles[i][2] + 1);
}

static void writeOff(const palSurface* surface, FILE* file)
{
    fprintf(file, "OFF\n# Palpate %s, metres\n%d %d 0\n", palVersion(), surface->vertexCount,
            surface->triangleCount);
    for (int i = 0; i < surface->vertexCount; i++)
        fprintf(file, "%.17g %.17g %.17g\n", surface->vertices[i].x, surface->vertices[i].y,
                surface->vertices[i].z);
    for (int i = 0; i < surface->triangleCount; i++)
        fprintf(file, "3 %d %d %d\n", surface->triangles[i][0], surface->triangles[i][1],
                surface->triangles[i][2]);
}

static void (*findWriter(const char* path))(const palSurface*, FILE*)
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

static palResult cannotWrite(const char* path, palError* error)
{
    palError_Set(error, pal_errorFile, "cannot be written: %s", strerror(errno));
    palError_Remedy(error, "check that the folder exists, may be written and has room");
    palError_At(error, path, 0, 0);
    return pal_errorFile;
}

palResult palSurface_Write(const palSurface* surface, const char* path, palError* error)
{
    void (*write)(const palSurface*, FILE*) = findWriter(path);
    if (write == NULL)
    {
        palError_Set(error, pal_errorInput, "no surface can be written in this format");
        palError_Remedy(error, "use .ply, .stl, .obj or .off");
        palError_At(error, path, 0, 0);
        return pal_errorInput;
    }
    char temporary[1024];
    if (snprintf(temporary, sizeof temporary, "%s.part", path) >= (int)sizeof temporary)
        return palError_Set(error, pal_errorFile, "the path is too long: %.100s…", path);
    FILE* file = fopen(temporary, "wb");
    if (file == NULL)
        return cannotWrite(path, error);
    // Numbers are written the same under every locale; "C" is built in and needs no memory.
    locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    write(surface, file);
    uselocale(before);
    bool written = ferror(file) == 0;
    written = fclose(file) == 0 && written;
    if (written && rename(temporary, path) == 0)
        return pal_ok;
    cannotWrite(path, error);
    remove(temporary);
    return pal_errorFile;
}

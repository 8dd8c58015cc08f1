// SPDX-License-Identifier: Apache-2.0
#include "mesh/volume_load.h"

#include "base/error.h"
#include "base/file.h"
#include "math/quat.h"
#include "mesh/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const palExtension extensions[] = {
    {".msh", pal_volumeMsh},     {".vtk", pal_volumeVtk},     {".mesh", pal_volumeMedit},
    {".meshb", pal_volumeMedit}, {".node", pal_volumeTetgen}, {".ele", pal_volumeTetgen},
};

bool palFindVolumeFormat(const char* path, palVolumeFormat* format)
{
    int count = (int)(sizeof extensions / sizeof extensions[0]);
    int found = palFindExtension(path, extensions, count);
    if (found >= 0)
        *format = (palVolumeFormat)found;
    return found >= 0;
}

static palResult unknownFormat(palError* error)
{
    palError_Set(error, pal_errorInput,
                 "the file name has no extension of a known volume mesh format");
    palError_Remedy(error, "use .msh, .vtk, .mesh, .meshb, .node or .ele");
    return pal_errorInput;
}

static palResult read(const palVolumeBytes* bytes, palVolumeBuilder* builder, palError* error)
{
    switch (bytes->format)
    {
    case pal_volumeMsh:
        return palReadMsh(bytes, builder, error);
    case pal_volumeVtk:
        return palReadVtk(bytes, builder, error);
    case pal_volumeMedit:
        return palReadMedit(bytes, builder, error);
    case pal_volumeTetgen:
        return palReadTetgen(bytes, builder, error);
    default:
        return unknownFormat(error);
    }
}

palResult palVolume_LoadBytes(const palVolumeBytes* bytes, double scale, palVolume* volume,
                              palVolumeFacts* facts, palMessages* notes, palError* error)
{
    *volume = (palVolume){0};
    palVolumeFacts localFacts;
    palVolumeBuilder builder = {0};
    if (facts == NULL)
        facts = &localFacts;
    palResult result = read(bytes, &builder, error);
    if (result == pal_ok)
        result = palVolumeBuilder_Finish(&builder, volume, error);
    if (result == pal_ok)
    {
        palVolume_Transform(volume, scale, pal_identityQuat, pal_zeroVec3);
        result = palVolume_Check(volume, facts, error);
    }
    if (result == pal_ok)
    {
        int before = notes != NULL ? notes->count : 0;
        facts->repairs = builder.repairs;
        palVolumeFacts_Report(facts, notes);
        for (int i = before; notes != NULL && i < notes->count; i++)
            palError_At(&notes->items[i].what, bytes->path, 0, 0);
    }
    else
    {
        palVolume_Free(volume);
        palError_At(error, bytes->path, 0, 0);
    }
    palVolumeBuilder_Free(&builder);
    return result;
}

// Replaces the extension. Returns false if the path is too long.
static bool replaceExtension(const char* path, const char* extension, char* replaced, size_t size)
{
    int stem = (int)(strrchr(path, '.') - path);
    return snprintf(replaced, size, "%.*s%s", stem, path, extension) < (int)size;
}

static palResult loadTetgen(const char* path, double scale, palVolume* volume,
                            palVolumeFacts* facts, palMessages* notes, palError* error)
{
    char nodePath[1024], elementPath[1024];
    if (!replaceExtension(path, ".node", nodePath, sizeof nodePath) ||
        !replaceExtension(path, ".ele", elementPath, sizeof elementPath))
        return palError_Set(error, pal_errorFile, "the path is too long: %.100s…", path);
    char *nodes = NULL, *elements = NULL;
    palVolumeBytes bytes = {
        .format = pal_volumeTetgen, .path = nodePath, .elementsPath = elementPath};
    palResult result = palReadFile(nodePath, pal_meshBytesMax, &nodes, &bytes.size, error);
    if (result == pal_ok)
        result = palReadFile(elementPath, pal_meshBytesMax, &elements, &bytes.elementsSize, error);
    bytes.data = (const unsigned char*)nodes;
    bytes.elements = (const unsigned char*)elements;
    if (result == pal_ok)
        result = palVolume_LoadBytes(&bytes, scale, volume, facts, notes, error);
    else if (result == pal_errorFile)
        palError_Remedy(error, "TetGen's .node and .ele are both needed, in one directory");
    free(nodes);
    free(elements);
    return result;
}

palResult palVolume_Load(const char* path, double scale, palVolume* volume, palVolumeFacts* facts,
                         palMessages* notes, palError* error)
{
    *volume = (palVolume){0};
    palVolumeBytes bytes = {.path = path};
    if (!palFindVolumeFormat(path, &bytes.format))
    {
        unknownFormat(error);
        return palError_At(error, path, 0, 0);
    }
    if (bytes.format == pal_volumeTetgen)
        return loadTetgen(path, scale, volume, facts, notes, error);
    char* data = NULL;
    palResult result = palReadFile(path, pal_meshBytesMax, &data, &bytes.size, error);
    bytes.data = (const unsigned char*)data;
    if (result == pal_ok)
        result = palVolume_LoadBytes(&bytes, scale, volume, facts, notes, error);
    free(data);
    return result;
}

// SPDX-License-Identifier: Apache-2.0
#include "mesh/load.h"

#include "base/error.h"
#include "base/file.h"
#include "math/quat.h"

#include <stdlib.h>

static const palExtension extensions[] = {
    {".ply", pal_surfacePly}, {".off", pal_surfaceOff},   {".obj", pal_surfaceObj},
    {".stl", pal_surfaceStl}, {".gltf", pal_surfaceGltf}, {".glb", pal_surfaceGlb},
};

palLoadDef palDefaultLoadDef(void)
{
    // Below the resolution of single precision (6e-8), so that no detail of an STL file is lost.
    return (palLoadDef){.scale = 1.0, .weldTolerance = 1e-9, .orient = true};
}

bool palFindSurfaceFormat(const char* path, palSurfaceFormat* format)
{
    int count = (int)(sizeof extensions / sizeof extensions[0]);
    int found = palFindExtension(path, extensions, count);
    if (found >= 0)
        *format = (palSurfaceFormat)found;
    return found >= 0;
}

static palResult unknownFormat(const char* path, palError* error)
{
    // Formats that are often met and not read, with what to do instead.
    static const struct
    {
        const char *extension, *name, *remedy;
    } others[] = {
        {".vtu", "VTK's XML format of volume meshes",
         "save it as legacy .vtk or as Gmsh .msh, e.g. with ParaView or meshio"},
        {".vtp", "VTK's XML format of surfaces", "save it as .ply or .stl, e.g. with ParaView"},
        {".step", "a CAD format without triangles", "export it as .stl, or mesh it with Gmsh"},
        {".stp", "a CAD format without triangles", "export it as .stl, or mesh it with Gmsh"},
    };
    for (size_t i = 0; path != NULL && i < sizeof others / sizeof others[0]; i++)
        if (palHasExtension(path, others[i].extension))
        {
            palError_Set(error, pal_errorInput, "%s (%s) is not read", others[i].name,
                         others[i].extension);
            palError_Remedy(error, "%s", others[i].remedy);
            return pal_errorInput;
        }
    palError_Set(error, pal_errorInput, "the file name has no extension of a known mesh format");
    palError_Remedy(error, "use .ply, .stl, .obj, .off, .gltf or .glb, or for a volume .msh, .vtk, "
                           ".mesh or .node");
    return pal_errorInput;
}

static palResult read(const palSurfaceBytes* bytes, palSurfaceBuilder* builder, palMessages* notes,
                      palError* error)
{
    switch (bytes->format)
    {
    case pal_surfacePly:
        return palReadPly(bytes, builder, notes, error);
    case pal_surfaceOff:
        return palReadOff(bytes, builder, notes, error);
    case pal_surfaceStl:
        return palReadStl(bytes, builder, notes, error);
    case pal_surfaceObj:
    case pal_surfaceGltf:
    case pal_surfaceGlb:
        return palReadAssimp(bytes, builder, notes, error);
    default:
        return unknownFormat(bytes->path, error);
    }
}

// The error for a file without usable triangles, with what it contains instead.
static palResult noUsableTriangle(const palSurfaceBuilder* builder, palError* error)
{
    int vertices = builder->surface.vertexCount;
    if (builder->surface.triangleCount > 0)
        palError_Set(error, pal_errorInput, "all %d triangles have no area",
                     builder->surface.triangleCount);
    else if (builder->lines > 0)
        palError_Set(error, pal_errorInput, "the file has %d lines and no triangle",
                     builder->lines);
    else if (vertices > 0)
        palError_Set(error, pal_errorInput, "the file has %d points and no triangle", vertices);
    else
        palError_Set(error, pal_errorInput, "the file is empty: no vertex, no triangle");
    palError_Remedy(error, "export the model as a triangle surface");
    return pal_errorInput;
}

// Scales to metres and rejects coordinates that are not finite or too large.
static palResult scale(palSurface* surface, double factor, palError* error)
{
    for (int i = 0; i < surface->vertexCount; i++)
    {
        palVec3 v = palScale(factor, surface->vertices[i]);
        // Squares and products of three lengths must stay finite.
        const double largest = 1e100;
        if (!(fabs(v.x) < largest && fabs(v.y) < largest && fabs(v.z) < largest))
        {
            palError_Set(error, pal_errorInput, "vertex %d is not finite (%g, %g, %g)", i, v.x, v.y,
                         v.z);
            palError_Remedy(error, "repair the vertex in a mesh editor and export again");
            return pal_errorInput;
        }
        surface->vertices[i] = v;
    }
    return pal_ok;
}

// Scales, cleans, orients and checks the surface as read from the file.
static palResult prepare(palSurfaceBuilder* builder, const palLoadDef* def, palSurfaceFacts* facts,
                         palMessages* notes, palError* error)
{
    palSurface* surface = &builder->surface;
    palCleanReport cleaned = {0};
    palOrientReport oriented = {0};
    if (surface->triangleCount == 0)
        return noUsableTriangle(builder, error);
    palResult result = scale(surface, def->scale, error);
    int triangleCount = surface->triangleCount;
    if (result == pal_ok)
        result = palSurface_Clean(surface, def->weldTolerance, &cleaned, error);
    if (result == pal_ok && surface->triangleCount == 0)
    {
        surface->triangleCount = triangleCount;
        return noUsableTriangle(builder, error);
    }
    if (result == pal_ok && def->orient)
        result = palSurface_Orient(surface, &oriented, error);
    if (result == pal_ok)
        result = palSurface_Check(surface, facts, error);
    if (result != pal_ok)
        return result;
    facts->points = builder->points;
    facts->lines = builder->lines;
    facts->cleaned = cleaned;
    facts->oriented = oriented;
    palSurfaceFacts_Report(facts, notes);
    return pal_ok;
}

palResult palSurface_LoadBytes(const palSurfaceBytes* bytes, const palLoadDef* def,
                               palSurface* surface, palSurfaceFacts* facts, palMessages* notes,
                               palError* error)
{
    *surface = (palSurface){0};
    palSurfaceFacts localFacts;
    palSurfaceBuilder builder = {0};
    int before = notes != NULL ? notes->count : 0;
    palResult result = read(bytes, &builder, notes, error);
    if (result == pal_ok)
        result = prepare(&builder, def, facts != NULL ? facts : &localFacts, notes, error);
    for (int i = before; notes != NULL && i < notes->count; i++)
        palError_At(&notes->items[i].what, bytes->path, 0, 0);
    if (result == pal_ok)
    {
        *surface = builder.surface;
        return pal_ok;
    }
    palSurfaceBuilder_Free(&builder);
    palError_At(error, bytes->path, 0, 0);
    return result;
}

palResult palSurface_LoadCopy(const palSurface* from, const palLoadDef* def, palSurface* surface,
                              palSurfaceFacts* facts, palMessages* notes, palError* error)
{
    palSurfaceFacts localFacts;
    palSurfaceBuilder builder = {0};
    palResult result = palSurface_Copy(from, &builder.surface, error);
    if (result == pal_ok)
        result = prepare(&builder, def, facts != NULL ? facts : &localFacts, notes, error);
    if (result != pal_ok)
        palSurfaceBuilder_Free(&builder);
    *surface = builder.surface;
    return result;
}

palResult palSurface_Load(const char* path, const palLoadDef* def, palSurface* surface,
                          palSurfaceFacts* facts, palMessages* notes, palError* error)
{
    *surface = (palSurface){0};
    palSurfaceBytes bytes = {.path = path};
    char* data = NULL;
    palResult result = palFindSurfaceFormat(path, &bytes.format)
                           ? palReadFile(path, pal_meshBytesMax, &data, &bytes.size, error)
                           : unknownFormat(path, error);
    bytes.data = (const unsigned char*)data;
    if (result == pal_ok)
        result = palSurface_LoadBytes(&bytes, def, surface, facts, notes, error);
    else
        palError_At(error, path, 0, 0);
    free(data);
    return result;
}

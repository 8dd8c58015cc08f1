// SPDX-License-Identifier: Apache-2.0
// palpate mesh for volumes: checks, converts and generates volume meshes, and embeds surfaces in
// voxels.
#include "mesh_request.h"
#include "options.h"

#include "base/error.h"
#include "math/quat.h"
#include "mesh/extract.h"
#include "mesh/load.h"
#include "mesh/volume_load.h"
#include "mesh/volume_shapes.h"
#include "mesh/volume_write.h"
#include "mesh/voxelize.h"
#include "mesh/write.h"

#include <stdio.h>
#include <string.h>

static bool findShape(const char* name, palVolumeShapeKind* kind)
{
    for (int i = 0; i < pal_volumeShapeKindCount; i++)
        if (strcmp(name, palVolumeShapeKind_Name((palVolumeShapeKind)i)) == 0)
        {
            *kind = (palVolumeShapeKind)i;
            return true;
        }
    return false;
}

bool palMeshRequest_IsVolume(const palMeshRequest* request)
{
    palVolumeShapeKind kind;
    palVolumeFormat format;
    return request->generate != NULL ? findShape(request->generate, &kind)
                                     : palFindVolumeFormat(request->in, &format);
}

static palResult findCut(const char* name, palVolumeCut* cut, palError* error)
{
    for (int i = 0; i < pal_volumeCutCount; i++)
        if (strcmp(name, palVolumeCut_Name((palVolumeCut)i)) == 0)
        {
            *cut = (palVolumeCut)i;
            return pal_ok;
        }
    palError_Set(error, pal_errorInput, "--cells: unknown kind '%s'", name);
    palError_Remedy(error, "use five or six (tetrahedra per cell) or hex");
    return pal_errorInput;
}

static palResult findVersion(const char* name, palMshVersion* version, palError* error)
{
    *version = strcmp(name, "2.2") == 0 ? pal_msh22 : pal_msh41;
    if (*version == pal_msh22 || strcmp(name, "4.1") == 0)
        return pal_ok;
    palError_Set(error, pal_errorInput, "--msh: version '%s' of the Gmsh format is not supported",
                 name);
    palError_Remedy(error, "use 2.2 or 4.1");
    return pal_errorInput;
}

static palResult generate(const palMeshRequest* request, palVolume* volume, palVolumeFacts* facts,
                          palMessages* notes, palError* error)
{
    palVolumeShapeKind kind = pal_volumeBlock;
    findShape(request->generate, &kind);
    palVolumeShapeDef def = palDefaultVolumeShapeDef(kind);
    palResult result = request->cells != NULL ? findCut(request->cells, &def.cut, error) : pal_ok;
    if (result != pal_ok)
        return result;
    double largest = fmax(def.size.x, fmax(def.size.y, def.size.z));
    double factor = (request->size > 0.0 ? request->size / largest : 1.0) * request->scale;
    def.size = palScale(factor, def.size);
    if (request->resolution > 0)
        palVolumeShapeDef_SetResolution(&def, request->resolution);
    result = palMakeVolumeShape(&def, volume, error);
    if (result == pal_ok)
        result = palVolume_Check(volume, facts, error);
    if (result == pal_ok)
        palVolumeFacts_Report(facts, notes);
    return result;
}

// Writes a volume file, or the boundary surface if the extension is that of a surface format.
static palResult write(const palMeshRequest* request, const palVolume* volume, palError* error)
{
    palMshVersion version;
    palSurfaceFormat format;
    palResult result = findVersion(request->msh, &version, error);
    if (result != pal_ok || request->out == NULL)
        return result;
    if (!palFindSurfaceFormat(request->out, &format))
        return palVolume_Write(volume, request->out, version, error);
    palVolumeSurface skin;
    result = palVolumeSurface_Init(&skin, volume, error);
    if (result == pal_ok)
        result = palSurface_Write(&skin.surface, request->out, error);
    palVolumeSurface_Free(&skin);
    return result;
}

static void printGroups(const palVolume* volume)
{
    enum
    {
        groupsMax = 20, // of each kind
    };
    for (int i = 0; i < volume->regionCount && i < groupsMax; i++)
        printf("  region         %d %s\n", volume->regions[i].label, volume->regions[i].name);
    if (volume->regionCount > groupsMax)
        printf("  regions        %d more\n", volume->regionCount - groupsMax);
    for (int i = 0; i < volume->nodeSetCount && i < groupsMax; i++)
        printf("  node set       %s (%d nodes)\n", volume->nodeSets[i].name,
               volume->nodeSets[i].count);
    if (volume->nodeSetCount > groupsMax)
        printf("  node sets      %d more\n", volume->nodeSetCount - groupsMax);
}

static void printFacts(const char* name, const palVolume* volume, const palVolumeFacts* facts)
{
    palVec3 size = palSub(facts->bounds.high, facts->bounds.low);
    palVec3 low = facts->bounds.low;
    printf("%s\n", name);
    printf("  nodes          %d\n", facts->vertexCount);
    printf("  tetrahedra     %d\n", facts->tetCount);
    printf("  hexahedra      %d\n", facts->hexCount);
    printf("  order          1 (%d of higher order reduced)\n", facts->repairs.higherOrder);
    printf("  size           %.6g x %.6g x %.6g mm\n", 1e3 * size.x, 1e3 * size.y, 1e3 * size.z);
    printf("  lowest corner  %.6g, %.6g, %.6g mm\n", 1e3 * low.x, 1e3 * low.y, 1e3 * low.z);
    printf("  volume         %.6g cm3\n", 1e6 * facts->volume);
    printf("  edges          %.6g to %.6g mm\n", 1e3 * facts->shortestEdge,
           1e3 * facts->longestEdge);
    if (facts->tetCount > 0)
        printf("  worst tet      %.4g at element %d (6 sqrt(2) V / l_rms^3, regular: 1)\n",
               facts->worstTet, facts->worstTetElement);
    if (facts->hexCount > 0)
        printf("  worst hex      %.4g at element %d (scaled Jacobian, cube: 1)\n", facts->worstHex,
               facts->worstHexElement);
    printf("  inverted       %d\n", facts->inverted);
    printf("  parts          %d\n", facts->components);
    printGroups(volume);
    printf("  surface        %d triangles, %d vertices, %.6g cm2, %s\n",
           facts->surface.triangleCount, facts->surface.vertexCount, 1e4 * facts->surface.area,
           facts->surface.solid ? "solid" : "not solid");
}

static void putGroups(palJson* json, const palVolume* volume)
{
    palJson_BeginArray(json, "regions");
    for (int i = 0; i < volume->regionCount; i++)
    {
        palJson_BeginObject(json, NULL);
        palJson_Whole(json, "label", volume->regions[i].label);
        palJson_Text(json, "name", volume->regions[i].name);
        palJson_End(json);
    }
    palJson_End(json);
    palJson_BeginArray(json, "node_sets");
    for (int i = 0; i < volume->nodeSetCount; i++)
    {
        palJson_BeginObject(json, NULL);
        palJson_Text(json, "name", volume->nodeSets[i].name);
        palJson_Whole(json, "nodes", volume->nodeSets[i].count);
        palJson_End(json);
    }
    palJson_End(json);
}

static void putRepairs(palJson* json, const palVolumeRepairs* repairs)
{
    palJson_Whole(json, "higher_order_elements", repairs->higherOrder);
    palJson_Whole(json, "cut_prisms", repairs->prisms);
    palJson_Whole(json, "cut_pyramids", repairs->pyramids);
    palJson_Whole(json, "mirrored_elements", repairs->mirrored);
    palJson_Whole(json, "flat_elements", repairs->flat);
    palJson_Whole(json, "unused_nodes", repairs->unreferenced);
}

static int printJson(const char* name, const palVolume* volume, const palVolumeFacts* facts,
                     const palMessages* notes)
{
    palJson json = {0};
    palJson_BeginObject(&json, NULL);
    palJson_Text(&json, "mesh", name);
    palJson_Whole(&json, "nodes", facts->vertexCount);
    palJson_Whole(&json, "tetrahedra", facts->tetCount);
    palJson_Whole(&json, "hexahedra", facts->hexCount);
    palJson_Whole(&json, "order", 1);
    palJson_Vec3(&json, "low_m", facts->bounds.low);
    palJson_Vec3(&json, "high_m", facts->bounds.high);
    palJson_Number(&json, "volume_m3", facts->volume);
    palJson_Number(&json, "shortest_edge_m", facts->shortestEdge);
    palJson_Number(&json, "longest_edge_m", facts->longestEdge);
    palJson_Number(&json, "worst_tet_quality", facts->worstTet);
    palJson_Whole(&json, "worst_tet", facts->worstTetElement);
    palJson_Number(&json, "worst_hex_scaled_jacobian", facts->worstHex);
    palJson_Whole(&json, "worst_hex", facts->worstHexElement);
    palJson_Whole(&json, "inverted_elements", facts->inverted);
    palJson_Whole(&json, "folded_faces", facts->foldedFaces);
    palJson_Whole(&json, "crowded_faces", facts->crowdedFaces);
    palJson_Whole(&json, "parts", facts->components);
    putRepairs(&json, &facts->repairs);
    putGroups(&json, volume);
    palJson_Whole(&json, "surface_triangles", facts->surface.triangleCount);
    palJson_Whole(&json, "surface_vertices", facts->surface.vertexCount);
    palJson_Number(&json, "surface_area_m2", facts->surface.area);
    palJson_Bool(&json, "surface_solid", facts->surface.solid);
    palMeshRequest_PutNotes(&json, notes);
    palJson_End(&json);
    return palPrintJson(&json);
}

static int printReport(const palMeshRequest* request, const palVolume* volume,
                       const palVolumeFacts* facts, const palMessages* notes)
{
    const char* name = request->generate != NULL ? request->generate : request->in;
    if (request->json)
        return printJson(name, volume, facts, notes);
    if (request->quiet)
        return 0;
    printFacts(name, volume, facts);
    palMeshRequest_PrintNotes(notes);
    if (request->out != NULL)
        printf("  written to %s\n", request->out);
    return 0;
}

int palMeshRequest_RunVolume(const palMeshRequest* request)
{
    palVolume volume = {0};
    palVolumeFacts facts;
    palMessages notes = {0};
    palError error;
    double scale = 1.0;
    palResult result = palMeshRequest_Scale(request, &scale, &error);
    if (result == pal_ok)
        result = request->generate != NULL
                     ? generate(request, &volume, &facts, &notes, &error)
                     : palVolume_Load(request->in, scale, &volume, &facts, &notes, &error);
    if (result == pal_ok)
        result = write(request, &volume, &error);
    int code =
        result == pal_ok ? printReport(request, &volume, &facts, &notes) : palPrintError(&error);
    palMessages_Free(&notes);
    palVolume_Free(&volume);
    return code;
}

int palMeshRequest_RunVoxels(const palMeshRequest* request, const palSurface* surface,
                             palMessages* notes)
{
    palVoxels voxels;
    palVolumeFacts facts;
    palError error;
    palVoxelDef def = palDefaultVoxelDef();
    def.resolution = request->voxels;
    palResult result = palVoxels_Init(&voxels, surface, &def, notes, &error);
    if (result == pal_ok)
        result = palVolume_Check(&voxels.volume, &facts, &error);
    if (result == pal_ok)
        result = write(request, &voxels.volume, &error);
    if (result == pal_ok)
    {
        double inside = 0.0;
        for (int h = 0; h < voxels.volume.hexCount; h++)
            inside += voxels.fill[h];
        palMessages_Add(notes, pal_severityNote,
                        "cells of %.4g mm, on average %.3g full; every vertex of the surface is "
                        "embedded in a cell",
                        1e3 * voxels.cell, inside / voxels.volume.hexCount);
    }
    int code = result == pal_ok ? printReport(request, &voxels.volume, &facts, notes)
                                : palPrintError(&error);
    palVoxels_Free(&voxels);
    return code;
}

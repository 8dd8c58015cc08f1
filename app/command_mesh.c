// SPDX-License-Identifier: Apache-2.0
// palpate mesh: checks, converts and generates meshes. Surfaces are handled here, volumes in
// mesh_volume.c.
#include "mesh_request.h"
#include "options.h"

#include "base/error.h"
#include "base/spelling.h"
#include "mesh/load.h"
#include "mesh/shapes.h"
#include "mesh/volume_shapes.h"
#include "mesh/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static palResult unitFactor(const char* name, double* metres, palError* error)
{
    static const char* const names[] = {"m", "cm", "mm", "in"};
    static const double factors[] = {1.0, 0.01, 0.001, 0.0254};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0)
        {
            *metres = factors[i];
            return pal_ok;
        }
    palError_Set(error, pal_errorInput, "--unit: unknown unit '%s'", name);
    palError_Remedy(error, "use m, cm, mm or in");
    return pal_errorInput;
}

palResult palMeshRequest_Scale(const palMeshRequest* request, double* metres, palError* error)
{
    palResult result = unitFactor(request->unit, metres, error);
    *metres *= request->scale;
    return result;
}

static palResult findShape(const char* name, palShapeKind* kind, palError* error)
{
    enum
    {
        shapeCount = pal_shapeKindCount + pal_volumeShapeKindCount,
    };
    const char* names[shapeCount];
    char list[256] = "";
    for (int i = 0; i < shapeCount; i++)
    {
        names[i] = i < pal_shapeKindCount
                       ? palShapeKind_Name((palShapeKind)i)
                       : palVolumeShapeKind_Name((palVolumeShapeKind)(i - pal_shapeKindCount));
        if (i < pal_shapeKindCount && strcmp(name, names[i]) == 0)
        {
            *kind = (palShapeKind)i;
            return pal_ok;
        }
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char* suggestion = palNearestWord(name, names, shapeCount);
    palError_Set(error, pal_errorInput, "--generate: unknown shape '%s'", name);
    if (suggestion != NULL)
        palError_Remedy(error, "did you mean '%s'?", suggestion);
    else
        palError_Remedy(error, "use one of %s", list);
    return pal_errorInput;
}

// Generated shapes have default dimensions; --size scales them to the given largest extent.
static palResult generate(const palMeshRequest* request, palSurface* surface,
                          palSurfaceFacts* facts, palMessages* notes, palError* error)
{
    palShapeKind kind;
    palResult result = findShape(request->generate, &kind, error);
    if (result != pal_ok)
        return result;
    palShapeDef def = palDefaultShapeDef(kind);
    if (request->resolution > 0)
        def.resolution = request->resolution;
    result = palMakeShape(&def, surface, error);
    if (result != pal_ok)
        return result;
    palBounds bounds = palSurface_Bounds(surface);
    palVec3 extent = palSub(bounds.high, bounds.low);
    double largest = fmax(extent.x, fmax(extent.y, extent.z));
    double factor = request->size > 0.0 ? request->size / largest : 1.0;
    palSurface_Transform(surface, factor * request->scale, (palQuat){.w = 1.0}, (palVec3){0});
    result = palSurface_Check(surface, facts, error);
    if (result == pal_ok)
        palSurfaceFacts_Report(facts, notes);
    return result;
}

static palResult load(const palMeshRequest* request, palSurface* surface, palSurfaceFacts* facts,
                      palMessages* notes, palError* error)
{
    palLoadDef def = palDefaultLoadDef();
    palResult result = palMeshRequest_Scale(request, &def.scale, error);
    if (result != pal_ok)
        return result;
    def.weldTolerance = request->weld;
    def.orient = !request->keepOrientation;
    return palSurface_Load(request->in, &def, surface, facts, notes, error);
}

static const char* yesNo(bool value)
{
    return value ? "yes" : "no";
}

static void printFacts(const char* name, const palSurfaceFacts* facts)
{
    palVec3 size = palSub(facts->bounds.high, facts->bounds.low);
    palVec3 low = facts->bounds.low;
    printf("%s\n", name);
    printf("  triangles      %d\n", facts->triangleCount);
    printf("  vertices       %d (%d welded, %d unused removed)\n", facts->vertexCount,
           facts->cleaned.welded, facts->cleaned.unreferenced);
    printf("  size           %.6g x %.6g x %.6g mm\n", 1e3 * size.x, 1e3 * size.y, 1e3 * size.z);
    printf("  lowest corner  %.6g, %.6g, %.6g mm\n", 1e3 * low.x, 1e3 * low.y, 1e3 * low.z);
    printf("  area           %.6g cm2\n", 1e4 * facts->area);
    if (facts->solidComponents > 0)
        printf("  volume         %.6g cm3\n", 1e6 * facts->volume);
    printf("  closed         %s\n", yesNo(facts->closed));
    printf("  solid          %s\n", yesNo(facts->solid));
    printf("  parts          %d\n", facts->components);
    if (facts->genus >= 0)
        printf("  genus          %d\n", facts->genus);
    printf("  edges          %.6g to %.6g mm, %d concave\n", 1e3 * facts->shortestEdge,
           1e3 * facts->longestEdge, facts->concaveEdges);
    printf("  smallest angle %.4g degrees\n", facts->smallestAngle * 180.0 / PAL_PI);
}

void palMeshRequest_PrintNotes(const palMessages* notes)
{
    for (int i = 0; i < notes->count; i++)
    {
        palError what = notes->items[i].what;
        what.file[0] = '\0';
        char text[1024];
        palError_Format(&what, text, sizeof text);
        printf("  %s: %s\n", palSeverity_Name(notes->items[i].severity), text);
    }
}

void palMeshRequest_PutNotes(palJson* json, const palMessages* notes)
{
    palJson_BeginArray(json, "messages");
    for (int i = 0; i < notes->count; i++)
    {
        palJson_BeginObject(json, NULL);
        palJson_Text(json, "severity", palSeverity_Name(notes->items[i].severity));
        palJson_Text(json, "text", notes->items[i].what.text);
        palJson_Text(json, "remedy", notes->items[i].what.remedy);
        palJson_End(json);
    }
    palJson_End(json);
}

static void putTopology(palJson* json, const palSurfaceFacts* facts)
{
    palJson_Bool(json, "closed", facts->closed);
    palJson_Bool(json, "solid", facts->solid);
    palJson_Whole(json, "parts", facts->components);
    palJson_Whole(json, "solid_parts", facts->solidComponents);
    palJson_Whole(json, "genus", facts->genus);
    palJson_Whole(json, "boundary_edges", facts->boundaryEdges);
    palJson_Whole(json, "boundary_loops", facts->boundaryLoops);
    palJson_Whole(json, "non_manifold_edges", facts->nonManifoldEdges);
    palJson_Whole(json, "misoriented_edges", facts->misorientedEdges);
    palJson_Whole(json, "pinched_vertices", facts->pinchedVertices);
    palJson_Whole(json, "concave_edges", facts->concaveEdges);
    palJson_Whole(json, "welded_vertices", facts->cleaned.welded);
    palJson_Whole(json, "unused_vertices", facts->cleaned.unreferenced);
    palJson_Whole(json, "repaired_triangles", facts->cleaned.caps);
    palJson_Whole(json, "degenerate_triangles", facts->cleaned.degenerate);
    palJson_Whole(json, "duplicate_triangles", facts->cleaned.duplicate);
    palJson_Whole(json, "opposite_triangles", facts->cleaned.opposite);
    palJson_Whole(json, "turned_triangles", facts->oriented.turnedTriangles);
    palJson_Whole(json, "turned_parts", facts->oriented.turnedParts);
    palJson_Whole(json, "cavities", facts->oriented.cavities);
}

static int printJson(const char* name, const palSurfaceFacts* facts, const palMessages* notes)
{
    palJson json = {0};
    palJson_BeginObject(&json, NULL);
    palJson_Text(&json, "mesh", name);
    palJson_Whole(&json, "triangles", facts->triangleCount);
    palJson_Whole(&json, "vertices", facts->vertexCount);
    palJson_Whole(&json, "edges", facts->edgeCount);
    palJson_Vec3(&json, "low_m", facts->bounds.low);
    palJson_Vec3(&json, "high_m", facts->bounds.high);
    palJson_Number(&json, "area_m2", facts->area);
    palJson_Number(&json, "volume_m3", facts->volume);
    palJson_Number(&json, "shortest_edge_m", facts->shortestEdge);
    palJson_Number(&json, "longest_edge_m", facts->longestEdge);
    palJson_Number(&json, "smallest_angle_deg", facts->smallestAngle * 180.0 / PAL_PI);
    putTopology(&json, facts);
    palMeshRequest_PutNotes(&json, notes);
    palJson_End(&json);
    return palPrintJson(&json);
}

static int runSurface(const palMeshRequest* request)
{
    palSurface surface = {0};
    palSurfaceFacts facts;
    palMessages notes = {0};
    palError error;
    palResult result = request->generate != NULL
                           ? generate(request, &surface, &facts, &notes, &error)
                           : load(request, &surface, &facts, &notes, &error);
    if (result == pal_ok)
        result = palMeshRequest_Change(request, &surface, &facts, &notes, &error);
    if (result == pal_ok && request->out != NULL && request->voxels == 0)
        result = palSurface_Write(&surface, request->out, &error);
    int code = 0;
    const char* name = request->generate != NULL ? request->generate : request->in;
    if (result != pal_ok)
        code = palPrintError(&error);
    else if (request->voxels > 0)
        code = palMeshRequest_RunVoxels(request, &surface, &notes);
    else if (request->json)
        code = printJson(name, &facts, &notes);
    else if (!request->quiet)
    {
        printFacts(name, &facts);
        palMeshRequest_PrintNotes(&notes);
        if (request->out != NULL)
            printf("  written to %s\n", request->out);
    }
    palMessages_Free(&notes);
    palSurface_Free(&surface);
    return code;
}

// The reason why the request is invalid, or NULL.
static const char* findUsageError(const palMeshRequest* request)
{
    if (request->in == NULL && request->generate == NULL)
        return "a mesh file or --generate SHAPE is required";
    if (request->in != NULL && request->generate != NULL)
        return "use a mesh file or --generate SHAPE, not both";
    if (!(request->scale >= 1e-9 && request->scale <= 1e9))
        return "--scale must be 1e-9 to 1e9";
    if (!(request->weld >= 0.0 && request->weld <= 0.1))
        return "--weld must be 0 to 0.1, relative to the diagonal";
    if (!(request->size >= 0.0 && request->size <= 1e6) || request->resolution < 0)
        return "--size and --resolution must be above 0, and --size at most 1e6 m";
    if (!(request->decimate >= 0.0 && request->decimate <= 1.0))
        return "--decimate must be above 0 and at most 1 m";
    if ((request->repair || request->decimate > 0.0) && palMeshRequest_IsVolume(request))
        return "--repair and --decimate require a surface, not a volume";
    if (request->voxels < 0)
        return "--voxels must be above 0";
    if (request->voxels > 0 && palMeshRequest_IsVolume(request))
        return "--voxels requires a surface, not a volume";
    if (request->cells != NULL && (request->generate == NULL || !palMeshRequest_IsVolume(request)))
        return "--cells requires --generate block, beam or graded";
    if (request->generate == NULL && (request->size > 0.0 || request->resolution > 0))
        return "--size and --resolution require --generate";
    return NULL;
}

static int run(int argc, char** argv)
{
    palMeshRequest request = {
        .unit = "m", .msh = "4.1", .scale = 1.0, .weld = palDefaultLoadDef().weldTolerance};
    const palOption options[] = {
        {"out", pal_optionText, &request.out, "FILE",
         "write the surface (.ply, .stl, .obj, .off) or volume (.msh, .vtk)"},
        {"unit", pal_optionText, &request.unit, "UNIT", "unit of the file: m, cm, mm, in"},
        {"scale", pal_optionNumber, &request.scale, "S", "factor applied after the unit"},
        {"weld", pal_optionNumber, &request.weld, "T",
         "weld vertices closer than T times the diagonal (1e-9)"},
        {"keep-orientation", pal_optionFlag, &request.keepOrientation, NULL,
         "do not reorient triangles"},
        {"repair", pal_optionFlag, &request.repair, NULL, "close the holes of a scan"},
        {"decimate", pal_optionNumber, &request.decimate, "M",
         "remove triangles as long as the surface stays within M metres of the given one"},
        {"generate", pal_optionText, &request.generate, "SHAPE",
         "plane, sine, sine-block, box, cylinder, sphere, statue, rocker, peg, probe, organ, "
         "polyp, block, beam, graded, rod"},
        {"resolution", pal_optionWhole, &request.resolution, "N",
         "resolution of a generated shape: triangles or cells along it"},
        {"size", pal_optionNumber, &request.size, "M",
         "largest extent of a generated shape, in metres"},
        {"cells", pal_optionText, &request.cells, "KIND",
         "cells of a generated volume: five or six (tetrahedra per cell), or hex"},
        {"voxels", pal_optionWhole, &request.voxels, "N",
         "embed a closed surface in hexahedra, N along its longest side"},
        {"msh", pal_optionText, &request.msh, "V", "version of the .msh file to write: 2.2 or 4.1"},
        {"json", pal_optionFlag, &request.json, NULL, "print the results as JSON, in SI units"},
        {"quiet", pal_optionFlag, &request.quiet, NULL, "print only errors"},
    };
    const char* operands[1];
    int count = palOptions_Parse(&pal_commandMesh, options, sizeof options / sizeof options[0],
                                 argc, argv, 1, operands);
    if (count < 0)
        return count == -1 ? 0 : 2;
    request.in = count == 1 ? operands[0] : NULL;
    const char* usageError = findUsageError(&request);
    if (usageError == NULL)
        return palMeshRequest_IsVolume(&request) ? palMeshRequest_RunVolume(&request)
                                                 : runSurface(&request);
    return palPrintUsageError(&pal_commandMesh, usageError);
}

const palCommand pal_commandMesh = {
    .name = "mesh",
    .summary = "check a mesh for use in contact; repair, convert and generate meshes",
    .usage = "FILE [options] | --generate SHAPE --out FILE [options]",
    .examples = "  palpate mesh part.stl --unit mm\n"
                "  palpate mesh part.obj --unit mm --out part.ply\n"
                "  palpate mesh scan.ply --repair --out closed.ply\n"
                "  palpate mesh housing.stl --unit mm --decimate 2e-6 --out housing.ply\n"
                "  palpate mesh --generate statue --resolution 120 --size 0.15 --out statue.ply\n"
                "  palpate mesh liver.msh --unit mm\n"
                "  palpate mesh --generate block --resolution 8 --out block.msh\n"
                "  palpate mesh part.stl --unit mm --voxels 24 --out part.vtk\n",
    .run = run,
};

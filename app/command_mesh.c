// SPDX-License-Identifier: Apache-2.0
// palpate mesh: what a surface file is and what that means for contact; conversion; shapes.
#include "options.h"

#include "base/error.h"
#include "base/json.h"
#include "base/spelling.h"
#include "mesh/load.h"
#include "mesh/shapes.h"
#include "mesh/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Request
{
    const char* in; // operand, or NULL
    const char* out;
    const char* generate;
    const char* unit;
    double scale;
    double weld;
    double size;
    int resolution;
    bool keepOrientation;
    bool json;
    bool quiet;
} Request;

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

static palResult findShape(const char* name, palShapeKind* kind, palError* error)
{
    const char* names[pal_shapeKindCount];
    char list[256] = "";
    for (int i = 0; i < pal_shapeKindCount; i++)
    {
        names[i] = palShapeKind_Name((palShapeKind)i);
        if (strcmp(name, names[i]) == 0)
        {
            *kind = (palShapeKind)i;
            return pal_ok;
        }
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char* near = palNearestWord(name, names, pal_shapeKindCount);
    palError_Set(error, pal_errorInput, "--generate: unknown shape '%s'", name);
    if (near != NULL)
        palError_Remedy(error, "did you mean '%s'?", near);
    else
        palError_Remedy(error, "use one of %s", list);
    return pal_errorInput;
}

// Generated shapes have usual dimensions; --size scales all of them to a largest extent.
static palResult generate(const Request* request, palSurface* surface, palSurfaceFacts* facts,
                          palMessages* notes, palError* error)
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
        palSurfaceFacts_Tell(facts, notes);
    return result;
}

static palResult load(const Request* request, palSurface* surface, palSurfaceFacts* facts,
                      palMessages* notes, palError* error)
{
    palLoadDef def = palDefaultLoadDef();
    palResult result = unitFactor(request->unit, &def.scale, error);
    if (result != pal_ok)
        return result;
    def.scale *= request->scale;
    def.weldTolerance = request->weld;
    def.orient = !request->keepOrientation;
    return palSurface_Load(request->in, &def, surface, facts, notes, error);
}

static const char* yes(bool value)
{
    return value ? "yes" : "no";
}

static void printFacts(const char* name, const palSurfaceFacts* facts)
{
    palVec3 size = palSub(facts->bounds.high, facts->bounds.low);
    palVec3 low = facts->bounds.low;
    printf("%s\n", name);
    printf("  triangles      %d\n", facts->triangleCount);
    printf("  vertices       %d (%d welded, %d unused dropped)\n", facts->vertexCount,
           facts->cleaned.welded, facts->cleaned.unreferenced);
    printf("  size           %.6g x %.6g x %.6g mm\n", 1e3 * size.x, 1e3 * size.y, 1e3 * size.z);
    printf("  lowest corner  %.6g, %.6g, %.6g mm\n", 1e3 * low.x, 1e3 * low.y, 1e3 * low.z);
    printf("  area           %.6g cm2\n", 1e4 * facts->area);
    if (facts->solidComponents > 0)
        printf("  volume         %.6g cm3\n", 1e6 * facts->volume);
    printf("  closed         %s\n", yes(facts->closed));
    printf("  solid          %s\n", yes(facts->solid));
    printf("  parts          %d\n", facts->components);
    if (facts->genus >= 0)
        printf("  genus          %d\n", facts->genus);
    printf("  edges          %.6g to %.6g mm, %d concave\n", 1e3 * facts->shortestEdge,
           1e3 * facts->longestEdge, facts->concaveEdges);
    printf("  smallest angle %.4g degrees\n", facts->smallestAngle * 180.0 / PAL_PI);
}

static void printNotes(const palMessages* notes)
{
    static const char* const words[] = {"note", "warning", "error"};
    for (int i = 0; i < notes->count; i++)
    {
        palError what = notes->items[i].what;
        what.file[0] = '\0';
        char text[1024];
        palError_Format(&what, text, sizeof text);
        printf("  %s: %s\n", words[notes->items[i].severity], text);
    }
}

static void putNotes(palJson* json, const palMessages* notes)
{
    static const char* const words[] = {"note", "warning", "error"};
    palJson_BeginArray(json, "messages");
    for (int i = 0; i < notes->count; i++)
    {
        palJson_BeginObject(json, NULL);
        palJson_Text(json, "severity", words[notes->items[i].severity]);
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
    putNotes(&json, notes);
    palJson_End(&json);
    bool written = !json.failed && json.text != NULL;
    if (written)
        puts(json.text);
    palJson_Free(&json);
    return written ? 0 : 1;
}

static int answer(const Request* request)
{
    palSurface surface = {0};
    palSurfaceFacts facts;
    palMessages notes = {0};
    palError error;
    palResult result = request->generate != NULL
                           ? generate(request, &surface, &facts, &notes, &error)
                           : load(request, &surface, &facts, &notes, &error);
    if (result == pal_ok && request->out != NULL)
        result = palSurface_Write(&surface, request->out, &error);
    int code = 0;
    const char* name = request->generate != NULL ? request->generate : request->in;
    if (result != pal_ok)
        code = palTell(&error);
    else if (request->json)
        code = printJson(name, &facts, &notes);
    else if (!request->quiet)
    {
        printFacts(name, &facts);
        printNotes(&notes);
        if (request->out != NULL)
            printf("  written to %s\n", request->out);
    }
    palMessages_Free(&notes);
    palSurface_Free(&surface);
    return code;
}

// What cannot be meant. Returns NULL where the request makes sense.
static const char* objection(const Request* request)
{
    if (request->in == NULL && request->generate == NULL)
        return "give a mesh file, or --generate SHAPE";
    if (request->in != NULL && request->generate != NULL)
        return "give a mesh file or --generate SHAPE, not both";
    if (!(request->scale > 0.0))
        return "--scale must be above 0";
    if (!(request->weld >= 0.0 && request->weld <= 0.1))
        return "--weld must be 0 to 0.1, a share of the diagonal";
    if (request->size < 0.0 || request->resolution < 0)
        return "--size and --resolution must be above 0";
    if (request->generate == NULL && (request->size > 0.0 || request->resolution > 0))
        return "--size and --resolution go with --generate";
    return NULL;
}

static int run(int argc, char** argv)
{
    Request request = {.unit = "m", .scale = 1.0, .weld = palDefaultLoadDef().weldTolerance};
    const palOption options[] = {
        {"out", pal_optionText, &request.out, "FILE", "write the surface: .ply, .stl, .obj, .off"},
        {"unit", pal_optionText, &request.unit, "UNIT", "of the file's numbers: m, cm, mm, in"},
        {"scale", pal_optionNumber, &request.scale, "S", "factor applied after the unit"},
        {"weld", pal_optionNumber, &request.weld, "T",
         "join vertices nearer than T times the diagonal (1e-9)"},
        {"keep-orientation", pal_optionFlag, &request.keepOrientation, NULL,
         "do not turn triangles, however they face"},
        {"generate", pal_optionText, &request.generate, "SHAPE",
         "plane, sine, box, cylinder, sphere, statue, rocker"},
        {"resolution", pal_optionWhole, &request.resolution, "N",
         "of a generated shape: triangles or cells along it"},
        {"size", pal_optionNumber, &request.size, "M",
         "largest extent of a generated shape, in metres"},
        {"json", pal_optionFlag, &request.json, NULL, "print the facts as JSON, SI units"},
        {"quiet", pal_optionFlag, &request.quiet, NULL, "print nothing when all is well"},
    };
    const char* operands[1];
    int count = palOptions_Parse(&pal_commandMesh, options, sizeof options / sizeof options[0],
                                 argc, argv, 1, operands);
    if (count < 0)
        return count == -1 ? 0 : 2;
    request.in = count == 1 ? operands[0] : NULL;
    const char* wrong = objection(&request);
    if (wrong == NULL)
        return answer(&request);
    palError error;
    palError_Set(&error, pal_errorInput, "%s", wrong);
    palError_Remedy(&error, "see palpate mesh --help");
    return palTell(&error);
}

const palCommand pal_commandMesh = {
    .name = "mesh",
    .summary = "what a surface file is, and what that means for contact; convert; generate",
    .usage = "FILE [options] | --generate SHAPE --out FILE [options]",
    .examples = "  palpate mesh part.stl --unit mm\n"
                "  palpate mesh part.obj --unit mm --out part.ply\n"
                "  palpate mesh --generate statue --resolution 120 --size 0.15 --out statue.ply\n",
    .run = run,
};

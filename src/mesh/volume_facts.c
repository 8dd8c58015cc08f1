// SPDX-License-Identifier: Apache-2.0
#include "mesh/volume_facts.h"

#include "base/error.h"
#include "mesh/extract.h"
#include "mesh/quality.h"
#include "mesh/sets.h"

#include <stdlib.h>

// Elements of lower quality make the time integration inaccurate and its matrices ill-conditioned;
// mesh generators usually stay above this value.
static const double poorQuality = 0.05;

static void measureEdge(const palVolume* volume, int a, int b, palVolumeFacts* facts)
{
    double length = palDistance(volume->vertices[a], volume->vertices[b]);
    facts->shortestEdge = fmin(facts->shortestEdge, length);
    facts->longestEdge = fmax(facts->longestEdge, length);
}

static void measureTet(const palVolume* volume, int t, palVolumeFacts* facts)
{
    const int* tet = volume->tets[t];
    double quality = palTetQuality(volume->vertices, tet);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            measureEdge(volume, tet[i], tet[k], facts);
    facts->inverted += quality < 0.0;
    if (facts->worstTetElement >= 0 && quality >= facts->worstTet)
        return;
    facts->worstTet = quality;
    facts->worstTetElement = t;
}

static void measureHex(const palVolume* volume, int h, palVolumeFacts* facts)
{
    const int* hex = volume->hexes[h];
    double quality = palHexQuality(volume->vertices, hex).smallest;
    for (int k = 0; k < 4; k++)
    {
        measureEdge(volume, hex[k], hex[(k + 1) % 4], facts);
        measureEdge(volume, hex[k + 4], hex[(k + 1) % 4 + 4], facts);
        measureEdge(volume, hex[k], hex[k + 4], facts);
    }
    facts->inverted += quality < 0.0;
    if (facts->worstHexElement >= 0 && quality >= facts->worstHex)
        return;
    facts->worstHex = quality;
    facts->worstHexElement = volume->tetCount + h;
}

static void measure(const palVolume* volume, palVolumeFacts* facts)
{
    facts->shortestEdge = INFINITY;
    for (int t = 0; t < volume->tetCount; t++)
        measureTet(volume, t, facts);
    for (int h = 0; h < volume->hexCount; h++)
        measureHex(volume, h, facts);
    for (int e = 0; e < volume->tetCount + volume->hexCount; e++)
        facts->volume += palVolume_ElementVolume(volume, e);
    if (!isfinite(facts->shortestEdge))
        facts->shortestEdge = 0.0;
}

// Counts faces by their elements; joined[] holds the disjoint sets of face-connected elements.
static void countFaces(const palVolume* volume, const palFaces* faces, int* joined,
                       palVolumeFacts* facts)
{
    int elements = volume->tetCount + volume->hexCount;
    palSets_Clear(joined, elements);
    for (int i = 0, group; i < faces->count; i += group)
    {
        group = palFaces_Group(faces, i);
        const palFace* f = &faces->faces[i];
        for (int k = 1; k < group; k++)
            palSets_Join(joined, f[0].element, f[k].element);
        facts->crowdedFaces += group > 2;
        if (group != 2)
            continue;
        facts->foldedFaces += f[0].ascending == f[1].ascending;
        facts->mixedFaces += (f[0].element < volume->tetCount) != (f[1].element < volume->tetCount);
    }
    facts->components = palSets_Number(joined, elements);
}

palResult palVolume_Check(const palVolume* volume, palVolumeFacts* facts, palError* error)
{
    *facts = (palVolumeFacts){
        .vertexCount = volume->vertexCount,
        .tetCount = volume->tetCount,
        .hexCount = volume->hexCount,
        .regionCount = volume->regionCount,
        .nodeSetCount = volume->nodeSetCount,
        .bounds = palVolume_Bounds(volume),
        .worstTet = 1.0,
        .worstHex = 1.0,
        .worstTetElement = -1,
        .worstHexElement = -1,
    };
    palFaces faces;
    palVolumeSurface skin = {0};
    palResult result = palFaces_Init(&faces, volume, error);
    if (result != pal_ok)
        return result;
    size_t bytes = ((size_t)volume->tetCount + (size_t)volume->hexCount + 1) * sizeof(int);
    int* joined = malloc(bytes);
    if (joined == NULL)
        result = palError_Memory(error, "checking a volume", bytes);
    if (result == pal_ok)
    {
        measure(volume, facts);
        countFaces(volume, &faces, joined, facts);
        result = palVolumeSurface_InitFaces(&skin, volume, &faces, error);
    }
    if (result == pal_ok)
        result = palSurface_Check(&skin.surface, &facts->surface, error);
    palVolumeSurface_Free(&skin);
    free(joined);
    palFaces_Free(&faces);
    return result;
}

static void reportRepairs(const palVolumeRepairs* repairs, palMessages* notes)
{
    if (repairs->higherOrder > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d higher-order element%s: only the corner nodes are used, curved edges "
                        "become straight",
                        repairs->higherOrder, palPlural(repairs->higherOrder));
    if (repairs->prisms > 0 || repairs->pyramids > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d prism%s and %d pyramid%s split into tetrahedra: bodies consist of tets "
                        "and hexes only",
                        repairs->prisms, palPlural(repairs->prisms), repairs->pyramids,
                        palPlural(repairs->pyramids));
    if (repairs->mirrored > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d element%s with mirrored corner order reordered", repairs->mirrored,
                        palPlural(repairs->mirrored));
    if (repairs->flat > 0)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "%d element%s of zero volume removed: their strain is "
                                        "undefined",
                                        repairs->flat, palPlural(repairs->flat)),
                        "mesh the part again if the surface has gaps");
    if (repairs->unreferenced > 0)
        palMessages_Add(notes, pal_severityNote, "%d unused node%s removed", repairs->unreferenced,
                        palPlural(repairs->unreferenced));
}

static void reportShape(const palVolumeFacts* facts, palMessages* notes)
{
    if (facts->inverted > 0)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "%d inverted element%s (negative Jacobian at a corner): "
                                        "the stiffness is wrong there",
                                        facts->inverted, palPlural(facts->inverted)),
                        "repair the mesh near element %d, or mesh again",
                        facts->worstHex < 0.0 ? facts->worstHexElement : facts->worstTetElement);
    else if (facts->worstTet < poorQuality || facts->worstHex < poorQuality)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "the worst element has quality %.2g: slivers make the body "
                                        "too stiff and its equations ill-conditioned",
                                        fmin(facts->worstTet, facts->worstHex)),
                        "mesh again with optimisation; 0.2 and above is good");
    if (facts->foldedFaces > 0)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "%d face%s with both elements on the same side: the mesh "
                                        "overlaps itself there",
                                        facts->foldedFaces, palPlural(facts->foldedFaces)),
                        "mesh the part again");
    if (facts->crowdedFaces > 0)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "%d face%s with three or more elements: the mesh overlaps "
                                        "itself there",
                                        facts->crowdedFaces, palPlural(facts->crowdedFaces)),
                        "remove duplicate elements");
    if (facts->components > 1)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "%d parts that share no face: they move independently "
                                        "unless attached",
                                        facts->components),
                        "merge duplicate nodes if the parts should be connected");
    if (facts->mixedFaces > 0)
        palMessages_Add(notes, pal_severityNote,
                        "tetrahedra meet hexahedra at %d triangles: linear and trilinear "
                        "displacements agree only at the nodes",
                        facts->mixedFaces);
}

void palVolumeFacts_Report(const palVolumeFacts* facts, palMessages* notes)
{
    reportRepairs(&facts->repairs, notes);
    reportShape(facts, notes);
    palBounds_ReportSize(&facts->bounds, notes);
}

// SPDX-License-Identifier: Apache-2.0
#include "mesh/volume_builder.h"

#include "mesh/grow.h"
#include "mesh/quality.h"

#include <stdio.h>
#include <string.h>

static const char what[] = "a volume mesh";

// An element whose volume is below this fraction of its cubed edge length counts as flat: single
// precision (6e-8) cannot distinguish it from a flat one.
static const double flatQuality = 1e-8;

void palVolumeBuilder_Free(palVolumeBuilder* builder)
{
    free(builder->vertices);
    free(builder->ids);
    free(builder->tets);
    free(builder->hexes);
    free(builder->tetLabels);
    free(builder->hexLabels);
    free(builder->members);
    free(builder->names);
    *builder = (palVolumeBuilder){0};
}

int palCellKind_Corners(palCellKind kind)
{
    static const int corners[] = {1, 2, 3, 4, 4, 8, 6, 5, 0};
    return corners[kind];
}

int palCellKind_Dimension(palCellKind kind)
{
    static const int dimensions[] = {0, 1, 2, 2, 3, 3, 3, 3, 0};
    return dimensions[kind];
}

static palResult refuse(palError* error, const char* text, long long number)
{
    palError_Set(error, pal_errorInput, text, number);
    palError_Remedy(error, "the file is damaged: export it again");
    return pal_errorInput;
}

// The offset of a number from the first; unsigned, since a file may contain any numbers and a
// signed difference could overflow. A number before the first gives a huge offset.
static uint64_t offsetFrom(int64_t first, int64_t id)
{
    return (uint64_t)id - (uint64_t)first;
}

palResult palVolumeBuilder_AddVertex(palVolumeBuilder* builder, int64_t id, palVec3 vertex,
                                     palError* error)
{
    // Products of three lengths must stay finite.
    const double largest = 1e100;
    if (!(fabs(vertex.x) < largest && fabs(vertex.y) < largest && fabs(vertex.z) < largest))
        return refuse(error, "node %lld is not finite", id);
    if (builder->sealed)
        return refuse(error, "node %lld follows the first element", id);
    int n = builder->vertexCount;
    palVec3* vertices =
        palGrow(builder->vertices, n, &builder->vertexCapacity, sizeof *vertices, what, error);
    if (vertices == NULL)
        return pal_errorMemory;
    builder->vertices = vertices;
    palVertexId* ids = palGrow(builder->ids, n, &builder->idCapacity, sizeof *ids, what, error);
    if (ids == NULL)
        return pal_errorMemory;
    builder->ids = ids;
    builder->consecutive =
        n == 0 || (builder->consecutive && offsetFrom(ids[0].id, id) == (uint64_t)n);
    vertices[n] = vertex;
    ids[n] = (palVertexId){.id = id, .vertex = n};
    builder->vertexCount++;
    return pal_ok;
}

static int compareIds(const void* a, const void* b)
{
    const palVertexId* s = a;
    const palVertexId* t = b;
    return s->id < t->id ? -1 : s->id > t->id;
}

// Sorts the ids and rejects duplicates.
static palResult seal(palVolumeBuilder* builder, palError* error)
{
    if (builder->sealed)
        return pal_ok;
    builder->sealed = true;
    if (builder->consecutive || builder->vertexCount == 0)
        return pal_ok;
    qsort(builder->ids, (size_t)builder->vertexCount, sizeof *builder->ids, compareIds);
    for (int i = 1; i < builder->vertexCount; i++)
        if (builder->ids[i].id == builder->ids[i - 1].id)
            return refuse(error, "two nodes have the number %lld", builder->ids[i].id);
    return pal_ok;
}

static palResult findVertex(palVolumeBuilder* builder, int64_t id, int* vertex, palError* error)
{
    palResult result = seal(builder, error);
    if (result != pal_ok)
        return result;
    int n = builder->vertexCount;
    const palVertexId* found = NULL;
    if (builder->consecutive && n > 0)
    {
        uint64_t index = offsetFrom(builder->ids[0].id, id);
        found = index < (uint64_t)n ? &builder->ids[index] : NULL;
    }
    else if (n > 0)
        found =
            bsearch(&(palVertexId){.id = id}, builder->ids, (size_t)n, sizeof *found, compareIds);
    if (found == NULL)
        return refuse(error, "an element refers to node %lld, which is not in the file", id);
    *vertex = found->vertex;
    return pal_ok;
}

static palResult addTet(palVolumeBuilder* builder, const int corners[4], int label, palError* error)
{
    int n = builder->tetCount;
    int(*tets)[4] = palGrow(builder->tets, n, &builder->tetCapacity, sizeof *tets, what, error);
    if (tets == NULL)
        return pal_errorMemory;
    builder->tets = tets;
    int* labels =
        palGrow(builder->tetLabels, n, &builder->tetLabelCapacity, sizeof *labels, what, error);
    if (labels == NULL)
        return pal_errorMemory;
    builder->tetLabels = labels;
    memcpy(tets[n], corners, sizeof tets[n]);
    labels[n] = label;
    builder->tetCount++;
    return pal_ok;
}

static palResult addHex(palVolumeBuilder* builder, const int corners[8], int label, palError* error)
{
    int n = builder->hexCount;
    int(*hexes)[8] = palGrow(builder->hexes, n, &builder->hexCapacity, sizeof *hexes, what, error);
    if (hexes == NULL)
        return pal_errorMemory;
    builder->hexes = hexes;
    int* labels =
        palGrow(builder->hexLabels, n, &builder->hexLabelCapacity, sizeof *labels, what, error);
    if (labels == NULL)
        return pal_errorMemory;
    builder->hexLabels = labels;
    memcpy(hexes[n], corners, sizeof hexes[n]);
    labels[n] = label;
    builder->hexCount++;
    return pal_ok;
}

static int lower(int a, int b)
{
    return a < b ? a : b;
}

// J. Dompierre, P. Labbe, M.-G. Vallet and R. Camarero, "How to subdivide pyramids, prisms, and
// hexahedra into tetrahedra", 8th International Meshing Roundtable, 1999: with the lowest index
// first, two quad faces are split from it, and the third decides between two subdivisions.
void palSplitPrism(const int prism[6], int tets[3][4])
{
    static const int rotated[6][6] = {{0, 1, 2, 3, 4, 5}, {1, 2, 0, 4, 5, 3}, {2, 0, 1, 5, 3, 4},
                                      {3, 5, 4, 0, 2, 1}, {4, 3, 5, 1, 0, 2}, {5, 4, 3, 2, 1, 0}};
    static const int cuts[2][3][4] = {{{0, 1, 2, 5}, {0, 1, 5, 4}, {0, 4, 5, 3}},
                                      {{0, 1, 2, 4}, {0, 4, 2, 5}, {0, 4, 5, 3}}};
    int lowest = 0, v[6];
    for (int k = 1; k < 6; k++)
        if (prism[k] < prism[lowest])
            lowest = k;
    for (int k = 0; k < 6; k++)
        v[k] = prism[rotated[lowest][k]];
    bool first = lower(v[1], v[5]) < lower(v[2], v[4]);
    for (int t = 0; t < 3; t++)
        for (int k = 0; k < 4; k++)
            tets[t][k] = v[cuts[first ? 0 : 1][t][k]];
}

void palSplitPyramid(const int p[5], int tets[2][4])
{
    bool first = lower(p[0], p[2]) < lower(p[1], p[3]);
    int s = first ? 0 : 1;
    int cut[2][4] = {{p[s], p[s + 1], p[s + 2], p[4]}, {p[s], p[s + 2], p[(s + 3) % 4], p[4]}};
    memcpy(tets, cut, sizeof cut);
}

static palResult addTets(palVolumeBuilder* builder, int (*tets)[4], int count, int label,
                         palError* error)
{
    palResult result = pal_ok;
    for (int t = 0; t < count && result == pal_ok; t++)
        result = addTet(builder, tets[t], label, error);
    return result;
}

static palResult addMember(palVolumeBuilder* builder, palMember member, palError* error)
{
    palMember* members = palGrow(builder->members, builder->memberCount, &builder->memberCapacity,
                                 sizeof *members, "node sets", error);
    if (members == NULL)
        return pal_errorMemory;
    builder->members = members;
    members[builder->memberCount++] = member;
    return pal_ok;
}

palResult palVolumeBuilder_AddMember(palVolumeBuilder* builder, int dimension, int tag, int64_t id,
                                     palError* error)
{
    palMember member = {.dimension = dimension, .tag = tag};
    palResult result = findVertex(builder, id, &member.vertex, error);
    return result == pal_ok ? addMember(builder, member, error) : result;
}

palResult palVolumeBuilder_AddName(palVolumeBuilder* builder, int dimension, int tag,
                                   const char* name, palError* error)
{
    palVolumeName* names = palGrow(builder->names, builder->nameCount, &builder->nameCapacity,
                                   sizeof *names, "names", error);
    if (names == NULL)
        return pal_errorMemory;
    builder->names = names;
    palVolumeName* added = &names[builder->nameCount++];
    *added = (palVolumeName){.dimension = dimension, .tag = tag};
    snprintf(added->name, sizeof added->name, "%s", name);
    return pal_ok;
}

palResult palVolumeBuilder_AddCell(palVolumeBuilder* builder, palCellKind kind, const int64_t* ids,
                                   const int* labels, int labelCount, palError* error)
{
    int corners[pal_cellCornersMax], tets[3][4];
    int count = palCellKind_Corners(kind);
    int dimension = palCellKind_Dimension(kind);
    palResult result = pal_ok;
    for (int k = 0; k < count && result == pal_ok; k++)
        result = findVertex(builder, ids[k], &corners[k], error);
    if (result != pal_ok)
        return result;
    builder->faces += dimension == 2;
    if (dimension < 3)
    {
        for (int i = 0; i < labelCount && result == pal_ok; i++)
            for (int k = 0; k < count && labels[i] != 0 && result == pal_ok; k++)
                result = addMember(builder, (palMember){dimension, labels[i], corners[k]}, error);
        return result;
    }
    int label = labelCount > 0 ? labels[0] : 0;
    builder->repairs.prisms += kind == pal_cellPrism;
    builder->repairs.pyramids += kind == pal_cellPyramid;
    switch (kind)
    {
    case pal_cellTet:
        return addTet(builder, corners, label, error);
    case pal_cellHex:
        return addHex(builder, corners, label, error);
    case pal_cellPrism:
        palSplitPrism(corners, tets);
        return addTets(builder, tets, 3, label, error);
    default:
        palSplitPyramid(corners, tets);
        return addTets(builder, tets, 2, label, error);
    }
}

static void exchange(int* a, int* b)
{
    int kept = *a;
    *a = *b;
    *b = kept;
}

// Reorders mirrored tets and removes flat ones, in place.
static void repairTets(palVolumeBuilder* builder)
{
    int kept = 0;
    for (int i = 0; i < builder->tetCount; i++)
    {
        int* tet = builder->tets[i];
        double quality = palTetQuality(builder->vertices, tet);
        if (!(fabs(quality) > flatQuality))
        {
            builder->repairs.flat++;
            continue;
        }
        if (quality < 0.0)
        {
            exchange(&tet[2], &tet[3]);
            builder->repairs.mirrored++;
        }
        if (kept < i)
            memcpy(builder->tets[kept], tet, sizeof builder->tets[kept]);
        builder->tetLabels[kept++] = builder->tetLabels[i];
    }
    builder->tetCount = kept;
}

// The same for hexes. A hex that is inverted only at some corners is not changed.
static void repairHexes(palVolumeBuilder* builder)
{
    int kept = 0;
    for (int i = 0; i < builder->hexCount; i++)
    {
        int* hex = builder->hexes[i];
        if (!(fabs(palHexFullness(builder->vertices, hex)) > flatQuality))
        {
            builder->repairs.flat++;
            continue;
        }
        if (palHexQuality(builder->vertices, hex).largest < 0.0)
        {
            for (int k = 0; k < 4; k++)
                exchange(&hex[k], &hex[k + 4]);
            builder->repairs.mirrored++;
        }
        if (kept < i)
            memcpy(builder->hexes[kept], hex, sizeof builder->hexes[kept]);
        builder->hexLabels[kept++] = builder->hexLabels[i];
    }
    builder->hexCount = kept;
}

static palResult noVolumeElement(const palVolumeBuilder* builder, palError* error)
{
    if (builder->repairs.flat > 0)
    {
        palError_Set(error, pal_errorInput, "all %d elements have no volume",
                     builder->repairs.flat);
        palError_Remedy(error, "mesh the part again");
    }
    else if (builder->faces > 0)
    {
        palError_Set(error, pal_errorInput,
                     "the file has %d triangles or quads and no volume element: it is a surface",
                     builder->faces);
        palError_Remedy(error, "create a volume mesh, or save it as .stl or .ply and load it "
                               "as a surface, which can be embedded in voxels");
    }
    else
    {
        palError_Set(error, pal_errorInput, "the file has %d nodes and no volume element",
                     builder->vertexCount);
        palError_Remedy(error, "export the tetrahedra or hexahedra of the part");
    }
    return pal_errorInput;
}

// Numbers the used vertices in order: newIndex[v], -1 for unused ones. Returns their number.
static int numberUsed(const palVolumeBuilder* builder, int* newIndex)
{
    memset(newIndex, 0xff, (size_t)builder->vertexCount * sizeof *newIndex);
    for (int i = 0; i < builder->tetCount; i++)
        for (int k = 0; k < 4; k++)
            newIndex[builder->tets[i][k]] = 0;
    for (int i = 0; i < builder->hexCount; i++)
        for (int k = 0; k < 8; k++)
            newIndex[builder->hexes[i][k]] = 0;
    int used = 0;
    for (int v = 0; v < builder->vertexCount; v++)
        if (newIndex[v] == 0)
            newIndex[v] = used++;
    return used;
}

static int compareMembers(const void* a, const void* b)
{
    const palMember* s = a;
    const palMember* t = b;
    // Order: surfaces, curves, points.
    if (s->dimension != t->dimension)
        return s->dimension > t->dimension ? -1 : 1;
    if (s->tag != t->tag)
        return s->tag < t->tag ? -1 : 1;
    return s->vertex < t->vertex ? -1 : s->vertex > t->vertex;
}

static int compareNames(const void* a, const void* b)
{
    const palVolumeName* s = a;
    const palVolumeName* t = b;
    if (s->dimension != t->dimension)
        return s->dimension < t->dimension ? -1 : 1;
    return s->tag < t->tag ? -1 : s->tag > t->tag;
}

// The name of a group, or NULL. The names must be sorted.
static const char* groupName(const palVolumeBuilder* builder, int dimension, int tag)
{
    palVolumeName key = {.dimension = dimension, .tag = tag};
    const palVolumeName* found =
        builder->nameCount > 0
            ? bsearch(&key, builder->names, (size_t)builder->nameCount, sizeof key, compareNames)
            : NULL;
    return found != NULL ? found->name : NULL;
}

// Adds the members first..end-1, which form one group, as a node set. `vertices` is scratch.
static palResult addNodeSet(const palVolumeBuilder* builder, int first, int end,
                            const int* newIndex, int* vertices, palVolume* volume, palError* error)
{
    static const char* const kinds[] = {"points", "curve", "surface"};
    int count = 0, last = -1;
    for (int i = first; i < end; i++)
    {
        int vertex = newIndex[builder->members[i].vertex];
        if (vertex >= 0 && vertex != last)
            vertices[count++] = last = vertex;
    }
    if (count == 0)
        return pal_ok;
    const palMember* member = &builder->members[first];
    const char* name = groupName(builder, member->dimension, member->tag);
    char defaultName[pal_volumeNameSize];
    snprintf(defaultName, sizeof defaultName, "%s %d", kinds[member->dimension], member->tag);
    return palVolume_AddNodeSet(volume, name != NULL ? name : defaultName, vertices, count, error);
}

static palResult addNodeSets(palVolumeBuilder* builder, const int* newIndex, palVolume* volume,
                             palError* error)
{
    if (builder->memberCount == 0)
        return pal_ok;
    qsort(builder->members, (size_t)builder->memberCount, sizeof *builder->members, compareMembers);
    int* vertices = malloc((size_t)volume->vertexCount * sizeof *vertices);
    if (vertices == NULL)
        return palError_Memory(error, "node sets", (size_t)volume->vertexCount * sizeof *vertices);
    palResult result = pal_ok;
    for (int i = 0, end; i < builder->memberCount && result == pal_ok; i = end)
    {
        const palMember* first = &builder->members[i];
        for (end = i + 1; end < builder->memberCount; end++)
            if (builder->members[end].dimension != first->dimension ||
                builder->members[end].tag != first->tag)
                break;
        result = addNodeSet(builder, i, end, newIndex, vertices, volume, error);
    }
    free(vertices);
    return result;
}

static int compareInts(const void* a, const void* b)
{
    int s = *(const int*)a;
    int t = *(const int*)b;
    return s < t ? -1 : s > t;
}

static palResult addRegions(const palVolumeBuilder* builder, palVolume* volume, palError* error)
{
    int count = volume->tetCount + volume->hexCount;
    size_t bytes = (size_t)count * sizeof(int);
    int* labels = malloc(bytes);
    if (labels == NULL)
        return palError_Memory(error, "regions", bytes);
    memcpy(labels, volume->labels, bytes);
    qsort(labels, (size_t)count, sizeof *labels, compareInts);
    palResult result = pal_ok;
    for (int i = 0; i < count && result == pal_ok; i++)
    {
        if (labels[i] == 0 || (i > 0 && labels[i] == labels[i - 1]))
            continue;
        const char* name = groupName(builder, 3, labels[i]);
        result = palVolume_AddRegion(volume, labels[i], name != NULL ? name : "", error);
    }
    free(labels);
    return result;
}

static void fill(const palVolumeBuilder* builder, const int* newIndex, palVolume* volume)
{
    for (int v = 0; v < builder->vertexCount; v++)
        if (newIndex[v] >= 0)
            volume->vertices[newIndex[v]] = builder->vertices[v];
    for (int i = 0; i < volume->tetCount; i++)
    {
        for (int k = 0; k < 4; k++)
            volume->tets[i][k] = newIndex[builder->tets[i][k]];
        volume->labels[i] = builder->tetLabels[i];
    }
    for (int i = 0; i < volume->hexCount; i++)
    {
        for (int k = 0; k < 8; k++)
            volume->hexes[i][k] = newIndex[builder->hexes[i][k]];
        volume->labels[volume->tetCount + i] = builder->hexLabels[i];
    }
}

palResult palVolumeBuilder_Finish(palVolumeBuilder* builder, palVolume* volume, palError* error)
{
    *volume = (palVolume){0};
    repairTets(builder);
    repairHexes(builder);
    if (builder->tetCount + builder->hexCount == 0)
        return noVolumeElement(builder, error);
    if (builder->nameCount > 0)
        qsort(builder->names, (size_t)builder->nameCount, sizeof *builder->names, compareNames);
    int* newIndex = malloc((size_t)builder->vertexCount * sizeof *newIndex);
    if (newIndex == NULL)
        return palError_Memory(error, what, (size_t)builder->vertexCount * sizeof *newIndex);
    int used = numberUsed(builder, newIndex);
    builder->repairs.unreferenced = builder->vertexCount - used;
    palResult result = palVolume_Init(volume, used, builder->tetCount, builder->hexCount, error);
    if (result == pal_ok)
    {
        fill(builder, newIndex, volume);
        result = addNodeSets(builder, newIndex, volume, error);
    }
    if (result == pal_ok)
        result = addRegions(builder, volume, error);
    free(newIndex);
    if (result != pal_ok)
        palVolume_Free(volume);
    return result;
}

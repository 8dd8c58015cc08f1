// SPDX-License-Identifier: Apache-2.0
#include "scene/soft_object.h"

#include "base/error.h"
#include "mesh/extract.h"
#include "mesh/fans.h"
#include "mesh/subdivide.h"
#include "mesh/volume_load.h"
#include "mesh/volume_shapes.h"
#include "touch/soft_touch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Above this the elements are too stiff by some per cent; the scene refuses more than 0.49.
static const double lockingPoisson = 0.45;

// A cell of the grid with less in it than this is taken to have so much: the surface lies on its
// nodes, which would otherwise give way without limit.
static const double leastFill = 0.2;

// A surface that fills less than this of its cells encloses nothing.
static const double leastShare = 1e-6;

// A body of more nodes cannot be stepped at any rate that a hand could use (its factor alone takes
// seconds), and the model of its answers would fill a gigabyte.
static const int mostNodes = 60000;

// A surface is moved at its vertices. With triangles much longer than the cells of the grid a push
// would go to few nodes, far away, and the dimple would not be that of the body: a block with 2.5
// cells a triangle answers with 30 % less force, one with its 8 corners alone with a fifth. So a
// surface with longer ones is divided.
static const double longTriangle = 3.0;           // cells: longer ones are divided
static const double dividedTriangle = 1.5;        // cells, at most, after that
static const int mostTriangles = 4 * 1000 * 1000; // likewise

// With fewer cells along it a body cannot bend, and a dimple takes all of it: pressed, a block with
// two is three times too stiff, one with one six times.
static const int fewCells = 3;

// Nodes this near to a plane or the side of a box, as a share of the object, are taken to be on it.
static const double onBoundary = 1e-9;

bool palSceneObject_HasVolume(const palSceneObject* object)
{
    palVolumeFormat format;
    if (object->mesh[0] != '\0')
        return palFindVolumeFormat(object->mesh, &format);
    return object->isSoft && object->soft.elements == pal_elementsTets;
}

static palResult atSoft(const palSoftObject* soft, palScenePlace place, const char* key,
                        palError* error)
{
    char path[96];
    snprintf(path, sizeof path, "objects.%d.soft%s", (int)(soft->object - soft->scene->objects),
             key);
    return palScene_At(soft->scene, place, path, error);
}

void palSoftObject_Free(palSoftObject* soft)
{
    palSurface_Free(&soft->surface);
    palVolume_Free(&soft->volume);
    palEmbedding_Free(&soft->embedding);
    free(soft->boundary);
    free(soft->fill);
    *soft = (palSoftObject){0};
}

//--------------------------------------------------------------------------------------------------
// Volumes

// A box or cylinder of tets.
static palResult generate(palSoftObject* soft, palError* error)
{
    const palShapeDef* shape = &soft->object->shape;
    bool isBox = shape->kind == pal_shapeBox;
    if (!isBox && shape->kind != pal_shapeCylinder)
    {
        palError_Set(error, pal_errorInput, "a %s cannot be made of tets",
                     palShapeKind_Name(shape->kind));
        palError_Remedy(error, "use elements: hexes, a box, a cylinder, or a volume mesh");
        return atSoft(soft, soft->object->softPlace, ".elements", error);
    }
    palVolumeShapeDef def = palDefaultVolumeShapeDef(isBox ? pal_volumeBlock : pal_volumeRod);
    def.cut = pal_cutFive;
    def.size =
        isBox ? shape->size : palMakeVec3(2.0 * shape->radius, 2.0 * shape->radius, shape->height);
    palVolumeShapeDef_SetResolution(&def, soft->object->soft.resolution);
    palResult result = palMakeVolumeShape(&def, &soft->volume, error);
    return result == pal_ok ? pal_ok : atSoft(soft, soft->object->softPlace, ".resolution", error);
}

static palResult makeVolume(palSoftObject* soft, palMessages* messages, palError* error)
{
    const palSceneObject* object = soft->object;
    bool isFile = object->mesh[0] != '\0';
    double scale = object->scale * palLengthUnit_Metres(object->unit);
    palResult result =
        isFile ? palVolume_Load(object->mesh, scale, &soft->volume, &soft->facts, messages, error)
               : generate(soft, error);
    if (result != pal_ok)
        return result;
    palVolume_Transform(&soft->volume, isFile ? 1.0 : object->scale,
                        palSceneObject_Rotation(object), object->position);
    return palVolume_Check(&soft->volume, &soft->facts, error);
}

// A tick looks at few triangles, and where more meet in a vertex the contact description covers
// next to nothing: fans are opened as far as the surface is flat there.
static palResult openFans(palSoftObject* soft, palMessages* messages, palError* error)
{
    palFanFacts facts;
    palResult result = palOpenFans(&soft->surface, pal_softNearMax / 2, &facts, error);
    if (facts.opened > 0)
        atSoft(soft, soft->object->softPlace, "",
               palMessages_Add(messages, pal_severityNote,
                               "%d fan%s of triangles on the surface of %s opened: the same "
                               "surface with fewer in a vertex",
                               facts.opened, palPlural(facts.opened), soft->object->name));
    if (facts.left == 0)
        return result;
    palError* warning =
        palMessages_Add(messages, pal_severityWarning,
                        "up to %d triangles meet in one vertex of %s, in %d vert%s more than %d: "
                        "a hand must move slowly there, or is held",
                        facts.most, soft->object->name, facts.left, facts.left == 1 ? "ex" : "ices",
                        pal_softNearMax / 2);
    palError_Remedy(warning, "remesh the surface so that its triangles are about as wide as long");
    atSoft(soft, soft->object->softPlace, "", warning);
    return result;
}

palResult palSoftObject_FromVolume(palSoftObject* soft, const palScene* scene,
                                   const palSceneObject* object, palMessages* messages,
                                   palError* error)
{
    *soft = (palSoftObject){.scene = scene, .object = object};
    palVolumeSurface skin = {0};
    palResult result = makeVolume(soft, messages, error);
    if (result == pal_ok)
        result = palVolumeSurface_Init(&skin, &soft->volume, error);
    if (result != pal_ok)
    {
        palSoftObject_Free(soft);
        return result;
    }
    soft->surface = skin.surface;
    soft->boundary = skin.vertices;
    free(skin.elements);
    result = openFans(soft, messages, error);
    if (result != pal_ok)
        palSoftObject_Free(soft);
    return result;
}

//--------------------------------------------------------------------------------------------------
// Surfaces

// What voxelize says of a surface without an inside, and where.
static palResult notSolid(palSoftObject* soft, palError* error)
{
    const palSceneObject* object = soft->object;
    palError what = *error;
    palError_Set(error, what.code, "%s cannot be soft: %.300s", object->name, what.text);
    palError_Remedy(error, "%s", what.remedy);
    return atSoft(soft, object->softPlace, "", error);
}

// A flat surface may be closed, but there is nothing in it.
static palResult checkMass(const palSoftObject* soft, palError* error)
{
    if (soft->massShare > leastShare)
        return pal_ok;
    palError_Set(error, pal_errorInput, "%s cannot be soft: its surface encloses no volume",
                 soft->object->name);
    palError_Remedy(error, "give it a thickness, or raise soft.resolution");
    return atSoft(soft, soft->object->softPlace, "", error);
}

static double longestEdge(const palSurface* surface)
{
    double longest = 0.0;
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
            longest =
                fmax(longest, palDistance(surface->vertices[surface->triangles[t][k]],
                                          surface->vertices[surface->triangles[t][(k + 1) % 3]]));
    return longest;
}

// Divides the triangles of a surface that is too coarse for its grid.
static palResult divideLong(palSoftObject* soft, palMessages* messages, palError* error)
{
    palBounds box = palSurface_Bounds(&soft->surface);
    palVec3 sides = palSub(box.high, box.low);
    double cell = fmax(sides.x, fmax(sides.y, sides.z)) / soft->object->soft.resolution;
    if (!(longestEdge(&soft->surface) > longTriangle * cell))
        return pal_ok;
    palResult result = palSubdivide(&soft->surface, dividedTriangle * cell, mostTriangles, error);
    if (result == pal_ok)
        atSoft(soft, soft->object->softPlace, "",
               palMessages_Add(messages, pal_severityNote,
                               "triangles of %s longer than %g cells of %.3g mm divided: the same "
                               "surface, of %d triangles",
                               soft->object->name, dividedTriangle, 1e3 * cell,
                               soft->surface.triangleCount));
    return result;
}

// Grids that are too coarse for their surface.
static void warnIfCoarse(const palSoftObject* soft, palMessages* messages)
{
    if (soft->object->soft.resolution >= fewCells)
        return;
    palError* warning = palMessages_Add(
        messages, pal_severityWarning,
        "%s has %d cell%s along its longest side: it feels several times stiffer than it is",
        soft->object->name, soft->object->soft.resolution,
        palPlural(soft->object->soft.resolution));
    palError_Remedy(warning, "raise soft.resolution: 8 or more");
    atSoft(soft, soft->object->softPlace, ".resolution", warning);
}

palResult palSoftObject_FromSurface(palSoftObject* soft, const palScene* scene,
                                    const palSceneObject* object, palSurface* surface,
                                    palMessages* messages, palError* error)
{
    *soft = (palSoftObject){.scene = scene, .object = object, .surface = *surface};
    *surface = (palSurface){0};
    palVoxelDef def = palDefaultVoxelDef();
    def.resolution = object->soft.resolution;
    palVoxels voxels;
    // The grid lies along the axes of the object: it turns with it.
    palQuat rotation = palSceneObject_Rotation(object);
    palSurface_Transform(&soft->surface, 1.0, palConjugate(rotation), pal_zeroVec3);
    palResult result = divideLong(soft, messages, error);
    if (result == pal_ok)
        result = palVoxels_Init(&voxels, &soft->surface, &def, messages, error);
    palSurface_Transform(&soft->surface, 1.0, rotation, pal_zeroVec3);
    if (result != pal_ok)
    {
        if (result == pal_errorInput)
            result = notSolid(soft, error);
        palSoftObject_Free(soft);
        return result;
    }
    soft->volume = voxels.volume;
    soft->embedding = voxels.embedding;
    soft->fill = voxels.fill;
    palVolume_Transform(&soft->volume, 1.0, rotation, pal_zeroVec3);
    double filled = 0.0;
    for (int h = 0; h < soft->volume.hexCount; h++)
        filled += soft->fill[h] = fmax(leastFill, soft->fill[h]);
    soft->massShare = voxels.inside / (filled * voxels.cell * voxels.cell * voxels.cell);
    warnIfCoarse(soft, messages);
    result = checkMass(soft, error);
    if (result == pal_ok)
        result = palVolume_Check(&soft->volume, &soft->facts, error);
    if (result == pal_ok)
        result = openFans(soft, messages, error);
    if (result != pal_ok)
        palSoftObject_Free(soft);
    return result;
}

// The surface's vertices as means of nodes: one each on a boundary, eight in a hex.
static palResult makeSkin(const palSoftObject* soft, int count, palSkin* skin, palError* error)
{
    int each = soft->boundary != NULL ? 1 : 8;
    palResult result = palSkin_Init(skin, count, each, error);
    for (int v = 0; v < count && result == pal_ok; v++)
    {
        if (soft->boundary != NULL)
        {
            skin->nodes[v] = soft->boundary[v];
            skin->weights[v] = 1.0;
            continue;
        }
        const int* corners = soft->volume.hexes[soft->embedding.elements[v]];
        memcpy(skin->nodes + 8 * v, corners, 8 * sizeof *corners);
        memcpy(skin->weights + 8 * v, soft->embedding.weights[v], 8 * sizeof *skin->weights);
    }
    return result;
}

//--------------------------------------------------------------------------------------------------
// What holds it

static bool isInBox(palVec3 x, const palBounds* box, double margin)
{
    return x.x >= box->low.x - margin && x.x <= box->high.x + margin &&
           x.y >= box->low.y - margin && x.y <= box->high.y + margin &&
           x.z >= box->low.z - margin && x.z <= box->high.z + margin;
}

static bool isHeldBy(const palSceneFixed* fixed, palVec3 x, double margin)
{
    if (fixed->isBox)
        return isInBox(x, &fixed->box, margin);
    if (fixed->isSphere)
        return palDistance(x, fixed->sphere.centre) <= fixed->sphere.radius + margin;
    palVec3 normal = palNormalize(fixed->plane.normal);
    return palDot(normal, palSub(x, fixed->plane.point)) <= margin;
}

static palResult unknownNodes(const palSoftObject* soft, const palSceneFixed* fixed,
                              palError* error)
{
    char names[256] = "";
    for (int i = 0; i < soft->volume.nodeSetCount; i++)
    {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                 soft->volume.nodeSets[i].name);
    }
    palError_Set(error, pal_errorInput, "%s has no node set '%s'", soft->object->name,
                 fixed->nodes);
    if (soft->volume.nodeSetCount > 0)
        palError_Remedy(error, "it has: %s", names);
    else
        palError_Remedy(error, "it has none; hold nodes by a box, sphere or plane");
    return atSoft(soft, fixed->place, ".fixed", error);
}

static void tellBounds(const palSoftObject* soft, palError* error)
{
    palBounds b = palVolume_Bounds(&soft->volume);
    palError_Remedy(error,
                    "its nodes are from [%.4g, %.4g, %.4g] to [%.4g, %.4g, %.4g] in the scene",
                    b.low.x, b.low.y, b.low.z, b.high.x, b.high.y, b.high.z);
}

static palResult holdsNothing(const palSoftObject* soft, const palSceneFixed* fixed,
                              palError* error)
{
    palError_Set(error, pal_errorInput, "no node of %s is in this part", soft->object->name);
    tellBounds(soft, error);
    return atSoft(soft, fixed->place, ".fixed", error);
}

static palResult holdNodes(const palSoftObject* soft, const palSceneFixed* fixed, bool* held,
                           palError* error)
{
    const palVolume* volume = &soft->volume;
    palBounds bounds = palVolume_Bounds(volume);
    double margin = onBoundary * palDistance(bounds.low, bounds.high);
    int count = 0;
    if (fixed->nodes[0] != '\0')
    {
        const palNodeSet* set = palVolume_FindNodeSet(volume, fixed->nodes);
        if (set == NULL)
            return unknownNodes(soft, fixed, error);
        for (int i = 0; i < set->count; i++)
            held[set->vertices[i]] = true;
        return pal_ok;
    }
    for (int i = 0; i < volume->vertexCount; i++)
    {
        if (!isHeldBy(fixed, volume->vertices[i], margin))
            continue;
        held[i] = true;
        count++;
    }
    return count > 0 ? pal_ok : holdsNothing(soft, fixed, error);
}

// A body that nothing holds falls under gravity, unless it may lie on another or hang from a joint;
// without gravity it drifts.
static palResult checkHold(const palSoftObject* soft, palMessages* messages, palError* error)
{
    const palScene* scene = soft->scene;
    bool isAlone = scene->objectCount < 2 && scene->wireCount == 0 && scene->jointCount == 0;
    if (soft->object->soft.fixedCount > 0 || !isAlone)
        return pal_ok;
    if (palLength(soft->scene->gravity) > 0.0)
    {
        palError_Set(error, pal_errorInput, "nothing holds %s, and gravity pulls it away",
                     soft->object->name);
        palError_Remedy(error, "add soft.fixed, for example fixed: [{plane: {point: [0, 0, 0], "
                               "normal: [0, 1, 0]}}], or set gravity to zero");
        return atSoft(soft, soft->object->softPlace, ".fixed", error);
    }
    palError* warning =
        palMessages_Add(messages, pal_severityWarning,
                        "nothing holds %s: it drifts when it is pushed", soft->object->name);
    palError_Remedy(warning, "add soft.fixed");
    atSoft(soft, soft->object->softPlace, ".fixed", warning);
    return pal_ok;
}

static palResult holdBody(const palSoftObject* soft, bool* held, palMessages* messages,
                          palError* error)
{
    const palSceneSoft* def = &soft->object->soft;
    palResult result = checkHold(soft, messages, error);
    for (int i = 0; i < def->fixedCount && result == pal_ok; i++)
        result = holdNodes(soft, &def->fixed[i], held, error);
    return result;
}

//--------------------------------------------------------------------------------------------------
// Stiffer and softer parts

static palVec3 middleOf(const palVolume* volume, int element)
{
    bool isTet = element < volume->tetCount;
    int count = isTet ? 4 : 8;
    const int* corners = isTet ? volume->tets[element] : volume->hexes[element - volume->tetCount];
    palVec3 middle = pal_zeroVec3;
    for (int k = 0; k < count; k++)
        middle = palMulAdd(middle, 1.0 / count, volume->vertices[corners[k]]);
    return middle;
}

// The label of the region with that name or, where names are missing, that number; -1: none.
static int findLabel(const palVolume* volume, const char* name)
{
    for (int i = 0; i < volume->regionCount; i++)
    {
        char number[16];
        snprintf(number, sizeof number, "%d", volume->regions[i].label);
        if (strcmp(volume->regions[i].name, name) == 0 || strcmp(number, name) == 0)
            return volume->regions[i].label;
    }
    return -1;
}

static palResult stiffen(const palSoftObject* soft, const palSceneRegion* region, double* stiffer,
                         palError* error)
{
    const palVolume* volume = &soft->volume;
    double factor = region->young / soft->object->soft.young;
    int label = region->isBox ? 0 : findLabel(volume, region->region);
    int count = 0;
    for (int e = 0; e < volume->tetCount + volume->hexCount; e++)
    {
        bool isMeant = region->isBox ? isInBox(middleOf(volume, e), &region->box, 0.0)
                                     : volume->labels[e] == label;
        if (isMeant)
            stiffer[e] = factor;
        count += isMeant;
    }
    if (count > 0)
        return pal_ok;
    if (region->isBox)
    {
        palError_Set(error, pal_errorInput, "no element of %s has its middle in this box",
                     soft->object->name);
        tellBounds(soft, error);
    }
    else
    {
        palError_Set(error, pal_errorInput, "%s has no region '%s'", soft->object->name,
                     region->region);
        palError_Remedy(error, "palpate mesh FILE lists the regions of a volume mesh");
    }
    return atSoft(soft, region->place, ".regions", error);
}

//--------------------------------------------------------------------------------------------------
// The body

static void noteModel(const palSoftObject* soft, const palSoftBody* body, palMessages* messages)
{
    const palVolumeFacts* facts = &soft->facts;
    palError* note =
        palMessages_Add(messages, pal_severityNote,
                        "%s is soft: %d nodes, %d held; %d %s; worst element %.2g of 1; %.3g kg",
                        soft->object->name, body->nodeCount, body->nodeCount - body->freeCount,
                        body->tetCount + body->hexCount,
                        body->hexCount == 0   ? "tets"
                        : body->tetCount == 0 ? "hexes"
                                              : "tets and hexes",
                        fmin(facts->worstTet, facts->worstHex), palSoftBody_Mass(body));
    atSoft(soft, soft->object->softPlace, "", note);
    if (soft->object->soft.poisson <= lockingPoisson)
        return;
    palError* warning =
        palMessages_Add(messages, pal_severityWarning,
                        "'poisson' is %g: above %g the elements begin to lock, and "
                        "%s feels stiffer than it is",
                        soft->object->soft.poisson, lockingPoisson, soft->object->name);
    palError_Remedy(warning, "use %g or less", lockingPoisson);
    atSoft(soft, soft->object->softPlace, ".poisson", warning);
}

static palResult checkSize(const palSoftObject* soft, palError* error)
{
    if (soft->volume.vertexCount <= mostNodes)
        return pal_ok;
    palError_Set(error, pal_errorInput, "%s would have %d nodes; %d are allowed",
                 soft->object->name, soft->volume.vertexCount, mostNodes);
    palError_Remedy(error, "lower soft.resolution, or use a coarser volume mesh");
    return atSoft(soft, soft->object->softPlace, ".resolution", error);
}

static palResult createBody(const palSoftObject* soft, const bool* held, const double* stiffer,
                            palSoftBody** body, palError* error)
{
    const palSceneSoft* given = &soft->object->soft;
    palSoftDef def = palDefaultSoftDef();
    def.volume = &soft->volume;
    double density = given->density * (soft->fill != NULL ? soft->massShare : 1.0);
    def.material = (palMaterial){given->young, given->poisson, density};
    def.stiffening = given->stiffening;
    def.stiffer = stiffer;
    def.fill = soft->fill;
    def.held = held;
    def.massDamping = given->damping.mass;
    def.stiffnessDamping = given->damping.stiffness;
    def.gravity = soft->scene->gravity;
    palResult result = palSoftBody_Create(&def, body, error);
    return result == pal_ok ? pal_ok : atSoft(soft, soft->object->softPlace, "", error);
}

palResult palSoftObject_Bind(palSoftObject* soft, palCollider* collider, palMessages* messages,
                             palError* error)
{
    const palSceneSoft* def = &soft->object->soft;
    size_t elements = (size_t)(soft->volume.tetCount + soft->volume.hexCount);
    bool* held = calloc((size_t)soft->volume.vertexCount + 1, sizeof *held);
    double* stiffer = calloc(elements + 1, sizeof *stiffer);
    palSkin skin = {0};
    palSoftBody* body = NULL;
    palResult result = checkSize(soft, error);
    if (held == NULL || stiffer == NULL)
        result = palError_Memory(error, "a soft object", elements * sizeof *stiffer);
    for (size_t e = 0; e < elements && result == pal_ok; e++)
        stiffer[e] = 1.0;
    for (int i = 0; i < def->regionCount && result == pal_ok; i++)
        result = stiffen(soft, &def->regions[i], stiffer, error);
    if (result == pal_ok)
        result = holdBody(soft, held, messages, error);
    if (result == pal_ok)
        result = makeSkin(soft, collider->surface.vertexCount, &skin, error);
    if (result == pal_ok)
        result = createBody(soft, held, stiffer, &body, error);
    if (result == pal_ok)
    {
        noteModel(soft, body, messages);
        result = palCollider_Bind(collider, body, &skin, error);
    }
    palSkin_Free(&skin);
    free(held);
    free(stiffer);
    return result;
}

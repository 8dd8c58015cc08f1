// SPDX-License-Identifier: Apache-2.0
#include "touch/shell_features.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double toleranceShare = 1e-3; // of the query radius: overlap ignored below this
static const double leastAngle = 1e-3;     // rad: edges with a smaller dihedral angle are flat
static const double exactEnough = 0.25;    // of a distance: accepted error of its lower bound
static const double overlapShare = 0.25;   // of the size of features: deeper overlap is ignored
static const double fineEnough = 0.02;     // of the query radius: likewise, close to the tool
static const double coneSlack = 0.05;      // sine by which the normal of a pair may leave the cones

enum
{
    bisectionsMax = 7, // of an edge, for its distance to the tool
};

// ---------------------------------------------------------------------------------------------
// Set-up

static double longestEdge(const palSurface* surface)
{
    double longest = 0.0;
    for (int i = 0; i < 3 * surface->triangleCount; i++)
    {
        const int* v = surface->triangles[i / 3];
        longest = fmax(longest,
                       palDistance(surface->vertices[v[i % 3]], surface->vertices[v[(i + 1) % 3]]));
    }
    return longest;
}

// The dihedral angle above which an edge penetrates by more than the tolerance between points that
// are `spacing` apart, rad.
static double relevantAngle(const palMethodDef* def, double spacing)
{
    return fmax(leastAngle, 4.0 * toleranceShare * def->radius / spacing);
}

// The features of a soft body are updated in each low-rate step.
static palResult initSoft(palShellFeatures* features, int object, palError* error)
{
    const palCollider* collider = &features->def->colliders[object];
    palCollider_Vertices(collider); // for the lengths of its edges
    palResult result = palSharpFeatures_InitMoving(&features->objects[object], collider, error);
    features->objects[object].longest = longestEdge(&collider->surface);
    return result;
}

static palResult initObjects(palShellFeatures* features, double spacing, palError* error)
{
    const palMethodDef* def = features->def;
    features->objects = calloc((size_t)palMethodDef_Surfaces(def) + 1, sizeof *features->objects);
    if (features->objects == NULL)
        return palError_Memory(error, "the features of objects", sizeof *features->objects);
    features->objectAngle =
        relevantAngle(def, fmin(spacing, longestEdge(&features->tool->surface)));
    palResult result = pal_ok;
    for (int i = 0; i < palMethodDef_Surfaces(def) && result == pal_ok; i++)
    {
        const palCollider* collider = &def->colliders[i];
        if (collider->inTick)
            continue;
        if (palCollider_Yields(collider))
            result = initSoft(features, i, error);
        else
            result = palSharpFeatures_Init(&features->objects[i], &collider->surface,
                                           &collider->topology, collider->closed,
                                           features->objectAngle, true, error);
        features->isNeeded =
            features->isNeeded || palCollider_Yields(collider) || features->objects[i].count > 0;
    }
    return result;
}

static palResult initTool(palShellFeatures* features, palError* error)
{
    const palSurface* surface = &features->tool->surface;
    double longest = 0.0;
    for (int i = 0; i < palMethodDef_Surfaces(features->def); i++)
        longest = fmax(longest, features->objects[i].longest);
    palTopology topology;
    palResult result = palTopology_Init(&topology, surface, error);
    if (result != pal_ok)
        return result;
    double angle = longest > 0.0 ? relevantAngle(features->def, longest) : leastAngle;
    result = palSharpFeatures_Init(&features->edges, surface, &topology, true, angle, false, error);
    size_t size = ((size_t)surface->triangleCount + 1) * sizeof *features->normals;
    features->normals = malloc(size);
    if (result == pal_ok && features->normals == NULL)
        result = palError_Memory(error, "the normals of a tool", size);
    if (result == pal_ok)
        memcpy(features->normals, topology.triangleNormals, size - sizeof *features->normals);
    palTopology_Free(&topology);
    return result == pal_ok ? palBvh_Create(surface, &features->bvh, error) : result;
}

palResult palShellFeatures_Init(palShellFeatures* features, const palMethodDef* def, double spacing,
                                palError* error)
{
    *features = (palShellFeatures){.def = def, .tool = def->tool};
    const palSurface* surface = &def->tool->surface;
    for (int i = 0; i < surface->vertexCount; i++)
        features->extent = fmax(
            features->extent, palDistance(surface->vertices[i], def->tool->model.def.mass.centre));
    palResult result = initObjects(features, spacing, error);
    if (result == pal_ok)
        result = initTool(features, error);
    if (result == pal_ok)
    {
        features->found = malloc(pal_shellFoundMax * sizeof *features->found);
        features->order = malloc(pal_shellFoundMax * sizeof *features->order);
        if (features->found == NULL || features->order == NULL)
            result = palError_Memory(error, "the features near a tool",
                                     pal_shellFoundMax * sizeof *features->found);
    }
    if (result != pal_ok)
        palShellFeatures_Free(features);
    return result;
}

void palShellFeatures_Free(palShellFeatures* features)
{
    for (int i = 0; features->objects != NULL && i < palMethodDef_Surfaces(features->def); i++)
        palSharpFeatures_Free(&features->objects[i]);
    palSharpFeatures_Free(&features->edges);
    palBvh_Destroy(features->bvh);
    free(features->objects);
    free(features->normals);
    free(features->found);
    free(features->order);
    *features = (palShellFeatures){0};
}

palVec3 palShellFeatures_ToTool(const palRigidModel* model, const palRigidState* state, palVec3 x)
{
    return palAdd(model->def.mass.centre, palInvRotate(state->q, palSub(x, state->x)));
}

palSharpFeature palShellFeatures_FeatureToTool(const palRigidModel* model,
                                               const palRigidState* state,
                                               const palSharpFeature* feature)
{
    palSharpFeature seen = *feature;
    for (int k = 0; k < 2; k++)
    {
        seen.ends[k] = palShellFeatures_ToTool(model, state, feature->ends[k]);
        seen.into[k] = palInvRotate(state->q, feature->into[k]);
    }
    return seen;
}

// ---------------------------------------------------------------------------------------------
// Features within reach

// A lower bound of the distance from the segment a b to the tool, in its frame, m; infinite where
// it is more than `most`. It is the distance of the midpoint less half the length; where that is
// too inaccurate the segment is bisected.
static double distanceToTool(const palShellFeatures* features, palVec3 a, palVec3 b, double most,
                             int bisections)
{
    double half = 0.5 * palDistance(a, b);
    palVec3 middle = palScale(0.5, palAdd(a, b));
    palClosest closest;
    if (!palBvh_Closest(features->bvh, middle, most + half, &closest))
        return INFINITY;
    if (half <= fmax(exactEnough * closest.distance, fineEnough * features->def->radius) ||
        bisections == 0)
        return fmax(0.0, closest.distance - half);
    double first = distanceToTool(features, a, middle, most, bisections - 1);
    return fmin(first, distanceToTool(features, middle, b, fmin(first, most), bisections - 1));
}

typedef struct Search
{
    palShellFeatures* features;
    const palRigidState* pose;
    double reach;
    int object;
    const palSoftPatch* patch; // of soft bodies
    int part;                  // of it: the object's; -1: it is rigid
    int count;
    int missed; // beyond the capacity
} Search;

// The corner of a triangle that is not on an edge of it, and whether the triangle is to the left of
// the edge.
static int wingOf(const palCollider* collider, int triangle, const int edge[2], bool* isLeft)
{
    const int* v = collider->surface.triangles[triangle];
    int k = 0;
    while (k < 2 && (v[k] == edge[0] || v[k] == edge[1]))
        k++;
    *isLeft = v[(k + 1) % 3] == edge[0];
    return v[k];
}

// Finds the vertices of the patch that move a feature of a soft body. Returns false where the patch
// does not contain them all.
static bool findVertices(const Search* search, const palSharpFeature* feature, palSoftFeature* soft)
{
    const palCollider* collider = &search->features->def->colliders[search->object];
    const palTopology* topology = &collider->topology;
    int vertices[4] = {feature->id, feature->id, feature->id, feature->id};
    if (search->part < 0)
        return true;
    for (int k = 0; k < 2 && !feature->isVertex; k++)
    {
        int side = topology->edgeTriangles[feature->id][k];
        side = side >= 0 ? side : topology->edgeTriangles[feature->id][0];
        bool isLeft;
        int wing = wingOf(collider, side, topology->edges[feature->id], &isLeft);
        vertices[k] = topology->edges[feature->id][k];
        vertices[isLeft ? 2 : 3] = wing;
    }
    *soft = (palSoftFeature){.isSoft = true, .part = search->part};
    bool isWhole = true;
    for (int k = 0; k < 4; k++)
    {
        int vertex = palSoftPatch_Find(search->patch, search->part, vertices[k]);
        *(k < 2 ? &soft->ends[k] : &soft->wings[k - 2]) = vertex;
        isWhole = isWhole && vertex >= 0;
    }
    return isWhole;
}

static void visitFeature(int index, void* data)
{
    Search* search = data;
    palSoftFeature soft = {.isSoft = false};
    palShellFeatures* features = search->features;
    const palRigidModel* model = &features->tool->model;
    const palSharpFeature* feature = &features->objects[search->object].features[index];
    palSharpFeature seen = palShellFeatures_FeatureToTool(model, search->pose, feature);
    double clearance =
        distanceToTool(features, seen.ends[0], seen.ends[1], search->reach, bisectionsMax);
    if (!(clearance <= search->reach) || !findVertices(search, feature, &soft))
        return;
    if (search->count == pal_shellFoundMax)
    {
        search->missed++;
        return;
    }
    features->found[search->count++] = (palNearFeature){
        .feature = *feature,
        .soft = soft,
        .object = search->object,
        .friction = features->def->colliders[search->object].friction,
        .clearance = clearance,
    };
}

// Shell sort with Ciura's gaps (2001): in place, without further memory.
static void sortOrder(const palNearFeature* found, int* order, int count)
{
    static const int gaps[] = {3937, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++)
        for (int i = gaps[g]; i < count; i++)
        {
            int moved = order[i];
            int k = i;
            for (; k >= gaps[g] && found[order[k - gaps[g]]].clearance > found[moved].clearance;
                 k -= gaps[g])
                order[k] = order[k - gaps[g]];
            order[k] = moved;
        }
}

static palBounds boundsAt(const palShellFeatures* features, const palRigidState* pose)
{
    const palSurface* surface = &features->tool->surface;
    palBounds bounds =
        palMakeBounds(palRigid_Point(&features->tool->model, pose, surface->vertices[0]));
    for (int i = 1; i < surface->vertexCount; i++)
        bounds = palBounds_With(bounds,
                                palRigid_Point(&features->tool->model, pose, surface->vertices[i]));
    return bounds;
}

// Visits the features of a soft body in its present shape, within the patch.
static void visitSoft(Search* search, palBounds bounds)
{
    palShellFeatures* features = search->features;
    const palCollider* collider = &features->def->colliders[search->object];
    const palSoftPart* part = &search->patch->parts[search->part];
    palSharpFeatures* object = &features->objects[search->object];
    palSharpFeatures_Refresh(object, collider, features->objectAngle,
                             search->patch->surfaceVertex + part->vertexBegin,
                             part->vertexEnd - part->vertexBegin);
    for (int i = 0; i < object->count; i++)
        if (palBounds_Meet(object->boxes[i], bounds))
            visitFeature(i, search);
}

double palShellFeatures_FindNear(palShellFeatures* features, const palRigidState* pose,
                                 double reach, const palSoftPatch* patch, palFeatureView* view)
{
    Search search = {.features = features, .pose = pose, .reach = reach, .patch = patch};
    view->count = 0;
    view->dropped = 0;
    if (!features->isNeeded)
        return reach;
    palBounds bounds = palBounds_Grown(boundsAt(features, pose), reach);
    for (int i = 0; i < palMethodDef_Surfaces(features->def); i++)
    {
        const palSharpFeatures* object = &features->objects[i];
        search.object = i;
        bool isMoving = palCollider_Yields(&features->def->colliders[i]);
        search.part = isMoving ? palSoftPatch_Part(patch, i, -1) : -1;
        if (search.part >= 0)
            visitSoft(&search, bounds);
        else if (!isMoving && object->count > 0)
            palBoxTree_Visit(&object->tree, object->boxes, bounds, visitFeature, &search);
    }
    for (int i = 0; i < search.count; i++)
        features->order[i] = i;
    sortOrder(features->found, features->order, search.count);
    view->count = search.count < pal_shellFeaturesMax ? search.count : pal_shellFeaturesMax;
    view->dropped = search.count - view->count + search.missed;
    for (int i = 0; i < view->count; i++)
        view->near[i] = features->found[features->order[i]];
    return view->dropped > 0 ? features->found[features->order[view->count - 1]].clearance : reach;
}

palSharpFeature palSoftFeature_At(const palSoftFeature* soft, const palSharpFeature* feature,
                                  const palVec3* positions)
{
    palSharpFeature moved = *feature;
    if (!soft->isSoft)
        return moved;
    for (int k = 0; k < 2; k++)
        moved.ends[k] = positions[soft->ends[k]];
    palVec3 along = palNormalize(palSub(moved.ends[1], moved.ends[0]));
    for (int k = 0; k < 2 && !moved.isVertex; k++)
    {
        palVec3 into = palSub(positions[soft->wings[k]], moved.ends[0]);
        moved.into[k] = palNormalize(palMulAdd(into, -palDot(into, along), along));
    }
    return moved;
}

bool palShellFeatures_IsConvex(const palShellFeatures* features, const palSoftFeature* soft,
                               const palSharpFeature* edge)
{
    if (!soft->isSoft || edge->isVertex)
        return true;
    // The sine of the dihedral angle: how far the right face is below the plane of the left one.
    palVec3 along = palNormalize(palSub(edge->ends[1], edge->ends[0]));
    double sine = -palDot(palCross(along, edge->into[0]), edge->into[1]);
    return sine >= sin(0.5 * fmin(features->objectAngle, 0.5 * PAL_PI));
}

palSoftSpot palSoftFeature_Spot(const palSoftFeature* soft, double share)
{
    double t = fmin(fmax(share, 0.0), 1.0);
    return (palSoftSpot){
        .isSoft = soft->isSoft,
        .part = soft->part,
        .on = {{soft->ends[0], soft->ends[1], soft->ends[0]}, {1.0 - t, t, 0.0}, 2},
    };
}

// ---------------------------------------------------------------------------------------------
// Pairs as half-spaces

typedef struct Pairing
{
    const palShellFeatures* features;
    const palRigidState* pose;
    double reach;
    const palNearFeature* near;
    palSharpFeature seen; // in the tool's frame
    palPairView* pairs;
} Pairing;

// Whether two features overlap: the place of each is inside the other body. Otherwise they are on
// sides of the bodies that face away from each other.
static bool isOverlap(const Pairing* pairing, palVec3 onTool, palVec3 onObject)
{
    const palShellFeatures* features = pairing->features;
    const palCollider* collider = &features->def->colliders[pairing->near->object];
    palVec3 x = palRigid_Point(&features->tool->model, pairing->pose, onTool);
    palClosest closest;
    palNearest nearest;
    if (!palBvh_Closest(features->bvh, onObject, INFINITY, &closest) ||
        palDot(palSub(onObject, closest.point), features->normals[closest.triangle]) > 0.0)
        return false;
    return pairing->near->feature.isVertex || !collider->closed ||
           (palColliders_Nearest(collider, 1, x, INFINITY, &nearest) && nearest.gap <= 0.0);
}

// Adds a pair, sorted by clearance. `n` is in the tool's frame, from the object to the tool; the
// place is at `share` of the feature.
static void addPair(const Pairing* pairing, palVec3 onTool, palVec3 onObject, palVec3 n,
                    double size, double share)
{
    palPairView* pairs = pairing->pairs;
    double distance = palDot(n, palSub(onTool, onObject));
    if (distance > pairing->reach || -distance > overlapShare * size ||
        (distance < 0.0 && !isOverlap(pairing, onTool, onObject)))
        return;
    double clearance = fmax(distance, 0.0);
    int place = pairs->count;
    while (place > 0 && pairs->near[place - 1].clearance > clearance)
        place--;
    if (place == pal_shellPairsMax)
        return;
    pairs->count += pairs->count < pal_shellPairsMax;
    memmove(&pairs->near[place + 1], &pairs->near[place],
            (size_t)(pairs->count - 1 - place) * sizeof pairs->near[0]);
    palVec3 normal = palRotate(pairing->pose->q, n);
    palVec3 x = palRigid_Point(&pairing->features->tool->model, pairing->pose, onObject);
    pairs->near[place] = (palNearPair){
        .onTool = onTool,
        .plane = {normal, palDot(normal, x), pairing->near->friction},
        .clearance = clearance,
        .object = pairing->near->object,
        .spot = palSoftFeature_Spot(&pairing->near->soft, share),
        .extent = {.place = x, .gap = distance},
    };
}

static void visitEdge(int index, void* data)
{
    const Pairing* pairing = data;
    const palSharpFeature* edge = &pairing->features->edges.features[index];
    palEdgeGap gap;
    if (!palEdgeGap_Make(edge, &pairing->seen, &gap) || gap.excess > coneSlack ||
        !palEdgeGap_IsWithin(&gap, edge, &pairing->seen, 0.0))
        return;
    addPair(pairing, palLerp(edge->ends[0], edge->ends[1], gap.s),
            palLerp(pairing->seen.ends[0], pairing->seen.ends[1], gap.t), gap.n,
            fmin(edge->size, pairing->seen.size), gap.t);
}

void palShellFeatures_FindPairs(const palShellFeatures* features, const palRigidState* pose,
                                double reach, const palFeatureView* view, palPairView* pairs)
{
    pairs->count = 0;
    for (int i = 0; i < view->count; i++)
    {
        Pairing pairing = {features, pose, reach, &view->near[i], {.id = 0}, pairs};
        pairing.seen =
            palShellFeatures_FeatureToTool(&features->tool->model, pose, &view->near[i].feature);
        palVec3 x = pairing.seen.ends[0];
        palClosest closest;
        if (!view->near[i].feature.isVertex)
            palSharpFeatures_Visit(&features->edges, x, pairing.seen.ends[1], reach, visitEdge,
                                   &pairing);
        else if (palBvh_Closest(features->bvh, x, reach, &closest) &&
                 closest.feature == pal_featureFace &&
                 palSharpFeature_Admits(&pairing.seen, palNeg(features->normals[closest.triangle])))
            addPair(&pairing, closest.point, x, palNeg(features->normals[closest.triangle]),
                    pairing.seen.size, 0.0);
    }
}

// SPDX-License-Identifier: Apache-2.0
// The soft faces near a tool in one tick, and the points of the tool near them.
#include "collide/triangle.h"
#include "touch/tool_soft.h"

static const double samePlace = 1e-12; // m: faces at equal distance share an edge or corner

// Where the border of the face below a point is more than this many distances away, no other face
// is closer, unless they meet at a very sharp angle.
static const double farInside = 4.0;

enum
{
    candidatesMax = 64, // faces examined for one point
};

// Whether the range of the coordinates a, b, c overlaps that from `low` to `high`. By comparisons,
// because fmin and fmax are function calls.
static bool overlaps(double a, double b, double c, double low, double high)
{
    return !((a < low && b < low && c < low) || (a > high && b > high && c > high));
}

// Whether the bounding box of a face meets another box.
static bool meets(const palVec3* positions, const int* v, palVec3 low, palVec3 high)
{
    const palVec3 *a = &positions[v[0]], *b = &positions[v[1]], *c = &positions[v[2]];
    return overlaps(a->x, b->x, c->x, low.x, high.x) && overlaps(a->y, b->y, c->y, low.y, high.y) &&
           overlaps(a->z, b->z, c->z, low.z, high.z);
}

static void addFace(palToolSoft* soft, int part, int face, palLimitShape limits)
{
    palPatch* view = &soft->views[part];
    const palSoftPart* of = &soft->patch->parts[part];
    const int* v = soft->patch->faces[face].vertices;
    palLimited limited;
    if (!palLimited_FromTriangle(&limited, limits, soft->base[v[0]], soft->base[v[1]],
                                 soft->base[v[2]]))
        return;
    limited.friction = of->friction;
    limited.object = of->object;
    limited.triangle = soft->patch->faces[face].triangle;
    limited.twoSided = of->twoSided;
    soft->limitedOf[face] = view->count;
    soft->faceOf[(view->limited - soft->faces.limited) + view->count] = face;
    palPatch_Add(view, &limited);
    for (int k = 0; k < 3; k++)
        palToolSoft_Use(soft, part, v[k]);
}

void palToolSoft_FindFaces(palToolSoft* soft, palVec3 low, palVec3 high, double reach,
                           palLimitShape limits)
{
    const palSoftPatch* patch = soft->patch;
    double margin = reach + soft->way;
    palVec3 by = palMakeVec3(margin, margin, margin);
    low = palSub(low, by);
    high = palAdd(high, by);
    soft->reach = reach;
    // Parts have shares of one patch, each from a whole run, group and block on.
    int runs = 0, groups = 0, blocks = 0;
    for (int p = 0; p < patch->partCount; p++)
    {
        const palSoftPart* part = &patch->parts[p];
        palPatch* view = &soft->views[p];
        *view = soft->faces;
        view->limited += runs * pal_patchRun;
        view->planes += runs * pal_patchRun;
        view->boxes += runs;
        view->groups += groups;
        view->blocks += blocks;
        palPatch_Clear(view, palScale(0.5, palAdd(low, high)));
        int left = (pal_patchBlocksMax - blocks) * pal_patchBlock;
        left = pal_patchGroupsMax - groups < left ? pal_patchGroupsMax - groups : left;
        int room = left * pal_patchGroup * pal_patchRun;
        for (int f = part->faceBegin; f < part->faceEnd; f++)
        {
            soft->limitedOf[f] = -1;
            if (view->count < room && meets(soft->base, patch->faces[f].vertices, low, high))
                addFace(soft, p, f, limits);
        }
        runs += view->runCount;
        groups += view->groupCount;
        blocks += view->blockCount;
    }
}

// A face of a part near a point.
typedef struct Candidate
{
    int limited; // of the part's view
    palClosest closest;
} Candidate;

// Whether x is within a distance of the bounding box of a face.
static bool isInBox(const palVec3* positions, const int* v, palVec3 x, double distance)
{
    palVec3 by = palMakeVec3(distance, distance, distance);
    return meets(positions, v, palSub(x, by), palAdd(x, by));
}

// Candidates for the closest face of a part to x, with the vertices at `positions`, among them all
// at the same distance. Returns the index of the closest; -1: none is within reach. `hint` is a
// face of the patch that is likely the closest; -1: none is known.
static int findCandidates(const palToolSoft* soft, int part, const palVec3* positions, palVec3 x,
                          int hint, Candidate* candidates, int* count)
{
    const palPatch* view = &soft->views[part];
    const int* faceOf = soft->faceOf + (view->limited - soft->faces.limited);
    double bound = soft->reach + soft->way;
    *count = 0;
    if (hint >= 0 && soft->limitedOf[hint] >= 0)
    {
        const int* v = soft->patch->faces[hint].vertices;
        int limited = soft->limitedOf[hint];
        palClosest closest =
            palClosestOnTriangle(x, positions[v[0]], positions[v[1]], positions[v[2]]);
        double inner = fmin(fmin(closest.weights[0], closest.weights[1]), closest.weights[2]);
        if (inner * view->limited[limited].size > farInside * closest.distance)
        {
            candidates[(*count)++] = (Candidate){limited, closest};
            return 0;
        }
        bound = fmin(bound, closest.distance + samePlace);
    }
    double margin = bound + soft->way + soft->yield; // boxes are of the free surface
    palVec3 by = palMakeVec3(margin, margin, margin);
    int runs[pal_patchRunsMax];
    int runCount = palPatch_Near(view, palSub(x, by), palAdd(x, by), runs);
    int nearest = -1;
    for (int i = 0; i < runCount; i++)
        for (int j = runs[i] * pal_patchRun;
             j < (runs[i] + 1) * pal_patchRun && j < view->count && *count < candidatesMax; j++)
        {
            const int* v = soft->patch->faces[faceOf[j]].vertices;
            if (!isInBox(positions, v, x, bound))
                continue;
            palClosest closest =
                palClosestOnTriangle(x, positions[v[0]], positions[v[1]], positions[v[2]]);
            if (closest.distance > bound)
                continue;
            if (nearest < 0 || closest.distance < candidates[nearest].closest.distance)
                nearest = *count;
            bound = fmin(bound, closest.distance + samePlace);
            candidates[(*count)++] = (Candidate){j, closest};
        }
    return nearest;
}

// The normal of the surface at the closest place: the mean of the faces that contain it.
static palVec3 normalAt(const palToolSoft* soft, int part, const Candidate* candidates, int count,
                        int nearest)
{
    palVec3 normal = pal_zeroVec3;
    for (int i = 0; i < count; i++)
        if (candidates[i].closest.distance <= candidates[nearest].closest.distance + samePlace)
            normal = palAdd(normal, soft->views[part].planes[candidates[i].limited].n);
    return palNormalize(normal);
}

void palToolSoft_AddProbes(palToolSoft* soft, int point, palVec3 x)
{
    for (int p = 0; p < soft->patch->partCount && soft->probeCount < pal_toolProbesMax; p++)
    {
        Candidate candidates[candidatesMax];
        int count;
        int hint = soft->isNew || soft->patch->partCount > 1 ? -1 : soft->hints[point];
        int nearest = findCandidates(soft, p, soft->old, x, hint, candidates, &count);
        soft->hints[point] = -1;
        if (nearest < 0)
            continue;
        const palClosest* closest = &candidates[nearest].closest;
        palSoftProbe* probe = &soft->probes[soft->probeCount++];
        const palPatch* view = &soft->views[p];
        int face =
            soft->faceOf[(view->limited - soft->faces.limited) + candidates[nearest].limited];
        palSurfacePlace on =
            palMakeTrianglePlace(soft->patch->faces[face].vertices, closest->weights);
        *probe = (palSoftProbe){
            .point = point,
            .spot = {.isSoft = true, .part = p, .on = on},
            .clearance = closest->distance,
        };
        palVec3 n = normalAt(soft, p, candidates, count, nearest);
        palVec3 surface = palSurfacePlace_Point(&on, soft->base);
        probe->start = palAdd(x, palSub(surface, palSurfacePlace_Point(&on, soft->old)));
        double gap = palDot(n, palSub(probe->start, surface));
        if (gap >= soft->surfaceOffset || gap <= -soft->overtaken || soft->patch->parts[p].twoSided)
            continue;
        probe->start = palMulAdd(surface, soft->surfaceOffset, n);
        probe->clearance = 0.0;
    }
}

const palSoftProbe* palToolSoft_Probe(const palToolSoft* soft, int point, int part)
{
    for (int i = 0; i < soft->probeCount; i++)
        if (soft->probes[i].point == point && soft->probes[i].spot.part == part)
            return &soft->probes[i];
    return NULL;
}

int palToolSoft_Face(const palToolSoft* soft, int part, int triangle)
{
    const palPatch* view = &soft->views[part];
    for (int i = 0; i < view->count; i++)
        if (view->limited[i].triangle == triangle)
            return i;
    return -1;
}

bool palToolSoft_SticksOut(const palToolSoft* soft, int part, int vertex)
{
    const palPatch* view = &soft->views[part];
    const int* faceOf = soft->faceOf + (view->limited - soft->faces.limited);
    int faces[candidatesMax];
    int count = 0;
    palVec3 normal = pal_zeroVec3;
    for (int i = 0; i < view->count && count < candidatesMax; i++)
    {
        const int* v = soft->patch->faces[faceOf[i]].vertices;
        if (v[0] != vertex && v[1] != vertex && v[2] != vertex)
            continue;
        faces[count++] = faceOf[i];
        normal = palAdd(normal, view->planes[i].n);
    }
    for (int i = 0; i < 3 * count; i++)
    {
        palVec3 corner = soft->old[soft->patch->faces[faces[i / 3]].vertices[i % 3]];
        if (palDot(normal, palSub(corner, soft->old[vertex])) > 0.0)
            return false;
    }
    return count > 0;
}

double palToolSoft_Gap(const palToolSoft* soft, const palSoftProbe* probe, palVec3 x)
{
    Candidate candidates[candidatesMax];
    int count, part = probe->spot.part;
    int nearest = findCandidates(soft, part, soft->end, x, probe->face, candidates, &count);
    if (nearest < 0)
        return INFINITY;
    palVec3 n = normalAt(soft, part, candidates, count, nearest);
    double side = palDot(n, palSub(x, candidates[nearest].closest.point)) < 0.0 ? -1.0 : 1.0;
    return side * candidates[nearest].closest.distance;
}

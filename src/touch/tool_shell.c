// SPDX-License-Identifier: Apache-2.0
#include "touch/tool_shell.h"

#include "base/error.h"
#include "body/shell_points.h"

#include <stdlib.h>
#include <string.h>

static const double spacingShare = 0.05; // of the tool's size: default spacing of the points
static const double offsetShare = 1e-6;  // of the query radius: 20 nm at 20 mm
static const double facingShare = 0.02;  // of the query radius: faces around a point, besides the
                                         // way that it is likely to go
static const double leastReach = 0.25;   // of the reach: least one with too many features

enum
{
    placingsMax = 100, // pushes of the tool out of what it overlaps
};

palResult palToolShell_Init(palToolShell* shell, const palMethodDef* def, palSoftContact* contact,
                            palError* error)
{
    *shell = (palToolShell){
        .def = def,
        .tool = {.tool = def->tool, .body = palMethodDef_HandBody(def)},
        .surfaceOffset = offsetShare * def->radius,
    };
    if (def->tool == NULL)
    {
        palError_Set(error, pal_errorInput, "the method moves a tool, and there is none");
        return palError_Remedy(error, "give one, or use a method that touches with a point");
    }
    palBounds bounds = palSurface_Bounds(&def->tool->surface);
    double spacing = def->tool->spacing > 0.0 ? def->tool->spacing
                                              : spacingShare * palDistance(bounds.low, bounds.high);
    palResult result =
        palShellPoints_Make(&def->tool->surface, spacing, pal_shellPointsMax, &shell->points,
                            &shell->pointCount, &shell->cover, error);
    if (result == pal_ok)
        result = palShellFeatures_Init(&shell->features, def, shell->cover, error);
    if (result != pal_ok)
    {
        palToolShell_Free(shell);
        return result;
    }
    shell->slots = calloc((size_t)shell->pointCount + 1, sizeof *shell->slots);
    if (shell->slots == NULL)
        result = palError_Memory(error, "a point shell", sizeof *shell->slots);
    shell->places = calloc((size_t)shell->pointCount + 1, sizeof *shell->places);
    if (result == pal_ok && shell->places == NULL)
        result = palError_Memory(error, "a point shell", sizeof *shell->places);
    palRowsDef rows = {
        .rowCapacity = 3 * pal_shellContactsMax,
        .hasTool = true,
        .withSolver = true,
    };
    if (result == pal_ok)
        result = palRows_CreateFor(&rows, &shell->rows, error);
    if (result == pal_ok)
        shell->rows->settings.solver = pal_solverNewton;
    if (result == pal_ok)
        result = palToolSoft_Create(def, contact, shell->surfaceOffset, &shell->soft, error);
    shell->extent = shell->features.extent;
    if (result != pal_ok)
        palToolShell_Free(shell);
    return result;
}

void palToolShell_Free(palToolShell* shell)
{
    palRows_Destroy(shell->rows);
    palShellFeatures_Free(&shell->features);
    palToolSoft_Destroy(shell->soft);
    free(shell->places);
    free(shell->points);
    free(shell->slots);
    *shell = (palToolShell){0};
}

void palToolShell_Archive(palToolShell* shell, palArchive* archive)
{
    PAL_ARCHIVE(archive, shell->tool.state);
    PAL_ARCHIVE(archive, shell->contactCount);
    PAL_ARCHIVE_ARRAY(archive, shell->contacts, shell->contactCount);
    PAL_ARCHIVE_ARRAY(archive, shell->slots, shell->pointCount);
    PAL_ARCHIVE(archive, shell->sequence);
    PAL_ARCHIVE(archive, shell->travelled);
    PAL_ARCHIVE(archive, shell->lookAgain);
    PAL_ARCHIVE(archive, shell->give);
    PAL_ARCHIVE(archive, shell->damped);
    if (shell->soft != NULL)
        palToolSoft_Archive(shell->soft, archive);
}

void palShellView_Archive(palShellView* view, palArchive* archive)
{
    PAL_ARCHIVE(archive, view->pose);
    PAL_ARCHIVE(archive, view->reach);
    PAL_ARCHIVE(archive, view->count);
    PAL_ARCHIVE_ARRAY(archive, view->near, view->count);
    PAL_ARCHIVE_ARRAY(archive, view->facing, view->count);
    PAL_ARCHIVE(archive, view->features.count);
    PAL_ARCHIVE(archive, view->features.dropped);
    PAL_ARCHIVE_ARRAY(archive, view->features.near, view->features.count);
}

palVec3 palToolShell_Point(const palToolShell* shell, const palRigidState* state, int point)
{
    return palRigid_Point(&shell->tool.tool->model, state, shell->points[point]);
}

// Finds the deepest point of the tool inside a surface, or on it. Returns false where there is
// none.
static bool findDeepest(const palToolShell* shell, const palRigidState* state, palNearest* deepest)
{
    const palMethodDef* def = shell->def;
    deepest->gap = shell->surfaceOffset;
    for (int i = 0; i < shell->pointCount; i++)
    {
        palNearest nearest;
        if (palColliders_Nearest(def->colliders, palMethodDef_Surfaces(def),
                                 palToolShell_Point(shell, state, i), INFINITY, &nearest) &&
            nearest.gap < deepest->gap)
            *deepest = nearest;
    }
    return deepest->gap < shell->surfaceOffset;
}

// Pushes the tool out along the normal of its deepest point, repeatedly; where that does not
// converge, moves it outside the bounds of all objects.
void palToolShell_Place(palToolShell* shell, const palHandle* handle)
{
    palRigidState state = palRigid_AtHandle(&shell->tool.tool->model, handle);
    palNearest deepest = {0};
    for (int i = 0; i < placingsMax && findDeepest(shell, &state, &deepest); i++)
        state.x = palMulAdd(state.x, 10.0 * shell->surfaceOffset - deepest.gap, deepest.normal);
    if (findDeepest(shell, &state, &deepest))
    {
        double distance = shell->extent;
        for (int i = 0; i < palMethodDef_Surfaces(shell->def); i++)
        {
            palBounds bounds = palCollider_Bounds(&shell->def->colliders[i]);
            distance += palDistance(state.x, bounds.low) + palDistance(bounds.low, bounds.high);
        }
        state.x = palMulAdd(state.x, distance, deepest.normal);
    }
    shell->tool.state = state;
}

// ---------------------------------------------------------------------------------------------
// Low rate

// A rotation by θ moves a point at radius r by at most 2 r sin(θ/2).
double palToolShell_Apart(const palToolShell* shell, const palRigidState* a, const palRigidState* b)
{
    palQuat d = palMulQuat(a->q, palConjugate(b->q));
    double sine = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return palDistance(a->x, b->x) + 2.0 * fmin(sine, 1.0) * shell->extent;
}

// Shell sort with Ciura's gaps (2001): in place, without further memory.
static void sortByClearance(palNearPoint* near, int count)
{
    static const int gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++)
        for (int i = gaps[g]; i < count; i++)
        {
            palNearPoint moved = near[i];
            int k = i;
            for (; k >= gaps[g] && near[k - gaps[g]].clearance > moved.clearance; k -= gaps[g])
                near[k] = near[k - gaps[g]];
            near[k] = moved;
        }
}

// The distance from the tool to the nearest surface, m.
static double distanceToAll(const palToolShell* shell, const palRigidState* pose)
{
    const palMethodDef* def = shell->def;
    double least = INFINITY;
    for (int i = 0; i < shell->pointCount; i++)
    {
        palNearest nearest;
        if (palColliders_Nearest(def->colliders, palMethodDef_Surfaces(def),
                                 palToolShell_Point(shell, pose, i), least, &nearest))
            least = nearest.closest.distance;
    }
    return least;
}

double palToolShell_Clearance(const palToolShell* shell, const palRigidState* pose)
{
    // Between its points the tool may be closer to a surface than they are.
    return distanceToAll(shell, pose) - (shell->features.isNeeded ? shell->cover : 0.0);
}

void palToolShell_FindNear(const palToolShell* shell, const palRigidState* pose, double reach,
                           palShellView* view)
{
    const palMethodDef* def = shell->def;
    view->pose = *pose;
    view->reach = reach;
    view->count = 0;
    for (int i = 0; i < shell->pointCount; i++)
    {
        palVec3 at = palToolShell_Point(shell, pose, i);
        palNearest nearest;
        if (!palColliders_Nearest(def->colliders, palMethodDef_Surfaces(def), at, reach, &nearest))
            continue;
        const palCollider* collider = &def->colliders[nearest.object];
        palNearPoint* near = &view->near[view->count++];
        *near = (palNearPoint){
            .point = i,
            .at = at,
            .clearance = fmax(nearest.gap, 0.0),
            .plane = {nearest.normal, palDot(nearest.normal, nearest.closest.point),
                      collider->friction},
            .object = nearest.object,
            .spot.isSoft = palCollider_Yields(collider),
            .extent = {.place = nearest.closest.point, .gap = nearest.gap},
        };
        // By vertices of the surface; DescribeSoft replaces them by those of the patch.
        near->spot.on = palMakeTrianglePlace(collider->surface.triangles[nearest.closest.triangle],
                                             nearest.closest.weights);
    }
    sortByClearance(view->near, view->count);
    if (view->count == 0)
        view->reach = distanceToAll(shell, pose);
}

void palToolShell_FindFacing(const palToolShell* shell, double way, palShellView* view)
{
    const palMethodDef* def = shell->def;
    double reach = fmin(view->reach, way + facingShare * def->radius);
    for (int i = 0; i < view->count; i++)
    {
        const palNearPoint* near = &view->near[i];
        view->facing[i] = (palFacing){.reach = near->clearance};
        if (near->clearance < reach)
            palFacing_Find(&view->facing[i], def->colliders, palMethodDef_Surfaces(def), near->at,
                           reach);
    }
}

void palToolShell_AskSoft(palToolShell* shell, const palShellView* view)
{
    if (shell->soft == NULL)
        return;
    shell->places[0] = view->pose.x;
    for (int i = 0; i < view->count; i++)
        shell->places[i] = view->near[i].at;
    shell->soft->contact->side.near[shell->def->hand] = (palHandPlaces){
        .places = shell->places,
        .count = view->count > 0 ? view->count : 1,
        .radius = view->count > 0 ? view->reach : 0.0,
    };
}

void palToolShell_TakeSoft(const palToolShell* shell, const palSoftPatch* soft, palShellView* view)
{
    if (shell->soft == NULL)
        return;
    if (view->count > 0)
        view->reach = shell->soft->contact->side.near[shell->def->hand].radius;
    // Points over soft faces that are not in the patch have no half-space.
    int count = view->count;
    view->count = 0;
    for (int i = 0; i < count; i++)
    {
        palNearPoint* near = &view->near[view->count];
        *near = view->near[i];
        if (!near->spot.isSoft || palSoftSpot_Anchor(&near->spot, soft, near->object))
            view->count++;
    }
}

void palToolShell_FindFeatures(palToolShell* shell, double reach, const palSoftPatch* soft,
                               palShellView* view)
{
    double known =
        palShellFeatures_FindNear(&shell->features, &view->pose, reach, soft, &view->features);
    if (!shell->features.isNeeded)
        return;
    // Between its points the tool may be closer to a surface than they are.
    if (view->count == 0)
        view->reach = view->features.count > 0 ? reach : fmax(reach, view->reach - shell->cover);
    if (view->features.dropped > 0)
        view->reach = fmin(view->reach, fmax(known, leastReach * reach));
}

// ---------------------------------------------------------------------------------------------
// High rate

int palToolShell_FindPoint(const palToolShell* shell, const palShellView* view, int point)
{
    int slot = shell->slots[point];
    return slot < view->count && view->near[slot].point == point ? slot : -1;
}

void palToolShell_MoveFreely(palToolShell* shell, const palHandle* handle)
{
    palSteppedTool_Move(&shell->tool, shell->def->body.dt, handle);
    shell->end =
        palRigidStep_Integrate(&shell->tool.step, &shell->tool.tool->model, shell->tool.step.free);
    shell->sweeps = 0;
    shell->isPushed = false;
}

void palToolShell_Begin(palToolShell* shell, const palSnapshot* snapshot)
{
    if (shell->soft != NULL)
        palToolSoft_Begin(shell->soft, snapshot);
}

void palToolShell_FindProbes(palToolShell* shell, const palShellView* view, double reach)
{
    palToolSoft* soft = shell->soft;
    if (soft == NULL)
        return;
    int examined = palToolShell_Examined(shell, view);
    palVec3 low = palMakeVec3(INFINITY, INFINITY, INFINITY), high = palNeg(low);
    palToolSoft_Clear(soft);
    for (int i = 0; i < examined; i++)
    {
        palVec3 x = palToolShell_Point(shell, &shell->tool.state, view->near[i].point);
        low = palMinVec3(low, x);
        high = palMaxVec3(high, x);
    }
    palToolSoft_FindFaces(soft, low, high, reach, shell->def->settings.accurate.limits);
    for (int i = 0; i < examined; i++)
        palToolSoft_AddProbes(soft, view->near[i].point,
                              palToolShell_Point(shell, &shell->tool.state, view->near[i].point));
}

double palToolShell_Moved(const palToolShell* shell, const palRigidState* pose)
{
    double moved = fmax(palToolShell_Apart(shell, &shell->tool.state, pose),
                        palToolShell_Apart(shell, &shell->end, pose));
    moved += shell->soft != NULL ? shell->soft->moved + shell->soft->yield : 0.0;
    return moved + shell->surfaceOffset;
}

int palCountWithin(const double* clearance, size_t stride, int count, double distance)
{
    int low = 0, high = count;
    while (low < high)
    {
        int middle = (low + high) / 2;
        const double* there =
            (const double*)((const unsigned char*)clearance + (size_t)middle * stride);
        if (*there <= distance)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int palToolShell_Examined(const palToolShell* shell, const palShellView* view)
{
    return palCountWithin(&view->near[0].clearance, sizeof view->near[0], view->count,
                          palToolShell_Moved(shell, &view->pose));
}

// The first is the deepest; each next one has the largest product of depth and distance from those
// chosen.
void palPickCandidate(palShellCandidate* candidates, int count, int chosen)
{
    int best = chosen;
    double most = -1.0;
    for (int i = chosen; i < count; i++)
    {
        double apart = chosen > 0 ? INFINITY : 1.0;
        for (int k = 0; k < chosen; k++)
            apart = fmin(apart, palDistance(candidates[i].at, candidates[k].at));
        double score = candidates[i].depth * apart;
        if (score <= most)
            continue;
        most = score;
        best = i;
    }
    palShellCandidate moved = candidates[best];
    candidates[best] = candidates[chosen];
    candidates[chosen] = moved;
}

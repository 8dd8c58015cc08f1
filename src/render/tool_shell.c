// SPDX-License-Identifier: Apache-2.0
#include "render/tool_shell.h"

#include "base/error.h"
#include "body/shell_points.h"
#include "render/half_space.h"
#include "render/tool_crossings.h"

#include <stdlib.h>
#include <string.h>

static const double spacingShare = 0.05; // of the tool's size, where the scene says nothing
static const double offsetShare = 1e-6;  // of the query radius: 20 nm at 20 mm
static const double leastReach = 0.25;   // of the reach: it does not shrink more for features
static const double solvedShare = 0.1;   // of the surface offset: what a solve may leave

enum
{
    sweepsLeast = 60,   // that one solve is allowed,
    sweptRows = 1500,   // and so many rows besides: a single point in a crease needs a hundred
    correctionsMax = 3, // of ε in one solve
    placingsMax = 100,
};

palResult palToolShell_Init(palToolShell* shell, const palMethodDef* def, palError* error)
{
    *shell =
        (palToolShell){.def = def, .tool = def->tool, .surfaceOffset = offsetShare * def->radius};
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
    if (result == pal_ok)
        result = palSolveWorkspace_Create(pal_touchRowsMax, true, &shell->workspace, error);
    if (result == pal_ok)
        result = palToolSoft_Create(def, shell->surfaceOffset, &shell->soft, error);
    shell->extent = shell->features.extent;
    if (result != pal_ok)
        palToolShell_Free(shell);
    return result;
}

void palToolShell_Free(palToolShell* shell)
{
    palSolveWorkspace_Destroy(shell->workspace);
    palShellFeatures_Free(&shell->features);
    palToolSoft_Destroy(shell->soft);
    free(shell->places);
    free(shell->points);
    free(shell->slots);
    *shell = (palToolShell){0};
}

palVec3 palToolShell_Point(const palToolShell* shell, const palRigidState* state, int point)
{
    return palRigid_Point(&shell->tool->model, state, shell->points[point]);
}

// The deepest point of the tool inside a surface, or on it; false where none is.
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

// Puts the tool where the device is, or just outside of what is there: out along the normal of the
// deepest point, again and again; where that leads nowhere, past everything.
void palShellMethod_Place(palMethod* method, const palDeviceState* device, palPointState* body)
{
    palToolShell* shell = &((palShellMethod*)method)->shell;
    palHandle handle = palHandle_FromDevice(device);
    palRigidState state = palRigid_AtHandle(&shell->tool->model, &handle);
    palNearest deepest = {0};
    for (int i = 0; i < placingsMax && findDeepest(shell, &state, &deepest); i++)
        state.x = palMulAdd(state.x, 10.0 * shell->surfaceOffset - deepest.gap, deepest.normal);
    if (findDeepest(shell, &state, &deepest))
    {
        double far = shell->extent;
        for (int i = 0; i < palMethodDef_Surfaces(shell->def); i++)
        {
            palBounds bounds = palSurface_Bounds(&shell->def->colliders[i].surface);
            far += palDistance(state.x, bounds.low) + palDistance(bounds.low, bounds.high);
        }
        state.x = palMulAdd(state.x, far, deepest.normal);
    }
    shell->haptic = state;
    *body = palTool_GripPoint(shell->tool, &state);
}

void palShellMethod_WriteState(const palMethod* method, palHapticState* state)
{
    state->tool = ((const palShellMethod*)method)->shell.haptic;
}

palResult palShellMethod_Init(palMethod* method, palError* error)
{
    palToolShell* shell = &((palShellMethod*)method)->shell;
    method->reportCapacity = pal_touchesMax;
    method->problemRows = pal_touchRowsMax;
    palResult result = palToolShell_Init(shell, &method->def, error);
    if (result == pal_ok && shell->soft != NULL)
        method->world = palSoftContact_World(shell->soft->contact);
    return result;
}

palResult palShellMethod_AddView(const palMethod* method, palSnapshot* snapshot, palError* error)
{
    snapshot->shell = calloc(1, sizeof *snapshot->shell);
    if (snapshot->shell == NULL)
        return palError_Memory(error, "what is near a tool", sizeof *snapshot->shell);
    int softCount = palSoftSide_Count(&method->def);
    return palSnapshot_AddSoft(snapshot, softCount, error);
}

void palShellMethod_Advance(palMethod* method, palLowStep* step)
{
    const palToolShell* shell = &((palShellMethod*)method)->shell;
    if (shell->soft != NULL)
        palSoftContact_Advance(shell->soft->contact, step->hand);
}

void palShellMethod_MoveFreely(palMethod* method, palTick* tick)
{
    palShellMethod* tool = (palShellMethod*)method;
    palToolShell_Begin(&tool->shell, tick->snapshots[0], &tick->device);
}

void palShellMethod_Correct(palMethod* method, palTick* tick)
{
    palShellMethod* tool = (palShellMethod*)method;
    palToolShell_End(&tool->shell, tick->snapshots[0], &tick->device, tick->body, &tick->info);
}

bool palShellMethod_View(const palMethod* method, const palHapticState* hand, int index,
                         palToolView* view)
{
    const palTool* tool = method->def.tool;
    if (index > 0)
        return false;
    *view = (palToolView){.surface = &tool->surface, .orientation = pal_identityQuat};
    if (hand == NULL)
        return true;
    const palRigidState* state = &hand->tool;
    view->position = palRigid_Point(&tool->model, state, pal_zeroVec3);
    view->orientation = state->q;
    return true;
}

const palVec3* palShellMethod_Points(const palMethod* method, int* count)
{
    const palToolShell* shell = &((const palShellMethod*)method)->shell;
    *count = shell->pointCount;
    return shell->points;
}

// ---------------------------------------------------------------------------------------------
// Low rate

// A turn by θ moves a point at r by 2 r sin(θ/2) at most.
double palToolShell_Apart(const palToolShell* shell, const palRigidState* a, const palRigidState* b)
{
    palQuat turn = palMulQuat(a->q, palConjugate(b->q));
    double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    return palDistance(a->x, b->x) + 2.0 * fmin(sine, 1.0) * shell->extent;
}

// Shell sort with Ciura's gaps (2001): in place, and no memory of its own.
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
        palVec3 n = palHalfSpace_Normal(collider, &nearest);
        palNearPoint* near = &view->near[view->count++];
        *near = (palNearPoint){
            .point = i,
            .at = at,
            .clearance = fmax(nearest.gap, 0.0),
            .plane = {n, palDot(n, nearest.closest.point), collider->friction},
            .object = nearest.object,
            .spot.isSoft = palCollider_Yields(collider),
        };
        // By the surface's own names at first.
        for (int k = 0; k < 3; k++)
        {
            near->spot.vertices[k] = collider->surface.triangles[nearest.closest.triangle][k];
            near->spot.weights[k] = nearest.closest.weights[k];
        }
    }
    sortByClearance(view->near, view->count);
    if (view->count == 0)
        view->reach = distanceToAll(shell, pose);
}

void palToolShell_DescribeSoft(palToolShell* shell, palShellView* view, palSnapshot* snapshot,
                               palLowInfo* info)
{
    if (shell->soft == NULL)
        return;
    palSoftSide* side = &shell->soft->contact->side;
    shell->places[0] = view->pose.x;
    for (int i = 0; i < view->count; i++)
        shell->places[i] = view->near[i].at;
    int places = view->count > 0 ? view->count : 1;
    double known = palSoftSide_Describe(side, shell->places, places,
                                        view->count > 0 ? view->reach : 0.0, snapshot->soft);
    if (view->count > 0)
        view->reach = known;
    // Points over soft faces that are not described have no half-space.
    int count = view->count;
    view->count = 0;
    for (int i = 0; i < count; i++)
    {
        palNearPoint* near = &view->near[view->count];
        *near = view->near[i];
        palSoftSpot spot = near->spot;
        if (!spot.isSoft || palSoftSpot_Anchor(snapshot->soft, near->object, spot.vertices,
                                               spot.weights, &near->spot))
            view->count++;
    }
    palSoftSide_Tell(side, info);
}

void palToolShell_FindFeatures(palToolShell* shell, double reach, const palSnapshot* snapshot,
                               palShellView* view)
{
    double known = palShellFeatures_FindNear(&shell->features, &view->pose, reach, snapshot->soft,
                                             &view->features);
    if (!shell->features.isNeeded)
        return;
    // Between its points the tool may be nearer to something than they are.
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

// λ of a touch in the world.
static palVec3 forceOf(const palTouch* touch)
{
    palVec3 force = palScale(touch->force[0], touch->n);
    force = palMulAdd(force, touch->force[1], touch->t1);
    return palMulAdd(force, touch->force[2], touch->t2);
}

// The tangents of a normal, and the components of a force.
static void setForce(palTouch* touch, palVec3 force)
{
    palTangents(touch->n, &touch->t1, &touch->t2);
    touch->force[0] = fmax(0.0, palDot(touch->n, force));
    touch->force[1] = palDot(touch->t1, force);
    touch->force[2] = palDot(touch->t2, force);
}

static void drop(palToolShell* shell, int index)
{
    int last = --shell->contactCount;
    if (shell->contacts[index].spot.isSoft)
        palToolSoft_FreeSlot(shell->soft, shell->contacts[index].slot);
    shell->contacts[index] = shell->contacts[last];
    shell->touches[index] = shell->touches[last];
    shell->error[index] = shell->error[last];
}

// The contact has another normal; the force stays.
static void turnContact(palToolShell* shell, int index)
{
    palTouch* touch = &shell->touches[index];
    palVec3 force = forceOf(touch);
    touch->n = shell->contacts[index].plane.n;
    touch->onTool = shell->contacts[index].onTool;
    setForce(touch, force);
}

// A contact with a face of a soft surface where that is now: the face must still be near the point.
static bool followFace(palToolShell* shell, int index)
{
    palToolSoft* soft = shell->soft;
    palShellContact* contact = &shell->contacts[index];
    int part = palSoftPatch_Part(soft->patch, contact->object);
    const palSoftProbe* probe = part >= 0 ? palToolSoft_Probe(soft, contact->point, part) : NULL;
    int face = probe != NULL ? palToolSoft_Face(soft, part, contact->face.triangle) : -1;
    if (face < 0)
        return false;
    contact->face = soft->views[part].limited[face];
    contact->spot = probe->spot;
    double side = contact->face.twoSided && palLimited_Gap(&contact->face, probe->start) < 0.0;
    contact->plane.n = palScale(1.0 - 2.0 * side, contact->face.n);
    contact->plane.d = palDot(contact->plane.n, contact->face.c) + shell->surfaceOffset;
    palToolSoft_MoveSlot(soft, contact->slot, &contact->spot);
    turnContact(shell, index);
    return true;
}

// A half-space on a soft surface where that is now.
static void followSpot(palToolShell* shell, palShellContact* contact)
{
    for (int k = 0; k < 3; k++)
        palToolSoft_Use(shell->soft, contact->spot.part, contact->spot.vertices[k]);
    contact->plane.d = palDot(contact->plane.n, palSoftSpot_At(&contact->spot, shell->soft->base));
}

// The vertices of a soft feature in a new patch.
static bool followFeature(palShellContact* contact, const palFeatureView* view)
{
    for (int i = 0; i < view->count; i++)
        if (view->near[i].object == contact->object &&
            view->near[i].feature.id == contact->feature.id &&
            view->near[i].feature.isVertex == contact->feature.isVertex)
        {
            contact->soft = view->near[i].soft;
            contact->feature = view->near[i].feature;
            return true;
        }
    return false;
}

// Whether a contact of the last tick can go on: the point is still near, the closest points of
// two edges are still within both, the vertex is still on the face. Features are renewed.
static bool isStillThere(palToolShell* shell, const palShellView* view, bool isNew, int index)
{
    palShellContact* contact = &shell->contacts[index];
    bool isSoft = contact->spot.isSoft;
    switch (contact->kind)
    {
    case pal_shellPoint:
        if (isSoft && contact->face.cornerCount > 0)
            return followFace(shell, index);
        if (isSoft && !isNew)
            followSpot(shell, contact);
        return palToolShell_FindPoint(shell, view, contact->point) >= 0;
    case pal_shellPair:
        if (isSoft && !isNew)
            followSpot(shell, contact);
        return !isNew;
    default:
        break;
    }
    if (isSoft && isNew && !followFeature(contact, &view->features))
        return false;
    if (isSoft)
        palToolCrossings_Use(shell, &contact->soft);
    if (!palToolCrossings_Renew(shell, isSoft ? shell->soft->old : NULL, contact))
        return false;
    if (isSoft)
        palToolSoft_MoveSlot(shell->soft, contact->slot, &contact->spot);
    turnContact(shell, index);
    return true;
}

void palToolShell_Begin(palToolShell* shell, const palSnapshot* snapshot,
                        const palDeviceState* device)
{
    palHandle handle = palHandle_FromDevice(device);
    shell->step = palRigid_Free(&shell->tool->model, &shell->haptic, &handle, shell->def->body.dt);
    shell->end = palRigidStep_Integrate(&shell->step, &shell->tool->model, shell->step.free);
    shell->sweeps = 0;
    if (shell->soft == NULL)
        return;
    palToolSoft_Begin(shell->soft, snapshot, device->time);
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
        palVec3 x = palToolShell_Point(shell, &shell->haptic, view->near[i].point);
        low = palMinVec3(low, x);
        high = palMaxVec3(high, x);
    }
    palToolSoft_FindFaces(soft, low, high, reach, shell->def->settings.accurate.limits);
    for (int i = 0; i < examined; i++)
        palToolSoft_AddProbes(soft, view->near[i].point,
                              palToolShell_Point(shell, &shell->haptic, view->near[i].point));
}

void palToolShell_Keep(palToolShell* shell, const palSnapshot* snapshot)
{
    const palShellView* view = snapshot->shell;
    bool isNew = shell->sequence != snapshot->sequence;
    for (int i = 0; i < view->count && isNew; i++)
        shell->slots[view->near[i].point] = i;
    for (int i = 0; i < view->features.count && isNew; i++)
        shell->lookAgain[i] = 0.0;
    shell->sequence = snapshot->sequence;
    for (int i = shell->contactCount - 1; i >= 0; i--)
        if (!(shell->touches[i].force[0] > 0.0) || shell->contacts[i].transient ||
            !isStillThere(shell, view, isNew, i))
            drop(shell, i);
    for (int i = 0; i < shell->contactCount; i++)
        shell->error[i] = 0.0;
}

int palToolShell_Examined(const palToolShell* shell, const palShellView* view)
{
    double moved = fmax(palToolShell_Apart(shell, &shell->haptic, &view->pose),
                        palToolShell_Apart(shell, &shell->end, &view->pose));
    moved += shell->soft != NULL ? shell->soft->moved : 0.0;
    int low = 0, high = view->count;
    while (low < high)
    {
        int middle = (low + high) / 2;
        if (view->near[middle].clearance <= moved + shell->surfaceOffset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The deepest first, then the one with the largest product of depth and distance.
void palPickCandidate(palShellCandidate* candidates, int count, int chosen)
{
    int best = chosen;
    double most = -1.0;
    for (int i = chosen; i < count; i++)
    {
        double apart = chosen > 0 ? INFINITY : 1.0;
        for (int k = 0; k < chosen; k++)
            apart = fmin(apart, palDistance(candidates[i].at, candidates[k].at));
        double worth = candidates[i].depth * apart;
        if (worth <= most)
            continue;
        most = worth;
        best = i;
    }
    palShellCandidate moved = candidates[best];
    candidates[best] = candidates[chosen];
    candidates[chosen] = moved;
}

bool palToolShell_Add(palToolShell* shell, const palShellContact* contact, palVec3 force)
{
    // Room is made by a contact that does not push.
    for (int i = 0; i < shell->contactCount && shell->contactCount == pal_touchesMax; i++)
        if (!(shell->touches[i].force[0] > 0.0))
            drop(shell, i);
    if (shell->contactCount == pal_touchesMax)
        return false;
    int index = shell->contactCount++;
    palTouch* touch = &shell->touches[index];
    *touch = (palTouch){
        .object = contact->object,
        .onTool = contact->onTool,
        .n = contact->plane.n,
        .friction = contact->plane.friction,
    };
    setForce(touch, force);
    shell->contacts[index] = *contact;
    if (contact->spot.isSoft)
        shell->contacts[index].slot = palToolSoft_TakeSlot(shell->soft, &contact->spot);
    shell->error[index] = 0.0;
    return true;
}

static bool isOf(const palShellContact* contact, int point, int softPart)
{
    return contact->point == point && palShellContact_SoftPart(contact) == softPart;
}

void palToolShell_Remove(palToolShell* shell, int point, int softPart)
{
    for (int i = shell->contactCount - 1; i >= 0; i--)
        if (isOf(&shell->contacts[i], point, softPart))
            drop(shell, i);
}

palVec3 palToolShell_Force(const palToolShell* shell, int point, int softPart)
{
    palVec3 force = pal_zeroVec3;
    for (int i = 0; i < shell->contactCount; i++)
        if (isOf(&shell->contacts[i], point, softPart))
            force = palAdd(force, forceOf(&shell->touches[i]));
    return force;
}

const palVec3* palToolShell_BaseSurface(const palToolShell* shell)
{
    return shell->soft != NULL ? shell->soft->base : NULL;
}

const palVec3* palToolShell_EndSurface(const palToolShell* shell)
{
    return shell->soft != NULL ? shell->soft->end : NULL;
}

double palToolShell_Gap(const palToolShell* shell, const palRigidState* state,
                        const palVec3* surface, const palShellContact* contact)
{
    const palRigidModel* model = &shell->tool->model;
    if (contact->kind == pal_shellEdge || contact->kind == pal_shellVertex)
        return palToolCrossings_Gap(shell, state, surface, contact);
    palVec3 p = palRigid_Point(model, state, contact->onTool);
    if (contact->spot.isSoft)
        p = palSub(p, palToolSoft_Yield(shell->soft, &contact->spot, surface));
    return palDot(contact->plane.n, p) - contact->plane.d;
}

// The gap of a contact without contact forces, to first order in what they move the surface by, m.
static double freeGap(const palToolShell* shell, const palRigidState* state, int index)
{
    const palShellContact* contact = &shell->contacts[index];
    double gap = palToolShell_Gap(shell, state, palToolShell_BaseSurface(shell), contact);
    if (contact->spot.isSoft)
        gap -= palDot(contact->plane.n,
                      palToolSoft_Yield(shell->soft, &contact->spot, shell->soft->free));
    return gap;
}

void palToolShell_RemoveOpen(palToolShell* shell)
{
    palRigidState end = palRigidStep_Integrate(&shell->step, &shell->tool->model, shell->step.free);
    for (int i = shell->contactCount - 1; i >= 0; i--)
        if (freeGap(shell, &end, i) >= 0.0)
            drop(shell, i);
}

// Two planes that hold one point leave it one way, along their crease. The one that pushes more has
// friction in all directions, the other along that way only: more rows would say the same again,
// which solvers are slow to sort out.
static void turnTangents(palToolShell* shell, int contact)
{
    palTouch* touch = &shell->touches[contact];
    palVec3 force = forceOf(touch);
    palTangents(touch->n, &touch->t1, &touch->t2);
    touch->oneWay = false;
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palTouch* other = &shell->touches[i];
        bool comesFirst = other->force[0] > touch->force[0] ||
                          (other->force[0] == touch->force[0] && i < contact);
        palVec3 crease = palCross(touch->n, other->n);
        if (i == contact || shell->contacts[contact].point < 0 ||
            !isOf(&shell->contacts[i], shell->contacts[contact].point,
                  palShellContact_SoftPart(&shell->contacts[contact])) ||
            !comesFirst || !(palLengthSquared(crease) > 0.0))
            continue;
        touch->t1 = palNormalize(crease);
        touch->t2 = palCross(touch->n, touch->t1);
        touch->oneWay = true;
    }
    touch->force[1] = palDot(touch->t1, force);
    touch->force[2] = touch->oneWay ? 0.0 : palDot(touch->t2, force);
}

// The part of soft surfaces: what they give way by, and how they move along and, as far as dampers
// count it, across the rows within the tick.
static void addSoft(palToolShell* shell, double* velocity)
{
    const palTouchRows* rows = &shell->rows;
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palShellContact* contact = &shell->contacts[i];
        if (!contact->spot.isSoft)
            continue;
        palVec3 speed =
            palScale(1.0 / shell->step.h, palToolSoft_Step(shell->soft, &contact->spot));
        for (int r = rows->first[i]; r < rows->first[i + 1]; r++)
            velocity[r] -=
                (r == rows->first[i] ? shell->damped : 1.0) * palDot(rows->along[r], speed);
        for (int j = 0; j <= i; j++)
        {
            if (!shell->contacts[j].spot.isSoft)
                continue;
            const palMat3* W =
                palToolSoft_Cross(shell->soft, contact->slot, shell->contacts[j].slot);
            for (int b = rows->first[j]; b < rows->first[j + 1]; b++)
            {
                palVec3 moved = palMat3Apply(*W, rows->along[b]);
                for (int a = rows->first[i]; a < rows->first[i + 1]; a++)
                {
                    double w = palDot(rows->along[a], moved);
                    shell->W[a * pal_touchRowsMax + b] += w;
                    if (i != j)
                        shell->W[b * pal_touchRowsMax + a] += w;
                }
            }
        }
    }
}

// The rows, their compliance, and the laws.
static void prepare(palToolShell* shell, double* velocity)
{
    palTouchRows* rows = &shell->rows;
    for (int i = 0; i < shell->contactCount; i++)
        turnTangents(shell, i);
    palTouchRows_Fill(rows, shell->touches, shell->contactCount, false, &shell->tool->model,
                      &shell->haptic);
    for (int i = 0; i < rows->count; i++)
    {
        memset(shell->W + i * pal_touchRowsMax, 0, (size_t)rows->count * sizeof(double));
        velocity[i] = 0.0;
    }
    double h = shell->step.h;
    palTouchRows_AddTool(rows, &shell->step, h * h, shell->W, velocity);
    if (shell->soft != NULL)
        addSoft(shell, velocity);
    for (int i = 0; i < shell->contactCount; i++)
    {
        palTouch* touch = &shell->touches[i];
        int first = rows->first[i];
        int size = rows->first[i + 1] - first;
        shell->blocks[i] = (palContactBlock){
            .law = size > 1 ? pal_lawCone : pal_lawUnilateral,
            .row = first,
            .size = size,
            .mu = touch->friction,
        };
        touch->gap = freeGap(shell, &shell->haptic, i);
        shell->W[first * pal_touchRowsMax + first] += shell->give;
        for (int k = 0; k < size; k++)
            shell->lambda[first + k] = touch->force[k];
    }
}

static palContactProblem problemOf(const palToolShell* shell)
{
    return (palContactProblem){
        .rows = shell->rows.count,
        .blockCount = shell->rows.touchCount,
        .stride = pal_touchRowsMax,
        .W = shell->W,
        .gapFree = shell->gapFree,
        .blocks = shell->blocks,
    };
}

static void solveRows(palToolShell* shell, const double* velocity)
{
    const palTouchRows* rows = &shell->rows;
    double largest = shell->surfaceOffset;
    for (int r = 0; r < rows->count; r++)
    {
        int touch = rows->touchOf[r];
        shell->gapFree[r] = shell->step.h * velocity[r];
        if (rows->first[touch] == r)
            shell->gapFree[r] +=
                (1.0 - shell->damped) * shell->touches[touch].gap + shell->error[touch];
        largest = fmax(largest, fabs(shell->gapFree[r]));
    }
    palContactProblem problem = problemOf(shell);
    palSolveSettings settings = palDefaultSolveSettings();
    settings.tolerance = solvedShare * shell->surfaceOffset / largest;
    settings.solver = pal_solverNewton;
    settings.maxSweeps = sweepsLeast + sweptRows / (rows->count + 1);
    settings.warmStart = true;
    palContactProblem_Solve(&problem, &settings, shell->workspace, shell->lambda, &shell->solved);
    shell->sweeps += shell->solved.sweeps;
}

// ε at the end; returns by how much it changed, m.
static double correct(palToolShell* shell, palTwist u)
{
    double change = 0.0;
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palShellContact* contact = &shell->contacts[i];
        double linear = shell->touches[i].gap +
                        shell->step.h * palRowDot(shell->rows.J[shell->rows.first[i]], u);
        if (contact->spot.isSoft)
            linear -=
                palDot(shell->touches[i].n,
                       palSub(palToolSoft_Yield(shell->soft, &contact->spot, shell->soft->end),
                              palToolSoft_Yield(shell->soft, &contact->spot, shell->soft->free)));
        double error =
            palToolShell_Gap(shell, &shell->end, palToolShell_EndSurface(shell), contact) - linear;
        change = fmax(change, fabs(error - shell->error[i]));
        shell->error[i] = error;
    }
    return change;
}

// The forces of the last solve.
static void takeForces(palToolShell* shell)
{
    for (int i = 0; i < shell->contactCount; i++)
        for (int r = shell->rows.first[i]; r < shell->rows.first[i + 1]; r++)
            shell->touches[i].force[r - shell->rows.first[i]] = shell->lambda[r];
}

// Those on soft bodies.
static int collectForces(const palToolShell* shell, int* slots, palVec3* forces)
{
    int count = 0;
    for (int i = 0; i < shell->contactCount; i++)
    {
        if (!shell->contacts[i].spot.isSoft)
            continue;
        slots[count] = shell->contacts[i].slot;
        forces[count++] = palNeg(forceOf(&shell->touches[i]));
    }
    return count;
}

static void moveSurfaces(palToolShell* shell)
{
    int slots[pal_touchesMax];
    palVec3 forces[pal_touchesMax];
    if (shell->soft == NULL)
        return;
    int count = collectForces(shell, slots, forces);
    palToolSoft_Respond(shell->soft, count, slots, forces);
}

void palToolShell_Solve(palToolShell* shell)
{
    double velocity[pal_touchRowsMax];
    prepare(shell, velocity);
    for (int i = 0; i < correctionsMax; i++)
    {
        solveRows(shell, velocity);
        takeForces(shell);
        moveSurfaces(shell);
        palTwist u =
            palRigidStep_Correct(&shell->step, palTouchRows_Wrench(&shell->rows, shell->lambda));
        shell->end = palRigidStep_Integrate(&shell->step, &shell->tool->model, u);
        if (correct(shell, u) <= solvedShare * shell->surfaceOffset)
            break;
    }
}

palRigidState palToolShell_EndAt(const palToolShell* shell, double share)
{
    palWrench wrench = palTouchRows_Wrench(&shell->rows, shell->lambda);
    palTwist u = palRigidStep_Correct(&shell->step, wrench);
    u.v = palScale(share, u.v);
    u.omega = palScale(share, u.omega);
    return palRigidStep_Integrate(&shell->step, &shell->tool->model, u);
}

static void reportContacts(const palToolShell* shell, palHighInfo* info)
{
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palTouch* touch = &shell->touches[i];
        palVec3 p = palRigid_Point(&shell->tool->model, &shell->haptic, touch->onTool);
        palReportTouch(info, touch->object, palMethodDef_Surfaces(shell->def), p, touch->n,
                       touch->force[0], palNeg(forceOf(touch)));
    }
}

// The least gap of a point of the tool to a soft surface as it is now, m; NAN where none is near.
static double softGap(const palToolShell* shell)
{
    const palToolSoft* soft = shell->soft;
    double moved = palToolShell_Apart(shell, &shell->step.start, &shell->haptic);
    double least = NAN;
    for (int i = 0; soft != NULL && i < soft->probeCount; i++)
    {
        const palSoftProbe* probe = &soft->probes[i];
        if (probe->clearance - soft->way - soft->yield - moved >= least)
            continue;
        least =
            fmin(least, palToolSoft_Gap(soft, probe,
                                        palToolShell_Point(shell, &shell->haptic, probe->point)));
    }
    // Half-spaces have no probes: the points that they hold.
    for (int i = 0; soft != NULL && soft->probeCount == 0 && i < shell->contactCount; i++)
        if (shell->contacts[i].spot.isSoft)
            least =
                fmin(least, palToolSoft_PointGap(soft, &shell->contacts[i].spot,
                                                 palRigid_Point(&shell->tool->model, &shell->haptic,
                                                                shell->contacts[i].onTool)));
    return least;
}

void palToolShell_End(palToolShell* shell, const palSnapshot* snapshot,
                      const palDeviceState* device, palPointState* body, palHighInfo* info)
{
    const palRigidModel* model = &shell->tool->model;
    palHandle handle = palHandle_FromDevice(device);
    shell->travelled += palToolShell_Apart(shell, &shell->haptic, &shell->end);
    shell->haptic = shell->end;
    if (shell->soft != NULL)
    {
        int slots[pal_touchesMax];
        palVec3 forces[pal_touchesMax];
        int count = collectForces(shell, slots, forces);
        palToolSoft_End(shell->soft, snapshot, device->time, count, slots, forces);
        shell->travelled += shell->soft->way + shell->soft->yield;
    }
    palWrench hand = palRigid_HandWrench(model, &shell->haptic, &handle);
    *body = palTool_GripPoint(shell->tool, &shell->haptic);
    info->force = hand.force;
    info->torque = hand.torque;
    info->turn = shell->haptic.q;
    palContactProblem problem = problemOf(shell);
    palProblemCopy_Take(info->problem, &problem, shell->lambda);
    info->surfaceGap = fmin(palToolCrossings_Distance(shell), softGap(shell));
    info->active = shell->contactCount > 0 ? shell->solved.activeRows : 0;
    info->iterations = shell->sweeps;
    info->residual = shell->contactCount > 0 ? shell->solved.residual : 0.0;
    reportContacts(shell, info);
}

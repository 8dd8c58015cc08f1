// SPDX-License-Identifier: Apache-2.0
#include "render/tool_shell.h"

#include "base/error.h"
#include "body/shell_points.h"
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
    if (result == pal_ok)
        result = palSolveWorkspace_Create(pal_touchRowsMax, true, &shell->workspace, error);
    shell->extent = shell->features.extent;
    if (result != pal_ok)
        palToolShell_Free(shell);
    return result;
}

void palToolShell_Free(palToolShell* shell)
{
    palSolveWorkspace_Destroy(shell->workspace);
    palShellFeatures_Free(&shell->features);
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
        if (palColliders_Nearest(def->colliders, def->colliderCount,
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
        for (int i = 0; i < shell->def->colliderCount; i++)
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

palResult palShellMethod_AddView(palSnapshot* snapshot, palError* error)
{
    snapshot->shell = calloc(1, sizeof *snapshot->shell);
    return snapshot->shell != NULL
               ? pal_ok
               : palError_Memory(error, "what is near a tool", sizeof *snapshot->shell);
}

void palShellMethod_MoveFreely(palMethod* method, palTick* tick)
{
    palShellMethod* tool = (palShellMethod*)method;
    tool->handle = palHandle_FromDevice(&tick->device);
    palToolShell_Begin(&tool->shell, tick->snapshots[0], &tool->handle);
}

void palShellMethod_Correct(palMethod* method, palTick* tick)
{
    palShellMethod* tool = (palShellMethod*)method;
    palToolShell_End(&tool->shell, &tool->handle, tick->body, &tick->info);
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
        if (palColliders_Nearest(def->colliders, def->colliderCount,
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
        if (!palColliders_Nearest(def->colliders, def->colliderCount, at, reach, &nearest))
            continue;
        const palCollider* collider = &def->colliders[nearest.object];
        palVec3 n = nearest.normal;
        view->near[view->count++] = (palNearPoint){
            .point = i,
            .at = at,
            .clearance = fmax(nearest.gap, 0.0),
            .plane = {n, palDot(n, nearest.closest.point), collider->friction},
            .object = nearest.object,
        };
    }
    sortByClearance(view->near, view->count);
    if (view->count == 0)
        view->reach = distanceToAll(shell, pose);
}

void palToolShell_FindFeatures(palToolShell* shell, double reach, palShellView* view)
{
    double known = palShellFeatures_FindNear(&shell->features, &view->pose, reach, &view->features);
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
    shell->contacts[index] = shell->contacts[last];
    shell->touches[index] = shell->touches[last];
    shell->error[index] = shell->error[last];
}

// Whether a contact of the last tick can go on: the point is still near, the closest points of
// two edges are still within both, the vertex is still on the face. Features are renewed.
static bool isStillThere(palToolShell* shell, const palShellView* view, bool isNew, int index)
{
    palShellContact* contact = &shell->contacts[index];
    switch (contact->kind)
    {
    case pal_shellPoint:
        return palToolShell_FindPoint(shell, view, contact->point) >= 0;
    case pal_shellPair:
        return !isNew;
    default:
        break;
    }
    if (!palToolCrossings_Renew(shell, contact))
        return false;
    palTouch* touch = &shell->touches[index];
    palVec3 force = forceOf(touch);
    touch->n = contact->plane.n;
    touch->onTool = contact->onTool;
    setForce(touch, force);
    return true;
}

void palToolShell_Begin(palToolShell* shell, const palSnapshot* snapshot, const palHandle* handle)
{
    const palShellView* view = snapshot->shell;
    shell->step = palRigid_Free(&shell->tool->model, &shell->haptic, handle, shell->def->body.dt);
    shell->sweeps = 0;
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
    shell->error[index] = 0.0;
    return true;
}

void palToolShell_Remove(palToolShell* shell, int point)
{
    for (int i = shell->contactCount - 1; i >= 0; i--)
        if (shell->contacts[i].point == point)
            drop(shell, i);
}

palVec3 palToolShell_Force(const palToolShell* shell, int point)
{
    palVec3 force = pal_zeroVec3;
    for (int i = 0; i < shell->contactCount; i++)
        if (shell->contacts[i].point == point)
            force = palAdd(force, forceOf(&shell->touches[i]));
    return force;
}

double palToolShell_Gap(const palToolShell* shell, const palRigidState* state,
                        const palShellContact* contact)
{
    const palRigidModel* model = &shell->tool->model;
    if (contact->kind == pal_shellEdge || contact->kind == pal_shellVertex)
        return palToolCrossings_Gap(shell, state, contact);
    palVec3 p = palRigid_Point(model, state, contact->onTool);
    return palDot(contact->plane.n, p) - contact->plane.d;
}

void palToolShell_RemoveOpen(palToolShell* shell)
{
    palRigidState end = palRigidStep_Integrate(&shell->step, &shell->tool->model, shell->step.free);
    for (int i = shell->contactCount - 1; i >= 0; i--)
        if (palToolShell_Gap(shell, &end, &shell->contacts[i]) >= 0.0)
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
            shell->contacts[i].point != shell->contacts[contact].point || !comesFirst ||
            !(palLengthSquared(crease) > 0.0))
            continue;
        touch->t1 = palNormalize(crease);
        touch->t2 = palCross(touch->n, touch->t1);
        touch->oneWay = true;
    }
    touch->force[1] = palDot(touch->t1, force);
    touch->force[2] = touch->oneWay ? 0.0 : palDot(touch->t2, force);
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
        touch->gap = palToolShell_Gap(shell, &shell->haptic, &shell->contacts[i]);
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
        double linear = shell->touches[i].gap +
                        shell->step.h * palRowDot(shell->rows.J[shell->rows.first[i]], u);
        double error = palToolShell_Gap(shell, &shell->end, &shell->contacts[i]) - linear;
        change = fmax(change, fabs(error - shell->error[i]));
        shell->error[i] = error;
    }
    return change;
}

void palToolShell_Solve(palToolShell* shell)
{
    double velocity[pal_touchRowsMax];
    prepare(shell, velocity);
    for (int i = 0; i < correctionsMax; i++)
    {
        solveRows(shell, velocity);
        palTwist u =
            palRigidStep_Correct(&shell->step, palTouchRows_Wrench(&shell->rows, shell->lambda));
        shell->end = palRigidStep_Integrate(&shell->step, &shell->tool->model, u);
        if (correct(shell, u) <= solvedShare * shell->surfaceOffset)
            break;
    }
    for (int i = 0; i < shell->contactCount; i++)
        for (int r = shell->rows.first[i]; r < shell->rows.first[i + 1]; r++)
            shell->touches[i].force[r - shell->rows.first[i]] = shell->lambda[r];
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
        palReportTouch(info, touch->object, shell->def->colliderCount + shell->def->wireCount, p,
                       touch->n, touch->force[0], palNeg(forceOf(touch)));
    }
}

void palToolShell_End(palToolShell* shell, const palHandle* handle, palPointState* body,
                      palHighInfo* info)
{
    const palRigidModel* model = &shell->tool->model;
    shell->travelled += palToolShell_Apart(shell, &shell->haptic, &shell->end);
    shell->haptic = shell->end;
    palWrench hand = palRigid_HandWrench(model, &shell->haptic, handle);
    *body = palTool_GripPoint(shell->tool, &shell->haptic);
    info->force = hand.force;
    info->torque = hand.torque;
    info->turn = shell->haptic.q;
    palContactProblem problem = problemOf(shell);
    palProblemCopy_Take(info->problem, &problem, shell->lambda);
    info->surfaceGap = palToolCrossings_Distance(shell);
    info->active = shell->contactCount > 0 ? shell->solved.activeRows : 0;
    info->iterations = shell->sweeps;
    info->residual = shell->contactCount > 0 ? shell->solved.residual : 0.0;
    reportContacts(shell, info);
}

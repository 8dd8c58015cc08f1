// SPDX-License-Identifier: Apache-2.0
#include "render/tool_shell.h"

#include "base/error.h"
#include "body/shell_points.h"

#include <stdlib.h>
#include <string.h>

static const double spacingShare = 0.05; // of the tool's size, where the scene says nothing
static const double hairShare = 1e-6;    // of the query radius: 20 nm at 20 mm
static const double solvedShare = 0.1;   // of a hair: what a solve may leave

enum
{
    sweepsLeast = 60,   // that one solve is allowed,
    sweptRows = 1500,   // and so many rows besides: a single point in a crease needs a hundred
    correctionsMax = 3, // of ε in one solve
    placingsMax = 100,
};

palResult palToolShell_Init(palToolShell* shell, const palMethodDef* def, palError* error)
{
    *shell = (palToolShell){.def = def, .tool = def->tool, .hair = hairShare * def->radius};
    if (def->tool == NULL)
    {
        palError_Set(error, pal_errorInput, "the method moves a tool, and there is none");
        return palError_Remedy(error, "give one, or use a method that touches with a point");
    }
    palBounds bounds = palSurface_Bounds(&def->tool->surface);
    double spacing = def->toolSpacing > 0.0 ? def->toolSpacing
                                            : spacingShare * palDistance(bounds.low, bounds.high);
    palResult result = palShellPoints_Make(&def->tool->surface, spacing, pal_shellPointsMax,
                                           &shell->points, &shell->pointCount, error);
    if (result != pal_ok)
        return result;
    shell->slots = calloc((size_t)shell->pointCount + 1, sizeof *shell->slots);
    if (shell->slots == NULL)
        result = palError_Memory(error, "a point shell", sizeof *shell->slots);
    if (result == pal_ok)
        result = palSolveWorkspace_Create(pal_touchRowsMax, true, &shell->workspace, error);
    if (result != pal_ok)
        palToolShell_Free(shell);
    palVec3 centre = def->tool->model.def.mass.centre;
    for (int i = 0; i < shell->pointCount; i++)
        shell->extent = fmax(shell->extent, palDistance(shell->points[i], centre));
    return result;
}

void palToolShell_Free(palToolShell* shell)
{
    palSolveWorkspace_Destroy(shell->workspace);
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
    deepest->gap = shell->hair;
    for (int i = 0; i < shell->pointCount; i++)
    {
        palNearest nearest;
        if (palColliders_Nearest(def->colliders, def->colliderCount,
                                 palToolShell_Point(shell, state, i), INFINITY, &nearest) &&
            nearest.gap < deepest->gap)
            *deepest = nearest;
    }
    return deepest->gap < shell->hair;
}

// Puts the tool where the device is, or just outside of what is there: out along the normal of the
// deepest point, again and again; where that leads nowhere, past everything.
void palShellMethod_Place(palMethod* method, const palDeviceState* device, palPointState* body)
{
    palToolShell* shell = &((palShellMethod*)method)->shell;
    palHandle handle = palToolSide_DeviceHandle(device);
    palRigidState state = palRigid_AtHandle(&shell->tool->model, &handle);
    palNearest deepest = {0};
    for (int i = 0; i < placingsMax && findDeepest(shell, &state, &deepest); i++)
        state.x = palMulAdd(state.x, 10.0 * shell->hair - deepest.gap, deepest.normal);
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
    *body = palToolSide_Body(shell->tool, &state);
}

void palShellMethod_Tell(const palMethod* method, void* own)
{
    const palRigidState* haptic = &((const palShellMethod*)method)->shell.haptic;
    memcpy(own, haptic, sizeof *haptic);
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
    const palRigidState* state = hand->own;
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

// ---------------------------------------------------------------------------------------------
// High rate

int palToolShell_FindPoint(const palToolShell* shell, const palShellView* view, int point)
{
    int slot = shell->slots[point];
    return slot < view->count && view->near[slot].point == point ? slot : -1;
}

static void drop(palToolShell* shell, int index)
{
    int last = --shell->contactCount;
    shell->contacts[index] = shell->contacts[last];
    shell->touches[index] = shell->touches[last];
    shell->error[index] = shell->error[last];
}

void palToolShell_Begin(palToolShell* shell, const palSnapshot* snapshot, const palHandle* handle)
{
    const palShellView* view = snapshot->own;
    shell->step = palRigid_Free(&shell->tool->model, &shell->haptic, handle, shell->def->body.dt);
    shell->sweeps = 0;
    for (int i = 0; i < view->count && shell->sequence != snapshot->sequence; i++)
        shell->slots[view->near[i].point] = i;
    shell->sequence = snapshot->sequence;
    for (int i = shell->contactCount - 1; i >= 0; i--)
    {
        bool stays = shell->touches[i].force[0] > 0.0 && !shell->contacts[i].passing;
        if (!stays || palToolShell_FindPoint(shell, view, shell->contacts[i].point) < 0)
            drop(shell, i);
    }
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
        if (view->near[middle].clearance <= moved + shell->hair)
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
        .object = contact->face.object,
        .onTool = shell->points[contact->point],
        .n = contact->plane.n,
        .friction = contact->plane.friction,
    };
    palTangents(touch->n, &touch->t1, &touch->t2);
    touch->force[0] = fmax(0.0, palDot(touch->n, force));
    touch->force[1] = palDot(touch->t1, force);
    touch->force[2] = palDot(touch->t2, force);
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

// λ of a touch in the world.
static palVec3 forceOf(const palTouch* touch)
{
    palVec3 force = palScale(touch->force[0], touch->n);
    force = palMulAdd(force, touch->force[1], touch->t1);
    return palMulAdd(force, touch->force[2], touch->t2);
}

palVec3 palToolShell_Force(const palToolShell* shell, int point)
{
    palVec3 force = pal_zeroVec3;
    for (int i = 0; i < shell->contactCount; i++)
        if (shell->contacts[i].point == point)
            force = palAdd(force, forceOf(&shell->touches[i]));
    return force;
}

// The gap of a contact's plane with the tool somewhere, m.
static double gapAt(const palToolShell* shell, const palRigidState* state, int contact)
{
    const palPlane* plane = &shell->contacts[contact].plane;
    palVec3 p = palToolShell_Point(shell, state, shell->contacts[contact].point);
    return palDot(plane->n, p) - plane->d;
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
        if (i == contact || shell->contacts[i].point != shell->contacts[contact].point ||
            !comesFirst || !(palLengthSquared(crease) > 0.0))
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
        touch->gap = gapAt(shell, &shell->haptic, i);
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
    double largest = shell->hair;
    for (int r = 0; r < rows->count; r++)
    {
        int touch = rows->touchOf[r];
        shell->gapFree[r] = shell->step.h * velocity[r];
        if (rows->first[touch] == r)
            shell->gapFree[r] += shell->touches[touch].gap + shell->error[touch];
        largest = fmax(largest, fabs(shell->gapFree[r]));
    }
    palContactProblem problem = problemOf(shell);
    palSolveSettings settings = palDefaultSolveSettings();
    settings.tolerance = solvedShare * shell->hair / largest;
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
        double error = gapAt(shell, &shell->end, i) - linear;
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
        if (correct(shell, u) <= solvedShare * shell->hair)
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
        palVec3 p = palToolShell_Point(shell, &shell->haptic, shell->contacts[i].point);
        palReportTouch(info, touch->object, shell->def->colliderCount + shell->def->wireCount, p,
                       touch->n, touch->force[0], palNeg(forceOf(touch)));
    }
}

void palToolShell_End(palToolShell* shell, const palHandle* handle, palPointState* body,
                      palHighInfo* info)
{
    const palRigidModel* model = &shell->tool->model;
    shell->haptic = shell->end;
    palWrench hand = palRigid_HandWrench(model, &shell->haptic, handle);
    *body = palToolSide_Body(shell->tool, &shell->haptic);
    info->force = hand.force;
    info->torque = hand.torque;
    info->turn = shell->haptic.q;
    palContactProblem problem = problemOf(shell);
    palProblemCopy_Take(info->problem, &problem, shell->lambda);
    info->active = shell->contactCount > 0 ? shell->solved.activeRows : 0;
    info->iterations = shell->sweeps;
    info->residual = shell->contactCount > 0 ? shell->solved.residual : 0.0;
    reportContacts(shell, info);
}

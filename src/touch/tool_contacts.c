// SPDX-License-Identifier: Apache-2.0
// Contacts of a tool shell at the high rate: kept from tick to tick, as rows, and solved.
#include "touch/tool_crossings.h"

#include <string.h>

static const double solvedShare = 0.1; // of the surface offset: what a solve may leave
// What holds many points of one face against friction is not unique. This share of the compliance
// along a soft surface, times the number of contacts, is added to it: all together creep by that.
static const double rubShare = 4e-6;

enum
{
    sweepsLeast = 60,   // that one solve is allowed,
    sweptRows = 1500,   // and so many rows besides: a single point in a crease needs a hundred
    correctionsMax = 3, // of ε in one solve
};

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

// ---------------------------------------------------------------------------------------------
// Rows

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
        for (int r = rows->first[i] + 1; r < rows->first[i + 1]; r++)
            shell->W[r * pal_touchRowsMax + r] *= 1.0 + rubShare * shell->contactCount;
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
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palShellContact* contact = &shell->contacts[i];
        palToolCrossings_Use(shell, &contact->soft);
        for (int k = 0; k < 3 && contact->spot.isSoft; k++)
            palToolSoft_Use(shell->soft, contact->spot.part, contact->spot.vertices[k]);
    }
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
        palReportTouch(info, touch->object, shell->def->colliderCount + shell->def->wireCount, p,
                       touch->n, touch->force[0], palNeg(forceOf(touch)));
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

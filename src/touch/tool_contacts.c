// SPDX-License-Identifier: Apache-2.0
// Contacts of a tool shell at the high rate: their update from tick to tick, rows, and solution.
#include "touch/tool_crossings.h"

#include <string.h>

static const double solvedShare = 0.1; // of the surface offset: tolerance of a solve
// Friction forces on many points of one face are not unique. This share of the tangential
// compliance of a soft surface, times the number of contacts, is added to it, by which they creep.
static const double frictionRegularisation = 4e-6;

enum
{
    sweepsLeast = 60,   // sweeps of one solve at least; besides them
    sweptRows = 1500,   // row updates: a single point in a crease needs a hundred sweeps
    correctionsMax = 3, // of ε in one solve
};

// The force on the tool.
static palVec3 forceOf(const palShellContact* contact)
{
    return palLink_Force(&contact->link, contact->link.lambda);
}

// Sets the axes of the link from the plane, and λ from a force on the tool.
static void setForce(palShellContact* contact, palVec3 force)
{
    palLink* link = &contact->link;
    link->axes[0] = contact->plane.n;
    palTangents(link->axes[0], &link->axes[1], &link->axes[2]);
    link->oneWay = false;
    link->lambda[0] = fmax(0.0, palDot(link->axes[0], force));
    link->lambda[1] = palDot(link->axes[1], force);
    link->lambda[2] = palDot(link->axes[2], force);
}

// Removes a contact; the last one takes its index.
static void drop(palToolShell* shell, int index)
{
    int last = --shell->contactCount;
    if (shell->contacts[index].spot.isSoft)
        palToolSoft_FreeSlot(shell->soft, shell->contacts[index].slot);
    shell->contacts[index] = shell->contacts[last];
}

// Updates a contact with a face of a soft surface to its present position. Returns false where the
// face is no longer near the point.
static bool followFace(palToolShell* shell, int index)
{
    palToolSoft* soft = shell->soft;
    palShellContact* contact = &shell->contacts[index];
    int part = palSoftPatch_Part(soft->patch, contact->link.ends[1].body, -1);
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
    setForce(contact, forceOf(contact));
    return true;
}

// Updates a half-space on a soft surface to its present position.
static void followSpot(palToolShell* shell, palShellContact* contact)
{
    palToolSoft_UseSpot(shell->soft, &contact->spot);
    contact->plane.d =
        palDot(contact->plane.n, palSurfacePlace_Point(&contact->spot.on, shell->soft->base));
}

// Finds a soft feature in a new patch. Returns false where it is not there.
static bool followFeature(palShellContact* contact, const palFeatureView* view)
{
    for (int i = 0; i < view->count; i++)
        if (view->near[i].object == contact->link.ends[1].body &&
            view->near[i].feature.id == contact->feature.id &&
            view->near[i].feature.isVertex == contact->feature.isVertex)
        {
            contact->soft = view->near[i].soft;
            contact->feature = view->near[i].feature;
            return true;
        }
    return false;
}

// Updates a contact of the last tick. Returns whether it is still valid: the point is near, the
// closest points of two edges are within both, the vertex is over the face.
static bool update(palToolShell* shell, const palShellView* view, bool isNew, int index)
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
    setForce(contact, forceOf(contact));
    return true;
}

void palToolShell_Keep(palToolShell* shell, const palHandSnapshot* snapshot)
{
    const palShellView* view = snapshot->shell;
    bool isNew = shell->sequence != snapshot->whole->sequence;
    for (int i = 0; i < view->count && isNew; i++)
        shell->slots[view->near[i].point] = i;
    for (int i = 0; i < view->features.count && isNew; i++)
        shell->lookAgain[i] = 0.0;
    shell->sequence = snapshot->whole->sequence;
    for (int i = shell->contactCount - 1; i >= 0; i--)
        if (!(shell->contacts[i].link.lambda[0] > 0.0) || shell->contacts[i].transient ||
            !update(shell, view, isNew, i))
            drop(shell, i);
    for (int i = 0; i < shell->contactCount; i++)
        shell->contacts[i].error = 0.0;
}

bool palToolShell_Add(palToolShell* shell, const palShellContact* contact, palVec3 force)
{
    // When full, drop contacts with zero force.
    for (int i = 0; i < shell->contactCount && shell->contactCount == pal_shellContactsMax; i++)
        if (!(shell->contacts[i].link.lambda[0] > 0.0))
            drop(shell, i);
    if (shell->contactCount == pal_shellContactsMax)
        return false;
    int index = shell->contactCount++;
    palShellContact* added = &shell->contacts[index];
    *added = *contact;
    added->link.kind = pal_linkContact;
    added->link.ends[0].kind = pal_placeRigid;
    added->link.ends[0].body = shell->tool.body;
    added->link.ends[1].kind = contact->spot.isSoft ? pal_placeSurface : pal_placeFixed;
    added->link.friction = contact->plane.friction;
    setForce(added, force);
    if (contact->spot.isSoft)
        added->slot = palToolSoft_TakeSlot(shell->soft, &contact->spot);
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
            force = palAdd(force, forceOf(&shell->contacts[i]));
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
    const palRigidModel* model = &shell->tool.tool->model;
    if (contact->kind == pal_shellEdge || contact->kind == pal_shellVertex)
        return palToolCrossings_Gap(shell, state, surface, contact);
    palVec3 p = palRigid_Point(model, state, contact->link.ends[0].local);
    if (contact->spot.isSoft)
        p = palSub(p, palToolSoft_Yield(shell->soft, &contact->spot, surface));
    return palDot(contact->plane.n, p) - contact->plane.d;
}

// The gap of a contact without contact forces, m, to first order in the displacement of the
// surface.
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
    palRigidState end =
        palRigidStep_Integrate(&shell->tool.step, &shell->tool.tool->model, shell->tool.step.free);
    for (int i = shell->contactCount - 1; i >= 0; i--)
        if (freeGap(shell, &end, i) >= 0.0)
            drop(shell, i);
}

// ---------------------------------------------------------------------------------------------
// Rows

// Two planes on one point leave it one direction, along their crease. The plane with the larger
// force has friction in all directions, the other along the crease only: further rows would be
// redundant, and slow convergence.
static void alignTangents(palToolShell* shell, int index)
{
    palShellContact* contact = &shell->contacts[index];
    palLink* link = &contact->link;
    palVec3 force = forceOf(contact);
    palTangents(link->axes[0], &link->axes[1], &link->axes[2]);
    link->oneWay = false;
    for (int i = 0; i < shell->contactCount && contact->point >= 0; i++)
    {
        const palLink* other = &shell->contacts[i].link;
        bool comesFirst = other->lambda[0] > link->lambda[0] ||
                          (other->lambda[0] == link->lambda[0] && i < index);
        palVec3 crease = palCross(link->axes[0], other->axes[0]);
        if (i == index || !comesFirst ||
            !isOf(&shell->contacts[i], contact->point, palShellContact_SoftPart(contact)) ||
            !(palLengthSquared(crease) > 0.0))
            continue;
        link->axes[1] = palNormalize(crease);
        link->axes[2] = palCross(link->axes[0], link->axes[1]);
        link->oneWay = true;
    }
    link->lambda[1] = palDot(link->axes[1], force);
    link->lambda[2] = palDot(link->axes[2], force);
}

// Adds soft surfaces to the rows: their compliance, and their free motion within the tick, along
// the tangents and, for dampers, along the normal.
static void addSoft(palToolShell* shell)
{
    palRows* rows = shell->rows;
    size_t stride = (size_t)rows->stride;
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palShellContact* contact = &shell->contacts[i];
        const palLink* link = &contact->link;
        int first = rows->first[i], count = palLink_Rows(link);
        if (!contact->spot.isSoft)
            continue;
        palVec3 step = palToolSoft_Step(shell->soft, &contact->spot);
        rows->gap[first] -=
            palDot(link->axes[0], palMulAdd(link->ends[1].local, shell->damped, step));
        for (int k = 1; k < count; k++)
            rows->gap[first + k] -= palDot(link->axes[k], step);
        for (int j = 0; j <= i; j++)
        {
            const palShellContact* other = &shell->contacts[j];
            if (!other->spot.isSoft)
                continue;
            const palMat3* W = palToolSoft_Cross(shell->soft, contact->slot, other->slot);
            int others = palLink_Rows(&other->link);
            for (int b = 0; b < others; b++)
            {
                palVec3 moved = palMat3Apply(*W, other->link.axes[b]);
                for (int a = 0; a < count; a++)
                {
                    size_t row = (size_t)(first + a), column = (size_t)(rows->first[j] + b);
                    double w = palDot(link->axes[a], moved);
                    rows->W[row * stride + column] += w;
                    if (i != j)
                        rows->W[column * stride + row] += w;
                }
            }
        }
        for (size_t r = (size_t)first + 1; r < (size_t)(first + count); r++)
            rows->W[r * stride + r] *= 1.0 + frictionRegularisation * shell->contactCount;
    }
}

// The rows of the contacts. The place on the object is that on the tool, projected along the
// normal.
static void addContacts(palToolShell* shell)
{
    palRows* rows = shell->rows;
    palRows_Begin(rows);
    for (int i = 0; i < shell->contactCount; i++)
    {
        palLink* link = &shell->contacts[i].link;
        alignTangents(shell, i);
        palVec3 p =
            palRigid_Point(&shell->tool.tool->model, &shell->tool.state, link->ends[0].local);
        link->gap = freeGap(shell, &shell->tool.state, i);
        link->ends[1].local = palMulAdd(p, -link->gap, link->axes[0]);
        palRows_Add(rows, link, 0);
        memcpy(rows->lambda + rows->first[i], link->lambda,
               (size_t)palLink_Rows(link) * sizeof *link->lambda);
    }
}

// The spring of the surface: the normal forces of all contacts together compress it.
static void addSpring(palToolShell* shell)
{
    palRows* rows = shell->rows;
    for (int i = 0; i < shell->contactCount; i++)
        for (int j = 0; j < shell->contactCount; j++)
            rows->W[rows->first[i] * rows->stride + rows->first[j]] +=
                shell->give *
                palDot(shell->contacts[i].link.axes[0], shell->contacts[j].link.axes[0]);
}

// All rows, and δ of the normal ones without ε.
static void prepare(palToolShell* shell, double* gaps)
{
    palRows* rows = shell->rows;
    addContacts(shell);
    palRows_TakeAll(rows);
    palRows_AddTool(rows, &shell->tool);
    palRows_AddCompliance(rows, NULL, 0);
    if (shell->soft != NULL)
        addSoft(shell);
    for (int i = 0; i < shell->contactCount; i++)
        gaps[i] = rows->gap[rows->first[i]] - shell->damped * shell->contacts[i].link.gap;
    if (shell->give > 0.0)
        addSpring(shell);
}

static void solveRows(palToolShell* shell, const double* gaps)
{
    palRows* rows = shell->rows;
    for (int i = 0; i < shell->contactCount; i++)
        rows->gap[rows->first[i]] = gaps[i] + shell->contacts[i].error;
    rows->settings.tolerance = 0.0;
    rows->settings.accuracy = solvedShare * shell->surfaceOffset;
    rows->settings.maxSweeps = sweepsLeast + sweptRows / (rows->count + 1);
    palRows_Solve(rows);
    shell->sweeps += rows->info.sweeps;
    for (int i = 0; i < shell->contactCount; i++)
        memcpy(shell->contacts[i].link.lambda, rows->lambda + rows->first[i],
               (size_t)palLink_Rows(&shell->contacts[i].link) * sizeof *rows->lambda);
}

// Updates ε. Returns its largest change, m.
static double correct(palToolShell* shell, palTwist u)
{
    double change = 0.0;
    for (int i = 0; i < shell->contactCount; i++)
    {
        palShellContact* contact = &shell->contacts[i];
        int row = shell->rows->first[i]; // also the index in toolRows: every link is on the tool
        double linear =
            contact->link.gap + shell->tool.step.h * palRowDot(shell->rows->toolRows[row], u);
        if (contact->spot.isSoft)
            linear -=
                palDot(contact->link.axes[0],
                       palSub(palToolSoft_Yield(shell->soft, &contact->spot, shell->soft->end),
                              palToolSoft_Yield(shell->soft, &contact->spot, shell->soft->free)));
        double error =
            palToolShell_Gap(shell, &shell->end, palToolShell_EndSurface(shell), contact) - linear;
        change = fmax(change, fabs(error - contact->error));
        contact->error = error;
    }
    return change;
}

// The forces on soft bodies, by slot. Returns how many there are.
static int collectForces(const palToolShell* shell, int* slots, palVec3* forces)
{
    int count = 0;
    for (int i = 0; i < shell->contactCount; i++)
    {
        if (!shell->contacts[i].spot.isSoft)
            continue;
        slots[count] = shell->contacts[i].slot;
        forces[count++] = palNeg(forceOf(&shell->contacts[i]));
    }
    return count;
}

// Moves the soft surfaces to where the present forces put them.
static void moveSurfaces(palToolShell* shell)
{
    int slots[pal_shellContactsMax];
    palVec3 forces[pal_shellContactsMax];
    if (shell->soft == NULL)
        return;
    for (int i = 0; i < shell->contactCount; i++)
    {
        palToolCrossings_Use(shell, &shell->contacts[i].soft);
        palToolSoft_UseSpot(shell->soft, &shell->contacts[i].spot);
    }
    int count = collectForces(shell, slots, forces);
    palToolSoft_Respond(shell->soft, count, slots, forces);
}

void palToolShell_Solve(palToolShell* shell)
{
    double gaps[pal_shellContactsMax];
    prepare(shell, gaps);
    for (int i = 0; i < correctionsMax; i++)
    {
        solveRows(shell, gaps);
        moveSurfaces(shell);
        palTwist u = palRigidStep_Correct(&shell->tool.step,
                                          palRows_ToolWrench(shell->rows, shell->tool.body));
        shell->end = palRigidStep_Integrate(&shell->tool.step, &shell->tool.tool->model, u);
        if (correct(shell, u) <= solvedShare * shell->surfaceOffset)
            break;
    }
}

palRigidState palToolShell_EndAt(const palToolShell* shell, double share)
{
    palTwist u =
        palRigidStep_Correct(&shell->tool.step, palRows_ToolWrench(shell->rows, shell->tool.body));
    u.v = palScale(share, u.v);
    u.omega = palScale(share, u.omega);
    return palRigidStep_Integrate(&shell->tool.step, &shell->tool.tool->model, u);
}

// ---------------------------------------------------------------------------------------------
// Rigid bodies that move

palRigidStep palToolShell_Motion(const palToolShell* shell)
{
    palRigidStep step = shell->tool.step;
    step.start = shell->tool.state;
    return step;
}

void palToolShell_PushFrom(palToolShell* shell, palWrench wrench)
{
    palRigidStep* step = &shell->tool.step;
    if (!shell->isPushed)
        shell->alone = step->free;
    shell->isPushed = true;
    step->free = shell->alone;
    step->free = palRigidStep_Correct(step, wrench);
    shell->end = palRigidStep_Integrate(step, &shell->tool.tool->model, step->free);
}

palPileStop palToolShell_Stop(const palToolShell* shell, int index)
{
    const palShellContact* contact = &shell->contacts[index];
    const palLink* link = &contact->link;
    palPileStop stop = {
        .point = palRigid_Point(&shell->tool.tool->model, &shell->tool.state, link->ends[0].local),
        .gap = contact->error + palToolShell_Gap(shell, &shell->tool.state,
                                                 palToolShell_BaseSurface(shell), contact),
        .friction = link->friction,
        .softness = shell->give,
    };
    stop.gap *= 1.0 - shell->damped;
    memcpy(stop.axes, link->axes, sizeof stop.axes);
    memcpy(stop.lambda, link->lambda, sizeof stop.lambda);
    return stop;
}

// ---------------------------------------------------------------------------------------------
// The end of the tick

static void reportContacts(const palToolShell* shell, palHighInfo* info)
{
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palLink* link = &shell->contacts[i].link;
        palContactForce contact = palLink_Report(link, link->lambda);
        contact.hand = shell->def->hand;
        contact.point =
            palRigid_Point(&shell->tool.tool->model, &shell->tool.state, link->ends[0].local);
        if (link->lambda[0] > 0.0)
            palContactReport_Add(info->contacts, &contact);
    }
}

// The smallest signed distance of a point of the tool from a soft surface after the tick, m; NAN
// where none is near.
static double softGap(const palToolShell* shell)
{
    const palToolSoft* soft = shell->soft;
    double moved = palToolShell_Apart(shell, &shell->tool.step.start, &shell->tool.state);
    double least = NAN;
    for (int i = 0; soft != NULL && i < soft->probeCount; i++)
    {
        const palSoftProbe* probe = &soft->probes[i];
        if (probe->clearance - soft->way - soft->yield - moved >= least)
            continue;
        least = fmin(least,
                     palToolSoft_Gap(soft, probe,
                                     palToolShell_Point(shell, &shell->tool.state, probe->point)));
    }
    // With half-spaces there are no probes: use the points in contact.
    for (int i = 0; soft != NULL && soft->probeCount == 0 && i < shell->contactCount; i++)
        if (shell->contacts[i].spot.isSoft)
            least = fmin(least, palToolSoft_PointGap(
                                    soft, &shell->contacts[i].spot,
                                    palRigid_Point(&shell->tool.tool->model, &shell->tool.state,
                                                   shell->contacts[i].link.ends[0].local)));
    return least;
}

void palToolShell_Push(palToolShell* shell)
{
    int slots[pal_shellContactsMax];
    palVec3 forces[pal_shellContactsMax];
    if (shell->soft == NULL)
        return;
    int count = collectForces(shell, slots, forces);
    palToolSoft_Push(shell->soft, count, slots, forces);
}

void palToolShell_End(palToolShell* shell, const palHandle* handle, palPointState* body,
                      palHighInfo* info)
{
    shell->travelled += palToolShell_Apart(shell, &shell->tool.state, &shell->end);
    shell->tool.state = shell->end;
    if (shell->soft != NULL)
        shell->travelled += shell->soft->way + shell->soft->yield;
    palTool_HandForce(shell->tool.tool, &shell->tool.state, handle, body, info);
    palContactProblem problem = palRows_Problem(shell->rows);
    palProblemCopy_Take(info->problem, &problem, shell->rows->lambda);
    info->surfaceGap = fmin(palToolCrossings_Distance(shell), softGap(shell));
    info->active = shell->contactCount > 0 ? shell->rows->info.activeRows : 0;
    info->iterations = shell->sweeps;
    info->residual = shell->contactCount > 0 ? shell->rows->info.residual : 0.0;
    reportContacts(shell, info);
}

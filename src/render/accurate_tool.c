// SPDX-License-Identifier: Apache-2.0
// `accurate` where the hand holds a tool: contact of its points that stays right between updates.
//
// Knott and Kuhlen 2015 describe their method for one point and name point shells as its extension
// (section 3.3). Here every point of the tool's shell (tool_shell.h) is such a point.
//
// Low rate: the limited constraints of all triangles within reach of any point, where the points
// will be in the middle of the snapshot's life, and how far each point is from them. As far as the
// reach, in every direction, each point knows its surroundings; where that is more than a patch
// holds the reach shrinks. The outer trust region of section 3.5 is that no point goes farther.
//
// High rate: passes. The rows of all planes are solved together; then each point on its own is
// swept from where it was to where it would be. One that crosses a face, or that is held by the
// plane of a face that it has left, is walked (walk.h): with its own compliance, and with the
// forces on all other points as they are. The planes that the walk ends on are that point's planes
// in the next pass: convex sets, creases and corners are the walk's to decide, as for a single
// point. When the passes are used up and a point still crosses, the tool makes only a part of its
// way.
//
// No point ever ends inside: the last sweep says so.
#include "base/clock.h"
#include "base/error.h"
#include "render/tool_shell.h"
#include "render/walk.h"

#include <stdlib.h>
#include <string.h>

static const double leadShare = 0.75;   // of the reach: the described pose is at most so far ahead
static const double walkUnits = 10.0;   // of a walk in query radii: it lifts planes by our hair
static const double rigidDepth = 1e-5;  // d of eq. (7) as a share of a walk's unit
static const double growth = 1.3;       // of the reach from one step to the next, at most
static const double settledShare = 0.5; // of a hair: a point is where its walk ends
static const double samePlane = 1e-9;   // between the normals of coplanar faces
static const double grazed = 20.0;      // hairs: so little inside is what solves leave
static const double beyond = 2.0;       // hairs: a point has left a face

enum
{
    passesMax = 12,
    walksMax = 256,  // of a tick
    addedAtOnce = 4, // points that get planes in one pass
    shrinkingsMax = 40,
    halvingsMax = 8,
};

typedef struct palAccurateTool
{
    palMethod method;
    palToolShell shell;

    // Low rate.
    double reach;                     // m, of the last step
    int found[pal_patchFacesMax];     // triangles of a query
    int* stamps[pal_collidersMax];    // owned, [triangles]: the query that met each last
    int query;                        // of this number
    int objects[pal_patchFacesMax];   // the triangles to describe: of which collider
    int triangles[pal_patchFacesMax]; // and which

    // High rate: a tick under way.
    int walks;
    palShellCandidate candidates[pal_shellNearMax];
} palAccurateTool;

static void release(palMethod* method)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    palToolShell_Free(&accurate->shell);
    for (int i = 0; i < method->def.colliderCount; i++)
        free(accurate->stamps[i]);
}

static palResult init(palMethod* method, palError* error)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    accurate->reach = method->def.radius;
    palResult result = palToolShell_Init(&accurate->shell, &method->def, error);
    for (int i = 0; i < method->def.colliderCount && result == pal_ok; i++)
    {
        size_t count = (size_t)method->def.colliders[i].surface.triangleCount + 1;
        accurate->stamps[i] = calloc(count, sizeof *accurate->stamps[i]);
        if (accurate->stamps[i] == NULL)
            result = palError_Memory(error, "the marks of triangles", count * sizeof(int));
    }
    return result;
}

static void place(palMethod* method, const palDeviceState* device, palPointState* body)
{
    palToolShell_Place(&((palAccurateTool*)method)->shell, device, body);
}

static void tell(const palMethod* method, void* own)
{
    const palRigidState* haptic = &((const palAccurateTool*)method)->shell.haptic;
    memcpy(own, haptic, sizeof *haptic);
}

// ---------------------------------------------------------------------------------------------
// Low rate

// Where the tool will be in the middle of the life of the snapshot that is being made: it goes on
// as it moves, or, held by the present one, after the device. At most leadShare of the reach ahead,
// so that the described region holds the tool as it is too.
static palRigidState predictPose(const palAccurateTool* accurate, const palHapticState* hand,
                                 double reach)
{
    const palMethodDef* def = &accurate->method.def;
    const palRigidModel* model = &def->tool->model;
    double middle = def->latency + 0.5 * def->lowDt;
    const palRigidState* now = hand->own;
    palVec3 spin = hand->held ? hand->deviceSpin : palRigid_Omega(model, now);
    palQuat turn = palMakeQuatRotationVector(palScale(middle, spin));
    palRigidState ahead = *now;
    if (hand->held)
    {
        palHandle handle = palToolSide_Handle(hand);
        handle.x = palMulAdd(handle.x, middle, handle.v);
        handle.q = palMulQuat(turn, handle.q);
        ahead = palRigid_AtHandle(model, &handle);
    }
    else
    {
        ahead.x = palMulAdd(now->x, middle, now->v);
        ahead.q = palNormalizeQuat(palMulQuat(turn, now->q));
    }
    double lead = palToolShell_Apart(&accurate->shell, now, &ahead);
    double most = leadShare * reach;
    if (lead > most)
    {
        ahead.x = palLerp(now->x, ahead.x, most / lead);
        ahead.q = palSlerp(now->q, ahead.q, most / lead);
    }
    return ahead;
}

// L3: the triangles within reach of a near point. Returns their number, -1 where they are too many.
static int findTriangles(palAccurateTool* accurate, const palShellView* view)
{
    const palMethodDef* def = &accurate->method.def;
    int total = 0;
    accurate->query++;
    for (int i = 0; i < view->count; i++)
        for (int k = 0; k < def->colliderCount; k++)
        {
            int count = palBvh_Within(def->colliders[k].bvh, view->near[i].at, view->reach,
                                      pal_patchFacesMax, accurate->found);
            if (count > pal_patchFacesMax)
                return -1;
            for (int j = 0; j < count; j++)
            {
                int* stamp = &accurate->stamps[k][accurate->found[j]];
                if (*stamp == accurate->query)
                    continue;
                if (total == pal_patchFacesMax)
                    return -1;
                *stamp = accurate->query;
                accurate->objects[total] = k;
                accurate->triangles[total++] = accurate->found[j];
            }
        }
    return total;
}

// The largest reach, at most that of the query, whose points and triangles a snapshot can hold. It
// is near that of the last step, so the search begins there.
static int describe(palAccurateTool* accurate, const palHapticState* hand, palShellView* view)
{
    double reach = fmin(accurate->method.def.radius, growth * accurate->reach);
    int total = -1;
    for (int i = 0; i < shrinkingsMax && total < 0; i++)
    {
        palRigidState pose = predictPose(accurate, hand, reach);
        if (palToolShell_FindNear(&accurate->shell, &pose, reach, view))
            total = findTriangles(accurate, view);
        accurate->reach = reach;
        reach *= 0.8;
    }
    if (total < 0)
    {
        // Not even a hair of it: the tool stays where it is.
        view->reach = 0.0;
        view->count = 0;
    }
    return total > 0 ? total : 0;
}

static void low(palMethod* method, const palHapticState* hand, palSnapshot* snapshot,
                palLowInfo* info)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    const palMethodDef* def = &method->def;
    palShellView* view = snapshot->own;

    // L3: points near surfaces, and the surfaces near them.
    int64_t begin = palClock_Now();
    int total = describe(accurate, hand, view);
    int64_t collided = palClock_Now();
    info->collideMs = 1e-6 * (double)(collided - begin);

    // L4: the limited constraints, faces first, then the concave edges of closed surfaces.
    palPatch_Clear(&snapshot->patch, view->pose.x);
    for (int i = 0; i < total; i++)
        palPatch_AddFace(&snapshot->patch, &def->colliders[accurate->objects[i]],
                         accurate->objects[i], accurate->triangles[i], def->limitShape);
    for (int i = 0; i < total; i++)
        if (def->colliders[accurate->objects[i]].closed)
            palPatch_AddConcaveEdges(&snapshot->patch, &def->colliders[accurate->objects[i]],
                                     accurate->objects[i], accurate->triangles[i]);
    info->complianceMs = 1e-6 * (double)(palClock_Now() - collided);

    snapshot->trustCentre = palToolSide_Grip(def->tool, &view->pose).x;
    snapshot->trustRadius = view->reach;
    snapshot->shrunk = accurate->reach < def->radius;
    info->contacts = view->count;
    info->constraints = 3 * total;
}

// ---------------------------------------------------------------------------------------------
// High rate

// W of one point: the displacement that a force on it makes in the tick, m/N.
static palMat3 complianceAt(const palRigidStep* step, palVec3 p)
{
    palMat3 W;
    palVec3 r = palSub(p, step->start.x);
    for (int k = 0; k < 3; k++)
    {
        palVec3 axis = palMakeVec3(k == 0, k == 1, k == 2);
        palTwist u = palRigidStep_Response(step, palRigidStep_Row(step, p, axis));
        palVec3 moved = palScale(step->h * step->h, palAdd(u.v, palCross(u.omega, r)));
        W.m[0][k] = moved.x;
        W.m[1][k] = moved.y;
        W.m[2][k] = moved.z;
    }
    return W;
}

static palWalk walkFrom(const palAccurateTool* accurate, const palSnapshot* snapshot, int near)
{
    const palShellView* view = snapshot->own;
    const palToolShell* shell = &accurate->shell;
    double unit = walkUnits * accurate->method.def.radius;
    return (palWalk){
        .patch = &snapshot->patch,
        .trustCentre = view->near[near].at,
        .trustRadius = view->reach,
        .unit = unit,
        .depth = rigidDepth * unit,
        .x = palToolShell_Point(shell, &shell->haptic, view->near[near].point),
    };
}

static palShellContact contactOf(const palWalk* walk, int point, int limited)
{
    return (palShellContact){
        .point = point,
        .plane = palWalk_Plane(walk, limited),
        .face = walk->patch->limited[limited],
    };
}

// The planes that the walk ended on.
static void takePlanes(palToolShell* shell, const palWalk* walk, int point)
{
    palVec3 force = palMat3Apply(walk->stiffness, palSub(walk->x, walk->goal));
    for (int i = 0; i < walk->bindingCount; i++)
    {
        palShellContact contact = contactOf(walk, point, walk->binding[i]);
        // All but the first take their normal force; the solve shares the friction out.
        palVec3 guess = palScale(walk->normalForces[i], contact.plane.n);
        for (int k = 1; k < walk->bindingCount && i == 0; k++)
            force =
                palMulAdd(force, -walk->normalForces[k], palWalk_Plane(walk, walk->binding[k]).n);
        palToolShell_Add(shell, &contact, i == 0 ? force : guess);
    }
    if (walk->bindingCount > 0 || walk->activeCount == 0)
        return;
    // A corner stops the point without a plane of its own: one against the force, for this tick.
    palShellContact contact = contactOf(walk, point, walk->active[0]);
    contact.face.limitCount = 0;
    contact.passing = true;
    contact.plane.n = palNormalize(force);
    contact.plane.d = palDot(contact.plane.n, walk->x);
    if (palLengthSquared(contact.plane.n) > 0.0)
        palToolShell_Add(shell, &contact, force);
}

// Where a point goes by itself from the start of the tick towards `goal`.
static bool walkPoint(palAccurateTool* accurate, const palSnapshot* snapshot, int near,
                      palVec3 goal, palWalk* walk)
{
    *walk = walkFrom(accurate, snapshot, near);
    walk->goal = goal;
    walk->W = complianceAt(&accurate->shell.step, walk->x);
    if (accurate->walks == walksMax || !palMat3Inverse(walk->W, &walk->stiffness))
        return false;
    accurate->walks++;
    palHighInfo info = {0};
    palWalk_Solve(walk, &info);
    return true;
}

static bool isReached(const palToolShell* shell, const palWalk* walk, palVec3 solved)
{
    return palDistance(walk->x, solved) <= settledShare * shell->hair;
}

// Whether a way around what is there leads to where the solve put a point: the straight one may
// cross a ridge that the point goes over.
static bool canReach(palAccurateTool* accurate, const palSnapshot* snapshot, int near,
                     palVec3 solved)
{
    palWalk walk;
    return walkPoint(accurate, snapshot, near, solved, &walk) &&
           isReached(&accurate->shell, &walk, solved);
}

// Whether a plane is among the contacts of a point, of whichever face.
static bool hasPlane(const palToolShell* shell, int point, palPlane plane)
{
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palPlane* own = &shell->contacts[i].plane;
        if (shell->contacts[i].point == point && palDistance(own->n, plane.n) < samePlane &&
            fabs(own->d - plane.d) < settledShare * shell->hair)
            return true;
    }
    return false;
}

// Whether a walk ended on planes that the point has already.
static bool isKnown(const palToolShell* shell, const palWalk* walk, int point)
{
    for (int i = 0; i < walk->bindingCount; i++)
        if (!hasPlane(shell, point, palWalk_Plane(walk, walk->binding[i])))
            return false;
    return walk->bindingCount > 0;
}

// Adds the plane that is in the way of what was solved, unless it is of one convex piece with a
// plane that the point has: of those one is enough.
static bool addBlocker(palToolShell* shell, const palWalk* walk, int point, palVec3 start,
                       palVec3 solved)
{
    palWalk straight = *walk;
    straight.x = start;
    int blocker;
    palWalk_Sweep(&straight, solved, &blocker);
    if (blocker < 0)
        return false;
    palShellContact contact = contactOf(&straight, point, blocker);
    for (int i = 0; i < shell->contactCount; i++)
        if (shell->contacts[i].point == point &&
            palLimited_AreConvex(&shell->contacts[i].face, &contact.face, shell->hair))
            return false;
    return palToolShell_Add(shell, &contact, pal_zeroVec3);
}

// A point that a tool carries along a wall is off its plane by what the solve leaves. Past a rim it
// may then end a hair inside the wall, and far below the other face of the rim, which its way
// crossed. Of a convex piece the least violated plane acts, eq. (12): here the wall's. It was on
// the outside of it to begin with.
static bool takeGrazed(palAccurateTool* accurate, const palSnapshot* snapshot, int near,
                       palVec3 solved)
{
    palToolShell* shell = &accurate->shell;
    palWalk walk = walkFrom(accurate, snapshot, near);
    palVec3 start = walk.x;
    int point = ((const palShellView*)snapshot->own)->near[near].point;
    int sets[pal_walkActiveMax];
    bool taken = false;
    walk.x = solved;
    walk.depth = grazed * shell->hair;
    palWalk_FindSets(&walk, sets);
    walk.x = start;
    for (int i = 0; i < walk.activeCount; i++)
    {
        palShellContact contact = contactOf(&walk, point, walk.active[i]);
        bool isOutside = palDot(contact.plane.n, start) - contact.plane.d >= -walk.depth;
        if (isOutside && contact.face.kind == pal_limitedFace &&
            !hasPlane(shell, point, contact.plane))
            taken |= palToolShell_Add(shell, &contact, pal_zeroVec3);
    }
    return taken;
}

// A point goes with the forces on all others as they are, and gets the planes that it ends on.
// Returns whether that is somewhere else than where the solve put it.
static bool renew(palAccurateTool* accurate, const palSnapshot* snapshot, int near, palVec3 solved)
{
    palToolShell* shell = &accurate->shell;
    int point = ((const palShellView*)snapshot->own)->near[near].point;
    if (takeGrazed(accurate, snapshot, near, solved))
        return true;
    palVec3 start = palToolShell_Point(shell, &shell->haptic, point);
    palMat3 W = complianceAt(&shell->step, start);
    palVec3 force = palToolShell_Force(shell, point);
    palWalk walk;
    if (!walkPoint(accurate, snapshot, near, palSub(solved, palMat3Apply(W, force)), &walk))
        return true;
    // Where a walk leads to the planes that the point has, and yet the solve puts it elsewhere, it
    // is the way along which the walk measures friction: from plane to plane, not from the start.
    bool reached = isReached(shell, &walk, solved);
    if (!reached && isKnown(shell, &walk, point))
    {
        if (addBlocker(shell, &walk, point, start, solved))
            return true;
        if (canReach(accurate, snapshot, near, solved))
            return false;
    }
    palToolShell_Remove(shell, point);
    takePlanes(shell, &walk, point);
    return !reached;
}

// Whether a plane pushes the point that is not where it acts: the point has left its face.
static bool hasLeft(const palToolShell* shell, int point, palVec3 end, bool* touches)
{
    bool left = false;
    *touches = false;
    for (int i = 0; i < shell->contactCount; i++)
    {
        if (shell->contacts[i].point != point)
            continue;
        *touches = true;
        left = left || (shell->touches[i].force[0] > 0.0 &&
                        !palLimited_Covers(&shell->contacts[i].face, end, beyond * shell->hair));
    }
    return left;
}

// How far below the first face that its straight way crosses a point would end, m; 0: it crosses
// none.
static double crossing(const palAccurateTool* accurate, const palSnapshot* snapshot, int near,
                       palVec3 end)
{
    const palToolShell* shell = &accurate->shell;
    const palNearPoint* point = &((const palShellView*)snapshot->own)->near[near];
    double clear = point->clearance - shell->hair;
    palVec3 start = palToolShell_Point(shell, &shell->haptic, point->point);
    if (palDistance(start, point->at) < clear && palDistance(end, point->at) < clear)
        return 0.0;
    palWalk walk = walkFrom(accurate, snapshot, near);
    int blocker;
    palWalk_Sweep(&walk, end, &blocker);
    if (blocker < 0)
        return 0.0;
    palPlane plane = palWalk_Plane(&walk, blocker);
    return fmax(plane.d - palDot(plane.n, end), shell->hair);
}

// Planes for points that have none and would end inside: for a few at a time, deep ones and far
// apart. Returns whether there are any.
static bool addPlanes(palAccurateTool* accurate, const palSnapshot* snapshot, int count)
{
    palShellCandidate* candidates = accurate->candidates;
    int added = 0;
    while (added < addedAtOnce && added < count)
    {
        palPickCandidate(candidates, count, added);
        if (renew(accurate, snapshot, candidates[added].near, candidates[added].at))
            added++;
        else
            candidates[added] = candidates[--count]; // it went over a ridge
    }
    return added > 0;
}

// One look at all points: new planes where they are needed. Returns whether anything changed.
static bool review(palAccurateTool* accurate, const palSnapshot* snapshot)
{
    const palShellView* view = snapshot->own;
    palToolShell* shell = &accurate->shell;
    int examined = palToolShell_Examined(shell, view);
    int count = 0;
    bool changed = false;
    for (int i = 0; i < examined; i++)
    {
        bool touches;
        int point = view->near[i].point;
        palVec3 end = palToolShell_Point(shell, &shell->end, point);
        bool left = hasLeft(shell, point, end, &touches);
        double depth = crossing(accurate, snapshot, i, end);
        if (left || (touches && depth > 0.0 && !canReach(accurate, snapshot, i, end)))
            changed |= renew(accurate, snapshot, i, end);
        else if (depth > 0.0 && !touches)
            accurate->candidates[count++] = (palShellCandidate){i, depth, end};
    }
    bool added = addPlanes(accurate, snapshot, count);
    return changed || added;
}

// Whether every point can get to where the end has it.
static bool isFree(palAccurateTool* accurate, const palSnapshot* snapshot)
{
    const palShellView* view = snapshot->own;
    const palToolShell* shell = &accurate->shell;
    int examined = palToolShell_Examined(shell, view);
    for (int i = 0; i < examined; i++)
    {
        palVec3 end = palToolShell_Point(shell, &shell->end, view->near[i].point);
        if (crossing(accurate, snapshot, i, end) > 0.0 && !canReach(accurate, snapshot, i, end))
            return false;
    }
    return true;
}

// Section 3.5, outer trust region: the share of the motion that stays within what is known.
static double trustedShare(const palToolShell* shell, const palShellView* view)
{
    const int bisections = 20;
    if (palToolShell_Apart(shell, &shell->end, &view->pose) <= view->reach)
        return 1.0;
    double low = 0.0, high = 1.0;
    for (int i = 0; i < bisections; i++)
    {
        double middle = 0.5 * (low + high);
        palRigidState end = palToolShell_EndAt(shell, middle);
        bool isKnown = palToolShell_Apart(shell, &end, &view->pose) <= view->reach;
        *(isKnown ? &low : &high) = middle;
    }
    return low;
}

// What cannot be made of the motion is not made.
static void holdBack(palAccurateTool* accurate, const palSnapshot* snapshot, bool settled,
                     palHighInfo* info)
{
    palToolShell* shell = &accurate->shell;
    double share = trustedShare(shell, snapshot->own);
    info->held = share < 1.0;
    if (info->held)
        shell->end = palToolShell_EndAt(shell, share);
    if (settled && !info->held)
        return;
    for (int i = 0; i < halvingsMax && share > 0.0 && !isFree(accurate, snapshot); i++)
    {
        info->converged = false;
        share = i + 1 < halvingsMax ? 0.5 * share : 0.0;
        shell->end = palToolShell_EndAt(shell, share);
    }
}

static void high(palMethod* method, const palSnapshot* snapshot, const palDeviceState* device,
                 palPointState* body, palHighInfo* info)
{
    palAccurateTool* accurate = (palAccurateTool*)method;
    palToolShell* shell = &accurate->shell;
    const palShellView* view = snapshot->own;

    // H2: coupling force and free motion of the tool.
    palHandle handle = palToolSide_DeviceHandle(device);
    palToolShell_Begin(shell, snapshot, &handle);

    // H3, H4: planes where the points need them, and the forces that keep the points out.
    accurate->walks = 0;
    bool changed = true;
    for (int pass = 0; pass < passesMax && changed; pass++)
    {
        palToolShell_Solve(shell);
        changed = review(accurate, snapshot);
    }
    holdBack(accurate, snapshot, !changed, info);

    // H5.
    palToolShell_End(shell, &handle, body, info);
    info->constraints = 3 * view->count;
}

static bool viewTool(const palMethod* method, const palHapticState* hand, int index,
                     palToolView* view)
{
    return palToolShell_View(&((const palAccurateTool*)method)->shell, hand, index, view);
}

static const palVec3* points(const palMethod* method, int* count)
{
    const palToolShell* shell = &((const palAccurateTool*)method)->shell;
    *count = shell->pointCount;
    return shell->points;
}

const palMethodOps pal_methodAccurateTool = {
    .name = "accurate",
    .summary = "limited constraints for the points of a rigid tool (Knott and Kuhlen 2015)",
    .size = sizeof(palAccurateTool),
    .usesPatch = true,
    .trustsBall = true,
    .usesTool = true,
    .rigidOnly = true,
    .turns = true,
    .snapshotSize = sizeof(palShellView),
    .stateSize = sizeof(palRigidState),
    .init = init,
    .free = release,
    .place = place,
    .tell = tell,
    .low = low,
    .high = high,
    .tool = viewTool,
    .points = points,
};

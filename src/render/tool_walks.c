// SPDX-License-Identifier: Apache-2.0
#include "render/tool_walks.h"

static const double walkUnits =
    10.0; // of a walk in query radii: it lifts planes by our surface offset
static const double rigidDepth = 1e-5;  // d of eq. (7) as a share of a walk's unit
static const double settledShare = 0.5; // of the surface offset: a point is where its walk ends
static const double samePlane = 1e-9;   // between the normals of coplanar faces
static const double grazed = 20.0;      // surface offsets: so little inside is what solves leave
static const double beyond = 0.5;       // surface offsets: a point has left a face

enum
{
    walksMax = 128,  // of a tick
    addedAtOnce = 4, // points that get planes in one pass
};

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

static palWalk walkFrom(const palToolWalks* walks, int near)
{
    const palShellView* view = walks->snapshot->shell;
    const palToolShell* shell = walks->shell;
    double unit = walkUnits * shell->def->radius;
    return (palWalk){
        .patch = &walks->snapshot->patch,
        .trustCentre = view->near[near].at,
        .trustRadius = view->reach,
        .unit = unit,
        .depth = rigidDepth * unit,
        .x = palToolShell_Point(shell, &shell->haptic, view->near[near].point),
    };
}

static palShellContact contactOf(const palToolShell* shell, const palWalk* walk, int point,
                                 int limited)
{
    return (palShellContact){
        .point = point,
        .object = walk->patch->limited[limited].object,
        .onTool = shell->points[point],
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
        palShellContact contact = contactOf(shell, walk, point, walk->binding[i]);
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
    palShellContact contact = contactOf(shell, walk, point, walk->active[0]);
    contact.face.limitCount = 0;
    contact.transient = true;
    contact.plane.n = palNormalize(force);
    contact.plane.d = palDot(contact.plane.n, walk->x);
    if (palLengthSquared(contact.plane.n) > 0.0)
        palToolShell_Add(shell, &contact, force);
}

// Where a point goes by itself from the start of the tick towards `goal`.
static bool walkPoint(palToolWalks* walks, int near, palVec3 goal, palWalk* walk)
{
    *walk = walkFrom(walks, near);
    walk->goal = goal;
    walk->W = complianceAt(&walks->shell->step, walk->x);
    if (walks->count == walksMax || !palMat3Inverse(walk->W, &walk->stiffness))
        return false;
    walks->count++;
    palHighInfo info = {0};
    palWalk_Solve(walk, &info);
    return true;
}

static bool isReached(const palToolShell* shell, const palWalk* walk, palVec3 solved)
{
    return palDistance(walk->x, solved) <= settledShare * shell->surfaceOffset;
}

// Whether a way around what is there leads to where the solve put a point: the straight one may
// cross a ridge that the point goes over.
static bool canReach(palToolWalks* walks, int near, palVec3 solved)
{
    palWalk walk;
    return walkPoint(walks, near, solved, &walk) && isReached(walks->shell, &walk, solved);
}

// Whether a plane is among the contacts of a point, of whichever face.
static bool hasPlane(const palToolShell* shell, int point, palPlane plane)
{
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palPlane* own = &shell->contacts[i].plane;
        if (shell->contacts[i].point == point && palDistance(own->n, plane.n) < samePlane &&
            fabs(own->d - plane.d) < settledShare * shell->surfaceOffset)
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
    palShellContact contact = contactOf(shell, &straight, point, blocker);
    for (int i = 0; i < shell->contactCount; i++)
        if (shell->contacts[i].point == point &&
            palLimited_AreConvex(&shell->contacts[i].face, &contact.face, shell->surfaceOffset))
            return false;
    return palToolShell_Add(shell, &contact, pal_zeroVec3);
}

// A point that a tool carries along a wall is off its plane by what the solve leaves. Past a rim it
// may then end slightly inside the wall, and far below the other face of the rim, which its way
// crossed. Of a convex piece the least violated plane acts, eq. (12): here the wall's. It was on
// the outside of it to begin with.
static bool takeGrazed(palToolWalks* walks, int near, palVec3 solved)
{
    palToolShell* shell = walks->shell;
    palWalk walk = walkFrom(walks, near);
    palVec3 start = walk.x;
    int point = walks->snapshot->shell->near[near].point;
    int sets[pal_walkActiveMax];
    bool taken = false;
    walk.x = solved;
    walk.depth = grazed * shell->surfaceOffset;
    palWalk_FindSets(&walk, sets);
    walk.x = start;
    for (int i = 0; i < walk.activeCount; i++)
    {
        palShellContact contact = contactOf(shell, &walk, point, walk.active[i]);
        bool isOutside = palDot(contact.plane.n, start) - contact.plane.d >= -walk.depth;
        if (isOutside && contact.face.kind == pal_limitedFace &&
            !hasPlane(shell, point, contact.plane))
            taken |= palToolShell_Add(shell, &contact, pal_zeroVec3);
    }
    return taken;
}

// A point goes with the forces on all others as they are, and gets the planes that it ends on.
// Returns whether that is somewhere else than where the solve put it.
static bool renew(palToolWalks* walks, int near, palVec3 solved)
{
    palToolShell* shell = walks->shell;
    int point = walks->snapshot->shell->near[near].point;
    if (takeGrazed(walks, near, solved))
        return true;
    palVec3 start = palToolShell_Point(shell, &shell->haptic, point);
    palMat3 W = complianceAt(&shell->step, start);
    palVec3 force = palToolShell_Force(shell, point);
    palWalk walk;
    if (!walkPoint(walks, near, palSub(solved, palMat3Apply(W, force)), &walk))
        return true;
    // Where a walk leads to the planes that the point has, and yet the solve puts it elsewhere, it
    // is the way along which the walk measures friction: from plane to plane, not from the start.
    bool reached = isReached(shell, &walk, solved);
    if (!reached && isKnown(shell, &walk, point))
    {
        if (addBlocker(shell, &walk, point, start, solved))
            return true;
        if (canReach(walks, near, solved))
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
        left = left ||
               (shell->touches[i].force[0] > 0.0 &&
                !palLimited_Covers(&shell->contacts[i].face, end, beyond * shell->surfaceOffset));
    }
    return left;
}

// How far below the first face that its straight way crosses a point would end, m; 0: it crosses
// none.
static double crossing(const palToolWalks* walks, int near, palVec3 end)
{
    const palToolShell* shell = walks->shell;
    const palNearPoint* point = &walks->snapshot->shell->near[near];
    double clear = point->clearance - shell->surfaceOffset;
    palVec3 start = palToolShell_Point(shell, &shell->haptic, point->point);
    if (palDistance(start, point->at) < clear && palDistance(end, point->at) < clear)
        return 0.0;
    palWalk walk = walkFrom(walks, near);
    int blocker;
    palWalk_Sweep(&walk, end, &blocker);
    if (blocker < 0)
        return 0.0;
    palPlane plane = palWalk_Plane(&walk, blocker);
    return fmax(plane.d - palDot(plane.n, end), shell->surfaceOffset);
}

// Planes for points that have none and would end inside: for a few at a time, deep ones and far
// apart. Returns whether there are any.
static bool addPlanes(palToolWalks* walks, int count)
{
    palShellCandidate* candidates = walks->candidates;
    int added = 0;
    while (added < addedAtOnce && added < count)
    {
        palPickCandidate(candidates, count, added);
        if (renew(walks, candidates[added].near, candidates[added].at))
            added++;
        else
            candidates[added] = candidates[--count]; // it went over a ridge
    }
    return added > 0;
}

bool palToolWalks_Review(palToolWalks* walks)
{
    const palShellView* view = walks->snapshot->shell;
    palToolShell* shell = walks->shell;
    int examined = palToolShell_Examined(shell, view);
    int count = 0;
    bool changed = false;
    for (int i = 0; i < examined; i++)
    {
        bool touches;
        int point = view->near[i].point;
        palVec3 end = palToolShell_Point(shell, &shell->end, point);
        bool left = hasLeft(shell, point, end, &touches);
        double depth = crossing(walks, i, end);
        if (left || (touches && depth > 0.0 && !canReach(walks, i, end)))
            changed |= renew(walks, i, end);
        else if (depth > 0.0 && !touches)
            walks->candidates[count++] = (palShellCandidate){i, depth, end};
    }
    bool added = addPlanes(walks, count);
    return changed || added;
}

bool palToolWalks_AreFree(palToolWalks* walks)
{
    const palShellView* view = walks->snapshot->shell;
    const palToolShell* shell = walks->shell;
    int examined = palToolShell_Examined(shell, view);
    for (int i = 0; i < examined; i++)
    {
        palVec3 end = palToolShell_Point(shell, &shell->end, view->near[i].point);
        if (crossing(walks, i, end) > 0.0 && !canReach(walks, i, end))
            return false;
    }
    return true;
}

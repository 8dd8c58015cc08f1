// SPDX-License-Identifier: Apache-2.0
#include "touch/tool_walks.h"

static const double walkUnits = 10.0;   // query radii: unit of a walk with our surface offset
static const double rigidDepth = 1e-5;  // d of eq. (7) as a share of a walk's unit
static const double softDepth = 5e-4;   // likewise: a soft surface may rotate under a point
static const double settledShare = 0.5; // of the surface offset: tolerance between walk and solve
static const double samePlane = 1e-9;   // between the normals of coplanar faces
static const double grazed = 20.0;      // surface offsets: penetration that solves leave
static const double beyond = 0.5;       // surface offsets past a face: a point has left it
static const double softSlack = 50.0;   // likewise for soft faces, also below them

enum
{
    walksMax = 128,   // of a tick
    addedPerPass = 4, // points that get planes
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

// A point of the tool and the surfaces that it is tested against: all rigid ones, or one soft part.
typedef struct Site
{
    int point;               // of the shell
    palSoftSpot spot;        // below it on a soft surface
    int softPart;            // of the patch; -1: rigid surfaces
    const palPatch* faces;   // borrowed
    palVec3 start;           // its position at the start of the tick, m
    palVec3 known;           // m: `faces` has all faces within `reach` of this place
    double reach;            // m
    double clearance;        // m, from `known` to the closest face
    const palFacing* facing; // borrowed: the rigid faces around `known`; NULL: not known
} Site;

// Sites are numbered: the points of the view that may touch, then the probes.
static int countSites(const palToolWalks* walks)
{
    const palToolSoft* soft = walks->shell->soft;
    return walks->examined + (soft != NULL ? soft->probeCount : 0);
}

static Site siteAt(const palToolWalks* walks, int index)
{
    const palShellView* view = walks->snapshot->shell;
    const palToolShell* shell = walks->shell;
    if (index < walks->examined)
    {
        const palNearPoint* near = &view->near[index];
        return (Site){
            .point = near->point,
            .softPart = -1,
            .faces = &walks->snapshot->patch,
            .start = palToolShell_Point(shell, &shell->tool.state, near->point),
            .known = near->at,
            .reach = view->reach,
            .clearance = near->clearance,
            .facing = &view->facing[index],
        };
    }
    const palSoftProbe* probe = &shell->soft->probes[index - walks->examined];
    return (Site){
        .point = probe->point,
        .spot = probe->spot,
        .softPart = probe->spot.part,
        .faces = &shell->soft->views[probe->spot.part],
        .start = probe->start,
        .known = probe->start,
        .reach = view->reach,
        .clearance = probe->clearance,
    };
}

// The solved position of a point, relative to the base surface of a soft part.
static palVec3 endOf(const palToolShell* shell, const Site* site)
{
    palVec3 p = palToolShell_Point(shell, &shell->end, site->point);
    return site->softPart < 0
               ? p
               : palSub(p, palToolSoft_Yield(shell->soft, &site->spot, shell->soft->end));
}

// W of one point, with that of a soft surface, m/N.
static palMat3 complianceOf(const palToolShell* shell, const Site* site)
{
    palVec3 p = palToolShell_Point(shell, &shell->tool.state, site->point);
    palMat3 W = complianceAt(&shell->tool.step, p);
    return site->softPart < 0
               ? W
               : palMat3MulAdd(W, 1.0, palToolSoft_Compliance(shell->soft, &site->spot));
}

static palWalk walkFrom(const palToolWalks* walks, const Site* site)
{
    double unit = walkUnits * walks->shell->def->radius;
    return (palWalk){
        .patch = site->faces,
        .trustCentre = site->known,
        .trustRadius = site->reach,
        .unit = unit,
        .depth = (site->softPart < 0 ? rigidDepth : softDepth) * unit,
        .x = site->start,
    };
}

static palShellContact contactOf(const palToolShell* shell, const palWalk* walk, const Site* site,
                                 int limited)
{
    return (palShellContact){
        .point = site->point,
        .link.ends[1].body = walk->patch->limited[limited].object,
        .link.ends[0].local = shell->points[site->point],
        .plane = palWalk_Plane(walk, limited),
        .face = walk->patch->limited[limited],
        .spot = site->spot,
    };
}

static bool isOf(const palShellContact* contact, const Site* site)
{
    return contact->point == site->point && palShellContact_SoftPart(contact) == site->softPart;
}

// Adds the planes that the walk ended on.
static void addPlanesOf(palToolShell* shell, const palWalk* walk, const Site* site)
{
    palVec3 force = palMat3Apply(walk->stiffness, palSub(walk->x, walk->goal));
    for (int i = 0; i < walk->bindingCount; i++)
    {
        palShellContact contact = contactOf(shell, walk, site, walk->binding[i]);
        // All but the first get their normal force; the solve distributes the friction.
        palVec3 guess = palScale(walk->normalForces[i], contact.plane.n);
        for (int k = 1; k < walk->bindingCount && i == 0; k++)
            force =
                palMulAdd(force, -walk->normalForces[k], palWalk_Plane(walk, walk->binding[k]).n);
        palToolShell_Add(shell, &contact, i == 0 ? force : guess);
    }
    if (walk->bindingCount > 0 || walk->activeCount == 0)
        return;
    // A corner stops the point without a plane of its own: add one normal to the force, for this
    // tick.
    palShellContact contact = contactOf(shell, walk, site, walk->active[0]);
    contact.face.limitCount = 0;
    contact.transient = true;
    contact.plane.n = palNormalize(force);
    contact.plane.d = palDot(contact.plane.n, walk->x);
    if (palLengthSquared(contact.plane.n) > 0.0)
        palToolShell_Add(shell, &contact, force);
}

// Walks a point on its own from the start of the tick towards `goal`. Returns false where the
// number of walks is used up.
static bool walkPoint(palToolWalks* walks, const Site* site, palVec3 goal, palWalk* walk)
{
    *walk = walkFrom(walks, site);
    walk->goal = goal;
    walk->W = complianceOf(walks->shell, site);
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

// Whether a walk leads to the solved position of a point: its straight path may cross a ridge that
// the point goes over.
static bool canReach(palToolWalks* walks, const Site* site, palVec3 solved)
{
    palWalk walk;
    return walkPoint(walks, site, solved, &walk) && isReached(walks->shell, &walk, solved);
}

// Whether a point has a contact with that plane, of any face.
static bool hasPlane(const palToolShell* shell, const Site* site, palPlane plane)
{
    for (int i = 0; i < shell->contactCount; i++)
    {
        const palPlane* own = &shell->contacts[i].plane;
        if (isOf(&shell->contacts[i], site) && palDistance(own->n, plane.n) < samePlane &&
            fabs(own->d - plane.d) < settledShare * shell->surfaceOffset)
            return true;
    }
    return false;
}

// Whether the point has contacts with all planes that the walk ended on.
static bool isKnown(const palToolShell* shell, const palWalk* walk, const Site* site)
{
    for (int i = 0; i < walk->bindingCount; i++)
        if (!hasPlane(shell, site, palWalk_Plane(walk, walk->binding[i])))
            return false;
    return walk->bindingCount > 0;
}

// Adds the plane of the face that blocks the straight path to the solved position, unless it forms
// a convex set with a plane that the point has: one plane of a set is enough.
static bool addBlocker(palToolShell* shell, const palWalk* walk, const Site* site, palVec3 solved)
{
    palWalk straight = *walk;
    straight.x = site->start;
    int blocker;
    palWalk_Sweep(&straight, solved, &blocker);
    if (blocker < 0)
        return false;
    palShellContact contact = contactOf(shell, &straight, site, blocker);
    for (int i = 0; i < shell->contactCount; i++)
        if (isOf(&shell->contacts[i], site) &&
            palLimited_AreConvex(&shell->contacts[i].face, &contact.face, shell->surfaceOffset))
            return false;
    return palToolShell_Add(shell, &contact, pal_zeroVec3);
}

// A point that slides along a wall is off its plane by the tolerance of the solve. Past a rim it
// may then end slightly inside the wall, and far below the other face of the rim, which its path
// crossed. Of a convex set the least violated plane acts, eq. (12): here that of the wall, on whose
// outside the point was at the start.
static bool addGrazed(palToolWalks* walks, const Site* site, palVec3 solved)
{
    palToolShell* shell = walks->shell;
    palWalk walk = walkFrom(walks, site);
    palVec3 start = walk.x;
    int sets[pal_walkActiveMax];
    bool taken = false;
    walk.x = solved;
    walk.depth = grazed * shell->surfaceOffset;
    palWalk_FindSets(&walk, sets);
    walk.x = start;
    for (int i = 0; i < walk.activeCount; i++)
    {
        palShellContact contact = contactOf(shell, &walk, site, walk.active[i]);
        bool isOutside = palDot(contact.plane.n, start) - contact.plane.d >= -walk.depth;
        if (isOutside && contact.face.kind == pal_limitedFace &&
            !hasPlane(shell, site, contact.plane))
            taken |= palToolShell_Add(shell, &contact, pal_zeroVec3);
    }
    return taken;
}

// Walks a point with the present forces on all others, and gives it the planes that it ends on.
// Returns whether it ends elsewhere than in the solve.
static bool renew(palToolWalks* walks, const Site* site, palVec3 solved)
{
    palToolShell* shell = walks->shell;
    if (addGrazed(walks, site, solved))
        return true;
    palMat3 W = complianceOf(shell, site);
    palVec3 force = palToolShell_Force(shell, site->point, site->softPart);
    palWalk walk;
    if (!walkPoint(walks, site, palSub(solved, palMat3Apply(W, force)), &walk))
        return true;
    // Where a walk ends on the planes that the point has, but not at the solved position, the
    // reason is friction, which the walk measures from plane to plane, not from the start.
    bool reached = isReached(shell, &walk, solved);
    if (!reached && isKnown(shell, &walk, site))
    {
        if (addBlocker(shell, &walk, site, solved))
            return true;
        if (canReach(walks, site, solved))
            return false;
    }
    palToolShell_Remove(shell, site->point, site->softPart);
    addPlanesOf(shell, &walk, site);
    return !reached;
}

// Whether a plane with a force is that of a face that the point has left. `touches`: the point has
// contacts.
static bool hasLeft(const palToolShell* shell, const Site* site, palVec3 end, bool* touches)
{
    double margin = (site->softPart < 0 ? beyond : softSlack) * shell->surfaceOffset;
    bool left = false;
    *touches = false;
    for (int i = 0; i < shell->contactCount; i++)
    {
        if (!isOf(&shell->contacts[i], site))
            continue;
        *touches = true;
        left = left || (shell->contacts[i].link.lambda[0] > 0.0 &&
                        !palLimited_Covers(&shell->contacts[i].face, end, margin));
    }
    return left;
}

// The depth at which a point would end below the first face that its straight path crosses, m; 0:
// it crosses none.
static double crossing(const palToolWalks* walks, const Site* site, palVec3 end)
{
    const palToolShell* shell = walks->shell;
    double clear = site->clearance - shell->surfaceOffset;
    if (palDistance(site->start, site->known) < clear && palDistance(end, site->known) < clear)
        return 0.0;
    if (site->facing != NULL && palFacing_IsClear(site->facing, palSub(site->start, site->known),
                                                  palSub(end, site->known), shell->surfaceOffset))
        return 0.0;
    palWalk walk = walkFrom(walks, site);
    int blocker;
    palWalk_Sweep(&walk, end, &blocker);
    if (blocker < 0)
        return 0.0;
    palPlane plane = palWalk_Plane(&walk, blocker);
    double depth = fmax(plane.d - palDot(plane.n, end), shell->surfaceOffset);
    return site->softPart >= 0 && depth <= softSlack * shell->surfaceOffset ? 0.0 : depth;
}

// Adds planes for points that have none and would end inside: a few per pass, deep and far apart.
// Returns whether any were added.
static bool addPlanes(palToolWalks* walks, int count)
{
    palShellCandidate* candidates = walks->candidates;
    int added = 0;
    while (added < addedPerPass && added < count)
    {
        palPickCandidate(candidates, count, added);
        Site site = siteAt(walks, candidates[added].near);
        if (renew(walks, &site, candidates[added].at))
            added++;
        else
            candidates[added] = candidates[--count]; // the point goes over a ridge
    }
    return added > 0;
}

bool palToolWalks_Review(palToolWalks* walks)
{
    palToolShell* shell = walks->shell;
    walks->examined = palToolShell_Examined(shell, walks->snapshot->shell);
    int sites = countSites(walks);
    int count = 0;
    bool changed = false;
    for (int i = 0; i < sites; i++)
    {
        bool touches;
        Site site = siteAt(walks, i);
        palVec3 end = endOf(shell, &site);
        bool left = hasLeft(shell, &site, end, &touches);
        double depth = crossing(walks, &site, end);
        if (left || (touches && depth > 0.0 && !canReach(walks, &site, end)))
            changed |= renew(walks, &site, end);
        else if (depth > 0.0 && !touches)
            walks->candidates[count++] = (palShellCandidate){i, depth, end};
    }
    bool added = addPlanes(walks, count);
    return changed || added;
}

bool palToolWalks_AreFree(palToolWalks* walks, bool withSoft)
{
    const palToolShell* shell = walks->shell;
    walks->examined = palToolShell_Examined(shell, walks->snapshot->shell);
    int sites = withSoft ? countSites(walks) : walks->examined;
    for (int i = 0; i < sites; i++)
    {
        Site site = siteAt(walks, i);
        palVec3 end = endOf(shell, &site);
        if (crossing(walks, &site, end) > 0.0 && !canReach(walks, &site, end))
            return false;
    }
    return true;
}

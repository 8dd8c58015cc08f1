// SPDX-License-Identifier: Apache-2.0
// `accurate`: contact that stays right between updates.
//
// T. Knott and T. Kuhlen, "Accurate contact modeling for multi-rate single-point haptic rendering
// of static and deformable environments", 2015. Equation and section numbers are the paper's.
//
// Low rate: every triangle near the proxy becomes a limited constraint (GLC, section 3.3), together
// they describe the surface wherever the proxy may go until the next snapshot.
//
// High rate: the solver of section 3.4 walks from the old position to the constrained one. In each
// iteration, at the tentative state x:
//
//     active set        the GLCs in whose region x is                  eqs. (6), (7), (9), (11)
//     convex sets       cliques of locally convex neighbours           eq. (8)
//     one plane a set   the least violated one at the free position    eq. (12)
//     resolving force   all chosen planes at once, with friction       solve/planes.h
//     inner trust       no farther than the first surface on the way   section 3.5
//
// until x stays. The response matrices are there in factored form: for a point on a rigid surface
// Aψ = W N Nᵀ and Aτ = W T Nᵀ with W = h²/A a number, so that ψ + Aψ λ and τ + Aτ λ are simply ψ
// and τ at x = x_free + W Nᵀ λ, the tentative state of eqs. (14), (15). Nothing depends on how many
// GLCs there are, only on how many are near x.
//
// Where this goes beyond the paper, and why:
//   - Gauss-Seidel over the sets does not converge in shallow creases; at most three planes bind a
//     point, so they are solved directly (solve/planes.h).
//   - The inner trust box must be smaller than the smallest GLC, which for a sliver is nothing. The
//     way from x to the next state is swept against the triangles instead: it cannot skip one.
//   - Because x never enters the surface, the triangles' own limits suffice (limited.h); the wedge
//     constraints of concave edges only bring back a proxy that was inside to begin with.
//   - The outer trust region is the whole ball that the query covers, not the box in it, centred
//     where the proxy will be in the middle of the snapshot's life; where the ball is empty it
//     grows up to the nearest surface, so that a hand in free space is not held.
//   - Planes lie a hair above the surface, so that rounding cannot put the proxy below it.
#include "base/clock.h"
#include "render/method.h"
#include "solve/planes.h"

#include <string.h>

// Lengths as shares of the query radius, so that a scaled scene behaves as the scaled scene.
static const double hairShare = 1e-8;       // ε: planes are lifted by this (0.2 nm at 20 mm)
static const double marginShare = 1e-7;     // limits are widened by this: no gap between neighbours
static const double depthShare = 1e-3;      // d of eq. (7): how deep a proxy is still brought back
static const double convexShare = 1e-7;     // tolerance of the convexity test
static const double toleranceShare = 5e-10; // converged when x moves less (10⁻¹¹ m at 20 mm)
static const double leadShare = 0.75; // the ball's centre is at most this far ahead of the proxy

enum
{
    maxIterations = 64,
    maxActive = 48,
    maxForced = 4,
};

typedef struct palAccurate
{
    palMethod method;
    int found[pal_patchFacesMax]; // low rate: triangles of a query
} palAccurate;

// ---------------------------------------------------------------------------------------------
// Low rate

// The middle of the life of the snapshot that is being made, seen from the haptic state.
static palVec3 predictCentre(const palMethodDef* def, const palHapticState* hand)
{
    double middle = def->latency + 0.5 * def->lowDt;
    palVec3 lead = palScale(middle, hand->body.v);
    double length = palLength(lead);
    double most = leadShare * def->radius;
    if (length > most)
        lead = palScale(most / length, lead);
    return palAdd(hand->body.x, lead);
}

static int countWithin(const palMethodDef* def, palVec3 centre, double radius)
{
    int total = 0;
    for (int i = 0; i < def->colliderCount; i++)
        total += palBvh_Within(def->colliders[i].bvh, centre, radius, 0, NULL);
    return total;
}

// The largest radius, at most that of the query, whose triangles the patch can hold.
static double coveredRadius(const palMethodDef* def, palVec3 centre)
{
    double radius = def->radius;
    const int shrinkingsMax = 40;
    for (int i = 0; i < shrinkingsMax; i++)
    {
        int count = countWithin(def, centre, radius);
        if (count <= pal_patchFacesMax)
            return radius;
        // The number goes with the area: a part that is all within the ball is left in a few steps.
        radius *= fmin(0.9, sqrt((double)pal_patchFacesMax / count));
    }
    return radius;
}

static void addFace(palPatch* patch, const palMethodDef* def, int object, int triangle)
{
    const palCollider* collider = &def->colliders[object];
    const int* corner = collider->surface.triangles[triangle];
    const palVec3* v = collider->surface.vertices;
    const palVec3 corners[3] = {v[corner[0]], v[corner[1]], v[corner[2]]};
    palLimited limited;
    // A needle thinner than the widened limits of its neighbours is covered by them.
    if (!palLimited_FromTriangle(&limited, def->limitShape, corners[0], corners[1], corners[2]) ||
        limited.size < 2.0 * marginShare * def->radius)
        return;
    limited.friction = collider->friction;
    limited.object = object;
    limited.triangle = triangle;
    limited.twoSided = !collider->closed;
    palPatch_Add(patch, &limited, corners, 3);
}

// The wedge below a concave edge, added with the first of its two triangles.
static void addConcaveEdges(palPatch* patch, const palMethodDef* def, int object, int triangle)
{
    const palCollider* collider = &def->colliders[object];
    const palTopology* topology = &collider->topology;
    const palVec3* v = collider->surface.vertices;
    for (int k = 0; k < 3; k++)
    {
        int edge = topology->triangleEdges[triangle][k];
        const int* sides = topology->edgeTriangles[edge];
        if (topology->edgeKinds[edge] != pal_edgeConcave || sides[0] != triangle)
            continue;
        const palVec3 ends[2] = {v[collider->surface.triangles[triangle][k]],
                                 v[collider->surface.triangles[triangle][(k + 1) % 3]]};
        palVec3 along = palNormalize(palSub(ends[1], ends[0]));
        palVec3 n1 = topology->triangleNormals[sides[0]];
        palVec3 n2 = topology->triangleNormals[sides[1]];
        palLimited limited;
        palLimited_FromEdge(&limited, ends[0], ends[1], n1, palCross(n1, along), n2,
                            palCross(along, n2));
        limited.friction = collider->friction;
        limited.object = object;
        limited.triangle = triangle;
        palPatch_Add(patch, &limited, ends, 2);
    }
}

static void low(palMethod* method, const palHapticState* hand, palSnapshot* snapshot,
                palLowInfo* info)
{
    palAccurate* accurate = (palAccurate*)method;
    const palMethodDef* def = &method->def;
    palPatch* patch = &snapshot->patch;

    // L1, L2: nothing moves but the proxy.
    // L3: all triangles around where the proxy will be.
    int64_t begin = palClock_Now();
    palVec3 centre = predictCentre(def, hand);
    double radius = coveredRadius(def, centre);
    palPatch_Clear(patch, centre);
    int counts[pal_collidersMax] = {0};
    int total = 0;
    for (int i = 0; i < def->colliderCount; i++)
    {
        int room = pal_patchFacesMax - total;
        int within =
            palBvh_Within(def->colliders[i].bvh, centre, radius, room, accurate->found + total);
        // More triangles may meet in one point than there is room for.
        counts[i] = within < room ? within : room;
        total += counts[i];
    }
    palNearest nearest;
    bool isEmpty = total == 0;
    bool isAnything = isEmpty && palColliders_Nearest(def->colliders, def->colliderCount, centre,
                                                      INFINITY, &nearest);
    int64_t collided = palClock_Now();
    info->collideMs = 1e-6 * (double)(collided - begin);

    // L4: a limited constraint each (frame, limits), faces first, then the concave edges of closed
    // surfaces.
    const int* found = accurate->found;
    for (int i = 0, k = 0; i < def->colliderCount; i++)
        for (int j = 0; j < counts[i]; j++, k++)
            addFace(patch, def, i, found[k]);
    for (int i = 0, k = 0; i < def->colliderCount; i++)
        for (int j = 0; j < counts[i]; j++, k++)
            if (def->colliders[i].closed)
                addConcaveEdges(patch, def, i, found[k]);

    // L5: W is a number that the high rate knows. The region that is described: section 3.5.
    snapshot->trustCentre = centre;
    snapshot->trustRadius = !isEmpty ? radius : isAnything ? nearest.closest.distance : INFINITY;
    snapshot->shrunk = radius < def->radius;
    info->complianceMs = 1e-6 * (double)(palClock_Now() - collided);
    info->contacts = total;
    info->constraints = 3 * patch->count;
}

// ---------------------------------------------------------------------------------------------
// High rate

// The state of the walk.
typedef struct palWalk
{
    const palPatch* patch;
    double unit;     // the query radius, m: what the shares above are of
    palMat3 W;       // compliance, m/N
    palVec3 goal;    // x_free
    palVec3 x;       // tentative state
    int active[maxActive];
    int activeCount;
    int forced[maxForced]; // faces that block every way out of x and so must be resolved
    int forcedCount;
} palWalk;

static palVec3 boxCorner(palVec3 a, palVec3 b, double margin, double sign)
{
    palVec3 corner = sign < 0.0 ? palMinVec3(a, b) : palMaxVec3(a, b);
    return palAdd(corner, palMakeVec3(sign * margin, sign * margin, sign * margin));
}

// Which side of a constraint's plane the proxy is on: outside for solids, where it is for sheets.
static double sideOf(const palLimited* limited, palVec3 x, double hair)
{
    return limited->twoSided && palLimited_Gap(limited, x) < -0.5 * hair ? -1.0 : 1.0;
}

// Eqs. (6), (7): the GLCs in whose region x is. A plane on which x rests has ψ = ε, so that the
// upper bound is a little above that.
static void findActive(palWalk* walk)
{
    double hair = hairShare * walk->unit;
    double depth = depthShare * walk->unit;
    double margin = marginShare * walk->unit;
    int runs[pal_patchRunsMax];
    palVec3 x = walk->x;
    int runCount =
        palPatch_Near(walk->patch, boxCorner(x, x, depth, -1.0), boxCorner(x, x, depth, 1.0), runs);
    walk->activeCount = 0;
    for (int i = 0; i < runCount; i++)
    {
        int begin = runs[i] * pal_patchRun;
        int end =
            begin + pal_patchRun < walk->patch->count ? begin + pal_patchRun : walk->patch->count;
        for (int j = begin; j < end && walk->activeCount < maxActive; j++)
        {
            const palLimited* limited = &walk->patch->limited[j];
            double gap = sideOf(limited, x, hair) * palLimited_Gap(limited, x);
            if (gap <= 1.5 * hair && gap >= -depth && palLimited_Covers(limited, x, margin))
                walk->active[walk->activeCount++] = j;
        }
    }
}

// Eq. (8): greedy cliques of pairwise convex constraints. set[i] is the set of active[i].
static int findConvexSets(const palWalk* walk, int* set)
{
    double tolerance = convexShare * walk->unit;
    int count = 0;
    for (int i = 0; i < walk->activeCount; i++)
    {
        const palLimited* candidate = &walk->patch->limited[walk->active[i]];
        set[i] = -1;
        for (int s = 0; s < count && set[i] < 0; s++)
        {
            bool fits = true;
            for (int j = 0; j < i && fits; j++)
                fits = set[j] != s ||
                       palLimited_AreConvex(candidate, &walk->patch->limited[walk->active[j]],
                                            tolerance);
            if (fits)
                set[i] = s;
        }
        if (set[i] < 0)
            set[i] = count++;
    }
    return count;
}

static palPlane planeOf(const palWalk* walk, int index)
{
    const palLimited* limited = &walk->patch->limited[index];
    double hair = hairShare * walk->unit;
    double side = sideOf(limited, walk->x, hair);
    palVec3 n = palScale(side, limited->n);
    return (palPlane){n, palDot(n, limited->c) + hair, limited->friction};
}

// Eq. (12): in each convex set the least violated plane at the free position, and the forced ones.
static int choosePlanes(const palWalk* walk, palPlane planes[pal_planesMax])
{
    int set[maxActive];
    int chosen[maxActive];
    double best[maxActive];
    int setCount = findConvexSets(walk, set);
    for (int s = 0; s < setCount; s++)
        best[s] = -INFINITY;
    for (int i = 0; i < walk->activeCount; i++)
    {
        palPlane plane = planeOf(walk, walk->active[i]);
        double gap = palDot(plane.n, walk->goal) - plane.d;
        if (gap <= best[set[i]])
            continue;
        best[set[i]] = gap;
        chosen[set[i]] = walk->active[i];
    }
    int count = 0;
    for (int k = 0; k < walk->forcedCount; k++)
        planes[count++] = planeOf(walk, walk->forced[k]);
    // A set whose best plane is not violated holds by itself.
    for (int s = 0; s < setCount && count < pal_planesMax; s++)
        if (best[s] < 0.0)
            planes[count++] = planeOf(walk, chosen[s]);
    return count;
}

// Section 3.5, inner trust region: how far the way from x to y is free, 0..1, and the face that
// ends it (-1: none). The way ends a hair before the face.
static double sweep(const palWalk* walk, palVec3 y, int* blocker)
{
    double hair = hairShare * walk->unit;
    double margin = marginShare * walk->unit;
    palVec3 x = walk->x;
    palVec3 step = palSub(y, x);
    int runs[pal_patchRunsMax];
    int runCount = palPatch_Near(walk->patch, boxCorner(x, y, margin, -1.0),
                                 boxCorner(x, y, margin, 1.0), runs);
    double first = 1.0;
    *blocker = -1;
    for (int i = 0; i < runCount; i++)
    {
        int begin = runs[i] * pal_patchRun;
        int end =
            begin + pal_patchRun < walk->patch->count ? begin + pal_patchRun : walk->patch->count;
        for (int j = begin; j < end; j++)
        {
            const palLimited* limited = &walk->patch->limited[j];
            double side = sideOf(limited, x, hair);
            double before = side * palLimited_Gap(limited, x);
            double after = side * palLimited_Gap(limited, y);
            if (limited->kind == pal_limitedEdge || before < -0.5 * hair || after >= 0.25 * hair ||
                after >= before)
                continue;
            double atPlane = after < 0.0 ? fmax(0.0, before / (before - after)) : 1.0;
            double atHair = fmax(0.0, (before - hair) / (before - after));
            if (atHair >= first || !palLimited_Covers(limited, palMulAdd(x, atPlane, step), margin))
                continue;
            first = atHair;
            *blocker = j;
        }
    }
    return first;
}

// Section 3.5, outer trust region: how far from x towards y the surface is known, 0..1.
static double trust(const palSnapshot* snapshot, palVec3 x, palVec3 y)
{
    palVec3 a = palSub(x, snapshot->trustCentre);
    palVec3 b = palSub(y, snapshot->trustCentre);
    double R = snapshot->trustRadius;
    if (palLength(b) <= R)
        return 1.0;
    if (palLength(a) >= R)
        return 0.0;
    // |a + t (b - a)| = R: the larger root, in the form that does not cancel.
    palVec3 d = palSub(b, a);
    double dd = palDot(d, d);
    double ad = palDot(a, d);
    double c = R * R - palDot(a, a);
    double root = sqrt(ad * ad + dd * c);
    return ad > 0.0 ? c / (ad + root) : (root - ad) / dd;
}

static bool force(palWalk* walk, int blocker)
{
    for (int k = 0; k < walk->forcedCount; k++)
        if (walk->forced[k] == blocker)
            return false;
    if (walk->forcedCount == maxForced)
        return false;
    walk->forced[walk->forcedCount++] = blocker;
    return true;
}

// Section 3.4: the iterative solver. Leaves the constrained position in walk->x.
static void solve(palWalk* walk, const palSnapshot* snapshot, palHighInfo* info)
{
    double tolerance = toleranceShare * walk->unit;
    info->converged = false;
    while (!info->converged && info->iterations < maxIterations)
    {
        info->iterations++;
        findActive(walk);
        palPlane planes[pal_planesMax];
        int planeCount = choosePlanes(walk, planes);
        palPlanesResult result =
            palSolvePlanes(planes, planeCount, walk->x, walk->goal, &walk->W, 0.01 * tolerance);
        palVec3 y = result.solved ? result.y : walk->x;

        int blocker;
        double known = trust(snapshot, walk->x, y);
        palVec3 inside = palLerp(walk->x, y, known);
        double way = sweep(walk, inside, &blocker);
        palVec3 next = palLerp(walk->x, inside, way);
        double moved = palDistance(next, walk->x);
        info->active = 3 * result.count;
        info->residual = fmax(moved, result.violation);
        info->held = known < 1.0 && blocker < 0;
        if (moved > tolerance)
        {
            walk->x = next;
            walk->forcedCount = 0;
        }
        else if (blocker < 0)
        {
            walk->x = next;
            info->converged = result.solved;
            if (!result.solved)
                return;
        }
        else if (!force(walk, blocker))
        {
            return; // the same faces block again: x is where it can be, and is flagged
        }
    }
}

static void high(palMethod* method, const palSnapshot* snapshot, const palDeviceState* device,
                 palPointState* body, palHighInfo* info)
{
    const palPointModel* model = &method->def.body;

    // H2: free motion of the proxy, eq. (3) with λ = 0, giving x_free of eq. (14).
    palPointFree free = palPoint_FreeMotion(model, body, device->position, device->velocity);

    // H3, H4: from the old position to the constrained one.
    palWalk walk = {
        .patch = &snapshot->patch,
        .unit = method->def.radius,
        .W = palMakeMat3Scale(free.compliance),
        .goal = free.x,
        .x = body->x,
    };
    info->constraints = 3 * snapshot->patch.count;
    solve(&walk, snapshot, info);

    // H5: eq. (3) with the force that leads there, and the coupling's force on the hand.
    palVec3 lambda = palScale(1.0 / free.compliance, palSub(walk.x, free.x));
    *body = palPoint_Correct(model, &free, lambda);
    body->x = walk.x;
    info->force = palPoint_CouplingForce(model, body, device->position, device->velocity);
}

const palMethodOps pal_methodAccurate = {
    .name = "accurate",
    .summary = "limited constraints, convex sets and trust regions (Knott and Kuhlen 2015)",
    .size = sizeof(palAccurate),
    .usesPatch = true,
    .low = low,
    .high = high,
};

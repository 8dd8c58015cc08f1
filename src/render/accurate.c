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
//     active set        the GLCs in whose region x is                            eqs. (6), (7),
//     (9), (11) convex sets       cliques of locally convex neighbours                     eq. (8)
//     one plane a set   the least violated one at the free position              eq. (12)
//     resolving force   all chosen planes at once, with friction                 solve/planes.h
//     inner trust       no farther than the first surface on the way             section 3.5
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
//   - A plane acts a little farther than its triangle and at a saddle the sets are not the whole
//     truth. So what the sets lead to is checked: where the way is barred at once, or where a
//     crease holds x, the planes around x are tried one by one and in pairs (escape).
//   - Because x never enters the surface, the triangles' own limits suffice (limited.h); the wedge
//     constraints of concave edges only bring back a proxy that was inside to begin with.
//   - The outer trust region is the whole ball that the query covers, not the box in it, centred
//     where the proxy will be in the middle of the snapshot's life; where the ball is empty it
//     grows up to the nearest surface, so that a hand in free space is not held.
//   - Planes lie a hair above the surface, so that rounding cannot put the proxy below it and a
//     way along one face does not touch its neighbours.
#include "base/clock.h"
#include "collide/triangle.h"
#include "render/method.h"
#include "solve/planes.h"

#include <string.h>

// Lengths as shares of the query radius, so that a scaled scene behaves as the scaled scene.
static const double hairShare = 1e-7;       // ε: planes are lifted by this (2 nm at 20 mm)
static const double marginShare = 1e-9;     // limits are widened by this: no gap between neighbours
static const double depthShare = 1e-5;      // d of eq. (7): how deep a proxy is still brought back
static const double convexShare = 1e-9;     // tolerance of the convexity test
static const double toleranceShare = 5e-10; // converged when x moves less (10⁻¹¹ m at 20 mm)
static const double leadShare = 0.75;       // the ball's centre is at most this far ahead of x

enum
{
    maxIterations = 64,
    maxIdle = 6, // iterations that bring x no nearer
    maxActive = 48,
    maxTried = 8, // faces that an escape looks at: 8 and 28 pairs
};

typedef struct palAccurate
{
    palMethod method;
    int found[pal_patchFacesMax]; // low rate: triangles of a query
} palAccurate;

// ---------------------------------------------------------------------------------------------
// Low rate

// Where the proxy will be in the middle of the life of the snapshot that is being made: it goes on
// as it moves, or, held by the present one, after the device. At most leadShare of the radius
// ahead, so that the ball holds the proxy too.
static palVec3 predictCentre(const palMethodDef* def, const palHapticState* hand, double radius)
{
    double middle = def->latency + 0.5 * def->lowDt;
    palVec3 ahead = palMulAdd(hand->device, middle, hand->deviceSpeed);
    palVec3 lead = hand->held ? palSub(ahead, hand->body.x) : palScale(middle, hand->body.v);
    double length = palLength(lead);
    double most = leadShare * radius;
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

// The largest ball, at most that of the query, whose triangles the patch can hold.
static double coveredBall(const palMethodDef* def, const palHapticState* hand, palVec3* centre)
{
    double radius = def->radius;
    const int shrinkingsMax = 60;
    for (int i = 0; i < shrinkingsMax; i++)
    {
        *centre = predictCentre(def, hand, radius);
        int count = countWithin(def, *centre, radius);
        if (count <= pal_patchFacesMax)
            break;
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
    palLimited limited;
    if (!palLimited_FromTriangle(&limited, def->limitShape, v[corner[0]], v[corner[1]],
                                 v[corner[2]]))
        return; // without area: its neighbours meet along it
    limited.friction = collider->friction;
    limited.object = object;
    limited.triangle = triangle;
    limited.twoSided = !collider->closed;
    palPatch_Add(patch, &limited);
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
        palPatch_Add(patch, &limited);
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
    palVec3 centre;
    double radius = coveredBall(def, hand, &centre);
    palPatch_Clear(patch, centre);
    int counts[pal_collidersMax] = {0};
    int total = 0;
    for (int i = 0; i < def->colliderCount; i++)
    {
        counts[i] = palBvh_Within(def->colliders[i].bvh, centre, radius, pal_patchFacesMax - total,
                                  accurate->found + total);
        if (counts[i] > pal_patchFacesMax - total)
            counts[i] = pal_patchFacesMax - total;
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
    const palSnapshot* snapshot;
    double unit;  // the query radius, m: what the shares above are of
    double W;     // h²/A, m/N
    palVec3 goal; // x_free
    palVec3 x;    // tentative state
    int active[maxActive];
    int activeCount;
} palWalk;

// A way from x.
typedef struct palWay
{
    palVec3 end;  // m
    double moved; // m
    int blocker;  // the face that ends it, -1: none
    bool held;    // the outer trust region ends it
} palWay;

static palVec3 boxCorner(palVec3 a, palVec3 b, double margin, double sign)
{
    palVec3 corner = sign < 0.0 ? palMinVec3(a, b) : palMaxVec3(a, b);
    return palAdd(corner, palMakeVec3(sign * margin, sign * margin, sign * margin));
}

// One past the last constraint of a run.
static int runEnd(const palPatch* patch, int run)
{
    int end = (run + 1) * pal_patchRun;
    return end < patch->count ? end : patch->count;
}

// Which side of a constraint's plane the proxy is on: outside for solids, where it is for sheets;
// a proxy that starts on a sheet is outside.
static double sideOf(const palWalk* walk, const palLimited* limited)
{
    double below = -0.5 * hairShare * walk->unit;
    return limited->twoSided && palLimited_Gap(limited, walk->x) < below ? -1.0 : 1.0;
}

// Eqs. (6), (7): whether x is in the region of a constraint. A plane on which x rests has ψ = ε, so
// that the upper bound is a little above that; a wedge below an edge has nothing to say outside.
static bool isActive(const palWalk* walk, const palLimited* limited)
{
    double hair = hairShare * walk->unit;
    double gap = sideOf(walk, limited) * palLimited_Gap(limited, walk->x);
    double most = limited->kind == pal_limitedEdge ? 0.0 : 1.5 * hair;
    return gap <= most && gap >= -depthShare * walk->unit &&
           palLimited_Covers(limited, walk->x, marginShare * walk->unit);
}

static void findActive(palWalk* walk)
{
    const palPatch* patch = &walk->snapshot->patch;
    double depth = depthShare * walk->unit;
    int runs[pal_patchRunsMax];
    int runCount = palPatch_Near(patch, boxCorner(walk->x, walk->x, depth, -1.0),
                                 boxCorner(walk->x, walk->x, depth, 1.0), runs);
    walk->activeCount = 0;
    for (int i = 0; i < runCount; i++)
        for (int j = runs[i] * pal_patchRun; j < runEnd(patch, runs[i]); j++)
            if (walk->activeCount < maxActive && isActive(walk, &patch->limited[j]))
                walk->active[walk->activeCount++] = j;
}

// Eq. (8): greedy cliques of pairwise convex constraints. set[i] is the set of active[i].
static int findConvexSets(const palWalk* walk, int* set)
{
    const palLimited* limited = walk->snapshot->patch.limited;
    double tolerance = convexShare * walk->unit;
    int count = 0;
    for (int i = 0; i < walk->activeCount; i++)
    {
        set[i] = -1;
        for (int s = 0; s < count && set[i] < 0; s++)
        {
            bool fits = true;
            for (int j = 0; j < i && fits; j++)
                fits = set[j] != s || palLimited_AreConvex(&limited[walk->active[i]],
                                                           &limited[walk->active[j]], tolerance);
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
    const palLimited* limited = &walk->snapshot->patch.limited[index];
    palVec3 n = palScale(sideOf(walk, limited), limited->n);
    return (palPlane){n, palDot(n, limited->c) + hairShare * walk->unit, limited->friction};
}

// Eq. (12): in each convex set the least violated plane at the free position. faces[i] is the
// constraint of planes[i].
static int choosePlanes(const palWalk* walk, palPlane planes[pal_planesMax], int* faces)
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
    // A set whose best plane is not violated holds by itself.
    for (int s = 0; s < setCount && count < pal_planesMax; s++)
    {
        if (best[s] >= 0.0)
            continue;
        faces[count] = chosen[s];
        planes[count++] = planeOf(walk, chosen[s]);
    }
    return count;
}

// Section 3.5, inner trust region: how far the way from x to y is free, 0..1, and the face that
// ends it (-1: none). The way ends a hair above the first face that it crosses from the outside.
static double sweep(const palWalk* walk, palVec3 y, int* blocker)
{
    const palPatch* patch = &walk->snapshot->patch;
    double hair = hairShare * walk->unit;
    double first = INFINITY;
    double free = 1.0;
    palSegment segment;
    *blocker = -1;
    if (!palMakeSegment(walk->x, y, &segment))
        return free;
    int runs[pal_patchRunsMax];
    int runCount = palPatch_Near(patch, boxCorner(walk->x, y, hair, -1.0),
                                 boxCorner(walk->x, y, hair, 1.0), runs);
    for (int i = 0; i < runCount; i++)
        for (int j = runs[i] * pal_patchRun; j < runEnd(patch, runs[i]); j++)
        {
            const palLimited* limited = &patch->limited[j];
            double side = sideOf(walk, limited);
            double before = side * palLimited_Gap(limited, walk->x);
            double after = side * palLimited_Gap(limited, y);
            if (limited->kind != pal_limitedFace || after >= before || after > hair)
                continue;
            const palVec3* corner = limited->corner;
            double t = palSegmentCrossing(&segment, corner[0], corner[1], corner[2]);
            if (t >= first)
                continue;
            first = t;
            free = fmax(0.0, (before - hair) / (before - after));
            *blocker = j;
        }
    return free;
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

// As far from x towards y as both trust regions allow.
static palWay follow(const palWalk* walk, palVec3 y)
{
    palWay way;
    double known = trust(walk->snapshot, walk->x, y);
    palVec3 inside = known < 1.0 ? palLerp(walk->x, y, known) : y;
    double free = sweep(walk, inside, &way.blocker);
    way.end = way.blocker >= 0 ? palLerp(walk->x, inside, free) : inside;
    way.moved = palDistance(way.end, walk->x);
    way.held = known < 1.0 && way.blocker < 0;
    return way;
}

// The faces that an escape tries, and the best way found so far.
typedef struct palEscape
{
    int faces[maxTried];
    int count;
    palWay best;
    double distance; // of its end to the goal, m
} palEscape;

static void consider(palEscape* escape, int face)
{
    for (int i = 0; i < escape->count; i++)
        if (escape->faces[i] == face)
            return;
    if (escape->count < maxTried)
        escape->faces[escape->count++] = face;
}

// Follows the way that one or two planes leave; what bars it is tried later.
static void tryPlanes(const palWalk* walk, palEscape* escape, int i, int j)
{
    double tolerance = toleranceShare * walk->unit;
    int count = i == j ? 1 : 2;
    palPlane planes[2] = {planeOf(walk, escape->faces[i]), planeOf(walk, escape->faces[j])};
    palPlanesResult result =
        palSolvePlanes(planes, count, walk->x, walk->goal, walk->W, 0.01 * tolerance);
    if (!result.solved)
        return;
    palWay way = follow(walk, result.y);
    if (way.blocker >= 0)
        consider(escape, way.blocker);
    double distance = palDistance(way.end, walk->goal);
    if (way.moved <= tolerance || distance >= escape->distance - tolerance)
        return;
    escape->best = way;
    escape->distance = distance;
}

// Tries the planes of the given faces, and of those found in the way, one by one and then in
// pairs, for the way that ends nearest to the goal. Returns false where none leads nearer.
static bool escape(const palWalk* walk, const int* faces, int count, bool pairs, palWay* way)
{
    palEscape escape = {.distance = palDistance(walk->x, walk->goal)};
    double start = escape.distance;
    for (int i = 0; i < count; i++)
        consider(&escape, faces[i]);
    for (int i = 0; i < escape.count; i++)
        tryPlanes(walk, &escape, i, i);
    for (int i = 0; i < escape.count && pairs; i++)
        for (int j = i + 1; j < escape.count; j++)
            tryPlanes(walk, &escape, i, j);
    if (escape.distance >= start)
        return false;
    *way = escape.best;
    return true;
}

// One iteration of section 3.4: the way from the tentative state to the next.
static palWay iterate(palWalk* walk, palHighInfo* info)
{
    double tolerance = toleranceShare * walk->unit;
    palPlane planes[pal_planesMax];
    int faces[pal_planesMax];
    findActive(walk);
    int count = choosePlanes(walk, planes, faces);
    palPlanesResult result =
        palSolvePlanes(planes, count, walk->x, walk->goal, walk->W, 0.01 * tolerance);
    palWay way = {.end = walk->x, .blocker = -1};
    if (result.solved)
        way = follow(walk, result.y);
    info->active = 3 * result.count;
    info->residual = fmax(way.moved, result.violation);
    if (way.moved > tolerance)
        return way;

    // x stays. Is it at rest, or do planes hold it that are not in its way?
    if (way.blocker >= 0 || !result.solved)
    {
        if (way.blocker >= 0 && walk->activeCount < maxActive)
            walk->active[walk->activeCount++] = way.blocker;
        escape(walk, walk->active, walk->activeCount, true, &way);
    }
    else if (result.count > 1)
    {
        int binding[3];
        for (int i = 0; i < result.count; i++)
            binding[i] = faces[result.binding[i]];
        escape(walk, binding, result.count, result.count > 2, &way);
    }
    return way;
}

// Section 3.4: the iterative solver. Leaves the constrained position in walk->x. Iterates come
// nearer to the goal but for what it takes to lift x by a hair; where they do not, the active sets
// repeat (creases narrower than a hair do that) and the nearest iterate is taken, flagged.
static void solve(palWalk* walk, palHighInfo* info)
{
    double tolerance = toleranceShare * walk->unit;
    double nearest = INFINITY;
    palVec3 best = walk->x;
    int idle = 0;
    info->converged = false;
    while (!info->converged && info->iterations < maxIterations && idle < maxIdle)
    {
        info->iterations++;
        palWay way = iterate(walk, info);
        walk->x = way.end;
        info->held = way.held;
        info->converged = way.moved <= tolerance && info->residual <= tolerance;
        double distance = palDistance(walk->x, walk->goal);
        idle += distance >= nearest - tolerance;
        if (distance < nearest)
            best = walk->x;
        nearest = fmin(nearest, distance);
    }
    if (!info->converged)
        walk->x = best;
}

static void high(palMethod* method, const palSnapshot* snapshot, const palDeviceState* device,
                 palPointState* body, palHighInfo* info)
{
    const palPointModel* model = &method->def.body;

    // H2: free motion of the proxy, eq. (3) with λ = 0, giving x_free of eq. (14).
    palPointFree free = palPoint_FreeMotion(model, body, device->position, device->velocity);

    // H3, H4: from the old position to the constrained one.
    palWalk walk = {
        .snapshot = snapshot,
        .unit = method->def.radius,
        .W = free.compliance,
        .goal = free.x,
        .x = body->x,
    };
    info->constraints = 3 * snapshot->patch.count;
    solve(&walk, info);

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

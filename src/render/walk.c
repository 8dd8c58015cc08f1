// SPDX-License-Identifier: Apache-2.0
#include "render/walk.h"

#include "collide/triangle.h"
#include "solve/planes.h"

// Lengths as shares of the query radius, so that a scaled scene behaves as the scaled scene.
static const double hairShare = PAL_WALK_HAIR;
static const double marginShare = 1e-9;     // limits are widened by this: no gap between neighbours
static const double convexShare = 1e-9;     // tolerance of the convexity test
static const double toleranceShare = 5e-10; // converged when x moves less (10⁻¹¹ m at 20 mm)

static const double strideShare = 0.9; // of the smallest point: one step of the walk
static const double rounding = 1e-9;   // of a radius: who is held at it is within

enum
{
    maxIterations = 64,
    maxIdle = 6, // iterations that bring x no nearer
    maxActive = pal_walkActiveMax,
    maxTried = 8, // faces that an escape looks at: 8 and 28 pairs
};

// A way from x.
typedef struct palWay
{
    palVec3 end;  // m
    double moved; // m
    int blocker;  // the face that ends it, -1: none
    bool held;    // the outer trust region ends it
    bool whole;   // nothing ends it: it reaches what it aims at
} palWay;

// How far p is from the goal in the metric of W⁻¹, in which the solution is the nearest point; for
// an isotropic W the distance, m.
static double farness(const palWalk* walk, palVec3 p)
{
    palVec3 d = palSub(p, walk->goal);
    double mean = (walk->W.m[0][0] + walk->W.m[1][1] + walk->W.m[2][2]) / 3.0;
    return sqrt(mean * palDot(d, palMat3Apply(walk->stiffness, d)));
}

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
    return gap <= most && gap >= -fmax(walk->depth, limited->depth) &&
           palLimited_Covers(limited, walk->x, marginShare * walk->unit);
}

static void findActive(palWalk* walk)
{
    const palPatch* patch = walk->patch;
    double depth = walk->depth;
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
    const palLimited* limited = walk->patch->limited;
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

palPlane palWalk_Plane(const palWalk* walk, int index)
{
    const palLimited* limited = &walk->patch->limited[index];
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
        palPlane plane = palWalk_Plane(walk, walk->active[i]);
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
        planes[count++] = palWalk_Plane(walk, chosen[s]);
    }
    return count;
}

// Whether a way from x to y may cross the plane of a constraint: not where both ends are on one
// side, by a margin far above rounding.
static bool mayCross(const palPatchPlane* plane, palVec3 x, palVec3 y, double margin)
{
    double before = palDot(plane->n, x) - plane->d;
    double after = palDot(plane->n, y) - plane->d;
    return !((before > margin && after > margin) || (before < -margin && after < -margin));
}

// Section 3.5, inner trust region.
double palWalk_Sweep(const palWalk* walk, palVec3 y, int* blocker)
{
    const palPatch* patch = walk->patch;
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
            if (!mayCross(&patch->planes[j], walk->x, y, 0.25 * hair))
                continue;
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
static double trust(const palWalk* walk, palVec3 x, palVec3 y)
{
    palVec3 a = palSub(x, walk->trustCentre);
    palVec3 b = palSub(y, walk->trustCentre);
    double R = walk->trustRadius;
    // From outside, where a region that is new does not hold the proxy, nothing is known of the
    // way.
    if (palLength(a) > (1.0 + rounding) * R)
        return 0.0;
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

// As far from x towards y as both trust regions allow: of point shells not past the smallest point.
static palWay follow(const palWalk* walk, palVec3 y)
{
    palWay way;
    double known = trust(walk, walk->x, y);
    double stride = strideShare * walk->patch->stride / palDistance(walk->x, y);
    double most = fmin(known, stride);
    palVec3 inside = most < 1.0 ? palLerp(walk->x, y, most) : y;
    double free = palWalk_Sweep(walk, inside, &way.blocker);
    way.end = way.blocker >= 0 ? palLerp(walk->x, inside, free) : inside;
    way.moved = palDistance(way.end, walk->x);
    way.held = known < 1.0 && known <= stride && way.blocker < 0;
    way.whole = most >= 1.0 && way.blocker < 0;
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
    palPlane planes[2] = {palWalk_Plane(walk, escape->faces[i]),
                          palWalk_Plane(walk, escape->faces[j])};
    palPlanesResult result =
        palSolvePlanes(planes, count, walk->x, walk->goal, &walk->W, 0.01 * tolerance);
    if (!result.solved)
        return;
    palWay way = follow(walk, result.y);
    if (way.blocker >= 0)
        consider(escape, way.blocker);
    double distance = farness(walk, way.end);
    if (way.moved <= tolerance || distance >= escape->distance - tolerance)
        return;
    escape->best = way;
    escape->distance = distance;
}

// Tries the planes of the given faces, and of those found in the way, one by one and then in
// pairs, for the way that ends nearest to the goal. Returns false where none leads nearer.
static bool escape(const palWalk* walk, const int* faces, int count, bool pairs, palWay* way)
{
    palEscape escape = {.distance = farness(walk, walk->x)};
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
    palProblemCopy_TakePlanes(info->problem, planes, count, walk->x, walk->goal, &walk->W);
    palPlanesResult result =
        palSolvePlanes(planes, count, walk->x, walk->goal, &walk->W, 0.01 * tolerance);
    palWay way = {.end = walk->x, .blocker = -1};
    if (result.solved)
        way = follow(walk, result.y);
    walk->bindingCount = result.count;
    for (int i = 0; i < result.count; i++)
    {
        walk->binding[i] = faces[result.binding[i]];
        walk->normalForces[i] = result.lambda[i];
    }
    info->active = 3 * result.count;
    info->residual = fmax(way.moved, result.violation);
    if (way.moved > tolerance)
        return way;

    // x stays. Is it at rest, or do planes hold it that are not in its way? Among points, which no
    // way can be swept against, the sets have the last word.
    if (walk->patch->stride < INFINITY)
        return way;
    if (way.blocker >= 0 || !result.solved)
    {
        if (way.blocker >= 0 && walk->activeCount < maxActive)
            walk->active[walk->activeCount++] = way.blocker;
        escape(walk, walk->active, walk->activeCount, true, &way);
    }
    else if (result.count > 1)
        escape(walk, walk->binding, result.count, result.count > 2, &way);
    return way;
}

// Section 3.4: the iterative solver. Leaves the constrained position in walk->x. Iterates come
// nearer to the goal but for what it takes to lift x by a hair; where they do not, the active sets
// repeat (creases narrower than a hair do that) and the nearest iterate is taken, flagged. Among
// points x dips below one plane before the next holds it: there the last that a plane held is
// taken.
void palWalk_Solve(palWalk* walk, palHighInfo* info)
{
    double tolerance = toleranceShare * walk->unit;
    double nearest = INFINITY;
    palVec3 best = walk->x;
    bool points = walk->patch->stride < INFINITY;
    int idle = 0;
    info->converged = false;
    while (!info->converged && info->iterations < maxIterations && idle < maxIdle)
    {
        info->iterations++;
        palWay way = iterate(walk, info);
        walk->x = way.end;
        info->held = way.held;
        info->converged = way.moved <= tolerance && info->residual <= tolerance;
        double distance = farness(walk, walk->x);
        idle += !points && distance >= nearest - tolerance;
        if (points ? info->active > 0 && way.whole : distance < nearest)
            best = walk->x;
        nearest = fmin(nearest, distance);
    }
    if (!info->converged || (points && info->held))
        walk->x = best;
    // A corner can stop x without a plane of its own.
    if (info->active == 0 && !info->held && farness(walk, walk->x) > tolerance)
        info->active = 3;
}

// One contact in the direction of the whole force: of a corner that has no plane of its own.
static void reportCorner(const palWalk* walk, palVec3 force, palVec3 proxy, int hand,
                         palHighInfo* info)
{
    if (walk->activeCount == 0)
        return;
    palContactForce contact = {
        .object = walk->patch->limited[walk->active[0]].object,
        .other = hand,
        .point = proxy,
        .normal = palNormalize(force),
        .force = palNeg(force),
    };
    palContactReport_Add(info->contacts, &contact);
}

void palWalk_Report(const palWalk* walk, palVec3 force, palVec3 proxy, int hand, palHighInfo* info)
{
    if (info->active == 0)
        return;
    double load = 0.0;
    palVec3 friction = force;
    for (int i = 0; i < walk->bindingCount; i++)
    {
        const palLimited* limited = &walk->patch->limited[walk->binding[i]];
        double side = sideOf(walk, limited);
        load += walk->normalForces[i];
        friction = palMulAdd(friction, -side * walk->normalForces[i], limited->n);
    }
    if (!(load > 0.0))
        reportCorner(walk, force, proxy, hand, info);
    for (int i = 0; i < walk->bindingCount && load > 0.0; i++)
    {
        const palLimited* limited = &walk->patch->limited[walk->binding[i]];
        palVec3 normal = palScale(sideOf(walk, limited), limited->n);
        double share = walk->normalForces[i] / load;
        double gap = fabs(palLimited_Gap(limited, walk->x));
        palVec3 push = palMulAdd(palScale(share, friction), walk->normalForces[i], normal);
        palContactForce contact = {
            .object = limited->object,
            .other = hand,
            .point = palMulAdd(proxy, -gap, normal),
            .normal = normal,
            .gap = gap,
            .force = palNeg(push),
        };
        palContactReport_Add(info->contacts, &contact);
    }
}

int palWalk_FindSets(palWalk* walk, int set[pal_walkActiveMax])
{
    findActive(walk);
    return findConvexSets(walk, set);
}

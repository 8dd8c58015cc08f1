// SPDX-License-Identifier: Apache-2.0
#include "touch/walk.h"

#include "collide/triangle.h"

// Lengths as shares of the query radius, so that a scaled scene behaves as the scaled scene.
static const double offsetShare = PAL_SURFACE_OFFSET;
static const double marginShare = 1e-9;     // limits are widened by this: no gap between neighbours
static const double convexShare = 1e-9;     // tolerance of the convexity test
static const double toleranceShare = 5e-10; // converged when x moves less (10⁻¹¹ m at 20 mm)

static const double creaseShare = 1e-4; // faces beside x count where the iteration alternates

static const double strideShare = 0.9; // of the smallest point: one step of the walk
static const double rounding = 1e-9;   // of a radius: tolerance of the trust region

enum
{
    maxIterations = 64,
    maxIdle = 6, // iterations that bring x no nearer
    maxActive = pal_walkActiveMax,
    maxTried = 8, // faces that an escape looks at: 8 and 28 pairs
    maxBarred = 4,
};

// A way from x.
typedef struct palWay
{
    palVec3 end;  // m
    double moved; // m
    int blocker;  // the face that ends it, -1: none
    bool held;    // the outer trust region ends it
    bool whole;   // nothing ends it: it reaches what it aims at

    // Of several bodies; not set where there is one.
    palVec3 ends[pal_planeBodiesMax]; // where it ends on each, m
    palPushes pushes;                 // the forces that lead to its end
} palWay;

// The square of the distance from p to the goal in the metric of W⁻¹, times the mean of W.
static double squaredFarness(palVec3 p, palVec3 goal, const palMat3* W, const palMat3* stiffness)
{
    palVec3 d = palSub(p, goal);
    double mean = (W->m[0][0] + W->m[1][1] + W->m[2][2]) / 3.0;
    return mean * palDot(d, palMat3Apply(*stiffness, d));
}

// How far the end of a way, or x where it is NULL, is from the goal in the metric of W⁻¹, in which
// the solution is the nearest point; for an isotropic W the distance, m.
static double farness(const palWalk* walk, const palWay* way)
{
    if (walk->bodies == NULL)
        return sqrt(squaredFarness(way != NULL ? way->end : walk->x, walk->goal, &walk->W,
                                   &walk->stiffness));
    double sum = 0.0;
    for (int b = 0; b < walk->bodies->count; b++)
    {
        const palPlaneBody* body = &walk->bodies->bodies[b];
        sum += squaredFarness(way != NULL ? way->ends[b] : body->x, walk->goal, &body->whole,
                              &body->stiffness);
    }
    return sqrt(sum);
}

// No way at all.
static void stay(const palWalk* walk, palWay* way)
{
    way->end = walk->x;
    way->moved = 0.0;
    way->blocker = -1;
    way->held = way->whole = false;
    if (walk->bodies == NULL)
        return;
    way->pushes = walk->pushes;
    for (int b = 0; b < walk->bodies->count; b++)
        way->ends[b] = walk->bodies->bodies[b].x;
}

// Where a way ends, for `go`.
static void keepEnd(const palWalk* walk, const palWay* way, palWay* kept)
{
    kept->end = way->end;
    if (walk->bodies == NULL)
        return;
    kept->pushes = way->pushes;
    for (int b = 0; b < walk->bodies->count; b++)
        kept->ends[b] = way->ends[b];
}

static void go(palWalk* walk, const palWay* way)
{
    walk->x = way->end;
    if (walk->bodies == NULL)
        return;
    walk->pushes = way->pushes;
    for (int b = 0; b < walk->bodies->count; b++)
        walk->bodies->bodies[b].x = way->ends[b];
}

static int ownerOf(const palWalk* walk, const palLimited* limited)
{
    return walk->bodies != NULL ? walk->owners[limited->object] : 0;
}

// The tentative state as the body of a constraint sees it.
static palVec3 placeOf(const palWalk* walk, const palLimited* limited)
{
    return walk->bodies != NULL ? walk->bodies->bodies[ownerOf(walk, limited)].x : walk->x;
}

// Appends a way from one place to another to a box.
static void extendBox(palVec3 from, palVec3 to, palVec3* low, palVec3* high)
{
    *low = palMinVec3(*low, palMinVec3(from, to));
    *high = palMaxVec3(*high, palMaxVec3(from, to));
}

// The constraints whose box meets that around a way, on all bodies, widened by a margin; around x
// where the way is NULL.
static int findNear(const palWalk* walk, const palWay* way, double margin, int* runs)
{
    palVec3 low = walk->x, high = walk->x;
    if (way != NULL)
        extendBox(walk->x, way->end, &low, &high);
    for (int b = 0; walk->bodies != NULL && b < walk->bodies->count; b++)
    {
        palVec3 x = walk->bodies->bodies[b].x;
        extendBox(x, way != NULL ? way->ends[b] : x, &low, &high);
    }
    palVec3 wider = palMakeVec3(margin, margin, margin);
    return palPatch_Near(walk->patch, palSub(low, wider), palAdd(high, wider), runs);
}

// One past the last constraint of a run.
static int runEnd(const palPatch* patch, int run)
{
    int end = (run + 1) * pal_patchRun;
    return end < patch->count ? end : patch->count;
}

// Which side of a constraint's plane the proxy is on: outside for solids, where it is for sheets;
// a proxy that starts on a sheet is outside.
static double sideAt(const palWalk* walk, const palLimited* limited, double gap)
{
    return limited->twoSided && gap < -0.5 * offsetShare * walk->unit ? -1.0 : 1.0;
}

static double sideOf(const palWalk* walk, const palLimited* limited)
{
    return sideAt(walk, limited, palLimited_Gap(limited, placeOf(walk, limited)));
}

// Eqs. (6), (7): whether x is in the region of a constraint. A plane on which x rests has ψ = ε, so
// that the upper bound is a little above that; the wedge below an edge is inactive for gap > 0.
static bool isActive(const palWalk* walk, const palLimited* limited)
{
    double offset = offsetShare * walk->unit;
    palVec3 x = placeOf(walk, limited);
    double gap = palLimited_Gap(limited, x);
    gap *= sideAt(walk, limited, gap);
    double most = limited->kind == pal_limitedEdge ? 0.0 : 1.5 * offset + walk->margin;
    double depth = limited->isCovered ? 0.0 : walk->depth;
    return gap <= most && (gap >= -depth || gap >= -limited->depth) &&
           palLimited_Covers(limited, x, marginShare * walk->unit + walk->margin);
}

static void findActive(palWalk* walk)
{
    const palPatch* patch = walk->patch;
    int runs[pal_patchRunsMax];
    int runCount = findNear(walk, NULL, walk->depth, runs);
    walk->activeCount = 0;
    for (int i = 0; i < runCount; i++)
        for (int j = runs[i] * pal_patchRun; j < runEnd(patch, runs[i]); j++)
            if (walk->activeCount < maxActive && isActive(walk, &patch->limited[j]))
                walk->active[walk->activeCount++] = j;
}

static bool areOneSet(const palWalk* walk, const palLimited* a, const palLimited* b,
                      double tolerance)
{
    return ownerOf(walk, a) == ownerOf(walk, b) && palLimited_AreConvex(a, b, tolerance);
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
                fits = set[j] != s || areOneSet(walk, &limited[walk->active[i]],
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
    return (palPlane){n, palDot(n, limited->c) + offsetShare * walk->unit, limited->friction};
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
    // A set whose best plane is not violated holds by itself, unless another body pushes x there.
    for (int s = 0; s < setCount && count < pal_planesMax; s++)
    {
        if (best[s] >= 0.0 && walk->bodies == NULL)
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

// Whether the way from x to y crosses a face of a solid from the outside, or of a sheet from where
// it is: at which share of it, and the share that is free.
static bool crosses(const palWalk* walk, const palLimited* limited, const palSegment* segment,
                    palVec3 x, palVec3 y, double* crossing, double* free)
{
    double offset = offsetShare * walk->unit;
    double before = palLimited_Gap(limited, x);
    double side = sideAt(walk, limited, before);
    before *= side;
    double after = side * palLimited_Gap(limited, y);
    if (limited->kind != pal_limitedFace || after >= before || after > offset)
        return false;
    const palVec3* corner = limited->corner;
    double t = palSegmentCrossing(segment, corner[0], corner[1], corner[2]);
    if (t >= *crossing)
        return false;
    *crossing = t;
    *free = fmax(0.0, (before - offset) / (before - after));
    return true;
}

// Section 3.5, inner trust region.
double palWalk_Sweep(const palWalk* walk, palVec3 y, int* blocker)
{
    const palPatch* patch = walk->patch;
    double offset = offsetShare * walk->unit;
    double first = INFINITY;
    double free = 1.0;
    palSegment segment;
    *blocker = -1;
    if (!palMakeSegment(walk->x, y, &segment))
        return free;
    int runs[pal_patchRunsMax];
    palVec3 wider = palMakeVec3(offset, offset, offset);
    int runCount = palPatch_Near(patch, palSub(palMinVec3(walk->x, y), wider),
                                 palAdd(palMaxVec3(walk->x, y), wider), runs);
    for (int i = 0; i < runCount; i++)
        for (int j = runs[i] * pal_patchRun; j < runEnd(patch, runs[i]); j++)
            if (mayCross(&patch->planes[j], walk->x, y, 0.25 * offset) &&
                crosses(walk, &patch->limited[j], &segment, walk->x, y, &first, &free))
                *blocker = j;
    return free;
}

// The same where there are several bodies: on each the way is another, against its own faces.
static double sweepBodies(const palWalk* walk, const palWay* way, int* blocker)
{
    const palPatch* patch = walk->patch;
    double offset = offsetShare * walk->unit;
    double first = INFINITY;
    double free = 1.0;
    palSegment segments[pal_planeBodiesMax];
    bool moves[pal_planeBodiesMax];
    *blocker = -1;
    for (int b = 0; b < walk->bodies->count; b++)
        moves[b] = palMakeSegment(walk->bodies->bodies[b].x, way->ends[b], &segments[b]);
    int runs[pal_patchRunsMax];
    int runCount = findNear(walk, way, offset, runs);
    for (int i = 0; i < runCount; i++)
        for (int j = runs[i] * pal_patchRun; j < runEnd(patch, runs[i]); j++)
        {
            int b = ownerOf(walk, &patch->limited[j]);
            palVec3 x = walk->bodies->bodies[b].x;
            if (moves[b] && mayCross(&patch->planes[j], x, way->ends[b], 0.25 * offset) &&
                crosses(walk, &patch->limited[j], &segments[b], x, way->ends[b], &first, &free))
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

// Shortens a way to a share of it.
static void shorten(const palWalk* walk, palWay* way, double share)
{
    way->pushes.isKnown = false;
    way->end = palLerp(walk->x, way->end, share);
    for (int b = 0; walk->bodies != NULL && b < walk->bodies->count; b++)
        way->ends[b] = palLerp(walk->bodies->bodies[b].x, way->ends[b], share);
}

static double lengthOf(const palWalk* walk, const palWay* way)
{
    double length = palDistance(way->end, walk->x);
    for (int b = 0; walk->bodies != NULL && b < walk->bodies->count; b++)
        length = fmax(length, palDistance(way->ends[b], walk->bodies->bodies[b].x));
    return length;
}

// Ends a way where the trust regions end it: of point shells not past the smallest point.
static void follow(const palWalk* walk, palWay* way)
{
    double known = trust(walk, walk->x, way->end);
    double stride = strideShare * walk->patch->stride / palDistance(walk->x, way->end);
    double most = fmin(known, stride);
    if (most < 1.0)
        shorten(walk, way, most);
    double free = walk->bodies != NULL ? sweepBodies(walk, way, &way->blocker)
                                       : palWalk_Sweep(walk, way->end, &way->blocker);
    if (way->blocker >= 0)
        shorten(walk, way, free);
    way->moved = lengthOf(walk, way);
    way->held = known < 1.0 && known <= stride && way->blocker < 0;
    way->whole = most >= 1.0 && way->blocker < 0;
}

// Planes, and what they lead to.
typedef struct palAim
{
    int count;
    palPlane planes[pal_planesMax];
    int faces[pal_planesMax]; // the constraint of each
    palPlanesResult result;
    palWay way; // to where they put x, whole
} palAim;

// Solves the planes; `problem` gets a copy unless it is NULL.
static void aimWith(const palWalk* walk, palAim* aim, palProblemCopy* problem)
{
    double tolerance = 0.01 * toleranceShare * walk->unit;
    palWay* way = &aim->way;
    stay(walk, way);
    if (walk->bodies == NULL)
    {
        aim->result =
            palSolvePlanes(aim->planes, aim->count, walk->x, walk->goal, &walk->W, tolerance);
        way->end = aim->result.y;
        if (problem != NULL)
            palProblemCopy_TakeOwnPlanes(
                problem, aim->planes, aim->count, walk->x, walk->goal, &walk->W, &aim->result,
                palMat3Apply(walk->stiffness, palSub(aim->result.y, walk->goal)));
        return;
    }
    int owners[pal_planesMax];
    for (int i = 0; i < aim->count; i++)
        owners[i] = ownerOf(walk, &walk->patch->limited[aim->faces[i]]);
    palPlanesForces forces = palSolvePlanesOfBodies(aim->planes, owners, aim->count, walk->goal,
                                                    walk->bodies, tolerance);
    palProblemCopy_TakePlanes(problem, aim->planes, owners, aim->count, walk->goal, walk->bodies,
                              &forces);
    aim->result = forces.planes;
    way->end = aim->result.y;
    way->pushes = (palPushes){.isKnown = true, .count = forces.bodyCount};
    for (int i = 0; i < forces.bodyCount; i++)
    {
        way->pushes.bodies[i] = forces.bodies[i];
        way->pushes.forces[i] = forces.forces[i];
    }
    for (int b = 0; b < walk->bodies->count; b++)
        way->ends[b] = palPlaneBodies_Place(walk->bodies, walk->goal, &forces, b);
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
    palAim tried;
    tried.count = i == j ? 1 : 2;
    tried.faces[0] = escape->faces[i];
    tried.faces[1] = escape->faces[j];
    for (int k = 0; k < tried.count; k++)
        tried.planes[k] = palWalk_Plane(walk, tried.faces[k]);
    aimWith(walk, &tried, NULL);
    if (!tried.result.solved)
        return;
    follow(walk, &tried.way);
    if (tried.way.blocker >= 0)
        consider(escape, tried.way.blocker);
    double distance = farness(walk, &tried.way);
    if (tried.way.moved <= tolerance || distance >= escape->distance - tolerance)
        return;
    escape->best = tried.way;
    escape->distance = distance;
}

// Tries the planes of the given faces, and of those found in the way, one by one and then in
// pairs, for the way that ends nearest to the goal. Returns false where none leads nearer.
static bool escape(const palWalk* walk, const int* faces, int count, bool pairs, palWay* way)
{
    palEscape escape;
    double start = farness(walk, NULL);
    escape.count = 0;
    escape.distance = start;
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

// The planes of what is active, and the way that they leave.
static void solveActive(const palWalk* walk, palAim* active, palHighInfo* info)
{
    active->count = choosePlanes(walk, active->planes, active->faces);
    aimWith(walk, active, info->problem);
    // Of several bodies the nearest to a solution is of use, and no way leads into a surface.
    if (active->result.solved || walk->bodies != NULL)
        follow(walk, &active->way);
    else
        stay(walk, &active->way);
}

// The planes that hold x, and their forces.
static void keepBinding(palWalk* walk, const palAim* aim, palHighInfo* info)
{
    const palPlanesResult* result = &aim->result;
    walk->bindingCount = result->count;
    for (int i = 0; i < result->count; i++)
    {
        walk->binding[i] = aim->faces[result->binding[i]];
        walk->normalForces[i] = result->lambda[i];
    }
    info->active = 3 * result->count;
}

void palWalk_Aim(palWalk* walk, palHighInfo* info)
{
    palAim active;
    findActive(walk);
    active.count = choosePlanes(walk, active.planes, active.faces);
    aimWith(walk, &active, info->problem);
    keepBinding(walk, &active, info);
    walk->aim = active.way.end;
    walk->pushes = active.way.pushes;
    info->held = true;
}

// One iteration of section 3.4: the way from the tentative state to the next.
static void iterate(palWalk* walk, palAim* active, palHighInfo* info)
{
    double tolerance = toleranceShare * walk->unit;
    const palPlanesResult* result = &active->result;
    palWay* way = &active->way;
    findActive(walk);
    solveActive(walk, active, info);
    // On several bodies more planes may hold x than are active at first: those that bar its way.
    for (int k = 0; k < maxBarred && walk->bodies != NULL && way->moved <= tolerance &&
                    way->blocker >= 0 && walk->activeCount < maxActive;
         k++)
    {
        walk->active[walk->activeCount++] = way->blocker;
        solveActive(walk, active, info);
    }
    keepBinding(walk, active, info);
    info->residual = fmax(way->moved, result->violation);
    if (way->moved > tolerance)
        return;

    // x stays. Is it at rest, or do planes hold it that are not in its way? Among points, which no
    // way can be swept against, the sets have the last word.
    if (walk->patch->stride < INFINITY)
        return;
    if (way->blocker >= 0 || !result->solved)
    {
        if (way->blocker >= 0 && walk->activeCount < maxActive)
            walk->active[walk->activeCount++] = way->blocker;
        escape(walk, walk->active, walk->activeCount, true, way);
    }
    else if (result->count > 1)
        escape(walk, walk->binding, result->count, result->count > 2, way);
}

// Section 3.4: the iterative solver. Leaves the constrained position in walk->x. Iterates come
// nearer to the goal but for what it takes to lift x by the surface offset; where they do not, the
// active sets repeat, as in creases narrower than that offset, and the nearest iterate is taken,
// flagged. Among points x dips below one plane before the next holds it: there the last that a
// plane held is taken.
void palWalk_Solve(palWalk* walk, palHighInfo* info)
{
    double tolerance = toleranceShare * walk->unit;
    double nearest = INFINITY;
    palAim active;
    palWay* way = &active.way;
    palWay best;
    bool points = walk->patch->stride < INFINITY;
    int idle = 0;
    stay(walk, &best);
    info->converged = false;
    walk->margin = 0.0;
    while (!info->converged && info->iterations < maxIterations && idle < maxIdle)
    {
        info->iterations++;
        iterate(walk, &active, info);
        go(walk, way);
        info->held = way->held;
        info->converged = way->moved <= tolerance && info->residual <= tolerance;
        double distance = farness(walk, way);
        idle += !points && distance >= nearest - tolerance;
        // To and fro over a crease: both of its faces must be seen at once.
        walk->margin = idle > 0 ? fmin(2.0 * way->moved, creaseShare * walk->unit) : 0.0;
        if (points ? info->active > 0 && way->whole : distance < nearest)
            keepEnd(walk, way, &best);
        nearest = fmin(nearest, distance);
    }
    if (!info->converged || (points && info->held))
        go(walk, &best);
    walk->aim = walk->x;
    // What is not known at the goal does not push.
    if (info->held)
        palWalk_Aim(walk, info);
    // A corner can stop x without a plane of its own.
    else if (info->active == 0 && farness(walk, NULL) > tolerance)
        info->active = 3;
}

// The bodies whose planes hold x. Returns their number.
static int holdingBodies(const palWalk* walk, int* bodies)
{
    int count = 0;
    for (int i = 0; i < walk->bindingCount && walk->bodies != NULL; i++)
    {
        int owner = ownerOf(walk, &walk->patch->limited[walk->binding[i]]);
        bool isKnown = false;
        for (int k = 0; k < count; k++)
            isKnown |= bodies[k] == owner;
        if (!isKnown && count < pal_planesPushedMax)
            bodies[count++] = owner;
    }
    return count;
}

palPushes palWalk_Pushes(const palWalk* walk)
{
    palPushes pushes = walk->pushes;
    if (walk->bodies != NULL && pushes.isKnown && pushes.count > 0)
        return pushes;
    pushes.count = holdingBodies(walk, pushes.bodies);
    if (pushes.count > 0 &&
        palPlaneBodies_Forces(walk->bodies, walk->goal, pushes.bodies, pushes.count, pushes.forces))
        return pushes;
    pushes.count = 1;
    pushes.bodies[0] = 0;
    pushes.forces[0] = palMat3Apply(walk->stiffness, palSub(walk->aim, walk->goal));
    return pushes;
}

bool palWalk_PushFrom(palWalk* walk, int body, palVec3 force)
{
    palPlanesForces forces = {.bodyCount = 1, .bodies = {body}, .forces = {force}};
    palWay way;
    int blocker;
    stay(walk, &way);
    for (int b = 0; b < walk->bodies->count; b++)
        if (b != body)
            way.ends[b] = palPlaneBodies_Place(walk->bodies, walk->goal, &forces, b);
    sweepBodies(walk, &way, &blocker);
    if (blocker >= 0)
        return false;
    way.ends[body] = palPlaneBodies_Place(walk->bodies, walk->goal, &forces, body);
    way.end = way.ends[0];
    way.pushes = (palPushes){.isKnown = true, .count = 1, .bodies = {body}, .forces = {force}};
    go(walk, &way);
    walk->aim = walk->x;
    return true;
}

// One contact in the direction of the whole force: of a corner that has no plane of its own.
static void reportCorner(const palWalk* walk, palVec3 force, palVec3 proxy, const palMethodDef* def,
                         palHighInfo* info)
{
    if (walk->activeCount == 0)
        return;
    palContactForce contact = {
        .object = walk->patch->limited[walk->active[0]].object,
        .other = palMethodDef_HandBody(def),
        .hand = def->hand,
        .point = proxy,
        .normal = palNormalize(force),
        .force = palNeg(force),
    };
    palContactReport_Add(info->contacts, &contact);
}

void palWalk_Report(const palWalk* walk, palVec3 force, palVec3 proxy, const palMethodDef* def,
                    palHighInfo* info)
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
        reportCorner(walk, force, proxy, def, info);
    for (int i = 0; i < walk->bindingCount && load > 0.0; i++)
    {
        const palLimited* limited = &walk->patch->limited[walk->binding[i]];
        palVec3 normal = palScale(sideOf(walk, limited), limited->n);
        double share = walk->normalForces[i] / load;
        double gap = fabs(palLimited_Gap(limited, placeOf(walk, limited)));
        palVec3 push = palMulAdd(palScale(share, friction), walk->normalForces[i], normal);
        palContactForce contact = {
            .object = limited->object,
            .other = palMethodDef_HandBody(def),
            .hand = def->hand,
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

// SPDX-License-Identifier: Apache-2.0
#include "solve/planes.h"

#include "solve/cone.h"

// The solution for one to three planes treated as equalities.
typedef struct palCandidate
{
    palVec3 y;
    double lambda[3]; // N
} palCandidate;

// Pairs of normals with a smaller sine of their angle, and triples with a smaller determinant, are
// linearly dependent.
static const double sineMin = 1e-9;

// One plane, no friction: y = goal + λ W n.
static bool meetOne(const palPlane* a, palVec3 goal, const palMat3* W, palCandidate* candidate)
{
    palVec3 Wa = palMat3Apply(*W, a->n);
    double lambda = (a->d - palDot(a->n, goal)) / palDot(a->n, Wa);
    candidate->y = palMulAdd(goal, lambda, Wa);
    candidate->lambda[0] = lambda;
    return true;
}

// One plane with friction: the three rows (n, t1, t2) of Coulomb's law.
static bool meetOneWithFriction(const palPlane* a, palVec3 from, palVec3 goal, const palMat3* W,
                                palCandidate* candidate)
{
    palVec3 frame[3] = {a->n};
    palTangents(a->n, &frame[1], &frame[2]);
    palVec3 slide = palSub(goal, from);
    const double q[3] = {palDot(a->n, goal) - a->d, palDot(frame[1], slide),
                         palDot(frame[2], slide)};
    palUnitFactor factor;
    for (int i = 0; i < 3; i++)
    {
        palVec3 Wi = palMat3Apply(*W, frame[i]);
        for (int j = 0; j < 3; j++)
            factor.contact.A[3 * i + j] = palDot(frame[j], Wi);
    }
    double slip = 0.0;
    double lambda[3] = {0, 0, 0};
    palCone_Prepare(3, &factor);
    palCone_Solve(3, a->friction, &factor, q, &slip, lambda);
    palVec3 f = palScale(lambda[0], frame[0]);
    f = palMulAdd(palMulAdd(f, lambda[1], frame[1]), lambda[2], frame[2]);
    candidate->y = palAdd(goal, palMat3Apply(*W, f));
    candidate->lambda[0] = lambda[0];
    return true;
}

// Two planes and the friction φ along their crease e: the forces (α, β, φ) solve
//
//     aᵀ y = da,  bᵀ y = db,  and  eᵀ (y - from) = 0 (held)  or  φ = ±(μa α + μb β) (sliding).
//
// Solved in the orthogonal axes a, m = e × a and e, which is accurate also for nearly parallel
// planes: b = g a + s m with g and s the cosine and sine of their angle, hence
//
//     mᵀ y = (db - g da) / s,  β = fm / s  and  α = fa - g fm / s.
static bool meetTwo(const palPlane* a, const palPlane* b, palVec3 from, palVec3 goal,
                    const palMat3* W, palCandidate* candidate)
{
    palVec3 cross = palCross(a->n, b->n);
    double s = palLength(cross);
    if (s < sineMin)
        return false;
    double g = palDot(a->n, b->n);
    palVec3 e = palScale(1.0 / s, cross);
    palMat3 axes = palMakeMat3Columns(a->n, palCross(e, a->n), e);
    palMat3 response = palMat3Mul(*W, axes);
    palMat3 G = palMat3Mul(palMat3Transpose(axes), response);
    double ra = a->d - palDot(a->n, goal);
    double rb = b->d - palDot(b->n, goal);
    palVec3 r = {ra, (rb - g * ra) / s, palDot(e, palSub(from, goal))};

    palMat3 inverse;
    if (!palMat3Inverse(G, &inverse))
        return false;
    palVec3 f = palMat3Apply(inverse, r); // held: (fa, fm, φ)
    double ca = a->friction;
    double cm = (b->friction - g * a->friction) / s;
    if (fabs(f.z) > ca * f.x + cm * f.y)
    {
        // Sliding: φ = ±(ca fa + cm fm) substituted into the other two equations.
        double sign = copysign(1.0, f.z);
        double g00 = G.m[0][0] + sign * ca * G.m[0][2], g01 = G.m[0][1] + sign * cm * G.m[0][2];
        double g10 = G.m[1][0] + sign * ca * G.m[1][2], g11 = G.m[1][1] + sign * cm * G.m[1][2];
        double determinant = g00 * g11 - g01 * g10;
        if (determinant == 0.0)
            return false;
        f.x = (r.x * g11 - r.y * g01) / determinant;
        f.y = (r.y * g00 - r.x * g10) / determinant;
        f.z = sign * (ca * f.x + cm * f.y);
    }
    candidate->lambda[1] = f.y / s;
    candidate->lambda[0] = f.x - g * candidate->lambda[1];
    candidate->y = palAdd(goal, palMat3Apply(response, f));
    return true;
}

// The intersection of three planes by Cramer's rule, relative to the goal; the forces from the dual
// basis.
static bool meetThree(const palPlane* a, const palPlane* b, const palPlane* c, palVec3 goal,
                      const palMat3* W, palCandidate* candidate)
{
    palVec3 bc = palCross(b->n, c->n);
    palVec3 ca = palCross(c->n, a->n);
    palVec3 ab = palCross(a->n, b->n);
    double volume = palDot(a->n, bc);
    palMat3 inverse;
    if (fabs(volume) < sineMin || !palMat3Inverse(*W, &inverse))
        return false;
    double ra = a->d - palDot(a->n, goal);
    double rb = b->d - palDot(b->n, goal);
    double rc = c->d - palDot(c->n, goal);
    palVec3 step = palMulAdd(palMulAdd(palScale(ra, bc), rb, ca), rc, ab);
    step = palScale(1.0 / volume, step);
    candidate->y = palAdd(goal, step);
    palVec3 force = palScale(1.0 / volume, palMat3Apply(inverse, step));
    candidate->lambda[0] = palDot(force, bc);
    candidate->lambda[1] = palDot(force, ca);
    candidate->lambda[2] = palDot(force, ab);
    return true;
}

static double worstViolation(const palPlane* planes, int count, palVec3 y)
{
    double worst = 0.0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, planes[i].d - palDot(planes[i].n, y));
    return worst;
}

// With friction, a motion below this multiple of the tolerance counts as sticking.
static const double stickingTolerances = 1000.0;

// The problem, and the best candidate so far.
typedef struct palSearch
{
    const palPlane* planes;
    int count;
    palVec3 from, goal;
    const palMat3* W;
    double tolerance;
    palPlanesResult* best;

    // Of several bodies.
    const palPlaneBodies* bodies; // NULL: of one
    const int* owners;            // [count]
    palPlanesForces* forces;      // of the best
} palSearch;

// The candidate of a subset. Returns false if the normals are linearly dependent or a normal force
// is negative.
static bool evaluate(const palSearch* search, const int* subset, int size, palCandidate* candidate)
{
    const palPlane* a = &search->planes[subset[0]];
    const palPlane* b = size > 1 ? &search->planes[subset[1]] : NULL;
    const palPlane* c = size > 2 ? &search->planes[subset[2]] : NULL;
    palVec3 from = search->from;
    palVec3 goal = search->goal;
    bool isValid = size == 1 && a->friction > 0.0
                       ? meetOneWithFriction(a, from, goal, search->W, candidate)
                   : size == 1 ? meetOne(a, goal, search->W, candidate)
                   : size == 2 ? meetTwo(a, b, from, goal, search->W, candidate)
                               : meetThree(a, b, c, goal, search->W, candidate);
    bool hasFriction = false;
    for (int i = 0; i < size && isValid; i++)
    {
        isValid = candidate->lambda[i] >= 0.0;
        hasFriction |= search->planes[subset[i]].friction > 0.0;
    }
    // A sticking point stays exactly at `from`, where it also satisfies the other planes.
    if (isValid && hasFriction &&
        palDistance(candidate->y, from) <= stickingTolerances * search->tolerance)
        candidate->y = from;
    return isValid;
}

static bool evaluateSubsetOfBodies(palSearch* search, const int* subset, int size);

// Tries one subset. Returns true where it solves the problem.
static bool evaluateSubset(palSearch* search, const int* subset, int size)
{
    if (search->bodies != NULL)
        return evaluateSubsetOfBodies(search, subset, size);
    palCandidate candidate;
    if (!evaluate(search, subset, size, &candidate))
        return false;
    double violation = worstViolation(search->planes, search->count, candidate.y);
    palPlanesResult* best = search->best;
    if (violation >= best->violation)
        return false;
    best->y = candidate.y;
    best->count = size;
    best->violation = violation;
    for (int i = 0; i < size; i++)
    {
        best->binding[i] = subset[i];
        best->lambda[i] = candidate.lambda[i];
    }
    best->solved = violation <= search->tolerance;
    return best->solved;
}

// Smallest subsets first: the frictionless solution is unique, and with friction a point that
// sticks to one plane needs no second.
static void searchSubsets(palSearch* search)
{
    int count = search->count;
    for (int i = 0; i < count; i++)
        if (evaluateSubset(search, (int[]){i}, 1))
            return;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (evaluateSubset(search, (int[]){i, j}, 2))
                return;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            for (int k = j + 1; k < count; k++)
                if (evaluateSubset(search, (int[]){i, j, k}, 3))
                    return;
}

// No plane binds. The forces of planes are set one by one as they are found.
static void clearResult(palPlanesResult* result, palVec3 y, double violation)
{
    result->y = y;
    result->count = 0;
    result->violation = violation;
    result->solved = violation <= 0.0;
}

palPlanesResult palSolvePlanes(const palPlane* planes, int count, palVec3 from, palVec3 goal,
                               const palMat3* W, double tolerance)
{
    palPlanesResult best;
    clearResult(&best, goal, worstViolation(planes, count, goal));
    if (best.solved)
        return best;
    palSearch search = {planes, count, from, goal, W, tolerance, &best, NULL, NULL, NULL};
    if (worstViolation(planes, count, from) > 0.0)
    {
        // Friction acts relative to `from`, which must be feasible: replace it by the closest
        // feasible point.
        palPlane smooth[pal_planesMax];
        for (int i = 0; i < count; i++)
            smooth[i] = (palPlane){planes[i].n, planes[i].d, 0.0};
        palSearch place = search;
        palPlanesResult nearest;
        clearResult(&nearest, from, INFINITY);
        place.planes = smooth;
        place.goal = from;
        place.best = &nearest;
        searchSubsets(&place);
        search.from = nearest.y;
    }
    searchSubsets(&search);
    return best;
}

palPlanesResult palSolveYieldingPlane(const palPlane* plane, palVec3 from, palVec3 goal, double w,
                                      double s, palVec3* force)
{
    palPlanesResult result;
    palVec3 n = plane->n;
    double depth = plane->d - palDot(n, goal);
    clearResult(&result, goal, fmax(0.0, depth));
    *force = pal_zeroVec3;
    if (result.solved)
        return result;
    double lambda = depth / (w + s);
    palVec3 slide = palSub(goal, from);
    slide = palMulAdd(slide, -palDot(n, slide), n);
    // Friction that stops the slide, or as much of it as the cone allows.
    double length = palLength(slide), stopped = plane->friction * lambda * w;
    double share = length <= stopped ? 1.0 : stopped / length;
    *force = palMulAdd(palScale(lambda, n), -share / w, slide);
    result.y = palMulAdd(palMulAdd(goal, depth, n), -share, slide);
    result.count = 1;
    result.binding[0] = 0;
    result.lambda[0] = lambda;
    result.violation = fmax(0.0, plane->d - palDot(n, result.y));
    result.solved = true;
    return result;
}

// ---------------------------------------------------------------------------------------------
// Several bodies

enum
{
    sweepsMax = 60, // over the bodies of one subset
};

// A subset of planes sorted by body.
typedef struct palShares
{
    int bodyCount;
    int bodies[3];
    int planes[3][3]; // of each body
    int slots[3][3];  // their places in the subset
    int counts[3];
} palShares;

void palPlaneBody_Set(palPlaneBody* body, double w, const palMat3* W)
{
    body->W = *W;
    body->whole = palMat3MulAdd(palMakeMat3Scale(w), 1.0, *W);
    palMat3Inverse(body->whole, &body->stiffness);
}

// G_bc F.
static palVec3 answer(const palPlaneBodies* bodies, int b, int c, palVec3 F)
{
    if (b == c)
        return palMat3Apply(bodies->bodies[b].whole, F);
    palVec3 moved = palScale(bodies->w, F);
    if (bodies->cross != NULL)
        moved = palAdd(moved, palMat3Apply(bodies->cross[b * bodies->count + c], F));
    return moved;
}

palVec3 palPlaneBodies_Place(const palPlaneBodies* bodies, palVec3 goal,
                             const palPlanesForces* forces, int body)
{
    palVec3 y = goal;
    for (int i = 0; i < forces->bodyCount; i++)
        y = palAdd(y, answer(bodies, body, forces->bodies[i], forces->forces[i]));
    return y;
}

static palShares sortByBody(const palSearch* search, const int* subset, int size)
{
    palShares shares = {0};
    for (int i = 0; i < size; i++)
    {
        int body = search->owners[subset[i]];
        int b = 0;
        while (b < shares.bodyCount && shares.bodies[b] != body)
            b++;
        if (b == shares.bodyCount)
            shares.bodies[shares.bodyCount++] = body;
        shares.slots[b][shares.counts[b]] = i;
        shares.planes[b][shares.counts[b]++] = subset[i];
    }
    return shares;
}

// One body's part of a subset, the others' forces given: where they put the goal. Returns false
// where a plane would have to pull.
static bool meetBody(const palSearch* search, const palShares* shares, int b,
                     palPlanesForces* forces, double* lambda)
{
    const palPlaneBodies* bodies = search->bodies;
    const palPlaneBody* body = &bodies->bodies[shares->bodies[b]];
    palSearch one = *search;
    one.from = body->x;
    one.W = &body->whole;
    for (int i = 0; i < forces->bodyCount; i++)
        if (i != b)
            one.goal = palAdd(
                one.goal, answer(bodies, shares->bodies[b], forces->bodies[i], forces->forces[i]));
    palCandidate candidate;
    bool meets = evaluate(&one, shares->planes[b], shares->counts[b], &candidate);
    forces->forces[b] =
        meets ? palMat3Apply(body->stiffness, palSub(candidate.y, one.goal)) : pal_zeroVec3;
    for (int i = 0; i < shares->counts[b]; i++)
        lambda[shares->slots[b][i]] = meets ? candidate.lambda[i] : 0.0;
    return meets;
}

// r = G⁻¹ r by elimination with pivoting; at most nine rows.
static bool eliminate(double* G, double* r, int n)
{
    for (int k = 0; k < n; k++)
    {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(G[i * n + k]) > fabs(G[pivot * n + k]))
                pivot = i;
        if (G[pivot * n + k] == 0.0)
            return false;
        for (int j = 0; j < n && pivot != k; j++)
        {
            double swapped = G[k * n + j];
            G[k * n + j] = G[pivot * n + j];
            G[pivot * n + j] = swapped;
        }
        double swapped = r[k];
        r[k] = r[pivot];
        r[pivot] = swapped;
        for (int i = k + 1; i < n; i++)
        {
            double factor = G[i * n + k] / G[k * n + k];
            for (int j = k; j < n; j++)
                G[i * n + j] -= factor * G[k * n + j];
            r[i] -= factor * r[k];
        }
    }
    for (int i = n - 1; i >= 0; i--)
    {
        for (int j = i + 1; j < n; j++)
            r[i] -= G[i * n + j] * r[j];
        r[i] /= G[i * n + i];
    }
    return true;
}

// The normal forces with which every plane of a subset is met, friction as it is: F_b less its
// normal forces. Exact where nothing rubs.
static bool meetNormals(const palSearch* search, const palShares* shares, const int* subset,
                        int size, palPlanesForces* forces)
{
    double* lambda = forces->planes.lambda;
    int place[3]; // of each plane's body
    palVec3 normals[3];
    for (int b = 0; b < shares->bodyCount; b++)
        for (int i = 0; i < shares->counts[b]; i++)
        {
            int k = shares->slots[b][i];
            place[k] = b;
            normals[k] = search->planes[subset[k]].n;
            forces->forces[b] = palMulAdd(forces->forces[b], -lambda[k], normals[k]);
        }
    double G[9], r[3];
    for (int i = 0; i < size; i++)
    {
        int body = shares->bodies[place[i]];
        palVec3 y = palPlaneBodies_Place(search->bodies, search->goal, forces, body);
        r[i] = search->planes[subset[i]].d - palDot(normals[i], y);
        for (int j = 0; j < size; j++)
            G[i * size + j] = palDot(
                normals[i], answer(search->bodies, body, shares->bodies[place[j]], normals[j]));
    }
    bool meets = eliminate(G, r, size);
    for (int i = 0; i < size; i++)
    {
        lambda[i] = meets ? r[i] : 0.0;
        meets = meets && isfinite(r[i]) && r[i] >= 0.0;
        forces->forces[place[i]] = palMulAdd(forces->forces[place[i]], lambda[i], normals[i]);
    }
    return meets;
}

// The forces of a subset: each body's in turn until they stay, from those without friction on.
static bool evaluateOfBodies(const palSearch* search, const int* subset, int size,
                             palPlanesForces* forces)
{
    palShares shares = sortByBody(search, subset, size);
    *forces = (palPlanesForces){.bodyCount = shares.bodyCount};
    bool rubs = false;
    for (int b = 0; b < shares.bodyCount; b++)
        forces->bodies[b] = shares.bodies[b];
    for (int i = 0; i < size; i++)
        rubs |= search->planes[subset[i]].friction > 0.0;
    if (shares.bodyCount == 1)
        return meetBody(search, &shares, 0, forces, forces->planes.lambda);
    bool meets = meetNormals(search, &shares, subset, size, forces);
    if (!rubs)
        return meets;
    double least = 0.1 * search->tolerance / search->bodies->w; // N
    for (int sweep = 0; sweep < sweepsMax; sweep++)
    {
        double change = 0.0;
        meets = true;
        for (int b = 0; b < shares.bodyCount; b++)
        {
            palVec3 before = forces->forces[b];
            meets &= meetBody(search, &shares, b, forces, forces->planes.lambda);
            change = fmax(change, palDistance(before, forces->forces[b]));
        }
        if (change <= least)
            return meets;
    }
    return meetNormals(search, &shares, subset, size, forces);
}

static double violationOfBodies(const palSearch* search, const palPlanesForces* forces)
{
    palVec3 places[pal_planeBodiesMax];
    double worst = 0.0;
    for (int b = 0; b < search->bodies->count; b++)
        places[b] = palPlaneBodies_Place(search->bodies, search->goal, forces, b);
    for (int i = 0; i < search->count; i++)
        worst = fmax(worst,
                     search->planes[i].d - palDot(search->planes[i].n, places[search->owners[i]]));
    return worst;
}

static bool evaluateSubsetOfBodies(palSearch* search, const int* subset, int size)
{
    palPlanesForces forces;
    if (!evaluateOfBodies(search, subset, size, &forces))
        return false;
    palPlanesResult* best = &forces.planes;
    best->violation = violationOfBodies(search, &forces);
    if (best->violation >= search->forces->planes.violation)
        return false;
    best->count = size;
    for (int i = 0; i < size; i++)
        best->binding[i] = subset[i];
    best->solved = best->violation <= search->tolerance;
    *search->forces = forces;
    return best->solved;
}

// The planes of one body, in the order of the whole problem.
static int planesOf(const palSearch* search, int b, palPlane* own, int* indices)
{
    int count = 0;
    for (int i = 0; i < search->count; i++)
        if (search->owners[i] == b)
        {
            indices[count] = i;
            own[count++] = search->planes[i];
        }
    return count;
}

// Friction holds towards a place where the point can be: on each body the nearest such.
static void placeOnBody(const palSearch* search, int b, palPlaneBody* body)
{
    palPlane own[pal_planesMax];
    int indices[pal_planesMax];
    int count = planesOf(search, b, own, indices);
    for (int i = 0; i < count; i++)
        own[i].friction = 0.0;
    if (worstViolation(own, count, body->x) <= 0.0)
        return;
    palPlanesResult nearest;
    clearResult(&nearest, body->x, INFINITY);
    palSearch place = {own,      count, body->x, body->x, &body->whole, search->tolerance,
                       &nearest, NULL,  NULL,    NULL};
    searchSubsets(&place);
    body->x = nearest.y;
}

// Solves the planes of one body, the others' forces given. Its force is forces[b]; binding planes
// are appended to `result`.
static double solveBody(const palSearch* search, int b, palVec3* forces, palPlanesResult* result)
{
    const palPlaneBodies* bodies = search->bodies;
    const palPlaneBody* body = &bodies->bodies[b];
    palPlane own[pal_planesMax];
    int indices[pal_planesMax];
    int count = planesOf(search, b, own, indices);
    palVec3 before = forces[b], goal = search->goal;
    if (count == 0)
        return 0.0;
    for (int c = 0; c < bodies->count; c++)
        if (c != b)
            goal = palAdd(goal, answer(bodies, b, c, forces[c]));
    palPlanesResult one =
        palSolvePlanes(own, count, body->x, goal, &body->whole, 0.1 * search->tolerance);
    forces[b] = palMat3Apply(body->stiffness, palSub(one.y, goal));
    for (int i = 0; i < one.count && result->count < pal_planesBindingMax; i++)
    {
        result->binding[result->count] = indices[one.binding[i]];
        result->lambda[result->count++] = one.lambda[i];
    }
    return palDistance(before, forces[b]);
}

// Body by body until the forces stay, from those of the best subset on. Kept where it is better,
// and at most three bodies push.
static void sweepBodies(palSearch* search)
{
    int bodyCount = search->bodies->count;
    palVec3 forces[pal_planeBodiesMax] = {0};
    palPlanesForces found = {0};
    double least = 0.1 * search->tolerance / search->bodies->w; // N
    double change = INFINITY;
    for (int i = 0; i < search->forces->bodyCount; i++)
        forces[search->forces->bodies[i]] = search->forces->forces[i];
    for (int sweep = 0; sweep < sweepsMax && change > least; sweep++)
    {
        change = 0.0;
        found.planes.count = 0;
        for (int b = 0; b < bodyCount; b++)
            change = fmax(change, solveBody(search, b, forces, &found.planes));
    }
    for (int b = 0; b < bodyCount; b++)
    {
        if (palLengthSquared(forces[b]) == 0.0)
            continue;
        if (found.bodyCount == pal_planesPushedMax)
            return;
        found.bodies[found.bodyCount] = b;
        found.forces[found.bodyCount++] = forces[b];
    }
    found.planes.violation = violationOfBodies(search, &found);
    found.planes.solved = found.planes.violation <= search->tolerance;
    if (found.planes.violation < search->forces->planes.violation)
        *search->forces = found;
}

palPlanesForces palSolvePlanesOfBodies(const palPlane* planes, const int* owners, int count,
                                       palVec3 goal, const palPlaneBodies* given, double tolerance)
{
    palPlanesForces forces = {.bodyCount = 0};
    palSearch search = {.planes = planes, .count = count, .goal = goal, .tolerance = tolerance};
    palPlaneBody placed[pal_planeBodiesMax];
    palPlaneBodies moved = *given;
    const palPlaneBodies* bodies = &moved;
    moved.bodies = placed;
    search.bodies = bodies;
    search.owners = owners;
    search.forces = &forces;
    forces.planes.violation = worstViolation(planes, count, goal);
    forces.planes.solved = forces.planes.violation <= 0.0;
    for (int b = 0; b < given->count; b++)
        placed[b] = given->bodies[b];
    for (int b = 0; b < given->count && !forces.planes.solved; b++)
        placeOnBody(&search, b, &placed[b]);
    if (!forces.planes.solved)
        searchSubsets(&search);
    if (!forces.planes.solved)
        sweepBodies(&search);
    forces.planes.y = palPlaneBodies_Place(bodies, goal, &forces, 0);
    return forces;
}

// r = the F that minimises |G F - r|² + (c g |F|)², g the mean of the diagonal. Bodies that are
// tied move alike, so that G is nearly singular: what pushes one against the other is not
// determined.
static bool leastForces(const double* G, double* r, int n)
{
    const double c = 0.03;
    double A[81], b[9], g = 0.0;
    for (int i = 0; i < n; i++)
        g += G[i * n + i] / n;
    for (int i = 0; i < n; i++)
    {
        b[i] = 0.0;
        for (int k = 0; k < n; k++)
            b[i] += G[k * n + i] * r[k];
        for (int j = 0; j < n; j++)
        {
            double sum = i == j ? c * g * c * g : 0.0;
            for (int k = 0; k < n; k++)
                sum += G[k * n + i] * G[k * n + j];
            A[i * n + j] = sum;
        }
    }
    for (int i = 0; i < n; i++)
        r[i] = b[i];
    return eliminate(A, r, n);
}

bool palPlaneBodies_Forces(const palPlaneBodies* bodies, palVec3 goal, const int* named, int count,
                           palVec3* forces)
{
    if (count == 1)
    {
        const palPlaneBody* body = &bodies->bodies[named[0]];
        forces[0] = palMat3Apply(body->stiffness, palSub(body->x, goal));
        return true;
    }
    double G[81], r[9];
    int n = 3 * count;
    for (int b = 0; b < count; b++)
    {
        palVec3 wanted = palSub(bodies->bodies[named[b]].x, goal);
        r[3 * b] = wanted.x, r[3 * b + 1] = wanted.y, r[3 * b + 2] = wanted.z;
        for (int c = 0; c < count; c++)
            for (int k = 0; k < 3; k++)
            {
                palVec3 unit = palMakeVec3(k == 0, k == 1, k == 2);
                palVec3 moved = answer(bodies, named[b], named[c], unit);
                G[(3 * b) * n + 3 * c + k] = moved.x;
                G[(3 * b + 1) * n + 3 * c + k] = moved.y;
                G[(3 * b + 2) * n + 3 * c + k] = moved.z;
            }
    }
    if (bodies->cross != NULL ? !leastForces(G, r, n) : !eliminate(G, r, n))
        return false;
    for (int b = 0; b < count; b++)
        forces[b] = palMakeVec3(r[3 * b], r[3 * b + 1], r[3 * b + 2]);
    return true;
}

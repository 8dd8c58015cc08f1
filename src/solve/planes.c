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
    palPlanesResult best;
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

// Evaluates one subset and keeps it if it is the best. Returns true if it solves the problem.
static bool evaluateSubset(palSearch* search, const int* subset, int size)
{
    palCandidate candidate;
    if (!evaluate(search, subset, size, &candidate))
        return false;
    double violation = worstViolation(search->planes, search->count, candidate.y);
    palPlanesResult* best = &search->best;
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
static palPlanesResult searchSubsets(palSearch* search)
{
    int count = search->count;
    for (int i = 0; i < count; i++)
        if (evaluateSubset(search, (int[]){i}, 1))
            return search->best;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (evaluateSubset(search, (int[]){i, j}, 2))
                return search->best;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            for (int k = j + 1; k < count; k++)
                if (evaluateSubset(search, (int[]){i, j, k}, 3))
                    return search->best;
    return search->best;
}

palPlanesResult palSolvePlanes(const palPlane* planes, int count, palVec3 from, palVec3 goal,
                               const palMat3* W, double tolerance)
{
    palSearch search = {planes, count, from, goal, W, tolerance, {.y = goal}};
    search.best.violation = worstViolation(planes, count, goal);
    search.best.solved = search.best.violation <= 0.0;
    if (search.best.solved)
        return search.best;
    if (worstViolation(planes, count, from) > 0.0)
    {
        // Friction acts relative to `from`, which must be feasible: replace it by the closest
        // feasible point.
        palPlane smooth[pal_planesMax];
        for (int i = 0; i < count; i++)
            smooth[i] = (palPlane){planes[i].n, planes[i].d, 0.0};
        palSearch feasible = {smooth, count, from, from, W, tolerance, {.y = from}};
        feasible.best.violation = INFINITY;
        search.from = searchSubsets(&feasible).y;
    }
    return searchSubsets(&search);
}

// SPDX-License-Identifier: Apache-2.0
#include "solve/planes.h"

// A set of one to three planes taken as equalities.
typedef struct palCandidate
{
    palVec3 y;        // the nearest point to the goal on all of them
    double lambda[3]; // N
    palVec3 crease;   // two planes: the unit direction that remains
} palCandidate;

// Pairs whose normals enclose less than this sine, and triples of less volume, are no frame.
static const double leastSine = 1e-9;

static bool meetOne(const palPlane* a, palVec3 goal, double W, palCandidate* candidate)
{
    double gap = palDot(a->n, goal) - a->d;
    candidate->y = palMulAdd(goal, -gap, a->n);
    candidate->lambda[0] = -gap / W;
    return true;
}

// y = goal + α a + β b on both planes: a 2x2 system with the Gram matrix [1 g; g 1].
static bool meetTwo(const palPlane* a, const palPlane* b, palVec3 goal, double W,
                    palCandidate* candidate)
{
    palVec3 cross = palCross(a->n, b->n);
    double sine = palLength(cross);
    if (sine < leastSine)
        return false;
    double g = palDot(a->n, b->n);
    double ra = a->d - palDot(a->n, goal);
    double rb = b->d - palDot(b->n, goal);
    double alpha = (ra - g * rb) / (sine * sine);
    double beta = (rb - g * ra) / (sine * sine);
    candidate->y = palMulAdd(palMulAdd(goal, alpha, a->n), beta, b->n);
    candidate->lambda[0] = alpha / W;
    candidate->lambda[1] = beta / W;
    candidate->crease = palScale(1.0 / sine, cross);
    return true;
}

// The corner of three planes by Cramer's rule; its forces from the dual frame.
static bool meetThree(const palPlane* a, const palPlane* b, const palPlane* c, palVec3 goal,
                      double W, palCandidate* candidate)
{
    palVec3 bc = palCross(b->n, c->n);
    palVec3 ca = palCross(c->n, a->n);
    palVec3 ab = palCross(a->n, b->n);
    double volume = palDot(a->n, bc);
    if (fabs(volume) < leastSine)
        return false;
    palVec3 y = palMulAdd(palMulAdd(palScale(a->d, bc), b->d, ca), c->d, ab);
    candidate->y = palScale(1.0 / volume, y);
    palVec3 push = palScale(1.0 / (W * volume), palSub(candidate->y, goal));
    candidate->lambda[0] = palDot(push, bc);
    candidate->lambda[1] = palDot(push, ca);
    candidate->lambda[2] = palDot(push, ab);
    return true;
}

static double worstViolation(const palPlane* planes, int count, palVec3 y)
{
    double worst = 0.0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, planes[i].d - palDot(planes[i].n, y));
    return worst;
}

// Moves y, free along `slide` (the pull from y back to where the point was), no farther from `from`
// than a friction of `limit` newtons allows: the rest of the pull stays as friction force.
static palVec3 applyFriction(palVec3 y, palVec3 slide, double limit, double W)
{
    double length = palLength(slide);
    double held = fmin(length, W * limit);
    return length > 0.0 ? palMulAdd(y, -held / length, slide) : y;
}

// The candidate of a subset, friction included. Returns false where the planes are no frame or one
// of them would have to pull.
static bool evaluate(const palPlane* planes, const int* subset, int size, palVec3 from, palVec3 goal,
                     double W, palCandidate* candidate)
{
    const palPlane* a = &planes[subset[0]];
    const palPlane* b = size > 1 ? &planes[subset[1]] : NULL;
    const palPlane* c = size > 2 ? &planes[subset[2]] : NULL;
    bool meets = size == 1   ? meetOne(a, goal, W, candidate)
                 : size == 2 ? meetTwo(a, b, goal, W, candidate)
                             : meetThree(a, b, c, goal, W, candidate);
    if (!meets)
        return false;
    for (int i = 0; i < size; i++)
        if (candidate->lambda[i] < 0.0)
            return false;
    if (size == 1 && a->friction > 0.0)
    {
        palVec3 slide = palSub(candidate->y, from);
        slide = palMulAdd(slide, -palDot(a->n, slide), a->n);
        candidate->y = applyFriction(candidate->y, slide, a->friction * candidate->lambda[0], W);
    }
    if (size == 2 && a->friction + b->friction > 0.0)
    {
        double along = palDot(candidate->crease, palSub(candidate->y, from));
        double limit = a->friction * candidate->lambda[0] + b->friction * candidate->lambda[1];
        candidate->y = applyFriction(candidate->y, palScale(along, candidate->crease), limit, W);
    }
    return true;
}

typedef struct palSearch
{
    const palPlane* planes;
    int count;
    palVec3 from, goal;
    double W, tolerance;
    palPlanesResult best;
} palSearch;

// Tries one subset. Returns true where it solves the problem.
static bool try(palSearch* search, const int* subset, int size)
{
    palCandidate candidate = {0};
    if (!evaluate(search->planes, subset, size, search->from, search->goal, search->W, &candidate))
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

palPlanesResult palSolvePlanes(const palPlane* planes, int count, palVec3 from, palVec3 goal,
                               double W, double tolerance)
{
    palSearch search = {planes, count, from, goal, W, tolerance, {.y = goal}};
    search.best.violation = worstViolation(planes, count, goal);
    search.best.solved = search.best.violation <= 0.0;
    if (search.best.solved)
        return search.best;
    // Fewest planes first: the frictionless solution is unique, and with friction a point that one
    // plane holds needs no second.
    for (int i = 0; i < count; i++)
        if (try(&search, (int[]){i}, 1))
            return search.best;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (try(&search, (int[]){i, j}, 2))
                return search.best;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            for (int k = j + 1; k < count; k++)
                if (try(&search, (int[]){i, j, k}, 3))
                    return search.best;
    return search.best;
}

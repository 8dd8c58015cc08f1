// SPDX-License-Identifier: Apache-2.0
// The closest points of two convex cores: the algorithm of Gilbert, Johnson and Keerthi (1988) on
// the difference of the two. Between polyhedra it ends at the closest features themselves.
#include "collide/convex.h"

// Relative: the squared distance is known to this, or no more can be gained.
static const double precision = 1e-14;
// Of the extents: distances below this are taken for none.
static const double distanceMin = 1e-9;

enum
{
    iterationsMax = 64,
    runsMax = 3,
};

typedef struct Corner
{
    palVec3 onA, onB, w; // w = onA - onB
    double weight;
} Corner;

typedef struct Simplex
{
    Corner corners[4];
    int count;
} Simplex;

static void keepOne(Simplex* simplex, int i)
{
    simplex->corners[0] = simplex->corners[i];
    simplex->corners[0].weight = 1.0;
    simplex->count = 1;
}

// Keeps two corners, with the share t of the second.
static void keepTwo(Simplex* simplex, int i, int j, double t)
{
    Corner second = simplex->corners[j];
    simplex->corners[0] = simplex->corners[i];
    simplex->corners[1] = second;
    simplex->corners[0].weight = 1.0 - t;
    simplex->corners[1].weight = t;
    simplex->count = 2;
}

static void reduceSegment(Simplex* simplex)
{
    palVec3 a = simplex->corners[0].w, ab = palSub(simplex->corners[1].w, a);
    double t = -palDot(a, ab), length = palLengthSquared(ab);
    if (t <= 0.0)
        keepOne(simplex, 0);
    else if (t >= length)
        keepOne(simplex, 1);
    else
        keepTwo(simplex, 0, 1, t / length);
}

// The regions of a triangle as in Ericson, "Real-Time Collision Detection", 5.1.5.
static void reduceTriangle(Simplex* simplex)
{
    palVec3 a = simplex->corners[0].w, b = simplex->corners[1].w, c = simplex->corners[2].w;
    palVec3 ab = palSub(b, a), ac = palSub(c, a);
    double d1 = -palDot(ab, a), d2 = -palDot(ac, a), d3 = -palDot(ab, b), d4 = -palDot(ac, b);
    double d5 = -palDot(ab, c), d6 = -palDot(ac, c);
    if (d1 <= 0.0 && d2 <= 0.0)
    {
        keepOne(simplex, 0);
        return;
    }
    if (d3 >= 0.0 && d4 <= d3)
    {
        keepOne(simplex, 1);
        return;
    }
    if (d6 >= 0.0 && d5 <= d6)
    {
        keepOne(simplex, 2);
        return;
    }
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
        keepTwo(simplex, 0, 1, d1 / (d1 - d3));
    else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
        keepTwo(simplex, 0, 2, d2 / (d2 - d6));
    else if (va <= 0.0 && d4 >= d3 && d5 >= d6)
        keepTwo(simplex, 1, 2, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    else
    {
        double sum = va + vb + vc;
        simplex->corners[0].weight = va / sum;
        simplex->corners[1].weight = vb / sum;
        simplex->corners[2].weight = vc / sum;
    }
}

static palVec3 nearest(const Simplex* simplex)
{
    palVec3 v = pal_zeroVec3;
    for (int i = 0; i < simplex->count; i++)
        v = palMulAdd(v, simplex->corners[i].weight, simplex->corners[i].w);
    return v;
}

// Reduces a tetrahedron to the nearest part of it; one that holds the origin stays.
static void reduceTetrahedron(Simplex* simplex)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    Simplex best = *simplex;
    double least = INFINITY;
    for (int f = 0; f < 4; f++)
    {
        Simplex face = {.count = 3};
        for (int k = 0; k < 3; k++)
            face.corners[k] = simplex->corners[faces[f][k]];
        palVec3 a = face.corners[0].w;
        palVec3 n = palCross(palSub(face.corners[1].w, a), palSub(face.corners[2].w, a));
        double origin = -palDot(n, a);
        double opposite = palDot(n, palSub(simplex->corners[faces[f][3]].w, a));
        if (origin * opposite > 0.0)
            continue;
        reduceTriangle(&face);
        double square = palLengthSquared(nearest(&face));
        if (square < least)
            least = square, best = face;
    }
    *simplex = best;
}

static void reduce(Simplex* simplex)
{
    if (simplex->count == 1)
        simplex->corners[0].weight = 1.0;
    else if (simplex->count == 2)
        reduceSegment(simplex);
    else if (simplex->count == 3)
        reduceTriangle(simplex);
    else
        reduceTetrahedron(simplex);
}

static bool hasCorner(const Simplex* simplex, palVec3 w)
{
    for (int i = 0; i < simplex->count; i++)
    {
        palVec3 other = simplex->corners[i].w;
        if (other.x == w.x && other.y == w.y && other.z == w.z)
            return true;
    }
    return false;
}

// One run from a direction; v ends as the shortest way from b to a. Converged: no core is farther
// along it than v says.
static bool run(const palConvex* a, const palConvex* b, double least, Simplex* simplex, palVec3* v,
                bool* converged)
{
    simplex->count = 0;
    *converged = false;
    for (int i = 0; i < iterationsMax; i++)
    {
        Corner corner = {palConvex_CoreSupport(a, palNeg(*v)), palConvex_CoreSupport(b, *v),
                         pal_zeroVec3, 1.0};
        corner.w = palSub(corner.onA, corner.onB);
        double square = palLengthSquared(*v);
        *converged = i > 0 && square - palDot(*v, corner.w) <= precision * square;
        if (*converged || (i > 0 && hasCorner(simplex, corner.w)))
            return true;
        Simplex last = *simplex;
        simplex->corners[simplex->count++] = corner;
        reduce(simplex);
        if (simplex->count == 4)
            return false;
        palVec3 nearer = nearest(simplex);
        if (i > 0 && palLengthSquared(nearer) >= square)
        {
            *simplex = last;
            return true;
        }
        *v = nearer;
        if (palLengthSquared(*v) <= least * least)
            return false;
    }
    return true;
}

bool palConvex_Distance(const palConvex* a, const palConvex* b, palVec3 start, palConvexGap* gap)
{
    double least = distanceMin * fmin(a->shape->extent, b->shape->extent);
    Simplex simplex;
    palVec3 v = start;
    bool converged = false;
    // Where thin triangles have led a run astray, another one from there mostly does not meet them.
    for (int i = 0; i < runsMax && !converged; i++)
        if (!run(a, b, least, &simplex, &v, &converged))
            return false;
    palVec3 onA = pal_zeroVec3, onB = pal_zeroVec3;
    for (int i = 0; i < simplex.count; i++)
    {
        onA = palMulAdd(onA, simplex.corners[i].weight, simplex.corners[i].onA);
        onB = palMulAdd(onB, simplex.corners[i].weight, simplex.corners[i].onB);
    }
    *gap = (palConvexGap){onA, onB, palNormalize(v), palLength(v)};
    return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "collide/continuous.h"

#include "collide/triangle.h"

#include <float.h>
#include <string.h>

// Two features this near, relative to their coordinates, touch: 32 roundings to the nearest double.
// Half of it is kept as room for the rounding of gaps and times.
static const double touching = 32 * 0.5 * DBL_EPSILON;
// Nearly parallel edges creep towards one another where rounding hides which way they turn: after
// this many steps within a few times that distance they touch.
static const double nearly = 100.0;
static const int creepsMax = 32;
// The direction between closest points has four good digits above this many times that distance.
static const double clearly = 1e4;
// The share of the time to the expected contact that is tried in one go.
static const double nearlyAll = 0.99;
// How much longer than the last step the next may be.
static const double growth = 16.0;
// Some 10 are usual and 100 rare; features that are still apart after this many count as touching.
static const int iterationsMax = 1000;

// Two features relative to a vertex of theirs.
typedef struct Features
{
    int countA, countB;   // vertices
    palVec3 a[2], b[3];   // at t = 0, m
    palVec3 va[2], vb[3]; // to t = 1, m
    double reach;         // no coordinate is larger, m
} Features;

static double largest(palVec3 x)
{
    return fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z)));
}

static Features makeFeatures(int countA, const palMovingPoint* a, int countB,
                             const palMovingPoint* b)
{
    Features f = {.countA = countA, .countB = countB};
    palVec3 origin = b[0].start;
    for (int i = 0; i < countA; i++)
    {
        f.a[i] = palSub(a[i].start, origin);
        f.va[i] = palSub(a[i].end, a[i].start);
        f.reach = fmax(f.reach, fmax(largest(f.a[i]), largest(palAdd(f.a[i], f.va[i]))));
    }
    for (int j = 0; j < countB; j++)
    {
        f.b[j] = palSub(b[j].start, origin);
        f.vb[j] = palSub(b[j].end, b[j].start);
        f.reach = fmax(f.reach, fmax(largest(f.b[j]), largest(palAdd(f.b[j], f.vb[j]))));
    }
    return f;
}

double palClosestOnSegments(const palVec3 a[2], const palVec3 b[2], double* s, double* t)
{
    // The four ends against the other segment; right wherever the closest points are not both
    // inside, parallel segments among them.
    double best = INFINITY;
    for (int i = 0; i < 4; i++)
    {
        const palVec3* other = i < 2 ? b : a;
        palVec3 end = i < 2 ? a[i] : b[i - 2];
        palEdgePoint near = palClosestOnEdge(palSub(other[0], end), palSub(other[1], end));
        if (!(near.distanceSquared < best))
            continue;
        best = near.distanceSquared;
        double along = near.fromSecond ? 1.0 - near.t : near.t;
        *s = i < 2 ? i : along;
        *t = i < 2 ? along : i - 2;
    }
    // Both inside: at s = (r × e_b) · N / N², t = (r × e_a) · N / N², N = e_a × e_b.
    palVec3 ea = palSub(a[1], a[0]), eb = palSub(b[1], b[0]), r = palSub(b[0], a[0]);
    palVec3 N = palCross(ea, eb);
    double square = palLengthSquared(N);
    double p = palDot(palCross(r, eb), N), q = palDot(palCross(r, ea), N);
    if (!(p > 0.0 && p < square && q > 0.0 && q < square))
        return best;
    p /= square, q /= square;
    palVec3 offset = palSub(palMulAdd(r, q, eb), palScale(p, ea));
    if (palLengthSquared(offset) < best)
    {
        best = palLengthSquared(offset);
        *s = p, *t = q;
    }
    return best;
}

// Two features at one time, and their closest points.
typedef struct Instant
{
    palVec3 a[2], b[3]; // m
    double weightsA[2], weightsB[3];
    double distance; // m
    palVec3 n;       // unit, from b to a; zero where they meet
} Instant;

// The way from b to a, and the weights of its ends.
static palVec3 offsetOf(const Features* f, Instant* now)
{
    double* A = now->weightsA;
    double* B = now->weightsB;
    const palVec3* a = now->a;
    const palVec3* b = now->b;
    A[0] = 1.0, A[1] = 0.0;
    if (f->countA == 1)
    {
        palClosest near = palClosestOnTriangle(a[0], b[0], b[1], b[2]);
        palVec3 offset = pal_zeroVec3;
        for (int j = 0; j < 3; j++)
        {
            B[j] = near.weights[j];
            offset = palMulAdd(offset, B[j], palSub(a[0], b[j]));
        }
        return offset;
    }
    palClosestOnSegments(a, b, &A[1], &B[1]);
    A[0] = 1.0 - A[1];
    B[0] = 1.0 - B[1];
    B[2] = 0.0;
    palVec3 offset = palMulAdd(palSub(a[0], b[0]), A[1], palSub(a[1], a[0]));
    return palMulAdd(offset, -B[1], palSub(b[1], b[0]));
}

static Instant instantAt(const Features* f, double t)
{
    Instant now = {0};
    for (int i = 0; i < f->countA; i++)
        now.a[i] = palMulAdd(f->a[i], t, f->va[i]);
    for (int j = 0; j < f->countB; j++)
        now.b[j] = palMulAdd(f->b[j], t, f->vb[j]);
    palVec3 offset = offsetOf(f, &now);
    now.distance = palLength(offset);
    now.n = palNormalize(offset);
    return now;
}

// The time for which n goes on to separate the features by more than `room`; negative where it
// does not even now.
static double separatedFor(const Features* f, const Instant* now, palVec3 n, double room)
{
    double duration = INFINITY;
    for (int i = 0; i < f->countA; i++)
        for (int j = 0; j < f->countB; j++)
        {
            double gap = palDot(n, palSub(now->a[i], now->b[j])) - room;
            double closing = palDot(n, palSub(f->vb[j], f->va[i]));
            if (gap < 0.0)
                return -1.0;
            if (closing > 0.0)
                duration = fmin(duration, gap / closing);
        }
    return duration;
}

// Whether the direction that goes evenly from that of one instant to that of another separates the
// features in between. Its product with a - b is quadratic in time; the coefficients in Bernstein's
// form, the first and the last its values at the ends, bound it from below.
static bool separatedBetween(const Features* f, const Instant* from, const Instant* to, double room)
{
    for (int i = 0; i < f->countA; i++)
        for (int j = 0; j < f->countB; j++)
        {
            palVec3 first = palSub(from->a[i], from->b[j]);
            palVec3 last = palSub(to->a[i], to->b[j]);
            double middle = 0.5 * (palDot(from->n, last) + palDot(to->n, first));
            if (!(palDot(from->n, first) > room && middle > room && palDot(to->n, last) > room))
                return false;
        }
    return true;
}

static double determinant(palVec3 a, palVec3 b, palVec3 c)
{
    return palDot(a, palCross(b, c));
}

// Whether the four vertices span a volume all the time between two instants, so that they are never
// in one plane. The volume is cubic in time; e and g are its edges at the two instants, and the
// coefficients in Bernstein's form mix them.
static bool solidBetween(const Features* f, const Instant* from, const Instant* to, double room)
{
    palVec3 e[3], g[3];
    double length[3];
    for (int k = 0; k < 3; k++)
    {
        bool second = k < f->countA - 1;
        e[k] = palSub(second ? from->a[1] : from->b[k + 1 - f->countA], from->a[0]);
        g[k] = palSub(second ? to->a[1] : to->b[k + 1 - f->countA], to->a[0]);
        length[k] = fmax(palLength(e[k]), palLength(g[k]));
    }
    double c[4] = {
        determinant(e[0], e[1], e[2]),
        (determinant(g[0], e[1], e[2]) + determinant(e[0], g[1], e[2]) +
         determinant(e[0], e[1], g[2])) /
            3.0,
        (determinant(e[0], g[1], g[2]) + determinant(g[0], e[1], g[2]) +
         determinant(g[0], g[1], e[2])) /
            3.0,
        determinant(g[0], g[1], g[2]),
    };
    // A vertex that is off by `room` changes the volume by no more than this.
    double least = room * (length[0] * length[1] + length[1] * length[2] + length[2] * length[0]);
    return (c[0] > least && c[1] > least && c[2] > least && c[3] > least) ||
           (c[0] < -least && c[1] < -least && c[2] < -least && c[3] < -least);
}

// The time that the closest points, as they move now, take to meet.
static double meetingTime(const Features* f, const Instant* now)
{
    palVec3 v = pal_zeroVec3;
    for (int i = 0; i < f->countA; i++)
        v = palMulAdd(v, -now->weightsA[i], f->va[i]);
    for (int j = 0; j < f->countB; j++)
        v = palMulAdd(v, now->weightsB[j], f->vb[j]);
    double closing = palDot(now->n, v);
    return closing > 0.0 ? now->distance / closing : INFINITY;
}

// The direction perpendicular to both features, on the side of n.
static palVec3 squareTo(const Features* f, const Instant* now)
{
    palVec3 other = f->countA == 1 ? palSub(now->b[2], now->b[0]) : palSub(now->a[1], now->a[0]);
    palVec3 n = palNormalize(palCross(palSub(now->b[1], now->b[0]), other));
    return palDot(n, now->n) < 0.0 ? palNeg(n) : n;
}

// A time, from t on, for which the features certainly stay apart; negative where none is found.
// `last` is the time that was found before.
static double apartFor(const Features* f, double t, double last, const Instant* now, double room,
                       int* iterations)
{
    // Where rounding has turned n, the features' own direction separates better.
    double duration = separatedFor(f, now, now->n, room);
    if (duration < 0.0)
        duration = separatedFor(f, now, squareTo(f, now), room);
    if (duration < 0.0)
        return duration;

    // A direction that stays is driven by the far ends of features that turn. One that turns with
    // them reaches nearly as far as the closest points themselves allow.
    double wanted = fmin(nearlyAll * meetingTime(f, now), fmin(growth * last, 1.0 - t));
    for (; wanted > 2.0 * duration; wanted *= 0.5)
    {
        Instant later = instantAt(f, t + wanted);
        ++*iterations;
        if (separatedBetween(f, now, &later, room) || solidBetween(f, now, &later, room))
            return wanted;
    }
    return duration;
}

static bool findImpact(const Features* f, palImpact* impact)
{
    *impact = (palImpact){0};
    const double tolerance = touching * f->reach;
    double last = 1.0;
    int creeps = 0;
    while (impact->iterations < iterationsMax)
    {
        impact->iterations++;
        Instant now = instantAt(f, impact->t);
        memcpy(impact->weightsA, now.weightsA, sizeof now.weightsA);
        memcpy(impact->weightsB, now.weightsB, sizeof now.weightsB);
        if (now.distance <= tolerance)
            return true;
        if (now.distance > clearly * tolerance)
            impact->normal = now.n;
        // Without a separating direction, or within rounding of it, they touch.
        double duration = apartFor(f, impact->t, last, &now, 0.5 * tolerance, &impact->iterations);
        creeps += now.distance <= nearly * tolerance;
        if (duration < 0.0 || creeps > creepsMax)
            return true;
        if (impact->t + duration >= 1.0)
            return false;
        impact->t += duration;
        last = duration;
    }
    return true;
}

bool palImpact_VertexFace(palMovingPoint vertex, const palMovingPoint face[3], palImpact* impact)
{
    Features f = makeFeatures(1, &vertex, 3, face);
    return findImpact(&f, impact);
}

bool palImpact_EdgeEdge(const palMovingPoint a[2], const palMovingPoint b[2], palImpact* impact)
{
    Features f = makeFeatures(2, a, 2, b);
    return findImpact(&f, impact);
}

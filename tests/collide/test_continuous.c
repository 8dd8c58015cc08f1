// SPDX-License-Identifier: Apache-2.0
// Times of contact against the roots of the coplanarity cubic, in extended precision.
#include "base/random.h"
#include "check.h"
#include "collide/continuous.h"
#include "math/quat.h"

typedef long double real;

typedef struct real3
{
    real x, y, z;
} real3;

static real3 at(palMovingPoint p, real t)
{
    return (real3){
        p.start.x + t * ((real)p.end.x - p.start.x),
        p.start.y + t * ((real)p.end.y - p.start.y),
        p.start.z + t * ((real)p.end.z - p.start.z),
    };
}

static real3 minus(real3 a, real3 b)
{
    return (real3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static real3 cross(real3 a, real3 b)
{
    return (real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static real dot(real3 a, real3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Two features: one vertex and three, or two and two.
typedef struct Pair
{
    palMovingPoint p[4];
    bool edges;
} Pair;

static bool solve(const Pair* pair, palImpact* impact)
{
    return pair->edges ? palImpact_EdgeEdge(&pair->p[0], &pair->p[2], impact)
                       : palImpact_VertexFace(pair->p[0], &pair->p[1], impact);
}

// Six times the volume that the four vertices span: zero where they are coplanar.
static real spanned(const Pair* pair, real t)
{
    real3 o = at(pair->p[0], t);
    return dot(minus(at(pair->p[1], t), o),
               cross(minus(at(pair->p[2], t), o), minus(at(pair->p[3], t), o)));
}

// Whether features that are coplanar at t touch.
static bool touch(const Pair* pair, real t)
{
    real3 p[4];
    for (int i = 0; i < 4; i++)
        p[i] = at(pair->p[i], t);
    if (pair->edges)
    {
        real3 a = minus(p[1], p[0]), b = minus(p[3], p[2]), r = minus(p[2], p[0]);
        real3 n = cross(a, b);
        real square = dot(n, n), s = dot(cross(r, b), n), u = dot(cross(r, a), n);
        return s >= 0 && s <= square && u >= 0 && u <= square && square > 0;
    }
    real3 n = cross(minus(p[2], p[1]), minus(p[3], p[1]));
    for (int k = 0; k < 3; k++)
    {
        real3 a = p[1 + k], b = p[1 + (k + 1) % 3];
        if (dot(n, cross(minus(b, a), minus(p[0], a))) < 0)
            return false;
    }
    return dot(n, n) > 0;
}

// The root of spanned() between a and b, where it changes sign.
static real bisect(const Pair* pair, real a, real b)
{
    real fa = spanned(pair, a);
    for (int i = 0; i < 80; i++)
    {
        real middle = (a + b) / 2, f = spanned(pair, middle);
        if ((f < 0) == (fa < 0))
            a = middle;
        else
            b = middle;
    }
    return (a + b) / 2;
}

// The first contact by the cubic: its roots lie between 0, its turning points and 1. Infinity for
// none. A cubic through four values: f = c0 + c1 t + c2 t² + c3 t³.
static real byCubic(const Pair* pair)
{
    real f0 = spanned(pair, 0), f1 = spanned(pair, 1), fm = spanned(pair, -1),
         f2 = spanned(pair, 2);
    real c0 = f0, c2 = (f1 + fm) / 2 - c0, odd = (f1 - fm) / 2;
    real c3 = (f2 - c0 - 4 * c2 - 2 * odd) / 6, c1 = odd - c3;
    real ends[4] = {0, 1, 1, 1};
    int count = 1;
    real discriminant = c2 * c2 - 3 * c3 * c1;
    if (discriminant > 0)
    {
        real q = -(c2 + (c2 < 0 ? -1 : 1) * sqrtl(discriminant));
        real turning[2] = {q / (3 * c3), c1 / q};
        if (turning[0] > turning[1])
        {
            real swap = turning[0];
            turning[0] = turning[1], turning[1] = swap;
        }
        for (int i = 0; i < 2; i++)
            if (turning[i] > 0 && turning[i] < 1)
                ends[count++] = turning[i];
    }
    ends[count++] = 1;
    for (int i = 0; i + 1 < count; i++)
    {
        real fa = spanned(pair, ends[i]), fb = spanned(pair, ends[i + 1]);
        if (fa == 0 && touch(pair, ends[i]))
            return ends[i];
        if ((fa < 0) == (fb < 0))
            continue;
        real root = bisect(pair, ends[i], ends[i + 1]);
        if (touch(pair, root))
            return root;
    }
    return INFINITY;
}

// In the plane z = 0: when vertex p first lies on the edge a b. The area they span is quadratic.
static real onEdge(palMovingPoint p, palMovingPoint a, palMovingPoint b)
{
    real f[3];
    for (int i = 0; i < 3; i++)
    {
        real t = i / 2.0L;
        f[i] = cross(minus(at(b, t), at(a, t)), minus(at(p, t), at(a, t))).z;
    }
    real c2 = 2 * (f[0] - 2 * f[1] + f[2]), c1 = f[2] - f[0] - c2, c0 = f[0];
    real discriminant = c1 * c1 - 4 * c2 * c0;
    real roots[3] = {INFINITY, INFINITY, 0}, best = INFINITY;
    if (discriminant >= 0)
    {
        real q = -(c1 + (c1 < 0 ? -1 : 1) * sqrtl(discriminant)) / 2;
        roots[0] = q / c2, roots[1] = c0 / q;
    }
    for (int i = 0; i < 2 + (c0 == 0); i++)
    {
        real t = roots[i];
        if (!(t >= 0 && t <= 1 && t < best))
            continue;
        real3 e = minus(at(b, t), at(a, t)), r = minus(at(p, t), at(a, t));
        if (dot(e, r) >= 0 && dot(e, r) <= dot(e, e))
            best = t;
    }
    return best;
}

// The first contact of features that never leave the plane z = 0.
static real byPlane(const Pair* pair)
{
    const palMovingPoint* p = pair->p;
    real best = INFINITY;
    if (pair->edges)
    {
        for (int i = 0; i < 2; i++)
        {
            best = fminl(best, onEdge(p[i], p[2], p[3]));
            best = fminl(best, onEdge(p[2 + i], p[0], p[1]));
        }
        real3 a = minus(at(p[1], 0), at(p[0], 0)), b = minus(at(p[3], 0), at(p[2], 0));
        return cross(a, b).z != 0 && touch(pair, 0) ? 0 : best;
    }
    for (int k = 0; k < 3; k++)
        best = fminl(best, onEdge(p[0], p[1 + k], p[1 + (k + 1) % 3]));
    return touch(pair, 0) ? 0 : best;
}

// How far apart the features are at the time and with the weights of the answer.
static real apart(const Pair* pair, const palImpact* impact)
{
    int countA = pair->edges ? 2 : 1;
    real3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++)
    {
        real3 x = at(pair->p[i], impact->t);
        real w = i < countA ? impact->weightsA[i] : -(real)impact->weightsB[i - countA];
        sum = (real3){sum.x + w * x.x, sum.y + w * x.y, sum.z + w * x.z};
    }
    return sqrtl(dot(sum, sum));
}

// What was found over a family of pairs.
typedef struct Tally
{
    int hits, misses, late, unfounded, iterations, slowest;
    real earliest; // the most that a time was early
} Tally;

static void judge(Tally* tally, const Pair* pair, real expected, double size)
{
    palImpact impact;
    bool hit = solve(pair, &impact);
    tally->iterations += impact.iterations;
    tally->slowest = impact.iterations > tally->slowest ? impact.iterations : tally->slowest;
    if (isfinite(expected))
    {
        tally->hits++;
        tally->misses += !hit;
        tally->late += hit && (real)impact.t > expected;
        if (hit && expected - impact.t > tally->earliest)
            tally->earliest = expected - impact.t;
    }
    // An answer without a contact must at least be one of nothing but rounding.
    else if (hit && apart(pair, &impact) > 1e-12 * size)
        tally->unfounded++;
}

static void assertSound(const char* name, const Tally* tally, int pairs)
{
    if (tally->misses + tally->late + tally->unfounded > 0 || tally->earliest > 1e-6L)
        fail_msg("%s: %d hits, %d missed, %d late, %d unfounded, %Lg early", name, tally->hits,
                 tally->misses, tally->late, tally->unfounded, tally->earliest);
    if (getenv("PAL_TALLY") != NULL)
        print_message("%s: %d pairs, %d hits, %.2f iterations, at most %d, early %.2Lg\n", name,
                      pairs, tally->hits, (double)tally->iterations / pairs, tally->slowest,
                      tally->earliest);
    assert_true(tally->hits > pairs / 20);
    assert_true(tally->slowest < 1000);
}

static palVec3 randomVec3(palRandom* random, double size)
{
    double x = palRandom_Range(random, -size, size);
    double y = palRandom_Range(random, -size, size);
    return palMakeVec3(x, y, palRandom_Range(random, -size, size));
}

// Vertices about `place`, each moving on its own.
static Pair randomPair(palRandom* random, bool edges, double size, double motion, palVec3 place)
{
    Pair pair = {.edges = edges};
    for (int i = 0; i < 4; i++)
    {
        pair.p[i].start = palAdd(place, randomVec3(random, size));
        pair.p[i].end = palAdd(pair.p[i].start, randomVec3(random, motion));
    }
    return pair;
}

// Moves the first feature so that it meets the second at a random time and place.
static void aim(palRandom* random, Pair* pair)
{
    double t = palRandom_Unit(random), u = palRandom_Unit(random), v = palRandom_Unit(random);
    palVec3 x[4];
    for (int i = 0; i < 4; i++)
        x[i] = palLerp(pair->p[i].start, pair->p[i].end, t);
    palVec3 from = pair->edges ? palLerp(x[0], x[1], u) : x[0];
    palVec3 to = pair->edges ? palLerp(x[2], x[3], v) : palLerp(palLerp(x[1], x[2], u), x[3], v);
    for (int i = 0; i < (pair->edges ? 2 : 1); i++)
    {
        pair->p[i].start = palAdd(pair->p[i].start, palSub(to, from));
        pair->p[i].end = palAdd(pair->p[i].end, palSub(to, from));
    }
}

static void random_pairs_agree_with_the_cubic(void** state)
{
    (void)state;
    const struct
    {
        const char* name;
        double size, motion, place;
    } cases[] = {
        {"wild", 1.0, 2.0, 0.0},
        {"small", 1e-3, 1e-3, 0.0},
        {"slow", 1e-2, 1e-5, 0.0},
        {"far away", 1e-2, 1e-2, 5.0},
    };
    palRandom random = palMakeRandom(21);
    for (int c = 0; c < 4; c++)
    {
        Tally tally = {0};
        const int pairs = 20000;
        for (int i = 0; i < pairs; i++)
        {
            palVec3 place = randomVec3(&random, cases[c].place);
            Pair pair = randomPair(&random, i % 2 == 0, cases[c].size, cases[c].motion, place);
            if (i % 4 < 2)
                aim(&random, &pair);
            judge(&tally, &pair, byCubic(&pair), cases[c].size);
        }
        assertSound(cases[c].name, &tally, pairs);
    }
}

// The plane of the triangle tilts under the vertex: the gap is k (t - m)² - d. With d = 0 the path
// touches the plane and leaves it on the same side: a double root. d > 0 gives two roots near one
// another, d < 0 a narrow miss.
static Pair grazingPair(palRandom* random, double d)
{
    double k = palRandom_Range(random, 0.25, 2.0), m = palRandom_Range(random, 0.2, 0.8);
    // The plane is at z = 2 k m t x, the vertex at x = 1 - t / 2m: z there is k (2 m t - t²).
    Pair pair = {.edges = false};
    const double corners[3][2] = {{-3, -2}, {3, -2}, {0, 4}};
    for (int i = 0; i < 3; i++)
        pair.p[1 + i] = (palMovingPoint){
            {corners[i][0], corners[i][1], 0},
            {corners[i][0], corners[i][1], 2 * k * m * corners[i][0]},
        };
    double height = k * m * m - d;
    pair.p[0] = (palMovingPoint){{1, 0, height}, {1 - 0.5 / m, 0, height}};
    return pair;
}

static void grazing_pairs_are_neither_missed_nor_late(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(22);
    Tally tally = {0};
    const int pairs = 10000;
    for (int i = 0; i < pairs; i++)
    {
        double d = i % 4 == 0 ? 0.0 : pow(10.0, palRandom_Range(&random, -15.0, -3.0));
        Pair pair = grazingPair(&random, i % 4 == 3 ? -d : d);
        palQuat turn = palMakeQuatRotationVector(randomVec3(&random, 2.0));
        for (int v = 0; v < 4 && i % 2 == 0; v++)
        {
            pair.p[v].start = palRotate(turn, pair.p[v].start);
            pair.p[v].end = palRotate(turn, pair.p[v].end);
        }
        judge(&tally, &pair, byCubic(&pair), 10.0);
    }
    assertSound("grazing", &tally, pairs);
}

static void pairs_in_one_plane_agree_with_plane_geometry(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(23);
    Tally tally = {0};
    const int pairs = 20000;
    for (int i = 0; i < pairs; i++)
    {
        Pair pair = randomPair(&random, i % 2 == 0, 1.0, 1.0, pal_zeroVec3);
        // Every fourth pair of edges is parallel throughout.
        if (i % 8 == 0)
            for (int end = 0; end < 2; end++)
            {
                palVec3* a = end == 0 ? &pair.p[0].start : &pair.p[0].end;
                palVec3* b = end == 0 ? &pair.p[2].start : &pair.p[2].end;
                const int stride = sizeof(palMovingPoint) / sizeof(palVec3);
                a[stride] = palAdd(*a, palMakeVec3(0.5, 0.25, 0));
                b[stride] = palAdd(*b, palMakeVec3(1.0, 0.5, 0));
            }
        for (int v = 0; v < 4; v++)
            pair.p[v].start.z = pair.p[v].end.z = 0.0;
        judge(&tally, &pair, byPlane(&pair), 1.0);
        // The same in the planes x = 0 and y = 0: coordinates exchanged, nothing rounded.
        real expected = byPlane(&pair);
        for (int v = 0; v < 4; v++)
        {
            palVec3 s = pair.p[v].start, e = pair.p[v].end;
            pair.p[v].start = i % 3 == 0 ? palMakeVec3(0, s.x, s.y) : palMakeVec3(s.x, 0, s.y);
            pair.p[v].end = i % 3 == 0 ? palMakeVec3(0, e.x, e.y) : palMakeVec3(e.x, 0, e.y);
        }
        judge(&tally, &pair, expected, 1.0);
    }
    assertSound("coplanar", &tally, 2 * pairs);
}

static palMovingPoint still(double x, double y, double z)
{
    return (palMovingPoint){{x, y, z}, {x, y, z}};
}

static void features_that_do_not_move_touch_at_once_or_never(void** state)
{
    (void)state;
    const palMovingPoint face[3] = {still(0, 0, 0), still(1, 0, 0), still(0, 1, 0)};
    palImpact impact;
    assert_true(palImpact_VertexFace(still(0.25, 0.25, 0), face, &impact)); // within
    assert_true(impact.t == 0.0 && palLength(impact.normal) == 0.0);
    assert_true(palImpact_VertexFace(still(0.5, 0, 0), face, &impact)); // on an edge
    assert_true(palImpact_VertexFace(still(0, 1, 0), face, &impact));   // on a corner
    assert_false(palImpact_VertexFace(still(0.25, 0.25, 1e-9), face, &impact));
    assert_false(palImpact_VertexFace(still(0.5, -1e-9, 0), face, &impact));
    const palMovingPoint crossing[2] = {still(0.5, -1, 0), still(0.5, 1, 0)};
    const palMovingPoint beside[2] = {still(0, 1e-9, 0), still(1, 1e-9, 0)};
    const palMovingPoint along[2] = {still(0.5, 0, 0), still(2, 0, 0)};
    assert_true(palImpact_EdgeEdge(face, crossing, &impact));
    assert_true(palImpact_EdgeEdge(face, along, &impact));
    assert_false(palImpact_EdgeEdge(face, beside, &impact));
}

static void features_without_extent_are_points(void** state)
{
    (void)state;
    palImpact impact;
    // A triangle that is a point, one that is a segment, an edge that is a point.
    palMovingPoint falling = {{0, 0, 1}, {0, 0, -1}};
    const palMovingPoint point[3] = {still(0, 0, 0), still(0, 0, 0), still(0, 0, 0)};
    const palMovingPoint segment[3] = {still(-1, 0, 0), still(2, 0, 0), still(1, 0, 0)};
    assert_true(palImpact_VertexFace(falling, point, &impact));
    ASSERT_NEAR(impact.t, 0.5, 1e-12);
    assert_true(palImpact_VertexFace(falling, segment, &impact));
    ASSERT_NEAR(impact.t, 0.5, 1e-12);
    ASSERT_NEAR(impact.normal.z, 1.0, 1e-9);
    const palMovingPoint drop[2] = {falling, falling};
    assert_true(palImpact_EdgeEdge(drop, segment, &impact));
    ASSERT_NEAR(impact.t, 0.5, 1e-12);
}

// Weights and normal of a vertex that falls onto a face and of an edge that falls onto another.
static void the_place_and_the_normal_of_a_contact_are_told(void** state)
{
    (void)state;
    palImpact impact;
    const palMovingPoint face[3] = {still(0, 0, 0), still(4, 0, 0), still(0, 4, 0)};
    palMovingPoint vertex = {{2.5, 0.5, 1}, {0.5, 1.5, -1}}; // at (1.5, 1, 0) at half time
    assert_true(palImpact_VertexFace(vertex, face, &impact));
    ASSERT_NEAR(impact.t, 0.5, 1e-12);
    ASSERT_NEAR(impact.weightsB[0], 0.375, 1e-9);
    ASSERT_NEAR(impact.weightsB[1], 0.375, 1e-9);
    ASSERT_NEAR(impact.weightsB[2], 0.25, 1e-9);
    ASSERT_NEAR(impact.normal.z, 1.0, 1e-9);
    const palMovingPoint upper[2] = {{{1, -1, 3}, {1, -1, -1}}, {{1, 3, 3}, {1, 3, -1}}};
    const palMovingPoint lower[2] = {still(0, 0, 0), still(4, 0, 0)};
    assert_true(palImpact_EdgeEdge(upper, lower, &impact));
    ASSERT_NEAR(impact.t, 0.75, 1e-12);
    ASSERT_NEAR(impact.weightsA[1], 0.25, 1e-9);
    ASSERT_NEAR(impact.weightsB[1], 0.25, 1e-9);
    ASSERT_NEAR(impact.normal.z, 1.0, 1e-9);
}

static void closest_points_of_segments_are_a_minimum(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(24);
    for (int i = 0; i < 2000; i++)
    {
        palVec3 a[2] = {randomVec3(&random, 1), randomVec3(&random, 1)};
        palVec3 b[2] = {randomVec3(&random, 1), randomVec3(&random, 1)};
        if (i % 4 == 0)
            b[1] = palMulAdd(b[0], palRandom_Range(&random, -2, 2), palSub(a[1], a[0]));
        double s, t;
        double square = palClosestOnSegments(a, b, &s, &t);
        assert_true(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0);
        palVec3 offset = palSub(palLerp(a[0], a[1], s), palLerp(b[0], b[1], t));
        ASSERT_NEAR(palLengthSquared(offset), square, 1e-14);
        for (int k = 0; k <= 400; k++)
        {
            palVec3 p = palLerp(a[0], a[1], k % 20 / 19.0), q = palLerp(b[0], b[1], k / 20 / 20.0);
            assert_true(palLengthSquared(palSub(p, q)) >= square - 1e-14);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs_agree_with_the_cubic),
        cmocka_unit_test(grazing_pairs_are_neither_missed_nor_late),
        cmocka_unit_test(pairs_in_one_plane_agree_with_plane_geometry),
        cmocka_unit_test(features_that_do_not_move_touch_at_once_or_never),
        cmocka_unit_test(features_without_extent_are_points),
        cmocka_unit_test(the_place_and_the_normal_of_a_contact_are_told),
        cmocka_unit_test(closest_points_of_segments_are_a_minimum),
    };
    return RUN(tests);
}

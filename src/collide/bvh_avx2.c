// SPDX-License-Identifier: Apache-2.0
// The hierarchy's kernels for AVX2: eight boxes or triangles at a time in single precision, four
// triangles in double. Each function repeats its twin in bvh_scalar.c and triangle.h operation by
// operation, so that the answers are the same to the last bit.
#include "collide/bvh_tree.h"

#if defined(__x86_64__)

#include "collide/bvh_queries.h"

#include <immintrin.h>

// Four vectors, coordinate by coordinate.
typedef struct four3
{
    __m256d x, y, z;
} four3;

static inline four3 sub(four3 a, four3 b)
{
    return (four3){_mm256_sub_pd(a.x, b.x), _mm256_sub_pd(a.y, b.y), _mm256_sub_pd(a.z, b.z)};
}

static inline four3 scale(__m256d s, four3 a)
{
    return (four3){_mm256_mul_pd(s, a.x), _mm256_mul_pd(s, a.y), _mm256_mul_pd(s, a.z)};
}

static inline four3 mulAdd(four3 a, __m256d s, four3 b)
{
    return (four3){_mm256_add_pd(a.x, _mm256_mul_pd(s, b.x)),
                   _mm256_add_pd(a.y, _mm256_mul_pd(s, b.y)),
                   _mm256_add_pd(a.z, _mm256_mul_pd(s, b.z))};
}

static inline __m256d dot(four3 a, four3 b)
{
    __m256d xy = _mm256_add_pd(_mm256_mul_pd(a.x, b.x), _mm256_mul_pd(a.y, b.y));
    return _mm256_add_pd(xy, _mm256_mul_pd(a.z, b.z));
}

// a b - c d
static inline __m256d mulSub(__m256d a, __m256d b, __m256d c, __m256d d)
{
    return _mm256_sub_pd(_mm256_mul_pd(a, b), _mm256_mul_pd(c, d));
}

static inline four3 cross(four3 a, four3 b)
{
    return (four3){mulSub(a.y, b.z, a.z, b.y), mulSub(a.z, b.x, a.x, b.z),
                   mulSub(a.x, b.y, a.y, b.x)};
}

// b where the mask is set, else a.
static inline four3 choose(four3 a, four3 b, __m256d mask)
{
    return (four3){_mm256_blendv_pd(a.x, b.x, mask), _mm256_blendv_pd(a.y, b.y, mask),
                   _mm256_blendv_pd(a.z, b.z, mask)};
}

static inline __m256d absolute(__m256d a)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

// One corner of four triangles, turned from vertex by vertex to coordinate by coordinate.
static inline four3 loadCorner(const palBvh* bvh, const palBvhLeaf* leaf,
                               const int lanes[pal_bvhFourWidth], int corner)
{
    const int32_t* vertex = leaf->vertex[corner];
    __m256d a = _mm256_load_pd(bvh->vertices[vertex[lanes[0]]].x);
    __m256d b = _mm256_load_pd(bvh->vertices[vertex[lanes[1]]].x);
    __m256d c = _mm256_load_pd(bvh->vertices[vertex[lanes[2]]].x);
    __m256d d = _mm256_load_pd(bvh->vertices[vertex[lanes[3]]].x);
    __m256d xzAB = _mm256_unpacklo_pd(a, b);
    __m256d xzCD = _mm256_unpacklo_pd(c, d);
    __m256d yAB = _mm256_unpackhi_pd(a, b);
    __m256d yCD = _mm256_unpackhi_pd(c, d);
    return (four3){_mm256_permute2f128_pd(xzAB, xzCD, 0x20), _mm256_permute2f128_pd(yAB, yCD, 0x20),
                   _mm256_permute2f128_pd(xzAB, xzCD, 0x31)};
}

// palClosestOnEdge; E is B - A.
static inline __m256d edgeDistances(four3 A, four3 B, four3 E)
{
    const __m256d zero = _mm256_setzero_pd();
    const __m256d sign = _mm256_set1_pd(-0.0);
    __m256d fromA = _mm256_xor_pd(dot(A, E), sign);
    __m256d fromB = dot(B, E);
    __m256d first = _mm256_cmp_pd(fromA, fromB, _CMP_LT_OQ);
    __m256d s = _mm256_max_pd(_mm256_blendv_pd(fromB, fromA, first), zero);
    __m256d lengthSquared = _mm256_add_pd(fromA, fromB);
    __m256d some = _mm256_cmp_pd(lengthSquared, zero, _CMP_GT_OQ);
    __m256d t = _mm256_and_pd(some, _mm256_div_pd(s, lengthSquared));
    t = _mm256_min_pd(t, _mm256_set1_pd(0.5));
    t = _mm256_xor_pd(t, _mm256_andnot_pd(first, sign));
    four3 point = mulAdd(choose(B, A, first), t, E);
    return dot(point, point);
}

// palClosestInFace, and the least of it and `best`.
static inline __m256d faceDistances(four3 A, four3 B, four3 C, four3 AB, four3 BC, four3 CA,
                                    __m256d best)
{
    const __m256d zero = _mm256_setzero_pd();
    four3 n = cross(CA, AB);
    __m256d u = dot(n, cross(B, BC));
    __m256d v = dot(n, cross(C, CA));
    __m256d w = dot(n, cross(A, AB));
    __m256d inside = _mm256_and_pd(
        _mm256_and_pd(_mm256_cmp_pd(u, zero, _CMP_GT_OQ), _mm256_cmp_pd(v, zero, _CMP_GT_OQ)),
        _mm256_cmp_pd(w, zero, _CMP_GT_OQ));
    __m256d sum = _mm256_add_pd(_mm256_add_pd(u, v), w);
    __m256d inverse = _mm256_div_pd(_mm256_set1_pd(1.0), sum);
    four3 point = scale(_mm256_mul_pd(u, inverse), A);
    point = mulAdd(point, _mm256_mul_pd(v, inverse), B);
    point = mulAdd(point, _mm256_mul_pd(w, inverse), C);
    __m256d distances = _mm256_blendv_pd(_mm256_set1_pd(INFINITY), dot(point, point), inside);
    return _mm256_min_pd(distances, best);
}

static inline unsigned fourDistances(const palBvh* bvh, const palBvhLeaf* leaf,
                                     const int lanes[pal_bvhFourWidth], palVec3 point, double bound,
                                     double distances[pal_bvhFourWidth])
{
    four3 P = {_mm256_set1_pd(point.x), _mm256_set1_pd(point.y), _mm256_set1_pd(point.z)};
    four3 A = sub(loadCorner(bvh, leaf, lanes, 0), P);
    four3 B = sub(loadCorner(bvh, leaf, lanes, 1), P);
    four3 C = sub(loadCorner(bvh, leaf, lanes, 2), P);
    four3 AB = sub(B, A);
    four3 BC = sub(C, B);
    four3 CA = sub(A, C);
    __m256d best = edgeDistances(A, B, AB);
    best = _mm256_min_pd(edgeDistances(B, C, BC), best);
    best = _mm256_min_pd(edgeDistances(C, A, CA), best);
    best = faceDistances(A, B, C, AB, BC, CA, best);
    _mm256_storeu_pd(distances, best);
    __m256d near = _mm256_cmp_pd(best, _mm256_set1_pd(bound), _CMP_LE_OQ);
    return (unsigned)_mm256_movemask_pd(near);
}

// palShearCorner.
static inline four3 shearCorner(four3 corner, const palSegment* s)
{
    const __m256d c[3] = {corner.x, corner.y, corner.z};
    __m256d x = _mm256_sub_pd(c[s->x], _mm256_set1_pd(s->origin[s->x]));
    __m256d y = _mm256_sub_pd(c[s->y], _mm256_set1_pd(s->origin[s->y]));
    __m256d z = _mm256_sub_pd(c[s->z], _mm256_set1_pd(s->origin[s->z]));
    return (four3){_mm256_sub_pd(x, _mm256_mul_pd(_mm256_set1_pd(s->shearX), z)),
                   _mm256_sub_pd(y, _mm256_mul_pd(_mm256_set1_pd(s->shearY), z)), z};
}

// palMulSub. The one place for fused multiply-add: it is the rounding error of a product.
static inline __m256d signedMulSub(__m256d a, __m256d b, __m256d c, __m256d d)
{
    __m256d ab = _mm256_mul_pd(a, b);
    __m256d cd = _mm256_mul_pd(c, d);
    __m256d difference = _mm256_sub_pd(ab, cd);
    __m256d rest = _mm256_sub_pd(_mm256_fmsub_pd(a, b, ab), _mm256_fmsub_pd(c, d, cd));
    __m256d zero = _mm256_cmp_pd(difference, _mm256_setzero_pd(), _CMP_EQ_OQ);
    return _mm256_blendv_pd(difference, rest, zero);
}

// Lanes where the predicate holds for all three compared with zero.
#define ALL_THREE(u, v, w, predicate)                                                              \
    _mm256_and_pd(_mm256_and_pd(_mm256_cmp_pd(u, _mm256_setzero_pd(), predicate),                  \
                                _mm256_cmp_pd(v, _mm256_setzero_pd(), predicate)),                 \
                  _mm256_cmp_pd(w, _mm256_setzero_pd(), predicate))

// palSegmentCrossing.
static inline unsigned fourCrossings(const palBvh* bvh, const palBvhLeaf* leaf,
                                     const int lanes[pal_bvhFourWidth], const palSegment* segment,
                                     double bound, double crossings[pal_bvhFourWidth])
{
    const __m256d zero = _mm256_setzero_pd();
    const __m256d one = _mm256_set1_pd(1.0);
    four3 A = shearCorner(loadCorner(bvh, leaf, lanes, 0), segment);
    four3 B = shearCorner(loadCorner(bvh, leaf, lanes, 1), segment);
    four3 C = shearCorner(loadCorner(bvh, leaf, lanes, 2), segment);
    __m256d U = signedMulSub(C.x, B.y, C.y, B.x);
    __m256d V = signedMulSub(A.x, C.y, A.y, C.x);
    __m256d W = signedMulSub(B.x, A.y, B.y, A.x);
    __m256d inside = _mm256_or_pd(ALL_THREE(U, V, W, _CMP_GE_OQ), ALL_THREE(U, V, W, _CMP_LE_OQ));
    __m256d determinant = _mm256_add_pd(_mm256_add_pd(U, V), W);
    __m256d t = _mm256_add_pd(_mm256_mul_pd(U, A.z), _mm256_mul_pd(V, B.z));
    t = _mm256_add_pd(t, _mm256_mul_pd(W, C.z));
    t = _mm256_div_pd(_mm256_mul_pd(t, _mm256_set1_pd(segment->scaleZ)), determinant);

    __m256d depth = _mm256_max_pd(absolute(A.z), absolute(B.z));
    depth = _mm256_max_pd(depth, absolute(C.z));
    __m256d slack = _mm256_mul_pd(_mm256_mul_pd(_mm256_set1_pd(pal_crossingSlack), depth),
                                  _mm256_set1_pd(fabs(segment->scaleZ)));
    __m256d begin = _mm256_sub_pd(zero, slack);
    __m256d end = _mm256_add_pd(one, slack);
    inside = _mm256_and_pd(inside, _mm256_cmp_pd(determinant, zero, _CMP_NEQ_OQ));
    inside = _mm256_and_pd(inside, _mm256_cmp_pd(t, begin, _CMP_GE_OQ));
    inside = _mm256_and_pd(inside, _mm256_cmp_pd(t, end, _CMP_LE_OQ));
    t = _mm256_min_pd(_mm256_max_pd(t, zero), one);
    inside = _mm256_and_pd(inside, _mm256_cmp_pd(t, _mm256_set1_pd(bound), _CMP_LE_OQ));
    _mm256_storeu_pd(crossings, t);
    return (unsigned)_mm256_movemask_pd(inside);
}

// Eight vectors in single precision, coordinate by coordinate.
typedef struct eight3
{
    __m256 x, y, z;
} eight3;

static inline __m256 dotEight(eight3 a, eight3 b)
{
    __m256 xy = _mm256_add_ps(_mm256_mul_ps(a.x, b.x), _mm256_mul_ps(a.y, b.y));
    return _mm256_add_ps(xy, _mm256_mul_ps(a.z, b.z));
}

static inline unsigned atMost(__m256 values, float bound)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(values, _mm256_set1_ps(bound), _CMP_LE_OQ));
}

// How far each box is from the point along one axis.
static inline __m256 gap(const palBvhNode* node, const pointQuery* query, int k)
{
    __m256 below = _mm256_sub_ps(_mm256_load_ps(node->low[k]), _mm256_set1_ps(query->high[k]));
    __m256 above = _mm256_sub_ps(_mm256_set1_ps(query->low[k]), _mm256_load_ps(node->high[k]));
    return _mm256_max_ps(_mm256_setzero_ps(), _mm256_max_ps(below, above));
}

// How far each box reaches from the point along one axis.
static inline __m256 reach(const palBvhNode* node, const pointQuery* query, int k)
{
    __m256 below = _mm256_sub_ps(_mm256_set1_ps(query->high[k]), _mm256_load_ps(node->low[k]));
    __m256 above = _mm256_sub_ps(_mm256_load_ps(node->high[k]), _mm256_set1_ps(query->low[k]));
    return _mm256_max_ps(below, above);
}

static inline unsigned nodeDistances(const palBvhNode* node, const pointQuery* query, float bound,
                                     float distances[pal_bvhWidth])
{
    eight3 gaps = {gap(node, query, 0), gap(node, query, 1), gap(node, query, 2)};
    __m256 squares = dotEight(gaps, gaps);
    _mm256_storeu_ps(distances, squares);
    return atMost(squares, bound);
}

static inline unsigned nodeReach(const palBvhNode* node, const pointQuery* query, float bound,
                                 float inside, unsigned* contained, unsigned* leaves)
{
    eight3 nearest = {gap(node, query, 0), gap(node, query, 1), gap(node, query, 2)};
    eight3 farthest = {reach(node, query, 0), reach(node, query, 1), reach(node, query, 2)};
    *contained = atMost(dotEight(farthest, farthest), inside);
    *leaves = (unsigned)_mm256_movemask_ps(
        _mm256_castsi256_ps(_mm256_load_si256((const __m256i*)node->child)));
    return atMost(dotEight(nearest, nearest), bound);
}

// Where the segment meets a plane of each box.
static inline __m256 meet(const float plane[pal_bvhWidth], float start, float inverse)
{
    __m256 way = _mm256_sub_ps(_mm256_load_ps(plane), _mm256_set1_ps(start));
    return _mm256_mul_ps(way, _mm256_set1_ps(inverse));
}

static inline __m256 enter(const palBvhNode* node, const segmentQuery* s, int k)
{
    return meet(s->backward[k] ? node->high[k] : node->low[k], s->nearStart[k], s->inverse[k]);
}

static inline __m256 leave(const palBvhNode* node, const segmentQuery* s, int k)
{
    return meet(s->backward[k] ? node->low[k] : node->high[k], s->farStart[k], s->inverse[k]);
}

static inline unsigned nodeEntries(const palBvhNode* node, const segmentQuery* query, float bound,
                                   float entries[pal_bvhWidth])
{
    __m256 entry = _mm256_max_ps(enter(node, query, 1), enter(node, query, 2));
    __m256 exit = _mm256_min_ps(leave(node, query, 1), leave(node, query, 2));
    entry = _mm256_max_ps(_mm256_setzero_ps(), _mm256_max_ps(enter(node, query, 0), entry));
    exit = _mm256_min_ps(_mm256_set1_ps(bound), _mm256_min_ps(leave(node, query, 0), exit));
    entry = _mm256_mul_ps(entry, _mm256_set1_ps((float)(1.0 - margin)));
    exit = _mm256_mul_ps(exit, _mm256_set1_ps((float)(1.0 + margin)));
    _mm256_storeu_ps(entries, entry);
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(entry, exit, _CMP_LE_OQ));
}

// One step of a sorting network: the larger of each pair to the lower lane.
#define EXCHANGE(keys, swapped, upper)                                                             \
    _mm256_blend_epi32(_mm256_max_epi32(keys, swapped), _mm256_min_epi32(keys, swapped), upper)

// Sorts eight lanes, largest first: six steps of a bitonic network (Batcher 1968).
static inline __m256i sortDescending(__m256i keys)
{
    const __m256i reverse = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    keys = EXCHANGE(keys, _mm256_shuffle_epi32(keys, 0xB1), 0xAA);
    keys = EXCHANGE(keys, _mm256_shuffle_epi32(keys, 0x1B), 0xCC);
    keys = EXCHANGE(keys, _mm256_shuffle_epi32(keys, 0xB1), 0xAA);
    keys = EXCHANGE(keys, _mm256_permutevar8x32_epi32(keys, reverse), 0xF0);
    keys = EXCHANGE(keys, _mm256_shuffle_epi32(keys, 0x4E), 0xCC);
    return EXCHANGE(keys, _mm256_shuffle_epi32(keys, 0xB1), 0xAA);
}

// Floats without their sign are in the order of their bits; the lowest three give way to the lane.
// Lanes that are not wanted sort last, above the top.
static inline void pushChildren(waiting* stack, const palBvhNode* node,
                                const float least[pal_bvhWidth], unsigned mask)
{
    float* top = stack->least + stack->count;
    int32_t* topChild = stack->child + stack->count;
    stack->count += __builtin_popcount(mask);

    // Often there is one child at most.
    if ((mask & (mask - 1)) == 0)
    {
        int only = mask != 0 ? __builtin_ctz(mask) : 0;
        *top = least[only];
        *topChild = node->child[only];
        return;
    }
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i last = _mm256_set1_epi32(INT32_MIN);
    __m256i wanted = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)mask), bit), bit);
    __m256 values = _mm256_loadu_ps(least);
    __m256i keys = _mm256_and_si256(_mm256_castps_si256(values), _mm256_set1_epi32(INT32_MAX - 7));
    keys = sortDescending(_mm256_or_si256(_mm256_blendv_epi8(last, keys, wanted), lane));
    __m256i children = _mm256_load_si256((const __m256i*)node->child);
    _mm256_storeu_ps(top, _mm256_permutevar8x32_ps(values, keys));
    _mm256_storeu_si256((__m256i*)topChild, _mm256_permutevar8x32_epi32(children, keys));
}

// Two points in one register.
static inline __m256 loadPair(const palBvh* bvh, int32_t first, int32_t second)
{
    return _mm256_set_m128(_mm_load_ps(bvh->points[second].x), _mm_load_ps(bvh->points[first].x));
}

// One corner of eight triangles, relative to the query point.
static inline eight3 loadPoints(const palBvh* bvh, const palBvhLeaf* leaf, int corner,
                                const pointQuery* query)
{
    const int32_t* v = leaf->vertex[corner];
    __m256 a = loadPair(bvh, v[0], v[4]);
    __m256 b = loadPair(bvh, v[1], v[5]);
    __m256 c = loadPair(bvh, v[2], v[6]);
    __m256 d = loadPair(bvh, v[3], v[7]);
    __m256d xyAB = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
    __m256d xyCD = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
    __m256d zAB = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
    __m256d zCD = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
    __m256 x = _mm256_castpd_ps(_mm256_unpacklo_pd(xyAB, xyCD));
    __m256 y = _mm256_castpd_ps(_mm256_unpackhi_pd(xyAB, xyCD));
    __m256 z = _mm256_castpd_ps(_mm256_unpacklo_pd(zAB, zCD));
    return (eight3){_mm256_sub_ps(x, _mm256_set1_ps(query->nearest[0])),
                    _mm256_sub_ps(y, _mm256_set1_ps(query->nearest[1])),
                    _mm256_sub_ps(z, _mm256_set1_ps(query->nearest[2]))};
}

static inline __m256 sumThree(__m256 a, __m256 b, __m256 c)
{
    return _mm256_add_ps(_mm256_add_ps(a, b), c);
}

static inline __m256 leastOfThree(__m256 a, __m256 b, __m256 c)
{
    return _mm256_min_ps(c, _mm256_min_ps(b, a));
}

static inline unsigned leafReach(const palBvh* bvh, const palBvhLeaf* leaf, const pointQuery* query,
                                 float inside, unsigned* cornered)
{
    const __m256 tiny = _mm256_set1_ps(FLT_MIN);
    eight3 A = loadPoints(bvh, leaf, 0, query);
    eight3 B = loadPoints(bvh, leaf, 1, query);
    eight3 C = loadPoints(bvh, leaf, 2, query);
    eight3 d = {sumThree(A.x, B.x, C.x), sumThree(A.y, B.y, C.y), sumThree(A.z, B.z, C.z)};
    __m256 height = leastOfThree(dotEight(A, d), dotEight(B, d), dotEight(C, d));
    height = _mm256_max_ps(height, _mm256_setzero_ps());
    __m256 far =
        _mm256_mul_ps(_mm256_set1_ps(query->reachSquared), _mm256_add_ps(dotEight(d, d), tiny));
    far = _mm256_add_ps(far, tiny);
    *cornered = atMost(leastOfThree(dotEight(A, A), dotEight(B, B), dotEight(C, C)), inside);
    __m256 near = _mm256_cmp_ps(_mm256_mul_ps(height, height), far, _CMP_NGT_UQ);
    return (unsigned)_mm256_movemask_ps(near);
}

static inline void fitLeaf(const palBvh* bvh, palBvhNode* node, int lane)
{
    const int32_t* vertex = bvh->leaves[~node->child[lane]].vertex[0];
    __m256 lows = loadPair(bvh, vertex[0], vertex[1]);
    __m256 highs = lows;
    for (int i = 2; i < 3 * pal_bvhWidth; i += 2)
    {
        __m256 x = loadPair(bvh, vertex[i], vertex[i + 1]);
        lows = _mm256_min_ps(x, lows);
        highs = _mm256_max_ps(x, highs);
    }
    __m128 low = _mm_min_ps(_mm256_castps256_ps128(lows), _mm256_extractf128_ps(lows, 1));
    __m128 high = _mm_max_ps(_mm256_castps256_ps128(highs), _mm256_extractf128_ps(highs, 1));

    // palFloatBelow and palFloatAbove.
    const __m128 ulp = _mm_set1_ps(0x1p-23f);
    const __m128 least = _mm_set1_ps(FLT_MIN);
    const __m128 sign = _mm_set1_ps(-0.0f);
    __m128 below = _mm_add_ps(_mm_mul_ps(_mm_andnot_ps(sign, low), ulp), least);
    __m128 above = _mm_add_ps(_mm_mul_ps(_mm_andnot_ps(sign, high), ulp), least);
    float rounded[2][4];
    _mm_storeu_ps(rounded[0], _mm_sub_ps(low, below));
    _mm_storeu_ps(rounded[1], _mm_add_ps(high, above));
    for (int k = 0; k < 3; k++)
    {
        node->low[k][lane] = rounded[0][k];
        node->high[k][lane] = rounded[1][k];
    }
}

// The least of eight, NaN left out.
static inline float leastOf(__m256 values)
{
    values = _mm256_min_ps(values, _mm256_set1_ps(INFINITY));
    __m128 m = _mm_min_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
    m = _mm_min_ps(m, _mm_movehl_ps(m, m));
    m = _mm_min_ss(m, _mm_movehdup_ps(m));
    return _mm_cvtss_f32(m);
}

static inline void fitChild(palBvhNode* parent, int lane, const palBvhNode* node)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    for (int k = 0; k < 3; k++)
    {
        parent->low[k][lane] = leastOf(_mm256_load_ps(node->low[k]));
        parent->high[k][lane] = -leastOf(_mm256_xor_ps(_mm256_load_ps(node->high[k]), sign));
    }
}

static inline void placeVertices(palBvh* bvh, const palVec3* vertices)
{
    const __m256d origin = _mm256_setr_pd(bvh->origin.x, bvh->origin.y, bvh->origin.z, 0.0);
    for (int i = 0; i < bvh->vertexCount; i++)
    {
        palVec3 v = vertices[bvh->source[i]];
        __m256d x = _mm256_setr_pd(v.x, v.y, v.z, 0.0);
        _mm256_store_pd(bvh->vertices[i].x, x);
        _mm_store_ps(bvh->points[i].x, _mm256_cvtpd_ps(_mm256_sub_pd(x, origin)));
    }
}

static const palBvhKernels kernels = {
    .place = placeVertices,
    .fit = fitNodes,
    .fitLane = fitLane,
    .closest = findClosest,
    .within = findWithin,
    .firstCrossing = findFirstCrossing,
};

const palBvhKernels* palBvhAvx2Kernels(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kernels : NULL;
}

#else

const palBvhKernels* palBvhAvx2Kernels(void)
{
    return NULL;
}

#endif

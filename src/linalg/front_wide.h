// SPDX-License-Identifier: Apache-2.0
// Vectors of four doubles, for the AVX2 versions of the kernels in front_kernels.h.
#ifndef PAL_LINALG_FRONT_WIDE_H
#define PAL_LINALG_FRONT_WIDE_H

#include <immintrin.h>

typedef __m256d Wide;

#define WIDE_LANES        4
#define loadWide(p)       _mm256_loadu_pd(p)
#define storeWide(p, v)   _mm256_storeu_pd(p, v)
#define setWide(x)        _mm256_set1_pd(x)
#define addWide(a, b)     _mm256_add_pd(a, b)
#define subWide(a, b)     _mm256_sub_pd(a, b)
#define mulWide(a, b)     _mm256_mul_pd(a, b)
#define fmaWide(a, b, c)  _mm256_fmadd_pd(a, b, c)
#define fnmaWide(a, b, c) _mm256_fnmadd_pd(a, b, c)

static inline double sumWide(Wide v)
{
    __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

#endif

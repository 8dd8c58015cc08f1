// SPDX-License-Identifier: Apache-2.0
// The kernels of a front for AVX2 and FMA, single precision.
#include "linalg/front.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "linalg/front_wide.h"

#include <float.h>

typedef __m256 Vec;

#define REAL             float
#define LANES            8
#define LARGEST          FLT_MAX
#define ROOT             sqrtf
#define KERNELS          pal_frontFloatAvx2
#define loadVec(p)       _mm256_loadu_ps(p)
#define storeVec(p, v)   _mm256_storeu_ps(p, v)
#define setVec(x)        _mm256_set1_ps(x)
#define addVec(a, b)     _mm256_add_ps(a, b)
#define subVec(a, b)     _mm256_sub_ps(a, b)
#define mulVec(a, b)     _mm256_mul_ps(a, b)
#define fmaVec(a, b, c)  _mm256_fmadd_ps(a, b, c)
#define fnmaVec(a, b, c) _mm256_fnmadd_ps(a, b, c)

static inline float sumVec(Vec v)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

#include "linalg/front_kernels.h"

#else

const palFrontKernels pal_frontFloatAvx2 = {0};

#endif

// SPDX-License-Identifier: Apache-2.0
#include "linalg/front.h"

// The maxima of packDepth and strip (front_kernels.h) over all kernel tables.
static const size_t packDepthMax = 256;
static const size_t stripMax = 24;

static bool hasAvx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

size_t palFrontKernels_PackedSize(int largestStride)
{
    return ((size_t)largestStride + stripMax) * packDepthMax * sizeof(double);
}

const palFrontKernels* palFrontKernels_Double(void)
{
    return hasAvx2() ? &pal_frontDoubleAvx2 : &pal_frontDouble;
}

const palFrontKernels* palFrontKernels_Float(void)
{
    return hasAvx2() ? &pal_frontFloatAvx2 : &pal_frontFloat;
}

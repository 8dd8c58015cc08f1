// SPDX-License-Identifier: Apache-2.0
// The kernels of a front for AVX2 and FMA, double precision.
#include "linalg/front.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "linalg/front_wide.h"

#include <float.h>

typedef Wide Vec;

#define REAL     double
#define LANES    WIDE_LANES
#define LARGEST  DBL_MAX
#define ROOT     sqrt
#define KERNELS  pal_frontDoubleAvx2
#define loadVec  loadWide
#define storeVec storeWide
#define setVec   setWide
#define addVec   addWide
#define subVec   subWide
#define mulVec   mulWide
#define fmaVec   fmaWide
#define fnmaVec  fnmaWide
#define sumVec   sumWide

#include "linalg/front_kernels.h"

#else

const palFrontKernels pal_frontDoubleAvx2 = {0};

#endif

// SPDX-License-Identifier: Apache-2.0
// The kernels of a front in plain C, single precision.
#include "linalg/front.h"

#include <float.h>

#define REAL       float
#define LANES      1
#define LARGEST    FLT_MAX
#define ROOT       sqrtf
#define KERNELS    pal_frontFloat
#define WIDE_LANES 1

#include "linalg/front_plain.h"

#include "linalg/front_kernels.h"

// SPDX-License-Identifier: Apache-2.0
// The kernels of a front in plain C, double precision.
#include "linalg/front.h"

#include <float.h>

#define REAL       double
#define LANES      1
#define LARGEST    DBL_MAX
#define ROOT       sqrt
#define KERNELS    pal_frontDouble
#define WIDE_LANES 1

#include "linalg/front_plain.h"

#include "linalg/front_kernels.h"

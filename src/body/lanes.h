// SPDX-License-Identifier: Apache-2.0
// Elements side by side: a lane of a vector each.
#ifndef PAL_BODY_LANES_H
#define PAL_BODY_LANES_H

#include <stdbool.h>

enum
{
    pal_lanes = 4,
};

/// Whether this processor has them: AVX2 and FMA.
bool palLanes_AreThere(void);

#endif

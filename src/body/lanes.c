// SPDX-License-Identifier: Apache-2.0
#include "body/lanes.h"

bool palLanes_AreThere(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

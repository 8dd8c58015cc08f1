// SPDX-License-Identifier: Apache-2.0
#include "loading.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    checkLoading(pal_surfaceOff, data, size);
    return 0;
}

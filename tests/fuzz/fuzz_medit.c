// SPDX-License-Identifier: Apache-2.0
#include "volume_loading.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    palVolumeBytes bytes = {.format = pal_volumeMedit, .data = data, .size = size};
    checkVolumeLoading(&bytes);
    return 0;
}

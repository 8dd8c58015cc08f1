// SPDX-License-Identifier: Apache-2.0
// The two files of a pair stand in one input, with a '%' between them.
#include "volume_loading.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const uint8_t* gap = size > 0 ? memchr(data, '%', size) : NULL;
    size_t nodes = gap != NULL ? (size_t)(gap - data) : size;
    palVolumeBytes bytes = {
        .format = pal_volumeTetgen,
        .data = data,
        .size = nodes,
        .elements = gap != NULL ? gap + 1 : data + size,
        .elementsSize = gap != NULL ? size - nodes - 1 : 0,
    };
    checkVolumeLoading(&bytes);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// STL, and the formats that go through Assimp. The first byte of an input chooses one, the rest is
// the file.
#include "loading.h"

const char* __lsan_default_suppressions(void);

// Assimp loses memory of its own when it gives up on a damaged file.
const char* __lsan_default_suppressions(void)
{
    return "leak:libassimp";
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0)
        return 0;
    switch (data[0])
    {
    case 'o':
        checkLoading(pal_surfaceObj, data + 1, size - 1);
        break;
    case 's':
        checkLoading(pal_surfaceStl, data + 1, size - 1);
        break;
    case 'j':
        checkLoading(pal_surfaceGltf, data + 1, size - 1);
        break;
    case 'b':
        checkLoading(pal_surfaceGlb, data + 1, size - 1);
        break;
    default:
        break;
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include <palpate/base.h>

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

// The build defines PAL_FEATURES as string literals, each followed by a comma.
static const char* const features[] = {PAL_FEATURES NULL};

const char* palVersion(void)
{
    return TEXT(PAL_VERSION_MAJOR) "." TEXT(PAL_VERSION_MINOR) "." TEXT(PAL_VERSION_PATCH);
}

const char* palFeature(int index)
{
    int count = (int)(sizeof features / sizeof features[0]) - 1;
    return index >= 0 && index < count ? features[index] : NULL;
}

// SPDX-License-Identifier: Apache-2.0
#include "device/driver.h"

#include "base/clock.h"

#include <string.h>

palDriverContext palDefaultDriverContext(void)
{
    return (palDriverContext){
        .size = sizeof(palDriverContext),
        .dt = 1e-3,
        .homeOrientation = {.w = 1.0},
        .maxSpeed = 1.0,
        .now = palClock_Now,
    };
}

palResult palDriver_ProbeNothing(palError* error)
{
    (void)error;
    return pal_ok;
}

void palDriver_NoForce(const palDevice* device, palDeviceLimits* limits)
{
    (void)device;
    limits->hasForce = false;
}

void palDriver_IgnoreForce(palDevice* device, const palDeviceOutput* output)
{
    (void)device;
    (void)output;
}

// Both structs begin with their size, which is not copied.
static void copyAfterSize(const void* from, size_t fromSize, void* to, size_t toSize)
{
    const size_t begin = sizeof(size_t);
    size_t end = fromSize < toSize ? fromSize : toSize;
    if (end > begin)
        memcpy((char*)to + begin, (const char*)from + begin, end - begin);
}

void palDriver_GiveState(const palDeviceState* from, palDeviceState* to)
{
    size_t fingers = (size_t)from->fingerCount * sizeof from->fingers[0];
    copyAfterSize(from, offsetof(palDeviceState, fingers) + fingers, to, to->size);
}

void palDriver_GiveLimits(const palDeviceLimits* from, palDeviceLimits* to)
{
    copyAfterSize(from, sizeof *from, to, to->size);
}

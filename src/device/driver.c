// SPDX-License-Identifier: Apache-2.0
#include "device/driver.h"

#include "base/clock.h"

palDriverContext palDefaultDriverContext(void)
{
    return (palDriverContext){
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

palDeviceLimits palDriver_NoForce(const palDevice* device)
{
    (void)device;
    return (palDeviceLimits){.hasForce = false};
}

void palDriver_IgnoreForce(palDevice* device, palVec3 force, palVec3 torque)
{
    (void)device;
    (void)force;
    (void)torque;
}

// SPDX-License-Identifier: Apache-2.0
// What drivers share that have no hardware to look for, or no force to give: functions for their
// palDeviceOps.
#ifndef PAL_DEVICE_DRIVER_H
#define PAL_DEVICE_DRIVER_H

#include <palpate/device.h>

/// probe: there is nothing that could be missing.
palResult palDriver_ProbeNothing(palError* error);

/// limits and write of an input-only device.
palDeviceLimits palDriver_NoForce(const palDevice* device);
void palDriver_IgnoreForce(palDevice* device, palVec3 force, palVec3 torque);

#endif

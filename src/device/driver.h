// SPDX-License-Identifier: Apache-2.0
// What drivers share: a context to open them with outside a session, and functions for the
// palDeviceOps of those that have no hardware to look for, or no force to give.
#ifndef PAL_DEVICE_DRIVER_H
#define PAL_DEVICE_DRIVER_H

#include <palpate/device.h>

enum
{
    pal_driverSettingsMax = 4096, // bytes of a driver's settings, so that a scene has room for any
};

/// 1 ms, no trajectory, at home in the origin, 1 m/s, the monotonic clock.
palDriverContext palDefaultDriverContext(void);

/// probe: there is nothing that could be missing.
palResult palDriver_ProbeNothing(palError* error);

/// limits and write of an input-only device.
void palDriver_NoForce(const palDevice* device, palDeviceLimits* limits);
void palDriver_IgnoreForce(palDevice* device, const palDeviceOutput* output);

/// Copies as much as the caller's struct has room for (palpate/device.h, SIZES), of a state only
/// the fingers that count. `to->size` stays.
void palDriver_GiveState(const palDeviceState* from, palDeviceState* to);
void palDriver_GiveLimits(const palDeviceLimits* from, palDeviceLimits* to);

#endif

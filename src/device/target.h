// SPDX-License-Identifier: Apache-2.0
// A hand that the program moves: it sets where the hand should be, from any thread, and the hand
// goes there.
//
// What is set goes through a mailbox that holds the newest pose and in which nobody waits: neither
// the threads that set it nor the high rate that takes it. A pose that is set is reached after
// `interval`, on a straight line, and no faster than `maxSpeed`, so that a program that sets it 60
// times a second moves the hand evenly. In lockstep the motion depends on the step of each pose
// alone.
#ifndef PAL_DEVICE_TARGET_H
#define PAL_DEVICE_TARGET_H

#include "device/driver.h"

typedef struct palTargetSettings
{
    palVec3 position; // m, where the hand starts
    palVec3 rotation; // rotation vector, degrees, likewise
    double interval;  // s, from a pose that is set until it is reached
    double maxSpeed;  // m/s; NaN: as contacts are known in time
} palTargetSettings;

palTargetSettings palDefaultTargetSettings(void);

extern const palDeviceOps pal_targetDevice;

/// Where the hand shall be. Any thread, at any time while the device is open. Returns false where
/// the position is farther away than 100 m or not finite, the orientation has no length, or more
/// than 14 threads set it at once.
bool palTarget_Post(palDevice* device, palVec3 position, palQuat orientation);
/// Which buttons are down from the next read on, a bit each. Any thread, likewise.
void palTarget_SetButtons(palDevice* device, uint32_t buttons);

#endif

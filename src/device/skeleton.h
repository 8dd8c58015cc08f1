// SPDX-License-Identifier: Apache-2.0
// A complete small driver to start a new one from: copy skeleton.h and skeleton.c, replace the name
// and the five places marked in the source, and add the driver to registry.c. Its keys are then
// read and checked in scenes, and stand in docs/scenes.md once that is regenerated.
//
// It is an input-only device whose positions come from another thread, as the callback of a
// vendor's library would give them: that thread posts, the high-rate thread reads the newest whole
// state.
#ifndef PAL_DEVICE_SKELETON_H
#define PAL_DEVICE_SKELETON_H

#include "device/driver.h"

/// What a scene says about the device: a field for each key.
typedef struct palSkeletonSettings
{
    palVec3 origin; // m, where the device's own origin is in the scene
    double scale;   // metres in the scene per metre of the device
    int buttons;    // how many are looked at
} palSkeletonSettings;

/// As the device has it: its origin is the scene's, nothing enlarged, all buttons.
palSkeletonSettings palDefaultSkeletonSettings(void);

extern const palDeviceOps pal_skeletonDevice;

/// The device point at time t (s), in the device's own frame. Called by one thread, which may be
/// any.
void palSkeleton_Post(palDevice* device, double t, palVec3 position, uint32_t buttons);

#endif

// SPDX-License-Identifier: Apache-2.0
// A complete small driver to start a new one from: copy skeleton.h and skeleton.c, replace the name
// and the four places marked in the source, and add the driver to registry.c.
//
// It is an input-only device whose positions come from another thread, as the callback of a
// vendor's library would give them: that thread posts, the high-rate thread reads the newest whole
// state.
#ifndef PAL_DEVICE_SKELETON_H
#define PAL_DEVICE_SKELETON_H

#include <palpate/device.h>

typedef struct palSkeletonDef
{
    palVec3 position; // m, until the first post
} palSkeletonDef;

extern const palDeviceOps pal_skeletonDevice;

/// The device point at time t (s). Called by one thread, which may be any.
void palSkeleton_Post(palDevice* device, double t, palVec3 position, uint32_t buttons);

#endif

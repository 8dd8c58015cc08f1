// SPDX-License-Identifier: Apache-2.0
// The mouse in a browser as a device: positions arrive over a socket at the page's rate and in
// bursts, and are turned into a smooth motion at the high rate. It is input only; the page shows
// the force.
//
// Each sample carries the page's own clock, so that the network's unsteadiness does not shake the
// hand: the smallest delay seen so far fits that clock to ours. The hand is then shown `latency`
// later than the page sent it, which leaves time for the samples on both sides of each moment to
// arrive. Between samples the path is a cubic with the speed of the samples around it
// (Catmull-Rom), so that velocity has no jumps; where samples fail to come, the hand rests.
#ifndef PAL_DEVICE_BROWSER_H
#define PAL_DEVICE_BROWSER_H

#include "device/driver.h"
#include "math/quat.h"

/// What a scene says about the device. Until the first sample the hand is at the context's home.
typedef struct palBrowserSettings
{
    double latency;    // s
    double staleAfter; // s without a sample after which the device is no longer fresh
    double maxSpeed; // m/s: a jump of the mouse becomes a motion of this speed; NaN: the context's
} palBrowserSettings;

/// 40 ms: two samples at 60 Hz and 7 ms for the network. Stale after 0.1 s, the context's speed.
palBrowserSettings palDefaultBrowserSettings(void);

/// What the page says.
typedef struct palHandSample
{
    double time; // s, on the page's clock
    palVec3 position;
    palQuat orientation; // any length but zero
    uint32_t buttons;
} palHandSample;

/// Takes a sample that arrived now. Refuses one that is not finite or older than the last. One
/// thread at a time, any but the high-rate one. Returns whether it was taken.
bool palBrowser_Post(palDevice* device, const palHandSample* sample);

/// Puts the hand there, at rest, and forgets the samples before. The thread that reads.
void palBrowser_Place(palDevice* device, palVec3 position, palQuat orientation);

/// The latency that the device was opened with, s.
double palBrowser_Latency(const palDevice* device);

extern const palDeviceOps pal_browserDevice;

#endif

// SPDX-License-Identifier: Apache-2.0
// A device that follows the trajectory exactly, whatever force it gets: for recordings and figures.
// It has no settings; velocity is the difference over the context's dt.
#ifndef PAL_DEVICE_REPLAY_H
#define PAL_DEVICE_REPLAY_H

#include "device/driver.h"
#include "device/trajectory.h"

extern const palDeviceOps pal_replayDevice;

#endif

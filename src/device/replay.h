// SPDX-License-Identifier: Apache-2.0
// A device that follows a trajectory exactly, whatever force it gets: for recordings and figures.
#ifndef PAL_DEVICE_REPLAY_H
#define PAL_DEVICE_REPLAY_H

#include "device/trajectory.h"

#include <palpate/device.h>

typedef struct palReplayDef
{
    const palTrajectory* trajectory; // borrowed
    double dt;                       // s, the high-rate step: velocity is the difference over it
} palReplayDef;

extern const palDeviceOps pal_replayDevice;

#endif

// SPDX-License-Identifier: Apache-2.0
#include "device/replay.h"

#include "base/archive.h"
#include "base/error.h"

#include <stdlib.h>

struct palDevice
{
    const palTrajectory* trajectory; // borrowed
    double dt;                       // s, the high-rate step
    bool started;                    // whether there was a read
    double t;                        // s, of the last read
    palVec3 position;                // m, that it gave
    palQuat orientation;
};

static palResult openDevice(const palDriverContext* context, const void* settings,
                            palDevice** device, palError* error)
{
    (void)settings;
    *device = NULL;
    if (context->trajectory == NULL || !(context->dt > 0.0) || !isfinite(context->dt))
    {
        palError_Set(error, pal_errorInput, "replay: no trajectory, or dt is not positive");
        palError_Remedy(error, "give a trajectory and the high-rate step in seconds");
        return pal_errorInput;
    }
    *device = calloc(1, sizeof **device);
    if (*device == NULL)
        return palError_Memory(error, "the replay device", sizeof **device);
    (*device)->trajectory = context->trajectory;
    (*device)->dt = context->dt;
    return pal_ok;
}

static void closeDevice(palDevice* device)
{
    free(device);
}

// Where the hand was a step ago: what the last read gave, where that was a step ago. A recording
// holds what was read, so that its replay has the same differences to the last bit; t - dt,
// rounded, falls between its rows.
static void findBefore(const palDevice* device, double t, palVec3* before, palQuat* turnedBefore)
{
    double dt = device->dt;
    if (!device->started || fabs(t - device->t - dt) > 1e-6 * dt)
    {
        palTrajectory_At(device->trajectory, t - dt, before, turnedBefore);
        return;
    }
    *before = device->position;
    *turnedBefore = device->orientation;
}

static void readState(palDevice* device, double t, palDeviceState* state)
{
    palVec3 before;
    palQuat turnedBefore;
    state->time = t;
    state->buttons = palTrajectory_Buttons(device->trajectory, t);
    state->fresh = true;
    palTrajectory_At(device->trajectory, t, &state->position, &state->orientation);
    findBefore(device, t, &before, &turnedBefore);

    // Backward differences: what a driver can know at time t.
    palQuat turn = palMulQuat(state->orientation, palConjugate(turnedBefore));
    state->velocity = palScale(1.0 / device->dt, palSub(state->position, before));
    state->angularVelocity = palScale(1.0 / device->dt, palRotationVector(turn));
    device->started = true;
    device->t = t;
    device->position = state->position;
    device->orientation = state->orientation;
}

static void archiveDevice(palDevice* device, palArchive* archive)
{
    PAL_ARCHIVE(archive, device->started);
    PAL_ARCHIVE(archive, device->t);
    PAL_ARCHIVE(archive, device->position);
    PAL_ARCHIVE(archive, device->orientation);
}

const palDeviceOps pal_replayDevice = {
    .size = sizeof(palDeviceOps),
    .name = "replay",
    .summary = "follows a trajectory exactly, whatever force it gets",
    .probe = palDriver_ProbeNothing,
    .open = openDevice,
    .close = closeDevice,
    .limits = palDriver_NoForce,
    .read = readState,
    .write = palDriver_IgnoreForce,
    .archive = archiveDevice,
};

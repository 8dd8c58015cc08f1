// SPDX-License-Identifier: Apache-2.0
#include "device/replay.h"

#include "base/error.h"

#include <stdlib.h>

struct palDevice
{
    palReplayDef def;
};

static palResult probe(palError* error)
{
    (void)error;
    return pal_ok;
}

static palResult openDevice(const void* settings, palDevice** device, palError* error)
{
    const palReplayDef* def = settings;
    *device = NULL;
    if (def->trajectory == NULL || !(def->dt > 0.0) || !isfinite(def->dt))
    {
        palError_Set(error, pal_errorInput, "replay: no trajectory, or dt is not positive");
        palError_Remedy(error, "give a trajectory and the high-rate step in seconds");
        return pal_errorInput;
    }
    *device = calloc(1, sizeof **device);
    if (*device == NULL)
        return palError_Memory(error, "the replay device", sizeof **device);
    (*device)->def = *def;
    return pal_ok;
}

static void closeDevice(palDevice* device)
{
    free(device);
}

static palDeviceLimits limits(const palDevice* device)
{
    (void)device;
    return (palDeviceLimits){.hasForce = false};
}

static void readState(palDevice* device, double t, palDeviceState* state)
{
    const palReplayDef* def = &device->def;
    palVec3 before;
    palQuat turnedBefore;
    *state = (palDeviceState){.fresh = true};
    palTrajectory_At(def->trajectory, t - def->dt, &before, &turnedBefore);
    palTrajectory_At(def->trajectory, t, &state->position, &state->orientation);

    // Backward differences: what a driver can know at time t.
    palQuat turn = palMulQuat(state->orientation, palConjugate(turnedBefore));
    state->velocity = palScale(1.0 / def->dt, palSub(state->position, before));
    state->angularVelocity = palScale(1.0 / def->dt, palRotationVector(turn));
}

static void writeForce(palDevice* device, palVec3 force, palVec3 torque)
{
    (void)device;
    (void)force;
    (void)torque;
}

const palDeviceOps pal_replayDevice = {
    .name = "replay",
    .summary = "follows a trajectory exactly, whatever force it gets",
    .probe = probe,
    .open = openDevice,
    .close = closeDevice,
    .limits = limits,
    .read = readState,
    .write = writeForce,
};

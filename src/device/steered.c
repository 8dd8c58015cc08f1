// SPDX-License-Identifier: Apache-2.0
#include "device/steered.h"

#include "base/error.h"

#include <stdatomic.h>
#include <stdlib.h>

// Who moves the hand.
typedef enum Mover
{
    moverOwn,   // its own driver
    moverMouse, //
    moverNone,  // it rests
} Mover;

struct palDevice
{
    const palDeviceOps* ops;
    palDevice* own;   // owned, of ops
    palDevice* mouse; // owned, of pal_browserDevice
    _Atomic int mover;

    // The reader's.
    int last;        // mover of the read before
    bool hasSamples; // some came since the mouse took the hand
    palDeviceState state;
};

palResult palSteered_Open(const palDeviceOps* ops, palDevice* device,
                          const palDriverContext* context, palDevice** steered, palError* error)
{
    const palBrowserSettings settings = palDefaultBrowserSettings();
    palDevice* made = calloc(1, sizeof *made);
    *steered = NULL;
    if (made == NULL)
        return palError_Memory(error, "a steered device", sizeof *made);
    palResult result = pal_browserDevice.open(context, &settings, &made->mouse, error);
    if (result != pal_ok)
    {
        free(made);
        return result;
    }
    made->ops = ops;
    made->own = device;
    made->state.orientation = pal_identityQuat;
    *steered = made;
    return pal_ok;
}

static void closeDevice(palDevice* device)
{
    if (device == NULL)
        return;
    device->ops->close(device->own);
    pal_browserDevice.close(device->mouse);
    free(device);
}

void palSteered_Take(palDevice* steered, bool isTaken)
{
    // The two do not depend on anything else that is written: relaxed order is enough.
    int mover = atomic_load_explicit(&steered->mover, memory_order_relaxed);
    if (isTaken || mover == moverMouse)
        atomic_store_explicit(&steered->mover, isTaken ? moverMouse : moverNone,
                              memory_order_relaxed);
}

palDevice* palSteered_Mouse(palDevice* steered)
{
    return steered->mouse;
}

static void giveLimits(const palDevice* device, palDeviceLimits* limits)
{
    device->ops->limits(device->own, limits);
}

static void readState(palDevice* device, double t, palDeviceState* state)
{
    int mover = atomic_load_explicit(&device->mover, memory_order_relaxed);
    palDeviceState next = {.size = sizeof next, .orientation = pal_identityQuat};
    if (mover == moverMouse && device->last != moverMouse)
    {
        palBrowser_Place(device->mouse, device->state.position, device->state.orientation);
        device->hasSamples = false;
    }
    if (mover == moverOwn)
        device->ops->read(device->own, t, &next);
    else if (mover == moverMouse)
    {
        // It rests until the first sample.
        pal_browserDevice.read(device->mouse, t, &next);
        device->hasSamples = device->hasSamples || next.fresh;
        next.fresh = next.fresh || !device->hasSamples;
    }
    else
    {
        next.position = device->state.position;
        next.orientation = device->state.orientation;
        next.fresh = true;
    }
    device->last = mover;
    device->state = next;
    palDriver_GiveState(&next, state);
}

static void writeForce(palDevice* device, const palDeviceOutput* output)
{
    if (device->last == moverOwn)
        device->ops->write(device->own, output);
}

const palDeviceOps pal_steeredDevice = {
    .size = sizeof(palDeviceOps),
    .name = "steered",
    .summary = "the driver of the scene, until the mouse takes the hand",
    .probe = palDriver_ProbeNothing,
    .close = closeDevice,
    .limits = giveLimits,
    .read = readState,
    .write = writeForce,
};

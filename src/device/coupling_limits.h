// SPDX-License-Identifier: Apache-2.0
// How stiff the coupling between device and proxy may be on a given device.
#ifndef PAL_DEVICE_COUPLING_LIMITS_H
#define PAL_DEVICE_COUPLING_LIMITS_H

#include "base/messages.h"
#include "body/rigid.h"

#include <palpate/device.h>

typedef struct palCouplingRequest
{
    palDeviceLimits limits;
    double dt;        // s, the high-rate step
    double stiffness; // N/m that is wanted; NaN: the default
    double damping;   // N·s/m that is wanted; NaN: the default
} palCouplingRequest;

typedef struct palDeviceCoupling
{
    double stiffness; // N/m
    double damping;   // N·s/m
} palDeviceCoupling;

/// A request without wishes.
palCouplingRequest palDefaultCouplingRequest(const palDeviceLimits* limits, double dt);

/// The coupling to use. Defaults are chosen within the limits; a wish beyond them is cut to them,
/// with a warning that says why and to what.
palDeviceCoupling palLimitCoupling(const palCouplingRequest* request, palMessages* messages);

/// The gains of the hand's coupling that the device allows: the wished ones, or where they are NAN
/// the defaults; those of rotation by default as the others on the lever of a grip.
palCouplingValues palFitCoupling(const palDeviceLimits* limits, double dt,
                                 const palCouplingValues* wished, palMessages* messages);

#endif

// SPDX-License-Identifier: Apache-2.0
// A hand that its own driver moves until the mouse takes it. For scenes with several hands, of
// which the page of `palpate view` steers one at a time: a hand that the mouse leaves rests where
// it is.
#ifndef PAL_DEVICE_STEERED_H
#define PAL_DEVICE_STEERED_H

#include "device/browser.h"

/// Around an open device, which is closed with this one; where that fails, it stays the caller's.
palResult palSteered_Open(const palDeviceOps* ops, palDevice* device,
                          const palDriverContext* context, palDevice** steered, palError* error);

/// The mouse takes the hand where it is, or leaves it there. Any thread.
void palSteered_Take(palDevice* steered, bool isTaken);

/// The device of the mouse, for palBrowser_Post.
palDevice* palSteered_Mouse(palDevice* steered);

extern const palDeviceOps pal_steeredDevice;

#endif

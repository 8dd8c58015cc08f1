// SPDX-License-Identifier: Apache-2.0
// The drivers of this build. A new driver is one file and one line here; skeleton.c shows how. The
// two functions stand alone in this file, so that a test can have a registry of its own.
#include "device/browser.h"
#include "device/replay.h"
#include "device/simulated.h"
#include "device/target.h"

#include <string.h>

static const palDeviceOps* const drivers[] = {
    &pal_replayDevice,
    &pal_simulatedDevice,
    &pal_browserDevice,
    &pal_targetDevice,
};
static const int driverCount = sizeof drivers / sizeof drivers[0];

const palDeviceOps* palDeviceDriver(int index)
{
    return index >= 0 && index < driverCount ? drivers[index] : NULL;
}

const palDeviceOps* palFindDeviceDriver(const char* name)
{
    for (int i = 0; i < driverCount; i++)
        if (name != NULL && strcmp(drivers[i]->name, name) == 0)
            return drivers[i];
    return NULL;
}

// SPDX-License-Identifier: Apache-2.0
// Numbers of devices that can be bought or are still in use.
//
// maxForce, maxTorque, maxStiffness, maxDamping, workspace: the rendering limits that CHAI3D gives
// (src/devices/CPhantomDevices.cpp and CDeltaDevices.cpp); recommendations for stable rendering,
// not data sheets.
//
// mass, friction, resolution of the Touch, Omni, Desktop and Premium: the vendor's data sheets as
// commonly quoted (inertia at the tip, back-drive friction, nominal position resolution).
// Resolution of the omega, delta, sigma, lambda and of the Falcon: likewise. TYPICAL, not measured:
// mass and friction of these, which no data sheet gives, and every damping; sizes that published
// identifications of such mechanisms report. Replace them by measurements of the device at hand.
#include "device/simulated.h"

#include <string.h>

#define LIMITS(force, torque, stiffness, damping, radius)                                          \
    {                                                                                              \
        .maxForce = force, .maxTorque = torque, .maxStiffness = stiffness, .maxDamping = damping,  \
        .workspace = radius, .hasForce = true                                                      \
    }

// clang-format off
static const palDevicePreset presets[] = {
    //                      N     N·m    N/m     N·s/m m        mass,kg N·s/m N     m
    {"touch",       LIMITS( 3.3, 0.0,    400.0,  4.0, 0.075),  0.045, 0.10, 0.26, 0.055e-3},
    {"omni",        LIMITS( 3.3, 0.0,    700.0,  5.0, 0.10),   0.045, 0.10, 0.26, 0.055e-3},
    {"desktop",     LIMITS( 7.9, 0.0,   1000.0,  5.0, 0.10),   0.045, 0.10, 0.06, 0.023e-3},
    {"premium-1.5", LIMITS( 8.5, 0.188,  800.0,  5.0, 0.12),   0.136, 0.05, 0.04, 0.030e-3},
    {"premium-3.0", LIMITS(22.0, 0.188, 1000.0,  5.0, 0.25),   0.506, 0.20, 0.20, 0.020e-3},
    {"omega.3",     LIMITS(12.0, 0.0,   5000.0, 30.0, 0.075),  0.20,  0.50, 0.15, 0.010e-3},
    {"omega.6",     LIMITS(12.0, 0.0,   5000.0, 30.0, 0.075),  0.30,  0.50, 0.15, 0.010e-3},
    {"omega.7",     LIMITS(12.0, 0.0,   5000.0, 30.0, 0.075),  0.35,  0.50, 0.15, 0.010e-3},
    {"delta.3",     LIMITS(20.0, 0.0,   5000.0, 30.0, 0.15),   0.35,  0.80, 0.20, 0.020e-3},
    {"sigma.7",     LIMITS(12.0, 0.2,   4000.0, 30.0, 0.075),  0.50,  0.50, 0.20, 0.0015e-3},
    {"lambda.7",    LIMITS(12.0, 0.2,   8000.0, 30.0, 0.1125), 0.60,  0.80, 0.25, 0.0015e-3},
    {"falcon",      LIMITS( 8.0, 0.0,   3000.0, 20.0, 0.04),   0.20,  0.50, 0.40, 0.060e-3},
};
// clang-format on
static const int presetCount = sizeof presets / sizeof presets[0];

const palDevicePreset* palDevicePresetAt(int index)
{
    return index >= 0 && index < presetCount ? &presets[index] : NULL;
}

const palDevicePreset* palFindDevicePreset(const char* name)
{
    for (int i = 0; i < presetCount; i++)
        if (name != NULL && strcmp(presets[i].name, name) == 0)
            return &presets[i];
    return NULL;
}

// SPDX-License-Identifier: Apache-2.0
// A simulated device in a simulated hand: the loop of force and motion closes without hardware.
//
//   m a = F_device + k_hand (target - x) + b_hand (target' - v) - b v - friction(v)
//
// integrated in sub-steps between two high-rate steps with the commanded force held, as a real
// amplifier does, and no more than the preset's greatest force. Friction is Coulomb's: below it a
// device at rest does not move at all. The position read back is rounded to the encoder's
// resolution; the velocity is that of its differences through a low-pass of 50 Hz. The hand turns
// the device as the trajectory says, whatever torque it gets; the workspace is not limited.
//
// The state tells the energy that the hand has received: -∫ f_hand · v dt, with f_hand the force of
// the hand on the mechanism,
//
//   f_hand = k_hand (target - x) + b_hand (target' - v) - m_hand a
//
// so that work of the motors = energy to the hand + kinetic energy of the mechanism + what its
// damping and its friction took.
#ifndef PAL_DEVICE_SIMULATED_H
#define PAL_DEVICE_SIMULATED_H

#include "device/driver.h"
#include "device/trajectory.h"

/// Numbers of a real device; presets.c has the table and where each number is from.
typedef struct palDevicePreset
{
    const char* name;
    palDeviceLimits limits;
    double mass;       // apparent mass at the device point, kg
    double damping;    // of the mechanism, N·s/m
    double friction;   // back-drive friction, N
    double resolution; // of the position, m; 0: not rounded
} palDevicePreset;

const palDevicePreset* palDevicePresetAt(int index); // NULL past the end
const palDevicePreset* palFindDevicePreset(const char* name);

typedef struct palHumanHandDef
{
    double stiffness; // N/m, of the grip towards the target
    double damping;   // N·s/m
    double mass;      // kg, added to the device's
} palHumanHandDef;

palHumanHandDef palDefaultHumanHandDef(void);

/// What a scene says about the device. The hand follows the context's trajectory.
typedef struct palSimulatedSettings
{
    char preset[32]; // a name of the table
    palHumanHandDef hand;
} palSimulatedSettings;

/// An omega.3 in the default hand.
palSimulatedSettings palDefaultSimulatedSettings(void);

extern const palDeviceOps pal_simulatedDevice;

/// Opens a device that is in no table; the preset is copied.
palResult palSimulated_Open(const palDriverContext* context, const palDevicePreset* preset,
                            const palHumanHandDef* hand, palDevice** device, palError* error);

#endif

// SPDX-License-Identifier: Apache-2.0
// Palpate: haptic devices. A driver is one palDeviceOps; the registry finds it by name.
//
// THE REAL-TIME CONTRACT. probe and open may block, allocate and do I/O. read and write are each
// called once per high-rate step, from the high-rate thread only: they must return within a few
// tens of microseconds and must not allocate, lock, print or wait. If the hardware library has its
// own thread, the driver exchanges the newest state with it through atomics.
//
// Frames and units: SI (m, rad, N, N·m, s) in the world frame of the scene, right-handed.
#ifndef PALPATE_DEVICE_H
#define PALPATE_DEVICE_H

#include <palpate/base.h>

#ifdef __cplusplus
extern "C"
{
#endif

/// The current state of the device, written by the driver's read.
typedef struct palDeviceState
{
    double time;             ///< s since the start of the run; set by the engine
    palVec3 position;        ///< of the device point, m
    palVec3 velocity;        ///< m/s, estimated by the driver
    palQuat orientation;     ///< identity for devices with three degrees of freedom
    palVec3 angularVelocity; ///< rad/s
    uint32_t buttons;        ///< one bit per button, the lowest for the first
    bool fresh;              ///< false if the device has no new data for this step
} palDeviceState;

/// The capabilities of a device. Zero: limit unknown; but a device with a known maxForce and a
/// maxTorque of zero renders no torque.
typedef struct palDeviceLimits
{
    double maxForce;     ///< N
    double maxTorque;    ///< N·m
    double maxStiffness; ///< N/m, the largest that the device renders stably
    double maxDamping;   ///< N·s/m
    double workspace;    ///< radius, m
    bool hasForce;       ///< false for input-only devices
} palDeviceLimits;

/// An open device; opaque, defined by its driver.
typedef struct palDevice palDevice;

/// A driver. `name` and `summary` must stay valid for the lifetime of the program.
typedef struct palDeviceOps
{
    const char* name;    ///< the name used in scenes, for example "simulated"
    const char* summary; ///< one line for `palpate devices`

    /// Checks whether the driver can be used; if not, the error states which library, permission or
    /// device is missing, with a remedy.
    palResult (*probe)(palError* error);

    /// Opens the device from `settings`, whose type is defined by the driver.
    palResult (*open)(const void* settings, palDevice** device, palError* error);
    /// Closes the device and frees it.
    void (*close)(palDevice* device);
    /// The capabilities of the open device; constant while it is open.
    palDeviceLimits (*limits)(const palDevice* device);

    /// The state at time `t` (s since the start of the run). Real-time.
    void (*read)(palDevice* device, double t, palDeviceState* state);

    /// Sets the force and torque on the hand until the next write. Real-time. The values come from
    /// the safety layer: finite, clamped, slew-limited.
    void (*write)(palDevice* device, palVec3 force, palVec3 torque);
} palDeviceOps;

/// The drivers in this build by index, NULL past the end.
PAL_API const palDeviceOps* palDeviceDriver(int index);
/// The driver of that name, or NULL.
PAL_API const palDeviceOps* palFindDeviceDriver(const char* name);

#ifdef __cplusplus
}
#endif
#endif

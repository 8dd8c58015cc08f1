// SPDX-License-Identifier: Apache-2.0
// Palpate: haptic devices. A driver is one palDeviceOps; the registry finds it by name.
//
// SETTINGS. A driver declares the keys that a scene may give it (`settings`), and is opened with
// the struct that they fill, checked. What does not come from these keys but from the session
// around it is in the palDriverContext, the same for every driver. `src/device/skeleton.c` shows
// both.
//
// THE REAL-TIME CONTRACT. probe and open may block, allocate and do I/O. read and write are called
// once each a high-rate step, from the high-rate thread only: they must return within a few tens of
// microseconds and must not allocate, lock, print or wait. A driver whose hardware library has a
// thread of its own exchanges the newest state with it through atomics.
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
    double maxForce;       ///< N
    double maxTorque;      ///< N·m
    double maxStiffness;   ///< N/m, that the device renders stably
    double maxDamping;     ///< N·s/m
    double workspace;      ///< radius, m
    double passiveDamping; ///< N·s/m, the physical damping of device and hand together
    bool hasForce;         ///< false for input-only devices
} palDeviceLimits;

/// Where the hand of the scene goes; for drivers of the library (`src/device/trajectory.h`).
typedef struct palTrajectory palTrajectory;

/// The keys of a struct in a scene file; for drivers of the library (`src/base/schema.h`).
typedef struct palSchemaTable palSchemaTable;

/// What a session tells every driver that it opens. Borrowed while open lasts, the trajectory as
/// long as the device is open.
typedef struct palDriverContext
{
    const palTrajectory* trajectory; ///< for drivers that follow it; NULL: there is none
    double dt;                       ///< s, the high-rate step
    palVec3 home;                    ///< m, where the hand starts
    palQuat homeOrientation;         ///< and how it is turned there
    double maxSpeed;      ///< m/s: a faster hand leaves the region whose contacts are known
    int64_t (*now)(void); ///< ns, the clock of the run, which never goes back
} palDriverContext;

/// An open device. What is in it is its driver's own business.
typedef struct palDevice palDevice;

/// A driver. `name`, `summary` and `settings` last as long as the program.
typedef struct palDeviceOps
{
    const char* name;    ///< the name used in scenes, for example "simulated"
    const char* summary; ///< one line for `palpate devices`

    /// The keys that a scene may give below `device` beside the driver's name, with the struct that
    /// they fill and its defaults. The first is what `palpate run --device NAME:VALUE` sets. NULL:
    /// the driver has none.
    const palSchemaTable* settings;

    /// Whether the driver can be used here; if not, the error says which library, permission or
    /// device is missing and what to do about it.
    palResult (*probe)(palError* error);

    /// Opens the device. `settings` is the struct that the driver's keys fill, every field set and
    /// within its range; NULL where the driver has no keys. Borrowed until open returns.
    palResult (*open)(const palDriverContext* context, const void* settings, palDevice** device,
                      palError* error);
    /// Frees what open made.
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

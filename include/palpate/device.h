// SPDX-License-Identifier: Apache-2.0
// Palpate: haptic devices. A driver is one palDeviceOps; the registry finds it by name.
//
// SETTINGS. A driver declares the keys that a scene may give it (`settings`), and is opened with
// the struct that they fill, checked. What does not come from these keys but from the session
// around it is in the palDriverContext, the same for every driver. `src/device/skeleton.c` shows
// both.
//
// THREADS AND THE REAL-TIME CONTRACT. probe, open, limits and close are called from the thread that
// creates or destroys the session, never while it runs: they may block, allocate and do I/O. read
// and write are called once each a high-rate step, read first, from the high-rate thread only (in
// lockstep: from the thread that steps the session): they must return within a few tens of
// microseconds and must not allocate, lock, print or wait. A driver whose hardware library has a
// thread of its own exchanges the newest state with it through atomics.
//
// SIZES. State, limits, output, context and palDeviceOps begin with `size`, the bytes of the struct
// as its owner was compiled with. Structs grow at their end only, and a zero there means what it
// meant before there was such a member, so that programs and drivers of an earlier version work:
//   - who calls read or limits owns the struct: sets `size`, clears the rest. The driver fills in
//     what it has and writes nothing at or beyond `size`.
//   - who calls write or open fills in all that `size` covers; the driver reads nothing beyond it.
//   - who defines a driver sets palDeviceOps.size to sizeof(palDeviceOps).
// Always there are palDeviceState up to `fresh`, palDeviceLimits up to `hasForce`, palDeviceOps up
// to `knowsPose`, and all present members of the others.
//
// Frames and units: SI (m, rad, N, N·m, s) in the world frame of the scene, right-handed. Forces
// and torques are those on the hand, unless they are said to be of it.
#ifndef PALPATE_DEVICE_H
#define PALPATE_DEVICE_H

#include <palpate/base.h>

#ifdef __cplusplus
extern "C"
{
#endif

enum
{
    pal_deviceFingersMax = 5,
    pal_deviceChannelsMax = 1 + pal_deviceFingersMax,
};

/// The force channels of a device: of most only the first. The fingers of state are those of the
/// channels after it, in the same order.
typedef enum palDeviceChannelIndex
{
    pal_channelPalm, ///< the device point: palm, handle or stylus
    pal_channelThumb,
    pal_channelIndex,
    pal_channelMiddle,
    pal_channelRing,
    pal_channelLittle,
} palDeviceChannelIndex;

/// Bits of palDeviceState.features: members that few devices have.
typedef enum palDeviceFeature
{
    pal_featureGripper = 1,     ///< gripperOpening, gripperSpeed
    pal_featureForceSensor = 2, ///< sensedForce, sensedTorque
    pal_featureHandEnergy = 4,  ///< handEnergy
} palDeviceFeature;

/// A fingertip.
typedef struct palDeviceFinger
{
    palVec3 position;        ///< m
    palVec3 velocity;        ///< m/s
    palQuat orientation;     ///< identity where it is not measured
    palVec3 angularVelocity; ///< rad/s
} palDeviceFinger;

/// The current state of the device, written by the driver's read. Where a member that is always
/// there is not finite, the position farther away than 1 km, or the orientation no unit quaternion,
/// it counts as one that is not `fresh`, and the device as still where it was.
typedef struct palDeviceState
{
    size_t size;             ///< bytes, set by the caller of read
    double time;             ///< s since the start of the run; set by the engine
    palVec3 position;        ///< of the device point, m
    palVec3 velocity;        ///< m/s, estimated by the driver
    palQuat orientation;     ///< identity for devices with three degrees of freedom
    palVec3 angularVelocity; ///< rad/s
    uint32_t buttons;        ///< one bit per button, the lowest for the first
    bool fresh;              ///< false if the device has no new data for this step

    uint32_t features;     ///< which of the members below are filled in: bits of palDeviceFeature
    double age;            ///< s since the device measured this state; 0: just now, or unknown
    double gripperOpening; ///< m between the tips of the gripper
    double gripperSpeed;   ///< m/s, positive while it opens
    palVec3 sensedForce;   ///< N, of the hand on the device, by the device's own force sensor
    palVec3 sensedTorque;  ///< N·m, likewise, about the device point
    double handEnergy;     ///< J that the hand has received through the device since open
    int fingerCount;       ///< fingertips in `fingers`
    palDeviceFinger fingers[pal_deviceFingersMax]; ///< thumb first
} palDeviceState;

/// The capabilities of a device. Zero: limit unknown; but a device with a known maxForce and a
/// maxTorque of zero renders no torque, and the same holds for its fingers.
typedef struct palDeviceLimits
{
    size_t size;           ///< bytes, set by the caller of limits
    double maxForce;       ///< N
    double maxTorque;      ///< N·m
    double maxStiffness;   ///< N/m, that the device renders stably
    double maxDamping;     ///< N·s/m
    double workspace;      ///< radius, m
    double passiveDamping; ///< N·s/m, the physical damping of device and hand together
    bool hasForce;         ///< false for input-only devices

    int channelCount;         ///< force channels that write renders; 0: one
    double maxFingerForce;    ///< N, of each channel after the first
    double maxFingerTorque;   ///< N·m, likewise
    double maxGripperForce;   ///< N; 0: the gripper has no motor
    double maxGripperOpening; ///< m; 0: there is no gripper
    double mass;              ///< kg, apparent at the device point
    palVec3 inertia;          ///< kg·m², about the axes of the handle through the device point
} palDeviceLimits;

/// What one channel does to the hand.
typedef struct palDeviceChannel
{
    palVec3 force;  ///< N
    palVec3 torque; ///< N·m, about the point of the channel
} palDeviceChannel;

/// What the device shall do to the hand until the next write.
typedef struct palDeviceOutput
{
    size_t size;         ///< bytes, set by the caller of write
    int channelCount;    ///< channels below that count; at least 1 and as many as limits said
    double gripperForce; ///< N at each tip of the gripper, positive opens it
    palDeviceChannel channels[pal_deviceChannelsMax];
} palDeviceOutput;

/// Where the hand of the scene goes; for drivers of the library (`src/device/trajectory.h`).
typedef struct palTrajectory palTrajectory;

/// The keys of a struct in a scene file; for drivers of the library (`src/base/schema.h`).
typedef struct palSchemaTable palSchemaTable;

/// What a session tells every driver that it opens. Borrowed while open lasts, the trajectory as
/// long as the device is open.
typedef struct palDriverContext
{
    size_t size;                     ///< bytes, set by the caller of open
    const palTrajectory* trajectory; ///< for drivers that follow it; NULL: there is none
    double dt;                       ///< s, the high-rate step
    palVec3 home;                    ///< m, where the hand starts
    palQuat homeOrientation;         ///< and how it is turned there
    double maxSpeed;      ///< m/s: a faster hand leaves the region whose contacts are known
    int64_t (*now)(void); ///< ns, the clock of the run, which never goes back
} palDriverContext;

/// An open device. What is in it is its driver's own business.
typedef struct palDevice palDevice;

/// The state of a world on its way to or from a block of bytes (palpate/world.h).
typedef struct palArchive palArchive;

/// Saves `size` bytes of data, or restores them. For palDeviceOps.archive, within its call.
PAL_API void palArchive_Block(palArchive* archive, void* data, size_t size);
/// Whether they are restored.
PAL_API bool palArchive_Restores(const palArchive* archive);

/// A driver. `name`, `summary` and `settings` last as long as the program.
typedef struct palDeviceOps
{
    size_t size;         ///< bytes: sizeof(palDeviceOps) in the driver's source
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
    void (*limits)(const palDevice* device, palDeviceLimits* limits);

    /// The state at time `t` (s since the start of the run). Real-time.
    void (*read)(palDevice* device, double t, palDeviceState* state);

    /// Sets the forces on the hand until the next write. Real-time. The values come from the safety
    /// layer: finite, clamped, slew-limited. Borrowed until write returns.
    void (*write)(palDevice* device, const palDeviceOutput* output);

    /// The hand has its place from the driver alone: a scene needs no trajectory.
    bool knowsPose;

    /// Gives what changes in the device from step to step to the archive, piece by piece, always in
    /// the same order, with palArchive_Block: no pointers. Called between steps, for a saved world
    /// to go on as it was. NULL: the device has no state, or, as a real one, none to be restored.
    void (*archive)(palDevice* device, palArchive* archive);
} palDeviceOps;

/// The drivers in this build by index, NULL past the end. Any thread.
PAL_API const palDeviceOps* palDeviceDriver(int index);
/// The driver of that name, or NULL. Any thread.
PAL_API const palDeviceOps* palFindDeviceDriver(const char* name);

#ifdef __cplusplus
}
#endif
#endif

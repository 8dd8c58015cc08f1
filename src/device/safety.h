// SPDX-License-Identifier: Apache-2.0
// The safety layer: the last thing that every force passes on its way to a hand.
//
// What leaves it is finite, at most `maxForce` long, changes by at most `slewRate` · dt a step, and
// fades to zero when the snapshot or the device is stale: on every channel of the device and on its
// gripper. Every intervention is counted.
// A step marked as a collision impulse waives the slew limit: its peak is clamped, and the rest of
// the impulse is given in the following steps, on top of the sustained force. After the last of
// them the force falls back at once to the sustained one, which is slew-limited in itself: a
// collision gives the impulse that was asked for and no more.
// When maxForce is lowered in a run the force is within it from the next step on: the clamp comes
// before the slew limit.
#ifndef PAL_DEVICE_SAFETY_H
#define PAL_DEVICE_SAFETY_H

#include "math/vec3.h"

#include <palpate/device.h>

typedef struct palSafetyDef
{
    double maxForce;  // N
    double maxTorque; // N·m
    double slewRate;  // N/s (torque: the same in maxTorque/maxForce proportion)

    // s: a snapshot, or a last state of the device, older than this is stale.
    double staleAfter;
    double fadeTime; // s in which a stale force fades to zero, and a recovered one returns

    // What the device has besides; by default nothing.
    int channelCount;       // channels that get a force, 1..pal_deviceChannelsMax
    double maxFingerForce;  // N, of the channels after the first
    double maxFingerTorque; // N·m, likewise
    double maxGripperForce; // N; 0: none
} palSafetyDef;

palSafetyDef palDefaultSafetyDef(void);

/// Brings maxForce and maxTorque within what the device can render; NaN stands for its limits. Sets
/// channels, fingers and gripper to what the device has, none of them above maxForce or maxTorque.
palSafetyDef palLimitSafetyDef(palSafetyDef def, const palDeviceLimits* limits);

/// Counted interventions, each in steps.
typedef struct palSafetyCounts
{
    uint64_t notFinite;     // the method's force was NaN or infinite: zero was taken instead
    uint64_t clamped;       // longer than maxForce, or than maxTorque where there is any, or the
                            // same of a finger or the gripper
    uint64_t slewed;        // changed faster than slewRate
    uint64_t staleSnapshot; // faded because the snapshot was too old
    uint64_t staleDevice;   // faded because the device gave nothing new
    uint64_t impulses;      // steps marked as collision impulse
    uint64_t impulseTails;  // steps in which the rest of an impulse was given
} palSafetyCounts;

/// Force, or torque, on its way out. Torque: N·m for N.
typedef struct palSafetyChannel
{
    palVec3 sustained; // N, slew-limited, without collisions
    palVec3 owed;      // N·s of a collision still to be given
    double owedTime;   // s in which it may be given; what is left then is dropped
} palSafetyChannel;

/// One channel of the device.
typedef struct palSafetyWrench
{
    palSafetyChannel force;
    palSafetyChannel torque;
} palSafetyWrench;

typedef struct palSafety
{
    palSafetyDef def;
    palSafetyWrench channels[pal_deviceChannelsMax]; // [def.channelCount]
    palSafetyChannel gripper;                        // in x
    double deviceAge;                                // s, of the device's last fresh state
    double gain;                                     // 0..1, the fade
    palSafetyCounts counts;
} palSafety;

/// What is known about one step.
typedef struct palSafetyStep
{
    double dt;          // s
    double snapshotAge; // s
    double deviceAge;   // s, palDeviceState.age
    bool deviceFresh;   // palDeviceState.fresh
    bool impulse;       // a collision: waive the slew limit
} palSafetyStep;

palSafety palMakeSafety(const palSafetyDef* def);

/// One step. Real-time. `output` comes with what the method asks for and leaves with what may go to
/// the device: all of the device's channels, of which those that were not asked for return to zero,
/// and no others.
void palSafety_Apply(palSafety* safety, const palSafetyStep* step, palDeviceOutput* output);

#endif

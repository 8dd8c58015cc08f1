// SPDX-License-Identifier: Apache-2.0
// A complete small driver to start a new one from: copy skeleton.h and skeleton.c, replace the name
// and the six places marked in the source, and add the driver to registry.c. Its keys are then read
// and checked in scenes, and stand in docs/scenes.md once that is regenerated.
//
// It is a glove with a gripper whose motion comes from another thread, as the callback of a
// vendor's library would give it, and whose forces that thread takes: the palm and five fingertips
// with six degrees of freedom each, a gripper, buttons, a force sensor. A device with less leaves
// the rest out. Both ways go through a mailbox that holds the newest and never waits.
#ifndef PAL_DEVICE_SKELETON_H
#define PAL_DEVICE_SKELETON_H

#include "device/driver.h"

/// What a scene says about the device: a field for each key.
typedef struct palSkeletonSettings
{
    palVec3 origin;  // m, where the device's own origin is in the scene
    double scale;    // metres in the scene per metre of the device
    int buttons;     // how many are looked at
    int fingers;     // how many have a motor; zero: only the palm has
    double maxForce; // N, of the palm; that of a finger is half of it
} palSkeletonSettings;

/// As the device has it: its origin is the scene's, nothing enlarged, all buttons and fingers, 5 N.
palSkeletonSettings palDefaultSkeletonSettings(void);

extern const palDeviceOps pal_skeletonDevice;

/// What the device measured at a time, in its own frame and its own metres.
typedef struct palSkeletonSample
{
    double time; // s, on any clock that does not go back
    palVec3 position;
    palQuat orientation; // unit length
    palVec3 fingers[pal_deviceFingersMax];
    palQuat fingerOrientations[pal_deviceFingersMax];
    double gripperOpening; // m
    palVec3 sensedForce;   // N, of the hand on the device
    uint32_t buttons;
} palSkeletonSample;

/// The device's thread, one at a time: leaves a sample for the next read.
void palSkeleton_Post(palDevice* device, const palSkeletonSample* sample);

/// The device's thread: takes the newest output. Returns false, and leaves `output` alone, where
/// nothing was written since the last time; with motors the thread counts how long that lasts, and
/// sends zero forces instead.
bool palSkeleton_Take(palDevice* device, palDeviceOutput* output);

#endif

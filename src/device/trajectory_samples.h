// SPDX-License-Identifier: Apache-2.0
// The rows of a recorded hand motion, and the path through them.
//
// Linear: straight lines and constant turning between the rows. The hand is never anywhere that the
// recording does not imply, and a recording made at the high rate comes back as it was; in a
// coarser one the velocity jumps at every row.
//
// Smooth: position and orientation with a continuous velocity, from rest and to rest. Each
// coordinate is a cubic in each interval whose slopes at the rows are the weighted harmonic means
// of those of the two intervals (F. N. Fritsch and J. Butland, "A method for constructing local
// monotone piecewise cubic interpolants", SIAM J. Sci. Stat. Comput. 5, 1984), and zero where these
// differ in sign. So no coordinate leaves the range of the two rows that it is between: there is no
// overshoot at a contact, where the recorded hand stops within a few rows, and over a gap in the
// recording the hand goes from one end to the other without turning back, in the time of the gap.
// Orientations are interpolated likewise by their rotation vectors, seen from the row before.
#ifndef PAL_DEVICE_TRAJECTORY_SAMPLES_H
#define PAL_DEVICE_TRAJECTORY_SAMPLES_H

#include "device/trajectory.h"

typedef struct palTrajectorySamples
{
    double* t;         // owned, s, increasing
    palVec3* x;        // owned, m
    palQuat* q;        // owned, unit length; NULL where the file has no orientation
    uint32_t* buttons; // owned, from a row to the next; NULL where the file has none
    palVec3* slopes;   // owned, m/s at the rows; NULL: linear
    palVec3* turns;    // owned, rad/s at the rows, in the frame of the row; NULL: linear, or no q
    size_t count;      // rows, at least one after a successful read
    size_t capacity;   // rows that there is memory for
    double shift;      // s, by which the times were shifted without being told to
} palTrajectorySamples;

void palTrajectorySamples_Free(palTrajectorySamples* samples);

/// From the numbers of the file to seconds and metres in the scene, and ready for evaluation, as
/// the def of a file says.
palResult palTrajectorySamples_Place(palTrajectorySamples* samples, const palTrajectoryDef* def,
                                     palError* error);

/// Position and orientation at t; before the first row and after the last it rests there.
void palTrajectorySamples_At(const palTrajectorySamples* samples, double t, palVec3* position,
                             palQuat* orientation);
/// The buttons that are down at t, of the last row that is not after it; none before the first.
uint32_t palTrajectorySamples_Buttons(const palTrajectorySamples* samples, double t);

#endif

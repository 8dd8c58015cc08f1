// SPDX-License-Identifier: Apache-2.0
// The rows of a recorded hand motion, read from a CSV.
//
// The first line names the columns, in any order: t,x,y,z and, all four or none, qw,qx,qy,qz.
// Where none of x,y,z is there, dev_x,dev_y,dev_z (and dev_qw, ...) stand for them, so that a
// haptic.csv can be replayed. Other columns are allowed and not looked at. Blank lines are skipped;
// a byte order mark and Windows line ends are accepted.
#ifndef PAL_DEVICE_TRAJECTORY_CSV_H
#define PAL_DEVICE_TRAJECTORY_CSV_H

#include "math/quat.h"

typedef struct palTrajectorySamples
{
    double* t;       // owned, s, strictly increasing
    palVec3* x;      // owned, m
    palQuat* q;      // owned, unit length; NULL where the file has no orientation
    size_t count;    // rows, at least one after a successful read
    size_t capacity; // rows that there is memory for
} palTrajectorySamples;

/// Both fill `samples`, which the caller frees, and leave it empty on failure. `name` stands for
/// the file in messages.
palResult palTrajectorySamples_Parse(const char* text, size_t length, const char* name,
                                     palTrajectorySamples* samples, palError* error);
palResult palTrajectorySamples_Load(const char* path, palTrajectorySamples* samples,
                                    palError* error);
void palTrajectorySamples_Free(palTrajectorySamples* samples);

#endif

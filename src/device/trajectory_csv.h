// SPDX-License-Identifier: Apache-2.0
// The rows of a recorded hand motion, read from a CSV as they are written there.
//
// The first line names the columns, in any order: t,x,y,z, all four or none of qw,qx,qy,qz, and
// perhaps buttons, a whole number with one bit for each that is down from this row to the next.
// Where none of x,y,z is there, dev_x,dev_y,dev_z (and dev_qw, ...) stand for them, so that a
// haptic.csv can be replayed; or the caller gives the names. Other columns are allowed and not
// looked at. Blank lines are skipped; a byte order mark and Windows line ends are accepted.
#ifndef PAL_DEVICE_TRAJECTORY_CSV_H
#define PAL_DEVICE_TRAJECTORY_CSV_H

#include "device/trajectory_samples.h"

/// Both fill `samples`, which the caller frees, and leave it empty on failure. `columns` names the
/// columns for t,x,y,z and, all four or none, qw,qx,qy,qz, and after these buttons, separated by
/// commas; "": they have these names. `name` stands for the file in messages.
palResult palTrajectorySamples_Parse(const char* text, size_t length, const char* columns,
                                     const char* name, palTrajectorySamples* samples,
                                     palError* error);
palResult palTrajectorySamples_Load(const char* path, const char* columns,
                                    palTrajectorySamples* samples, palError* error);

#endif

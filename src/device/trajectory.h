// SPDX-License-Identifier: Apache-2.0
// Where the hand wants to be: a path over time, from a recording or from a few numbers.
//
// A trajectory is made at set-up and evaluated at any time without allocation. Generators:
//   line    start + t · velocity towards `end`, at constant `speed`, then rests at `end`
//   sine    x = start.x + speed t,
//           y = start.y + amplitude sin(2 pi (x - start.x) / wavelength) + offset
//   circle  about `centre` in the plane with normal `axis`, radius, at `speed` along the arc
//   press   from `gap` outside `target` along `direction` to `depth` beyond it, held, and back;
//           velocity and acceleration are continuous
//   path    from point to point, at each at its time and at rest for an instant
//   file    a CSV with columns t,x,y,z and optionally qw,qx,qy,qz and buttons (trajectory_csv.h),
//           placed in the scene; between its rows straight lines and constant turning, or a curve
//           that is smooth in velocity
#ifndef PAL_DEVICE_TRAJECTORY_H
#define PAL_DEVICE_TRAJECTORY_H

#include "math/quat.h"

typedef enum palTrajectoryKind
{
    pal_trajectoryLine,
    pal_trajectorySine,
    pal_trajectoryCircle,
    pal_trajectoryPress,
    pal_trajectoryPath,
    pal_trajectoryFile,
    pal_trajectoryKindCount,
} palTrajectoryKind;

/// What a recording is between its rows (trajectory_samples.h).
typedef enum palInterpolation
{
    pal_interpolateLinear,
    pal_interpolateSmooth,
} palInterpolation;

/// Where the hand is at a time; between two of them it goes smoothly, resting at both.
typedef struct palPathPoint
{
    double t;     // s, increasing
    palVec3 at;   // m
    palVec3 turn; // rotation vector, degrees
    int buttons;  // that are down from then to the next point, a bit each
} palPathPoint;

typedef struct palTrajectoryDef
{
    palTrajectoryKind kind;
    palVec3 start;        // line, sine: m
    palVec3 end;          // line: m
    palVec3 centre;       // circle: m
    palVec3 axis;         // circle: any length but zero
    double radius;        // circle: m
    double speed;         // line, sine (along x), circle (along the arc), press: m/s
    double amplitude;     // sine: m
    double wavelength;    // sine: m
    double offset;        // sine: added to y, m (negative: below)
    palVec3 direction;    // press: pushes this way, any length but zero
    palVec3 target;       // press: the surface point aimed at, m (the scene places it on an object)
    double gap;           // press: starts this far outside, m
    double depth;         // press: ends this far inside, m
    double hold;          // press: s at full depth
    palPathPoint* points; // path: borrowed, [pointCount]; a trajectory has its own
    int pointCount;
    char file[512];    // file: path
    char columns[256]; // file: names for t,x,y,z[,qw,qx,qy,qz[,buttons]], with commas; "": these
    double timeUnit;   // file: s per unit of t
    double timeOffset; // file: added to t, s; NAN: the first row is at 0
    double scale;      // file: m per unit of x, y and z
    palVec3 rotation;  // file: of the recorded frame in the scene, rotation vector, degrees
    palVec3 position;  // file: of its origin, m
    palInterpolation interpolation; // file
} palTrajectoryDef;

typedef struct palTrajectory palTrajectory;

palTrajectoryDef palDefaultTrajectoryDef(palTrajectoryKind kind);
const char* palTrajectoryKind_Name(palTrajectoryKind kind);

palResult palTrajectory_Create(const palTrajectoryDef* def, palTrajectory** trajectory,
                               palError* error);
void palTrajectory_Destroy(palTrajectory* trajectory);

/// Position and orientation at time t (s); before the start and after the end it rests there.
void palTrajectory_At(const palTrajectory* trajectory, double t, palVec3* position,
                      palQuat* orientation);

/// The buttons of the device that are down at time t, a bit each: of a path or a file.
uint32_t palTrajectory_Buttons(const palTrajectory* trajectory, double t);

/// The time after which nothing moves any more, s; infinite for a sine and a circle.
double palTrajectory_Duration(const palTrajectory* trajectory);

/// s by which a recording that does not begin near 0 was shifted to begin there; else 0.
double palTrajectory_Shift(const palTrajectory* trajectory);

/// Reads a recording from memory; `name` stands for the file in messages, `def` says what its
/// numbers mean.
palResult palTrajectory_CreateFromCsv(const palTrajectoryDef* def, const char* text, size_t length,
                                      const char* name, palTrajectory** trajectory,
                                      palError* error);

#endif

// SPDX-License-Identifier: Apache-2.0
// Ways of a hand in free air at a distance from things, for path_rig.h.
#ifndef PAL_TESTS_COURSE_H
#define PAL_TESTS_COURSE_H

#include "path_rig.h"

#include "base/random.h"

typedef enum Thing
{
    ball,
    cube,
    plate, // 1 mm thick
    scan,  // a ball with bumps of a fine mesh
    things,
} Thing;

static const char* const names[things] = {"ball", "cube", "plate", "scan"};
static const double ballRadius = 0.04;                // m
static const palVec3 cubeSize = {0.06, 0.06, 0.06};   // m
static const palVec3 plateSize = {0.08, 0.08, 0.001}; // m

enum
{
    samplesMax = 2000,
};

typedef struct Course
{
    palVec3 at[samplesMax]; // by tick, m
    int count;
    double dt;
} Course;

static inline palVec3 along(const void* user, double t)
{
    const Course* course = user;
    double s = fmax(0.0, fmin(t / course->dt, course->count - 1.0));
    int k = (int)s < course->count - 1 ? (int)s : course->count - 2;
    return palLerp(course->at[k], course->at[k + 1], s - k);
}

// How far the scan is from its centre in a direction.
static inline double scanRadius(palVec3 u)
{
    return ballRadius + 5e-4 * sin(40.0 * u.x) * sin(40.0 * u.y + 1.0) * sin(40.0 * u.z + 2.0);
}

// The place at a distance from the surface, in a direction from the middle.
static inline palVec3 placeAt(Thing thing, palVec3 u, double distance)
{
    if (thing == ball)
        return palScale(ballRadius + distance, u);
    if (thing == scan)
        return palScale(scanRadius(u) + distance, u);
    palVec3 half = palScale(0.5, thing == cube ? cubeSize : plateSize);
    palVec3 far = palScale(0.07, u);
    palVec3 on = palMaxVec3(palNeg(half), palMinVec3(half, far));
    return palMulAdd(on, distance, palNormalize(palSub(far, on)));
}

static inline palVec3 randomDirection(palRandom* random)
{
    palVec3 u;
    do
        u = palMakeVec3(palRandom_Range(random, -1.0, 1.0), palRandom_Range(random, -1.0, 1.0),
                        palRandom_Range(random, -1.0, 1.0));
    while (palLength(u) > 1.0 || palLength(u) < 0.1);
    return palNormalize(u);
}

typedef enum Way
{
    line,
    circle,
    wander, // in all directions along the surface
    ways,
} Way;

static const char* const wayNames[ways] = {"line", "circle", "wander"};

static inline void plan(Course* course, Thing thing, Way way, double distance, double speed,
                        int seed)
{
    palRandom random = palMakeRandom((uint64_t)seed);
    course->count = samplesMax / 2;
    course->dt = 1e-3;
    palVec3 u = randomDirection(&random),
            axis = palNormalize(palCross(u, randomDirection(&random)));
    palVec3 at = placeAt(thing, u, distance);
    if (way == line)
    {
        // Past the thing and back.
        double reach = 0.15, phase = 0.0;
        palVec3 middle = palScale(thing == scan   ? ballRadius + 6e-4 + distance
                                  : thing == ball ? ballRadius + distance
                                                  : 0.0,
                                  u);
        if (thing == cube || thing == plate)
        {
            u = palMakeVec3(0.0, 0.0, 1.0);
            middle = palMakeVec3(0.01, 0.02,
                                 0.5 * (thing == cube ? cubeSize.z : plateSize.z) + distance);
            axis = palNormalize(palMakeVec3(palRandom_Range(&random, -1.0, 1.0), 1.0, 0.0));
        }
        for (int k = 0; k < course->count; k++, phase += speed * course->dt)
        {
            double s = fmod(phase, 4.0 * reach);
            s = s < 2.0 * reach ? s - reach : 3.0 * reach - s;
            course->at[k] = palMulAdd(middle, s, axis);
        }
        return;
    }
    for (int k = 0; k < course->count; k++)
    {
        course->at[k] = at;
        // In small parts, until the way of a tick is made.
        for (int part = 0; part < 400 && palDistance(at, course->at[k]) < speed * course->dt;
             part++)
        {
            palQuat turn = palMakeQuatRotationVector(palScale(speed * course->dt / 4.0, axis));
            u = palNormalize(palRotate(turn, u));
            at = placeAt(thing, u, distance);
        }
        if (way == wander)
        {
            axis = palAdd(axis, palScale(0.2, randomDirection(&random)));
            axis = palNormalize(palSub(axis, palScale(palDot(axis, u), u)));
        }
    }
}

static inline void addThing(palRig* rig, Thing thing, double friction)
{
    palShapeDef shape = palDefaultShapeDef(pal_shapeSphere);
    shape.radius = ballRadius;
    if (thing == cube)
        rigAddBox(rig, cubeSize, 10, friction, rigHome);
    else if (thing == plate)
        rigAddBox(rig, plateSize, 20, friction, rigHome);
    else if (thing == ball)
        rigAddShape(rig, &shape, friction, rigHome);
    else
    {
        shape.resolution = 400;
        palSurface surface;
        assert_int_equal(palMakeShape(&shape, &surface, NULL), pal_ok);
        for (int i = 0; i < surface.vertexCount; i++)
        {
            palVec3 u = palNormalize(surface.vertices[i]);
            surface.vertices[i] = palScale(scanRadius(u), u);
        }
        rigAdd(rig, &surface, friction, rigHome);
    }
}

// From afar at 2 m/s past the thing, and then into it by `depth`, where it stays.
static inline void planDive(Course* course, Thing thing, palVec3 u, double depth, double speed)
{
    palVec3 side = palNormalize(palCross(u, palMakeVec3(0.3, -0.5, 0.7)));
    palVec3 end = placeAt(thing, u, -depth);
    palVec3 above = placeAt(thing, u, 0.02);
    palVec3 far = palMulAdd(palMulAdd(above, 0.1, side), 0.05, u);
    double lengths[] = {palDistance(far, above), palDistance(above, end)};
    course->count = 500;
    course->dt = 1e-3;
    for (int k = 0; k < course->count; k++)
    {
        double s = fmin(speed * course->dt * k, lengths[0] + lengths[1]);
        course->at[k] = s < lengths[0] ? palLerp(far, above, s / lengths[0])
                                       : palLerp(above, end, (s - lengths[0]) / lengths[1]);
    }
}

#endif

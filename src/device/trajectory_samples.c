// SPDX-License-Identifier: Apache-2.0
#include "device/trajectory_samples.h"

#include "base/error.h"

#include <stdlib.h>

void palTrajectorySamples_Free(palTrajectorySamples* samples)
{
    free(samples->t);
    free(samples->x);
    free(samples->q);
    free(samples->buttons);
    free(samples->slopes);
    free(samples->turns);
    *samples = (palTrajectorySamples){0};
}

//--------------------------------------------------------------------------------------------------
// Placing

// The first row is at 0 unless the offset is given. One that is less than an interval after 0, as
// in a recording of a run, stays there.
static void placeInTime(palTrajectorySamples* samples, const palTrajectoryDef* def)
{
    double first = samples->t[0];
    double interval = samples->count > 1 ? samples->t[1] - first : INFINITY;
    bool shifts = isnan(def->timeOffset) && !(first >= 0.0 && first <= 1.001 * interval);
    double offset = isnan(def->timeOffset) ? 0.0 : def->timeOffset;
    samples->shift = shifts ? -first * def->timeUnit : 0.0;
    for (size_t i = 0; i < samples->count; i++)
        samples->t[i] = (samples->t[i] - (shifts ? first : 0.0)) * def->timeUnit + offset;
}

static void placeInSpace(palTrajectorySamples* samples, const palTrajectoryDef* def)
{
    bool turns = palLength(def->rotation) > 0.0;
    palQuat frame = palMakeQuatRotationVector(palScale(PAL_PI / 180.0, def->rotation));
    for (size_t i = 0; i < samples->count; i++)
    {
        palVec3 x = palScale(def->scale, samples->x[i]);
        samples->x[i] = palAdd(def->position, turns ? palRotate(frame, x) : x);
        if (turns && samples->q != NULL)
            samples->q[i] = palNormalizeQuat(palMulQuat(frame, samples->q[i]));
    }
}

// The slope at a row between intervals of lengths h and slopes d (Fritsch and Butland 1984).
static double slopeBetween(double h0, double d0, double h1, double d1)
{
    if (!(d0 * d1 > 0.0))
        return 0.0;
    double w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

static palVec3 slopesBetween(double h0, palVec3 d0, double h1, palVec3 d1)
{
    return palMakeVec3(slopeBetween(h0, d0.x, h1, d1.x), slopeBetween(h0, d0.y, h1, d1.y),
                       slopeBetween(h0, d0.z, h1, d1.z));
}

// The rotation from a row to the next, a vector that is the same in the frames of both.
static palVec3 turnAfter(const palTrajectorySamples* samples, size_t row)
{
    return palRotationVector(palMulQuat(palConjugate(samples->q[row]), samples->q[row + 1]));
}

static palResult findSlopes(palTrajectorySamples* samples, palError* error)
{
    size_t bytes = samples->count * sizeof *samples->slopes;
    samples->slopes = calloc(1, bytes);
    samples->turns = samples->q != NULL ? calloc(1, bytes) : NULL;
    if (samples->slopes == NULL || (samples->q != NULL && samples->turns == NULL))
        return palError_Memory(error, "the slopes of a trajectory", bytes);
    for (size_t i = 1; i + 1 < samples->count; i++) // at rest at both ends
    {
        double h0 = samples->t[i] - samples->t[i - 1], h1 = samples->t[i + 1] - samples->t[i];
        const palVec3* x = &samples->x[i];
        if (!(h0 > 0.0 && h1 > 0.0))
            continue;
        samples->slopes[i] = slopesBetween(h0, palScale(1.0 / h0, palSub(x[0], x[-1])), h1,
                                           palScale(1.0 / h1, palSub(x[1], x[0])));
        if (samples->turns != NULL)
            samples->turns[i] = slopesBetween(h0, palScale(1.0 / h0, turnAfter(samples, i - 1)), h1,
                                              palScale(1.0 / h1, turnAfter(samples, i)));
    }
    return pal_ok;
}

palResult palTrajectorySamples_Place(palTrajectorySamples* samples, const palTrajectoryDef* def,
                                     palError* error)
{
    placeInTime(samples, def);
    placeInSpace(samples, def);
    return def->interpolation == pal_interpolateSmooth ? findSlopes(samples, error) : pal_ok;
}

//--------------------------------------------------------------------------------------------------
// Evaluating

// The last row at or before t; t is inside the recording.
static size_t rowBefore(const palTrajectorySamples* samples, double t)
{
    size_t low = 0, high = samples->count - 1;
    while (high - low > 1)
    {
        size_t middle = low + (high - low) / 2;
        if (samples->t[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// The cubic from 0 to `way` with given changes per interval at its ends.
static palVec3 cubic(palVec3 way, palVec3 begin, palVec3 end, double u)
{
    palVec3 sum = palScale(u * u * (3.0 - 2.0 * u), way);
    sum = palMulAdd(sum, u * (1.0 - u) * (1.0 - u), begin);
    return palMulAdd(sum, -u * u * (1.0 - u), end);
}

// The rate of a rotation vector r under the angular velocity w in the turned frame, by the inverse
// of the right Jacobian: w + r × w / 2 + (1 - a cot a) / |r|² r × (r × w), with a = |r| / 2.
static palVec3 rotationVectorRate(palVec3 r, palVec3 w)
{
    double angle = palLength(r), a = 0.5 * angle;
    double c = angle > 1e-4 ? (1.0 - a * cos(a) / sin(a)) / (angle * angle) : 1.0 / 12.0;
    palVec3 once = palCross(r, w);
    return palAdd(palMulAdd(w, 0.5, once), palScale(c, palCross(r, once)));
}

static palQuat turnedBetween(const palTrajectorySamples* samples, size_t row, double h, double u)
{
    palQuat from = samples->q[row], to = samples->q[row + 1];
    if (samples->turns == NULL || u == 0.0)
        return u == 0.0 ? from : palSlerp(from, to, u);
    palVec3 way = turnAfter(samples, row);
    palVec3 begin = palScale(h, samples->turns[row]);
    palVec3 end = rotationVectorRate(way, palScale(h, samples->turns[row + 1]));
    palQuat turn = palMakeQuatRotationVector(cubic(way, begin, end, u));
    return palNormalizeQuat(palMulQuat(from, turn));
}

void palTrajectorySamples_At(const palTrajectorySamples* samples, double t, palVec3* position,
                             palQuat* orientation)
{
    size_t last = samples->count - 1;
    size_t row = t >= samples->t[last] ? last : t > samples->t[0] ? rowBefore(samples, t) : 0;
    bool isBetween = row < last && t > samples->t[row];
    double h = isBetween ? samples->t[row + 1] - samples->t[row] : 0.0;
    double u = h > 0.0 ? (t - samples->t[row]) / h : 0.0;
    *position = samples->x[row];
    *orientation = samples->q != NULL ? samples->q[row] : pal_identityQuat;
    if (!(u > 0.0))
        return;
    const palVec3* x = &samples->x[row];
    if (samples->slopes == NULL)
        *position = palLerp(x[0], x[1], u);
    else
        *position = palAdd(x[0], cubic(palSub(x[1], x[0]), palScale(h, samples->slopes[row]),
                                       palScale(h, samples->slopes[row + 1]), u));
    if (samples->q != NULL)
        *orientation = turnedBetween(samples, row, h, u);
}

uint32_t palTrajectorySamples_Buttons(const palTrajectorySamples* samples, double t)
{
    size_t last = samples->count - 1;
    if (samples->buttons == NULL || t < samples->t[0])
        return 0;
    return samples->buttons[t >= samples->t[last] ? last : rowBefore(samples, t)];
}

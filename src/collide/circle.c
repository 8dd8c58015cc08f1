// SPDX-License-Identifier: Apache-2.0
#include "collide/circle.h"

enum
{
    // Slopes against a line have up to four zeros, against a circle up to eight.
    samplesLine = 16,
    samplesCircle = 48,
    iterationsMax = 60,
};

// Half the derivative of the squared distance along the circle, divided by its radius.
typedef struct Slope
{
    double (*at)(const void* data, palCirclePoint place);
    const void* data;
} Slope;

typedef struct LineSlope
{
    double radius;
    palVec3 p, d; // p · d = 0
} LineSlope;

static palCirclePoint placeAt(double angle)
{
    return (palCirclePoint){cos(angle), sin(angle)};
}

// A zero between two angles with slopes of different sign: regula falsi with the Illinois rule,
// bisection where that is slow.
static palCirclePoint refine(const Slope* slope, double low, double slopeLow, double high,
                             double slopeHigh)
{
    double angle = low, bracketLow = slopeLow, bracketHigh = slopeHigh;
    int side = 0;
    for (int i = 0; i < iterationsMax && high - low > 1e-15; i++)
    {
        double before = high - low;
        angle = (low * bracketHigh - high * bracketLow) / (bracketHigh - bracketLow);
        if (!(angle > low && angle < high) || i % 8 == 7)
            angle = 0.5 * (low + high);
        double value = slope->at(slope->data, placeAt(angle));
        if (value == 0.0)
            break;
        if (value < 0.0)
        {
            low = angle, bracketLow = value;
            bracketHigh *= side == -1 ? 0.5 : 1.0;
            side = -1;
        }
        else
        {
            high = angle, bracketHigh = value;
            bracketLow *= side == 1 ? 0.5 : 1.0;
            side = 1;
        }
        if (high - low == before)
            break;
    }
    return placeAt(angle);
}

// The places where the slope goes from negative to positive.
static int findMinima(const Slope* slope, int samples, palCirclePoint places[pal_circleMinima])
{
    int count = 0;
    const double step = 2.0 * PAL_PI / samples;
    // Not at multiples of 90 degrees: symmetric pairs have their minima there.
    const double offset = 0.1;
    const palCirclePoint turn = placeAt(step);
    palCirclePoint place = placeAt(offset);
    double first = slope->at(slope->data, place), before = first;
    for (int i = 1; i <= samples && count < pal_circleMinima; i++)
    {
        double angle = offset + i * step;
        place = (palCirclePoint){place.cosine * turn.cosine - place.sine * turn.sine,
                                 place.sine * turn.cosine + place.cosine * turn.sine};
        double value = i < samples ? slope->at(slope->data, place) : first;
        if (before < 0.0 && value >= 0.0)
            places[count++] = refine(slope, angle - step, before, angle, value);
        before = value;
    }
    return count;
}

static double lineSlope(const void* data, palCirclePoint place)
{
    const LineSlope* line = data;
    palVec3 p = line->p, d = line->d;
    double c = place.cosine, s = place.sine;
    return p.x * s - p.y * c + line->radius * (d.x * c + d.y * s) * (d.x * s - d.y * c);
}

int palCircle_NearestToLine(double radius, palVec3 p, palVec3 d,
                            palCirclePoint places[pal_circleMinima])
{
    LineSlope line = {radius, palMulAdd(p, -palDot(p, d), d), d};
    Slope slope = {lineSlope, &line};
    return findMinima(&slope, samplesLine, places);
}

// From the place on the circle to the nearest point of the other.
static palVec3 wayToOther(const palCirclePair* pair, palCirclePoint place, palVec3* out)
{
    palVec3 point = {pair->radius * place.cosine, pair->radius * place.sine, 0.0};
    palVec3 from = palSub(point, pair->centre);
    *out = palNormalize(palMulAdd(from, -palDot(from, pair->axis), pair->axis));
    return palSub(palScale(pair->other, *out), from);
}

static double pairSlope(const void* data, palCirclePoint place)
{
    palVec3 out, way = wayToOther(data, place, &out);
    return way.x * place.sine - way.y * place.cosine;
}

int palCirclePair_Nearest(const palCirclePair* pair, palVec3 ways[pal_circleMinima])
{
    palCirclePoint places[pal_circleMinima];
    Slope slope = {pairSlope, pair};
    int count = findMinima(&slope, samplesCircle, places);
    for (int i = 0; i < count; i++)
    {
        palVec3 out, way = wayToOther(pair, places[i], &out);
        palVec3 along = palMakeVec3(-places[i].sine, places[i].cosine, 0.0);
        palVec3 across = palNormalize(palCross(along, palCross(pair->axis, out)));
        palVec3 radial = palMakeVec3(places[i].cosine, places[i].sine, 0.0);
        if (palDot(across, radial) < 0.0)
            across = palNeg(across);
        bool crossing = palLength(way) < 1e-4 * pair->radius && palLengthSquared(across) > 0.0;
        ways[i] = crossing ? across : palNormalize(way);
    }
    return count;
}

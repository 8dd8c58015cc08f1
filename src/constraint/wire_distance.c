// SPDX-License-Identifier: Apache-2.0
#include "constraint/wire_distance.h"

#include "collide/continuous.h"

enum
{
    chordsMax = 4,        // of an element at first
    refinements = 3,      // of the interval, each to a quarter
    gaussNewtonSteps = 4, // after them
};

static const double sagShare = 0.1; // of its length: largest distance of an element from its chord

static palVec3 pointAt(const palWireAt* at, int element, double s)
{
    return palBeam_Point(at->wire->model, at->state, (palBeamPlace){.element = element, .s = s});
}

// dp/ds by finite differences, m.
static palVec3 slopeAt(const palWireAt* at, palBeamPlace place)
{
    const double half = 1.0 / 1024.0;
    double low = fmax(0.0, place.s - half), high = fmin(1.0, place.s + half);
    palVec3 moved = palSub(pointAt(at, place.element, high), pointAt(at, place.element, low));
    return palScale(1.0 / (high - low), moved);
}

palVec3 palWireAt_Tangent(const palWireAt* at, palBeamPlace place)
{
    return palNormalize(slopeAt(at, place));
}

palVec3 palWireAt_Velocity(const palWireAt* at, palBeamPlace place)
{
    const palVec3* v = at->state->v + place.element;
    return palLerp(v[0], v[1], place.s);
}

palWirePlaces palMakeWirePlaces(const palWireAt wires[2], const int element[2], const double s[2])
{
    palWirePlaces made;
    for (int w = 0; w < 2; w++)
    {
        made.place[w] = (palBeamPlace){.element = element[w], .s = s[w]};
        made.point[w] = pointAt(&wires[w], element[w], s[w]);
    }
    made.distance = palDistance(made.point[0], made.point[1]);
    return made;
}

//--------------------------------------------------------------------------------------------------
// Closest places

// The closest places of the chords into which the interval [low, high] of each element is divided.
static void searchChords(const palWireAt wires[2], const int element[2], const double low[2],
                         const double high[2], int chords, double at[2])
{
    palVec3 points[2][chordsMax + 1];
    double least = INFINITY;
    for (int w = 0; w < 2; w++)
        for (int k = 0; k <= chords; k++)
            points[w][k] =
                pointAt(&wires[w], element[w], low[w] + (high[w] - low[w]) * (double)k / chords);
    for (int a = 0; a < chords; a++)
        for (int b = 0; b < chords; b++)
        {
            double s, t;
            double squared = palClosestOnSegments(points[0] + a, points[1] + b, &s, &t);
            if (!(squared < least))
                continue;
            least = squared;
            at[0] = low[0] + (high[0] - low[0]) * (a + s) / chords;
            at[1] = low[1] + (high[1] - low[1]) * (b + t) / chords;
        }
}

// Gauss-Newton steps to where the connecting line is perpendicular to both curves. With
// d = p0 - p1, a = p0'(s), b = p1'(t),
//
//     | a·a  -a·b | | Δs |   | -a·d |
//     | -a·b  b·b | | Δt | = |  b·d |
static void makePerpendicular(const palWireAt wires[2], const int element[2], double at[2],
                              palWirePlaces* found)
{
    const double singular = 1.0 - PAL_PARALLEL_WIRES * PAL_PARALLEL_WIRES;
    for (int k = 0; k < gaussNewtonSteps; k++)
    {
        palVec3 a = slopeAt(&wires[0], found->place[0]), b = slopeAt(&wires[1], found->place[1]);
        palVec3 between = palSub(found->point[0], found->point[1]);
        double aa = palLengthSquared(a), bb = palLengthSquared(b), ab = palDot(a, b);
        double determinant = aa * bb - ab * ab;
        if (determinant < singular * aa * bb)
            return;
        double ra = -palDot(between, a), rb = palDot(between, b);
        at[0] = fmin(fmax(at[0] + (bb * ra + ab * rb) / determinant, 0.0), 1.0);
        at[1] = fmin(fmax(at[1] + (ab * ra + aa * rb) / determinant, 0.0), 1.0);
        *found = palMakeWirePlaces(wires, element, at);
    }
}

palWirePlaces palClosestOnWires(const palWireAt wires[2], int element0, int element1)
{
    const int element[2] = {element0, element1};
    double low[2] = {0.0, 0.0}, high[2] = {1.0, 1.0}, at[2] = {0.5, 0.5};
    searchChords(wires, element, low, high, chordsMax, at);
    double half = 0.5 / chordsMax;
    for (int k = 0; k < refinements; k++, half /= chordsMax)
    {
        for (int w = 0; w < 2; w++)
        {
            low[w] = fmax(0.0, at[w] - half);
            high[w] = fmin(1.0, at[w] + half);
        }
        searchChords(wires, element, low, high, 2, at);
    }
    palWirePlaces found = palMakeWirePlaces(wires, element, at);
    makePerpendicular(wires, element, at, &found);
    return found;
}

double palClosestOnWire(const palWireAt* at, int element, palVec3 x)
{
    double low = 0.0, high = 1.0, s = 0.5;
    for (int k = 0; k < refinements; k++)
    {
        palVec3 a = pointAt(at, element, low);
        palVec3 chord = palSub(pointAt(at, element, high), a);
        double share = palDot(palSub(x, a), chord) / palLengthSquared(chord);
        s = low + (high - low) * fmin(fmax(share, 0.0), 1.0);
        double half = 0.125 * (high - low);
        low = fmax(0.0, s - half);
        high = fmin(1.0, s + half);
    }
    return s;
}

//--------------------------------------------------------------------------------------------------
// Bounds

static palBounds chordBox(const palVec3* x)
{
    return (palBounds){palMinVec3(x[0], x[1]), palMaxVec3(x[0], x[1])};
}

bool palWireElements_AreNear(const palWireAt wires[2], int i, int j, double reach)
{
    const palVec3* a = wires[0].state->x + i;
    const palVec3* b = wires[1].state->x + j;
    double wide =
        reach + sagShare * (palWireAt_Length(&wires[0], i) + palWireAt_Length(&wires[1], j));
    double s, t;
    return palBounds_Meet(palBounds_Grown(chordBox(a), wide), chordBox(b)) &&
           palClosestOnSegments(a, b, &s, &t) <= wide * wide;
}

palBounds palWireAt_SweptBox(const palWireAt* at, int element)
{
    palBounds now = chordBox(at->state->x + element);
    palBounds before = chordBox(at->before + element);
    return (palBounds){palMinVec3(now.low, before.low), palMaxVec3(now.high, before.high)};
}

bool palWires_AreApart(const palWireAt wires[2], double reach)
{
    palBounds boxes[2];
    for (int w = 0; w < 2; w++)
    {
        const palWireAt* at = &wires[w];
        double wide = 0.5 * reach;
        boxes[w] = (palBounds){at->state->x[0], at->state->x[0]};
        for (int i = 0; i < at->state->nodeCount; i++)
        {
            boxes[w] = palBounds_With(boxes[w], at->state->x[i]);
            if (at->before != NULL)
                boxes[w] = palBounds_With(boxes[w], at->before[i]);
            wide = fmax(wide, 0.5 * reach + sagShare * palWireAt_Length(at, i > 0 ? i - 1 : 0));
        }
        boxes[w] = palBounds_Grown(boxes[w], wide);
    }
    return !palBounds_Meet(boxes[0], boxes[1]);
}

static palVec3 meanVelocity(const palBeamState* state)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < state->nodeCount; i++)
        sum = palAdd(sum, state->v[i]);
    return palScale(1.0 / state->nodeCount, sum);
}

double palWires_ApproachSpeed(const palBeamState* a, const palBeamState* b)
{
    palVec3 mean[2] = {meanVelocity(a), meanVelocity(b)};
    const palBeamState* states[2] = {a, b};
    double speed = palDistance(mean[0], mean[1]);
    for (int w = 0; w < 2; w++)
    {
        double most = 0.0;
        for (int i = 0; i < states[w]->nodeCount; i++)
            most = fmax(most, palDistance(states[w]->v[i], mean[w]));
        speed += most;
    }
    return speed;
}

// SPDX-License-Identifier: Apache-2.0
#include "render/soft_patch.h"

#include "collide/triangle.h"

#include <string.h>

enum
{
    gapFaces = 8, // looked at for the distance to the surface
};

int palSoftPatch_Find(const palSoftPatch* patch, int surfaceVertex)
{
    for (int i = 0; i < patch->vertexCount; i++)
        if (patch->surfaceVertex[i] == surfaceVertex)
            return i;
    return -1;
}

bool palSoftPatch_Shape(const palSoftPatch* patch, const palSoftPoint* point, palModeShape* shape)
{
    int count = patch->modes.count;
    for (int c = 0; c < 3; c++)
        memset(shape->b[c], 0, (size_t)count * sizeof shape->b[c][0]);
    for (int k = 0; k < 3; k++)
    {
        int vertex = palSoftPatch_Find(patch, point->vertices[k]);
        if (vertex < 0)
            return false;
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < count; i++)
                shape->b[c][i] += point->weights[k] * patch->shapes[vertex].b[c][i];
    }
    return true;
}

void palSoftPatch_Push(const palSoftPatch* patch, const palModeShape* shape, palVec3 f, double* p)
{
    for (int i = 0; i < patch->modes.count; i++)
        p[i] = shape->b[0][i] * f.x + shape->b[1][i] * f.y + shape->b[2][i] * f.z;
}

palMat3 palSoftPatch_Compliance(const palSoftPatch* patch, const palModeShape* shape)
{
    const palModes* modes = &patch->modes;
    const double(*b)[pal_shapeModesMax] = shape->b;
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    for (int i = 0; i < modes->count; i++)
    {
        double a = modes->a[i];
        xx += a * b[0][i] * b[0][i];
        xy += a * b[0][i] * b[1][i];
        xz += a * b[0][i] * b[2][i];
        yy += a * b[1][i] * b[1][i];
        yz += a * b[1][i] * b[2][i];
        zz += a * b[2][i] * b[2][i];
    }
    double hh = modes->h * modes->h;
    return (palMat3){
        {{hh * xx, hh * xy, hh * xz}, {hh * xy, hh * yy, hh * yz}, {hh * xz, hh * yz, hh * zz}}};
}

palVec3 palSoftPatch_Displacement(const palSoftPatch* patch, const palModeShape* shape,
                                  const double* q)
{
    const palModes* modes = &patch->modes;
    return palMakeVec3(palModes_Sum(modes, shape->b[0], q), palModes_Sum(modes, shape->b[1], q),
                       palModes_Sum(modes, shape->b[2], q));
}

palVec3 palSoftPatch_Point(const palSoftPatch* patch, const palSoftPoint* point,
                           const palModeShape* shape, const double* q)
{
    palVec3 p = palSoftPatch_Displacement(patch, shape, q);
    for (int k = 0; k < 3; k++)
        p = palMulAdd(p, point->weights[k],
                      patch->start[palSoftPatch_Find(patch, point->vertices[k])]);
    return p;
}

palVec3 palSoftPatch_Vertex(const palSoftPatch* patch, int vertex, const double* q)
{
    return palAdd(patch->start[vertex],
                  palSoftPatch_Displacement(patch, &patch->shapes[vertex], q));
}

// The faces nearest to a point at the start, at most gapFaces of them, nearest first.
static int nearestFaces(const palSoftPatch* patch, palVec3 seen, int* faces)
{
    double distances[gapFaces];
    int count = 0;
    for (int f = 0; f < patch->faceCount; f++)
    {
        const palSoftFace* face = &patch->faces[f];
        double bound = count == gapFaces ? distances[count - 1] : INFINITY;
        if (palDistance(seen, face->centre) - face->radius >= bound)
            continue;
        palClosest closest =
            palClosestOnTriangle(seen, patch->start[face->vertices[0]],
                                 patch->start[face->vertices[1]], patch->start[face->vertices[2]]);
        if (closest.distance >= bound)
            continue;
        int i = count < gapFaces ? count++ : count - 1;
        for (; i > 0 && distances[i - 1] > closest.distance; i--)
            distances[i] = distances[i - 1], faces[i] = faces[i - 1];
        distances[i] = closest.distance;
        faces[i] = f;
    }
    return count;
}

double palSoftPatch_Gap(const palSoftPatch* patch, const double* q, palVec3 x, palVec3 drift)
{
    // At an edge or corner the mean normal of the faces that are equally near tells the side.
    const double same = 1e-12; // m
    int faces[gapFaces];
    int count = patch->object >= 0 ? nearestFaces(patch, palSub(x, drift), faces) : 0;
    double least = INFINITY;
    palVec3 normal = pal_zeroVec3, offset = pal_zeroVec3;
    for (int i = 0; i < count; i++)
    {
        palVec3 v[3];
        for (int k = 0; k < 3; k++)
            v[k] = palSoftPatch_Vertex(patch, patch->faces[faces[i]].vertices[k], q);
        palClosest closest = palClosestOnTriangle(x, v[0], v[1], v[2]);
        palVec3 n = palNormalize(palCross(palSub(v[1], v[0]), palSub(v[2], v[0])));
        if (closest.distance < least - same)
        {
            normal = n;
            offset = palSub(x, closest.point);
        }
        else if (closest.distance < least + same)
            normal = palAdd(normal, n);
        least = fmin(least, closest.distance);
    }
    if (count == 0)
        return NAN;
    return palDot(offset, normal) < 0.0 ? -least : least;
}

// From the start of the snapshot's step to the end of the last tick, through the forces given
// since.
static void catchUp(palSoftMotion* motion, const palSoftPatch* patch, double now)
{
    const palModes* modes = &patch->modes;
    palModes_Start(modes, &motion->state);
    uint64_t ticks = motion->ticks;
    uint64_t steps = (uint64_t)fmax(0.0, round((now - patch->time) / modes->h) - 1.0);
    steps = steps < ticks ? steps : ticks;
    steps = steps < pal_softHistory ? steps : pal_softHistory;
    for (uint64_t k = ticks - steps; k < ticks; k++)
    {
        const palSoftForce* force = &motion->history[k % pal_softHistory];
        palModeShape shape;
        double p[pal_modesMax];
        bool acts =
            force->object == patch->object && palSoftPatch_Shape(patch, &force->point, &shape);
        if (acts)
            palSoftPatch_Push(patch, &shape, force->force, p);
        palModes_Advance(modes, acts ? p : NULL, &motion->state);
    }
}

// The point that was pushed last stays where it was; what the new snapshot moves it by fades.
static void keepPoint(palSoftMotion* motion, const palSoftPatch* patch)
{
    const palSoftForce* last = &motion->history[(motion->ticks - 1) % pal_softHistory];
    palModeShape shape;
    motion->shift = pal_zeroVec3;
    motion->shiftLeft = 0;
    if (motion->ticks == 0 || last->object != patch->object ||
        !palSoftPatch_Shape(patch, &last->point, &shape))
        return;
    palVec3 now = palSoftPatch_Point(patch, &last->point, &shape, motion->state.q);
    motion->shift = palSub(motion->touched, now);
    motion->shiftLeft = motion->shiftTicks;
}

// Linearly, to nothing.
static palVec3 fade(palSoftMotion* motion)
{
    if (motion->shiftLeft == 0)
        return pal_zeroVec3;
    motion->shiftLeft--;
    return palScale(motion->shiftLeft / (motion->shiftLeft + 1.0), motion->shift);
}

void palSoftMotion_Begin(palSoftMotion* motion, const palSoftPatch* patch, uint64_t sequence,
                         double now, bool frozen)
{
    if (patch->object < 0)
        return;
    if (frozen)
        palModes_Start(&patch->modes, &motion->state);
    else if (motion->sequence != sequence)
    {
        catchUp(motion, patch, now);
        keepPoint(motion, patch);
    }
    motion->sequence = sequence;
    motion->freeShift = fade(motion);
    size_t bytes = (size_t)patch->modes.count * sizeof(double);
    memcpy(motion->free.q, motion->state.q, bytes);
    memcpy(motion->free.v, motion->state.v, bytes);
    palModes_Advance(&patch->modes, NULL, &motion->free);
}

void palSoftMotion_End(palSoftMotion* motion, const palSoftPatch* patch, const palSoftForce* force,
                       const palModeShape* shape, bool frozen)
{
    motion->history[motion->ticks % pal_softHistory] = *force;
    motion->ticks++;
    if (patch->object < 0 || frozen)
        return;
    if (force->object == patch->object)
    {
        double p[pal_modesMax];
        palSoftPatch_Push(patch, shape, force->force, p);
        palModes_Correct(&patch->modes, p, &motion->free);
    }
    size_t bytes = (size_t)patch->modes.count * sizeof(double);
    memcpy(motion->state.q, motion->free.q, bytes);
    memcpy(motion->state.v, motion->free.v, bytes);
    motion->shift = motion->freeShift;
    if (force->object == patch->object)
        motion->touched =
            palAdd(palSoftPatch_Point(patch, &force->point, shape, motion->state.q), motion->shift);
}

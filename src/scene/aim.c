// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "scene/bodies.h"

#include <stdlib.h>

// A press of a scene that does not say how far: of the hand's size, and fitting a small object.
static const double defaultGap = 0.01;    // m
static const double defaultDepth = 0.005; // m
static const double depthShare = 0.1;     // of the object's diagonal, at most

enum
{
    halfCells = 20, // of the raster that the object is seen in, along its longer side
};

// What the hand sees of an object along its direction: a raster of parallel rays, with an empty
// cell around what can be hit. The ray in the middle goes through the middle of the bounding box.
typedef struct View
{
    const palCollider* collider; // borrowed
    palVec3 corner;              // m, where the first ray starts, outside
    palVec3 direction, u, v;     // unit
    double spacing, length;      // m, of the rays
    int columns, rows;
} View;

static double reachAlong(palVec3 half, palVec3 direction)
{
    return fabs(direction.x) * half.x + fabs(direction.y) * half.y + fabs(direction.z) * half.z;
}

static View makeView(const palCollider* collider, palVec3 direction)
{
    palBounds bounds = palCollider_Bounds(collider);
    palVec3 middle = palLerp(bounds.low, bounds.high, 0.5);
    palVec3 half = palScale(0.5, palSub(bounds.high, bounds.low));
    View view = {.collider = collider, .direction = direction};
    palTangents(direction, &view.u, &view.v);
    double width = reachAlong(half, view.u), height = reachAlong(half, view.v);
    double reach = 1.01 * reachAlong(half, direction) + 0.01 * palLength(half);
    view.spacing = fmax(width, height) / halfCells;
    int across = 1 + (int)(width / view.spacing), along = 1 + (int)(height / view.spacing);
    view.columns = 2 * across + 1;
    view.rows = 2 * along + 1;
    view.length = 2.0 * reach;
    view.corner = palMulAdd(middle, -reach, direction);
    view.corner = palMulAdd(view.corner, -across * view.spacing, view.u);
    view.corner = palMulAdd(view.corner, -along * view.spacing, view.v);
    return view;
}

static palVec3 startOf(const View* view, int cell)
{
    palVec3 start = palMulAdd(view->corner, cell % view->columns * view->spacing, view->u);
    return palMulAdd(start, cell / view->columns * view->spacing, view->v);
}

// Where a ray from `start` meets the object first, in a face that it does not graze (sin 30°).
static bool meets(const View* view, palVec3 start, palVec3* point)
{
    palCrossing crossing;
    palVec3 end = palMulAdd(start, view->length, view->direction);
    if (!palBvh_FirstCrossing(view->collider->bvh, start, end, &crossing))
        return false;
    *point = crossing.point;
    palVec3 normal = palCollider_Normal(view->collider, crossing.triangle, pal_featureFace);
    return fabs(palDot(normal, view->direction)) > 0.5;
}

// The cell farthest from all that are missed, of several such the one nearest to the middle; -1: no
// ray hits.
static int innermost(const View* view, const bool* hit)
{
    int cells = view->columns * view->rows, best = -1;
    int bestRoom = 0, bestOff = 0;
    for (int i = 0; i < cells; i++)
    {
        int x = i % view->columns, y = i / view->columns;
        int room = hit[i] ? cells * cells : 0;
        for (int k = 0; k < cells && room > 0; k++)
        {
            int dx = k % view->columns - x, dy = k / view->columns - y;
            int distance = dx * dx + dy * dy;
            room = !hit[k] && distance < room ? distance : room;
        }
        int offX = x - view->columns / 2, offY = y - view->rows / 2;
        int off = offX * offX + offY * offY;
        if (room > bestRoom || (room > 0 && room == bestRoom && off < bestOff))
            best = i, bestRoom = room, bestOff = off;
    }
    return best;
}

// The middle of the triangle that shows most of itself: a ray through it hits.
static palVec3 middleOfLargest(const View* view)
{
    const palSurface* surface = &view->collider->surface;
    const palVec3* v = palCollider_Vertices(view->collider);
    palVec3 middle = pal_zeroVec3;
    double largest = -1.0;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        const int* corners = surface->triangles[t];
        palVec3 a = v[corners[0]], b = v[corners[1]], c = v[corners[2]];
        double shown = fabs(palDot(palCross(palSub(b, a), palSub(c, a)), view->direction));
        if (shown <= largest)
            continue;
        largest = shown;
        middle = palScale(1.0 / 3.0, palAdd(a, palAdd(b, c)));
    }
    return middle;
}

// The middle of what the hand sees of the object.
static palResult findTarget(const View* view, palVec3* target, palError* error)
{
    int cells = view->columns * view->rows;
    bool* hit = malloc((size_t)cells * sizeof *hit);
    if (hit == NULL)
        return palError_Memory(error, "aiming a press", (size_t)cells);
    for (int i = 0; i < cells; i++)
        hit[i] = meets(view, startOf(view, i), target);
    int best = innermost(view, hit);
    free(hit);
    // Without a hit it is something thin, or seen at grazing angles only.
    if (best < 0)
        *target = middleOfLargest(view);
    meets(view, best < 0 ? palMulAdd(*target, -view->length, view->direction) : startOf(view, best),
          target);
    return pal_ok;
}

palResult palSceneBodies_Aim(const palSceneBodies* world, const palSceneTrajectory* trajectory,
                             palTrajectoryDef* aimed, palError* error)
{
    static const double seconds[pal_timeUnitCount] = {1.0, 1e-3, 1e-6, 1e-9};
    *aimed = trajectory->def;
    aimed->timeUnit = seconds[trajectory->timeUnit];
    aimed->scale *= palLengthUnit_Metres(trajectory->unit);
    palResult result = pal_ok;
    double gap = defaultGap, depth = defaultDepth;
    if (aimed->kind == pal_trajectoryPress && trajectory->object >= 0 &&
        trajectory->object < world->count)
    {
        View view = makeView(&world->colliders[trajectory->object], palNormalize(aimed->direction));
        result = findTarget(&view, &aimed->target, error);
        palBounds bounds = palCollider_Bounds(view.collider);
        double size = palDistance(bounds.low, bounds.high);
        gap = fmin(gap, size);
        depth = fmin(depth, depthShare * size);
    }
    aimed->gap = isnan(aimed->gap) ? gap : aimed->gap;
    aimed->depth = isnan(aimed->depth) ? depth : aimed->depth;
    return result;
}

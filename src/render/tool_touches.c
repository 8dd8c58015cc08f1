// SPDX-License-Identifier: Apache-2.0
// Which contacts between tool and objects become touches.
#include "render/tool_side.h"

#include <string.h>

enum
{
    sparserMax = 6, // times that the spacing grows
};

static const double nearAtRest = 1e-3; // m: touches are known this far ahead, and with speed more
static const double sameNormal = 0.99; // cosine: touches that face alike keep the spacing
static const double takesOver = 0.9;   // cosine: a touch may take over the force of one gone

// Whether a contact says nothing that the touches do not say: it faces as one of them and is nearer
// to it than `spacing`.
static bool isCovered(const palToolSide* side, const palTouch* touch, double spacing)
{
    for (int i = 0; i < side->touchCount; i++)
    {
        const palTouch* other = &side->touches[i];
        bool alike = other->object == touch->object && palDot(other->n, touch->n) > sameNormal;
        if (palTouch_IsSame(other, touch) ||
            (alike && palDistance(other->onTool, touch->onTool) < spacing))
            return true;
    }
    return false;
}

// The index of the contact with the least gap that was not looked at, or -1.
static int takeNearest(palToolSide* side)
{
    const palContactList* list = &side->found;
    int nearest = -1;
    for (int i = 0; i < list->count; i++)
        if (!side->looked[i] &&
            (nearest < 0 || list->contacts[i].gap < list->contacts[nearest].gap))
            nearest = i;
    if (nearest >= 0)
        side->looked[nearest] = true;
    return nearest;
}

// Adds touches for the contacts in `found`, those with the least gap first, `spacing` apart.
// Returns how many.
static int addTouches(palToolSide* side, int object, double spacing)
{
    int added = 0;
    memset(side->looked, 0, (size_t)side->found.count * sizeof *side->looked);
    side->overflow = side->overflow || side->found.overflow;
    while (side->touchCount < pal_touchesMax)
    {
        int next = takeNearest(side);
        if (next < 0)
            break;
        const palSurfaceContact* contact = &side->found.contacts[next];
        palTouch touch = palMakeTouch(contact, object, side->def->colliders[object].friction,
                                      side->tool->surface.vertices);
        bool isReal =
            palLengthSquared(touch.n) > 0.5 && touch.gap > -side->depthMax && !contact->leaves;
        if (!isReal || isCovered(side, &touch, spacing))
            continue;
        side->error[side->touchCount] = 0.0;
        side->touches[side->touchCount++] = touch;
        added++;
    }
    return added;
}

const palVec3* palToolSide_SurfaceEnd(const palToolSide* side, int object)
{
    const palTissue* tissue = side->tissues[object];
    return tissue != NULL ? tissue->end : side->def->colliders[object].surface.vertices;
}

double palToolSide_Gap(const palToolSide* side, const palTouch* touch, const palRigidState* tool,
                       const palVec3* vertices)
{
    palVec3 a = palRigid_Point(&side->tool->model, tool, touch->onTool);
    return palDot(touch->n, palSub(a, palSurfacePlace_Point(&touch->place, vertices)));
}

// A touch between the features of a collision that ends inside has slid along a surface that bends
// or turns: it goes to where they collide.
static void slide(palToolSide* side, const palTouch* to)
{
    for (int i = 0; i < side->touchCount; i++)
    {
        palTouch* touch = &side->touches[i];
        if (!palTouch_IsSame(touch, to))
            continue;
        double force[3];
        memcpy(force, touch->force, sizeof force);
        *touch = *to;
        memcpy(touch->force, force, sizeof force);
        side->error[i] = 0.0;
        return;
    }
}

// Makes room where it is short: touches that carry nothing and are open at the end are given up.
static void dropIdle(palToolSide* side)
{
    int kept = 0;
    for (int i = 0; i < side->touchCount; i++)
    {
        const palTouch* touch = &side->touches[i];
        double gap =
            palToolSide_Gap(side, touch, &side->end, palToolSide_SurfaceEnd(side, touch->object));
        if (touch->force[0] == 0.0 && gap > 0.0)
            continue;
        side->error[kept] = side->error[i];
        side->touches[kept++] = *touch;
    }
    side->touchCount = kept;
}

bool palToolSide_TakeCollisions(palToolSide* side, int object, double spacing)
{
    const palCollider* collider = &side->def->colliders[object];
    const palVec3* start = collider->surface.vertices;
    bool any = false;
    if (side->touchCount + side->found.count > pal_touchesMax)
        dropIdle(side);
    int before = side->touchCount;
    for (int k = 0; k < side->found.count; k++)
    {
        const palSurfaceContact* contact = &side->found.contacts[k];
        if (contact->leaves || contact->gap > -PAL_TOOL_WELL_INSIDE)
            continue;
        palTouch touch =
            palMakeTouch(contact, object, collider->friction, side->tool->surface.vertices);
        touch.gap = palToolSide_Gap(side, &touch, &side->visual, start);
        slide(side, &touch);
        any = true;
    }
    any = addTouches(side, object, spacing) > 0 || any;
    for (int k = before; k < side->touchCount; k++)
        side->touches[k].gap = palToolSide_Gap(side, &side->touches[k], &side->visual, start);
    return any;
}

// How fast the fastest part of the visual tool moves, m/s.
static double speedOf(const palToolSide* side)
{
    palBounds bounds = palSurface_Bounds(&side->tool->surface);
    palVec3 omega = palRigid_Omega(&side->tool->model, &side->visual);
    return palLength(side->visual.v) +
           0.5 * palLength(omega) * palDistance(bounds.low, bounds.high);
}

// Gives the force of a touch that is gone to the nearest that faces alike, which took it over.
static void handOver(palToolSide* side, const palTouch* old)
{
    int nearest = -1;
    double least = INFINITY;
    for (int i = 0; i < side->touchCount; i++)
    {
        const palTouch* touch = &side->touches[i];
        double distance = palDistance(touch->onTool, old->onTool);
        bool alike = touch->object == old->object && palDot(touch->n, old->n) > takesOver;
        if (palTouch_IsSame(touch, old))
            distance = -1.0;
        else if (!alike)
            continue;
        if (distance < least)
        {
            least = distance;
            nearest = i;
        }
    }
    for (int k = 0; k < 3 && nearest >= 0; k++)
        side->touches[nearest].force[k] += old->force[k];
}

void palToolSide_FindTouches(palToolSide* side)
{
    palTouch old[pal_touchesMax];
    int oldCount = side->touchCount;
    memcpy(old, side->touches, (size_t)oldCount * sizeof *old);
    double ahead = speedOf(side) * (side->def->lowDt + side->def->latency);
    double distance = fmin(nearAtRest + ahead, fmax(side->def->radius, nearAtRest));
    side->touchCount = 0;
    for (int i = 0; i < side->def->colliderCount; i++)
    {
        // Further apart where they would be too many.
        int before = side->touchCount;
        double spacing = side->spacing;
        palSurfacePair_Near(&(palSurfacePair){&side->toolSurface, &side->surfaces[i]}, distance,
                            &side->found);
        addTouches(side, i, spacing);
        for (int k = 0; k < sparserMax && side->touchCount == pal_touchesMax; k++)
        {
            side->touchCount = before;
            addTouches(side, i, spacing *= 1.5);
        }
    }
    for (int k = 0; k < oldCount; k++)
        if (old[k].force[0] != 0.0)
            handOver(side, &old[k]);
}

// SPDX-License-Identifier: Apache-2.0
#include "world/trail.h"

#include <string.h>

void palTrail_Archive(palTrail* trail, palArchive* archive)
{
    PAL_ARCHIVE(archive, trail->count);
    PAL_ARCHIVE_ARRAY(archive, trail->places, trail->count);
    PAL_ARCHIVE_ARRAY(archive, trail->turns, trail->count);
    PAL_ARCHIVE_ARRAY(archive, trail->times, trail->count);
}

void palTrail_Copy(const palTrail* trail, palTrail* copy)
{
    copy->count = trail->count;
    memcpy(copy->places, trail->places, (size_t)trail->count * sizeof *trail->places);
    memcpy(copy->turns, trail->turns, (size_t)trail->count * sizeof *trail->turns);
    memcpy(copy->times, trail->times, (size_t)trail->count * sizeof *trail->times);
}

void palTrail_Add(palTrail* trail, palVec3 place, palQuat turn, double time)
{
    if (trail->count == pal_trailMax)
    {
        // The last stays: the coupling goes on from there.
        trail->count /= 2;
        for (int i = 0; i < trail->count; i++)
        {
            trail->places[i] = trail->places[2 * i + 1];
            trail->turns[i] = trail->turns[2 * i + 1];
            trail->times[i] = trail->times[2 * i + 1];
        }
    }
    trail->places[trail->count] = place;
    trail->turns[trail->count] = turn;
    trail->times[trail->count++] = time;
}

void palTrail_Drop(palTrail* trail, int count)
{
    trail->count -= count;
    size_t left = (size_t)trail->count;
    memmove(trail->places, trail->places + count, left * sizeof *trail->places);
    memmove(trail->turns, trail->turns + count, left * sizeof *trail->turns);
    memmove(trail->times, trail->times + count, left * sizeof *trail->times);
}

int palTrail_Clear(const palTrail* trail, palVec3 x, const palCollider* colliders, int count)
{
    palNearest nearest;
    if (trail->count > 0 && palColliders_Nearest(colliders, count, x, INFINITY, &nearest) &&
        colliders[nearest.object].closed && nearest.gap <= 0.0)
        return 0;
    for (int i = 0; i < trail->count; i++)
    {
        palCrossing crossing;
        for (int k = 0; k < count; k++)
            if (palBvh_FirstCrossing(colliders[k].bvh, x, trail->places[i], &crossing))
                return i;
        x = trail->places[i];
    }
    return trail->count;
}

// SPDX-License-Identifier: Apache-2.0
// How a path is looked at: along the axis of least motion, with the surfaces cut where the hand is.
#ifndef PAL_APP_VIEW_H
#define PAL_APP_VIEW_H

#include "recorded.h"
#include "scene/world.h"

typedef struct palView
{
    int across, up;         // axes drawn, 0..2
    int depth;              // axis looked along
    double level;           // m, where the surface is cut
    double low[3], high[3]; // m, extent of the device's path
} palView;

palView palMakeView(const palRecorded* recorded);

/// Component 0..2 of a vector.
static inline double palComponent(palVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// "x", "y" or "z".
const char* palAxisName(int axis);

/// Called for each segment in which a triangle meets the cutting plane; ends in m. Soft surfaces
/// are cut where they are at rest.
typedef void palSliceFn(void* user, palVec3 a, palVec3 b);
void palView_Slice(const palView* view, const palWorld* world, palSliceFn* segment, void* user);

#endif

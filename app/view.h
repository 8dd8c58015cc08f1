// SPDX-License-Identifier: Apache-2.0
// The view for path plots: along the axis of least motion, with a slice of the surfaces at the
// hand.
#ifndef PAL_APP_VIEW_H
#define PAL_APP_VIEW_H

#include "recorded.h"
#include "scene/bodies.h"

typedef struct palView
{
    int across, up;         // axes drawn, 0..2
    int depth;              // viewing axis
    double level;           // m, position of the slice along it
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

/// Called for each intersection segment of a triangle with the slice plane; end points in m. Soft
/// surfaces are sliced in their rest shape.
typedef void palSliceFn(void* user, palVec3 a, palVec3 b);
void palView_Slice(const palView* view, const palSceneBodies* world, palSliceFn* segment,
                   void* user);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "view.h"

const char* palAxisName(int axis)
{
    static const char* const names[3] = {"x", "y", "z"};
    return names[axis];
}

// Without motion, or with equal extents, the view is along z.
palView palMakeView(const palRecorded* recorded)
{
    palView view = {.depth = 2};
    for (int axis = 0; axis < 3; axis++)
    {
        view.low[axis] = INFINITY;
        view.high[axis] = -INFINITY;
        for (int i = 0; i < recorded->count; i++)
        {
            double x = palComponent(recorded->steps[i].device, axis);
            view.low[axis] = fmin(view.low[axis], x);
            view.high[axis] = fmax(view.high[axis], x);
        }
    }
    for (int i = 0; i < 2; i++)
        if (view.high[i] - view.low[i] < view.high[view.depth] - view.low[view.depth] - 1e-12)
            view.depth = i;
    view.across = view.depth == 0 ? 2 : 0;
    view.up = view.depth == 1 ? 2 : 1;
    view.level = 0.5 * (view.low[view.depth] + view.high[view.depth]);
    return view;
}

static void sliceTriangle(const palView* view, const palVec3 corners[3], palSliceFn* segment,
                          void* user)
{
    palVec3 ends[3];
    int count = 0;
    for (int i = 0; i < 3; i++)
    {
        palVec3 a = corners[i];
        palVec3 b = corners[(i + 1) % 3];
        double da = palComponent(a, view->depth) - view->level;
        double db = palComponent(b, view->depth) - view->level;
        if ((da < 0.0) != (db < 0.0))
            ends[count++] = palLerp(a, b, da / (da - db));
    }
    if (count >= 2)
        segment(user, ends[0], ends[1]);
}

// The rest position of a vertex; a soft surface may be deformed.
static palVec3 restVertex(const palCollider* collider, int vertex)
{
    if (collider->soft == NULL)
        return collider->surface.vertices[vertex];
    return palSkin_Point(&collider->skin, collider->soft->rest, vertex);
}

void palView_Slice(const palView* view, const palSceneBodies* world, palSliceFn* segment,
                   void* user)
{
    for (int i = 0; i < world->count; i++)
    {
        const palCollider* collider = &world->colliders[i];
        for (int t = 0; t < collider->surface.triangleCount; t++)
        {
            const int* corner = collider->surface.triangles[t];
            const palVec3 corners[3] = {restVertex(collider, corner[0]),
                                        restVertex(collider, corner[1]),
                                        restVertex(collider, corner[2])};
            sliceTriangle(view, corners, segment, user);
        }
    }
}

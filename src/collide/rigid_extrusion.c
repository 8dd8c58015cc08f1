// SPDX-License-Identifier: Apache-2.0
// Shapes that are a polygon, extruded.
#include "collide/rigid_shape.h"
#include "mesh/extrusion.h"

palResult palRigidShape_InitExtrusion(palRigidShape* shape, const palVec3* polygon, int count,
                                      double height, palError* error)
{
    *shape = (palRigidShape){0};
    palSurface surface = {0};
    bool convex;
    palResult result = palMakeExtrusion(polygon, count, height, &surface, &convex, error);
    convex = convex && surface.vertexCount / 2 <= pal_hullCornersMax;
    if (result == pal_ok && convex)
        result = palRigidShape_InitHull(shape, surface.vertices, surface.vertexCount, error);
    else if (result == pal_ok)
        result = palRigidShape_InitMesh(shape, &surface, error);
    palSurface_Free(&surface);
    return result;
}

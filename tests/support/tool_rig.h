// SPDX-License-Identifier: Apache-2.0
// Tools for path_rig.h: from a shape or from a few corners, and how deep their points are inside.
#ifndef PAL_TESTS_TOOL_RIG_H
#define PAL_TESTS_TOOL_RIG_H

#include "path_rig.h"

/// The usual coupling without gravity; mass and inertia from the surface, 1000 kg/m³.
static inline palRigidDef toolRigidDef(const palSurface* surface)
{
    palRigidDef def = palDefaultRigidDef();
    assert_int_equal(palMass_FromSurface(surface, 1000.0, &def.mass, NULL), pal_ok);
    return def;
}

/// A tool of that shape, whose origin the hand holds.
static inline void toolOfShape(palTool* tool, const palShapeDef* shape)
{
    assert_int_equal(palMakeShape(shape, &tool->surface, NULL), pal_ok);
    palRigidDef def = toolRigidDef(&tool->surface);
    assert_int_equal(palRigidModel_Init(&tool->model, &def, NULL), pal_ok);
}

/// A box of given full extents, held at its middle.
static inline void toolBox(palTool* tool, palVec3 size, int resolution)
{
    palShapeDef shape = palDefaultShapeDef(pal_shapeBox);
    shape.size = size;
    shape.resolution = resolution;
    toolOfShape(tool, &shape);
}

/// A pyramid of three sides that stands on its tip, 20 mm high. The tip is held, is the centre of
/// mass, and weighs a gram: all that it feels with its tip is what a point of a gram feels.
static inline void toolTip(palTool* tool)
{
    static const palVec3 corners[4] = {
        {0, 0, 0}, {0.001, 0.02, 0}, {-0.0005, 0.02, 0.0009}, {-0.0005, 0.02, -0.0009}};
    static const int triangles[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
    assert_int_equal(palSurface_Init(&tool->surface, 4, 4, NULL), pal_ok);
    memcpy(tool->surface.vertices, corners, sizeof corners);
    memcpy(tool->surface.triangles, triangles, sizeof triangles);
    palRigidDef def = palDefaultRigidDef();
    def.mass = (palMass){.mass = 1e-3, .inertia = palMakeMat3Scale(1e-7)};
    assert_int_equal(palRigidModel_Init(&tool->model, &def, NULL), pal_ok);
}

/// The least gap of any point of the tool, m, by looking at every one of them.
static inline double toolGap(const palRig* rig, const palTickRecord* record)
{
    const palMethod* method = rig->engine->method;
    int count;
    const palVec3* points = method->ops->points(method, &count);
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        least = fmin(least,
                     rigGap(rig, palAdd(record->proxy, palRotate(record->proxyTurn, points[i]))));
    return least;
}

#endif

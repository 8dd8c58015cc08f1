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
    const palMethod* method = rig->engine->methods.methods[0];
    int count;
    const palVec3* points = method->ops->points(method, &count);
    double least = INFINITY;
    for (int i = 0; i < count; i++)
    {
        palVec3 arm = palSub(points[i], rig->tool.model.def.gripPosition);
        least = fmin(least, rigGap(rig, palAdd(record->hands[0].proxy,
                                               palRotate(record->hands[0].proxyTurn, arm))));
    }
    return least;
}

/// A tool's own surface as a collider, in its frame, to measure what two meshes overlap by.
static inline void toolCollider(const palTool* tool, palCollider* collider)
{
    palSurface surface;
    assert_int_equal(palSurface_Copy(&tool->surface, &surface, NULL), pal_ok);
    assert_int_equal(palCollider_Init(collider, &surface, 0.0, NULL), pal_ok);
}

/// How deep the segment a b is inside a closed surface, m: at its ends, and between the first and
/// the last place where it crosses it. 0 where it is outside.
static inline double segmentDepth(const palCollider* collider, palVec3 a, palVec3 b)
{
    palCrossing first, last;
    if (!palBvh_FirstCrossing(collider->bvh, a, b, &first) ||
        !palBvh_FirstCrossing(collider->bvh, b, a, &last))
        return 0.0;
    palVec3 places[3] = {a, b, palScale(0.5, palAdd(first.point, last.point))};
    double depth = 0.0;
    for (int k = 0; k < 3; k++)
    {
        palNearest nearest;
        if (palColliders_Nearest(collider, 1, places[k], INFINITY, &nearest))
            depth = fmax(depth, -nearest.gap);
    }
    return depth;
}

/// How deep any edge of the tool is inside an object, or any edge of an object inside the tool, m:
/// the truth, from every edge of both.
static inline double toolDepth(const palRig* rig, const palCollider* tool,
                               const palTickRecord* record)
{
    double depth = 0.0;
    palBounds box = palSurface_Bounds(&tool->surface);
    for (int i = 0; i < rig->colliderCount; i++)
    {
        const palCollider* object = &rig->colliders[i];
        for (int e = 0; e < object->topology.edgeCount; e++)
        {
            palVec3 ends[2];
            for (int k = 0; k < 2; k++)
                ends[k] =
                    palInvRotate(record->hands[0].proxyTurn,
                                 palSub(object->surface.vertices[object->topology.edges[e][k]],
                                        record->hands[0].proxy));
            palVec3 low = palMinVec3(ends[0], ends[1]), high = palMaxVec3(ends[0], ends[1]);
            if (low.x <= box.high.x && low.y <= box.high.y && low.z <= box.high.z &&
                high.x >= box.low.x && high.y >= box.low.y && high.z >= box.low.z)
                depth = fmax(depth, segmentDepth(tool, ends[0], ends[1]));
        }
        for (int e = 0; e < tool->topology.edgeCount && object->closed; e++)
        {
            palVec3 ends[2];
            for (int k = 0; k < 2; k++)
                ends[k] = palAdd(record->hands[0].proxy,
                                 palRotate(record->hands[0].proxyTurn,
                                           tool->surface.vertices[tool->topology.edges[e][k]]));
            depth = fmax(depth, segmentDepth(object, ends[0], ends[1]));
        }
    }
    return depth;
}

/// The lesser of `least` and the distance from the segment a b to a surface, m, to 100 nm.
static inline double segmentDistance(const palCollider* collider, palVec3 a, palVec3 b,
                                     double least)
{
    const double exact = 1e-7;
    double half = 0.5 * palDistance(a, b);
    palVec3 middle = palScale(0.5, palAdd(a, b));
    palClosest closest;
    if (!palBvh_Closest(collider->bvh, middle, fmax(least - exact, 0.0) + half, &closest))
        return least;
    least = fmin(least, closest.distance);
    if (half < exact)
        return least;
    least = segmentDistance(collider, a, middle, least);
    return segmentDistance(collider, middle, b, least);
}

/// The distance of the tool to everything, m, where no vertex of it is inside: from its points, and
/// from every edge of the objects within `reach` of its origin.
static inline double toolDistance(const palRig* rig, const palCollider* tool,
                                  const palTickRecord* record, double reach)
{
    double least = fmin(toolGap(rig, record), reach);
    for (int i = 0; i < rig->colliderCount; i++)
    {
        const palCollider* object = &rig->colliders[i];
        for (int e = 0; e < object->topology.edgeCount; e++)
        {
            const int* v = object->topology.edges[e];
            palVec3 a = palSub(object->surface.vertices[v[0]], record->hands[0].proxy);
            palVec3 b = palSub(object->surface.vertices[v[1]], record->hands[0].proxy);
            if (fmin(palLength(a), palLength(b)) < reach)
                least = segmentDistance(tool, palInvRotate(record->hands[0].proxyTurn, a),
                                        palInvRotate(record->hands[0].proxyTurn, b), least);
        }
    }
    return least;
}

#endif

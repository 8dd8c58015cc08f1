// SPDX-License-Identifier: Apache-2.0
#include "mesh/builder.h"

#include "mesh/grow.h"

enum
{
    // Ear clipping takes up to n³ steps; a face with more corners is triangulated as a fan.
    maxClippedCorners = 256,
};

void palSurfaceBuilder_Free(palSurfaceBuilder* builder)
{
    palSurface_Free(&builder->surface);
    *builder = (palSurfaceBuilder){0};
}

palResult palSurfaceBuilder_AddVertex(palSurfaceBuilder* builder, palVec3 vertex, palError* error)
{
    palSurface* surface = &builder->surface;
    palVec3* vertices = palGrow(surface->vertices, surface->vertexCount, &builder->vertexCapacity,
                                sizeof *vertices, "a surface", error);
    if (vertices == NULL)
        return pal_errorMemory;
    surface->vertices = vertices;
    vertices[surface->vertexCount++] = vertex;
    return pal_ok;
}

palResult palSurfaceBuilder_AddTriangle(palSurfaceBuilder* builder, int a, int b, int c,
                                        palError* error)
{
    palSurface* surface = &builder->surface;
    int(*triangles)[3] = palGrow(surface->triangles, surface->triangleCount,
                                 &builder->triangleCapacity, sizeof *triangles, "a surface", error);
    if (triangles == NULL)
        return pal_errorMemory;
    surface->triangles = triangles;
    int* triangle = triangles[surface->triangleCount++];
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
    return pal_ok;
}

typedef struct Point2
{
    double x, y;
} Point2;

// Twice the signed area of the triangle a b c, positive when counter-clockwise.
static double doubleArea(Point2 a, Point2 b, Point2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Projects along the axis of the largest component of the polygon's normal (Newell's sum over its
// edges), preserving the orientation.
static void project(const palVec3* vertices, const int* corners, int count, Point2* points)
{
    palVec3 origin = vertices[corners[0]];
    palVec3 normal = pal_zeroVec3;
    for (int i = 0; i < count; i++)
    {
        palVec3 a = palSub(vertices[corners[i]], origin);
        palVec3 b = palSub(vertices[corners[(i + 1) % count]], origin);
        normal = palAdd(normal, palCross(a, b));
    }
    double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    for (int i = 0; i < count; i++)
    {
        palVec3 p = palSub(vertices[corners[i]], origin);
        if (x >= y && x >= z)
            points[i] = normal.x > 0.0 ? (Point2){p.y, p.z} : (Point2){p.z, p.y};
        else if (y >= z)
            points[i] = normal.y > 0.0 ? (Point2){p.z, p.x} : (Point2){p.x, p.z};
        else
            points[i] = normal.z > 0.0 ? (Point2){p.x, p.y} : (Point2){p.y, p.x};
    }
}

// Whether the corner ring[i] is an ear: convex, with no other corner inside its triangle.
static bool isEar(const Point2* points, const int* ring, int count, int i)
{
    Point2 a = points[ring[(i + count - 1) % count]];
    Point2 b = points[ring[i]];
    Point2 c = points[ring[(i + 1) % count]];
    if (!(doubleArea(a, b, c) > 0.0))
        return false;
    for (int k = 2; k < count - 1; k++)
    {
        Point2 p = points[ring[(i + k) % count]];
        if (doubleArea(a, b, p) >= 0.0 && doubleArea(b, c, p) >= 0.0 && doubleArea(c, a, p) >= 0.0)
            return false;
    }
    return true;
}

// Clips ears until one triangle remains. If a self-intersecting polygon has no ear, corner 1 is
// clipped, so that the number of triangles is the same and the work is bounded.
static palResult clipEars(palSurfaceBuilder* builder, const int* corners, int count,
                          palError* error)
{
    Point2 points[maxClippedCorners];
    int ring[maxClippedCorners];
    project(builder->surface.vertices, corners, count, points);
    for (int i = 0; i < count; i++)
        ring[i] = i;
    for (; count > 3; count--)
    {
        // Starting at corner 1 turns a convex polygon into a fan around its corner 0.
        int ear = 1;
        for (int i = 0; i < count; i++)
            if (isEar(points, ring, count, (1 + i) % count))
            {
                ear = (1 + i) % count;
                break;
            }
        palResult result = palSurfaceBuilder_AddTriangle(
            builder, corners[ring[(ear + count - 1) % count]], corners[ring[ear]],
            corners[ring[(ear + 1) % count]], error);
        if (result != pal_ok)
            return result;
        for (int i = ear; i + 1 < count; i++)
            ring[i] = ring[i + 1];
    }
    return palSurfaceBuilder_AddTriangle(builder, corners[ring[0]], corners[ring[1]],
                                         corners[ring[2]], error);
}

palResult palSurfaceBuilder_AddPolygon(palSurfaceBuilder* builder, const int* corners, int count,
                                       palError* error)
{
    for (int i = 0; i < count; i++)
        if (corners[i] < 0 || corners[i] >= builder->surface.vertexCount)
        {
            palError_Set(error, pal_errorInput,
                         "a face refers to vertex %d (0-based), but there are %d vertices",
                         corners[i], builder->surface.vertexCount);
            palError_Remedy(error, "the file is damaged: export it again");
            return pal_errorInput;
        }
    builder->points += count == 1;
    builder->lines += count == 2;
    if (count > 3 && count <= maxClippedCorners)
        return clipEars(builder, corners, count, error);
    for (int i = 2; i < count; i++)
    {
        palResult result =
            palSurfaceBuilder_AddTriangle(builder, corners[0], corners[i - 1], corners[i], error);
        if (result != pal_ok)
            return result;
    }
    return pal_ok;
}

// SPDX-License-Identifier: Apache-2.0
#include "collide/rigid_shape.h"

#include "base/error.h"
#include "mesh/revolved.h"

#include <string.h>

// Of the extent: how far a surface that counts as convex may be inside its convex hull.
static const double convexTolerance = 1e-6;

enum
{
    aroundMin = 8,
    aroundMax = 256,
};

static palResult checkLength(const char* what, double length, palError* error)
{
    if (length > 0.0 && isfinite(length))
        return pal_ok;
    palError_Set(error, pal_errorInput, "the %s of the shape is %g m", what, length);
    return palError_Remedy(error, "use a positive length in metres");
}

static palMass makeMass(double mass, double aboutX, double aboutY, double aboutZ)
{
    return (palMass){
        .mass = mass,
        .inertia = {{{aboutX, 0, 0}, {0, aboutY, 0}, {0, 0, aboutZ}}},
    };
}

static palBounds boundsAbout(palVec3 half)
{
    return (palBounds){palNeg(half), half};
}

palResult palRigidShape_InitSphere(palRigidShape* shape, double radius, palError* error)
{
    *shape = (palRigidShape){.kind = pal_rigidSphere, .radius = radius, .extent = radius};
    double mass = 4.0 / 3.0 * PAL_PI * radius * radius * radius;
    double inertia = 0.4 * mass * radius * radius;
    shape->unitMass = makeMass(mass, inertia, inertia, inertia);
    shape->bounds = boundsAbout(palMakeVec3(radius, radius, radius));
    return checkLength("radius", radius, error);
}

palResult palRigidShape_InitCapsule(palRigidShape* shape, double radius, double height,
                                    palError* error)
{
    double h = fmax(0.5 * height - radius, 0.0), R = radius;
    *shape = (palRigidShape){
        .kind = pal_rigidCapsule,
        .radius = radius,
        .halfHeight = h,
        .bounds = boundsAbout(palMakeVec3(R, R, h + R)),
        .extent = h + R,
    };
    // A cylinder, and two halves of a ball whose centres of mass are 3/8 R beyond its ends.
    double cylinder = 2.0 * PAL_PI * R * R * h, ball = 4.0 / 3.0 * PAL_PI * R * R * R;
    double along = 0.5 * cylinder * R * R + 0.4 * ball * R * R;
    double across =
        cylinder * (0.25 * R * R + h * h / 3.0) + ball * (0.4 * R * R + h * h + 0.75 * h * R);
    shape->unitMass = makeMass(cylinder + ball, across, across, along);
    palResult result = checkLength("radius", radius, error);
    if (result == pal_ok)
        result = checkLength("height", height, error);
    if (result == pal_ok && height < 2.0 * radius)
    {
        palError_Set(error, pal_errorInput, "the capsule is %g m high, less than its caps", height);
        return palError_Remedy(error, "use a height of at least twice the radius, %g m",
                               2.0 * radius);
    }
    return result;
}

// Topology, tree and features of the shape's surface.
static palResult prepare(palRigidShape* shape, palError* error)
{
    palResult result = palTopology_Init(&shape->topology, &shape->surface, error);
    if (result == pal_ok)
        result = palBvh_Create(&shape->surface, &shape->bvh, error);
    if (result == pal_ok)
        result = palMeshFeatures_Init(&shape->features, &shape->surface, &shape->topology,
                                      shape->bvh, error);
    return result;
}

palResult palRigidShape_InitBox(palRigidShape* shape, palVec3 size, palError* error)
{
    palVec3 half = palScale(0.5, size);
    *shape = (palRigidShape){
        .kind = pal_rigidBox,
        .halfSize = half,
        .bounds = boundsAbout(half),
        .extent = palLength(half),
    };
    palResult result = checkLength("size x", size.x, error);
    if (result == pal_ok)
        result = checkLength("size y", size.y, error);
    if (result == pal_ok)
        result = checkLength("size z", size.z, error);
    if (result != pal_ok)
        return result;
    double mass = size.x * size.y * size.z, s = mass / 12.0;
    shape->unitMass =
        makeMass(mass, s * (size.y * size.y + size.z * size.z),
                 s * (size.z * size.z + size.x * size.x), s * (size.x * size.x + size.y * size.y));
    palVec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = palMakeVec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                 i & 4 ? half.z : -half.z);
    result = palHull_Init(&shape->hull, corners, 8, error);
    if (result == pal_ok)
        result = palHull_Surface(&shape->hull, &shape->surface, error);
    if (result == pal_ok)
        result = prepare(shape, error);
    if (result != pal_ok)
        palRigidShape_Free(shape);
    return result;
}

palResult palRigidShape_InitCylinder(palRigidShape* shape, double radius, double height,
                                     palError* error)
{
    double h = 0.5 * height, mass = PAL_PI * radius * radius * height;
    double across = mass * (0.25 * radius * radius + h * h / 3.0);
    *shape = (palRigidShape){
        .kind = pal_rigidCylinder,
        .radius = radius,
        .halfHeight = h,
        .unitMass = makeMass(mass, across, across, 0.5 * mass * radius * radius),
        .bounds = boundsAbout(palMakeVec3(radius, radius, h)),
        .extent = hypot(radius, h),
    };
    palResult result = checkLength("radius", radius, error);
    return result == pal_ok ? checkLength("height", height, error) : result;
}

static double farthest(const palVec3* points, int count)
{
    double extent = 0.0;
    for (int i = 0; i < count; i++)
        extent = fmax(extent, palLength(points[i]));
    return extent;
}

// Mass, bounds and extent of what a surface holds.
static palResult measure(palRigidShape* shape, const palSurface* surface, palError* error)
{
    shape->bounds = palSurface_Bounds(surface);
    shape->extent = farthest(surface->vertices, surface->vertexCount);
    return palMass_FromSurface(surface, 1.0, &shape->unitMass, error);
}

palResult palRigidShape_InitHull(palRigidShape* shape, const palVec3* points, int count,
                                 palError* error)
{
    *shape = (palRigidShape){.kind = pal_rigidHull};
    palResult result = palHull_Init(&shape->hull, points, count, error);
    if (result == pal_ok)
        result = palHull_Surface(&shape->hull, &shape->surface, error);
    if (result == pal_ok)
        result = measure(shape, &shape->surface, error);
    if (result == pal_ok)
        result = prepare(shape, error);
    if (result != pal_ok)
        palRigidShape_Free(shape);
    return result;
}

// How far the surface is inside the hull: at its vertices, and in the middle of its edges and
// triangles.
static double depthInside(const palHull* hull, const palSurface* surface)
{
    double depth = 0.0;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        palVec3 p[3], sum = pal_zeroVec3;
        for (int k = 0; k < 3; k++)
            sum = palAdd(sum, p[k] = surface->vertices[surface->triangles[t][k]]);
        for (int k = 0; k < 3; k++)
        {
            depth = fmax(depth, -palHull_Height(hull, p[k]));
            depth = fmax(depth, -palHull_Height(hull, palLerp(p[k], p[(k + 1) % 3], 0.5)));
        }
        depth = fmax(depth, -palHull_Height(hull, palScale(1.0 / 3.0, sum)));
    }
    return depth;
}

palResult palRigidShape_InitConvexSurface(palRigidShape* shape, const palSurface* surface,
                                          palError* error)
{
    palResult result =
        palRigidShape_InitHull(shape, surface->vertices, surface->vertexCount, error);
    if (result != pal_ok)
        return result;
    double depth = depthInside(&shape->hull, surface);
    palVec3 size = palSub(shape->bounds.high, shape->bounds.low);
    if (depth <= convexTolerance * fmax(size.x, fmax(size.y, size.z)))
        return pal_ok;
    palRigidShape_Free(shape);
    palError_Set(error, pal_errorInput,
                 "the surface is not convex: up to %.3g m inside its convex hull", depth);
    return palError_Remedy(error, "use a mesh, or the convex hull of its vertices");
}

palResult palRigidShape_InitHalfSpace(palRigidShape* shape)
{
    *shape = (palRigidShape){
        .kind = pal_rigidHalfSpace,
        .bounds = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 0.0}},
        .extent = INFINITY,
    };
    return pal_ok;
}

static int countOpenEdges(const palTopology* topology)
{
    int open = 0;
    for (int i = 0; i < topology->edgeCount; i++)
    {
        palEdgeKind kind = topology->edgeKinds[i];
        open += kind != pal_edgeFlat && kind != pal_edgeConvex && kind != pal_edgeConcave;
    }
    return open;
}

palResult palRigidShape_InitMesh(palRigidShape* shape, const palSurface* surface, palError* error)
{
    *shape = (palRigidShape){.kind = pal_rigidMesh};
    palResult result = palSurface_Copy(surface, &shape->surface, error);
    if (result == pal_ok)
        result = prepare(shape, error);
    if (result == pal_ok)
    {
        int open = countOpenEdges(&shape->topology);
        if (open > 0)
        {
            palError_Set(error, pal_errorInput,
                         "the surface is not closed: %d of its edges have not two triangles that "
                         "agree",
                         open);
            result = palError_Remedy(error, "a body that moves needs a closed surface; palpate "
                                            "mesh FILE --repair closes holes");
        }
    }
    if (result == pal_ok)
        result = measure(shape, &shape->surface, error);
    if (result != pal_ok)
        palRigidShape_Free(shape);
    return result;
}

void palRigidShape_Free(palRigidShape* shape)
{
    palHull_Free(&shape->hull);
    palMeshFeatures_Free(&shape->features);
    palBvh_Destroy(shape->bvh);
    palTopology_Free(&shape->topology);
    palSurface_Free(&shape->surface);
    *shape = (palRigidShape){0};
}

// A sphere, a capsule or a cylinder as rings about z.
static palResult makeRound(const palRigidShape* shape, int around, palSurface* surface,
                           palError* error)
{
    palRing rings[aroundMax / 2 + 2];
    int count = 0;
    double R = shape->radius, h = shape->halfHeight;
    if (shape->kind == pal_rigidCylinder)
    {
        rings[count++] = (palRing){R, -h};
        rings[count++] = (palRing){R, h};
        return palMakeRevolved(-h, h, count, rings, around, surface, error);
    }
    int quarter = (around + 3) / 4;
    for (int i = 1 - quarter; i < quarter; i++)
    {
        double angle = 0.5 * PAL_PI * i / quarter, z = R * sin(angle);
        if (i == 0 && h > 0.0)
            rings[count++] = (palRing){R, -h};
        rings[count++] = (palRing){R * cos(angle), i < 0 ? z - h : z + h};
    }
    return palMakeRevolved(-h - R, h + R, count, rings, around, surface, error);
}

palResult palRigidShape_Surface(const palRigidShape* shape, int around, palSurface* surface,
                                palError* error)
{
    *surface = (palSurface){0};
    if (shape->kind == pal_rigidHalfSpace)
        return palError_Set(error, pal_errorInput, "a half-space has no closed surface");
    if (shape->kind == pal_rigidMesh)
        return palSurface_Copy(&shape->surface, surface, error);
    if (shape->kind == pal_rigidBox || shape->kind == pal_rigidHull)
        return palHull_Surface(&shape->hull, surface, error);
    around = around < aroundMin ? aroundMin : around > aroundMax ? aroundMax : around;
    return makeRound(shape, around, surface, error);
}

// Half the extent along the world axes of a box with the given halves, turned by R.
static palVec3 turnedHalf(palMat3 R, palVec3 half)
{
    return palMakeVec3(
        fabs(R.m[0][0]) * half.x + fabs(R.m[0][1]) * half.y + fabs(R.m[0][2]) * half.z,
        fabs(R.m[1][0]) * half.x + fabs(R.m[1][1]) * half.y + fabs(R.m[1][2]) * half.z,
        fabs(R.m[2][0]) * half.x + fabs(R.m[2][1]) * half.y + fabs(R.m[2][2]) * half.z);
}

// Half the extent along an axis of a disc of a radius about a unit vector with that component.
static double discHalf(double radius, double component)
{
    return radius * sqrt(fmax(1.0 - component * component, 0.0));
}

// Bounded only where the plane faces exactly along a world axis.
static palBounds halfSpaceBounds(palPose pose)
{
    palVec3 n = palRotate(pose.q, palMakeVec3(0, 0, 1));
    return (palBounds){
        .low = {n.x == -1.0 ? pose.x.x : -INFINITY, n.y == -1.0 ? pose.x.y : -INFINITY,
                n.z == -1.0 ? pose.x.z : -INFINITY},
        .high = {n.x == 1.0 ? pose.x.x : INFINITY, n.y == 1.0 ? pose.x.y : INFINITY,
                 n.z == 1.0 ? pose.x.z : INFINITY},
    };
}

palBounds palRigidShape_Bounds(const palRigidShape* shape, palPose pose)
{
    double R = shape->radius, h = shape->halfHeight;
    palVec3 middle = pose.x, half = {R, R, R};
    palVec3 axis = palRotate(pose.q, palMakeVec3(0, 0, 1));
    switch (shape->kind)
    {
    case pal_rigidSphere:
        break;
    case pal_rigidCapsule:
        half = palMakeVec3(R + h * fabs(axis.x), R + h * fabs(axis.y), R + h * fabs(axis.z));
        break;
    case pal_rigidCylinder:
        half = palMakeVec3(discHalf(R, axis.x) + h * fabs(axis.x),
                           discHalf(R, axis.y) + h * fabs(axis.y),
                           discHalf(R, axis.z) + h * fabs(axis.z));
        break;
    case pal_rigidHalfSpace:
        return halfSpaceBounds(pose);
    default:
        middle = palPose_Point(pose, palLerp(shape->bounds.low, shape->bounds.high, 0.5));
        half = turnedHalf(palMakeMat3Quat(pose.q),
                          palScale(0.5, palSub(shape->bounds.high, shape->bounds.low)));
    }
    return (palBounds){palSub(middle, half), palAdd(middle, half)};
}

// The vector to a point from the nearest one of a box about the origin with the given halves.
static palVec3 beyondBox(palVec3 point, palVec3 half)
{
    return palSub(point, palMaxVec3(palMinVec3(point, half), palNeg(half)));
}

// Leaves out the first `radius` of a vector.
static palVec3 shorten(palVec3 v, double radius)
{
    double length = palLength(v);
    return length > radius ? palScale(1.0 - radius / length, v) : pal_zeroVec3;
}

static palVec3 beyondSurface(const palRigidShape* shape, palVec3 point)
{
    palClosest closest;
    if (!palBvh_Closest(shape->bvh, point, INFINITY, &closest))
        return pal_zeroVec3;
    palVec3 n =
        palTopology_Normal(&shape->topology, &shape->surface, closest.triangle, closest.feature);
    palVec3 beyond = palSub(point, closest.point);
    return palDot(beyond, n) > 0.0 ? beyond : pal_zeroVec3;
}

// In the frame of the shape.
static palVec3 beyondShape(const palRigidShape* shape, palVec3 x)
{
    palVec3 axis = {0.0, 0.0, shape->halfHeight};
    switch (shape->kind)
    {
    case pal_rigidHalfSpace:
        return palMakeVec3(0.0, 0.0, fmax(x.z, 0.0));
    case pal_rigidSphere:
    case pal_rigidCapsule:
        return shorten(beyondBox(x, axis), shape->radius);
    case pal_rigidBox:
        return beyondBox(x, shape->halfSize);
    case pal_rigidCylinder:
        return palAdd(shorten(palMakeVec3(x.x, x.y, 0.0), shape->radius),
                      palMakeVec3(0.0, 0.0, beyondBox(x, axis).z));
    default:
        return beyondSurface(shape, x);
    }
}

palVec3 palRigidShape_Beyond(const palRigidShape* shape, palPose pose, palVec3 point)
{
    return palRotate(pose.q, beyondShape(shape, palPose_Local(pose, point)));
}

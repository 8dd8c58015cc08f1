// SPDX-License-Identifier: Apache-2.0
// The shape of a rigid body, in a frame of its own: exact round and polyhedral solids, and closed
// meshes of any genus. A shape is made once and shared by all bodies that have it; it never moves,
// queries are turned into its frame.
#ifndef PAL_COLLIDE_RIGID_SHAPE_H
#define PAL_COLLIDE_RIGID_SHAPE_H

#include "body/mass.h"
#include "collide/hull.h"
#include "collide/mesh_features.h"
#include "math/pose.h"

typedef enum palRigidShapeKind
{
    pal_rigidSphere,    // about the origin
    pal_rigidCapsule,   // axis z, about the origin
    pal_rigidBox,       // about the origin
    pal_rigidCylinder,  // axis z, about the origin
    pal_rigidHull,      // a convex polyhedron
    pal_rigidHalfSpace, // everything with z <= 0; without mass, it does not move
    pal_rigidMesh,      // what a closed surface holds
    pal_rigidShapeCount,
} palRigidShapeKind;

typedef struct palRigidShape
{
    palRigidShapeKind kind;
    palVec3 halfSize;  // box, m
    double radius;     // sphere, capsule, cylinder, m
    double halfHeight; // capsule: of its axis, without the caps; cylinder; m
    palHull hull;      // hull; a box has one as well

    // Mesh, box and hull; owned.
    palSurface surface;
    palTopology topology;
    palBvh* bvh;
    palMeshFeatures features;

    palMass unitMass; // at a density of 1 kg/m³; zero of a half-space
    palBounds bounds; // m; of a half-space infinite below
    double extent; // m, radius of the ball about the origin that holds it; of a half-space infinite
} palRigidShape;

/// The makers check their dimensions: positive and finite, else pal_errorInput with the remedy.
palResult palRigidShape_InitSphere(palRigidShape* shape, double radius, palError* error);
/// `height` includes the caps and is at least twice the radius.
palResult palRigidShape_InitCapsule(palRigidShape* shape, double radius, double height,
                                    palError* error);
/// `size`: full extents, m.
palResult palRigidShape_InitBox(palRigidShape* shape, palVec3 size, palError* error);
palResult palRigidShape_InitCylinder(palRigidShape* shape, double radius, double height,
                                     palError* error);
/// The convex hull of points, at least four that span a volume.
palResult palRigidShape_InitHull(palRigidShape* shape, const palVec3* points, int count,
                                 palError* error);
/// A closed surface that is convex, as a hull: coplanar triangles become one face. One that is not
/// convex is an error that says by how much.
palResult palRigidShape_InitConvexSurface(palRigidShape* shape, const palSurface* surface,
                                          palError* error);
/// A simple polygon in x, y, counterclockwise or clockwise, extruded to z from -height/2 to
/// height/2: a hull where it is convex, else a mesh.
palResult palRigidShape_InitExtrusion(palRigidShape* shape, const palVec3* polygon, int count,
                                      double height, palError* error);
palResult palRigidShape_InitHalfSpace(palRigidShape* shape);
/// Copies a closed surface that faces outward; one that is open or inside out is an error.
palResult palRigidShape_InitMesh(palRigidShape* shape, const palSurface* surface, palError* error);
void palRigidShape_Free(palRigidShape* shape);

/// A closed surface that shows the shape, for drawing: that of a mesh, the faces of a hull, round
/// shapes with `around` vertices around, at least 8. A half-space has none: pal_errorInput.
palResult palRigidShape_Surface(const palRigidShape* shape, int around, palSurface* surface,
                                palError* error);

/// The box in the world of a shape at a pose.
palBounds palRigidShape_Bounds(const palRigidShape* shape, palPose pose);

/// The vector from the nearest point of a shape at a pose to a point outside it, in the world, m;
/// zero inside.
palVec3 palRigidShape_Beyond(const palRigidShape* shape, palPose pose, palVec3 point);

#endif

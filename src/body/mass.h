// SPDX-License-Identifier: Apache-2.0
// Mass, centre of mass and inertia of the volume within a closed surface.
#ifndef PAL_BODY_MASS_H
#define PAL_BODY_MASS_H

#include "math/mat3.h"
#include "mesh/surface.h"

typedef struct palMass
{
    double mass;     // kg
    palVec3 centre;  // of mass, in the frame of the surface, m
    palMat3 inertia; // about the centre, along the axes of the surface, kg·m²
} palMass;

/// Integrates over the tetrahedra that the triangles span with a common point: exact for a surface
/// that is closed and faces outward; cavities that face inward are subtracted. A density that is
/// not positive, and a surface that holds no volume, are errors.
palResult palMass_FromSurface(const palSurface* surface, double density, palMass* mass,
                              palError* error);

/// The same thing moved: x -> position + rotation x.
palMass palMass_Moved(palMass mass, palQuat rotation, palVec3 position);

/// Several things as one.
palMass palMass_Sum(const palMass* masses, int count);

/// Whether a body can have them: a positive mass, an inertia that is symmetric and positive
/// definite, and no principal moment above the sum of the others (up to rounding).
palResult palMass_Check(const palMass* mass, palError* error);

#endif

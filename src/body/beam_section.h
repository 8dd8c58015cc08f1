// SPDX-License-Identifier: Apache-2.0
// Cross-sections of beams. The beam's axis is x, the principal axes of the section are y and z.
#ifndef PAL_BODY_BEAM_SECTION_H
#define PAL_BODY_BEAM_SECTION_H

typedef struct palBeamSection
{
    double area;     // A, m²
    double inertiaY; // Iy = ∫ z² dA, m⁴: bending about y
    double inertiaZ; // Iz = ∫ y² dA, m⁴: bending about z
    double torsion;  // J of Saint-Venant, m⁴
    double shearY;   // κ A for shear along y, m²
    double shearZ;   // κ A for shear along z, m²
    double reach;    // the farthest point of the section from the axis, m
} palBeamSection;

/// A disc. κ = 6 (1 + ν) / (7 + 6 ν). Source of the κ here: Cowper, "The shear coefficient in
/// Timoshenko's beam theory", J. Appl. Mech. 33 (1966).
palBeamSection palMakeRoundSection(double radius, double poisson);

/// A ring, of inner radius below the outer one. κ: Cowper.
palBeamSection palMakeTubeSection(double outer, double inner, double poisson);

/// A rectangle with sides along y and z. κ = 10 (1 + ν) / (12 + 11 ν): Cowper. J: the series of
/// Timoshenko and Goodier, "Theory of Elasticity", article 109.
palBeamSection palMakeBoxSection(double sideY, double sideZ, double poisson);

#endif

// SPDX-License-Identifier: Apache-2.0
// The Timoshenko beam element, corotational.
//
// A frame E follows the element: e1 along the chord, e2 and e3 from the mean of the nodes' y axes
// (Battini and Pacoste 2002). With qa = Ra y, qb = Rb y, q = (qa + qb) / 2,
//
//     e1 = (xb - xa) / l,   e3 = e1 × q / |e1 × q|,   e2 = e3 × e1
//
// In that frame the deformation has seven coordinates, all zero at rest whatever the rest shape,
//
//     d = (u, θa, θb),   u = l - L,   exp θa = Eᵀ Ra,   exp θb = Eᵀ Rb        (Ra, Rb: see below)
//
// and is small where elements are short, so that linear theory holds: energy U = ½ dᵀ k d with
//
//     axial E A / L, torsion G J / L (θb - θa), and in each plane of bending
//     E I / (L (1 + Φ)) | 4 + Φ  2 - Φ |     Φ = 12 E I / (G κA L²)     (Przemieniecki 1968)
//                       | 2 - Φ  4 + Φ |
//
// The forces are its exact derivative, f = -Bᵀ k d with B = ∂d/∂(xa, φa, xb, φb), φ an
// infinitesimal rotation of a node in the world: their resultant force and moment are zero. Of the
// stiffness -∂f/∂x two parts are kept, both symmetric and positive semi-definite: the material
// stiffness Bᵀ k B, and of the geometric stiffness, which comes from the change of B, that of the
// tension of the chord, (N/l) (I - e1 e1ᵀ) for N > 0, without which a taut wire would be unstable
// at large steps. The geometric stiffness of compression and moments is left out. N is that at the
// end of the last step: E A u / L at the start of this one would include the stretch by which a
// rotating chord leaves its circle in a step, and which the step removes again.
//
// Ra and Rb are the rotations of the sections of this element: the rotation of the node times the
// constant rotation from the node's frame to the element's at rest (restRotation).
//
// Twist between the nodes must stay below 180° and bending below 90°.
#ifndef PAL_BODY_BEAM_ELEMENT_H
#define PAL_BODY_BEAM_ELEMENT_H

#include "body/beam_section.h"
#include "body/material.h"
#include "linalg/block_tridiagonal.h"
#include "math/mat3.h"

enum
{
    pal_beamStrains = 7,  // coordinates of d: u, θa, θb
    pal_beamColumns = 12, // coordinates of an element: xa, φa, xb, φb
};

/// The constants of one element.
typedef struct palBeamElement
{
    double length;           // L at rest, m
    palQuat restRotation[2]; // from the frames of its nodes to its own, at rest
    double axial;            // E A / L, N/m
    double twist;            // G J / L, N·m
    double direct[2]; // (4 + Φ) E I / (L (1 + Φ)) about y and z, N·m: moment at the rotated end
    double carryOver[2]; // (2 - Φ) E I / (L (1 + Φ)) about y and z, N·m: at the other end
    double phi[2];       // Φ of bending about y and z
    double mass;         // ρ A L, kg
    double rotary[3];    // ρ L (Iy + Iz, Iy, Iz), kg·m²
} palBeamElement;

/// One element at one state. Written by palBeamElement_Pose.
typedef struct palBeamPose
{
    palVec3 x[2];                               // the nodes, m
    double chord;                               // l, m
    palMat3 E;                                  // columns e1, e2, e3
    palVec3 y[2];                               // y axes of the nodes, in E
    double tension;                             // N, set by the caller, newtons
    double d[pal_beamStrains];                  // m, rad
    double spin[3][pal_beamColumns];            // ψ: rotation of E, in E, by a motion of the nodes
    double B[pal_beamStrains][pal_beamColumns]; // ∂d/∂(xa, φa, xb, φb)
} palBeamPose;

/// From the length, the section and the material; restRotation is left to the caller.
palBeamElement palMakeBeamElement(double length, const palBeamSection* section,
                                  const palMaterial* material);

/// The frame of an element between nodes xa, xb whose y axes are ya, yb.
palMat3 palBeamElement_Frame(palVec3 xa, palVec3 xb, palVec3 ya, palVec3 yb);

palBeamPose palBeamElement_Pose(const palBeamElement* element, const palVec3 x[2],
                                const palQuat q[2]);
/// The deformation alone, without its derivatives.
palBeamPose palBeamElement_Strain(const palBeamElement* element, const palVec3 x[2],
                                  const palQuat q[2]);

/// k d, N and N·m.
void palBeamElement_Stress(const palBeamElement* element, const double d[pal_beamStrains],
                           double stress[pal_beamStrains]);

/// Adds -Bᵀ k d to force, [12].
void palBeamElement_AddForce(const palBeamElement* element, const palBeamPose* pose, double* force);

/// Adds Bᵀ k B: the blocks (a, a), (b, a) and (b, b).
void palBeamElement_AddStiffness(const palBeamElement* element, const palBeamPose* pose,
                                 palBlock6* aa, palBlock6* ba, palBlock6* bb);

/// (N/l) (I - e1 e1ᵀ) for N > 0, else zero, N/m.
palMat3 palBeamPose_Tension(const palBeamPose* pose);

/// The consistent mass matrix of the element, in its own frame (Friedman and Kosmatka 1993), kg,
/// kg·m, kg·m².
void palBeamElement_Mass(const palBeamElement* element, double mass[12][12]);

/// Interpolation at s = 0..1 of deflection and rotation in one plane of bending, of the rotations
/// at the ends: deflection = n[0] θa + n[1] θb (m), rotation = g[0] θa + g[1] θb.
typedef struct palBeamShape
{
    double n[2]; // m
    double g[2];
} palBeamShape;

palBeamShape palMakeBeamShape(double length, double phi, double s);

#endif

// SPDX-License-Identifier: Apache-2.0
// Tissue that stiffens as it is strained: an exponential law (Fung 1967) over the energy of a
// corotational element. With W the energy of the linear element, f its forces, K its stiffness, E
// Young's modulus and V the volume at rest,
//
//     q  = 2 W / (E V)                    dimensionless; ε² where it is pulled along one axis
//     s  = exp(b q)
//     Ψ  = ½ E V ∫ s dq                   energy
//     f' = s f                            = -∂Ψ/∂x
//     K' = s K + c f' f'ᵀ,   c = 2 (ds/dq) / (s² E V)        = -∂f'/∂x; c >= 0
//
// Along one axis the force over the area at rest is E ε exp(b ε²), and the sides move by ν ε as in
// the linear element. K' is positive where K is.
//
// Elements that are flat or inverted have large energies, so s is bounded: beyond
// b q = pal_stiffeningExact its slope falls off, with
//
//     s = s1 (1 + L (1 - exp(-t / L))),   t = b q - pal_stiffeningExact,   s1 = 20, L = 1
//
// which goes to 40; s and ds/dq are continuous.
//
// The geometric stiffness (turning.h) of an element under 20 times the stress would have a model of
// the body run away as that of one pressed flat does, so that what is taken of it falls from all to
// nothing while s goes from 3 to 8.
#ifndef PAL_BODY_STIFFENING_H
#define PAL_BODY_STIFFENING_H

#include "math/mat3.h"

#include <math.h>

static const double pal_stiffeningExact = 3.0;  // largest b q of the exponential law: s = 20
static const double pal_stiffeningBeyond = 1.0; // L

/// s at one q, its derivative and its integral.
typedef struct palStiffening
{
    double s;
    double slope; // ds/dq
    double sum;   // ∫ s dq from 0
} palStiffening;

static inline palStiffening palStiffen(double b, double q)
{
    if (!(b > 0.0))
        return (palStiffening){1.0, 0.0, q};
    double exact = fmin(b * q, pal_stiffeningExact), t = b * q - exact;
    double s1 = exp(exact), L = pal_stiffeningBeyond;
    double decay = t > 0.0 ? exp(-t / L) : 1.0;
    return (palStiffening){
        .s = s1 * (1.0 + L * (1.0 - decay)),
        .slope = b * s1 * decay,
        .sum = (expm1(exact) + s1 * ((1.0 + L) * t - L * L * (1.0 - decay))) / b,
    };
}

/// What is taken of s times the geometric stiffness, as a factor of that of the linear element.
static inline double palStiffening_Turning(double s)
{
    const double all = 3.0, none = 8.0;
    return s * fmin(fmax((none - s) / (none - all), 0.0), 1.0);
}

/// c of an element with this `modulus` E V, J.
static inline double palStiffening_RankOne(palStiffening stiffening, double modulus)
{
    return 2.0 * stiffening.slope / (stiffening.s * stiffening.s * modulus);
}

/// The energy of a linear corotational element, J: -½ Σ fa · (xa - R x0a).
static inline double palCorotationalEnergy(const palVec3* x, const palVec3* rest,
                                           const palVec3* force, int count, palMat3 R)
{
    double energy = 0.0;
    for (int a = 0; a < count; a++)
    {
        palVec3 rotated = palMat3Apply(R, palSub(rest[a], rest[0]));
        energy -= 0.5 * palDot(force[a], palSub(palSub(x[a], x[0]), rotated));
    }
    return energy;
}

#endif

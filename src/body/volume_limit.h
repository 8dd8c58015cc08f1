// SPDX-License-Identifier: Apache-2.0
// What keeps an element from being pressed flat. A linear corotational one has nothing that does:
// under the point of a hand it is turned inside out, the surface folds, and the hand falls through.
// With J the volume over that at rest, E Young's modulus and V the volume at rest, below
// J = pal_volumeLinear there is a pressure
//
//     p  = P (1 - cos πt) / 2,   t = (pal_volumeLinear - J) / pal_volumeLinear   of E
//     Ψ  = E V pal_volumeLinear P (t - sin(πt) / π) / 2                          energy
//     fa = E V p ha,   ha = ∂J/∂xa = cof(F) ga                                   = -∂Ψ/∂xa
//     K  = E V (-dp/dJ) ha hbᵀ                                                   -∂fa/∂xb, in part
//
// which begins without a step in its slope and is largest where the element is flat. K is positive:
// the part with ∂²J is missing, as that of turning.h is for such elements. What is stretched is
// the linear element.
//
// A body that was turned inside out in part must not rest in a fold, which elements that resist
// being flat would keep from opening. So where an element is inside out, it and those that share a
// node with it have no limit until each has the volume pal_volumeLinear again and touches none that
// is inside out. The energy of the limit is lost when it goes, and is zero when it comes back.
#ifndef PAL_BODY_VOLUME_LIMIT_H
#define PAL_BODY_VOLUME_LIMIT_H

#include "math/mat3.h"

#include <math.h>

static const double pal_volumeLinear = 0.5;   // largest J with a pressure
static const double pal_volumePressure = 3.0; // P

/// At one J: over E, and over E V.
typedef struct palVolumeLimit
{
    double p;
    double slope; // -dp/dJ
    double energy;
} palVolumeLimit;

static inline palVolumeLimit palLimitVolume(double J)
{
    double t = fmin(fmax((pal_volumeLinear - J) / pal_volumeLinear, 0.0), 1.0);
    double half = 0.5 * pal_volumePressure, sine = sin(PAL_PI * t);
    return (palVolumeLimit){
        .p = half * (1.0 - cos(PAL_PI * t)),
        .slope = half * PAL_PI * sine / pal_volumeLinear,
        .energy = half * pal_volumeLinear * (t - sine / PAL_PI),
    };
}

#endif

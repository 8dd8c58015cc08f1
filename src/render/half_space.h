// SPDX-License-Identifier: Apache-2.0
// What the two baselines share: one half-space at the closest surface point, made at the low rate.
#ifndef PAL_RENDER_HALF_SPACE_H
#define PAL_RENDER_HALF_SPACE_H

#include "render/method.h"

/// L3..L5 of a method whose snapshot is the closest contact only.
void palHalfSpace_Find(const palMethodDef* def, const palHapticState* hand, palSnapshot* snapshot,
                       palLowInfo* info);

/// How far the free motion from `old` slides along t1 and t2, m.
static inline void palHalfSpace_Slide(const palContactFrame* contact, palVec3 old, palVec3 free,
                                      double slide[2])
{
    palVec3 step = palSub(free, old);
    slide[0] = palDot(contact->t1, step);
    slide[1] = palDot(contact->t2, step);
}

/// Coulomb's law for a normal force λ[0] >= 0: λ[1], λ[2] stop the sliding if the cone allows it,
/// and otherwise oppose it on the cone. Exact because W is a number times the identity.
static inline void palHalfSpace_Friction(const palContactFrame* contact, const double slide[2],
                                         double compliance, double lambda[3])
{
    double limit = contact->friction * lambda[0];
    lambda[1] = -slide[0] / compliance;
    lambda[2] = -slide[1] / compliance;
    double wanted = hypot(lambda[1], lambda[2]);
    double share = wanted > limit ? limit / wanted : 1.0;
    lambda[1] *= share;
    lambda[2] *= share;
}

/// Tells the contact that pushed the proxy, now at x, with `force`. The surface has moved by
/// `moved` since the plane was found.
void palHalfSpace_Tell(const palContactFrame* contact, palVec3 moved, palVec3 x, palVec3 force,
                       palHighInfo* info);

#endif

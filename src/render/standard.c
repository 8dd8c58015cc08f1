// SPDX-License-Identifier: Apache-2.0
// `standard`: the closest contact of the last low-rate query as a half-space.
//
// The baseline of Knott and Kuhlen, "Accurate contact modeling for multi-rate single-point haptic
// rendering of static and deformable environments", 2015 (there "SCM", section 5): of all that the
// proximity query finds only the closest contact is kept, as the linear inequality of eq. (4),
//
//     0 <= λ  ⟂  ψ = nᵀ(x - c) >= 0        Signorini
//     |λt| <= μ λ, opposing the sliding     Coulomb
//
// and it is kept until the next snapshot arrives. The condition is on the END of a step, so that
// the plane is that of the surface point closest to x + h v, where the proxy goes; found at x it
// would lag by what the proxy slides in a step, and even a run at one rate would leave a curved
// surface (on the sine of section 5.1, at 0.25 m/s and 1 ms, by 60 µm; so by 3).
//
// Between snapshots the half-space is wrong wherever the surface curves: the proxy leaves the
// surface, and snaps back at the update.
//
// Stages of low rate and tick: half_space.c; this file has H4.
//
// On a soft body the half-space is fixed to a material point and moves with it (soft_patch.h); the
// compliance W is then that of proxy and body together. Where several bodies are near each has a
// half-space (half_space.h): between two that abut one alone lets the proxy into the other.
#include "render/half_space.h"

// H4: 0 <= λ ⟂ ψ >= 0 and Coulomb's cone, all planes at once.
static void solve(palMethod* method, palTick* tick)
{
    palHalfSpace_Solve(method, tick, (palHalfSpaceSpring){0});
}

const palMethodOps pal_methodStandard = PAL_HALF_SPACE_METHOD("standard", solve);

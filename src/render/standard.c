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
// compliance W is then that of proxy and body together.
#include "render/half_space.h"
#include "solve/planes.h"

// H4: 0 <= λ ⟂ ψ >= 0 and Coulomb's cone, all in one plane.
static void solve(palMethod* method, palTick* tick)
{
    palHalfSpaceMethod* standard = (palHalfSpaceMethod*)method;
    const palHalfSpaceTouch* touch = &standard->touch;
    const palContactFrame* contact = touch->contact;
    palHighInfo* info = &tick->info;
    palVec3 free = standard->free.x;
    if (tick->snapshots[0]->contactCount == 0)
        return;
    palVec3 c = palAdd(contact->c, touch->moved);
    palPlane plane = {contact->n, palDot(contact->n, c), contact->friction};
    palVec3 from = palAdd(tick->body->x, touch->step);
    palPlanesResult result = palSolvePlanes(&plane, 1, from, free, &touch->W, 1e-12);
    palProblemCopy_TakePlanes(info->problem, &plane, 1, from, free, &touch->W);
    palMat3 stiffness;
    palMat3Inverse(touch->W, &stiffness);
    info->constraints = contact->friction > 0.0 ? 3 : 1;
    info->active = result.count > 0 ? info->constraints : 0;
    info->iterations = 1;
    info->residual = result.violation;
    if (result.count > 0)
        standard->lambda = palMat3Apply(stiffness, palSub(result.y, free));
}

const palMethodOps pal_methodStandard = {
    .name = "standard",
    .hand = pal_handPoint,
    .accepts = PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partSoft) |
               PAL_ACCEPTS(pal_partPoints) | PAL_ACCEPTS(pal_partWire) | PAL_ACCEPTS(pal_partJoint),
    .size = sizeof(palHalfSpaceMethod),
    .trustShare = PAL_BOX_SHARE,
    .init = palHalfSpace_Init,
    .free = palHalfSpace_Free,
    .makeSnapshot = palHalfSpace_MakeSnapshot,
    .advance = palHalfSpace_Advance,
    .find = palHalfSpace_Find,
    .describe = palHalfSpace_Describe,
    .moveFreely = palHalfSpace_MoveFreely,
    .findGaps = palHalfSpace_FindGaps,
    .solve = solve,
    .correct = palHalfSpace_Correct,
};

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
// and it is kept until the next snapshot arrives. Between snapshots the half-space is wrong
// wherever the surface curves: the proxy leaves the surface, and snaps back at the update.
#include "render/half_space.h"
#include "render/method.h"

static void high(palMethod* method, const palSnapshot* snapshot, const palDeviceState* device,
                 palPointState* body, palHighInfo* info)
{
    const palPointModel* model = &method->def.body;

    // H2: free motion of the proxy (eq. 3 with λ = 0).
    palPointFree free = palPoint_FreeMotion(model, body, device->position, device->velocity);

    // H3, H4: gap and sliding at the free position, then 0 <= λ ⟂ ψ + W λ >= 0 and Coulomb's cone.
    palVec3 lambda = pal_zeroVec3;
    if (snapshot->contactCount > 0)
    {
        const palContactFrame* contact = &snapshot->contacts[0];
        double slide[2], forces[3];
        palHalfSpace_Slide(contact, body->x, free.x, slide);
        double gap = palContactFrame_Gap(contact, free.x);
        forces[0] = fmax(0.0, -gap / free.compliance);
        palHalfSpace_Friction(contact, slide, free.compliance, forces);
        lambda = palContactFrame_Force(contact, forces);
        info->constraints = contact->friction > 0.0 ? 3 : 1;
        info->active = forces[0] > 0.0 ? info->constraints : 0;
        info->iterations = 1;
        info->residual = fmax(0.0, -(gap + free.compliance * forces[0]));
    }

    // H5: new state (eq. 3) and the coupling's force on the hand.
    *body = palPoint_Correct(model, &free, lambda);
    info->force = palPoint_CouplingForce(model, body, device->position, device->velocity);
}

const palMethodOps pal_methodStandard = {
    .name = "standard",
    .summary = "closest half-space of the last low-rate query, Signorini and Coulomb (baseline)",
    .size = sizeof(palMethod),
    .contactCapacity = 1,
    .low = palHalfSpace_Low,
    .high = high,
};

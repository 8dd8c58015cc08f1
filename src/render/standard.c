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
// On a soft body the half-space is fixed to a material point and moves with it (soft_patch.h); the
// compliance W is then that of proxy and body together.
#include "base/clock.h"
#include "render/half_space.h"
#include "render/method.h"
#include "render/soft_contact.h"
#include "solve/planes.h"

typedef struct palStandard
{
    palMethod method;
    palSoftContact* soft; // owned; NULL where nothing is soft
} palStandard;

static palResult init(palMethod* method, palError* error)
{
    return palSoftContact_Create(&method->def, &((palStandard*)method)->soft, error);
}

static void release(palMethod* method)
{
    palSoftContact_Destroy(((palStandard*)method)->soft);
}

static void low(palMethod* method, const palHapticState* hand, palSnapshot* snapshot,
                palLowInfo* info)
{
    palStandard* standard = (palStandard*)method;
    int64_t begin = palClock_Now();
    if (standard->soft != NULL)
    {
        palSoftContact_Advance(standard->soft, hand);
        palSoftContact_Describe(standard->soft, hand->body.x, method->def.radius, snapshot->soft);
    }
    info->complianceMs = 1e-6 * (double)(palClock_Now() - begin);
    if (standard->soft != NULL)
        palSoftSide_Tell(&standard->soft->side, info);
    palHalfSpace_Find(&method->def, hand, snapshot, info);
}

// 0 <= λ ⟂ ψ >= 0 and Coulomb's cone, all in one plane. Returns the force on the proxy.
static palVec3 solve(const palHalfSpaceTouch* touch, palVec3 old, palVec3 free, palHighInfo* info)
{
    const palContactFrame* contact = touch->contact;
    palVec3 c = palAdd(contact->c, touch->moved);
    palPlane plane = {contact->n, palDot(contact->n, c), contact->friction};
    palVec3 from = palAdd(old, touch->step);
    palPlanesResult result = palSolvePlanes(&plane, 1, from, free, &touch->W, 1e-12);
    palProblemCopy_TakePlanes(info->problem, &plane, 1, from, free, &touch->W);
    palMat3 stiffness;
    palMat3Inverse(touch->W, &stiffness);
    info->constraints = contact->friction > 0.0 ? 3 : 1;
    info->active = result.count > 0 ? info->constraints : 0;
    info->iterations = 1;
    info->residual = result.violation;
    return result.count > 0 ? palMat3Apply(stiffness, palSub(result.y, free)) : pal_zeroVec3;
}

static void high(palMethod* method, const palSnapshot* snapshot, const palDeviceState* device,
                 palPointState* body, palHighInfo* info)
{
    const palPointModel* model = &method->def.body;
    palStandard* standard = (palStandard*)method;

    // H2: free motion of the proxy (eq. 3 with λ = 0), and of the surface.
    palPointFree free = palPoint_FreeMotion(model, body, device->position, device->velocity);
    if (standard->soft != NULL)
        palSoftContact_Begin(standard->soft, snapshot, device->time);

    // H3, H4: the half-space where it is now, and the force that keeps the proxy out of it.
    palHalfSpaceTouch touch = palHalfSpace_Meet(standard->soft, snapshot, free.compliance);
    palVec3 lambda = pal_zeroVec3;
    if (snapshot->contactCount > 0)
        lambda = solve(&touch, body->x, free.x, info);

    // H5: new states (eq. 3) and the coupling's force on the hand.
    *body = palPoint_Correct(model, &free, lambda);
    palHalfSpace_End(standard->soft, snapshot, &touch, device->time, lambda, body->x, info);
    palHalfSpace_Report(touch.contact, touch.moved, body->x, lambda, palMethod_HandBody(method),
                        info);
    info->force = palPoint_CouplingForce(model, body, device->position, device->velocity);
}

const palMethodOps pal_methodStandard = {
    .name = "standard",
    .hand = pal_handPoint,
    .accepts = PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partSoft) |
               PAL_ACCEPTS(pal_partPoints) | PAL_ACCEPTS(pal_partWire) | PAL_ACCEPTS(pal_partJoint),
    .size = sizeof(palStandard),
    .trustShare = PAL_BOX_SHARE,
    .init = init,
    .free = release,
    .makeSnapshot = palHalfSpace_MakeSnapshot,
    .low = low,
    .high = high,
};

// SPDX-License-Identifier: Apache-2.0
// `penalty`: the closest contact of the last low-rate query as a spring and damper.
//
// The simplest baseline. The surface pushes with λ = max(0, -k ψ⁺ - b ψ̇⁺) at the END of the step
// (implicit, hence stable for any k). With ψ⁺ = ψ_free + W λ and ψ̇⁺ = (ψ⁺ - ψ_old)/h,
//
//     λ = max(0, -(k ψ_free + b (ψ_free - ψ_old)/h)) / (1 + W (k + b/h))
//
// so that the proxy rests F/k inside the surface: the defect that constraints remove.
#include "base/error.h"
#include "render/half_space.h"
#include "render/method.h"
#include "render/soft_side.h"

static palResult init(palMethod* method, palError* error)
{
    if (!palSoftSide_IsNeeded(method->def.colliders, method->def.colliderCount))
        return pal_ok;
    palError_Set(error, pal_errorInput, "method penalty cannot touch soft objects");
    return palError_Remedy(error, "use method accurate or standard, or make the objects rigid");
}

// L1..L6: nothing moves but the proxy.
static void low(palMethod* method, const palHapticState* hand, palSnapshot* snapshot,
                palLowInfo* info)
{
    palHalfSpace_Find(&method->def, hand, snapshot, info);
}

static double normalForce(const palMethodDef* def, double gapOld, double gapFree, double W)
{
    double h = def->body.dt;
    double k = def->penaltyStiffness;
    double b = def->penaltyDamping;
    // The damper must not act before the surface is reached.
    if (gapFree >= 0.0)
        return 0.0;
    double push = -(k * gapFree + b * (gapFree - gapOld) / h);
    return fmax(0.0, push) / (1.0 + W * (k + b / h));
}

// How far the free motion from `old` slides along t1 and t2, m.
static void slideBy(const palContactFrame* contact, palVec3 old, palVec3 free, double slide[2])
{
    palVec3 step = palSub(free, old);
    slide[0] = palDot(contact->t1, step);
    slide[1] = palDot(contact->t2, step);
}

// Coulomb's law for a normal force λ[0] >= 0: λ[1], λ[2] stop the sliding if the cone allows it,
// and otherwise oppose it on the cone. Exact because W is a number times the identity.
static void addFriction(const palContactFrame* contact, const double slide[2], double compliance,
                        double lambda[3])
{
    double limit = contact->friction * lambda[0];
    lambda[1] = -slide[0] / compliance;
    lambda[2] = -slide[1] / compliance;
    double wanted = hypot(lambda[1], lambda[2]);
    double share = wanted > limit ? limit / wanted : 1.0;
    lambda[1] *= share;
    lambda[2] *= share;
}

// The same as a contact problem: the spring and damper are a compliance 1/κ in series, κ = k + b/h,
// at the gap ψ_free - (b/h) ψ_old/κ.
static void keepProblem(const palMethodDef* def, const palContactFrame* contact, double gapOld,
                        double gapFree, const double slide[2], double W, const double lambda[3],
                        palProblemCopy* problem)
{
    double rate = def->penaltyDamping / def->body.dt;
    double stiffness = def->penaltyStiffness + rate;
    double gap[3] = {gapFree - rate * gapOld / stiffness, slide[0], slide[1]};
    double compliance[3][3] = {{W + 1.0 / stiffness, 0, 0}, {0, W, 0}, {0, 0, W}};
    bool rubs = contact->friction > 0.0;
    palContactBlock block = {
        .law = rubs ? pal_lawCone : pal_lawUnilateral,
        .size = rubs ? 3 : 1,
        .mu = contact->friction,
    };
    palContactProblem made = {
        .rows = block.size,
        .blockCount = 1,
        .stride = 3,
        .W = compliance[0],
        .gapFree = gap,
        .blocks = &block,
    };
    palProblemCopy_Take(problem, &made, lambda);
}

static void high(palMethod* method, const palSnapshot* snapshot, const palDeviceState* device,
                 palPointState* body, palHighInfo* info)
{
    const palMethodDef* def = &method->def;

    // H2: free motion of the proxy.
    palPointFree free = palPoint_FreeMotion(&def->body, body, device->position, device->velocity);

    // H3, H4: the spring's force at the end of the step, and friction on top of it.
    palVec3 lambda = pal_zeroVec3;
    if (snapshot->contactCount > 0)
    {
        const palContactFrame* contact = &snapshot->contacts[0];
        double gapOld = palContactFrame_Gap(contact, body->x);
        double gapFree = palContactFrame_Gap(contact, free.x);
        double slide[2], forces[3];
        slideBy(contact, body->x, free.x, slide);
        forces[0] = normalForce(def, gapOld, gapFree, free.compliance);
        addFriction(contact, slide, free.compliance, forces);
        lambda = palContactFrame_Force(contact, forces);
        keepProblem(def, contact, gapOld, gapFree, slide, free.compliance, forces, info->problem);
        info->constraints = contact->friction > 0.0 ? 3 : 1;
        info->active = forces[0] > 0.0 ? info->constraints : 0;
        info->iterations = 1;
    }

    // H5: new state and the coupling's force on the hand.
    *body = palPoint_Correct(&def->body, &free, lambda);
    palHalfSpace_Report(snapshot->contacts, pal_zeroVec3, body->x, lambda,
                        palMethod_HandBody(method), info);
    info->force = palPoint_CouplingForce(&def->body, body, device->position, device->velocity);
}

const palMethodOps pal_methodPenalty = {
    .name = "penalty",
    .hand = pal_handPoint,
    .accepts = PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partPoints),
    .size = sizeof(palMethod),
    .contactCapacity = 1,
    .init = init,
    .low = low,
    .high = high,
};

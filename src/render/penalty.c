// SPDX-License-Identifier: Apache-2.0
// `penalty`: the closest contact of the last low-rate query as a spring and damper.
//
// The simplest baseline. The surface pushes with λ = max(0, -k ψ⁺ - b ψ̇⁺) at the END of the step
// (implicit, hence stable for any k). With ψ⁺ = ψ_free + W λ and ψ̇⁺ = (ψ⁺ - ψ_old)/h,
//
//     λ = max(0, -(k ψ_free + b (ψ_free - ψ_old)/h)) / (1 + W (k + b/h))
//
// so that the proxy rests F/k inside the surface: the defect that constraints remove.
//
// On a soft body the plane moves with a material point (half_space.h), and the body yields to λ as
// the proxy does: with W = w I + W_soft the three rows (n, t1, t2) are those of a contact whose
// normal row has the compliance of spring and damper in series,
//
//     δn = ψ_free - c ψ_old + (nᵀ W n + 1/(k + b/h)) λn + ...,   c = (b/h)/(k + b/h)
//
// with Coulomb's law in the tangents (solve/cone.h).
#include "render/half_space.h"
#include "solve/cone.h"

#include <string.h>

// On a rigid plane W is a number times the identity: spring and damper, then Coulomb's law for that
// normal force, which stops the sliding if the cone allows it and otherwise opposes it.
static void pushRigid(double spring, double mu, double w, const double q[3], double lambda[3])
{
    lambda[0] = fmax(0.0, -q[0]) / (spring + w);
    lambda[1] = -q[1] / w;
    lambda[2] = -q[2] / w;
    double limit = mu * lambda[0];
    double wanted = hypot(lambda[1], lambda[2]);
    double share = wanted > limit ? limit / wanted : 1.0;
    lambda[1] *= share;
    lambda[2] *= share;
}

// On a soft one the rows answer each other; A holds the spring too.
static void pushSoft(double mu, const double A[9], const double q[3], double lambda[3])
{
    palUnitFactor factor;
    double slip = 0.0;
    memcpy(factor.contact.A, A, 9 * sizeof *A);
    palCone_Prepare(3, &factor);
    palCone_Solve(3, mu, &factor, q, &slip, lambda);
}

// The same as a contact problem: the spring and damper are a compliance in series, in A.
static void keepProblem(const palContactFrame* contact, const double A[9], const double q[3],
                        const double lambda[3], palProblemCopy* problem)
{
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
        .W = A,
        .gapFree = q,
        .blocks = &block,
    };
    palProblemCopy_Take(problem, &made, lambda);
}

// H4: the force of spring, damper and friction at the end of the step.
static void solve(palMethod* method, palTick* tick)
{
    palHalfSpaceMethod* penalty = (palHalfSpaceMethod*)method;
    const palMethodDef* def = &method->def;
    const palHalfSpaceTouch* touch = &penalty->touch;
    const palContactFrame* contact = touch->contact;
    palHighInfo* info = &tick->info;
    palVec3 free = penalty->free.x;
    if (tick->snapshots[0]->contactCount == 0)
        return;
    double damper = def->settings.penalty.damping / def->body.dt; // b/h
    double stiffness = def->settings.penalty.stiffness + damper;  // k + b/h
    const palVec3 frame[3] = {contact->n, contact->t1, contact->t2};
    palVec3 from = palAdd(tick->body->x, touch->step);
    palVec3 slide = palSub(free, from);
    double gapOld = palContactFrame_Gap(contact, palSub(from, touch->moved));
    double gapFree = palContactFrame_Gap(contact, palSub(free, touch->moved));
    double lambda[3] = {0, 0, 0};
    info->constraints = contact->friction > 0.0 ? 3 : 1;
    info->iterations = 1;
    const double q[3] = {gapFree - damper / stiffness * gapOld, palDot(frame[1], slide),
                         palDot(frame[2], slide)};
    bool isRigid = touch->part < 0;
    double w = touch->W.m[0][0];
    double A[9] = {w, 0, 0, 0, w, 0, 0, 0, w};
    for (int i = 0; i < 9 && !isRigid; i++)
        A[i] = palDot(frame[i / 3], palMat3Apply(touch->W, frame[i % 3]));
    A[0] += 1.0 / stiffness;
    // The damper must not act before the surface is reached.
    if (gapFree < 0.0 && isRigid)
        pushRigid(1.0 / stiffness, contact->friction, w, q, lambda);
    else if (gapFree < 0.0)
        pushSoft(contact->friction, A, q, lambda);
    keepProblem(contact, A, q, lambda, info->problem);
    info->active = lambda[0] > 0.0 ? info->constraints : 0;
    penalty->lambda = palContactFrame_Force(contact, lambda);
}

const palMethodOps pal_methodPenalty = {
    .name = "penalty",
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

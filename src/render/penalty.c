// SPDX-License-Identifier: Apache-2.0
// `penalty`: the closest contact of the last low-rate query as a spring and damper.
//
// The simplest baseline, of no paper in particular. Its stages are those of `standard` (standard.c
// lists them); only the law in H4 differs. The surface pushes with λ = max(0, -k ψ⁺ - b ψ̇⁺) at the
// END of the step (implicit, hence stable for any k). With ψ⁺ = ψ_free + W λ and
// ψ̇⁺ = (ψ⁺ - ψ_old)/h,
//
//     λ = max(0, -(k ψ_free + b (ψ_free - ψ_old)/h)) / (1 + W (k + b/h))
//
// so that the proxy rests F/k inside the surface: the defect that constraints remove.
//
// On a soft body the plane moves with a material point and the body yields to λ as the proxy does;
// where several bodies are near each has such a plane (half_space.h).
#include "render/half_space.h"

// H4: the forces of springs, dampers and friction at the end of the step.
static void solve(palMethod* method, palTick* tick)
{
    const palMethodDef* def = &method->def;
    palHalfSpaceSpring spring = {def->settings.penalty.stiffness, def->settings.penalty.damping};
    palHalfSpace_Solve(method, tick, spring);
}

const palMethodOps pal_methodPenalty = PAL_HALF_SPACE_METHOD("penalty", solve);

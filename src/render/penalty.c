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
//
// WITH A TOOL the spring and damper are between the tool and the closest half-spaces
// (tool_half_spaces.h), likewise at the END of the step.
//
// The normal forces of all contacts together compress the one spring. Under the load F every place
// that is pressed is F/k inside, as a point is, whatever their number and however unequally they
// share F. With the gaps ψ at the start and ψ⁺ at the end, and the normals n,
//
//     Σ_j λ_j n_j = -k s - b (s - s⁻)/h,    0 <= λ_i ⊥ ψ⁺_i - n_i·s >= 0
//
// which, for a place that is in contact all the time (ψ_i = n_i·s⁻), is the complementarity problem
//
//     0 <= λ_i ⊥ ψ_i,free - β ψ_i + Σ_j (W_ij + γ n_i·n_j) λ_j >= 0,
//     γ = 1/(k + b/h),   β = γ b/h
//
// for the general solver, with friction as everywhere.
#include "render/half_space.h"
#include "render/tool_half_spaces.h"

// H2: free motion; H4 has the forces of springs, dampers and friction at the end of the step.
static void moveFreely(palMethod* method, palTick* tick)
{
    const palMethodDef* def = &method->def;
    palHalfSpace_MoveFreely(method, tick);
    ((palHalfSpaceMethod*)method)->spring = (palHalfSpaceSpring){
        def->settings.penalty.stiffness,
        def->settings.penalty.damping,
    };
}

const palMethodOps pal_methodPenalty =
    PAL_HALF_SPACE_METHOD("penalty", pal_sharedYielding, moveFreely);

//--------------------------------------------------------------------------------------------------
// With a tool

enum
{
    passesMax = 6,
    placesMax = 24, // that are pressed in a step
};

// H4: the half-spaces that are entered, and the forces at the end of the step. A damper must not
// act before the free motion enters its half-space.
static void solveTool(palMethod* method, palTick* tick)
{
    palHalfSpaceTool* penalty = (palHalfSpaceTool*)method;
    palToolShell* shell = &penalty->base.shell;
    palHalfSpaceView view = palHalfSpaceView_Of(tick->view);
    const palMethodDef* def = &method->def;
    double damper = def->settings.penalty.damping / def->body.dt; // b/h
    shell->give = 1.0 / (def->settings.penalty.stiffness + damper);
    shell->damped = damper * shell->give;

    palToolShell_RemoveOpen(shell);
    bool changed = true;
    for (int pass = 0; pass < passesMax && changed; pass++)
    {
        palToolShell_Solve(shell);
        changed = palHalfSpaceTool_Review(penalty, &view, 0.0, placesMax - shell->contactCount);
    }
    palToolShell_Push(shell);
    tick->info.constraints = 3 * (view.shell->count + view.pairs->count);
}

const palMethodOps pal_methodPenaltyTool =
    PAL_HALF_SPACE_TOOL("penalty", pal_sharedYielding, solveTool);

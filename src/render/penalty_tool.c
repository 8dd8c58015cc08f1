// SPDX-License-Identifier: Apache-2.0
// `penalty` where the hand holds a tool: a spring with a damper between the tool and the closest
// half-spaces of the last low-rate query (tool_half_spaces.h), at the END of the step (implicit,
// hence stable).
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
#include "render/tool_half_spaces.h"

enum
{
    passesMax = 6,
    placesMax = 24, // that are pressed in a step
};

// H4: the half-spaces that are entered, and the forces at the end of the step. A damper must not
// act before the free motion enters its half-space.
static void solve(palMethod* method, palTick* tick)
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

const palMethodOps pal_methodPenaltyTool = PAL_HALF_SPACE_TOOL("penalty", solve);

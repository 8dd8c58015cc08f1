// SPDX-License-Identifier: Apache-2.0
// `penalty` where the hand holds a tool: the closest half-spaces of the last low-rate query
// (tool_half_spaces.h) as springs with dampers, at the END of the step (implicit, hence stable).
//
// With n contacts that push, each has the share k/n of the stiffness and b/n of the damping: a flat
// tool sinks in by F/k under the load F, as a point does, whatever the number of its points. For
// contact i with the gap ψ, k' = k/n and b' = b/n
//
//     λ = max(0, -k' ψ⁺ - b' (ψ⁺ - ψ)/h),     ψ⁺ = ψ_free + W λ over all contacts
//
// which is the complementarity problem
//
//     0 <= λ ⊥ ψ_free - β ψ + (W + γ 1) λ >= 0,   γ = 1/(k' + b'/h),   β = γ b'/h
//
// for the general solver, with friction as everywhere. n is the number that pushed in the last
// step; where more do, the step is solved again. At most springsMax contacts get springs.
#include "render/tool_half_spaces.h"

enum
{
    passesMax = 6,
    springsMax = 24, // of a step: deep ones and far apart share the stiffness for the others
};

static int countPushing(const palToolShell* shell)
{
    int count = 0;
    for (int i = 0; i < shell->contactCount; i++)
        count += shell->contacts[i].link.lambda[0] > 0.0;
    return count;
}

// The springs of n contacts.
static void shareStiffness(palToolShell* shell, int n)
{
    const palMethodDef* def = shell->def;
    double k = def->settings.penalty.stiffness / n,
           b = def->settings.penalty.damping / n / def->body.dt;
    shell->give = 1.0 / (k + b);
    shell->damped = b / (k + b);
}

// H4: springs at all half-spaces that are entered, and their forces at the end of the step. A
// damper must not act before the free motion enters its half-space.
static void solve(palMethod* method, palTick* tick)
{
    palHalfSpaceTool* penalty = (palHalfSpaceTool*)method;
    palToolShell* shell = &penalty->base.shell;
    palHalfSpaceView view = palHalfSpaceView_Of(tick->snapshots[0]);

    palToolShell_RemoveOpen(shell);
    int sharing = countPushing(shell);
    bool changed = true;
    for (int pass = 0; pass < passesMax && changed; pass++)
    {
        shareStiffness(shell, sharing > 0 ? sharing : 1);
        palToolShell_Solve(shell);
        int pushing = countPushing(shell);
        changed = palHalfSpaceTool_Review(penalty, &view, 0.0, springsMax - shell->contactCount) ||
                  pushing > sharing;
        sharing = pushing > sharing ? pushing : sharing;
    }
    tick->info.constraints = 3 * (view.shell->count + view.pairs->count);
}

const palMethodOps pal_methodPenaltyTool = PAL_HALF_SPACE_TOOL("penalty", solve);

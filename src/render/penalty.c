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
// WITH A TOOL every point and every pair of features near a surface has a spring
// (tool_half_spaces.h). With n contacts that push, each has the share k/n of the stiffness and b/n
// of the damping: a flat tool sinks in by F/k under the load F, as a point does, whatever the
// number of its points. For contact i with the gap ψ, k' = k/n and b' = b/n
//
//     λ = max(0, -k' ψ⁺ - b' (ψ⁺ - ψ)/h),     ψ⁺ = ψ_free + W λ over all contacts
//
// which is the complementarity problem
//
//     0 <= λ ⊥ ψ_free - β ψ + (W + γ 1) λ >= 0,   γ = 1/(k' + b'/h),   β = γ b'/h
//
// for the general solver, with friction as everywhere. n is the number that pushed in the last
// step; where more do, the step is solved again. At most springsMax contacts get springs.
#include "render/half_space.h"
#include "render/tool_half_spaces.h"

// H4: the forces of springs, dampers and friction at the end of the step.
static void solve(palMethod* method, palTick* tick)
{
    const palMethodDef* def = &method->def;
    palHalfSpaceSpring spring = {def->settings.penalty.stiffness, def->settings.penalty.damping};
    palHalfSpace_Solve(method, tick, spring);
}

const palMethodOps pal_methodPenalty = PAL_HALF_SPACE_METHOD("penalty", solve);

//--------------------------------------------------------------------------------------------------
// With a tool

enum
{
    passesMax = 6,
    springsMax = 24, // of a step: the deepest, far apart from each other; they share the stiffness
};

static int countPushing(const palToolShell* shell)
{
    int count = 0;
    for (int i = 0; i < shell->contactCount; i++)
        count += shell->contacts[i].link.lambda[0] > 0.0;
    return count;
}

// γ and β for n contacts.
static void shareStiffness(palToolShell* shell, int n)
{
    const palMethodDef* def = shell->def;
    double k = def->settings.penalty.stiffness / n,
           b = def->settings.penalty.damping / n / def->body.dt;
    shell->give = 1.0 / (k + b);
    shell->damped = b / (k + b);
}

// H4: springs at the half-spaces that the tool enters, and their forces at the end of the step. A
// damper must not act before the free motion enters its half-space.
static void solveTool(palMethod* method, palTick* tick)
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

const palMethodOps pal_methodPenaltyTool = PAL_HALF_SPACE_TOOL("penalty", solveTool);

// SPDX-License-Identifier: Apache-2.0
// `standard`: the closest contact of the last low-rate query as a half-space.
//
// The baseline of T. Knott and T. Kuhlen, "Accurate contact modeling for multi-rate single-point
// haptic rendering of static and deformable environments", 2015: there "SCM", section 5, with the
// multi-rate scheme of section 3.2 as it is printed.
//
//     paper                                                           here (half_space.c)
//     L1  dynamics problem, A and b of eq. (3)                        L1  describe
//     L2  proximity query: the closest contact only                   L3  find
//     L3  its linear inequality and J, eq. (4)                        L4  describe
//     L4  response matrix Aψ, eq. (5)                                 L5  describe
//     L5  share data with the high rate                               L7  pipelines.c
//
//     H1  device state                                                H1  pipelines.c
//     H2  bψ, Δbψ, eq. (5)                                            H2  moveFreely
//                                                                     H3  findGaps
//     H3  solve the complementarity problem, eq. (5)                  H4  solve, in this file
//     H4  new object states, eq. (3)                                  H5  correct
//     H5  coupling force to the device                                H6  pipelines.c
//     H6  share object states with the low rate                       H6  pipelines.c
//
//     0 <= λ  ⟂  ψ = nᵀ(x - c) >= 0        Signorini
//     |λt| <= μ λ, opposing the sliding     Coulomb
//
// The condition holds at the END of a step, so that the plane is that of the surface point closest
// to x + h v, where the proxy goes; found at x it would lag by what the proxy slides in a step, and
// even a run at one rate would leave a curved surface (on the sine of section 5.1, at 0.25 m/s and
// 1 ms, by 60 µm instead of 3).
//
// Between snapshots the half-space is wrong wherever the surface curves: the proxy leaves the
// surface, and snaps back at the update. A proxy that nothing touches meets it only where the
// surface is (touch/extent.h): in free air the hand feels nothing.
//
// On a soft body the half-space is fixed to a material point and moves with it (soft_patch.h); the
// compliance W is then that of proxy and body together. Where several bodies are near each has a
// half-space (half_space.h): between two that abut, one alone would let the proxy into the other.
//
// WITH A TOOL every point of the tool near a surface has a half-space, and so has every pair of
// edges or of a vertex and a face (tool_half_spaces.h); the stages are the same. Where the surface
// curves the tool leaves it, and snaps back at the update; a point that was far from everything at
// the last query meets no constraint until the next.
#include "render/half_space.h"
#include "render/tool_half_spaces.h"

const palMethodOps pal_methodStandard =
    PAL_HALF_SPACE_METHOD("standard", pal_sharedSoft, palHalfSpace_MoveFreely);

//--------------------------------------------------------------------------------------------------
// With a tool

enum
{
    passesMax = 12,
    addedPerPass = 4, // places that get rows
};

// H4: the same for the half-spaces that the tool would enter, a few more in each pass.
static void solveTool(palMethod* method, palTick* tick)
{
    palHalfSpaceTool* standard = (palHalfSpaceTool*)method;
    palToolShell* shell = &standard->base.shell;
    palHalfSpaceView view = palHalfSpaceView_Of(tick->view);

    bool changed = true;
    for (int pass = 0; pass < passesMax && changed; pass++)
    {
        palToolShell_Solve(shell);
        changed = palHalfSpaceTool_Review(standard, &view, shell->surfaceOffset, addedPerPass);
    }
    palToolShell_Push(shell);
    tick->info.constraints = 3 * (view.shell->count + view.pairs->count);
}

const palMethodOps pal_methodStandardTool =
    PAL_HALF_SPACE_TOOL("standard", pal_sharedSoft, solveTool);

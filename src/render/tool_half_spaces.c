// SPDX-License-Identifier: Apache-2.0
#include "render/tool_half_spaces.h"

#include "base/error.h"

#include <stdlib.h>

void palHalfSpaceTool_Free(palMethod* method)
{
    palToolShell_Free(&((palShellMethod*)method)->shell);
}

palResult palHalfSpaceTool_MakeSnapshot(const palMethod* method, palHandSnapshot* snapshot,
                                        palError* error)
{
    (void)method;
    snapshot->pairs = calloc(1, sizeof *snapshot->pairs);
    if (snapshot->pairs == NULL)
        return palError_Memory(error, "pairs of edges", sizeof *snapshot->pairs);
    return palShellMethod_AddView(snapshot, error);
}

void palHalfSpaceTool_Find(palMethod* method, palLowStep* step)
{
    palToolShell* shell = &((palShellMethod*)method)->shell;
    const palMethodDef* def = &method->def;
    palShellView* view = palLowStep_View(step, method)->shell;

    // The tool at the end of a step if it goes on as it moves.
    palRigidState ahead = palLowStep_Hand(step, method)->tool;
    palVec3 turn = palScale(def->body.dt, palRigid_Omega(&def->tool->model, &ahead));
    ahead.x = palMulAdd(ahead.x, def->body.dt, ahead.v);
    ahead.q = palNormalizeQuat(palMulQuat(palMakeQuatRotationVector(turn), ahead.q));

    // A half-space for each near point.
    palToolShell_FindNear(shell, &ahead, def->radius, view);
    palToolShell_AskSoft(shell, view);
}

void palHalfSpaceTool_Describe(palMethod* method, palLowStep* step)
{
    palToolShell* shell = &((palShellMethod*)method)->shell;
    const palMethodDef* def = &method->def;
    palHandSnapshot* snapshot = palLowStep_View(step, method);
    palShellView* view = snapshot->shell;

    // Soft surfaces, and a half-space for each near pair.
    palToolShell_TakeSoft(shell, step->snapshot->soft, view);
    palToolShell_FindFeatures(shell, def->radius, step->snapshot->soft, view);
    palShellFeatures_FindPairs(&shell->features, &view->pose, def->radius, &view->features,
                               snapshot->pairs);
    snapshot->trustCentre = palLowStep_Hand(step, method)->body.x;
    snapshot->trustRadius = def->radius;
    snapshot->shrunk = view->features.dropped > 0;
    int contacts = view->count + snapshot->pairs->count;
    step->info.contacts += contacts;
    step->info.constraints += 3 * contacts;
}

// Whether the half-space of that number, of the near points and then of the near pairs, is among
// the contacts.
static bool hasContact(const palToolShell* shell, const palHalfSpaceView* view, int index)
{
    bool isPoint = index < view->shell->count;
    palShellContactKind kind = isPoint ? pal_shellPoint : pal_shellPair;
    int part = isPoint ? view->shell->near[index].point : index - view->shell->count;
    for (int i = 0; i < shell->contactCount; i++)
        if (shell->contacts[i].kind == kind && shell->contacts[i].part == part)
            return true;
    return false;
}

// A half-space where the soft surface that it is fixed to is now.
static palPlane planeNow(const palToolShell* shell, palPlane plane, const palSoftSpot* spot)
{
    if (!spot->isSoft)
        return plane;
    palToolSoft_UseSpot(shell->soft, spot);
    plane.d = palDot(plane.n, palSurfacePlace_Point(&spot->on, shell->soft->base));
    return plane;
}

// How far the present forces compress the spring of the surface, m, at least.
static palVec3 compression(const palToolShell* shell)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < shell->contactCount && shell->give > 0.0; i++)
        sum = palMulAdd(sum, shell->give * shell->contacts[i].link.lambda[0],
                        shell->contacts[i].link.axes[0]);
    return sum;
}

// How far the place of the tool at the half-space of that number ends behind it, m, and where. The
// surface gives way by `compressed`.
static double depthAt(const palToolShell* shell, const palHalfSpaceView* view, int index,
                      palVec3 compressed, palVec3* at)
{
    bool isPoint = index < view->shell->count;
    const palNearPoint* near = &view->shell->near[isPoint ? index : 0];
    const palNearPair* pair = &view->pairs->near[isPoint ? 0 : index - view->shell->count];
    const palSoftSpot* spot = isPoint ? &near->spot : &pair->spot;
    palPlane plane = planeNow(shell, isPoint ? near->plane : pair->plane, spot);
    palVec3 onTool = isPoint ? shell->points[near->point] : pair->onTool;
    *at = palRigid_Point(&shell->tool.tool->model, &shell->end, onTool);
    palVec3 seen = *at;
    if (spot->isSoft)
        seen = palSub(seen, palToolSoft_Yield(shell->soft, spot, shell->soft->end));
    return plane.d - palDot(plane.n, seen) - fmax(0.0, palDot(plane.n, compressed));
}

// The half-space of that number: of the near points, then of the near pairs.
static palShellContact contactOf(const palToolShell* shell, const palHalfSpaceView* view, int index)
{
    if (index >= view->shell->count)
    {
        const palNearPair* pair = &view->pairs->near[index - view->shell->count];
        return (palShellContact){
            .kind = pal_shellPair,
            .point = -1,
            .part = index - view->shell->count,
            .link.ends[1].body = pair->object,
            .link.ends[0].local = pair->onTool,
            .plane = planeNow(shell, pair->plane, &pair->spot),
            .spot = pair->spot,
        };
    }
    const palNearPoint* near = &view->shell->near[index];
    return (palShellContact){
        .kind = pal_shellPoint,
        .point = near->point,
        .part = near->point,
        .link.ends[1].body = near->object,
        .link.ends[0].local = shell->points[near->point],
        .plane = planeNow(shell, near->plane, &near->spot),
        .spot = near->spot,
    };
}

// Half-spaces of the newest snapshot for the points that were held by those of the last one.
static void renewPlanes(palToolShell* shell, const palHalfSpaceView* view)
{
    int points[pal_shellContactsMax], parts[pal_shellContactsMax];
    int count = shell->contactCount;
    for (int i = 0; i < count; i++)
    {
        points[i] = shell->contacts[i].point;
        parts[i] = palShellContact_SoftPart(&shell->contacts[i]);
    }
    for (int i = 0; i < count; i++)
    {
        palVec3 force = palToolShell_Force(shell, points[i], parts[i]);
        palToolShell_Remove(shell, points[i], parts[i]);
        palShellContact contact =
            contactOf(shell, view, palToolShell_FindPoint(shell, view->shell, points[i]));
        palToolShell_Add(shell, &contact, force);
    }
}

void palHalfSpaceTool_FindGaps(palMethod* method, palTick* tick)
{
    palToolShell* shell = &((palShellMethod*)method)->shell;
    palHalfSpaceView view = palHalfSpaceView_Of(tick->view);
    bool isNew = shell->sequence != tick->snapshots[0]->sequence;
    palToolShell_Begin(shell, tick->snapshots[0]);
    palToolShell_Keep(shell, tick->view);
    if (isNew)
        renewPlanes(shell, &view);
}

bool palHalfSpaceTool_Review(palHalfSpaceTool* tool, const palHalfSpaceView* view, double depth,
                             int most)
{
    palToolShell* shell = &tool->base.shell;
    int examined = palToolShell_Examined(shell, view->shell);
    palVec3 compressed = compression(shell);
    int count = 0;
    for (int i = 0; i < view->shell->count + view->pairs->count; i++)
    {
        // Points past those are clear of everything.
        if (i == examined)
            i = view->shell->count;
        if (i == view->shell->count + view->pairs->count)
            break;
        palVec3 at;
        double behind = depthAt(shell, view, i, compressed, &at);
        if (behind > depth && !hasContact(shell, view, i))
            tool->candidates[count++] = (palShellCandidate){i, behind, at};
    }
    bool changed = false;
    for (int k = 0; k < most && k < count; k++)
    {
        palPickCandidate(tool->candidates, count, k);
        palShellContact contact = contactOf(shell, view, tool->candidates[k].near);
        changed |= palToolShell_Add(shell, &contact, pal_zeroVec3);
    }
    return changed;
}

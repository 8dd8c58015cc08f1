// SPDX-License-Identifier: Apache-2.0
#include "render/tool_half_spaces.h"

#include "base/clock.h"

palResult palHalfSpaceTool_Init(palMethod* method, palError* error)
{
    method->reportCapacity = pal_touchesMax;
    method->problemRows = pal_touchRowsMax;
    return palToolShell_Init(&((palShellMethod*)method)->shell, &method->def, error);
}

void palHalfSpaceTool_Free(palMethod* method)
{
    palToolShell_Free(&((palShellMethod*)method)->shell);
}

void palHalfSpaceTool_Low(palMethod* method, const palHapticState* hand, palSnapshot* snapshot,
                          palLowInfo* info)
{
    palToolShell* shell = &((palShellMethod*)method)->shell;
    const palMethodDef* def = &method->def;
    palHalfSpaceView* view = snapshot->own;
    int64_t start = palClock_Now();

    // L6 of the last step: soft bodies through the forces that were felt since.
    palToolShell_Advance(shell, hand);
    int64_t begin = palClock_Now();
    info->solveMs = 1e-6 * (double)(begin - start);

    // The tool at the end of a step if it goes on as it moves.
    palRigidState ahead = *(const palRigidState*)hand->own;
    palVec3 turn = palScale(def->body.dt, palRigid_Omega(&def->tool->model, &ahead));
    ahead.x = palMulAdd(ahead.x, def->body.dt, ahead.v);
    ahead.q = palNormalizeQuat(palMulQuat(palMakeQuatRotationVector(turn), ahead.q));

    // L3, L4: a half-space for each near point and for each near pair.
    palToolShell_FindNear(shell, &ahead, def->radius, &view->shell);
    int64_t collided = palClock_Now();
    palToolShell_DescribeSoft(shell, &view->shell, snapshot, info); // L1, L5
    int64_t described = palClock_Now();
    palToolShell_FindFeatures(shell, def->radius, snapshot, &view->shell);
    palShellFeatures_FindPairs(&shell->features, &ahead, def->radius, &view->shell.features,
                               &view->pairs);
    info->complianceMs = 1e-6 * (double)(described - collided);
    info->collideMs = 1e-6 * (double)(palClock_Now() - begin) - info->complianceMs;
    snapshot->trustCentre = hand->body.x;
    snapshot->trustRadius = def->radius;
    snapshot->shrunk = view->shell.features.dropped > 0;
    info->contacts = view->shell.count + view->pairs.count;
    info->constraints = 3 * info->contacts;
}

static bool hasContact(const palToolShell* shell, const palShellContact* contact)
{
    for (int i = 0; i < shell->contactCount; i++)
        if (shell->contacts[i].kind == contact->kind && shell->contacts[i].part == contact->part)
            return true;
    return false;
}

// A half-space where the soft surface that it is fixed to would be without contact.
static palPlane planeNow(const palToolShell* shell, palPlane plane, const palSoftSpot* spot)
{
    if (!spot->isSoft)
        return plane;
    for (int k = 0; k < 3; k++)
        palToolSoft_Use(shell->soft, spot->part, spot->vertices[k]);
    plane.d = palDot(plane.n, palSoftSpot_At(spot, shell->soft->free));
    return plane;
}

// The half-space of that number: of the near points, then of the near pairs.
static palShellContact contactOf(const palToolShell* shell, const palHalfSpaceView* view, int index)
{
    if (index >= view->shell.count)
    {
        const palNearPair* pair = &view->pairs.near[index - view->shell.count];
        return (palShellContact){
            .kind = pal_shellPair,
            .point = -1,
            .part = index - view->shell.count,
            .object = pair->object,
            .onTool = pair->onTool,
            .plane = planeNow(shell, pair->plane, &pair->spot),
            .spot = pair->spot,
        };
    }
    const palNearPoint* near = &view->shell.near[index];
    return (palShellContact){
        .kind = pal_shellPoint,
        .point = near->point,
        .part = near->point,
        .object = near->object,
        .onTool = shell->points[near->point],
        .plane = planeNow(shell, near->plane, &near->spot),
        .spot = near->spot,
    };
}

// Half-spaces of the newest snapshot for the points that were held by those of the last one.
static void renewPlanes(palToolShell* shell, const palHalfSpaceView* view)
{
    int points[pal_touchesMax], parts[pal_touchesMax];
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
            contactOf(shell, view, palToolShell_FindPoint(shell, &view->shell, points[i]));
        palToolShell_Add(shell, &contact, force);
    }
}

void palHalfSpaceTool_Begin(palHalfSpaceTool* tool, const palSnapshot* snapshot,
                            const palDeviceState* device)
{
    palToolShell* shell = &tool->base.shell;
    bool isNew = shell->sequence != snapshot->sequence;
    palToolShell_Begin(shell, snapshot, device);
    palToolShell_Keep(shell, snapshot);
    if (isNew)
        renewPlanes(shell, snapshot->own);
}

bool palHalfSpaceTool_Review(palHalfSpaceTool* tool, const palHalfSpaceView* view, double depth,
                             int most)
{
    palToolShell* shell = &tool->base.shell;
    int examined = palToolShell_Examined(shell, &view->shell);
    int count = 0;
    for (int i = 0; i < view->shell.count + view->pairs.count; i++)
    {
        // Points past those are clear of everything.
        if (i == examined)
            i = view->shell.count;
        if (i == view->shell.count + view->pairs.count)
            break;
        palShellContact contact = contactOf(shell, view, i);
        double behind =
            -palToolShell_Gap(shell, &shell->end, palToolShell_EndSurface(shell), &contact);
        if (behind > depth && !hasContact(shell, &contact))
            tool->candidates[count++] = (palShellCandidate){
                i, behind, palRigid_Point(&shell->tool->model, &shell->end, contact.onTool)};
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

// SPDX-License-Identifier: Apache-2.0
// `standard` where the hand holds a tool: for each of its points that is near a surface the closest
// half-space of the last low-rate query, kept until the next. The baseline of accurate_tool.c, as
// standard.c is of accurate.c.
//
// The points are those of the tool's shell (tool_shell.h), their half-spaces those of the surface
// points closest to where they go in a step. Where the surface curves the tool leaves it, and snaps
// back at the update; where the tool comes to a point that was far from everything nothing stops
// it.
#include "base/clock.h"
#include "render/tool_shell.h"

#include <string.h>

enum
{
    passesMax = 12,
    addedAtOnce = 4, // points that get rows in one pass
};

typedef struct palStandardTool
{
    palShellMethod base;
    palShellCandidate candidates[pal_shellPointsMax]; // high rate
} palStandardTool;

static palResult init(palMethod* method, palError* error)
{
    palStandardTool* standard = (palStandardTool*)method;
    method->reportCapacity = pal_touchesMax;
    method->problemRows = pal_touchRowsMax;
    return palToolShell_Init(&standard->base.shell, &method->def, error);
}

static void release(palMethod* method)
{
    palToolShell_Free(&((palStandardTool*)method)->base.shell);
}

static void low(palMethod* method, const palHapticState* hand, palSnapshot* snapshot,
                palLowInfo* info)
{
    palStandardTool* standard = (palStandardTool*)method;
    const palMethodDef* def = &method->def;
    palShellView* view = snapshot->own;
    int64_t begin = palClock_Now();

    // The tool at the end of a step if it goes on as it moves.
    palRigidState ahead = *(const palRigidState*)hand->own;
    palVec3 turn = palScale(def->body.dt, palRigid_Omega(&def->tool->model, &ahead));
    ahead.x = palMulAdd(ahead.x, def->body.dt, ahead.v);
    ahead.q = palNormalizeQuat(palMulQuat(palMakeQuatRotationVector(turn), ahead.q));

    // L3, L4: a half-space for each near point.
    palToolShell_FindNear(&standard->base.shell, &ahead, def->radius, view);
    info->collideMs = 1e-6 * (double)(palClock_Now() - begin);
    snapshot->trustCentre = hand->body.x;
    snapshot->trustRadius = def->radius;
    info->contacts = view->count;
    info->constraints = 3 * view->count;
}

static bool hasContact(const palToolShell* shell, int point)
{
    for (int i = 0; i < shell->contactCount; i++)
        if (shell->contacts[i].point == point)
            return true;
    return false;
}

static palShellContact contactOf(const palNearPoint* near)
{
    palShellContact contact = {.point = near->point, .plane = near->plane};
    contact.face.object = near->object;
    return contact;
}

// Half-spaces of the newest snapshot for the points that were held by those of the last one.
static void renewPlanes(palToolShell* shell, const palShellView* view)
{
    int points[pal_touchesMax];
    int count = shell->contactCount;
    for (int i = 0; i < count; i++)
        points[i] = shell->contacts[i].point;
    for (int i = 0; i < count; i++)
    {
        palVec3 force = palToolShell_Force(shell, points[i]);
        palToolShell_Remove(shell, points[i]);
        palShellContact contact =
            contactOf(&view->near[palToolShell_FindPoint(shell, view, points[i])]);
        palToolShell_Add(shell, &contact, force);
    }
}

// Points that would end behind their half-space get a row. Returns whether there are any.
static bool review(palStandardTool* standard, const palShellView* view)
{
    palToolShell* shell = &standard->base.shell;
    int examined = palToolShell_Examined(shell, view);
    int count = 0;
    for (int i = 0; i < examined; i++)
    {
        const palNearPoint* near = &view->near[i];
        palVec3 end = palToolShell_Point(shell, &shell->end, near->point);
        double depth = near->plane.d - palDot(near->plane.n, end);
        if (depth > shell->hair && !hasContact(shell, near->point))
            standard->candidates[count++] = (palShellCandidate){i, depth, end};
    }
    bool changed = false;
    for (int k = 0; k < addedAtOnce && k < count; k++)
    {
        palPickCandidate(standard->candidates, count, k);
        palShellContact contact = contactOf(&view->near[standard->candidates[k].near]);
        changed |= palToolShell_Add(shell, &contact, pal_zeroVec3);
    }
    return changed;
}

static void high(palMethod* method, const palSnapshot* snapshot, const palDeviceState* device,
                 palPointState* body, palHighInfo* info)
{
    palStandardTool* standard = (palStandardTool*)method;
    palToolShell* shell = &standard->base.shell;
    const palShellView* view = snapshot->own;

    // H2: coupling force and free motion of the tool.
    palHandle handle = palToolSide_DeviceHandle(device);
    bool isNew = shell->sequence != snapshot->sequence;
    palToolShell_Begin(shell, snapshot, &handle);
    if (isNew)
        renewPlanes(shell, view);

    // H3, H4: rows of the half-spaces that would be entered, and the forces that prevent it.
    bool changed = true;
    for (int pass = 0; pass < passesMax && changed; pass++)
    {
        palToolShell_Solve(shell);
        changed = review(standard, view);
    }

    // H5.
    palToolShell_End(shell, &handle, body, info);
    info->constraints = 3 * view->count;
}

const palMethodOps pal_methodStandardTool = {
    .name = "standard",
    .hand = pal_handTool,
    .accepts = PAL_ACCEPTS(pal_partStatic),
    .size = sizeof(palStandardTool),
    .snapshotSize = sizeof(palShellView),
    .stateSize = sizeof(palRigidState),
    .init = init,
    .free = release,
    .place = palShellMethod_Place,
    .tell = palShellMethod_Tell,
    .low = low,
    .high = high,
    .tool = palShellMethod_View,
    .points = palShellMethod_Points,
};

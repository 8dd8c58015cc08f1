// SPDX-License-Identifier: Apache-2.0
#include "touch/tool_trail.h"

#include "base/error.h"
#include "touch/tool_crossings.h"

#include <stdlib.h>

palResult palToolScout_Create(const palToolShell* shell, palToolScout** scout, palError* error)
{
    *scout = calloc(1, sizeof **scout);
    if (*scout == NULL)
        return palError_Memory(error, "the scout of a tool", sizeof **scout);
    (*scout)->shell = *shell;
    (*scout)->shell.soft = NULL;
    return pal_ok;
}

// Whether no surface is between two poses that are `way` apart: neither in the way of the points
// nor of what is between them.
static bool isClear(palToolScout* scout, const palRigidState* from, const palRigidState* to,
                    double way)
{
    palToolShell* shell = &scout->shell;
    const palMethodDef* def = shell->def;
    palCrossing crossing;
    for (int i = 0; i < shell->pointCount; i++)
        for (int k = 0; k < palMethodDef_Surfaces(def); k++)
            if (!def->colliders[k].inTick &&
                palBvh_FirstCrossing(def->colliders[k].bvh, palToolShell_Point(shell, from, i),
                                     palToolShell_Point(shell, to, i), &crossing))
                return false;
    scout->view.pose = shell->tool.state = *from;
    shell->end = *to;
    shell->travelled = 0.0;
    palShellFeatures_FindNear(&shell->features, from, way + shell->surfaceOffset, NULL,
                              &scout->view.features);
    for (int i = 0; i < scout->view.features.count; i++)
        shell->lookAgain[i] = 0.0;
    return scout->view.features.dropped == 0 && palToolCrossings_AreNone(shell, &scout->view);
}

int palToolTrail_Clear(palToolScout* scout, const palTrail* trail, const palRigidState* here,
                       bool isAllRigid)
{
    const palToolShell* shell = &scout->shell;
    palRigidState at = *here;
    double room = 0.0; // m: nothing is nearer than that
    for (int i = 0; i < trail->count; i++)
    {
        palRigidState next = palToolTrail_At(trail, i, here);
        double way = palToolShell_Apart(shell, &at, &next);
        if (way >= room)
            room = palToolShell_Clearance(shell, &at);
        if (way >= room && !(isAllRigid && isClear(scout, &at, &next, way)))
            return i;
        room -= way;
        at = next;
    }
    return trail->count;
}

double palToolTrail_Way(const palToolShell* shell, const palTrail* trail, int clear,
                        const palRigidState* here, const palRigidState* ahead, double most,
                        palRigidState* end)
{
    double length = 0.0;
    *end = clear > 0 ? palToolTrail_At(trail, clear - 1, here) : *here;
    for (int i = clear; i <= trail->count && length < most; i++)
    {
        palRigidState next = i < trail->count ? palToolTrail_At(trail, i, here) : *ahead;
        double way = palToolShell_Apart(shell, end, &next);
        double share = length + way > most ? (most - length) / way : 1.0;
        next.x = palLerp(end->x, next.x, share);
        next.q = palSlerp(end->q, next.q, share);
        *end = next;
        length = fmin(length + way, most);
    }
    return length;
}

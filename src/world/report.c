// SPDX-License-Identifier: Apache-2.0
#include "world/step.h"

void palWorldStep_Report(const palWorldStep* world, bool withTool, palContactReport* report)
{
    for (int i = 0; i < world->linkCount; i++)
    {
        const palLink* link = &world->links[i];
        bool isTools = palWorldStep_IsTools(world, link);
        if (link->kind != pal_linkContact || !(link->lambda[0] > 0.0) || (isTools && !withTool))
            continue;
        const palWorldBody* object = world->bodies[link->ends[1].body];
        palContactForce contact = {
            .object = link->ends[1].body,
            .other = link->ends[0].body,
            .hand = isTools ? 0 : -1,
            .point = object->ops->point(object, &link->ends[1], false),
            .normal = link->axes[0],
            .gap = link->gap - (palWorldStep_IsWires(link) ? link->distance : 0.0),
        };
        for (int r = 0; r < palLink_Rows(link); r++)
            contact.force = palMulAdd(contact.force, -link->lambda[r], link->axes[r]);
        palContactReport_Add(report, &contact);
    }
}

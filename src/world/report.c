// SPDX-License-Identifier: Apache-2.0
#include "world/step.h"

void palWorldStep_Report(const palWorldStep* world, bool includesTools, palContactReport* report)
{
    // `old`: those that were solved. The contacts of the present state have inherited their forces.
    for (int i = 0; i < world->oldCount; i++)
    {
        const palLink* link = &world->old[i];
        const palWorldRigid* tool = palWorldStep_Tool(world, link->ends[0].body);
        if (link->kind != pal_linkContact || !(link->lambda[0] > 0.0) ||
            (tool != NULL && !includesTools))
            continue;
        const palWorldBody* object = world->bodies[link->ends[1].body];
        palContactForce contact = palLink_Report(link, link->lambda);
        contact.hand = tool != NULL ? tool->base.id - world->tools[0]->base.id : -1;
        contact.point = object->ops->point(object, &link->ends[1], false);
        contact.gap = palWorldStep_Gap(world, link, false) -
                      (palWorldStep_IsWires(link) ? link->distance : 0.0);
        palContactReport_Add(report, &contact);
    }
}

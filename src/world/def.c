// SPDX-License-Identifier: Apache-2.0
#include "world/def.h"

void palLowInfo_AddFactor(palLowInfo* info, palSoftFactor* factor)
{
    palSoftFactorInfo* of = &factor->info;
    if (!palSoftFactor_IsLarge(factor))
        return;
    info->isLarge = true;
    info->factorAge = fmax(info->factorAge, of->factorAge);
    info->factorTime = fmax(info->factorTime, of->factorTime);
    if (of->iterations > info->freeIterations)
        info->freeIterations = of->iterations;
    info->workerSeconds += of->workerSeconds;
    of->workerSeconds = 0.0;
}

void palLowInfo_AddWorld(palLowInfo* info, const palWorldStep* world)
{
    for (int i = 0; i < world->def.colliderCount; i++)
    {
        palWorldSoft* soft = palWorldStep_Soft(world, i);
        if (soft == NULL)
            continue;
        palLowInfo_AddFactor(info, soft->step->factor);
        if (soft->fast != NULL)
            palLowInfo_AddFactor(info, soft->fast->factor);
    }
}

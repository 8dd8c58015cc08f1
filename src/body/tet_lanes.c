// SPDX-License-Identifier: Apache-2.0
#include "body/tet_lanes.h"

void palTetLanes_Set(palTetLanes* lanes, int lane, const palTetElement* element)
{
    for (int a = 0; a < 4; a++)
    {
        lanes->g[a][0][lane] = element->g[a].x;
        lanes->g[a][1][lane] = element->g[a].y;
        lanes->g[a][2][lane] = element->g[a].z;
    }
    lanes->volume[lane] = element->volume;
    lanes->lambda[lane] = element->lame.lambda;
    lanes->mu[lane] = element->lame.mu;
}

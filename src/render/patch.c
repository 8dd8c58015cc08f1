// SPDX-License-Identifier: Apache-2.0
#include "render/patch.h"

#include "base/error.h"

#include <stdlib.h>

palResult palPatch_Init(palPatch* patch, palError* error)
{
    *patch = (palPatch){0};
    patch->limited = calloc(pal_patchMax, sizeof *patch->limited);
    patch->boxes = calloc(pal_patchRunsMax, sizeof *patch->boxes);
    if (patch->limited == NULL || patch->boxes == NULL)
    {
        palPatch_Free(patch);
        return palError_Memory(error, "a patch of limited constraints",
                               pal_patchMax * sizeof *patch->limited);
    }
    return pal_ok;
}

void palPatch_Free(palPatch* patch)
{
    free(patch->limited);
    free(patch->boxes);
    *patch = (palPatch){0};
}

void palPatch_Clear(palPatch* patch, palVec3 origin)
{
    patch->origin = origin;
    patch->count = 0;
    patch->runCount = 0;
}

// The next float below or above, so that rounding never makes a box too small.
static float below(double value)
{
    return nextafterf((float)value, -INFINITY);
}

static float above(double value)
{
    return nextafterf((float)value, INFINITY);
}

static void grow(palPatchBox* box, palVec3 r, double reach)
{
    const double x[3] = {r.x, r.y, r.z};
    for (int k = 0; k < 3; k++)
    {
        box->low[k] = fminf(box->low[k], below(x[k] - reach));
        box->high[k] = fmaxf(box->high[k], above(x[k] + reach));
    }
}

bool palPatch_Add(palPatch* patch, const palLimited* limited)
{
    if (patch->count == pal_patchMax)
        return false;
    if (patch->count % pal_patchRun == 0)
        patch->boxes[patch->runCount++] = (palPatchBox){.low = {INFINITY, INFINITY, INFINITY},
                                                        .high = {-INFINITY, -INFINITY, -INFINITY}};
    palPatchBox* box = &patch->boxes[patch->runCount - 1];
    for (int i = 0; i < limited->cornerCount; i++)
        grow(box, palSub(limited->corner[i], patch->origin), 0.0);
    grow(box, palSub(limited->c, patch->origin), limited->reach);
    patch->limited[patch->count++] = *limited;
    return true;
}

int palPatch_Near(const palPatch* patch, palVec3 low, palVec3 high, int* runs)
{
    palVec3 a = palSub(low, patch->origin);
    palVec3 b = palSub(high, patch->origin);
    const float l[3] = {below(a.x), below(a.y), below(a.z)};
    const float h[3] = {above(b.x), above(b.y), above(b.z)};
    int count = 0;
    for (int i = 0; i < patch->runCount; i++)
    {
        const palPatchBox* box = &patch->boxes[i];
        // Written first and counted after, so that the loop has no branch to predict.
        runs[count] = i;
        count += (box->low[0] <= h[0]) & (box->high[0] >= l[0]) & (box->low[1] <= h[1]) &
                 (box->high[1] >= l[1]) & (box->low[2] <= h[2]) & (box->high[2] >= l[2]);
    }
    return count;
}

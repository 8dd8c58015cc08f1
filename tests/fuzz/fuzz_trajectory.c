// SPDX-License-Identifier: Apache-2.0
// Any bytes as a recorded trajectory: refused with a place and a remedy, or finite at every time.
#include "target.h"

#include "device/trajectory.h"

#include <stdlib.h>

static void checkAt(const palTrajectory* trajectory, double t)
{
    palVec3 x;
    palQuat q;
    palTrajectory_At(trajectory, t, &x, &q);
    require(palIsFinite(x));
    require(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-9);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    palTrajectory* trajectory;
    palError error = {0};
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryFile);
    def.interpolation = size % 2 == 0 ? pal_interpolateLinear : pal_interpolateSmooth;
    palResult result =
        palTrajectory_CreateFromCsv(&def, (const char*)data, size, "fuzz.csv", &trajectory, &error);
    if (result != pal_ok)
    {
        require(trajectory == NULL && error.code == result);
        require(error.line > 0 && error.column > 0);
        require(error.text[0] != '\0' && error.remedy[0] != '\0');
        return 0;
    }
    double duration = palTrajectory_Duration(trajectory);
    require(duration >= 0.0 && isfinite(duration));
    for (int i = -1; i <= 33; i++)
        checkAt(trajectory, duration * i / 32.0);
    checkAt(trajectory, -1e300);
    checkAt(trajectory, NAN);
    checkAt(trajectory, INFINITY);
    palTrajectory_Destroy(trajectory);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "sideways.h"

#include "view.h"

#include <stdlib.h>

static const double cutoff = 5.0;         // Hz
static const double strokingSpeed = 1e-3; // m/s

// A second-order Butterworth high-pass filter, in place; step 1: forward, -1: backward.
static void highPass(double* x, int count, double dt, int step)
{
    double K = tan(PAL_PI * cutoff * dt);
    double n = 1.0 / (1.0 + sqrt(2.0) * K + K * K);
    double a1 = 2.0 * (K * K - 1.0) * n, a2 = (1.0 - sqrt(2.0) * K + K * K) * n;
    int i = step > 0 ? 0 : count - 1;
    double x1 = x[i], x2 = x[i], y1 = 0.0, y2 = 0.0;
    for (int k = 0; k < count; k++, i += step)
    {
        double y = n * (x[i] - 2.0 * x1 + x2) - a1 * y1 - a2 * y2;
        x2 = x1;
        x1 = x[i];
        y2 = y1;
        y1 = x[i] = y;
    }
}

double palSidewaysRms(const palRecorded* recorded, int axis)
{
    const palRecordedStep* steps = recorded->steps;
    int count = recorded->count;
    double* force = malloc((size_t)count * sizeof *force);
    if (force == NULL)
        return NAN;
    for (int i = 0; i < count; i++)
        force[i] = palComponent(steps[i].force, axis);
    // Forward and backward, for zero phase shift.
    double dt = count > 1 ? (steps[count - 1].t - steps[0].t) / (count - 1) : 1.0;
    highPass(force, count, dt, 1);
    highPass(force, count, dt, -1);
    double sum = 0.0;
    int used = 0;
    for (int i = 1; i < count; i++)
    {
        double moved = palComponent(palSub(steps[i].device, steps[i - 1].device), axis);
        if (steps[i].active == 0 || fabs(moved) < strokingSpeed * dt)
            continue;
        sum += force[i] * force[i];
        used++;
    }
    free(force);
    return used > 0 ? sqrt(sum / used) : 0.0;
}

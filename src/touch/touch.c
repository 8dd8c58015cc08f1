// SPDX-License-Identifier: Apache-2.0
#include "touch/touch.h"

void palTouchRows_Fill(palTouchRows* rows, const palTouch* touches, int touchCount,
                       bool normalsOnly, const palRigidModel* model, const palRigidState* state)
{
    rows->touchCount = touchCount;
    rows->count = 0;
    for (int i = 0; i < touchCount; i++)
    {
        const palTouch* touch = &touches[i];
        const palVec3 directions[3] = {touch->n, touch->t1, touch->t2};
        palVec3 lever = palSub(palRigid_Point(model, state, touch->onTool), state->x);
        int size = touch->friction > 0.0 && !normalsOnly ? touch->oneWay ? 2 : 3 : 1;
        rows->first[i] = rows->count;
        for (int k = 0; k < size; k++)
        {
            rows->along[rows->count] = directions[k];
            rows->touchOf[rows->count] = (short)i;
            rows->J[rows->count++] = (palWrench){directions[k], palCross(lever, directions[k])};
        }
    }
    rows->first[touchCount] = rows->count;
}

void palTouchRows_AddTool(const palTouchRows* rows, const palRigidStep* step, double scale,
                          double* W, double* velocity)
{
    for (int i = 0; i < rows->count; i++)
    {
        palTwist answer = palRigidStep_Response(step, rows->J[i]);
        velocity[i] += palRowDot(rows->J[i], step->free);
        for (int j = 0; j < rows->count; j++)
            W[i * pal_touchRowsMax + j] += scale * palRowDot(rows->J[j], answer);
    }
}

palWrench palTouchRows_Wrench(const palTouchRows* rows, const double* lambda)
{
    palWrench sum = {pal_zeroVec3, pal_zeroVec3};
    for (int i = 0; i < rows->count; i++)
    {
        sum.force = palMulAdd(sum.force, lambda[i], rows->J[i].force);
        sum.torque = palMulAdd(sum.torque, lambda[i], rows->J[i].torque);
    }
    return sum;
}

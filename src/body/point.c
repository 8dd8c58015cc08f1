// SPDX-License-Identifier: Apache-2.0
#include "body/point.h"

palPointFree palPoint_FreeMotion(const palPointModel* model, const palPointState* state,
                                 palVec3 devicePosition, palVec3 deviceVelocity)
{
    double h = model->dt;
    double A = palPointModel_A(model);
    palVec3 coupling = palPoint_CouplingForce(model, state, devicePosition, deviceVelocity);
    palVec3 f = palMulAdd(palNeg(coupling), model->mass, model->gravity);
    palVec3 rhs = palMulAdd(f, -h * model->stiffness, state->v);

    palPointFree free;
    free.v = palMulAdd(state->v, h / A, rhs);
    free.x = palMulAdd(state->x, h, free.v);
    free.compliance = h * h / A;
    return free;
}

palPointState palPoint_Correct(const palPointModel* model, const palPointFree* free, palVec3 lambda)
{
    return (palPointState){
        .x = palMulAdd(free->x, free->compliance, lambda),
        .v = palMulAdd(free->v, free->compliance / model->dt, lambda),
    };
}

palVec3 palPoint_CouplingForce(const palPointModel* model, const palPointState* state,
                               palVec3 devicePosition, palVec3 deviceVelocity)
{
    palVec3 spring = palScale(model->stiffness, palSub(state->x, devicePosition));
    return palMulAdd(spring, model->damping, palSub(state->v, deviceVelocity));
}

palVec3 palPoint_HandForce(const palPointModel* model, palVec3 coupling, bool isTouched,
                           double* most)
{
    const double fading = 5e-3; // s
    palVec3 weight = palScale(model->mass, model->gravity);
    palVec3 rest = palSub(coupling, weight);
    double length = palLength(rest);
    *most = isTouched ? length : *most * exp(-model->dt / fading);
    if (length <= *most)
        return coupling;
    return palMulAdd(weight, *most / length, rest);
}

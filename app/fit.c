// SPDX-License-Identifier: Apache-2.0
#include "fit.h"

#include "api/session.h"
#include "base/error.h"
#include "base/plain_locale.h"
#include "math/vec3.h"
#include "options.h"
#include "scene/values.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double difference = 0.02;  // of a logarithm, for J
static const double closeEnough = 1e-4; // change of a logarithm at which the fit has converged
static const double longestStep = 1.0;  // of a logarithm
static const int iterationsMost = 25;

// ---------------------------------------------------------------------------------------------
// The press

// The hand: it is where it is put.
struct palDevice
{
    palVec3 position; // m
    palVec3 velocity; // m/s
};

static void limits(const palDevice* device, palDeviceLimits* of)
{
    (void)device;
    of->hasForce = true;
}

static void readHand(palDevice* device, double t, palDeviceState* state)
{
    (void)t;
    state->position = device->position;
    state->velocity = device->velocity;
    state->orientation = pal_identityQuat;
    state->fresh = true;
}

static void writeHand(palDevice* device, const palDeviceOutput* output)
{
    (void)device;
    (void)output;
}

static const palDeviceOps handOps = {
    .size = sizeof(palDeviceOps),
    .name = "fit",
    .summary = "the hand of palpate fit",
    .limits = limits,
    .read = readHand,
    .write = writeHand,
    .knowsPose = true,
};

palResult palFit_CreateSession(const palFit* fit, const palDeviceOps* ops, palDevice* device,
                               palSession** session, palError* error)
{
    const char* sets[pal_listItemsMax + pal_fitValuesMax];
    char texts[pal_fitValuesMax][200];
    int count = 0;
    for (; count < fit->setCount && count < pal_listItemsMax; count++)
        sets[count] = fit->sets[count];
    locale_t callers = palPlainLocale_Enter();
    for (int j = 0; j < fit->valueCount; j++)
    {
        snprintf(texts[j], sizeof texts[j], "%s=%.17g", fit->values[j].path, fit->values[j].value);
        sets[count++] = texts[j];
    }
    palPlainLocale_Leave(callers);
    palSessionDef def = palDefaultSessionDef();
    def.scene = fit->scene;
    def.sets = sets;
    def.setCount = count;
    def.deviceOps = ops;
    def.device = device;
    return palSession_Create(&def, session, error);
}

// A press under way.
typedef struct Press
{
    palSession* session;
    palDevice hand;
    palVec3 target, direction;
    double speed;  // m/s
    double dt;     // s
    double way;    // m, of the hand beyond the target, without
    double beyond; // m: what the coupling gives way by
} Press;

// One tick on the way to a depth. Returns the force against the direction, N, and what the depth is
// off by, m.
static double advance(Press* press, double depth, double* off)
{
    const double gain = 0.02; // of what it is off by, a tick: slow beside the coupling
    palStep step;
    palVec3 before = press->hand.position;
    press->way = fmin(press->way + press->speed * press->dt, depth);
    press->hand.position = palMulAdd(press->target, press->way + press->beyond, press->direction);
    press->hand.velocity = palScale(1.0 / press->dt, palSub(press->hand.position, before));
    palSession_Step(press->session, &step);
    *off = depth - palDot(palSub(step.proxy, press->target), press->direction);
    if (press->way >= depth)
        press->beyond += gain * *off;
    return -palDot(step.force, press->direction);
}

// Goes to a depth and stays until the mean force of a tenth of a second is steady. Returns it, N.
static double pressTo(Press* press, double depth)
{
    const double steady = 2e-6, right = 1e-7; // share of the force, m
    const double longest = 4.0;               // s: what does not come to rest is taken as it is
    const int window = (int)ceil(0.1 / press->dt);
    double before = INFINITY, mean = 0.0, off = INFINITY;
    while (press->way < depth)
        advance(press, depth, &off);
    for (double waited = 0.0; waited < longest; waited += window * press->dt)
    {
        double sum = 0.0;
        for (int k = 0; k < window; k++)
            sum += advance(press, depth, &off);
        mean = sum / window;
        if (fabs(mean - before) <= steady * fabs(mean) + 1e-7 && fabs(off) < right)
            break;
        before = mean;
    }
    return mean;
}

// The forces at all depths with the present values, N.
static palResult simulate(palFit* fit, double* force, palError* error)
{
    const palMeasured* measured = fit->measured;
    Press press = {0};
    palResult result = palFit_CreateSession(fit, &handOps, &press.hand, &press.session, error);
    if (result != pal_ok)
        return result;
    const palScene* scene = palSession_Scene(press.session);
    palTrajectoryDef aim;
    result = palSceneBodies_Aim(palSession_Bodies(press.session),
                                &palScene_HandAt(scene, 0)->trajectory, &aim, error);
    if (result != pal_ok)
    {
        palSession_Destroy(press.session);
        return result;
    }
    press.target = aim.target;
    press.direction = palNormalize(aim.direction);
    press.speed = aim.speed;
    press.dt = scene->time.dt;
    press.way = -aim.gap;
    press.hand.position = palMulAdd(press.target, press.way, press.direction);
    for (int i = 0; i < measured->count; i++)
        force[i] = i > 0 && measured->depth[i] == measured->depth[i - 1]
                       ? force[i - 1]
                       : pressTo(&press, measured->depth[i]);
    palSession_Destroy(press.session);
    fit->presses++;
    if (fit->progress != NULL)
        fit->progress(fit->user, fit);
    return pal_ok;
}

// ---------------------------------------------------------------------------------------------
// The values

static palResult refuseValue(const palFitValue* value, const char* what, const char* remedy,
                             palError* error)
{
    palError_Set(error, pal_errorInput, "--vary %s: %s", value->path, what);
    return palError_Remedy(error, "%s", remedy);
}

static palResult addValue(palFit* fit, const palScene* scene, const char* path, size_t length,
                          palError* error)
{
    if (fit->valueCount == pal_fitValuesMax)
        return palError_Set(error, pal_errorInput, "--vary has more than %d values",
                            pal_fitValuesMax);
    palFitValue* value = &fit->values[fit->valueCount];
    snprintf(value->path, sizeof value->path, "%.*s", (int)length, path);
    const double* start = palScene_FindNumber(scene, value->path, &value->key);
    if (start == NULL)
        return refuseValue(value, "the scene has no number there",
                           "name a key as in a --set, such as objects.0.soft.young", error);
    if (!(*start > 0.0))
        return refuseValue(value, "it is 0 in the scene",
                           "give a positive value to begin with, such as --set PATH=1", error);
    value->value = *start;
    fit->valueCount++;
    return pal_ok;
}

static palResult checkScene(const palFit* fit, const palScene* scene, palError* error)
{
    if (palScene_HandAt(scene, 0)->trajectory.def.kind != pal_trajectoryPress)
    {
        palError_Set(error, pal_errorInput, "the hand of the scene does not press");
        palError_Remedy(error, "give it a trajectory of kind press, with the point and direction "
                               "of the measurement");
        return palError_At(error, fit->scene, 0, 0);
    }
    if (fit->measured->count >= fit->valueCount)
        return pal_ok;
    palError_Set(error, pal_errorInput, "%d values cannot be fitted to %d points", fit->valueCount,
                 fit->measured->count);
    return palError_Remedy(error, "measure more points, or vary fewer values");
}

palResult palFit_Init(palFit* fit, const char* paths, palError* error)
{
    palSession* session;
    palResult result = palFit_CreateSession(fit, NULL, NULL, &session, error);
    if (result != pal_ok)
        return result;
    const palScene* scene = palSession_Scene(session);
    for (const char* path = paths; result == pal_ok; path++)
    {
        size_t length = strcspn(path, ",");
        result = addValue(fit, scene, path, length, error);
        path += length;
        if (*path == '\0')
            break;
    }
    if (result == pal_ok)
        result = checkScene(fit, scene, error);
    palSession_Destroy(session);
    fit->force = calloc((size_t)fit->measured->count, sizeof *fit->force);
    if (result == pal_ok && fit->force == NULL)
        result = palError_Memory(error, "a fit", (size_t)fit->measured->count * sizeof(double));
    return result;
}

void palFit_Free(palFit* fit)
{
    free(fit->force);
    fit->force = NULL;
}

// ---------------------------------------------------------------------------------------------
// Least squares

static double sumOfSquares(const palFit* fit, const double* force)
{
    double sum = 0.0;
    for (int i = 0; i < fit->measured->count; i++)
        sum += pow(force[i] - fit->measured->force[i], 2.0);
    return sum;
}

// A value times exp(du), within the range of its key.
static double moved(const palFitValue* value, double du)
{
    return fmin(fmax(value->value * exp(du), value->key->low), value->key->high);
}

// JᵀJ and Jᵀr, of the present values with the forces fit->force.
static palResult differentiate(palFit* fit, double* work, double JtJ[][pal_fitValuesMax],
                               double* Jtr, palError* error)
{
    int n = fit->measured->count, m = fit->valueCount;
    for (int j = 0; j < m; j++)
    {
        double* column = work + (size_t)j * (size_t)n;
        double value = fit->values[j].value;
        double du = value * exp(difference) < fit->values[j].key->high ? difference : -difference;
        fit->values[j].value = value * exp(du);
        palResult result = simulate(fit, column, error);
        fit->values[j].value = value;
        if (result != pal_ok)
            return result;
        Jtr[j] = 0.0;
        for (int i = 0; i < n; i++)
        {
            column[i] = (column[i] - fit->force[i]) / du;
            Jtr[j] += column[i] * (fit->force[i] - fit->measured->force[i]);
        }
        for (int k = 0; k <= j; k++)
        {
            const double* other = work + (size_t)k * (size_t)n;
            JtJ[j][k] = 0.0;
            for (int i = 0; i < n; i++)
                JtJ[j][k] += column[i] * other[i];
            JtJ[k][j] = JtJ[j][k];
        }
        if (!(JtJ[j][j] > 0.0))
            return refuseValue(&fit->values[j], "it does not change the force",
                               "vary values of what the hand presses", error);
    }
    return pal_ok;
}

// The step of the logarithms. Returns the largest of it.
static double findStep(const palFit* fit, double JtJ[][pal_fitValuesMax], const double* Jtr,
                       double nu, double* du)
{
    double A[pal_fitValuesMax][pal_fitValuesMax], largest = 0.0;
    memcpy(A, JtJ, sizeof A);
    for (int j = 0; j < fit->valueCount; j++)
    {
        A[j][j] *= 1.0 + nu;
        du[j] = -Jtr[j];
    }
    if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', fit->valueCount, 1, A[0], pal_fitValuesMax, du, 1) !=
        0)
        return INFINITY;
    for (int j = 0; j < fit->valueCount; j++)
        largest = fmax(largest, fabs(du[j]));
    for (int j = 0; j < fit->valueCount && largest > longestStep; j++)
        du[j] *= longestStep / largest;
    return largest;
}

static void findErrors(palFit* fit, double JtJ[][pal_fitValuesMax])
{
    int m = fit->valueCount, free = fit->measured->count - m;
    double variance = free > 0 ? sumOfSquares(fit, fit->force) / free : NAN;
    bool isDone = LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', m, JtJ[0], pal_fitValuesMax) == 0 &&
                  LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', m, JtJ[0], pal_fitValuesMax) == 0;
    for (int j = 0; j < m; j++)
        fit->values[j].error =
            isDone ? fit->values[j].value * sqrt(variance * JtJ[j][j]) : INFINITY;
}

// Takes a step that lowers the residual, with more and more damping where it does not. *isDone:
// there is none, or the next would be too small.
static palResult improve(palFit* fit, double JtJ[][pal_fitValuesMax], const double* Jtr, double* nu,
                         double* trial, bool* isDone, palError* error)
{
    const int tries = 8;
    double before = sumOfSquares(fit, fit->force);
    for (int k = 0; k < tries; k++)
    {
        double du[pal_fitValuesMax], old[pal_fitValuesMax];
        double largest = findStep(fit, JtJ, Jtr, *nu, du);
        *isDone = largest < closeEnough;
        fit->isConverged = *isDone;
        if (*isDone)
            return pal_ok;
        for (int j = 0; j < fit->valueCount && isfinite(largest); j++)
        {
            old[j] = fit->values[j].value;
            fit->values[j].value = moved(&fit->values[j], du[j]);
        }
        palResult result = isfinite(largest) ? simulate(fit, trial, error) : pal_ok;
        if (result != pal_ok)
            return result;
        if (isfinite(largest) && sumOfSquares(fit, trial) < before)
        {
            memcpy(fit->force, trial, (size_t)fit->measured->count * sizeof *trial);
            *nu *= 0.1;
            return pal_ok;
        }
        for (int j = 0; j < fit->valueCount && isfinite(largest); j++)
            fit->values[j].value = old[j];
        *nu = fmax(10.0 * *nu, 1e-4);
    }
    *isDone = true;
    return pal_ok;
}

palResult palFit_Run(palFit* fit, palError* error)
{
    size_t n = (size_t)fit->measured->count;
    double JtJ[pal_fitValuesMax][pal_fitValuesMax] = {{0.0}}, Jtr[pal_fitValuesMax];
    double* work = calloc((pal_fitValuesMax + 1) * n, sizeof *work);
    if (work == NULL)
        return palError_Memory(error, "a fit", (pal_fitValuesMax + 1) * n * sizeof *work);
    double nu = 1e-3;
    bool isDone = false;
    palResult result = simulate(fit, fit->force, error);
    for (; result == pal_ok && !isDone && fit->iterations < iterationsMost; fit->iterations++)
    {
        fit->rms = sqrt(sumOfSquares(fit, fit->force) / (double)n);
        result = differentiate(fit, work, JtJ, Jtr, error);
        if (result == pal_ok)
            result = improve(fit, JtJ, Jtr, &nu, work + pal_fitValuesMax * n, &isDone, error);
    }
    fit->rms = sqrt(sumOfSquares(fit, fit->force) / (double)n);
    if (result == pal_ok)
        findErrors(fit, JtJ);
    free(work);
    return result;
}

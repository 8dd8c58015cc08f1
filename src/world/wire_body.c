// SPDX-License-Identifier: Apache-2.0
// Wires in the world step: one linearised step of the beam over the step of the world.
#include "world/body.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum
{
    contactsPerNode = 4,
    contactsMin = 32,
};

static palWorldWire* wire(palWorldBody* body)
{
    return (palWorldWire*)body;
}

int palWorldWire_Contacts(const palWire* of, int contactsMax)
{
    int wanted = contactsPerNode * of->model->nodeCount;
    wanted = wanted > contactsMin ? wanted : contactsMin;
    return wanted < contactsMax ? wanted : contactsMax;
}

static void destroy(palWorldBody* body)
{
    palWorldWire* w = wire(body);
    palBeamState_Free(&w->state);
    palBeamState_Free(&w->trial);
    palBeamWork_Free(&w->work);
    palBeamWork_Free(&w->fast);
    void* const owned[] = {w->load, w->freeMotion, w->rowOf, w->rows, w->vector};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(w);
}

// The free motion over h from the state. Returns whether there is one.
static bool linearise(const palWorldWire* w, double h, palBeamWork* work)
{
    const palBeamModel* model = w->wire->model;
    palBeam_Linearise(model, &w->state, work);
    if (!palBeam_Factor(model, h, work))
        return false;
    memcpy(work->external, w->load, 6 * (size_t)model->nodeCount * sizeof *w->load);
    palBeam_FreeMotion(model, &w->state, NULL, work);
    return true;
}

static bool begin(palWorldBody* body, double h, double share)
{
    (void)share;
    palWorldWire* w = wire(body);
    w->isCommitted = false;
    w->failed = !linearise(w, h, &w->work);
    w->rowCount = 0;
    if (!w->failed)
        memcpy(w->freeMotion, w->work.dv, 6 * (size_t)w->state.nodeCount * sizeof *w->freeMotion);
    return !w->failed;
}

bool palWorldWire_BeginFast(palWorldWire* w, double dt)
{
    return linearise(w, dt, &w->fast);
}

// The linearisation of the present state.
static const palBeamWork* present(const palWorldWire* w)
{
    return w->isCommitted && w->fast.nodeCount > 0 ? &w->fast : &w->work;
}

static void takeRows(palWorldBody* body, const palRows* rows, const double* predicted)
{
    (void)predicted;
    palWorldWire* w = wire(body);
    const palBeamModel* model = w->wire->model;
    w->rowCount = 0;
    for (int i = 0; i < rows->linkCount && !w->failed; i++)
        for (int e = 0; e < 2; e++)
        {
            const palLink* link = rows->links[i];
            palBeamPlace at = link->ends[e].beam;
            if (link->ends[e].body != body->id)
                continue;
            for (int k = 0; k < palLink_Rows(link) && w->rowCount < w->rowCapacity; k++)
            {
                bool angular;
                palVec3 axis = palLink_Axis(link, k, &angular);
                palVec3 d = e == 0 ? axis : palNeg(axis);
                w->rowOf[w->rowCount] = rows->first[i] + k;
                w->rows[w->rowCount++] = angular ? palBeam_RotationRow(model, present(w), at, d)
                                                 : palBeam_PointRow(model, present(w), at, d);
            }
        }
}

static void addCompliance(palWorldBody* body, palWorldRate rate, double scale, double* W,
                          size_t stride, double* velocity)
{
    palWorldWire* w = wire(body);
    const palBeamModel* model = w->wire->model;
    palBeamWork* work = rate == pal_rateFast ? &w->fast : &w->work;
    size_t n = (size_t)w->rowCount;
    if (n == 0)
        return;
    for (size_t i = 0; i < n && velocity != NULL; i++)
        velocity[w->rowOf[i]] += palBeam_RowMotion(model, &w->state, work, &w->rows[i]) / work->h;
    if (W == NULL)
        return;
    memset(w->W, 0, n * n * sizeof *w->W);
    palBeam_AddCompliance(model, work, w->rows, (int)n, w->W, (int)n);
    double share = scale / (work->h * work->h);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += share * w->W[i * n + i];
    if (rate == pal_rateStep)
        body->mobility = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            W[(size_t)w->rowOf[i] * stride + (size_t)w->rowOf[j]] += share * w->W[i * n + j];
}

static void evaluateTrial(palWorldBody* body, const double* lambda)
{
    palWorldWire* w = wire(body);
    size_t size = 6 * (size_t)w->state.nodeCount;
    palBeamState_Copy(&w->trial, &w->state);
    if (w->failed)
        return;
    for (int r = 0; r < w->rowCount; r++)
        w->vector[r] = lambda[w->rowOf[r]];
    memcpy(w->work.dv, w->freeMotion, size * sizeof *w->freeMotion);
    memset(w->work.contact, 0, size * sizeof *w->work.contact);
    palBeam_Correct(&w->work, w->rows, w->vector, w->rowCount);
    palBeam_Integrate(w->wire->model, &w->work, &w->trial);
}

static palVec3 point(const palWorldBody* body, const palPlace* at, bool isTrial)
{
    const palWorldWire* w = (const palWorldWire*)body;
    return palBeam_Point(w->wire->model, isTrial ? &w->trial : &w->state, at->beam);
}

static palQuat orientation(const palWorldBody* body, const palPlace* at, bool isTrial)
{
    const palWorldWire* w = (const palWorldWire*)body;
    return palBeam_Rotation(w->wire->model, isTrial ? &w->trial : &w->state, at->beam);
}

static void movePushed(palWorldBody* body)
{
    (void)body; // its contacts bring it out in the next step
}

static double momentum(const palWorldBody* body, palVec3* sum)
{
    const palWorldWire* w = (const palWorldWire*)body;
    const palBeamModel* model = w->wire->model;
    double mass = 0.0;
    *sum = pal_zeroVec3;
    for (int i = 0; i < model->nodeCount; i++)
    {
        if (model->held[i] != pal_holdNothing)
            return 0.0;
        *sum = palMulAdd(*sum, model->mass[i], w->trial.v[i]);
        mass += model->mass[i];
    }
    return mass;
}

static void commit(palWorldBody* body)
{
    palWorldWire* w = wire(body);
    palBeamState_Copy(&w->state, &w->trial);
    w->isCommitted = true;
}

static void reset(palWorldBody* body)
{
    palWorldWire* w = wire(body);
    palBeamState_Copy(&w->trial, &w->state);
}

static const palWorldBodyOps wireOps = {
    .moves = true,
    .shape = pal_shapeWire,
    .begin = begin,
    .takeRows = takeRows,
    .addCompliance = addCompliance,
    .evaluateTrial = evaluateTrial,
    .point = point,
    .orientation = orientation,
    .movePushed = movePushed,
    .momentum = momentum,
    .commit = commit,
    .reset = reset,
    .destroy = destroy,
};

static palResult allocate(palWorldWire* w, bool withFast, palError* error)
{
    const palBeamModel* model = w->wire->model;
    size_t rows = (size_t)w->rowCapacity + 1;
    palResult result = palBeamState_Init(&w->state, model, error);
    if (result == pal_ok)
        result = palBeamState_Init(&w->trial, model, error);
    if (result == pal_ok)
        result = palBeamWork_Init(&w->work, model, w->rowCapacity, error);
    if (result == pal_ok && withFast)
        result = palBeamWork_Init(&w->fast, model, w->rowCapacity, error);
    w->load = calloc(6 * (size_t)model->nodeCount, sizeof *w->load);
    w->freeMotion = calloc(6 * (size_t)model->nodeCount, sizeof *w->freeMotion);
    w->rowOf = calloc(rows, sizeof *w->rowOf);
    w->rows = calloc(rows, sizeof *w->rows);
    w->vector = calloc(rows, sizeof *w->vector);
    if (result == pal_ok && (!w->load || !w->freeMotion || !w->rowOf || !w->rows || !w->vector))
        result = palError_Memory(error, "a wire in contact", rows * sizeof *w->rows);
    return result;
}

palResult palWorldWire_Create(const palWire* of, int rowCapacity, double* W, bool withFast,
                              palWorldBody** body, palError* error)
{
    palWorldWire* w = calloc(1, sizeof *w);
    *body = (palWorldBody*)w;
    if (w == NULL)
        return palError_Memory(error, "a wire in contact", sizeof *w);
    w->base.ops = &wireOps;
    w->wire = of;
    w->rowCapacity = rowCapacity;
    w->W = W;
    palResult result = allocate(w, withFast, error);
    w->base.pointCount = of->model->nodeCount;
    w->base.start = w->state.x;
    w->base.end = w->trial.x;
    w->base.friction = of->friction;
    w->base.size = palDistance(of->model->restX[0], of->model->restX[of->model->elementCount]);
    return result;
}

// SPDX-License-Identifier: Apache-2.0
// A wire as a body of the world step: one linearised step of the beam over the step of the world.
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
    void* const owned[] = {w->freeMotion, w->rowOf, w->rows, w->inside, w->vector};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(w);
}

// Linearises and factors the wire at its state, and computes its free motion over h. Returns false
// where A(h) cannot be factored.
static bool linearise(const palWorldWire* w, double h, palBeamWork* work)
{
    const palBeamModel* model = w->wire->model;
    palBeam_Linearise(model, &w->state, work);
    if (!palBeam_Factor(model, h, work))
        return false;
    palBeam_FreeMotion(model, &w->state, NULL, work);
    return true;
}

// dx of the predicted motion: displacements and rotation vectors of the nodes.
static void findMotion(palWorldWire* w)
{
    for (int i = 0; i < w->state.nodeCount; i++)
    {
        palVec3 dx = palSub(w->predicted->x[i], w->state.x[i]);
        palVec3 rotation =
            palRotationVector(palMulQuat(w->predicted->q[i], palConjugate(w->state.q[i])));
        const double all[6] = {dx.x, dx.y, dx.z, rotation.x, rotation.y, rotation.z};
        memcpy(w->freeMotion + 6 * i, all, sizeof all);
    }
}

static bool begin(palWorldBody* body, double h, double share)
{
    (void)share;
    palWorldWire* w = wire(body);
    w->isCommitted = false;
    w->failed = !linearise(w, h, &w->work);
    w->rowCount = 0;
    if (w->predicted != NULL)
        findMotion(w);
    else if (!w->failed)
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
    palWorldWire* w = wire(body);
    const palBeamModel* model = w->wire->model;
    bool isInside = w->predicted != NULL && predicted != NULL;
    w->rowCount = 0;
    palBodyRow at = PAL_BEFORE_FIRST_ROW;
    while (!w->failed && w->rowCount < w->rowCapacity && palWorldBody_NextRow(body, rows, &at))
    {
        palBeamPlace place = at.link->ends[at.end].beam;
        w->inside[w->rowCount] = isInside ? predicted[at.end * rows->rowCapacity + at.row] : 0.0;
        w->rowOf[w->rowCount] = at.row;
        w->rows[w->rowCount++] = at.isAngular
                                     ? palBeam_RotationRow(model, present(w), place, at.axis)
                                     : palBeam_PointRow(model, present(w), place, at.axis);
    }
}

// J v of the free motion; of a predicted one J dx/h - W λ/h, λ the forces in it, W = h² J A⁻¹ Jᵀ.
static double rowVelocity(const palWorldWire* w, const palBeamWork* work, bool isPredicted, int r)
{
    if (!isPredicted)
        return palBeam_RowMotion(w->wire->model, &w->state, work, &w->rows[r]) / work->h;
    double moved = palBeamRow_Apply(&w->rows[r], w->freeMotion);
    for (int j = 0; j < w->rowCount; j++)
        moved -= w->W[(size_t)r * (size_t)w->rowCount + (size_t)j] * w->inside[j];
    return moved / work->h;
}

static void addCompliance(palWorldBody* body, palWorldRate rate, double scale, double* W,
                          size_t stride, double* velocity)
{
    palWorldWire* w = wire(body);
    palBeamWork* work = rate == pal_rateFast ? &w->fast : &w->work;
    bool isPredicted = rate == pal_rateStep && w->predicted != NULL;
    size_t n = (size_t)w->rowCount;
    if (n == 0)
        return;
    // The last trial overwrote dv.
    if (rate == pal_rateStep && !isPredicted)
        memcpy(work->dv, w->freeMotion, 6 * (size_t)work->nodeCount * sizeof *work->dv);
    memset(w->W, 0, n * n * sizeof *w->W);
    palBeam_AddCompliance(w->wire->model, work, w->rows, (int)n, w->W, (int)n);
    double share = scale / (work->h * work->h);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
    {
        sum += w->W[i * n + i];
        if (velocity != NULL)
            velocity[w->rowOf[i]] += rowVelocity(w, work, isPredicted, (int)i);
        for (size_t j = 0; j < n && W != NULL; j++)
            W[(size_t)w->rowOf[i] * stride + (size_t)w->rowOf[j]] += share * w->W[i * n + j];
    }
    if (rate == pal_rateStep)
        body->mobility = sum / (double)n;
}

// x = x_pred + h dv, v = v_pred + dv
static void correctPredicted(palWorldWire* w)
{
    const palBeamModel* model = w->wire->model;
    palBeamState* trial = &w->trial;
    palBeamState_Copy(trial, w->predicted);
    for (int i = 0; i < model->nodeCount; i++)
    {
        const double* d = w->work.dv + 6 * i;
        palVec3 dv = palMakeVec3(d[0], d[1], d[2]), dw = palMakeVec3(d[3], d[4], d[5]);
        palQuat rotation = palMakeQuatRotationVector(palScale(w->work.h * model->theta, dw));
        trial->x[i] = palMulAdd(trial->x[i], w->work.h * model->theta, dv);
        trial->q[i] = palNormalizeQuat(palMulQuat(rotation, trial->q[i]));
        trial->v[i] = palAdd(trial->v[i], dv);
        trial->w[i] = palAdd(trial->w[i], dw);
    }
    palBeam_SetTensions(model, trial);
}

static void evaluateTrial(palWorldBody* body, const double* lambda)
{
    palWorldWire* w = wire(body);
    size_t bytes = 6 * (size_t)w->state.nodeCount * sizeof *w->freeMotion;
    palBeamState_Copy(&w->trial, &w->state);
    if (w->failed)
        return;
    for (int r = 0; r < w->rowCount; r++)
        w->vector[r] = lambda[w->rowOf[r]] - w->inside[r];
    if (w->predicted != NULL)
        memset(w->work.dv, 0, bytes);
    else
        memcpy(w->work.dv, w->freeMotion, bytes);
    memset(w->work.contact, 0, bytes);
    palBeam_Correct(&w->work, w->rows, w->vector, w->rowCount);
    if (w->predicted != NULL)
        correctPredicted(w);
    else
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
    (void)body; // its contact forces push it out in the next step
}

static void shorten(palWorldBody* body, double share, palVec3 frame)
{
    palWorldWire* w = wire(body);
    const palBeamModel* model = w->wire->model;
    for (int i = 0; i < model->nodeCount; i++)
    {
        bool isHeld = model->held[i] & pal_holdPosition;
        palVec3 still = isHeld ? pal_zeroVec3 : frame;
        w->trial.x[i] = palLerp(w->state.x[i], w->trial.x[i], share);
        w->trial.q[i] = palSlerp(w->state.q[i], w->trial.q[i], share);
        w->trial.v[i] = palLerp(still, w->trial.v[i], share);
        w->trial.w[i] = palScale(share, w->trial.w[i]);
    }
    palBeam_SetTensions(model, &w->trial);
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
    w->predicted = NULL;
    w->isCommitted = true;
}

static void reset(palWorldBody* body)
{
    palWorldWire* w = wire(body);
    palBeamState_Copy(&w->trial, &w->state);
}

static void archiveBody(palWorldBody* body, palArchive* archive)
{
    palWorldWire* w = wire(body);
    palWorldBody_Archive(body, archive);
    palBeamState_Archive(&w->state, archive);
    palBeamState_Archive(&w->trial, archive);
    palBeamWork_Archive(&w->work, archive);
    palBeamWork_Archive(&w->fast, archive);
    PAL_ARCHIVE(archive, w->isCommitted);
    PAL_ARCHIVE(archive, w->failed);
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
    .shorten = shorten,
    .momentum = momentum,
    .commit = commit,
    .reset = reset,
    .archive = archiveBody,
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
    w->freeMotion = calloc(6 * (size_t)model->nodeCount, sizeof *w->freeMotion);
    w->rowOf = calloc(rows, sizeof *w->rowOf);
    w->rows = calloc(rows, sizeof *w->rows);
    w->inside = calloc(rows, sizeof *w->inside);
    w->vector = calloc(rows, sizeof *w->vector);
    if (result == pal_ok && (!w->freeMotion || !w->rowOf || !w->rows || !w->inside || !w->vector))
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

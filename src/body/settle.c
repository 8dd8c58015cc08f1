// SPDX-License-Identifier: Apache-2.0
#include "body/settle.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double longest = 100.0;              // s: then A is c K but for next to nothing
static const double shortest = 1e-4;              // s: then a step hardly moves anything
static const double shorter = 0.1, longer = 10.0; // h after a step that failed, that helped

// At rest: a step of the longest h moves no node by more than this share of the body's size.
static const double tolerance = 1e-10;

enum
{
    mostSteps = 60,
};

typedef struct palSettling
{
    palSoftBody* body;   // borrowed
    palBlockMatrix A;    // owned
    palCholesky* factor; // owned
    double* b;           // owned, [3 freeCount]
    double* dx;          // owned, [3 freeCount]
    palVec3* kept;       // owned, [nodeCount]: where the nodes were before the step
    double size;         // m, of the body at rest
} palSettling;

static void release(palSettling* settling)
{
    palBlockMatrix_Free(&settling->A);
    palCholesky_Destroy(settling->factor);
    free(settling->b);
    free(settling->dx);
    free(settling->kept);
}

static palResult prepare(palSettling* settling, palSoftBody* body, palError* error)
{
    *settling = (palSettling){.body = body};
    size_t rows = 3 * (size_t)body->freeCount;
    size_t nodes = (size_t)body->nodeCount;
    settling->b = calloc(rows, sizeof *settling->b);
    settling->dx = calloc(rows, sizeof *settling->dx);
    settling->kept = calloc(nodes, sizeof *settling->kept);
    if (!settling->b || !settling->dx || !settling->kept)
        return palError_Memory(error, "bringing a soft body to rest", 9 * nodes * sizeof(double));
    palVec3 low = body->rest[0], high = body->rest[0];
    for (int i = 0; i < body->nodeCount; i++)
    {
        low = palMinVec3(low, body->rest[i]);
        high = palMaxVec3(high, body->rest[i]);
    }
    settling->size = palDistance(low, high);
    palCholeskyDef def = palDefaultCholeskyDef();
    palResult result = palSoftBody_InitSystem(body, &settling->A, error);
    return result == pal_ok ? palCholesky_Create(&def, &settling->A, &settling->factor, error)
                            : result;
}

// max |x[i]|; NaN for NaN.
static double largest(const double* x, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
    return most;
}

// One step of h. Returns how far it moved a node at most along an axis, m; NaN where A could not be
// factored or the forces are not finite.
static double step(palSettling* settling, double h)
{
    palSoftBody* body = settling->body;
    int rows = 3 * body->freeCount;
    if (!palSoftBody_Factor(body, h, &settling->A, settling->factor))
        return NAN;
    double c = h * body->beta + h * h;
    for (int i = 0; i < rows; i++)
        settling->b[i] = c * body->force[i];
    palCholesky_Solve(settling->factor, settling->b, settling->dx);
    palSoftBody_Move(body, settling->dx, NULL);
    return largest(settling->dx, rows);
}

// The steps. Returns how many there were, or -1 where they led to no rest.
static int settle(palSettling* settling)
{
    palSoftBody* body = settling->body;
    double h = longest;
    double force = INFINITY, energy = INFINITY;
    for (int k = 1; k <= mostSteps && h >= shortest; k++)
    {
        memcpy(settling->kept, body->x, (size_t)body->nodeCount * sizeof *body->x);
        double moved = step(settling, h);
        palSoftBody_Linearise(body, pal_tangentExact);
        double forceNow = largest(body->force, 3 * body->freeCount);
        double energyNow = palSoftBody_Energy(body);
        if (h == longest && moved <= tolerance * settling->size)
            return k;
        if (forceNow < force || energyNow < energy)
        {
            force = forceNow;
            energy = energyNow;
            h = fmin(longest, h * longer);
            continue;
        }
        memcpy(body->x, settling->kept, (size_t)body->nodeCount * sizeof *body->x);
        h *= shorter;
    }
    return -1;
}

palResult palSoftBody_Settle(palSoftBody* body, palSettleInfo* info, palError* error)
{
    palSettling settling;
    palResult result = prepare(&settling, body, error);
    *info = (palSettleInfo){0};
    if (result == pal_ok)
        info->steps = settle(&settling);
    release(&settling);
    if (result != pal_ok)
        return result;
    for (int i = 0; i < body->nodeCount && info->steps >= 0; i++)
        info->sag = fmax(info->sag, palDistance(body->x[i], body->rest[i]));
    if (info->steps >= 0 && body->invertedCount == 0)
        return pal_ok;
    if (info->steps < 0)
        palError_Set(error, pal_errorRun,
                     "found no shape in which gravity is balanced, in %d steps", mostSteps);
    else
        palError_Set(error, pal_errorRun, "gravity turns %d elements inside out",
                     body->invertedCount);
    memcpy(body->x, body->rest, (size_t)body->nodeCount * sizeof *body->x);
    palSoftBody_Linearise(body, pal_tangentExact);
    return pal_errorRun;
}

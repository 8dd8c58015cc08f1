// SPDX-License-Identifier: Apache-2.0
#include "body/glue.h"

#include "base/error.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

// A row whose part independent of the others is below this share of the largest is left out: with
// it forces would cancel each other that are huge and known badly.
static const double leastPivot = 1e-4;

// Of an answer to forces that the rows take up altogether rounding alone is left: what is shorter
// than this share of its length before the projection counts as zero.
static const double leastRemainder = 1e-4;

enum
{
    vectorsMax = pal_responseDenseMax + pal_responseUnitsMax,
};

// ---------------------------------------------------------------------------------------------
// Making

static bool initPivoted(palPivoted* pivoted, int max)
{
    pivoted->S = calloc((size_t)max * (size_t)max, sizeof(double));
    pivoted->order = calloc((size_t)max, sizeof(int));
    return pivoted->S != NULL && pivoted->order != NULL;
}

static palResult initPart(palGlue* glue, const palResponse* response, palGluePart* part,
                          palError* error)
{
    size_t rows = (size_t)glue->maxRows, entries = (size_t)glue->maxEntries;
    part->start = calloc(rows + 1, sizeof *part->start);
    part->nodes = calloc(entries, sizeof *part->nodes);
    part->values = calloc(entries, sizeof *part->values);
    part->turned = calloc(entries, sizeof *part->turned);
    part->rows = calloc(rows, sizeof *part->rows);
    part->isTied = calloc((size_t)response->soft.body->freeCount + 1, sizeof *part->isTied);
    if (!part->start || !part->nodes || !part->values || !part->turned || !part->rows ||
        !part->isTied)
        return palError_Memory(error, "the ties of a soft body", entries * sizeof *part->values);
    return palReach_Create(palSoftFactor_Cholesky(response->soft.factor), glue->maxRows,
                           glue->maxEntries, &part->reach, error);
}

palResult palGlue_Create(palResponse* const* responses, int bodyCount, int maxRows, int maxEntries,
                         palGlue** glue, palError* error)
{
    *glue = NULL;
    palGlue* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the ties of soft bodies", sizeof *created);
    created->maxRows = maxRows;
    created->maxEntries = maxEntries;
    created->bodyCount = bodyCount;
    size_t square = (size_t)maxRows * (size_t)maxRows;
    created->parts = calloc((size_t)bodyCount, sizeof *created->parts);
    created->W = calloc(square, sizeof(double));
    created->source = calloc((size_t)maxRows, sizeof *created->source);
    created->right = calloc((size_t)vectorsMax * (size_t)maxRows, sizeof(double));
    palResult result = pal_ok;
    if (!created->parts || !created->W || !created->right || !created->source ||
        !initPivoted(&created->byA, maxRows) || !initPivoted(&created->byMass, maxRows))
        result = palError_Memory(error, "the ties of soft bodies", 3 * square * sizeof(double));
    for (int i = 0; i < bodyCount && result == pal_ok; i++)
        result = initPart(created, responses[i], &created->parts[i], error);
    if (result != pal_ok)
    {
        palGlue_Destroy(created);
        return result;
    }
    *glue = created;
    return pal_ok;
}

void palGlue_Destroy(palGlue* glue)
{
    if (glue == NULL)
        return;
    for (int i = 0; i < glue->bodyCount && glue->parts != NULL; i++)
    {
        palGluePart* part = &glue->parts[i];
        palReach_Destroy(part->reach);
        free(part->start);
        free(part->nodes);
        free(part->values);
        free(part->turned);
        free(part->rows);
        free(part->isTied);
    }
    free(glue->parts);
    free(glue->byA.S);
    free(glue->byA.order);
    free(glue->byMass.S);
    free(glue->byMass.order);
    free(glue->W);
    free(glue->source);
    free(glue->right);
    free(glue);
}

// ---------------------------------------------------------------------------------------------
// The rows

// Adds a row's entries on one body to that body's part.
static void addEntries(palGluePart* part, const palSoftBody* body, int index,
                       const palGlueRows* rows, int r, int row)
{
    int end = part->start[part->count];
    for (int e = rows->start[r]; e < rows->start[r + 1]; e++)
    {
        int node = rows->bodies[e] == index ? body->freeIndex[rows->nodes[e]] : -1;
        if (node < 0)
            continue;
        part->nodes[end] = node;
        part->values[end++] = rows->values[e];
        part->isTied[node] = 1;
    }
    if (end == part->start[part->count])
        return;
    part->rows[part->count++] = row;
    part->start[part->count] = end;
}

static bool isBetween(const palGlueRows* rows, int r, const int* bodies, int count)
{
    for (int e = rows->start[r]; e < rows->start[r + 1]; e++)
        for (int b = 0; b < count; b++)
            if (rows->bodies[e] == bodies[b])
                return true;
    return false;
}

static int collectRows(palGlue* glue, palResponse* const* responses, const int* bodies, int count,
                       const palGlueRows* rows)
{
    int taken = 0, entries = 0;
    for (int b = 0; b < count; b++)
    {
        palGluePart* part = &glue->parts[bodies[b]];
        part->count = 0;
        memset(part->isTied, 0, (size_t)responses[bodies[b]]->soft.body->freeCount);
    }
    for (int r = 0; r < rows->count; r++)
    {
        if (!isBetween(rows, r, bodies, count))
            continue;
        entries += rows->start[r + 1] - rows->start[r];
        if (taken == glue->maxRows || entries > glue->maxEntries)
        {
            glue->dropped++;
            continue;
        }
        for (int b = 0; b < count; b++)
            addEntries(&glue->parts[bodies[b]], responses[bodies[b]]->soft.body, bodies[b], rows, r,
                       taken);
        glue->source[taken++] = r;
    }
    return taken;
}

static void factorPivoted(palPivoted* pivoted, double* work)
{
    int n = pivoted->count;
    double largest = 0.0;
    lapack_int rank = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, pivoted->S[i * n + i]);
    // LAPACK sees the transpose, which is the same matrix: its lower triangle is our upper one.
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', n, pivoted->S, n, pivoted->order, &rank,
                        leastPivot * largest, work);
    pivoted->rank = rank;
}

// x = S⁻¹ x for `vectors` right-hand sides of n numbers each; rows left out get 0. `work` [n].
static void solvePivoted(const palPivoted* pivoted, double* x, int vectors, double* work)
{
    int n = pivoted->count, rank = pivoted->rank;
    for (int v = 0; v < vectors; v++)
    {
        double* b = x + (size_t)v * (size_t)n;
        for (int i = 0; i < rank; i++)
            work[i] = b[pivoted->order[i] - 1];
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, rank, pivoted->S, n,
                    work, 1);
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, rank, pivoted->S, n, work,
                    1);
        memset(b, 0, (size_t)n * sizeof *b);
        for (int i = 0; i < rank; i++)
            b[pivoted->order[i] - 1] = work[i];
    }
}

// One body's share of C A⁻¹ Cᵀ. A factor of the past is turned with the nodes.
static void addShare(palGlue* glue, palGluePart* part, const palResponse* response)
{
    palSparseRows C = {part->count, part->start, part->nodes, part->values};
    if (part->count == 0 ||
        !palSoftFactor_Reach(response->soft.factor, &C, part->turned, part->reach))
        return;
    palReach_Gram(part->reach, 1.0, glue->W, (size_t)part->count);
    for (int i = 0; i < part->count; i++)
        for (int j = 0; j < part->count; j++)
            glue->byA.S[part->rows[i] * glue->byA.count + part->rows[j]] +=
                glue->W[i * part->count + j];
}

// One body's share of C M⁻¹ Cᵀ; M is diagonal.
static void addInstantShare(palGlue* glue, const palGluePart* part, palResponse* response)
{
    double* column = response->columns.KV; // work
    memset(column, 0, palResponse_Rows(response) * sizeof *column);
    for (int i = 0; i < part->count; i++)
    {
        for (int e = part->start[i]; e < part->start[i + 1]; e++)
        {
            double inverse = 1.0 / response->soft.mass[part->nodes[e]];
            column[3 * part->nodes[e]] += inverse * part->values[e].x;
            column[3 * part->nodes[e] + 1] += inverse * part->values[e].y;
            column[3 * part->nodes[e] + 2] += inverse * part->values[e].z;
        }
        for (int j = 0; j < part->count; j++)
            for (int e = part->start[j]; e < part->start[j + 1]; e++)
            {
                const double* x = column + 3 * part->nodes[e];
                glue->byMass.S[part->rows[i] * glue->byMass.count + part->rows[j]] +=
                    part->values[e].x * x[0] + part->values[e].y * x[1] + part->values[e].z * x[2];
            }
        for (int e = part->start[i]; e < part->start[i + 1]; e++)
            for (int c = 0; c < 3; c++)
                column[3 * part->nodes[e] + c] = 0.0;
    }
}

int palGlue_Take(palGlue* glue, palResponse* const* responses, const int* bodies, int count,
                 const palGlueRows* rows)
{
    int n = collectRows(glue, responses, bodies, count, rows);
    size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    glue->byA.count = glue->byMass.count = n;
    memset(glue->byA.S, 0, bytes);
    memset(glue->byMass.S, 0, bytes);
    for (int b = 0; b < count; b++)
    {
        addShare(glue, &glue->parts[bodies[b]], responses[bodies[b]]);
        addInstantShare(glue, &glue->parts[bodies[b]], responses[bodies[b]]);
    }
    if (n > 0)
    {
        factorPivoted(&glue->byA, glue->right);
        factorPivoted(&glue->byMass, glue->right);
    }
    return n;
}

// ---------------------------------------------------------------------------------------------
// Projection

// right[v] += C x of one body for the vectors from right-hand side `first` on.
static void applyRows(const palGlue* glue, const palGluePart* part, const palResponse* response,
                      int first, int vectors)
{
    for (int v = 0; v < vectors; v++)
    {
        const double* x = palResponse_Right(response, first + v);
        double* right = glue->right + (size_t)v * (size_t)glue->byA.count;
        for (int i = 0; i < part->count; i++)
            for (int e = part->start[i]; e < part->start[i + 1]; e++)
            {
                const double* at = x + 3 * part->nodes[e];
                right[part->rows[i]] += part->values[e].x * at[0] + part->values[e].y * at[1] +
                                        part->values[e].z * at[2];
            }
    }
}

// x = Cᵀ μ of one body.
static void applyTransposed(const palGluePart* part, const double* mu, size_t rows, double* x)
{
    memset(x, 0, rows * sizeof *x);
    for (int i = 0; i < part->count; i++)
        for (int e = part->start[i]; e < part->start[i + 1]; e++)
        {
            double* at = x + 3 * part->nodes[e];
            at[0] += mu[part->rows[i]] * part->values[e].x;
            at[1] += mu[part->rows[i]] * part->values[e].y;
            at[2] += mu[part->rows[i]] * part->values[e].z;
        }
}

// μ of all vectors, in glue->right.
static void findForces(palGlue* glue, const palPivoted* pivoted, palResponse* const* responses,
                       const int* bodies, int count, int first, int vectors)
{
    memset(glue->right, 0, (size_t)vectors * (size_t)glue->byA.count * sizeof(double));
    for (int b = 0; b < count; b++)
        applyRows(glue, &glue->parts[bodies[b]], responses[bodies[b]], first, vectors);
    solvePivoted(pivoted, glue->right, vectors, glue->W);
}

// The squares of the lengths in M of vectors over all bodies, [vectors].
static void measure(palResponse* const* responses, const int* bodies, int count, int first,
                    int vectors, double* squares)
{
    for (int v = 0; v < vectors; v++)
    {
        squares[v] = 0.0;
        for (int b = 0; b < count; b++)
        {
            const palResponse* response = responses[bodies[b]];
            const double* x = palResponse_Right(response, first + v);
            for (size_t i = 0; i < palResponse_Rows(response); i++)
                squares[v] += response->soft.mass[i / 3] * x[i] * x[i];
        }
    }
}

// Clears vectors of which a projection left nothing but rounding: scaled to length 1 they would
// move what the rows hold. `before` are their squares before it.
static void clearRounding(palResponse* const* responses, const int* bodies, int count, int first,
                          int vectors, const double* before)
{
    double after[vectorsMax];
    measure(responses, bodies, count, first, vectors, after);
    for (int v = 0; v < vectors; v++)
        for (int b = 0; b < count && after[v] <= leastRemainder * leastRemainder * before[v]; b++)
            memset(palResponse_Right(responses[bodies[b]], first + v), 0,
                   palResponse_Rows(responses[bodies[b]]) * sizeof(double));
}

void palGlue_Project(palGlue* glue, palResponse* const* responses, const int* bodies, int count,
                     int first, int vectors)
{
    if (glue->byA.count == 0)
        return;
    double before[vectorsMax];
    measure(responses, bodies, count, first, vectors, before);
    findForces(glue, &glue->byA, responses, bodies, count, first, vectors);
    for (int b = 0; b < count; b++)
    {
        palResponse* response = responses[bodies[b]];
        size_t rows = palResponse_Rows(response);
        for (int v = 0; v < vectors; v++)
            applyTransposed(&glue->parts[bodies[b]],
                            glue->right + (size_t)v * (size_t)glue->byA.count, rows,
                            response->columns.KV + (size_t)v * rows);
        palResponse_Solve(response, response->columns.KV, vectors);
        cblas_daxpy((int)((size_t)vectors * rows), -1.0, response->columns.KV, 1,
                    palResponse_Right(response, first), 1);
    }
    clearRounding(responses, bodies, count, first, vectors, before);
}

void palGlue_ProjectInstant(palGlue* glue, palResponse* const* responses, const int* bodies,
                            int count, int first, int vectors)
{
    if (glue->byA.count == 0)
        return;
    double before[vectorsMax];
    measure(responses, bodies, count, first, vectors, before);
    findForces(glue, &glue->byMass, responses, bodies, count, first, vectors);
    for (int b = 0; b < count; b++)
    {
        palResponse* response = responses[bodies[b]];
        size_t rows = palResponse_Rows(response);
        for (int v = 0; v < vectors; v++)
        {
            double* x = palResponse_Right(response, first + v);
            applyTransposed(&glue->parts[bodies[b]],
                            glue->right + (size_t)v * (size_t)glue->byA.count, rows,
                            response->columns.KV);
            for (size_t i = 0; i < rows; i++)
                x[i] -= response->columns.KV[i] / response->soft.mass[i / 3];
        }
    }
    clearRounding(responses, bodies, count, first, vectors, before);
}

void palGlue_Balance(palGlue* glue, palResponse* const* responses, const int* bodies, int count,
                     int index)
{
    if (glue->byA.count == 0)
        return;
    findForces(glue, &glue->byA, responses, bodies, count, index, 1);
    for (int b = 0; b < count; b++)
        applyTransposed(&glue->parts[bodies[b]], glue->right,
                        palResponse_Rows(responses[bodies[b]]),
                        palResponse_Right(responses[bodies[b]], index));
}

void palGlue_Reaction(palGlue* glue, palResponse* const* responses, const int* bodies, int count,
                      int index, double* lambda)
{
    if (glue->byA.count == 0)
        return;
    for (int b = 0; b < count; b++)
        palResponse_Solve(responses[bodies[b]], palResponse_Right(responses[bodies[b]], index), 1);
    findForces(glue, &glue->byA, responses, bodies, count, index, 1);
    for (int i = 0; i < glue->byA.count; i++)
        lambda[glue->source[i]] = -glue->right[i];
}

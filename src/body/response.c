// SPDX-License-Identifier: Apache-2.0
#include "body/response.h"

#include "base/error.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

// h*, s: the time scale at which the space is built. Between the periods that a hand feels (20 Hz)
// and rest; the accuracy varies little from 10 to 33 ms.
static const double buildStep = 0.02;

// Directions whose part independent of the others is below this are dropped (its square root is the
// share of the length).
static const double leastIndependence = 1e-8;

enum
{
    columnsMax = pal_responseColumnsMax,
    square = columnsMax * columnsMax,
    eigenWork = 1 + 6 * columnsMax + 2 * square, // that LAPACK's dsyevd asks for
    eigenWholes = 3 + 5 * columnsMax,
};

static size_t rowsOf(const palResponse* response)
{
    return 3 * (size_t)response->body->freeCount;
}

// Pieces of `work`: two square matrices, a third, the eigenvalues, the eigensolver's own, and one
// vector of the body's size times as many as there are columns for the mass-weighted vectors.
static double* squareAt(const palResponse* response, int index)
{
    return response->work + (size_t)index * square;
}

static double* weighted(const palResponse* response)
{
    return response->work + 3 * (size_t)square + columnsMax + eigenWork;
}

// Eigenvalues, ascending, and eigenvectors, one a row, of the symmetric n x n matrix S whose upper
// triangle is given row by row. LAPACKE's other call would allocate its workspace in every step.
static bool findEigenvectors(const palResponse* response, int n, double* S, double* values)
{
    lapack_int wholes[eigenWholes];
    double* work = response->work + 3 * (size_t)square + columnsMax;
    return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, S, n, values, work, eigenWork, wholes,
                               eigenWholes) == 0;
}

palResult palResponse_Create(palSoftBody* body, palResponse** response, palError* error)
{
    *response = NULL;
    palResponse* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the response of a soft body", sizeof *created);
    created->body = body;
    // BLAS threads that wait for each other on a busy machine stretch a step of 15 ms to 90.
    openblas_set_num_threads(1);
    palCholeskyDef def = palDefaultCholeskyDef();
    size_t vectors = (size_t)columnsMax * rowsOf(created);
    created->V = calloc(vectors, sizeof(double));
    created->KV = calloc(vectors, sizeof(double));
    created->turn = calloc((size_t)columnsMax * pal_modesMax, sizeof(double));
    created->work = calloc(3 * (size_t)square + columnsMax + eigenWork + vectors, sizeof(double));
    palResult result = pal_ok;
    if (!created->V || !created->KV || !created->turn || !created->work)
        result =
            palError_Memory(error, "the response of a soft body", 3 * vectors * sizeof(double));
    if (result == pal_ok)
        result = palSoftBody_InitSystem(body, &created->A, error);
    if (result == pal_ok)
        result = palCholesky_Create(&def, &created->A, &created->factor, error);
    if (result != pal_ok)
    {
        palResponse_Destroy(created);
        return result;
    }
    *response = created;
    return pal_ok;
}

void palResponse_Destroy(palResponse* response)
{
    if (response == NULL)
        return;
    palCholesky_Destroy(response->factor);
    palBlockMatrix_Free(&response->A);
    free(response->V);
    free(response->KV);
    free(response->turn);
    free(response->work);
    free(response);
}

static double* column(const palResponse* response, int index)
{
    return response->V + (size_t)index * rowsOf(response);
}

static double* stiffColumn(const palResponse* response, int index)
{
    return response->KV + (size_t)index * rowsOf(response);
}

// The mass of every row, kg.
static void massTimes(const palSoftBody* body, const double* x, double* y)
{
    for (int i = 0; i < body->nodeCount; i++)
    {
        int row = body->freeIndex[i];
        if (row < 0)
            continue;
        for (int c = 0; c < 3; c++)
            y[3 * row + c] = body->mass[i] * x[3 * row + c];
    }
}

// Appends A⁻¹ b for `count` vectors b side by side. K x follows from A x = b without a product:
// K x = (b - (1 + hα) M x)/(hβ + h²).
static void appendSolutions(palResponse* response, const double* b, int count)
{
    const palSoftBody* body = response->body;
    size_t n = rowsOf(response);
    double h = buildStep;
    double inertia = 1.0 + h * body->alpha;
    double scale = 1.0 / (h * body->beta + h * h);
    palCholesky_SolveMany(response->factor, count, b, column(response, response->columnCount), n);
    for (int k = 0; k < count; k++)
    {
        double* Kx = stiffColumn(response, response->columnCount);
        massTimes(body, column(response, response->columnCount), Kx);
        for (size_t i = 0; i < n; i++)
            Kx[i] = scale * (b[(size_t)k * n + i] - inertia * Kx[i]);
        response->columnCount++;
    }
}

// Appends A⁻¹ M x for the `count` columns from `first` on.
static void appendSuccessors(palResponse* response, int first, int count)
{
    size_t n = rowsOf(response);
    double* Mx = weighted(response);
    for (int k = 0; k < count; k++)
        massTimes(response->body, column(response, first + k), Mx + (size_t)k * n);
    appendSolutions(response, Mx, count);
}

// Appends a vector as it is, with its product by K.
static void appendVector(palResponse* response, const double* x)
{
    memcpy(column(response, response->columnCount), x, rowsOf(response) * sizeof *x);
    palBlockMatrix_Multiply(&response->body->K, x, stiffColumn(response, response->columnCount));
    response->columnCount++;
}

// The unit forces at the touched nodes, and last the unbalanced force; side by side in b. Returns
// how many unit forces there are.
static int collectForces(const palResponse* response, const int* nodes, int nodeCount,
                         const double* contact, double* b)
{
    const palSoftBody* body = response->body;
    size_t n = rowsOf(response);
    int count = 0;
    for (int k = 0; k < nodeCount && k < pal_responseNodesMax; k++)
        for (int c = 0; c < 3 && body->freeIndex[nodes[k]] >= 0; c++)
        {
            memset(b + (size_t)count * n, 0, n * sizeof *b);
            b[(size_t)count * n + 3 * (size_t)body->freeIndex[nodes[k]] + (size_t)c] = 1.0;
            count++;
        }
    double* unbalanced = b + (size_t)count * n;
    memcpy(unbalanced, body->force, n * sizeof *b);
    for (size_t i = 0; i < n && contact != NULL; i++)
        unbalanced[i] += contact[i];
    return count;
}

static void collectColumns(palResponse* response, const int* nodes, int nodeCount,
                           const double* contact)
{
    double* b = weighted(response);
    response->columnCount = 0;
    int units = collectForces(response, nodes, nodeCount, contact, b);
    for (int k = 0; k < units; k++)
        appendVector(response, b + (size_t)k * rowsOf(response));
    appendSolutions(response, b, units + 1);
    appendSuccessors(response, units, units + 1);
    appendSuccessors(response, 2 * units + 1, units);
    palSoftBody_Velocities(response->body, b);
    appendVector(response, b);
}

// Scales every column to length 1 in M; a zero column stays zero. Fills the mass-weighted copies
// W = V M^½ whose products are the Gram matrix.
static void normaliseColumns(palResponse* response)
{
    const palSoftBody* body = response->body;
    size_t n = rowsOf(response);
    for (int j = 0; j < response->columnCount; j++)
    {
        double* x = column(response, j);
        double* w = weighted(response) + (size_t)j * n;
        for (int i = 0; i < body->nodeCount; i++)
            for (int c = 0; c < 3 && body->freeIndex[i] >= 0; c++)
                w[3 * body->freeIndex[i] + c] = sqrt(body->mass[i]) * x[3 * body->freeIndex[i] + c];
        double length = cblas_dnrm2((int)n, w, 1);
        double scale = length > 0.0 ? 1.0 / length : 0.0;
        cblas_dscal((int)n, scale, w, 1);
        cblas_dscal((int)n, scale, x, 1);
        cblas_dscal((int)n, scale, stiffColumn(response, j), 1);
    }
}

// P = Q Λ^-½ of the Gram matrix S = Q Λ Qᵀ, dependent directions dropped: VᵀP is orthonormal in M.
// Returns the number of directions; P is [count][m] row by row.
static int orthonormalise(palResponse* response, double* P)
{
    int c = response->columnCount;
    int n = (int)rowsOf(response);
    double* S = squareAt(response, 0);
    double* lambda = response->work + 3 * (size_t)square;
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, c, n, 1.0, weighted(response), n, 0.0, S,
                c);
    if (!findEigenvectors(response, c, S, lambda))
        return 0;
    double least = leastIndependence * lambda[c - 1];
    int first = 0;
    while (first < c && !(lambda[first] > least))
        first++;
    int m = c - first < pal_modesMax ? c - first : pal_modesMax;
    first = c - m;
    for (int i = 0; i < c; i++)
        for (int j = 0; j < m; j++)
            P[i * m + j] = S[(first + j) * c + i] / sqrt(lambda[first + j]);
    return m;
}

// turn = P Z with Z the eigenvectors of Pᵀ (V KVᵀ) P, whose eigenvalues are the modes' k.
static bool diagonalise(palResponse* response, const double* P, int m)
{
    int c = response->columnCount;
    int n = (int)rowsOf(response);
    double* raw = squareAt(response, 0);
    double* half = squareAt(response, 2);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, c, c, n, 1.0, response->V, n, response->KV,
                n, 0.0, raw, c);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, c, m, c, 1.0, raw, c, P, m, 0.0, half,
                m);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, m, c, 1.0, P, m, half, m, 0.0, raw, m);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++)
            raw[j * m + i] = 0.5 * (raw[i * m + j] + raw[j * m + i]);
    if (!findEigenvectors(response, m, raw, response->modes.k))
        return false;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, c, m, m, 1.0, P, m, raw, m, 0.0,
                response->turn, m);
    for (int i = 0; i < m; i++)
        response->modes.k[i] = fmax(0.0, response->modes.k[i]); // rounding of rigid motions
    return true;
}

// y[mode] = Σ turn[column][mode] (V[column] · x)
static void projectOnModes(const palResponse* response, const double* x, double* y)
{
    int m = response->modes.count;
    int n = (int)rowsOf(response);
    memset(y, 0, (size_t)m * sizeof *y);
    for (int j = 0; j < response->columnCount; j++)
    {
        double along = cblas_ddot(n, column(response, j), 1, x, 1);
        for (int i = 0; i < m; i++)
            y[i] += response->turn[j * m + i] * along;
    }
}

bool palResponse_Build(palResponse* response, const int* nodes, int nodeCount,
                       const double* contact, double h)
{
    palSoftBody* body = response->body;
    palModes* modes = &response->modes;
    modes->count = 0;
    response->factored = palSoftBody_Factor(body, buildStep, &response->A, response->factor);
    if (!response->factored)
        return false;
    collectColumns(response, nodes, nodeCount, contact);
    normaliseColumns(response);
    double* P = squareAt(response, 1);
    int m = orthonormalise(response, P);
    if (m == 0 || !diagonalise(response, P, m))
        return false;
    modes->count = m;
    palModes_SetStep(modes, h, body->alpha, body->beta);

    // g and the velocity at the start; v is the last raw vector, so that nothing of it is lost.
    double* b = weighted(response);
    projectOnModes(response, body->force, modes->g);
    palSoftBody_Velocities(body, b);
    massTimes(body, b, b);
    projectOnModes(response, b, modes->v0);
    return true;
}

void palResponse_NodeShape(const palResponse* response, int node, palModeShape* shape)
{
    int row = response->body->freeIndex[node];
    int m = response->modes.count;
    for (int c = 0; c < 3; c++)
    {
        memset(shape->b[c], 0, (size_t)m * sizeof shape->b[c][0]);
        for (int j = 0; row >= 0 && j < response->columnCount; j++)
        {
            double value = column(response, j)[3 * row + c];
            for (int i = 0; i < m && value != 0.0; i++)
                shape->b[c][i] += value * response->turn[j * m + i];
        }
    }
}

// Σ columns · (turn · coefficients)
static void expand(const palResponse* response, const double* coefficients, double* x)
{
    int m = response->modes.count;
    size_t n = rowsOf(response);
    memset(x, 0, n * sizeof *x);
    for (int j = 0; j < response->columnCount; j++)
    {
        double along = cblas_ddot(m, response->turn + j * m, 1, coefficients, 1);
        cblas_daxpy((int)n, along, column(response, j), 1, x, 1);
    }
}

void palResponse_MoveBody(palResponse* response, const palModesState* state)
{
    double* dx = weighted(response);
    double* velocity = dx + rowsOf(response);
    expand(response, state->q, dx);
    expand(response, state->v, velocity);
    palSoftBody_Move(response->body, dx, velocity);
}

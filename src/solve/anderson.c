// SPDX-License-Identifier: Apache-2.0
#include "solve/anderson.h"

#include <math.h>
#include <string.h>

// Added to the diagonal of FᵀF, relative to its trace: differences may depend on each other.
static const double regularization = 1e-10;
// A step is taken back where |f|² is larger than the least so far by more.
static const double growthMax = 4.0;

enum
{
    pauseMin = 4, // plain steps after that
    pauseMax = 256,
};

palAnderson palMakeAnderson(int n, const palRowKernels* kernels, double* memory)
{
    size_t size = (size_t)n;
    return (palAnderson){
        .kernels = kernels,
        .n = n,
        .least = INFINITY,
        .goal = INFINITY,
        .pauseNext = pauseMin,
        .before = memory,
        .f = memory + size,
        .g = memory + 2 * size,
        .F = memory + 3 * size,
        .G = memory + (3 + pal_andersonDepth) * size,
    };
}

void palAnderson_Begin(palAnderson* anderson, const double* x)
{
    memcpy(anderson->before, x, (size_t)anderson->n * sizeof *x);
}

// Adds the differences to the last step, and their row of the Gram matrix.
static void addDifference(palAnderson* anderson, const double* f, const double* g)
{
    int slot = anderson->next, n = anderson->n;
    double* F = anderson->F + (size_t)slot * (size_t)n;
    double* G = anderson->G + (size_t)slot * (size_t)n;
    for (int i = 0; i < n; i++)
    {
        F[i] = f[i] - anderson->f[i];
        G[i] = g[i] - anderson->g[i];
    }
    anderson->next = (slot + 1) % pal_andersonDepth;
    anderson->count += anderson->count < pal_andersonDepth;
    for (int k = 0; k < anderson->count; k++)
        anderson->gram[slot][k] = anderson->gram[k][slot] =
            anderson->kernels->dot(n, F, anderson->F + (size_t)k * (size_t)n);
}

// The coefficients γ of the least |f − F γ|, by Cholesky's method. False if there are none.
static bool combine(const palAnderson* anderson, const double* f, double* gamma)
{
    int count = anderson->count;
    double L[pal_andersonDepth][pal_andersonDepth], trace = 0.0;
    for (int i = 0; i < count; i++)
        trace += anderson->gram[i][i];
    for (int i = 0; i < count; i++)
    {
        gamma[i] =
            anderson->kernels->dot(anderson->n, anderson->F + (size_t)i * (size_t)anderson->n, f);
        for (int j = 0; j <= i; j++)
        {
            double sum = anderson->gram[i][j] + (i == j ? regularization * trace : 0.0);
            for (int k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            if (i == j && !(sum > 0.0 && isfinite(sum)))
                return false;
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
        for (int k = 0; k < i; k++)
            gamma[i] -= L[i][k] * gamma[k];
        gamma[i] /= L[i][i];
    }
    for (int i = count - 1; i >= 0; i--)
    {
        for (int k = i + 1; k < count; k++)
            gamma[i] -= L[k][i] * gamma[k];
        gamma[i] /= L[i][i];
    }
    return count > 0;
}

// Takes the last combination back.
static void takeBack(palAnderson* anderson, double* x)
{
    memcpy(x, anderson->g, (size_t)anderson->n * sizeof *x);
    bool isGain = anderson->least < anderson->goal;
    int longer = 2 * anderson->pauseNext;
    anderson->pauseNext = isGain ? pauseMin : longer < pauseMax ? longer : pauseMax;
    anderson->pause = anderson->pauseNext;
    anderson->goal = isGain ? 0.5 * anderson->least : anderson->goal;
    anderson->count = anderson->next = 0;
    anderson->isKnown = false;
}

bool palAnderson_End(palAnderson* anderson, const double* weights, double* x)
{
    int n = anderson->n;
    size_t size = (size_t)n * sizeof *x;
    double* f = anderson->before;
    for (int i = 0; i < n; i++)
        f[i] = sqrt(weights[i]) * (x[i] - anderson->before[i]);
    double square = anderson->kernels->dot(n, f, f);
    if (anderson->count > 0 && !(square <= growthMax * anderson->least))
    {
        takeBack(anderson, x);
        return true;
    }
    anderson->least = fmin(anderson->least, square);
    if (anderson->pause > 0)
    {
        anderson->pause--;
        return false;
    }
    if (anderson->isKnown)
        addDifference(anderson, f, x);
    memcpy(anderson->f, f, size);
    memcpy(anderson->g, x, size);
    anderson->isKnown = true;
    double gamma[pal_andersonDepth];
    if (!combine(anderson, f, gamma))
        return false;
    for (int k = 0; k < anderson->count; k++)
        gamma[k] = -gamma[k];
    anderson->kernels->add(n, anderson->count, anderson->G, (size_t)n, gamma, x);
    return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "solve/dense.h"
#include "solve/stored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool isSymmetric(int n, const double* M)
{
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
        {
            double a = M[(size_t)i * (size_t)n + (size_t)j],
                   b = M[(size_t)j * (size_t)n + (size_t)i];
            largest = fmax(largest, fmax(fabs(a), fabs(b)));
            difference = fmax(difference, fabs(a - b));
        }
    return difference <= 1e-9 * largest;
}

palResult palStoredProblem_Condense(palStoredProblem* stored, int n, double* M, const double* Bt,
                                    const double* f, palError* error)
{
    const palRowKernels* kernels = palRowKernels_Best();
    int rows = stored->problem.rows;
    if (!isSymmetric(n, M) || palLdl_Factor(n, M, (size_t)n, kernels) > 0)
        return palError_Set(error, pal_errorInput,
                            "the matrix M of the global problem is not symmetric and positive "
                            "definite");
    double* x = malloc(((size_t)n + 1) * sizeof *x);
    if (x == NULL)
        return palError_Memory(error, "condensing a problem", (size_t)n * sizeof *x);
    for (int r = -1; r < rows; r++)
    {
        memcpy(x, r < 0 ? f : Bt + (size_t)r * (size_t)n, (size_t)n * sizeof *x);
        palLdl_Solve(n, M, (size_t)n, kernels, x);
        for (int i = 0; i < rows; i++)
        {
            double product = kernels->dot(n, Bt + (size_t)i * (size_t)n, x);
            if (r < 0)
                stored->gapFree[i] += product;
            else
                stored->W[(size_t)i * (size_t)stored->problem.stride + (size_t)r] = product;
        }
    }
    free(x);
    return pal_ok;
}

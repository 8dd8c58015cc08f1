// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "check.h"
#include "solve/dense.h"

enum
{
    sizeMax = 40,
    strideMax = 44,
};

static void randomMatrix(palRandom* random, int n, double* A)
{
    for (int i = 0; i < n * strideMax; i++)
        A[i] = palRandom_Normal(random);
}

// A of rank `rank`: Z Zᵀ.
static void randomSemiDefinite(palRandom* random, int n, int rank, double* A)
{
    double Z[sizeMax * strideMax];
    randomMatrix(random, n, Z);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            A[i * strideMax + j] = 0.0;
            for (int k = 0; k < rank; k++)
                A[i * strideMax + j] += Z[i * strideMax + k] * Z[j * strideMax + k];
        }
}

static double residual(int n, const double* A, const double* x, const double* b)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++)
    {
        long double sum = -(long double)b[i];
        for (int j = 0; j < n; j++)
            sum += (long double)A[i * strideMax + j] * x[j];
        worst = fmax(worst, fabs((double)sum));
    }
    return worst;
}

static void factors_solve_definite_and_general_systems(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    const palRowKernels* kernels[] = {&pal_rowsScalar, palRowKernels_Best()};
    for (int n = 1; n <= sizeMax; n++)
        for (int k = 0; k < 2; k++)
        {
            double A[sizeMax * strideMax], F[sizeMax * strideMax], b[sizeMax], x[sizeMax];
            int pivots[sizeMax];
            randomSemiDefinite(&random, n, n, A);
            for (int i = 0; i < n; i++)
            {
                A[i * strideMax + i] += 1.0;
                x[i] = b[i] = palRandom_Normal(&random);
            }
            memcpy(F, A, sizeof F);
            assert_int_equal(palLdl_Factor(n, F, strideMax, kernels[k]), 0);
            palLdl_Solve(n, F, strideMax, kernels[k], x);
            ASSERT_BELOW(residual(n, A, x, b), 1e-11);

            randomMatrix(&random, n, A);
            memcpy(F, A, sizeof F);
            memcpy(x, b, sizeof x);
            assert_true(palLu_Factor(n, F, strideMax, kernels[k], pivots));
            palLu_Solve(n, F, strideMax, kernels[k], pivots, x);
            ASSERT_BELOW(residual(n, A, x, b), 1e-9);
        }
}

// A cycle x_i = b_(i-1) behind small diagonal entries: nothing can be divided by in its own place.
static void columns_are_exchanged_where_the_diagonal_is_small(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(8);
    const palRowKernels* kernels[] = {&pal_rowsScalar, palRowKernels_Best()};
    const double diagonals[] = {0.0, 1e-17, 1e-9};
    for (int n = 2; n <= sizeMax; n++)
        for (int k = 0; k < 6; k++)
        {
            double A[sizeMax * strideMax] = {0}, F[sizeMax * strideMax], b[sizeMax], x[sizeMax];
            int pivots[sizeMax];
            for (int i = 0; i < n; i++)
            {
                A[i * strideMax + i] = diagonals[k / 2];
                A[i * strideMax + (i + 1) % n] = 1.0 + palRandom_Unit(&random);
                x[i] = b[i] = palRandom_Normal(&random);
            }
            memcpy(F, A, sizeof F);
            assert_true(palLu_Factor(n, F, strideMax, kernels[k % 2], pivots));
            palLu_Solve(n, F, strideMax, kernels[k % 2], pivots, x);
            ASSERT_BELOW(residual(n, A, x, b), 1e-13);
        }
}

static void dependent_rows_are_dropped_and_consistent_systems_still_solved(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(4);
    for (int n = 2; n <= sizeMax; n++)
    {
        int rank = 1 + palRandom_Below(&random, n - 1);
        double A[sizeMax * strideMax], F[sizeMax * strideMax], b[sizeMax] = {0}, x[sizeMax];
        randomSemiDefinite(&random, n, rank, A);
        for (int j = 0; j < n; j++)
        {
            double force = palRandom_Normal(&random);
            for (int i = 0; i < n; i++)
                b[i] += A[i * strideMax + j] * force;
        }
        memcpy(F, A, sizeof F);
        memcpy(x, b, sizeof x);
        // Rounding may leave a dependent row a pivot of its own, never an independent one none.
        int dropped = palLdl_Factor(n, F, strideMax, palRowKernels_Best());
        assert_in_range(dropped, 1, n - rank);
        palLdl_Solve(n, F, strideMax, palRowKernels_Best(), x);
        ASSERT_BELOW(residual(n, A, x, b), 1e-6);
    }
}

// Rows of forces and of torques, in whatever units: D A D has the dependent rows of A, and D⁻¹ x
// solves it.
static void units_of_the_rows_do_not_matter(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(6);
    for (int n = 2; n <= sizeMax; n++)
        for (int isSingular = 0; isSingular < 2; isSingular++)
        {
            int rank = isSingular ? 1 + palRandom_Below(&random, n - 1) : n;
            double A[sizeMax * strideMax], F[sizeMax * strideMax], S[sizeMax * strideMax];
            double D[sizeMax], x[sizeMax], y[sizeMax] = {0};
            randomSemiDefinite(&random, n, rank, A);
            for (int i = 0; i < n; i++)
            {
                A[i * strideMax + i] += isSingular ? 0.0 : 1.0;
                D[i] = ldexp(1.0, palRandom_Below(&random, 60) - 30);
                x[i] = palRandom_Normal(&random);
            }
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    S[i * strideMax + j] = D[i] * A[i * strideMax + j] * D[j];
            memcpy(F, A, sizeof F);
            for (int i = 0; i < n; i++)
                y[i] = D[i] * x[i];
            int dropped = palLdl_Factor(n, F, strideMax, &pal_rowsScalar);
            assert_int_equal(palLdl_Factor(n, S, strideMax, &pal_rowsScalar), dropped);
            palLdl_Solve(n, F, strideMax, &pal_rowsScalar, x);
            palLdl_Solve(n, S, strideMax, &pal_rowsScalar, y);
            // Powers of two: not even rounding differs.
            for (int i = 0; i < n; i++)
                ASSERT_NEAR(D[i] * y[i], x[i], 0.0);
        }
}

static void a_singular_matrix_has_no_triangular_factors(void** state)
{
    (void)state;
    double A[sizeMax * strideMax] = {0};
    int pivots[sizeMax];
    A[0] = 1.0;
    assert_false(palLu_Factor(2, A, strideMax, palRowKernels_Best(), pivots));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_solve_definite_and_general_systems),
        cmocka_unit_test(columns_are_exchanged_where_the_diagonal_is_small),
        cmocka_unit_test(dependent_rows_are_dropped_and_consistent_systems_still_solved),
        cmocka_unit_test(units_of_the_rows_do_not_matter),
        cmocka_unit_test(a_singular_matrix_has_no_triangular_factors),
    };
    return RUN(tests);
}

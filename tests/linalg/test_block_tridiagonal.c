// SPDX-License-Identifier: Apache-2.0
// The block-tridiagonal factor against LAPACK's dense one.
#include "base/random.h"
#include "check.h"
#include "linalg/block_tridiagonal.h"

#include <lapacke.h>

enum
{
    blocks = 17,
    size = 6 * blocks,
};

typedef struct fixture
{
    palBlockTridiagonal A;
    palTridiagonalFactor L;
    double dense[size][size];
    double b[size];
} fixture;

// G Gᵀ of a random block-bidiagonal G, whose rows are scaled over six decades as positions and
// rotations of a thin wire are.
static void setUp(fixture* f, uint64_t seed)
{
    static double G[size][size];
    palRandom random = palMakeRandom(seed);
    assert_int_equal(palBlockTridiagonal_Init(&f->A, blocks, NULL), pal_ok);
    assert_int_equal(palTridiagonalFactor_Init(&f->L, blocks, NULL), pal_ok);
    for (int r = 0; r < size; r++)
    {
        double scale = r % 6 < 3 ? 1.0 : 1e-3;
        for (int c = 0; c < size; c++)
        {
            bool inBand = c / 6 == r / 6 ? c <= r : c / 6 == r / 6 - 1;
            G[r][c] = inBand ? scale * palRandom_Range(&random, -1.0, 1.0) : 0.0;
        }
        G[r][r] += 3.0 * scale;
        f->b[r] = palRandom_Range(&random, -1.0, 1.0);
    }
    for (int r = 0; r < size; r++)
        for (int c = 0; c < size; c++)
        {
            f->dense[r][c] = 0.0;
            for (int k = 0; k < size; k++)
                f->dense[r][c] += G[r][k] * G[c][k];
            if (r / 6 == c / 6)
                f->A.diagonal[r / 6].m[r % 6][c % 6] = f->dense[r][c];
            if (r / 6 == c / 6 + 1)
                f->A.lower[c / 6].m[r % 6][c % 6] = f->dense[r][c];
        }
}

static void tearDown(fixture* f)
{
    palBlockTridiagonal_Free(&f->A);
    palTridiagonalFactor_Free(&f->L);
}

// |b - A x| / (|A| |x| + |b|) in the largest norm.
static double backwardError(const fixture* f, const double* x, const double* b)
{
    double residual = 0.0, norm = 0.0, most = 0.0, right = 0.0;
    for (int r = 0; r < size; r++)
    {
        double sum = b[r], row = 0.0;
        for (int c = 0; c < size; c++)
        {
            sum -= f->dense[r][c] * x[c];
            row += fabs(f->dense[r][c]);
        }
        residual = fmax(residual, fabs(sum));
        norm = fmax(norm, row);
        most = fmax(most, fabs(x[r]));
        right = fmax(right, fabs(b[r]));
    }
    return residual / (norm * most + right);
}

// Solves the dense system without the rows that are held, by LAPACK; zero there.
static void solveDense(const fixture* f, const uint8_t* held, const double* b, double* x)
{
    static double A[size * size], y[size];
    int place[size], n = 0;
    for (int r = 0; r < size; r++)
        if (held == NULL || !(held[r / 6] >> r % 6 & 1))
            place[n++] = r;
    for (int i = 0; i < n; i++)
    {
        y[i] = b[place[i]];
        for (int j = 0; j < n; j++)
            A[i * n + j] = f->dense[place[i]][place[j]];
    }
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, A, n, y, 1), 0);
    memset(x, 0, size * sizeof *x);
    for (int i = 0; i < n; i++)
        x[place[i]] = y[i];
}

static double largestDifference(const double* a, const double* b)
{
    double most = 0.0, scale = 0.0;
    for (int r = 0; r < size; r++)
    {
        most = fmax(most, fabs(a[r] - b[r]));
        scale = fmax(scale, fabs(b[r]));
    }
    return most / scale;
}

static void solves_like_dense_cholesky(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
    {
        static fixture f;
        setUp(&f, seed);
        assert_true(palTridiagonalFactor_Factor(&f.L, &f.A, NULL));
        double x[size], expected[size];
        memcpy(x, f.b, sizeof x);
        palTridiagonalFactor_Solve(&f.L, 0, x);
        solveDense(&f, NULL, f.b, expected);
        ASSERT_BELOW(backwardError(&f, x, f.b), 1e-15);
        ASSERT_BELOW(largestDifference(x, expected), 1e-13 * 1e6); // times the condition number
        tearDown(&f);
    }
}

static void multiplies_like_the_dense_matrix(void** state)
{
    (void)state;
    static fixture f;
    setUp(&f, 6);
    double y[size];
    palBlockTridiagonal_Multiply(&f.A, f.b, y);
    for (int r = 0; r < size; r++)
    {
        double scale = 0.0;
        for (int c = 0; c < size; c++)
        {
            y[r] -= f.dense[r][c] * f.b[c];
            scale += fabs(f.dense[r][c] * f.b[c]);
        }
        ASSERT_NEAR(y[r], 0.0, 1e-14 * scale);
    }
    tearDown(&f);
}

static void held_rows_are_left_out(void** state)
{
    (void)state;
    static fixture f;
    setUp(&f, 7);
    const uint8_t held[blocks] = {[0] = 0x3f, [3] = 0x07, [8] = 0x38, [9] = 0x15, [16] = 0x02};
    assert_true(palTridiagonalFactor_Factor(&f.L, &f.A, held));
    double x[size], expected[size];
    memcpy(x, f.b, sizeof x);
    palTridiagonalFactor_Solve(&f.L, 0, x);
    solveDense(&f, held, f.b, expected);
    ASSERT_BELOW(largestDifference(x, expected), 1e-7);
    for (int r = 0; r < size; r++)
    {
        double sum = f.b[r];
        for (int c = 0; c < size; c++)
            sum -= f.dense[r][c] * x[c];
        if (held[r / 6] >> r % 6 & 1)
            assert_true(x[r] == 0.0);
        else
            ASSERT_NEAR(sum, 0.0, 1e-9);
    }
    tearDown(&f);
}

static void a_sparse_right_side_starts_at_its_first_block(void** state)
{
    (void)state;
    static fixture f;
    setUp(&f, 8);
    assert_true(palTridiagonalFactor_Factor(&f.L, &f.A, NULL));
    for (int first = 0; first < blocks; first++)
    {
        double b[size] = {0}, x[size], half[size];
        memcpy(b + 6 * first, f.b, 6 * sizeof *b);
        memcpy(x, b, sizeof x);
        palTridiagonalFactor_Solve(&f.L, first, x);
        ASSERT_BELOW(backwardError(&f, x, b), 1e-15);
        // The blocks before are not even read: xᵀ b is |L⁻¹ b|² of the rest.
        for (int r = 0; r < size; r++)
            half[r] = r < 6 * first ? NAN : b[r];
        palTridiagonalFactor_Forward(&f.L, first, half);
        double square = 0.0, product = 0.0;
        for (int r = 6 * first; r < size; r++)
        {
            square += half[r] * half[r];
            product += x[r] * b[r];
        }
        ASSERT_NEAR(square, product, 1e-9 * product);
    }
    tearDown(&f);
}

static void work_grows_in_proportion(void** state)
{
    (void)state;
    int64_t spent[2];
    for (int k = 0; k < 2; k++)
    {
        int n = k == 0 ? 100 : 200;
        palBlockTridiagonal A;
        palTridiagonalFactor L;
        assert_int_equal(palBlockTridiagonal_Init(&A, n, NULL), pal_ok);
        assert_int_equal(palTridiagonalFactor_Init(&L, n, NULL), pal_ok);
        for (int i = 0; i < 6 * n; i++)
            A.diagonal[i / 6].m[i % 6][i % 6] = 1.0;
        double* x = calloc((size_t)n, 6 * sizeof *x);
        assert_true(palTridiagonalFactor_Factor(&L, &A, NULL));
        palTridiagonalFactor_Solve(&L, 0, x);
        spent[k] = L.operations;
        free(x);
        palBlockTridiagonal_Free(&A);
        palTridiagonalFactor_Free(&L);
    }
    // Factor 3 n - 2, and 2 n - 1 for each half of the solve.
    assert_int_equal(spent[0], 7 * 100 - 4);
    assert_int_equal(spent[1], 7 * 200 - 4);
}

static void an_indefinite_matrix_is_refused(void** state)
{
    (void)state;
    static fixture f;
    setUp(&f, 9);
    f.A.diagonal[blocks - 1].m[5][5] *= -1.0;
    assert_false(palTridiagonalFactor_Factor(&f.L, &f.A, NULL));
    // Without that row it is definite.
    const uint8_t held[blocks] = {[blocks - 1] = 0x20};
    assert_true(palTridiagonalFactor_Factor(&f.L, &f.A, held));
    f.A.diagonal[3].m[2][2] = NAN;
    assert_false(palTridiagonalFactor_Factor(&f.L, &f.A, NULL));
    tearDown(&f);
    palError error = {0};
    assert_int_equal(palBlockTridiagonal_Init(&f.A, 0, &error), pal_errorInput);
    assert_true(strlen(error.remedy) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_like_dense_cholesky),
        cmocka_unit_test(multiplies_like_the_dense_matrix),
        cmocka_unit_test(held_rows_are_left_out),
        cmocka_unit_test(a_sparse_right_side_starts_at_its_first_block),
        cmocka_unit_test(work_grows_in_proportion),
        cmocka_unit_test(an_indefinite_matrix_is_refused),
    };
    return RUN(tests);
}

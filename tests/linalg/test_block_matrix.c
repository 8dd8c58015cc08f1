// SPDX-License-Identifier: Apache-2.0
#include "linalg/block_many.h"
#include "matrices.h"

static void pattern_holds_the_given_pairs_and_the_diagonal(void** state)
{
    (void)state;
    enum
    {
        nodes = 40,
        pairCount = 120,
    };
    palRandom random = palMakeRandom(5);
    int pairs[pairCount][2];
    bool joined[nodes][nodes] = {{false}};
    for (int k = 0; k < pairCount; k++)
    {
        for (int e = 0; e < 2; e++)
            pairs[k][e] = palRandom_Below(&random, nodes);
        joined[pairs[k][0]][pairs[k][1]] = joined[pairs[k][1]][pairs[k][0]] = true;
    }
    palBlockMatrix A;
    assert_int_equal(palBlockMatrix_Init(&A, nodes, (const int(*)[2])pairs, pairCount, NULL),
                     pal_ok);
    int count = 0;
    for (int i = 0; i < nodes; i++)
    {
        assert_int_equal(A.columns[A.rowStart[i + 1] - 1], i);
        for (int j = 0; j <= i; j++)
        {
            int slot = palBlockMatrix_Slot(&A, i, j);
            assert_int_equal(slot >= 0, joined[i][j] || i == j);
            if (slot < 0)
                continue;
            assert_int_equal(slot, count);
            assert_int_equal(A.columns[slot], j);
            count++;
        }
    }
    assert_int_equal(count, A.blockCount);
    assert_int_equal(palBlockMatrix_Slot(&A, nodes, 0), -1);
    assert_int_equal(palBlockMatrix_Slot(&A, -1, 0), -1);
    palBlockMatrix_Free(&A);
}

static void elements_give_the_pattern_of_their_pairs(void** state)
{
    (void)state;
    const int tets[2][4] = {{0, 1, 2, 3}, {5, 3, 2, 1}};
    const int pairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {5, 3}, {5, 2}, {5, 1}};
    palBlockMatrix A, B;
    assert_int_equal(palBlockMatrix_InitElements(&A, 7, &tets[0][0], 4, 2, NULL), pal_ok);
    assert_int_equal(palBlockMatrix_Init(&B, 7, pairs, sizeof pairs / sizeof pairs[0], NULL),
                     pal_ok);
    assert_int_equal(A.blockCount, B.blockCount);
    assert_memory_equal(A.rowStart, B.rowStart, 8 * sizeof(int));
    assert_memory_equal(A.columns, B.columns, (size_t)A.blockCount * sizeof(int));
    palBlockMatrix_Free(&A);
    palBlockMatrix_Free(&B);
}

static void a_matrix_like_another_has_its_slots_and_no_values(void** state)
{
    (void)state;
    palBlockMatrix A, like;
    makeRandom(&A, 30, 0.1, 3);
    assert_int_equal(palBlockMatrix_InitLike(&like, &A, NULL), pal_ok);
    assert_int_equal(like.blockCount, A.blockCount);
    for (int i = 0; i < 30; i++)
        for (int j = 0; j <= i; j++)
            assert_int_equal(palBlockMatrix_Slot(&like, i, j), palBlockMatrix_Slot(&A, i, j));
    for (int s = 0; s < like.blockCount; s++)
        for (int k = 0; k < 9; k++)
            assert_true(like.blocks[s].m[k / 3][k % 3] == 0.0);
    palBlockMatrix_Free(&like);
    palBlockMatrix_Free(&A);
}

static void bad_patterns_are_refused(void** state)
{
    (void)state;
    const int stray[][2] = {{0, 1}, {2, 3}};
    const int negative[][2] = {{-1, 1}};
    palBlockMatrix A;
    palError error = {0};
    assert_int_equal(palBlockMatrix_Init(&A, 3, stray, 2, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "node 3"));
    assert_int_equal(palBlockMatrix_Init(&A, 3, negative, 1, &error), pal_errorInput);
    assert_int_equal(palBlockMatrix_Init(&A, 0, NULL, 0, &error), pal_errorInput);
    assert_int_equal(palBlockMatrix_Init(&A, INT32_MAX, NULL, 0, &error), pal_errorInput);
}

static void multiplying_many_is_multiplying_each(void** state)
{
    (void)state;
    enum
    {
        count = 7,
        gap = 5,
    };
    palBlockProduct* const products[] = {pal_blockProductPlain, NULL};
    palElasticBlock block = palMakeElasticBlock(3);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    size_t n = 3 * (size_t)block.nodeCount;
    size_t stride = n + gap;
    double* x = malloc(count * stride * sizeof *x);
    double* y = malloc(count * stride * sizeof *y);
    double* one = malloc(n * sizeof *one);
    double* work = malloc(palBlockMatrix_ManyWork(&block.A) * sizeof *work);
    palRandom random = palMakeRandom(3);
    randomVector(&random, (int)(count * stride), x);
    for (int p = 0; p < 2; p++)
    {
        memcpy(y, x, count * stride * sizeof *y);
        palBlockMatrix_MultiplyMany(&block.A, products[p], count, x, y, stride, work);
        for (size_t k = 0; k < count; k++)
        {
            palBlockMatrix_Multiply(&block.A, x + k * stride, one);
            for (size_t i = 0; i < n; i++)
                ASSERT_NEAR(y[k * stride + i], one[i], 1e-13 * largest((int)n, one));
            // What lies between the vectors is not touched.
            assert_memory_equal(y + k * stride + n, x + k * stride + n, gap * sizeof *y);
        }
    }
    free(x);
    free(y);
    free(one);
    free(work);
    palElasticBlock_Free(&block);
}

static void product_and_residual_are_those_of_the_dense_matrix(void** state)
{
    (void)state;
    enum
    {
        nodes = 30,
        n = 3 * nodes,
    };
    palBlockMatrix A;
    makeRandom(&A, nodes, 0.2, 8);
    double* dense = denseOf(&A);
    palRandom random = palMakeRandom(9);
    double x[n], b[n], y[n], r[n], inPlace[n];
    randomVector(&random, n, x);
    randomVector(&random, n, b);
    palBlockMatrix_Multiply(&A, x, y);
    palBlockMatrix_Residual(&A, b, x, r);
    memcpy(inPlace, b, sizeof b);
    palBlockMatrix_Residual(&A, inPlace, x, inPlace);
    for (int i = 0; i < n; i++)
    {
        long double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += (long double)dense[i * n + j] * x[j];
        ASSERT_NEAR(y[i], (double)sum, 1e-12);
        ASSERT_NEAR(r[i], (double)(b[i] - sum), 1e-12);
        ASSERT_NEAR(inPlace[i], (double)(b[i] - sum), 1e-12);
    }
    free(dense);
    palBlockMatrix_Free(&A);
}

static void block_diagonals_apply_in_place_and_transposed(void** state)
{
    (void)state;
    const palMat3 D[2] = {{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}, {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}};
    const double x[6] = {1, 0, -1, 1, 2, 3};
    const double straight[6] = {-2, -2, -2, 2, 3, 1};
    const double transposed[6] = {-6, -6, -6, 3, 1, 2};
    double y[6], inPlace[6];
    palBlocks_Apply(D, 2, x, y);
    memcpy(inPlace, x, sizeof x);
    palBlocks_ApplyTransposed(D, 2, inPlace, inPlace);
    for (int i = 0; i < 6; i++)
    {
        ASSERT_NEAR(y[i], straight[i], 0.0);
        ASSERT_NEAR(inPlace[i], transposed[i], 0.0);
    }
}

static void residual_of_the_solution_is_zero(void** state)
{
    (void)state;
    // b = A x in exact arithmetic: whole numbers.
    palBlockMatrix A;
    const int pairs[][2] = {{1, 0}};
    assert_int_equal(palBlockMatrix_Init(&A, 2, pairs, 1, NULL), pal_ok);
    palMat3 block = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
    palBlockMatrix_Add(&A, palBlockMatrix_Slot(&A, 1, 0), block);
    palBlockMatrix_Add(&A, palBlockMatrix_Slot(&A, 1, 0), block);
    palBlockMatrix_Add(&A, palBlockMatrix_Slot(&A, 0, 0), pal_identityMat3);
    const double x[6] = {1, 2, 3, -1, 0, 2};
    // Row 0: x0 + 2 blockᵀ x1; row 1: 2 block x0.
    const double b[6] = {1 + 26, 2 + 28, 3 + 30, 28, 64, 100};
    double r[6];
    palBlockMatrix_Residual(&A, b, x, r);
    for (int i = 0; i < 6; i++)
        ASSERT_NEAR(r[i], 0.0, 0.0);
    palBlockMatrix_Clear(&A);
    palBlockMatrix_Multiply(&A, x, r);
    for (int i = 0; i < 6; i++)
        ASSERT_NEAR(r[i], 0.0, 0.0);
    palBlockMatrix_Free(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern_holds_the_given_pairs_and_the_diagonal),
        cmocka_unit_test(elements_give_the_pattern_of_their_pairs),
        cmocka_unit_test(a_matrix_like_another_has_its_slots_and_no_values),
        cmocka_unit_test(bad_patterns_are_refused),
        cmocka_unit_test(multiplying_many_is_multiplying_each),
        cmocka_unit_test(product_and_residual_are_those_of_the_dense_matrix),
        cmocka_unit_test(block_diagonals_apply_in_place_and_transposed),
        cmocka_unit_test(residual_of_the_solution_is_zero),
    };
    return RUN(tests);
}

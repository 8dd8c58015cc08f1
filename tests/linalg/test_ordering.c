// SPDX-License-Identifier: Apache-2.0
#include "linalg/ordering.h"
#include "linalg/supernodes.h"
#include "matrices.h"

#include <pthread.h>

// Gaussian elimination on the pattern: fills[i][j], i > j, both places.
static bool* eliminate(const palBlockMatrix* A, const int* place)
{
    int n = A->nodeCount;
    bool* fill = calloc((size_t)(n * n), sizeof *fill);
    for (int i = 0; i < n; i++)
        for (int k = A->rowStart[i]; k < A->rowStart[i + 1]; k++)
        {
            int a = place[i];
            int b = place[A->columns[k]];
            fill[(a > b ? a : b) * n + (a > b ? b : a)] = true;
        }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j <= i && fill[i * n + k]; j++)
                if (fill[j * n + k])
                    fill[i * n + j] = true;
    return fill;
}

static void checkOrdering(const palBlockMatrix* A)
{
    int n = A->nodeCount;
    palOrdering o;
    assert_int_equal(palOrdering_Init(&o, A, NULL), pal_ok);
    for (int i = 0; i < n; i++)
        assert_int_equal(o.place[o.node[i]], i);
    bool* fill = eliminate(A, o.place);
    for (int j = 0; j < n; j++)
    {
        int below = 0;
        int parent = -1;
        for (int i = n - 1; i > j; i--)
            if (fill[i * n + j])
            {
                below++;
                parent = i;
            }
        assert_int_equal(o.parent[j], parent);
        assert_int_equal(o.below[j], below);
    }

    // Supernodes hold every node once; the rows below one are those of its last column.
    palSupernodes s;
    assert_int_equal(palSupernodes_Init(&s, &o, NULL), pal_ok);
    int* place = malloc((size_t)n * sizeof *place);
    memset(place, -1, (size_t)n * sizeof *place);
    assert_int_equal(s.start[s.count], n);
    for (int k = 0; k < n; k++)
    {
        assert_int_equal(place[s.node[k]], -1);
        place[s.node[k]] = k;
    }
    free(fill);
    fill = eliminate(A, place);
    for (int f = 0; f < s.count; f++)
    {
        assert_true(s.parent[f] == -1 || s.parent[f] > f);
        int below = 0;
        for (int i = s.start[f + 1]; i < n; i++)
        {
            bool any = false;
            for (int j = s.start[f]; j < s.start[f + 1]; j++)
                any = any || fill[i * n + j];
            below += any;
        }
        assert_int_equal(s.below[f], below);
    }
    free(place);
    free(fill);
    palSupernodes_Free(&s);
    palOrdering_Free(&o);
}

static void tree_and_counts_are_those_of_elimination(void** state)
{
    (void)state;
    palBlockMatrix A;
    for (uint64_t seed = 0; seed < 12; seed++)
    {
        makeRandom(&A, 5 + 13 * (int)seed, seed % 3 == 0 ? 0.02 : 0.1, seed);
        checkOrdering(&A);
        palBlockMatrix_Free(&A);
    }
    makeArrow(&A, 60, 2, 1);
    checkOrdering(&A);
    palBlockMatrix_Free(&A);
    makeRing(&A, 50, 2);
    checkOrdering(&A);
    palBlockMatrix_Free(&A);
    palElasticBlock block = palMakeElasticBlock(5);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    checkOrdering(&block.A);
    palElasticBlock_Free(&block);
}

static void graphs_without_edges_keep_their_order(void** state)
{
    (void)state;
    for (int n = 1; n < 5; n++)
    {
        palBlockMatrix A;
        palOrdering o;
        assert_int_equal(palBlockMatrix_Init(&A, n, NULL, 0, NULL), pal_ok);
        assert_int_equal(palOrdering_Init(&o, &A, NULL), pal_ok);
        for (int i = 0; i < n; i++)
        {
            assert_int_equal(o.node[i], i);
            assert_int_equal(o.parent[i], -1);
            assert_int_equal(o.below[i], 0);
        }
        palOrdering_Free(&o);
        palBlockMatrix_Free(&A);
    }
}

static void nested_dissection_fills_less_than_the_given_order(void** state)
{
    (void)state;
    palElasticBlock block = palMakeElasticBlock(6);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    int n = block.nodeCount;
    palOrdering o;
    assert_int_equal(palOrdering_Init(&o, &block.A, NULL), pal_ok);
    int ours = 0;
    int given = 0;
    int* same = calloc((size_t)n, sizeof *same);
    for (int i = 0; i < n; i++)
    {
        same[i] = i;
        ours += o.below[i];
    }
    bool* fill = eliminate(&block.A, same);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            given += fill[i * n + j];
    assert_true(ours < given);
    free(same);
    free(fill);
    palOrdering_Free(&o);
    palElasticBlock_Free(&block);
}

static void* orderMatrix(void* A)
{
    palOrdering* o = malloc(sizeof *o);
    assert_int_equal(palOrdering_Init(o, A, NULL), pal_ok);
    return o;
}

// The random numbers that it takes are the process': orderings at once are those of one alone, and
// the program's own numbers go on as if there had been none.
static void orderings_at_once_do_not_disturb_each_other_or_the_program(void** state)
{
    (void)state;
    enum
    {
        threadCount = 4,
        rounds = 5,
    };
    palElasticBlock block = palMakeElasticBlock(9);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    srand(7);
    int first = rand(), second = rand();
    srand(7);
    assert_int_equal(rand(), first);
    palOrdering* alone = orderMatrix(&block.A);
    assert_int_equal(rand(), second);
    for (int r = 0; r < rounds; r++)
    {
        pthread_t threads[threadCount];
        for (int i = 0; i < threadCount; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, orderMatrix, &block.A), 0);
        for (int i = 0; i < threadCount; i++)
        {
            void* made;
            pthread_join(threads[i], &made);
            palOrdering* o = made;
            assert_memory_equal(o->node, alone->node, (size_t)o->nodeCount * sizeof *o->node);
            palOrdering_Free(o);
            free(o);
        }
    }
    palOrdering_Free(alone);
    free(alone);
    palElasticBlock_Free(&block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_and_counts_are_those_of_elimination),
        cmocka_unit_test(graphs_without_edges_keep_their_order),
        cmocka_unit_test(nested_dissection_fills_less_than_the_given_order),
        cmocka_unit_test(orderings_at_once_do_not_disturb_each_other_or_the_program),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/random.h"
#include "solve/islands.h"

enum
{
    bodiesMax = 60,
    blocksMax = 90,
};

static palContactIslands makeIslands(void)
{
    palContactIslands islands;
    assert_int_equal(palContactIslands_Init(&islands, bodiesMax, blocksMax, NULL), pal_ok);
    return islands;
}

static void two_stacks_on_one_floor_are_two_islands(void** state)
{
    (void)state;
    palContactIslands islands = makeIslands();
    // Body 2 is the floor; 0 on 4 and 1 on 3 stand on it, 5 flies.
    const bool isFixed[6] = {false, false, true, false, false, false};
    const int ends[6][2] = {{1, 3}, {2, 4}, {4, 0}, {3, 2}, {-1, 2}, {4, -1}};
    assert_int_equal(palContactIslands_Find(&islands, 6, isFixed, 6, ends), 3);
    const int island[6] = {0, 1, -1, 1, 0, 2};
    const int bodies[6] = {0, 4, 1, 3, 5, 2}, bodyStart[4] = {0, 2, 4, 5};
    const int blocks[6] = {1, 2, 5, 0, 3, 4}, blockStart[4] = {0, 3, 5, 5};
    assert_memory_equal(islands.islandOfBody, island, sizeof island);
    assert_memory_equal(islands.bodies, bodies, sizeof bodies);
    assert_memory_equal(islands.bodyStart, bodyStart, sizeof bodyStart);
    assert_memory_equal(islands.blocks, blocks, sizeof blocks);
    assert_memory_equal(islands.blockStart, blockStart, sizeof blockStart);
    palContactIslands_Free(&islands);
}

static void nothing_has_no_islands(void** state)
{
    (void)state;
    palContactIslands islands = makeIslands();
    assert_int_equal(palContactIslands_Find(&islands, 0, NULL, 0, NULL), 0);
    assert_int_equal(islands.bodyStart[0], 0);
    assert_int_equal(islands.blockStart[0], 0);
    palContactIslands_Free(&islands);
}

// Spreads the smallest body number over blocks until nothing changes.
static void reference(int bodyCount, const bool* isFixed, int blockCount, int (*ends)[2],
                      int* group)
{
    for (int i = 0; i < bodyCount; i++)
        group[i] = i;
    for (bool changed = true; changed;)
    {
        changed = false;
        for (int b = 0; b < blockCount; b++)
        {
            int i = ends[b][0], j = ends[b][1];
            if (i < 0 || j < 0 || isFixed[i] || isFixed[j] || group[i] == group[j])
                continue;
            group[i] = group[j] = group[i] < group[j] ? group[i] : group[j];
            changed = true;
        }
    }
}

static void random_graphs_are_divided_into_their_components(void** state)
{
    (void)state;
    palContactIslands islands = makeIslands();
    palRandom random = palMakeRandom(3);
    for (int turn = 0; turn < 300; turn++)
    {
        int bodyCount = 1 + palRandom_Below(&random, bodiesMax);
        int blockCount = palRandom_Below(&random, blocksMax + 1);
        bool isFixed[bodiesMax];
        int ends[blocksMax][2], group[bodiesMax], seen[blocksMax] = {0};
        for (int i = 0; i < bodyCount; i++)
            isFixed[i] = palRandom_Below(&random, 5) == 0;
        for (int b = 0; b < blockCount; b++)
            for (int e = 0; e < 2; e++)
                ends[b][e] = palRandom_Below(&random, bodyCount + 1) - 1;
        reference(bodyCount, isFixed, blockCount, ends, group);
        int count =
            palContactIslands_Find(&islands, bodyCount, isFixed, blockCount, (const int(*)[2])ends);
        for (int i = 0; i < bodyCount; i++)
            for (int j = 0; j < bodyCount; j++)
                if (!isFixed[i] && !isFixed[j])
                    assert_int_equal(islands.islandOfBody[i] == islands.islandOfBody[j],
                                     group[i] == group[j]);
        for (int n = 0; n < count; n++)
        {
            assert_true(islands.bodyStart[n] < islands.bodyStart[n + 1]);
            for (int k = islands.bodyStart[n]; k < islands.bodyStart[n + 1]; k++)
                assert_int_equal(islands.islandOfBody[islands.bodies[k]], n);
            for (int k = islands.blockStart[n]; k < islands.blockStart[n + 1]; k++)
            {
                const int* end = ends[islands.blocks[k]];
                assert_true((end[0] >= 0 && islands.islandOfBody[end[0]] == n) ||
                            (end[1] >= 0 && islands.islandOfBody[end[1]] == n));
                assert_true(k == islands.blockStart[n] ||
                            islands.blocks[k - 1] < islands.blocks[k]);
            }
        }
        for (int b = 0; b < blockCount; b++)
            seen[islands.blocks[b]]++;
        for (int b = 0; b < blockCount; b++)
            assert_int_equal(seen[b], 1);
    }
    palContactIslands_Free(&islands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_stacks_on_one_floor_are_two_islands),
        cmocka_unit_test(nothing_has_no_islands),
        cmocka_unit_test(random_graphs_are_divided_into_their_components),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
#include "collide/moving_tree.h"
#include "soup.h"

enum
{
    itemCount = 500,
};

static palBounds randomBox(palRandom* random)
{
    palVec3 centre = randomVec3(random, 1.0);
    return palBounds_With(palMakeBounds(centre), palAdd(centre, randomVec3(random, 0.2)));
}

static void assertFinds(const palMovingTree* tree, const palBounds* boxes, const bool* isIn,
                        palBounds box)
{
    int items[itemCount];
    bool isFound[itemCount] = {0};
    int count = palMovingTree_Find(tree, box, itemCount, items);
    int expected = 0;
    for (int i = 0; i < count; i++)
    {
        assert_false(isFound[items[i]]);
        isFound[items[i]] = true;
    }
    for (int i = 0; i < itemCount; i++)
    {
        bool meets = isIn[i] && palBounds_Meet(boxes[i], box);
        assert_int_equal(isFound[i], meets);
        expected += meets;
    }
    assert_int_equal(count, expected);
}

static void items_that_are_put_in_moved_and_removed_are_found_as_by_testing_each(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    palMovingTree tree;
    palBounds boxes[itemCount];
    bool isIn[itemCount] = {0};
    assert_int_equal(palMovingTree_Init(&tree, itemCount, NULL), pal_ok);
    for (int round = 0; round < 4000; round++)
    {
        int item = (int)(palRandom_Next(&random) % itemCount);
        if (isIn[item] && palRandom_Next(&random) % 4 == 0)
        {
            palMovingTree_Remove(&tree, item);
            isIn[item] = false;
        }
        else
        {
            boxes[item] = randomBox(&random);
            palMovingTree_Put(&tree, item, boxes[item]);
            isIn[item] = true;
        }
        if (round % 20 == 0)
            assertFinds(&tree, boxes, isIn, randomBox(&random));
    }
    for (int i = 0; i < itemCount; i++)
        palMovingTree_Remove(&tree, i);
    assert_int_equal(tree.root, -1);
    palMovingTree_Free(&tree);
}

// Put in by size along a line, the worst order for a tree that is not kept in balance.
static void a_row_of_boxes_makes_a_low_tree(void** state)
{
    (void)state;
    palMovingTree tree;
    assert_int_equal(palMovingTree_Init(&tree, itemCount, NULL), pal_ok);
    for (int i = 0; i < itemCount; i++)
        palMovingTree_Put(&tree, i, palBounds_Grown(palMakeBounds(palMakeVec3(i, 0, 0)), 0.4));
    assert_true(tree.nodes[tree.root].height <= 13); // 1.44 log2(500)
    int items[4];
    assert_int_equal(palMovingTree_Find(&tree, palMakeBounds(palMakeVec3(77.3, 0, 0)), 4, items),
                     1);
    assert_int_equal(items[0], 77);
    palMovingTree_Free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_that_are_put_in_moved_and_removed_are_found_as_by_testing_each),
        cmocka_unit_test(a_row_of_boxes_makes_a_low_tree),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
#include "collide/box_tree.h"
#include "soup.h"

enum
{
    boxCount = 3000,
};

static void randomBoxes(palRandom* random, int count, palBounds* boxes)
{
    for (int i = 0; i < count; i++)
    {
        palVec3 centre = randomVec3(random, 1.0);
        boxes[i] = palBounds_With(palMakeBounds(centre), palAdd(centre, randomVec3(random, 0.1)));
    }
}

static void count(int index, void* data)
{
    ((int*)data)[index]++;
}

static void assertVisits(const palBoxTree* tree, const palBounds* boxes, palBounds box)
{
    int visits[boxCount] = {0};
    palBoxTree_Visit(tree, boxes, box, count, visits);
    for (int i = 0; i < tree->count; i++)
        assert_int_equal(visits[i], palBounds_Meet(boxes[i], box));
}

static void every_box_that_meets_is_visited_once(void** state)
{
    (void)state;
    const int counts[] = {0, 1, 2, 7, 8, 9, 100, boxCount};
    palRandom random = palMakeRandom(31);
    static palBounds boxes[boxCount];
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
    {
        palBoxTree tree;
        randomBoxes(&random, counts[c], boxes);
        assert_int_equal(palBoxTree_Init(&tree, counts[c], boxes, NULL), pal_ok);
        for (int i = 0; i < 50; i++)
        {
            // After the boxes have moved, too.
            if (i == 25)
            {
                randomBoxes(&random, counts[c], boxes);
                palBoxTree_Refit(&tree, boxes);
            }
            palVec3 a = randomVec3(&random, 1.0);
            assertVisits(&tree, boxes, palBounds_With(palMakeBounds(a), randomVec3(&random, 1.0)));
            assertVisits(&tree, boxes, palMakeBounds(a));
        }
        palBoxTree_Free(&tree);
    }
}

// Boxes that touch only meet, and equal centres do not trouble the arrangement.
static void equal_boxes_are_all_found(void** state)
{
    (void)state;
    static palBounds boxes[boxCount];
    for (int i = 0; i < boxCount; i++)
        boxes[i] = (palBounds){{0, 0, 0}, {1, 1, 1}};
    palBoxTree tree;
    assert_int_equal(palBoxTree_Init(&tree, boxCount, boxes, NULL), pal_ok);
    assertVisits(&tree, boxes, palMakeBounds(palMakeVec3(1, 1, 1)));
    assertVisits(&tree, boxes, palMakeBounds(palMakeVec3(1, 1, 1.0000001)));
    palBoxTree_Free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_box_that_meets_is_visited_once),
        cmocka_unit_test(equal_boxes_are_all_found),
    };
    return RUN(tests);
}

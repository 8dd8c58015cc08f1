// SPDX-License-Identifier: Apache-2.0
// Tool contact allocates nothing after Init.
#include "allocations.h"
#include "check.h"
#include "collide/tool_contact.h"
#include "mesh/shapes.h"

static void no_step_allocates(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    palShapeDef peg = palDefaultShapeDef(pal_shapePeg), block = palDefaultShapeDef(pal_shapeBox);
    palSurface tool, soft;
    palToolPair pair;
    palContactList list;
    static palVec3 start[200], end[200];
    static palInsideVertex inside[100];
    assert_int_equal(palMakeShape(&peg, &tool, NULL), pal_ok);
    assert_int_equal(palMakeShape(&block, &soft, NULL), pal_ok);
    assert_true(tool.vertexCount <= 200);
    int before = allocations;
    assert_int_equal(palToolPair_Init(&pair, &tool, &soft, NULL), pal_ok);
    assert_int_equal(palContactList_Init(&list, 1000, NULL), pal_ok);
    assert_true(allocations > before);
    before = allocations;
    int found = 0;
    for (int i = 0; i < 10; i++)
    {
        for (int v = 0; v < tool.vertexCount; v++)
        {
            start[v] = palAdd(tool.vertices[v], palMakeVec3(0.001, 0, 0.062 - 0.001 * i));
            end[v] = palAdd(tool.vertices[v], palMakeVec3(0.001, 0, 0.061 - 0.001 * i));
        }
        palToolPair_Move(&pair, start, end, soft.vertices, soft.vertices);
        palToolPair_Sweep(&pair, &list);
        found += list.count;
        palToolPair_Near(&pair, 0.002, &list);
        found += list.count;
        found += palToolPair_ToolInside(&pair, 0.01, 100, inside);
        found += palToolPair_SoftInside(&pair, 0.01, 100, inside);
    }
    assert_int_equal(allocations, before);
    assert_true(found > 50);
    palContactList_Free(&list);
    palToolPair_Free(&pair);
    palSurface_Free(&tool);
    palSurface_Free(&soft);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_allocates),
    };
    return RUN(tests);
}

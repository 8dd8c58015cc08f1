// SPDX-License-Identifier: Apache-2.0
// The faces around a point as half-spaces: no way that they call clear crosses a face.
#include "check.h"

#include "base/random.h"
#include "collide/collider.h"
#include "math/quat.h"
#include "mesh/shapes.h"
#include "touch/facing.h"

static void initCollider(palCollider* collider, palShapeKind kind, int resolution)
{
    palShapeDef def = palDefaultShapeDef(kind);
    palSurface surface = {0};
    palError error = {0};
    def.resolution = resolution > 0 ? resolution : def.resolution;
    assert_int_equal(palMakeShape(&def, &surface, &error), pal_ok);
    assert_int_equal(palCollider_Init(collider, &surface, 0.0, &error), pal_ok);
}

static palVec3 draw(palRandom* random, double size)
{
    double x = palRandom_Range(random, -size, size), y = palRandom_Range(random, -size, size);
    return palMakeVec3(x, y, palRandom_Range(random, -size, size));
}

// Places outside, and ways from near them: how many are clear, and that none of these crosses.
static void checkWays(palShapeKind kind, int resolution, double size, double step)
{
    palCollider collider;
    palRandom random = palMakeRandom(7);
    const double offset = 1e-8;
    int clear = 0, free = 0;
    initCollider(&collider, kind, resolution);
    for (int i = 0; i < 4000; i++)
    {
        palVec3 place = draw(&random, size);
        palNearest nearest;
        if (!palColliders_Nearest(&collider, 1, place, 4.0 * step, &nearest) ||
            nearest.gap < 0.01 * step)
            continue;
        palFacing facing;
        palFacing_Find(&facing, &collider, 1, place, 3.0 * step);
        palVec3 start = draw(&random, 0.3 * nearest.gap), end = draw(&random, step);
        palCrossing crossing;
        bool crosses =
            palBvh_FirstCrossing(collider.bvh, palAdd(place, start), palAdd(place, end), &crossing);
        bool isClear = palFacing_IsClear(&facing, start, end, offset);
        assert_false(isClear && crosses);
        clear += isClear;
        free += !crosses;
    }
    print_message("%d of %d free ways are clear\n", clear, free);
    assert_true(clear > free / 4);
    palCollider_Free(&collider);
}

static void no_clear_way_crosses_a_face(void** state)
{
    (void)state;
    checkWays(pal_shapeSleeve, 64, 0.02, 0.002);
    checkWays(pal_shapeSleeve, 256, 0.02, 0.002);
    checkWays(pal_shapeBox, 4, 0.1, 0.01);
    checkWays(pal_shapeSphere, 24, 0.1, 0.01);
    checkWays(pal_shapeRocker, 0, 0.05, 0.005);
    checkWays(pal_shapeSineBlock, 0, 0.05, 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_clear_way_crosses_a_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

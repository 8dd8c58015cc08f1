// SPDX-License-Identifier: Apache-2.0
// The least gap of a tool's points is that of looking at every one of them, however it moves.
#include "check.h"

#include "base/random.h"
#include "mesh/shapes.h"
#include "runtime/tool_gap.h"

static void addShape(palCollider* collider, palShapeKind kind, palVec3 position)
{
    palSurface surface;
    palShapeDef shape = palDefaultShapeDef(kind);
    assert_int_equal(palMakeShape(&shape, &surface, NULL), pal_ok);
    palSurface_Transform(&surface, 1.0, pal_identityQuat, position);
    assert_int_equal(palCollider_Init(collider, &surface, 0.1, NULL), pal_ok);
}

static double bruteGap(const palCollider* colliders, int count, const palSurface* tool,
                       const palHandRecord* record)
{
    double least = INFINITY;
    for (int i = 0; i < tool->vertexCount; i++)
    {
        palNearest nearest;
        palVec3 x = palAdd(record->proxy, palRotate(record->proxyTurn, tool->vertices[i]));
        assert_true(palColliders_Nearest(colliders, count, x, INFINITY, &nearest));
        least = fmin(least, nearest.gap);
    }
    return least;
}

static void it_is_that_of_all_points(void** state)
{
    (void)state;
    palCollider colliders[2];
    palSurface tool;
    palShapeDef peg = palDefaultShapeDef(pal_shapePeg);
    palToolGap gap;
    palRandom random = palMakeRandom(11);
    addShape(&colliders[0], pal_shapeSphere, pal_zeroVec3);
    addShape(&colliders[1], pal_shapeBox, palMakeVec3(0.2, 0.0, 0.0));
    assert_int_equal(palMakeShape(&peg, &tool, NULL), pal_ok);
    assert_int_equal(palToolGap_Init(&gap, colliders, 2, tool.vertices, tool.vertexCount, NULL),
                     pal_ok);
    palHandRecord record = {.proxyTurn = pal_identityQuat};
    int inside = 0, outside = 0;
    for (int k = 0; k < 1500; k++)
    {
        // A smooth way past both, with leaps in between.
        double t = 1e-3 * k;
        palVec3 turn = palMakeVec3(sin(3.0 * t), cos(5.0 * t), t);
        record.proxy = palMakeVec3(0.1 + 0.12 * cos(4.0 * t), 0.12 * sin(4.0 * t), 0.01 * sin(t));
        if (k % 100 == 99)
            record.proxy.x = palRandom_Range(&random, -0.3, 0.5);
        record.proxyTurn = palMakeQuatRotationVector(turn);
        double found = palToolGap_Find(&gap, &record);
        double truth = bruteGap(colliders, 2, &tool, &record);
        assert_true(found == truth);
        inside += truth < 0.0;
        outside += truth > 0.0;
    }
    assert_true(inside > 100 && outside > 100);
    palToolGap_Free(&gap);
    palSurface_Free(&tool);
    palCollider_Free(&colliders[0]);
    palCollider_Free(&colliders[1]);
}

static void with_nothing_there_it_is_infinite(void** state)
{
    (void)state;
    const palVec3 point = {0.01, 0.0, 0.0};
    palToolGap gap;
    assert_int_equal(palToolGap_Init(&gap, NULL, 0, &point, 1, NULL), pal_ok);
    const palHandRecord record = {.proxyTurn = pal_identityQuat};
    assert_true(isinf(palToolGap_Find(&gap, &record)));
    palToolGap_Free(&gap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_that_of_all_points),
        cmocka_unit_test(with_nothing_there_it_is_infinite),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// Round holes and shafts are found in a surface, with the height of their facets.
#include "check.h"

#include "math/quat.h"
#include "mesh/rounds.h"
#include "mesh/shapes.h"

enum
{
    roundsMax = 8,
};

static int findIn(const palShapeDef* def, palQuat turn, palVec3 to, palRound* rounds)
{
    palSurface surface = {0};
    palTopology topology = {0};
    palError error = {0};
    int count = -1;
    assert_int_equal(palMakeShape(def, &surface, &error), pal_ok);
    palSurface_Transform(&surface, 1.0, turn, to);
    assert_int_equal(palTopology_Init(&topology, &surface, &error), pal_ok);
    assert_int_equal(palRounds_Find(&surface, &topology, roundsMax, rounds, &count, &error),
                     pal_ok);
    palTopology_Free(&topology);
    palSurface_Free(&surface);
    return count;
}

static void a_sleeve_has_a_hole_and_a_cylinder_a_shaft(void** state)
{
    (void)state;
    palRound rounds[roundsMax];
    palQuat turn = palMakeQuatRotationVector(palMakeVec3(0.3, -0.8, 1.1));
    palVec3 at = {0.02, 0.3, -0.1};
    for (int sides = 12; sides <= 300; sides *= 5)
    {
        palShapeDef sleeve = palDefaultShapeDef(pal_shapeSleeve);
        sleeve.radius = 0.01;
        sleeve.height = 0.03;
        sleeve.resolution = sides;
        assert_int_equal(findIn(&sleeve, turn, at, rounds), 2); // its outside is round as well
        for (int i = 0; i < 2; i++)
        {
            double radius = rounds[i].isHole ? 0.01 : 0.02;
            ASSERT_NEAR(rounds[i].radius, radius, 1e-9);
            ASSERT_NEAR(rounds[i].facetHeight, radius * (1.0 - cos(M_PI / sides)), 1e-9);
            ASSERT_NEAR(rounds[i].halfLength, 0.015, 1e-9);
            ASSERT_NEAR(palDistance(rounds[i].centre, at), 0.0, 1e-9);
            palVec3 axis = palRotate(turn, palMakeVec3(0, 0, 1));
            ASSERT_NEAR(fabs(palDot(rounds[i].axis, axis)), 1.0, 1e-9);
        }
        assert_int_equal(rounds[0].isHole + rounds[1].isHole, 1);
    }
    palShapeDef cylinder = palDefaultShapeDef(pal_shapeCylinder);
    cylinder.radius = 0.02;
    cylinder.resolution = 40;
    assert_int_equal(findIn(&cylinder, turn, at, rounds), 1);
    assert_false(rounds[0].isHole);
    ASSERT_NEAR(rounds[0].radius, 0.02, 1e-9);
}

static void boxes_and_balls_have_none(void** state)
{
    (void)state;
    palRound rounds[roundsMax];
    static const palShapeKind kinds[] = {pal_shapeBox, pal_shapeSphere, pal_shapeSine};
    for (int i = 0; i < 3; i++)
    {
        palShapeDef def = palDefaultShapeDef(kinds[i]);
        assert_int_equal(findIn(&def, pal_identityQuat, pal_zeroVec3, rounds), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sleeve_has_a_hole_and_a_cylinder_a_shaft),
        cmocka_unit_test(boxes_and_balls_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "check.h"
#include "mesh/models.h"

static const palBounds anywhere = {{-1, -1, -1}, {1, 1, 1}};

static palVec3 randomPoint(palRandom* random, double reach)
{
    double x = palRandom_Range(random, -reach, reach);
    double y = palRandom_Range(random, -reach, reach);
    return palMakeVec3(x, y, palRandom_Range(random, -reach, reach));
}

static void cone_is_the_union_of_its_balls(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    const palPart cones[] = {
        {.kind = pal_partCone, .a = {0, 0, 0}, .b = {0.5, 0.2, 0}, .radius = 0.1, .radiusB = 0.3},
        {.kind = pal_partCone, .a = {0, 0.3, 0}, .b = {0, 0, 0.6}, .radius = 0.2, .radiusB = 0.2},
    };
    for (int i = 0; i < 2; i++)
    {
        palSolid solid = palMakeSolid(&cones[i], 1, anywhere, 1.0);
        for (int n = 0; n < 200; n++)
        {
            palVec3 p = randomPoint(&random, 1.0);
            double least = INFINITY;
            for (int k = 0; k <= 2000; k++)
            {
                palVec3 centre = palLerp(cones[i].a, cones[i].b, k / 2000.0);
                double radius = cones[i].radius + k / 2000.0 * (cones[i].radiusB - cones[i].radius);
                least = fmin(least, palDistance(p, centre) - radius);
            }
            ASSERT_NEAR(palSolid_Value(p, &solid), least, 1e-5);
        }
    }
}

// Points of the circle of radius 0.5 about the origin in the plane z = 0, turned by `angle`.
static palVec3 onCircle(double angle)
{
    return palMakeVec3(0.5 * cos(angle), 0.5 * sin(angle), 0.0);
}

static void tube_is_the_union_of_balls_along_its_arc(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    const double spans[] = {0.8, 3.0, 5.0}; // less and more than half a turn
    for (int i = 0; i < 3; i++)
    {
        palPart tube = {.kind = pal_partTube, .radius = 0.1};
        tube.a = onCircle(0.4), tube.c = onCircle(0.4 + spans[i]);
        tube.b = onCircle(0.4 + 0.3 * spans[i]);
        palSolid solid = palMakeSolid(&tube, 1, anywhere, 1.0);
        for (int n = 0; n < 200; n++)
        {
            palVec3 p = randomPoint(&random, 1.0);
            double least = INFINITY;
            for (int k = 0; k <= 4000; k++)
                least = fmin(least, palDistance(p, onCircle(0.4 + spans[i] * k / 4000.0)));
            ASSERT_NEAR(palSolid_Value(p, &solid), least - 0.1, 1e-5);
        }
    }
}

static void disc_and_plate_have_their_dimensions(void** state)
{
    (void)state;
    palPart disc = {.kind = pal_partDisc, .b = {0, 0, 0.4}, .radius = 0.3, .edge = 0.05};
    palSolid solid = palMakeSolid(&disc, 1, anywhere, 2.0);
    ASSERT_NEAR(palSolid_Value(palMakeVec3(0.6, 0, 0.4), &solid), 0.0, 1e-15);
    ASSERT_NEAR(palSolid_Value(palMakeVec3(0, 0.8, 0.4), &solid), 0.2, 1e-15);
    ASSERT_NEAR(palSolid_Value(palMakeVec3(0, 0, 0.8), &solid), 0.0, 1e-15);
    ASSERT_NEAR(palSolid_Value(palMakeVec3(0, 0, -0.1), &solid), 0.1, 1e-15);
    double edge = 0.1 * (1.0 - sqrt(0.5)); // how far the rounding takes the rim in, both ways
    ASSERT_NEAR(palSolid_Value(palMakeVec3(0.6 - edge, 0, 0.8 - edge), &solid), 0.0, 1e-15);

    palPart plate = {.kind = pal_partPlate, .radius = 0.05, .width = 0.2, .edge = 0.01};
    plate.a = onCircle(-1.0), plate.b = onCircle(0.2), plate.c = onCircle(1.0);
    solid = palMakeSolid(&plate, 1, anywhere, 1.0);
    ASSERT_NEAR(palSolid_Value(palMakeVec3(0.55, 0, 0.1), &solid), 0.0, 1e-15);
    ASSERT_NEAR(palSolid_Value(palMakeVec3(0.45, 0, 0.1), &solid), 0.0, 1e-15);
    ASSERT_NEAR(palSolid_Value(palMakeVec3(0.5, 0, 0.3), &solid), 0.1, 1e-15);
}

static void hole_is_taken_away(void** state)
{
    (void)state;
    const palPart parts[] = {
        {.kind = pal_partCone, .b = {0, 0, 0.1}, .radius = 0.4, .radiusB = 0.4},
        {.kind = pal_partDisc, .cut = true, .a = {0, 0, -1}, .b = {0, 0, 1}, .radius = 0.1},
    };
    palSolid solid = palMakeSolid(parts, 2, anywhere, 1.0);
    ASSERT_NEAR(palSolid_Value(pal_zeroVec3, &solid), 0.1, 1e-15);
    ASSERT_NEAR(palSolid_Value(palMakeVec3(0.1, 0, 0), &solid), 0.0, 1e-15);
    ASSERT_NEAR(palSolid_Value(palMakeVec3(0.25, 0, 0), &solid), -0.15, 1e-15);
    ASSERT_NEAR(palSolid_Value(palMakeVec3(0.5, 0, 0), &solid), 0.1, 1e-15);
}

static void models_are_lipschitz_and_smooth_at_their_surface(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    for (int i = 0; i < 2; i++)
    {
        palSolid solid = i == 0 ? palMakeStatue(1.0) : palMakeRocker(1.0);
        palField field = {palSolid_Value, &solid};
        int near = 0;
        for (int n = 0; n < 40000; n++)
        {
            palVec3 p = randomPoint(&random, 0.5);
            if (i == 0)
                p.y += 0.5; // the statue stands on y = 0
            double reach = pow(10.0, palRandom_Range(&random, -6.0, 0.0));
            palVec3 q = palAdd(p, randomPoint(&random, reach));
            double change = fabs(palField_Value(field, p) - palField_Value(field, q));
            ASSERT_BELOW(change, palDistance(p, q) * (1.0 + 1e-9) + 1e-14);
            // Near the zero set the gradient is there and turns with the place, not by jumps.
            palVec3 normal, beside;
            if (!palField_Project(field, 0.02, 1e-12, &p, &normal))
                continue;
            near++;
            ASSERT_NEAR(palField_Value(field, p), 0.0, 1e-12);
            beside =
                palNormalize(palField_Gradient(field, palAdd(p, randomPoint(&random, 1e-5)), 1e-7));
            ASSERT_BELOW(palDistance(palNormalize(palField_Gradient(field, p, 1e-7)), beside),
                         0.01);
        }
        assert_true(near > 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cone_is_the_union_of_its_balls),
        cmocka_unit_test(tube_is_the_union_of_balls_along_its_arc),
        cmocka_unit_test(disc_and_plate_have_their_dimensions),
        cmocka_unit_test(hole_is_taken_away),
        cmocka_unit_test(models_are_lipschitz_and_smooth_at_their_surface),
    };
    return RUN(tests);
}

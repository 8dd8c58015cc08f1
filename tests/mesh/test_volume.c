// SPDX-License-Identifier: Apache-2.0
#include "volumes.h"

#include "math/quat.h"

static palVec3 bend(palVec3 p)
{
    // Trilinear maps of the cube whose Jacobian determinant is a polynomial: see the volumes below.
    return palMakeVec3(p.x * (1.0 + 0.5 * p.y), p.y, p.z * (1.0 + 0.25 * p.x));
}

static void a_trilinear_hex_has_its_exact_volume(void** state)
{
    (void)state;
    palVec3 corners[8];
    for (int k = 0; k < 8; k++)
    {
        const double* n = pal_hexCorners[k];
        corners[k] = bend(palMakeVec3(n[0], n[1], n[2]));
    }
    // det = (1 + y/2)(1 + x/4) + terms of z that vanish: d(x',y',z')/d(x,y,z) is triangular but for
    // dz'/dx, which has no partner. Integral over [-1,1]^3: 8.
    ASSERT_NEAR(palHexVolume(corners), 8.0, 1e-14);
    // A corner of a unit cube pulled out by d along (1,1,1), against a fine sum over the map.
    for (int k = 0; k < 8; k++)
        corners[k] = palMakeVec3(pal_hexCorners[k][0], pal_hexCorners[k][1], pal_hexCorners[k][2]);
    corners[6] = palMakeVec3(1.5, 1.5, 1.5);
    double sum = 0.0;
    const int n = 60;
    for (int i = 0; i < n * n * n; i++)
    {
        double s[3] = {(i % n + 0.5) / n, (i / n % n + 0.5) / n, (i / n / n + 0.5) / n};
        // x = 2 s - 1 + 0.5 s0 s1 s2 in each coordinate: det = 8 (1 + (s1 s2 + s0 s2 + s0 s1) / 4).
        sum += 8.0 * (1.0 + 0.25 * (s[1] * s[2] + s[0] * s[2] + s[0] * s[1]));
    }
    ASSERT_NEAR(palHexVolume(corners), sum / (n * n * n), 1e-3);
    ASSERT_NEAR(palHexVolume(corners), 8.0 * (1.0 + 3.0 / 16.0), 1e-13);
}

static void hex_weights_are_one_at_their_corner_and_sum_to_one(void** state)
{
    (void)state;
    double w[8], sum = 0.0;
    for (int k = 0; k < 8; k++)
    {
        palHexWeights(pal_hexCorners[k][0], pal_hexCorners[k][1], pal_hexCorners[k][2], w);
        for (int i = 0; i < 8; i++)
            ASSERT_NEAR(w[i], i == k, 0.0);
    }
    palHexWeights(0.3, -0.2, 0.9, w);
    for (int i = 0; i < 8; i++)
        sum += w[i];
    ASSERT_NEAR(sum, 1.0, 1e-15);
}

static void a_copy_is_equal_and_its_own(void** state)
{
    (void)state;
    palVolume block = makeShape(pal_volumeBlock, pal_cutFive, 2, 3, 2), copy;
    palError error;
    assert_int_equal(palVolume_Copy(&block, &copy, &error), pal_ok);
    expectSame(&block, &copy, true);
    copy.vertices[0].x = 7.0;
    copy.nodeSets[0].vertices[0] = 5;
    assert_true(block.vertices[0].x != 7.0);
    assert_int_equal(block.nodeSets[0].vertices[0], 0);
    palVolume_Free(&block);
    palVolume_Free(&copy);
}

static void an_empty_volume_can_be_copied_and_freed(void** state)
{
    (void)state;
    palVolume empty = {0}, copy;
    palError error;
    assert_int_equal(palVolume_Copy(&empty, &copy, &error), pal_ok);
    assert_int_equal(copy.vertexCount, 0);
    palVolume_Free(&copy);
    palVolume_Free(&copy);
}

static void a_transform_keeps_shape_and_scales_volume(void** state)
{
    (void)state;
    palVolume block = makeShape(pal_volumeBlock, pal_cutSix, 2, 2, 2);
    palQuat turn = palMakeQuatRotationVector(palMakeVec3(0.3, -1.1, 0.4));
    palVolume_Transform(&block, 3.0, turn, palMakeVec3(1, 2, 3));
    double sum = 0.0;
    for (int e = 0; e < block.tetCount; e++)
        sum += palVolume_ElementVolume(&block, e);
    ASSERT_NEAR(sum, 0.027, 1e-16);
    palBounds bounds = palVolume_Bounds(&block);
    palVec3 middle = palLerp(bounds.low, bounds.high, 0.5);
    ASSERT_NEAR(palDistance(middle, palMakeVec3(1, 2, 3)), 0.0, 1e-15);
    palVolume_Free(&block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trilinear_hex_has_its_exact_volume),
        cmocka_unit_test(hex_weights_are_one_at_their_corner_and_sum_to_one),
        cmocka_unit_test(a_copy_is_equal_and_its_own),
        cmocka_unit_test(an_empty_volume_can_be_copied_and_freed),
        cmocka_unit_test(a_transform_keeps_shape_and_scales_volume),
    };
    return RUN(tests);
}

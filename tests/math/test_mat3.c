// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "check.h"
#include "math/mat3.h"

static palMat3 randomMatrix(palRandom* random)
{
    palMat3 a;
    for (int i = 0; i < 9; i++)
        a.m[i / 3][i % 3] = palRandom_Normal(random);
    return a;
}

static palMat3 randomRotation(palRandom* random)
{
    palQuat q = {palRandom_Normal(random), palRandom_Normal(random), palRandom_Normal(random),
                 palRandom_Normal(random)};
    return palMakeMat3Quat(palNormalizeQuat(q));
}

static double largestDifference(palMat3 a, palMat3 b)
{
    double largest = 0.0;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(a.m[i / 3][i % 3] - b.m[i / 3][i % 3]));
    return largest;
}

static palMat3 diagonal(double a, double b, double c)
{
    return (palMat3){{{a, 0, 0}, {0, b, 0}, {0, 0, c}}};
}

static void assertRotation(palMat3 R)
{
    ASSERT_BELOW(largestDifference(palMat3Mul(R, palMat3Transpose(R)), pal_identityMat3), 1e-14);
    ASSERT_NEAR(palMat3Determinant(R), 1.0, 1e-14);
}

static void inverse_times_matrix_is_identity(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    for (int i = 0; i < 1000; i++)
    {
        palMat3 a = palMat3MulAdd(randomMatrix(&random), 4.0, pal_identityMat3);
        palMat3 inverse;
        assert_true(palMat3Inverse(a, &inverse));
        ASSERT_BELOW(largestDifference(palMat3Mul(a, inverse), pal_identityMat3), 1e-10);
    }
    palMat3 singular = diagonal(1, 1, 0), inverse;
    assert_false(palMat3Inverse(singular, &inverse));
}

static void svd_reproduces_the_matrix_at_every_scale_and_rank(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    const double scales[] = {1e-150, 1e-8, 1.0, 1e8, 1e150};
    for (int i = 0; i < 2000; i++)
    {
        palMat3 a = randomMatrix(&random);
        if (i % 4 == 1)
            a = palOuter(palMat3Column(a, 0), palMat3Column(a, 1)); // rank one
        double scale = scales[i % 5];
        a = palMat3MulAdd((palMat3){0}, scale, a);
        palMat3 U, V;
        double s[3];
        palMat3Svd(a, &U, s, &V);
        assert_true(s[0] >= s[1] && s[1] >= s[2] && s[2] >= 0.0);
        palMat3 again = palMat3Mul(palMat3Mul(U, diagonal(s[0], s[1], s[2])), palMat3Transpose(V));
        ASSERT_BELOW(largestDifference(again, a) / scale, 1e-13);
        ASSERT_BELOW(largestDifference(palMat3Mul(U, palMat3Transpose(U)), pal_identityMat3),
                     1e-13);
        ASSERT_BELOW(largestDifference(palMat3Mul(V, palMat3Transpose(V)), pal_identityMat3),
                     1e-13);
    }
}

static void polar_finds_the_rotation_of_a_stretched_rotation(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    for (int i = 0; i < 1000; i++)
    {
        palMat3 Q = randomRotation(&random);
        palMat3 B = randomRotation(&random);
        palMat3 stretch = palMat3Mul(
            palMat3Mul(B, diagonal(0.1 + palRandom_Unit(&random), 1.0, 2.0)), palMat3Transpose(B));
        palMat3 R, S;
        palMat3Polar(palMat3Mul(Q, stretch), &R, &S);
        ASSERT_BELOW(largestDifference(R, Q), 1e-13);
        ASSERT_BELOW(largestDifference(S, stretch), 1e-13);
    }
}

static void polar_of_an_inverted_matrix_is_a_proper_rotation_and_continuous(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(4);
    for (int i = 0; i < 1000; i++)
    {
        // The smallest stretch passes through zero to -0.01: the rotation must not jump.
        palMat3 Q = randomRotation(&random);
        palMat3 B = randomRotation(&random);
        for (int k = -1; k <= 1; k++)
        {
            palMat3 stretch =
                palMat3Mul(palMat3Mul(B, diagonal(1.0, 0.7, 0.01 * k)), palMat3Transpose(B));
            palMat3 F = palMat3Mul(Q, stretch);
            palMat3 R, S;
            palMat3Polar(F, &R, &S);
            assertRotation(R);
            ASSERT_BELOW(largestDifference(palMat3Mul(R, S), F), 1e-13);
            if (k != 0)
                ASSERT_BELOW(largestDifference(R, Q), 1e-11);
        }
    }
}

static void polar_of_zero_and_flat_matrices_is_finite(void** state)
{
    (void)state;
    palMat3 R, S;
    palMat3Polar((palMat3){0}, &R, &S);
    ASSERT_BELOW(largestDifference(R, pal_identityMat3), 0.0);
    palMat3Polar(diagonal(1, 0, 0), &R, &S);
    assertRotation(R);
    palMat3Polar(diagonal(-1, -1, -1), &R, &S);
    assertRotation(R);
}

static void quaternions_rotate_as_their_matrices(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    for (int i = 0; i < 1000; i++)
    {
        palVec3 r = {palRandom_Normal(&random), palRandom_Normal(&random),
                     palRandom_Normal(&random)};
        palQuat q = palMakeQuatRotationVector(r);
        palVec3 v = {1, 2, 3};
        palVec3 byMatrix = palMat3Apply(palMakeMat3Quat(q), v);
        ASSERT_BELOW(palDistance(palRotate(q, v), byMatrix), 1e-14);
        ASSERT_BELOW(palDistance(palInvRotate(q, byMatrix), v), 1e-14);
        // The rotation vector comes back, up to whole turns.
        palQuat again = palMakeQuatRotationVector(palRotationVector(q));
        ASSERT_BELOW(palDistance(palRotate(again, v), byMatrix), 1e-14);
    }
    palQuat tiny = palMakeQuatRotationVector(palMakeVec3(1e-12, 0, 0));
    ASSERT_NEAR(palRotationVector(tiny).x, 1e-12, 1e-24);
}

static void slerp_turns_at_constant_speed(void** state)
{
    (void)state;
    palQuat a = palMakeQuatRotationVector(palMakeVec3(0, 0, 0.3));
    palQuat b = palMakeQuatRotationVector(palMakeVec3(0, 0, 1.5));
    for (int i = 0; i <= 10; i++)
    {
        palVec3 r = palRotationVector(palSlerp(a, b, 0.1 * i));
        ASSERT_NEAR(r.z, 0.3 + 0.12 * i, 1e-14);
    }
}

static void tangents_complete_a_right_handed_frame(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(6);
    for (int i = 0; i < 1000; i++)
    {
        palVec3 n = {palRandom_Normal(&random), palRandom_Normal(&random),
                     palRandom_Normal(&random)};
        n = i == 0 ? palMakeVec3(0, 0, -1) : palNormalize(n);
        palVec3 t1, t2;
        palTangents(n, &t1, &t2);
        ASSERT_BELOW(palDistance(palCross(t1, t2), n), 1e-15);
        ASSERT_NEAR(palLength(t1), 1.0, 1e-15);
        ASSERT_NEAR(palDot(t1, n), 0.0, 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_times_matrix_is_identity),
        cmocka_unit_test(svd_reproduces_the_matrix_at_every_scale_and_rank),
        cmocka_unit_test(polar_finds_the_rotation_of_a_stretched_rotation),
        cmocka_unit_test(polar_of_an_inverted_matrix_is_a_proper_rotation_and_continuous),
        cmocka_unit_test(polar_of_zero_and_flat_matrices_is_finite),
        cmocka_unit_test(quaternions_rotate_as_their_matrices),
        cmocka_unit_test(slerp_turns_at_constant_speed),
        cmocka_unit_test(tangents_complete_a_right_handed_frame),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
#include "soft_fixture.h"

static const palMaterial material = {.young = 20e3, .poisson = 0.35, .density = 1000.0};

// A tetrahedron with edges of about 10 cm, and the forces' natural size: E times an area.
static const double forceScale = 20e3 * 0.01;

static void randomTet(palRandom* random, palVec3 rest[4])
{
    do
        for (int a = 0; a < 4; a++)
            rest[a] = softRandomVector(random, 0.1);
    while (palTetDeterminant(rest[0], rest[1], rest[2], rest[3]) < 1e-4);
}

// I + a random symmetric strain of the given size.
static palMat3 randomStretch(palRandom* random, double size)
{
    palVec3 a = softRandomVector(random, 1.0);
    palVec3 b = softRandomVector(random, 1.0);
    palMat3 e = palMat3MulAdd(palOuter(a, b), 1.0, palOuter(b, a));
    return palMat3MulAdd(pal_identityMat3, size, e);
}

// Hooke's law: the forces are those of the traction on the faces, a third of a face to each of its
// corners. The area vectors are computed here, not taken from the shape gradients.
static void constant_strain_gives_the_traction_on_the_faces(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    palLame lame = palMaterial_Lame(&material);
    for (int trial = 0; trial < 200; trial++)
    {
        palVec3 rest[4], x[4], force[4];
        palTetElement element;
        randomTet(&random, rest);
        assert_true(palTetElement_Init(&element, rest, lame));
        palMat3 U = randomStretch(&random, 0.05);
        palMat3 R = softRandomRotation(&random);
        palVec3 shift = softRandomVector(&random, 1.0);
        for (int a = 0; a < 4; a++)
            x[a] = palAdd(shift, palMat3Apply(R, palMat3Apply(U, rest[a])));
        palTetElement_Forces(&element, x, force);

        double trace = U.m[0][0] + U.m[1][1] + U.m[2][2] - 3.0;
        palMat3 stress =
            palMat3MulAdd(palMakeMat3Scale(lame.lambda * trace - 2.0 * lame.mu), 2.0 * lame.mu, U);
        for (int a = 0; a < 4; a++)
        {
            palVec3 p = rest[(a + 1) & 3], q = rest[(a + 2) & 3], r = rest[(a + 3) & 3];
            palVec3 area = palScale(0.5, palCross(palSub(q, p), palSub(r, p)));
            if (palDot(area, palSub(rest[a], p)) > 0.0)
                area = palNeg(area);
            // What pulls outward on the opposite face pulls this corner the other way.
            palVec3 third = palScale(1.0 / 3.0, palMat3Apply(stress, area));
            ASSERT_BELOW(palDistance(force[a], palMat3Apply(R, third)), 1e-11 * forceScale);
        }
    }
}

static void a_rigid_motion_gives_no_force(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    for (int trial = 0; trial < 200; trial++)
    {
        palVec3 rest[4], x[4], force[4];
        palTetElement element;
        randomTet(&random, rest);
        palTetElement_Init(&element, rest, palMaterial_Lame(&material));
        palMat3 R = softRandomRotation(&random);
        palVec3 shift = softRandomVector(&random, 0.1);
        for (int a = 0; a < 4; a++)
            x[a] = palAdd(shift, palMat3Apply(R, rest[a]));
        palTetElement_Forces(&element, x, force);
        for (int a = 0; a < 4; a++)
            ASSERT_BELOW(palLength(force[a]), 1e-12 * forceScale);
    }
}

static void forces_balance(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    for (int trial = 0; trial < 200; trial++)
    {
        palVec3 rest[4], x[4], force[4];
        palTetElement element;
        randomTet(&random, rest);
        palTetElement_Init(&element, rest, palMaterial_Lame(&material));
        palVec3 sum = pal_zeroVec3, moment = pal_zeroVec3;
        double size = 0.0;
        for (int a = 0; a < 4; a++)
            x[a] = palAdd(rest[a], softRandomVector(&random, 0.02));
        palTetElement_Forces(&element, x, force);
        for (int a = 0; a < 4; a++)
        {
            sum = palAdd(sum, force[a]);
            moment = palAdd(moment, palCross(x[a], force[a]));
            size += palLength(force[a]);
        }
        ASSERT_BELOW(palLength(sum), 1e-12 * size);
        ASSERT_BELOW(palLength(moment), 1e-10 * size);
    }
}

// Without stress the turning of R does not change the forces to first order, so that the stiffness
// is their exact derivative at every rigid motion.
static void blocks_are_the_derivative_of_the_forces_at_rest(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(4);
    palVec3 rest[4], x[4], plus[4], minus[4], turned[4];
    palTetElement element;
    randomTet(&random, rest);
    palTetElement_Init(&element, rest, palMaterial_Lame(&material));
    palMat3 R = softRandomRotation(&random);
    for (int a = 0; a < 4; a++)
    {
        x[a] = palMat3Apply(R, rest[a]);
        turned[a] = palMat3Apply(R, element.g[a]);
    }
    const double step = 1e-6;
    for (int b = 0; b < 4; b++)
        for (int j = 0; j < 3; j++)
        {
            palVec3 axis = palMat3Column(pal_identityMat3, j);
            palVec3 at = x[b];
            x[b] = palMulAdd(at, step, axis);
            palTetElement_Forces(&element, x, plus);
            x[b] = palMulAdd(at, -step, axis);
            palTetElement_Forces(&element, x, minus);
            x[b] = at;
            for (int a = 0; a < 4; a++)
            {
                palVec3 slope = palScale(-0.5 / step, palSub(plus[a], minus[a]));
                palMat3 block = palTetElement_Block(&element, turned[a], turned[b]);
                ASSERT_BELOW(palDistance(slope, palMat3Column(block, j)), 1e-6 * 20e3 * 0.1);
            }
        }
}

// With what turning.h adds, the stiffness is the derivative, but where an element is pressed flat.
static void turning_completes_the_derivative_under_stress(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(6);
    for (int trial = 0; trial < 20; trial++)
    {
        palVec3 rest[4], x[4], plus[4], minus[4], force[4], turned[4], turning[3];
        palTetElement element;
        randomTet(&random, rest);
        palTetElement_Init(&element, rest, palMaterial_Lame(&material));
        palMat3 F;
        do
            F = palMat3Mul(softRandomRotation(&random), randomStretch(&random, 0.04));
        while (palMat3Determinant(F) < pal_turningAll);
        for (int a = 0; a < 4; a++)
            x[a] = palMat3Apply(F, rest[a]);
        palMat3 R = palTetElement_Forces(&element, x, force);
        palMat3 G = palTurning(F, R, element.lame, pal_tangentExact);
        for (int a = 0; a < 4; a++)
            turned[a] = palMat3Apply(R, element.g[a]);
        const double step = 1e-6;
        for (int k = 0; k < 12; k++)
        {
            double* at = &(&x[k / 3].x)[k % 3];
            double old = *at;
            *at = old + step;
            palTetElement_Forces(&element, x, plus);
            *at = old - step;
            palTetElement_Forces(&element, x, minus);
            *at = old;
            for (int a = 0; a < 4; a++)
            {
                palVec3 slope = palScale(-0.5 / step, palSub(plus[a], minus[a]));
                palMat3 block = palTetElement_Block(&element, turned[a], turned[k / 3]);
                palTurningColumns(element.volume, G, turned[k / 3], turning);
                block = palMat3MulAdd(block, 1.0, palTurningBlock(turning, turned[a]));
                palVec3 column = palMat3Column(block, k % 3);
                ASSERT_BELOW(palDistance(slope, column), 1e-6 * 20e3 * 0.1);
            }
        }
    }
}

// dᵀ K d of an element at F, for displacements d of its corners.
static double stiffnessAlong(const palTetElement* element, palMat3 F, const palVec3 d[4])
{
    palMat3 R = palMat3Rotation(F);
    palMat3 G = palTurning(F, R, element->lame, pal_tangentExact);
    double sum = 0.0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
        {
            palVec3 of[2] = {palMat3Apply(R, element->g[a]), palMat3Apply(R, element->g[b])};
            palVec3 turning[3];
            palTurningColumns(element->volume, G, of[1], turning);
            palMat3 block = palTetElement_Block(element, of[0], of[1]);
            block = palMat3MulAdd(block, 1.0, palTurningBlock(turning, of[0]));
            sum += palDot(d[a], palMat3Apply(block, d[b]));
        }
    return sum;
}

// Pressed by a third an element has directions in which it gives way by itself; pressed flat it has
// none, so that no model of a body runs away in them.
static void an_element_pressed_flat_has_no_negative_stiffness(void** state)
{
    (void)state;
    const double heights[] = {0.7, 0.4, 0.2, 0.05};
    palRandom random = palMakeRandom(7);
    palVec3 rest[4];
    palTetElement element;
    randomTet(&random, rest);
    palTetElement_Init(&element, rest, palMaterial_Lame(&material));
    for (int i = 0; i < 4; i++)
    {
        palMat3 F = pal_identityMat3;
        F.m[2][2] = heights[i];
        double least = INFINITY;
        for (int trial = 0; trial < 500; trial++)
        {
            palMat3 turning = palMat3MulAdd(softRandomRotation(&random), -1.0, pal_identityMat3);
            palVec3 d[4];
            for (int a = 0; a < 4; a++)
                d[a] = palMat3Apply(palMat3Mul(turning, F), rest[a]);
            least = fmin(least, stiffnessAlong(&element, F, d));
        }
        print_message("pressed to %.2f: least %.3e J\n", heights[i], least);
        assert_true(heights[i] > pal_turningNone ? least < 0.0 : least >= 0.0);
    }
}

// A corner pushed through the opposite face by any depth is pushed back out of it.
static void an_inverted_corner_is_pushed_back(void** state)
{
    (void)state;
    const palVec3 rest[4] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0.03, 0.03, 0.1}};
    palTetElement element;
    assert_true(palTetElement_Init(&element, rest, palMaterial_Lame(&material)));
    for (double z = 0.0; z > -0.08; z -= 0.005)
    {
        palVec3 x[4] = {rest[0], rest[1], rest[2], {0.03, 0.03, z}};
        palVec3 force[4];
        palTetElement_Forces(&element, x, force);
        for (int a = 0; a < 4; a++)
            assert_true(palIsFinite(force[a]));
        assert_true(force[3].z > 0.0);
    }
}

static void flat_and_inverted_elements_are_refused(void** state)
{
    (void)state;
    palTetElement element;
    palLame lame = palMaterial_Lame(&material);
    const palVec3 flat[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const palVec3 inverted[4] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    assert_false(palTetElement_Init(&element, flat, lame));
    assert_false(palTetElement_Init(&element, inverted, lame));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_strain_gives_the_traction_on_the_faces),
        cmocka_unit_test(a_rigid_motion_gives_no_force),
        cmocka_unit_test(forces_balance),
        cmocka_unit_test(blocks_are_the_derivative_of_the_forces_at_rest),
        cmocka_unit_test(turning_completes_the_derivative_under_stress),
        cmocka_unit_test(an_element_pressed_flat_has_no_negative_stiffness),
        cmocka_unit_test(an_inverted_corner_is_pushed_back),
        cmocka_unit_test(flat_and_inverted_elements_are_refused),
    };
    return RUN(tests);
}

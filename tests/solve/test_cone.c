// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "check.h"
#include "solve/cone.h"

// A random symmetric positive semi-definite block of the given rank, entries about 1.
static void randomBlock(palRandom* random, int size, int rank, double* A)
{
    double Z[4][4];
    for (int i = 0; i < size; i++)
        for (int k = 0; k < rank; k++)
            Z[i][k] = palRandom_Normal(random);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
        {
            A[i * size + j] = 0.0;
            for (int k = 0; k < rank; k++)
                A[i * size + j] += Z[i][k] * Z[j][k];
        }
}

// Coulomb's law itself: cone, no penetration, complementarity, and slip against friction.
static void checkCoulomb(int size, double mu, const double* A, const double* q,
                         const double* lambda, double tolerance)
{
    double gap[4], slip = 0.0, force = 0.0, power = 0.0, magnitude = 1.0;
    for (int i = 0; i < size; i++)
    {
        gap[i] = q[i];
        for (int j = 0; j < size; j++)
        {
            gap[i] += A[i * size + j] * lambda[j];
            magnitude = fmax(magnitude, fabs(A[i * size + j] * lambda[j]));
        }
        if (i == 0)
            continue;
        slip += gap[i] * gap[i];
        force += lambda[i] * lambda[i];
        power += lambda[i] * gap[i];
    }
    slip = sqrt(slip);
    force = sqrt(force);
    double small = tolerance * magnitude;
    ASSERT_BELOW(-lambda[0], 0.0);
    ASSERT_BELOW(force, mu * lambda[0] * (1.0 + 1e-14));
    ASSERT_BELOW(-gap[0], small);
    if (lambda[0] > 0.0)
        ASSERT_NEAR(gap[0], 0.0, small);
    if (lambda[0] > 0.0 && slip > small)
    {
        ASSERT_NEAR(force, mu * lambda[0], 1e-12 * (1.0 + mu * lambda[0]));
        ASSERT_NEAR(power, -force * slip, small * (1.0 + force));
    }
}

static void one_contact_obeys_coulomb_for_any_coupling(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    int cases[3] = {0, 0, 0}; // open, stick, slide
    for (int trial = 0; trial < 60000; trial++)
    {
        int size = 2 + trial % 3;
        double mu = trial % 7 == 0 ? 0.0 : palRandom_Range(&random, 0.0, 2.0);
        palUnitFactor factor = {0};
        double q[4], lambda[4];
        double slip = trial % 2 ? palRandom_Range(&random, 0.0, 3.0) : 0.0;
        randomBlock(&random, size, size, factor.contact.A);
        for (int i = 0; i < size; i++)
            q[i] = palRandom_Normal(&random);
        palCone_Prepare(size, &factor);
        palCone_Solve(size, mu, &factor, q, &slip, lambda);
        checkCoulomb(size, mu, factor.contact.A, q, lambda, 1e-9);
        double force = 0.0;
        for (int i = 1; i < size; i++)
            force += lambda[i] * lambda[i];
        cases[lambda[0] == 0.0 ? 0 : sqrt(force) < 0.999 * mu * lambda[0] ? 1 : 2]++;
    }
    for (int i = 0; i < 3; i++)
        assert_true(cases[i] > 1000);
}

// The tangents depend on the normal: the block is singular, the motion q lies in its range.
static void one_contact_obeys_coulomb_where_the_block_is_singular(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(6);
    for (int trial = 0; trial < 20000; trial++)
    {
        int size = 2 + trial % 3;
        int rank = 1 + palRandom_Below(&random, size - 1);
        double mu = palRandom_Range(&random, 0.0, 2.0);
        palUnitFactor factor = {0};
        double q[4] = {0}, lambda[4], slip = 0.0;
        randomBlock(&random, size, rank, factor.contact.A);
        for (int j = 0; j < size; j++)
        {
            double force = palRandom_Normal(&random);
            for (int i = 0; i < size; i++)
                q[i] += factor.contact.A[i * size + j] * force;
        }
        palCone_Prepare(size, &factor);
        palCone_Solve(size, mu, &factor, q, &slip, lambda);
        checkCoulomb(size, mu, factor.contact.A, q, lambda, 1e-7);
    }
}

static void projection_is_the_nearest_point_of_the_cone(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(7);
    for (int trial = 0; trial < 2000; trial++)
    {
        int size = 2 + trial % 3;
        double mu = palRandom_Range(&random, 0.0, 2.0);
        double x[4], p[4];
        for (int i = 0; i < size; i++)
            p[i] = x[i] = palRandom_Normal(&random);
        palCone_Project(size, mu, p);
        // p is nearest in a convex set if and only if (x − p)·(y − p) <= 0 for every y in it.
        for (int k = 0; k < 20; k++)
        {
            double y[4], length = 0.0, product = 0.0;
            for (int i = 1; i < size; i++)
            {
                y[i] = palRandom_Normal(&random);
                length += y[i] * y[i];
            }
            y[0] = palRandom_Range(&random, 0.0, 3.0);
            double share = mu * y[0] * palRandom_Unit(&random) / sqrt(length);
            for (int i = 1; i < size; i++)
                y[i] *= share;
            for (int i = 0; i < size; i++)
                product += (x[i] - p[i]) * (y[i] - p[i]);
            ASSERT_BELOW(product, 1e-12);
        }
        double tangent = 0.0;
        for (int i = 1; i < size; i++)
            tangent += p[i] * p[i];
        ASSERT_BELOW(sqrt(tangent), mu * p[0] + 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact_obeys_coulomb_for_any_coupling),
        cmocka_unit_test(one_contact_obeys_coulomb_where_the_block_is_singular),
        cmocka_unit_test(projection_is_the_nearest_point_of_the_cone),
    };
    return RUN(tests);
}

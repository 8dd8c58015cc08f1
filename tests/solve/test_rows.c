// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "check.h"
#include "solve/rows.h"

enum
{
    longest = 67,
    mostRows = 6,
};

static void fill(palRandom* random, int count, double* values)
{
    for (int i = 0; i < count; i++)
        values[i] = palRandom_Normal(random);
}

static void kernels_agree_with_long_double_sums(void** state)
{
    (void)state;
    const palRowKernels* kernels[] = {&pal_rowsScalar, palRowKernels_Best()};
    palRandom random = palMakeRandom(11);
    double W[mostRows * longest], a[mostRows], y[longest], start[longest];
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < longest; n++)
            for (int count = 1; count <= mostRows; count++)
            {
                fill(&random, mostRows * longest, W);
                fill(&random, mostRows, a);
                fill(&random, longest, start);
                memcpy(y, start, sizeof y);
                kernels[k]->add(n, count, W, longest, a, y);
                for (int i = 0; i < longest; i++)
                {
                    long double sum = start[i];
                    for (int j = 0; j < count && i < n; j++)
                        sum += (long double)a[j] * W[j * longest + i];
                    ASSERT_NEAR(y[i], (double)sum, 1e-14);
                }
                long double sum = 0.0;
                for (int i = 0; i < n; i++)
                    sum += (long double)W[i] * start[i];
                ASSERT_NEAR(kernels[k]->dot(n, W, start), (double)sum, 1e-13);
            }
}

static void four_rows_at_once_are_four_times_one_row(void** state)
{
    (void)state;
    const palRowKernels* kernels[] = {&pal_rowsScalar, palRowKernels_Best()};
    palRandom random = palMakeRandom(12);
    double W[mostRows * longest], a[4 * mostRows], Y[4 * longest], start[4 * longest];
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < longest; n++)
            for (int count = 1; count <= mostRows; count++)
            {
                fill(&random, mostRows * longest, W);
                fill(&random, 4 * mostRows, a);
                fill(&random, 4 * longest, start);
                memcpy(Y, start, sizeof Y);
                kernels[k]->addFour(n, count, W, longest, a, Y);
                for (int i = 0; i < 4 * longest; i++)
                {
                    long double sum = start[i];
                    for (int j = 0; j < count && i % longest < n; j++)
                        sum +=
                            (long double)a[i / longest * count + j] * W[j * longest + i % longest];
                    ASSERT_NEAR(Y[i], (double)sum, 1e-14);
                }
            }
}

static void the_largest_is_found_wherever_it_stands(void** state)
{
    (void)state;
    const palRowKernels* kernels[] = {&pal_rowsScalar, palRowKernels_Best()};
    palRandom random = palMakeRandom(13);
    double a[longest];
    for (int k = 0; k < 2; k++)
    {
        assert_true(kernels[k]->largest(0, a) == 0.0);
        for (int n = 1; n < longest; n++)
            for (int place = 0; place < n; place++)
            {
                for (int i = 0; i < n; i++)
                    a[i] = palRandom_Unit(&random) - 0.5;
                a[place] = place % 2 == 0 ? 0.75 : -0.75;
                assert_true(kernels[k]->largest(n, a) == 0.75);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_agree_with_long_double_sums),
        cmocka_unit_test(four_rows_at_once_are_four_times_one_row),
        cmocka_unit_test(the_largest_is_found_wherever_it_stands),
    };
    return RUN(tests);
}

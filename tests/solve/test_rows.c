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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_agree_with_long_double_sums),
    };
    return RUN(tests);
}

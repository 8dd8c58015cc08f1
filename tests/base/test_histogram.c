// SPDX-License-Identifier: Apache-2.0
#include "base/histogram.h"
#include "base/random.h"
#include "check.h"

static int compare(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void percentiles_agree_with_sorting_within_one_percent(void** state)
{
    (void)state;
    enum
    {
        count = 20000
    };
    static double samples[count];
    static palHistogram histogram;
    palHistogram_Clear(&histogram);
    palRandom random = palMakeRandom(7);
    for (int i = 0; i < count; i++)
    {
        samples[i] = exp(4.0 * palRandom_Normal(&random)); // twelve orders of magnitude
        palHistogram_Add(&histogram, samples[i]);
    }
    qsort(samples, count, sizeof samples[0], compare);
    const double shares[] = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999};
    for (int i = 0; i < 6; i++)
    {
        double truth = samples[(int)ceil(shares[i] * count) - 1];
        ASSERT_NEAR(palHistogram_Percentile(&histogram, shares[i]) / truth, 1.0, 0.01);
    }
    assert_true(histogram.max == samples[count - 1]);
}

static void mean_is_exact_and_zeros_count(void** state)
{
    (void)state;
    static palHistogram histogram;
    palHistogram_Clear(&histogram);
    for (int i = 0; i < 3; i++)
        palHistogram_Add(&histogram, 0.0);
    palHistogram_Add(&histogram, 4.0);
    ASSERT_NEAR(palHistogram_Mean(&histogram), 1.0, 0.0);
    ASSERT_NEAR(palHistogram_Percentile(&histogram, 0.5), 0.0, 0.0);
    ASSERT_NEAR(palHistogram_Percentile(&histogram, 1.0), 4.0, 0.0);
}

static void nan_infinity_and_negatives_are_refused_and_counted(void** state)
{
    (void)state;
    static palHistogram histogram;
    palHistogram_Clear(&histogram);
    palHistogram_Add(&histogram, NAN);
    palHistogram_Add(&histogram, -1.0);
    palHistogram_Add(&histogram, INFINITY);
    assert_int_equal(histogram.refused, 3);
    assert_int_equal(histogram.count, 0);
    ASSERT_NEAR(palHistogram_Percentile(&histogram, 0.99), 0.0, 0.0);
}

static void samples_beyond_the_range_keep_their_rank(void** state)
{
    (void)state;
    static palHistogram histogram;
    palHistogram_Clear(&histogram);
    palHistogram_Add(&histogram, 1e-300);
    palHistogram_Add(&histogram, 1.0);
    palHistogram_Add(&histogram, 1e300);
    ASSERT_NEAR(palHistogram_Percentile(&histogram, 0.6), 1.0, 0.01);
    assert_true(palHistogram_Percentile(&histogram, 1.0) > 1e13);
    assert_true(histogram.max == 1e300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_agree_with_sorting_within_one_percent),
        cmocka_unit_test(mean_is_exact_and_zeros_count),
        cmocka_unit_test(nan_infinity_and_negatives_are_refused_and_counted),
        cmocka_unit_test(samples_beyond_the_range_keep_their_rank),
    };
    return RUN(tests);
}

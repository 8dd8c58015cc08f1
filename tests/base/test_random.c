// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "check.h"

static void equal_seeds_give_equal_sequences_and_others_do_not(void** state)
{
    (void)state;
    palRandom a = palMakeRandom(42), b = palMakeRandom(42), c = palMakeRandom(43);
    int same = 0;
    for (int i = 0; i < 100; i++)
    {
        uint64_t value = palRandom_Next(&a);
        assert_true(value == palRandom_Next(&b));
        same += value == palRandom_Next(&c);
    }
    assert_int_equal(same, 0);
}

static void uniform_and_normal_numbers_have_their_moments(void** state)
{
    (void)state;
    enum
    {
        count = 200000
    };
    palRandom random = palMakeRandom(1);
    double sum = 0, squares = 0, normalSum = 0, normalSquares = 0;
    for (int i = 0; i < count; i++)
    {
        double u = palRandom_Unit(&random);
        assert_true(u >= 0.0 && u < 1.0);
        double n = palRandom_Normal(&random);
        sum += u, squares += u * u, normalSum += n, normalSquares += n * n;
    }
    // Five standard errors each.
    ASSERT_NEAR(sum / count, 0.5, 5 * 0.2887 / sqrt(count));
    ASSERT_NEAR(squares / count, 1.0 / 3.0, 5 * 0.298 / sqrt(count));
    ASSERT_NEAR(normalSum / count, 0.0, 5 / sqrt(count));
    ASSERT_NEAR(normalSquares / count, 1.0, 5 * sqrt(2.0 / count));
}

static void below_reaches_every_value_and_no_other(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    int seen[7] = {0};
    for (int i = 0; i < 7000; i++)
        seen[palRandom_Below(&random, 7)]++;
    for (int i = 0; i < 7; i++)
        assert_in_range(seen[i], 800, 1200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_seeds_give_equal_sequences_and_others_do_not),
        cmocka_unit_test(uniform_and_normal_numbers_have_their_moments),
        cmocka_unit_test(below_reaches_every_value_and_no_other),
    };
    return RUN(tests);
}

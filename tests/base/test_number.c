// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/number.h"
#include "base/random.h"

#include <float.h>

// The digits of the mantissa, without leading and trailing zeros.
static int digitsOf(const char* text)
{
    int count = 0, zeros = 0;
    for (const char* c = text; *c != '\0' && *c != 'e'; c++)
    {
        if (*c < '0' || *c > '9')
            continue;
        zeros = *c == '0' ? zeros + 1 : 0;
        count += *c != '0' || count > 0;
    }
    return count - zeros;
}

static void checkNumber(double value)
{
    char text[pal_numberTextMax], shorter[64];
    size_t length = palFormatNumber(value, text);
    assert_int_equal(strlen(text), length);
    double back = strtod(text, NULL);
    assert_memory_equal(&back, &value, sizeof value);
    int digits = digitsOf(text);
    if (digits <= 1 || fabs(value) < DBL_MIN) // subnormal numbers have six digits or more
        return;
    snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
    if (strtod(shorter, NULL) == value)
        fail_msg("%s could be %s", text, shorter);
}

static void random_numbers_are_read_back_bit_for_bit_from_the_fewest_digits(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(11);
    for (int i = 0; i < 30000;)
    {
        double value;
        uint64_t bits = palRandom_Next(&random);
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        checkNumber(value);
        checkNumber(nextafter((double)(int64_t)(bits % 100000) / 1000.0, 2e3));
        i++;
    }
}

static void extreme_numbers_are_read_back_bit_for_bit(void** state)
{
    (void)state;
    const double values[] = {
        0.0, -0.0, DBL_MIN, DBL_TRUE_MIN,       DBL_MAX,    -DBL_MAX, 1.0 / 3.0,
        0.1, 1e22, 1e23,    9007199254740993.0, 123456789., 1e5,      -1e-5};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        checkNumber(values[i]);
}

static void people_read_the_usual_form(void** state)
{
    (void)state;
    static const struct
    {
        double value;
        const char* text;
    } cases[] = {{0.1, "0.1"}, {100000, "100000"}, {2e11, "2e+11"}, {-0.033, "-0.033"}, {5, "5"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        char text[pal_numberTextMax];
        palFormatNumber(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_are_read_back_bit_for_bit_from_the_fewest_digits),
        cmocka_unit_test(extreme_numbers_are_read_back_bit_for_bit),
        cmocka_unit_test(people_read_the_usual_form),
    };
    return RUN(tests);
}

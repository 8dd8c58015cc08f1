// SPDX-License-Identifier: Apache-2.0
// cmocka with the comparisons of doubles that it lacks. A test file includes this and nothing else
// of the frame:  int main(void) { const struct CMUnitTest tests[] = {...}; return RUN(tests); }
#ifndef PAL_TESTS_CHECK_H
#define PAL_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RUN(tests) cmocka_run_group_tests(tests, NULL, NULL)

/// |actual - expected| <= tolerance; NaN fails.
#define ASSERT_NEAR(actual, expected, tolerance)                                                   \
    checkNear((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

/// actual <= bound; NaN fails.
#define ASSERT_BELOW(actual, bound) checkBelow((actual), (bound), #actual, __FILE__, __LINE__)

static inline void checkNear(double actual, double expected, double tolerance, const char* what,
                             const char* file, int line)
{
    if (fabs(actual - expected) <= tolerance)
        return;
    print_error("%s = %.17g, expected %.17g within %g (off by %g)\n", what, actual, expected,
                tolerance, fabs(actual - expected));
    _fail(file, line);
}

static inline void checkBelow(double actual, double bound, const char* what, const char* file,
                              int line)
{
    if (actual <= bound)
        return;
    print_error("%s = %.17g, expected at most %.17g\n", what, actual, bound);
    _fail(file, line);
}

#endif

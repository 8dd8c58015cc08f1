// SPDX-License-Identifier: Apache-2.0
// cmocka with the comparisons of doubles that it lacks, and with skips that say why. A test file
// includes this and nothing else of the framework:
//     int main(void) { const struct CMUnitTest tests[] = {...}; return RUN(tests); }
#ifndef PAL_TESTS_CHECK_H
#define PAL_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/// Runs the tests. Gives the exit code: 0 passed, 1 failed, 77 where every test was skipped.
#define RUN(tests) RUN_WITHIN(tests, NULL, NULL)

/// The same between a function before all tests and one after them.
#define RUN_WITHIN(tests, setup, teardown)                                                         \
    toExitCode(cmocka_run_group_tests(tests, setup, teardown),                                     \
               (int)(sizeof tests / sizeof tests[0]))

/// Ends a test that cannot run here. The reason is printed, and test.sh lists it.
#define SKIP(why)                                                                                  \
    do                                                                                             \
    {                                                                                              \
        skippedTests++;                                                                            \
        SKIP_PART(why);                                                                            \
        skip();                                                                                    \
    } while (0)

/// Whether this is a test NAME_long of `./test.sh long`, which takes every variant.
static inline bool isLongRun(void)
{
    return getenv("PAL_LONG") != NULL;
}

/// Leaves a test to the optimised build and to the long run: sanitizers make it many times longer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_SLOWED()                                                                              \
    do                                                                                             \
    {                                                                                              \
        if (!isLongRun())                                                                          \
            SKIP("minutes with a sanitizer; the optimised build and the long run have it");        \
    } while (0)
#else
#define SKIP_SLOWED() (void)0
#endif

/// Says that a part of the test was left out; the test goes on.
#define SKIP_PART(why) printSkipped(__func__, why)

static int skippedTests __attribute__((unused));

static inline void printSkipped(const char* test, const char* why)
{
    printf("skipped: %s: %s\n", test, why);
    fflush(stdout);
}

static inline int toExitCode(int failures, int tests)
{
    return failures != 0 ? 1 : skippedTests == tests ? 77 : 0;
}

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

// SPDX-License-Identifier: Apache-2.0
// A locale whose decimal point is a comma, made by the build in PAL_LOCALES (tests/CMakeLists.txt).
#ifndef PAL_TESTS_COMMA_LOCALE_H
#define PAL_TESTS_COMMA_LOCALE_H

#include "check.h"

#include <locale.h>
#include <stdbool.h>

#define NO_COMMA_LOCALE                                                                            \
    "no locale with a decimal comma; scripts/deps.sh test installs what makes it"

/// Returns false where there is no such locale. leaveCommaLocale ends it.
static inline bool enterCommaLocale(void)
{
    setenv("LOCPATH", PAL_LOCALES, 1);
    bool isThere = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    unsetenv("LOCPATH");
    // Without it, one of the system's.
    isThere = isThere || setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    return isThere && strcmp(localeconv()->decimal_point, ",") == 0;
}

static inline void leaveCommaLocale(void)
{
    setlocale(LC_ALL, "C");
}

#endif

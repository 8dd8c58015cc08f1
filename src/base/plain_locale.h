// SPDX-License-Identifier: Apache-2.0
// Number formatting with a decimal point, independent of the locale set by the host program.
#ifndef PAL_BASE_PLAIN_LOCALE_H
#define PAL_BASE_PLAIN_LOCALE_H

#include <locale.h>

/// Switches this thread to the "C" locale and returns the previous one for palPlainLocale_Leave.
/// The "C" locale is built in: creating it does not allocate and cannot fail.
static inline locale_t palPlainLocale_Enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static inline void palPlainLocale_Leave(locale_t previous)
{
    uselocale(previous);
}

#endif

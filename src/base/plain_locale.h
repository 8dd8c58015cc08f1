// SPDX-License-Identifier: Apache-2.0
// Numbers as text: with a decimal point, whatever locale the program around the library has set.
#ifndef PAL_BASE_PLAIN_LOCALE_H
#define PAL_BASE_PLAIN_LOCALE_H

#include <locale.h>

/// From here on this thread reads and writes numbers as C does. Returns the locale to go back to.
/// The "C" locale is built in: asking for it allocates nothing and cannot fail.
static inline locale_t palPlainLocale_Enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static inline void palPlainLocale_Leave(locale_t callers)
{
    uselocale(callers);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// A number as decimal text that is read back bit for bit.
#ifndef PAL_BASE_NUMBER_H
#define PAL_BASE_NUMBER_H

#include <stddef.h>

enum
{
    pal_numberTextMax = 32, // bytes of any number, with the final zero
};

/// Writes a finite number with the fewest digits that strtod turns into the same number, subnormal
/// numbers with at least six. The caller sets the "C" locale (base/plain_locale.h). Returns the
/// length.
size_t palFormatNumber(double value, char out[pal_numberTextMax]);

#endif

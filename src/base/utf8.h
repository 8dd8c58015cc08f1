// SPDX-License-Identifier: Apache-2.0
// UTF-8 validation.
#ifndef PAL_BASE_UTF8_H
#define PAL_BASE_UTF8_H

#include <stddef.h>

/// The length of the character at `at`, with `available` >= 1 bytes to the end of the text, or 0 if
/// it is invalid: truncated, overlong, a surrogate or above U+10FFFF (RFC 3629, section 4).
size_t palUtf8_Length(const unsigned char* at, size_t available);

#endif

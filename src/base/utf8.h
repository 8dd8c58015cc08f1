// SPDX-License-Identifier: Apache-2.0
// Whether bytes are UTF-8.
#ifndef PAL_BASE_UTF8_H
#define PAL_BASE_UTF8_H

#include <stddef.h>

/// The length of the character at `at`, of which `left` >= 1 bytes are there, or 0 where it is
/// none: too short, overlong, a surrogate or past U+10FFFF (RFC 3629, section 4).
size_t palUtf8_Length(const unsigned char* at, size_t left);

#endif

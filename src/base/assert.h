// SPDX-License-Identifier: Apache-2.0
// PAL_ASSERT checks for programming errors, never for invalid input. Compiled out with NDEBUG.
#ifndef PAL_BASE_ASSERT_H
#define PAL_BASE_ASSERT_H

#include <assert.h>

#define PAL_ASSERT(condition) assert(condition)

#endif

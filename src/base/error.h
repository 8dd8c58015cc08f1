// SPDX-License-Identifier: Apache-2.0
// Setters for palError. Each returns the error code, so that a failing function can end with
//     return palError_Set(error, pal_errorInput, "…", value);
// A NULL error is allowed everywhere; palError_At and palError_Remedy then have no code to return
// and return pal_errorInput. Public functions therefore substitute a local palError for NULL.
#ifndef PAL_BASE_ERROR_H
#define PAL_BASE_ERROR_H

#include <palpate/base.h>

palResult palError_Set(palError* error, palResult code, const char* format, ...) PAL_PRINTF(3, 4);

/// Adds the location. Sets only fields that are still empty, so that the innermost caller's
/// location is kept. Returns error's code.
palResult palError_At(palError* error, const char* file, int line, int column);

/// Adds the suggested remedy. Returns error's code.
palResult palError_Remedy(palError* error, const char* format, ...) PAL_PRINTF(2, 3);

/// Reports a failed allocation of `bytes` for `what`.
palResult palError_Memory(palError* error, const char* what, size_t bytes);

#endif

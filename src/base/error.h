// SPDX-License-Identifier: Apache-2.0
// Filling a palError. Every setter returns the code, so that a failing function reads
//     return palError_Set(error, pal_errorInput, "…", value);
// A NULL error is allowed everywhere; palError_At and palError_Remedy then know no code and return
// pal_errorInput, so that public functions put an error of their own in its place.
#ifndef PAL_BASE_ERROR_H
#define PAL_BASE_ERROR_H

#include <palpate/base.h>

palResult palError_Set(palError* error, palResult code, const char* format, ...) PAL_PRINTF(3, 4);

/// Adds where: only what is not set yet, so that the innermost place wins. Returns error's code.
palResult palError_At(palError* error, const char* file, int line, int column);

/// Adds what to do. Returns error's code.
palResult palError_Remedy(palError* error, const char* format, ...) PAL_PRINTF(2, 3);

/// The error of a failed allocation of `bytes` for `what`.
palResult palError_Memory(palError* error, const char* what, size_t bytes);

#endif

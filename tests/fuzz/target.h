// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share.
#ifndef PAL_TESTS_FUZZ_TARGET_H
#define PAL_TESTS_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/// Ends the run as a crash where the reader let something pass that it must not.
static inline void mustHold(bool condition, const char* what)
{
    if (condition)
        return;
    fprintf(stderr, "reading let pass: %s\n", what);
    abort();
}

/// The same, told by its own words.
#define require(condition) mustHold(condition, #condition)

#endif

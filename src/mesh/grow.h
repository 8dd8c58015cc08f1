// SPDX-License-Identifier: Apache-2.0
// Arrays that grow while a file is read.
#ifndef PAL_MESH_GROW_H
#define PAL_MESH_GROW_H

#include "base/error.h"

#include <limits.h>
#include <stdlib.h>

/// Grows an array to hold one element more; its capacity doubles. Returns its new place, or NULL
/// without memory, with the error set.
static inline void* palGrow(void* array, int count, int* capacity, size_t elementSize,
                            const char* what, palError* error)
{
    if (count < *capacity)
        return array;
    int wanted = *capacity > INT_MAX / 2 ? INT_MAX : 2 * *capacity;
    if (wanted < 64)
        wanted = 64;
    void* grown = count < INT_MAX ? realloc(array, (size_t)wanted * elementSize) : NULL;
    if (grown == NULL)
        palError_Memory(error, what, (size_t)wanted * elementSize);
    else
        *capacity = wanted;
    return grown;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Dynamic arrays for file readers.
#ifndef PAL_MESH_GROW_H
#define PAL_MESH_GROW_H

#include "base/error.h"

#include <limits.h>
#include <stdlib.h>

/// Makes room for one more element; the capacity doubles when exhausted. Returns the array,
/// possibly moved, or NULL with the error set if the allocation fails.
static inline void* palGrow(void* array, int count, int* capacity, size_t elementSize,
                            const char* what, palError* error)
{
    if (count < *capacity)
        return array;
    int newCapacity = *capacity > INT_MAX / 2 ? INT_MAX : 2 * *capacity;
    if (newCapacity < 64)
        newCapacity = 64;
    void* grown = count < INT_MAX ? realloc(array, (size_t)newCapacity * elementSize) : NULL;
    if (grown == NULL)
        palError_Memory(error, what, (size_t)newCapacity * elementSize);
    else
        *capacity = newCapacity;
    return grown;
}

#endif

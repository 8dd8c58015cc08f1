// SPDX-License-Identifier: Apache-2.0
// Arrays one behind the other in one block of memory: first without memory, to count the bytes,
// then with it, to place them.
#ifndef PAL_BASE_BLOCK_H
#define PAL_BASE_BLOCK_H

#include <stddef.h>

typedef struct palBlock
{
    unsigned char* memory; // borrowed; NULL: only counts
    size_t used;           // bytes
} palBlock;

/// The next `size` bytes, aligned for anything; NULL while only counting.
static inline void* palBlock_Take(palBlock* block, size_t size)
{
    const size_t alignment = 64;
    size_t at = block->used;
    block->used += (size + alignment - 1) / alignment * alignment;
    return block->memory != NULL ? block->memory + at : NULL;
}

#endif

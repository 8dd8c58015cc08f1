// SPDX-License-Identifier: Apache-2.0
// Allocators that count their calls and can refuse one: a test that includes this has them for its
// own. Under a sanitizer, which brings its own, there is nothing to count: PAL_COUNTS is not
// defined, and the test ends with SKIP(UNCOUNTED).
#ifndef PAL_TESTS_ALLOCATIONS_H
#define PAL_TESTS_ALLOCATIONS_H

#include <stdlib.h> // which says whether this is glibc

#define UNCOUNTED "allocations are not counted: the allocators are the sanitizer's"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define PAL_COUNTS 1

static int allocations = 0;
static int live __attribute__((unused)) = 0;     // given out and not freed
static int refused __attribute__((unused)) = -1; // the allocation that fails

void __libc_free(void* memory);
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static void* counted(void* memory)
{
    live += memory != NULL;
    return memory;
}

void* malloc(size_t size)
{
    return allocations++ == refused ? NULL : counted(__libc_malloc(size));
}

void* calloc(size_t count, size_t size)
{
    return allocations++ == refused ? NULL : counted(__libc_calloc(count, size));
}

void* realloc(void* memory, size_t size)
{
    if (allocations++ == refused)
        return NULL;
    live -= memory != NULL;
    return counted(__libc_realloc(memory, size));
}

void* aligned_alloc(size_t alignment, size_t size)
{
    return allocations++ == refused ? NULL : counted(__libc_memalign(alignment, size));
}

void free(void* memory)
{
    live -= memory != NULL;
    __libc_free(memory);
}

#endif
#endif

// SPDX-License-Identifier: Apache-2.0
// A library that is loaded when a benchmark needs it, not linked: other commands of the program do
// not load it, and the program does not depend on it.
#ifndef PAL_BENCH_LIBRARY_H
#define PAL_BENCH_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct palLibraryFunction
{
    const char* name;
    void** place; // where its address is stored
} palLibraryFunction;

/// Opens the library and finds the functions. NULL if either fails.
static inline void* palLibrary_Open(const char* path, const palLibraryFunction* functions,
                                    size_t count)
{
    void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < count && handle != NULL; i++)
    {
        *functions[i].place = dlsym(handle, functions[i].name);
        if (*functions[i].place == NULL)
            return NULL;
    }
    return handle;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// A sufficient stack size for CivetWeb's threads. CivetWeb requests 100 kB per thread, without a
// setting for it; the thread-local variables of all linked libraries (METIS and OpenBLAS have 90
// kB) are part of that. This definition overrides that of the C library and requests more.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static const size_t stackMin = 1 << 20; // bytes

int pthread_attr_setstacksize(pthread_attr_t* attributes, size_t size)
{
    static int (*next)(pthread_attr_t*, size_t);
    if (next == NULL)
    {
        // ISO C has no cast from the object pointer of dlsym to a function pointer.
        void* found = dlsym(RTLD_NEXT, "pthread_attr_setstacksize");
        memcpy(&next, &found, sizeof next);
    }
    if (next == NULL)
        return ENOSYS;
    return next(attributes, size > stackMin ? size : stackMin);
}

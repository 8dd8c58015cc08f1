// SPDX-License-Identifier: Apache-2.0
// Enough stack for CivetWeb's threads. It asks for 100 kB each, from which the C library takes the
// thread-local variables of every library that is linked (METIS and OpenBLAS have 90 kB of them),
// and has no setting for it. This definition comes before the C library's and asks for more.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static const size_t leastStack = 1 << 20; // bytes

int pthread_attr_setstacksize(pthread_attr_t* attributes, size_t size)
{
    static int (*next)(pthread_attr_t*, size_t);
    if (next == NULL)
    {
        // A function's address as dlsym gives it: ISO C has no cast for that.
        void* found = dlsym(RTLD_NEXT, "pthread_attr_setstacksize");
        memcpy(&next, &found, sizeof next);
    }
    if (next == NULL)
        return ENOSYS;
    return next(attributes, size > leastStack ? size : leastStack);
}

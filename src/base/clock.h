// SPDX-License-Identifier: Apache-2.0
// The monotonic clock, in nanoseconds. On Linux it is read without a system call (vDSO).
#ifndef PAL_BASE_CLOCK_H
#define PAL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t palClock_Now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif

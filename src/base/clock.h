// SPDX-License-Identifier: Apache-2.0
// The monotonic clock, in nanoseconds. On Linux it is read without a system call (vDSO).
#ifndef PAL_BASE_CLOCK_H
#define PAL_BASE_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

static inline int64_t palClock_Now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Converts a time of this clock, ns, to a timespec.
static inline struct timespec palClock_At(int64_t when)
{
    return (struct timespec){.tv_sec = when / 1000000000, .tv_nsec = when % 1000000000};
}

/// The time `seconds` from now.
static inline struct timespec palClock_After(double seconds)
{
    return palClock_At(palClock_Now() + (int64_t)(1e9 * seconds));
}

/// Sleeps until the given time of this clock, ns.
static inline void palClock_SleepUntil(int64_t when)
{
    struct timespec at = palClock_At(when);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
    {
    }
}

#endif

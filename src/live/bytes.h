// SPDX-License-Identifier: Apache-2.0
// Encoding of numbers in frames and messages: little-endian, byte by byte, independent of the
// machine and of alignment.
#ifndef PAL_LIVE_BYTES_H
#define PAL_LIVE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void palBytes_Store(unsigned char* at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t palBytes_Load(const unsigned char* at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static inline uint32_t palBytes_LoadU32(const unsigned char* at)
{
    return (uint32_t)palBytes_Load(at, 4);
}

static inline float palBytes_LoadF32(const unsigned char* at)
{
    uint32_t bits = palBytes_LoadU32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double palBytes_LoadF64(const unsigned char* at)
{
    uint64_t bits = palBytes_Load(at, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif

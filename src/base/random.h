// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers: the same seed gives the same sequence on every machine.
// Generator: xoshiro256++ (Blackman and Vigna, 2019), seeded through splitmix64.
#ifndef PAL_BASE_RANDOM_H
#define PAL_BASE_RANDOM_H

#include <palpate/base.h>

typedef struct palRandom
{
    uint64_t state[4];
} palRandom;

palRandom palMakeRandom(uint64_t seed);

uint64_t palRandom_Next(palRandom* random);
/// Uniform in [0, 1).
double palRandom_Unit(palRandom* random);
/// Uniform in [low, high).
double palRandom_Range(palRandom* random, double low, double high);
/// Uniform in 0 .. count-1; count > 0.
int palRandom_Below(palRandom* random, int count);
/// Standard normal (mean 0, variance 1).
double palRandom_Normal(palRandom* random);

#endif

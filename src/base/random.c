// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include "base/assert.h"

#include <math.h>

// splitmix64, which the authors of xoshiro recommend for seeding (Steele, Lea and Flood 2014, with
// the constants of Stafford's variant 13).
static uint64_t splitmix(uint64_t* state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotateLeft(uint64_t value, int bits)
{
    return (value << bits) | (value >> (64 - bits));
}

palRandom palMakeRandom(uint64_t seed)
{
    palRandom random;
    for (int i = 0; i < 4; i++)
        random.state[i] = splitmix(&seed);
    return random;
}

uint64_t palRandom_Next(palRandom* random)
{
    uint64_t* s = random->state;
    uint64_t result = rotateLeft(s[0] + s[3], 23) + s[0];
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotateLeft(s[3], 45);
    return result;
}

double palRandom_Unit(palRandom* random)
{
    // The top 53 bits fill a double's mantissa exactly.
    return (double)(palRandom_Next(random) >> 11) * 0x1p-53;
}

double palRandom_Range(palRandom* random, double low, double high)
{
    return low + (high - low) * palRandom_Unit(random);
}

int palRandom_Below(palRandom* random, int count)
{
    PAL_ASSERT(count > 0);
    return (int)(palRandom_Unit(random) * count);
}

double palRandom_Normal(palRandom* random)
{
    // Box-Muller transform; 1 - u avoids log(0).
    double radius = sqrt(-2.0 * log(1.0 - palRandom_Unit(random)));
    return radius * cos(2.0 * M_PI * palRandom_Unit(random));
}

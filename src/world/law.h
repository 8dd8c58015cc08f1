// SPDX-License-Identifier: Apache-2.0
// What a tool's contacts obey, and for which step their linear model is made.
#ifndef PAL_WORLD_LAW_H
#define PAL_WORLD_LAW_H

typedef enum palToolLaw
{
    pal_toolContact,  // contacts push and rub, never pull
    pal_toolEquality, // contacts keep their gap, without friction: as in the paper
} palToolLaw;

typedef enum palToolRate
{
    pal_toolHighRate,
    pal_toolLowRate,
} palToolRate;

#endif

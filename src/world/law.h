// SPDX-License-Identifier: Apache-2.0
// The law of a tool's contacts, and the time step of their linear model.
#ifndef PAL_WORLD_LAW_H
#define PAL_WORLD_LAW_H

typedef enum palToolLaw
{
    pal_toolContact,  // unilateral, with friction
    pal_toolEquality, // frictionless equality constraints, as in Otaduy and Gross 2007
} palToolLaw;

typedef enum palToolRate
{
    pal_toolHighRate, // dt
    pal_toolLowRate,  // ΔT
} palToolRate;

#endif

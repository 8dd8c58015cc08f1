// SPDX-License-Identifier: Apache-2.0
// The settings of each method. Zero is the default, unless the comment says otherwise.
#ifndef PAL_WORLD_SETTINGS_H
#define PAL_WORLD_SETTINGS_H

#include "constraint/limited.h"
#include "world/law.h"

/// How soft objects respond between two snapshots (soft_patch.h).
typedef enum palSoftResponse
{
    pal_softAdvanced, // their modes are advanced at the high rate
    pal_softFrozen,   // they take one step from the snapshot's state, as in Dervaux et al. 2013
} palSoftResponse;

/// Soft objects, under every method.
typedef struct palSoftSettings
{
    palSoftResponse response;
    int elementsAtOnce; // objects with more elements are factored by another thread; 0: those with
                        // more operations in a factor (body/soft_factor.h)
} palSoftSettings;

typedef struct palAccurateSettings
{
    palLimitShape limits; // of a limited constraint: triangles, or the paper's rectangles
    double tolerance;     // m: triangles are merged within this distance where there are too many
} palAccurateSettings;

typedef struct palPenaltySettings
{
    double stiffness; // N/m, above 0
    double damping;   // N·s/m
} palPenaltySettings;

/// Methods `linear` and, of the low rate, `coupling`.
typedef struct palLinearSettings
{
    palToolLaw constraints;
    int contactsMax;       // capacity at the low rate; 0: the default
    palToolRate modelStep; // with `equality`: time step of the contact model
    double filter;         // s, likewise: time constant of a low-pass on the model; 0: none
} palLinearSettings;

/// The force on the hand.
typedef enum palWireForce
{
    pal_forceReaction,    // the reaction of the held end
    pal_forceConstraints, // the sum of the constraint forces, as in the paper
} palWireForce;

/// `response: frozen`: the time step of the soft bodies' compliance at the high rate.
typedef enum palComplianceStep
{
    pal_complianceAtDt,
    pal_complianceAtLowDt, // incorrect; for comparison
} palComplianceStep;

/// `response: frozen`: the term of eq. (11).
typedef enum palCorrection
{
    pal_correctionOn,
    pal_correctionOff, // incorrect; for comparison
} palCorrection;

typedef struct palComplianceSettings
{
    palWireForce force;
    palComplianceStep step;
    palCorrection correction;
} palComplianceSettings;

/// The settings of all methods: a scene may be run with any of them.
typedef struct palMethodSettings
{
    palSoftSettings soft;
    palAccurateSettings accurate;
    palPenaltySettings penalty;
    palLinearSettings linear;
    palComplianceSettings compliance;
} palMethodSettings;

#endif

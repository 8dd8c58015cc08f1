// SPDX-License-Identifier: Apache-2.0
// What can be chosen for each method. Zero is the usual choice, but for numbers that say otherwise.
#ifndef PAL_WORLD_SETTINGS_H
#define PAL_WORLD_SETTINGS_H

#include "constraint/limited.h"
#include "world/law.h"

/// How soft objects answer between two snapshots (soft_patch.h).
typedef enum palSoftResponse
{
    pal_softAdvanced,
    pal_softFrozen,
} palSoftResponse;

/// Soft objects, under every method.
typedef struct palSoftSettings
{
    palSoftResponse response;
    int elementsAtOnce; // objects of more are factored by another thread; 0: the usual
} palSoftSettings;

typedef struct palAccurateSettings
{
    palLimitShape limits; // of a limited constraint: triangles, or the paper's rectangles
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
    int contactsMax;       // at the low rate; 0: the usual
    palToolRate modelStep; // with `equality`: of the contact model
    double filter;         // s, likewise: of a low-pass on it; 0: none
} palLinearSettings;

/// What the hand feels.
typedef enum palWireForce
{
    pal_forceReaction,    // the reaction of the held end
    pal_forceConstraints, // the sum of the constraint forces, as in the paper
} palWireForce;

/// `response: frozen`: the step of the soft bodies' compliance at the high rate.
typedef enum palComplianceStep
{
    pal_complianceAtDt,
    pal_complianceAtLowDt, // wrong, to see why
} palComplianceStep;

/// `response: frozen`: the term of eq. (11).
typedef enum palCorrection
{
    pal_correctionOn,
    pal_correctionOff, // wrong, to see why
} palCorrection;

typedef struct palComplianceSettings
{
    palWireForce force;
    palComplianceStep step;
    palCorrection correction;
} palComplianceSettings;

/// One of each: a scene may be run with any method.
typedef struct palMethodSettings
{
    palSoftSettings soft;
    palAccurateSettings accurate;
    palPenaltySettings penalty;
    palLinearSettings linear;
    palComplianceSettings compliance;
} palMethodSettings;

#endif

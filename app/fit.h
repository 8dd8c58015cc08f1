// SPDX-License-Identifier: Apache-2.0
// Values of a scene fitted to a measured indentation: least squares of the force.
//
// The hand goes along the scene's press to each measured depth and stays until the force is steady.
// The depth is that of what it holds, the proxy, beyond the target of the press: the hand goes as
// much deeper as the coupling gives way. With r the forces less the measured ones and u the
// logarithms of the values, which keeps them positive and their scales apart,
//
//     (Jᵀ J + ν diag(Jᵀ J)) du = -Jᵀ r,   J = ∂r/∂u by differences
//
// (Levenberg 1944, Marquardt 1963). The covariance of u is s² (Jᵀ J)⁻¹, s² = |r|² / (points -
// values), and the standard error of a value is its own times that of its logarithm.
#ifndef PAL_APP_FIT_H
#define PAL_APP_FIT_H

#include "measured.h"

#include "base/schema.h"

#include <palpate/session.h>

enum
{
    pal_fitValuesMax = 8,
};

/// A value that is fitted.
typedef struct palFitValue
{
    char path[160];          // as in a --set
    const palSchemaKey* key; // its unit and range
    double value;
    double error; // standard error; NAN: there are no more points than values
} palFitValue;

typedef struct palFit
{
    const char* scene;       // borrowed: path of the file
    const char* const* sets; // borrowed, [setCount]: changes of the scene besides
    int setCount;
    const palMeasured* measured; // borrowed
    palFitValue values[pal_fitValuesMax];
    int valueCount;
    /// Called after every press.
    void (*progress)(void* user, const struct palFit* fit);
    void* user;

    // The result.
    double* force;    // owned, [measured->count], N
    double rms;       // N, of the residual
    int iterations;   //
    int presses;      // to all depths
    bool isConverged; // the last step would change no value by more than 0.01 %
} palFit;

/// Takes the paths, separated by commas, and their values from the scene.
palResult palFit_Init(palFit* fit, const char* paths, palError* error);
void palFit_Free(palFit* fit);

palResult palFit_Run(palFit* fit, palError* error);

/// The session of the scene with the present values. The hand is the caller's where `ops` is given.
palResult palFit_CreateSession(const palFit* fit, const palDeviceOps* ops, palDevice* device,
                               palSession** session, palError* error);

#endif

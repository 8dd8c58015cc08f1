// SPDX-License-Identifier: Apache-2.0
// Soft bodies and wires as the reduction sees them.
#ifndef PAL_BODY_REDUCIBLE_H
#define PAL_BODY_REDUCIBLE_H

#include "body/anchor.h"
#include "body/row_space.h"
#include "body/skin.h"
#include "body/soft_factor.h"
#include "body/wire.h"

typedef struct palReducibleSoft
{
    palSoftBody* body;     // borrowed
    palSoftFactor* factor; // owned
} palReducibleSoft;

/// def->h is set to that of the reduction.
palResult palReducibleSoft_Init(palReducibleSoft* soft, palSoftBody* body,
                                const palSoftFactorDef* def, palError* error);
void palReducibleSoft_Free(palReducibleSoft* soft);
palReducible palReducibleSoft_Ops(palReducibleSoft* soft);

/// The motion of a place of the surface along a unit vector, or the turning of the material there.
palSparseRow palReducibleSoft_Row(const palSoftBody* body, const palSkin* skin,
                                  const palPlace* place, palVec3 axis, bool turning);

/// A spring along a row of a wire, at rest where the wire is linearised.
typedef struct palBeamTie
{
    palBeamRow row;
    double stiffness; // N/m or N·m/rad
} palBeamTie;

typedef struct palReducibleBeam
{
    const palBeamModel* model; // borrowed
    const palBeamTie* ties;    // borrowed, [tieCount]: part of K
    int tieCount;
    const double* load; // borrowed, [6 nodes]: further forces at the state, N; NULL: none
    palBeamState state; // owned
    palBeamWork work;   // owned
    double h;           // s, of the last factor
} palReducibleBeam;

palResult palReducibleBeam_Init(palReducibleBeam* beam, const palBeamModel* model, palError* error);
void palReducibleBeam_Free(palReducibleBeam* beam);
palReducible palReducibleBeam_Ops(palReducibleBeam* beam);

/// The motion of a place along a unit vector, or the turning of its section about it, at the state
/// that was linearised last (palBeam_Linearise).
palSparseRow palReducibleBeam_Row(const palReducibleBeam* beam, palBeamPlace place,
                                  palVec3 direction, bool turning);

/// A row of a wire, without what is held.
palSparseRow palReducibleBeam_Sparse(const palReducibleBeam* beam, const palBeamRow* full);

#endif

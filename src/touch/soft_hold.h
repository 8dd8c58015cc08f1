// SPDX-License-Identifier: Apache-2.0
// Places that tools push stay where the high rate saw them, when the low rate takes a body through
// the forces of the high rate.
//
// A tool pushes a soft body at many places. How the force is shared between neighbours is stiff,
// and models of different snapshots answer it differently: given such forces, a body moves away
// from where the tool held it, the next model corrects that with other forces, and so on, each time
// by more. What a hand holds is not the force but the place. So forces are added at the places that
// were pushed last, along the forces there, such that these end where they were seen,
//
//     W(T) λ = d·(x_seen - x),   W(T) = T² B diag(a(T)) Bᵀ,   B = dᵀ Φ
//
// in one step T over the whole time. At rest the forces on the tool are then those of the body as
// it is, whatever the model.
#ifndef PAL_TOUCH_SOFT_HOLD_H
#define PAL_TOUCH_SOFT_HOLD_H

#include "touch/soft_patch.h"

typedef struct palSoftHold
{
    int count;                             // places that are held
    int pushes[pal_softForcesMax];         // of the forces that were given last
    double lambda[pal_softForcesMax];      // N, added along each of them
    double (*B)[pal_shapeModesMax];        // owned, [pal_softForcesMax]
    double (*W)[pal_softForcesMax];        // owned, likewise: m/N
    palVec3 directions[pal_softForcesMax]; // unit, of the forces
} palSoftHold;

palResult palSoftHold_Init(palSoftHold* hold, palError* error);
void palSoftHold_Free(palSoftHold* hold);

/// Corrects the state of an island of the patch, after `seconds` from its start, by the places of
/// those of the last forces that tools gave.
void palSoftHold_Correct(palSoftHold* hold, const palSoftPatch* patch, int island,
                         const palSoftForce* last, const bool* isTool, double seconds,
                         palModesState* state);

#endif

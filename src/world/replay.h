// SPDX-License-Identifier: Apache-2.0
// The motion of reduced bodies (body/reduction.h) under the forces of a track, in steps of dt: at
// the high rate from tick to tick, and in their slower loop from one linearisation to the next.
// Both take the same steps, so that both have a body in the same position.
#ifndef PAL_WORLD_REPLAY_H
#define PAL_WORLD_REPLAY_H

#include "body/modes.h"
#include "world/track.h"

/// The generalised forces of one tick on the modes of body `index` of a model, [modes]; false: none
/// act on it.
typedef bool palPushModes(const void* model, int index, const palTickForces* forces, double* p);

/// Corrects the state after a tick by where the high rate saw the body at its end; see
/// palSoftPatch_Observe.
typedef void palObserveModes(const void* model, int index, const palTickForces* forces,
                             palModesState* state);

/// The motion of the bodies of a snapshot, the high rate's own. Real-time but for Init and Free.
typedef struct palReducedMotion
{
    uint64_t sequence;    // of the snapshot that the state belongs to
    palModesState* state; // owned, [bodies]: now
    palModesState* free;  // owned, [bodies]: at the end of this tick without new forces
} palReducedMotion;

palResult palReducedMotion_Init(palReducedMotion* motion, int bodies, palError* error);
void palReducedMotion_Free(palReducedMotion* motion);
void palReducedMotion_Archive(palReducedMotion* motion, int bodies, palArchive* archive);

/// A snapshot that was not seen before describes the past, `time`: its body is brought to the end
/// of the last tick through the forces given since. observe may be NULL.
void palReducedMotion_CatchUp(palReducedMotion* motion, const palModes* modes, const void* model,
                              int index, palPushModes* push, palObserveModes* observe, double time,
                              const palTrack* given);
/// One tick without new forces, into `free`.
void palReducedMotion_MoveFreely(palReducedMotion* motion, const palModes* modes, int index);
/// Takes `free`, which palModes_Correct has corrected by the forces of this tick, as the state,
/// with the friction that there is under them.
void palReducedMotion_Take(palReducedMotion* motion, const palModes* modes, int index);

/// The motion of one body in its slower loop.
typedef struct palReplay
{
    const palModes* modes;
    double from, until;                   // s
    double dt;                            // s
    palModesState end;                    // filled: the state at the end,
    double mean[pal_modesMax];            // the mean of q over the steps,
    double rub[pal_rubsMax][pal_rubRows]; // that of friction, N,
    int steps;                            // how many there were,
    bool isPushed;                        // and whether forces acted in any
} palReplay;

/// observe may be NULL.
void palTrack_Replay(const palTrack* track, palReplay* replay, const void* model, int index,
                     palPushModes* push, palObserveModes* observe);

#endif

// SPDX-License-Identifier: Apache-2.0
// Pairs of bodies that slide on each other, of which nothing holds one: their friction acts at the
// high rate, as a part of the motion that the islands predict (body/modes.h).
//
// All contacts of a pair are one: a force across their mean normal and a torque about it, shared by
// their normal forces λn, and at most Σ μ λn. The row of turning moves contact i, at r_i from the
// mean of all, by n × r_i / ρ, ρ² the mean of r_i².
#ifndef PAL_WORLD_SOFT_RUBS_H
#define PAL_WORLD_SOFT_RUBS_H

#include "body/glue.h"
#include "collide/collider.h"
#include "constraint/link.h"

enum
{
    pal_rubNone = -1,
    pal_rubPending = -2, // it slides, and Find gives it to its pair
};

typedef struct palSoftRubs
{
    int count; // pairs
    int entryCount, maxEntries;
    int* start;                   // owned, [pal_rubRows count + 1]: as palGlueRows
    int* bodies;                  // owned, [entryCount]
    int* nodes;                   // owned, likewise
    palVec3* values;              // owned, likewise
    double* limits;               // owned, [count], N
    double* forces;               // owned, [pal_rubRows count]: mean over the last step, N
    palVec3 (*axes)[pal_rubRows]; // owned, by contact: along which the rows move it
    int* of;                      // owned, by contact: its pair, or pal_rubNone
    double* shares;               // owned, by contact: of the force
    double* loads; // owned, by pair of bodies: Σ μ λn, smoothed, N; 0: they do not slide
    int pairCount;
} palSoftRubs;

/// What they are made of; all borrowed.
typedef struct palRubbing
{
    const palCollider* colliders;
    const int* softOf;    // by collider: number among the soft bodies
    const palLink* links; // [linkCount], with their forces
    const int* pairOf;    // [linkCount]
    const palVec3* at;    // [linkCount]: m
    int linkCount;
} palRubbing;

palResult palSoftRubs_Init(palSoftRubs* rubs, int contactsMax, int pairCount, palError* error);
void palSoftRubs_Free(palSoftRubs* rubs);
void palSoftRubs_Archive(palSoftRubs* rubs, int contacts, palArchive* archive);

/// Makes them of the contacts whose `of` is pal_rubPending.
void palSoftRubs_Find(palSoftRubs* rubs, const palRubbing* rubbing);
palRubs palSoftRubs_Rows(const palSoftRubs* rubs);
/// The mean friction of a contact in the motion that was predicted, N, by row. Returns false where
/// it had none.
bool palSoftRubs_Predicted(const palSoftRubs* rubs, int index, const palLink* link,
                           double lambda[3]);

#endif

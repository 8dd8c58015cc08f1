// SPDX-License-Identifier: Apache-2.0
// The snapshot: the one thing that passes from the low rate to the high rate.
//
// The low rate fills a snapshot (render/NAME.c, low()), publishes it through a wait-free triple
// buffer (runtime/triple_buffer.h) and never touches it again until the buffer hands it back. The
// high rate only reads it. All memory is allocated when the method is created.
//
// Everything in it is of the START of the low-rate step: geometry, gaps and the state of the haptic
// body that was read then, stamped with that time. What moved since is the high rate's to add.
#ifndef PAL_RENDER_SNAPSHOT_H
#define PAL_RENDER_SNAPSHOT_H

#include "constraint/contact.h"
#include "render/patch.h"
#include "render/soft_patch.h"

typedef struct palSnapshot
{
    // Stamps. Written by the runtime.
    uint64_t sequence; // 1, 2, ...; 0: nothing was ever published
    int loop;          // which of the loops slower than the high rate makes it, from 0
    double time;       // s, start of the low-rate step that made it

    // The haptic body that the low rate saw. Written by the runtime (L1).
    palVec3 proxy; // m

    // Contacts. Written by the method (L3, L4).
    int contactCount;
    int contactCapacity;
    palContactFrame* contacts; // owned, [contactCapacity]

    // Limited constraints. Written by the method (L3, L4); empty where it uses none.
    palPatch patch;

    // Parts of soft bodies and their motion. Written by the method (L3..L5); NULL where nothing is
    // soft.
    palSoftPatch* soft; // owned

    // Trust region: the description above is good for proxies inside this ball. Written by the
    // method (L3).
    palVec3 trustCentre; // m
    double trustRadius;  // m
    bool shrunk; // the region is smaller than asked for: more triangles than the patch holds

    // What only the method itself reads: its file says what it is. Written by the method.
    void* own; // owned, [ops->snapshotSize]; NULL where that is 0
} palSnapshot;

/// What a snapshot must hold.
typedef struct palSnapshotDef
{
    int contactCapacity;
    bool usesPatch; // of limited constraints
    int softCount;  // soft bodies
    size_t ownSize; // bytes of the method's own part
} palSnapshotDef;

palResult palSnapshot_Init(palSnapshot* snapshot, const palSnapshotDef* def, palError* error);
void palSnapshot_Free(palSnapshot* snapshot);

#endif

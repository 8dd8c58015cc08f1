// SPDX-License-Identifier: Apache-2.0
// The snapshot: the one thing that passes from the low rate to the high rate.
//
// The low rate fills a snapshot (render/NAME.c, low()), publishes it through a wait-free triple
// buffer (runtime/triple_buffer.h) and never touches it again until the buffer hands it back. The
// high rate only reads it. All memory is allocated when the method is created.
//
// Everything in it is of the START of the low-rate step: geometry, gaps and the state of the haptic
// body that was read then, stamped with that time. What moved since is the high rate's to add.
#ifndef PAL_TOUCH_SNAPSHOT_H
#define PAL_TOUCH_SNAPSHOT_H

#include "constraint/contact.h"
#include "constraint/link.h"
#include "touch/patch.h"
#include "touch/soft_patch.h"

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
    palLink* contacts; // owned, [contactCapacity]: end 1 is on the object, end 0 is the hand

    // Contacts of the low rate that push, at the end of its step: of bodies that no tick moves.
    // Written by the runtime (L6).
    palContactReport resting; // memory owned

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

    // What some methods give the high rate besides. Owned, without memory of their own; NULL where
    // a method gives none of that kind. Written by the method.
    struct palShellView* shell;   // what is near the points and edges of a tool   tool_shell.h
    struct palPairView* pairs;    // half-spaces of its edges and vertices         shell_features.h
    struct palToolModel* model;   // contact of the visual tool                    linear_rows.h
    struct palVisualTool* visual; // the visual tool itself                        coupling.c
    struct palSlowSnapshot* slow; // bodies and links of a slower loop             slow_part.h
} palSnapshot;

void palSnapshot_Free(palSnapshot* snapshot);

// A method makes its snapshots of these parts (palMethodOps.makeSnapshot). Each may fail; Free then
// releases what was made.

palResult palSnapshot_AddContacts(palSnapshot* snapshot, int capacity, palError* error);
/// Room for the parts of so many soft bodies; none where there are none.
palResult palSnapshot_AddSoft(palSnapshot* snapshot, int softCount, palError* error);

#endif

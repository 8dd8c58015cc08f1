// SPDX-License-Identifier: Apache-2.0
// The snapshot: all that passes from the low rate to the high rate.
//
// The low rate fills a snapshot (`find` and `describe` in render/NAME.c), publishes it through a
// wait-free triple buffer (runtime/triple_buffer.h) and does not touch it again until the buffer
// returns it. The high rate only reads it. All memory is allocated when the method is created.
//
// Everything in it is of the START of the low-rate step: geometry, gaps and the state of the haptic
// body at that time, with which it is stamped. The high rate adds the motion since.
#ifndef PAL_TOUCH_SNAPSHOT_H
#define PAL_TOUCH_SNAPSHOT_H

#include "constraint/contact.h"
#include "constraint/link.h"
#include "touch/extent.h"
#include "touch/patch.h"
#include "touch/soft_patch.h"
#include "world/def.h"

/// One hand's part of a snapshot.
typedef struct palHandSnapshot
{
    const struct palSnapshot* whole; // that it is part of

    // The haptic body at its time. Written by the runtime (L1).
    palVec3 proxy; // m

    // Contacts. Written by the method (L3, L4).
    int contactCount;
    int contactCapacity;
    palLink* contacts;  // owned, [contactCapacity]: end 1 is on the object, end 0 is the hand
    palExtent* extents; // owned, likewise: of the half-spaces

    // Limited constraints. Written by the method (L3, L4); empty where it uses none.
    palPatch patch;

    // Trust region: the description above is valid for proxies inside this ball. Written by the
    // method (L3).
    palVec3 trustCentre; // m
    double trustRadius;  // m
    double clearUntil;   // s: a proxy that is held back may go to where its trail was then
    double error; // m: surfaces were merged within this distance; 0: they are described as they are
    bool shrunk;  // the region is smaller than the query: more triangles than the patch holds

    // Descriptions of some methods. Owned, each one block of memory; NULL where a method has none
    // of that kind. Written by the method.
    struct palShellView* shell;   // surroundings of a tool's points and edges      tool_shell.h
    struct palPairView* pairs;    // half-spaces of its edges and vertices         shell_features.h
    struct palToolModel* model;   // contact model of the visual tool              linear_rows.h
    struct palVisualTool* visual; // pose of the visual tool                       coupling.c
} palHandSnapshot;

typedef struct palSnapshot
{
    // Stamps. Written by the runtime.
    uint64_t sequence; // 1, 2, ...; 0: nothing was ever published
    int loop;          // index of the slower loop that made it, from 0
    double time;       // s, start of the low-rate step that made it

    // Contacts with a force at the end of the low-rate step, between bodies that no tick moves.
    // Written by the runtime (L6).
    palContactReport resting; // memory owned

    // Parts of soft bodies and their motion. Written by what the hands share (L3..L5); NULL where
    // nothing is soft.
    palSoftPatch* soft; // owned

    // Bodies and links of a slower loop, likewise                                  slow_part.h
    struct palSlowSnapshot* slow; // owned, one block

    palHandSnapshot hands[pal_handsMax];
} palSnapshot;

/// An empty snapshot of a loop. It must not be moved in memory: its parts point to it.
void palSnapshot_Init(palSnapshot* snapshot, int loop);
void palSnapshot_Free(palSnapshot* snapshot);

/// All but the parts that only a method knows: soft, slow, and of the hands shell, pairs, model and
/// visual.
void palSnapshot_Archive(palSnapshot* snapshot, palArchive* archive);

// A method composes its snapshots of these parts (palMethodOps.makeSnapshot,
// palSharedOps.makeSnapshot). Each may fail; Free then releases what was allocated.

palResult palHandSnapshot_AddContacts(palHandSnapshot* snapshot, int capacity, palError* error);
/// For the parts of `softCount` soft bodies and the hands with these definitions; does nothing for
/// 0.
palResult palSnapshot_AddSoft(palSnapshot* snapshot, int softCount, const palMethodDef* defs,
                              int hands, palError* error);

#endif

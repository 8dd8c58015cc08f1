// SPDX-License-Identifier: Apache-2.0
// A patch of limited constraints: the rigid surfaces that the high rate may touch until the next
// snapshot.
//
// Faces are in the order of the proximity query, so that runs of eight are close together in space.
// Each run has a bounding box, as has each group of eight runs and each block of eight groups, and
// a query tests the boxes first: its cost depends on the number of constraints near by, and little
// on the size of the patch.
#ifndef PAL_TOUCH_PATCH_H
#define PAL_TOUCH_PATCH_H

#include "collide/collider.h"
#include "constraint/limited.h"

enum
{
    pal_patchFacesMax = 24000, // triangles
    pal_patchEdgesMax = 24000, // concave edges
    pal_patchMax = pal_patchFacesMax + pal_patchEdgesMax,
    pal_patchRun = 8, // constraints under one box
    pal_patchRunsMax = pal_patchMax / pal_patchRun + 2,
    pal_patchGroup = 8, // runs under one box
    pal_patchGroupsMax = pal_patchRunsMax / pal_patchGroup + 2,
    pal_patchBlock = 8, // groups under one box
    pal_patchBlocksMax = pal_patchGroupsMax / pal_patchBlock + 2,
};

typedef struct palPatchBox
{
    float low[3], high[3]; // m, relative to the patch's origin, rounded outward
} palPatchBox;

/// The plane of a constraint, in an array of its own for fast sweeps over many of them.
typedef struct palPatchPlane
{
    palVec3 n; // unit
    double d;  // m: ψ = n·x - d
} palPatchPlane;

typedef struct palPatch
{
    palVec3 origin;        // m, of the boxes
    int count;             // constraints
    int runCount;          // boxes of runs
    int groupCount;        // boxes of groups
    int blockCount;        // boxes of blocks
    double stride;         // m: size of the smallest shell point, infinite where there is none
    double overhang;       // m: largest extent of a shell point beyond its position
    palLimited* limited;   // owned, [pal_patchMax]
    palPatchPlane* planes; // owned, [pal_patchMax]
    palPatchBox* boxes;    // owned, [pal_patchRunsMax]; box i holds constraints 8 i .. 8 i + 7
    palPatchBox* groups;   // owned, [pal_patchGroupsMax]; box i holds runs 8 i .. 8 i + 7
    palPatchBox* blocks;   // owned, [pal_patchBlocksMax]; box i holds groups 8 i .. 8 i + 7
} palPatch;

palResult palPatch_Init(palPatch* patch, palError* error);
void palPatch_Free(palPatch* patch);

void palPatch_Archive(palPatch* patch, palArchive* archive);

/// Empties the patch.
void palPatch_Clear(palPatch* patch, palVec3 origin);
/// Appends a constraint, whose corners bound the region in which it acts. Returns false where the
/// patch is full.
bool palPatch_Add(palPatch* patch, const palLimited* limited);
/// Appends a triangle of a collider; degenerate ones are left out, since their neighbours meet
/// there.
void palPatch_AddFace(palPatch* patch, const palCollider* collider, int object, int triangle,
                      palLimitShape shape);
/// Appends the wedges below the concave edges whose first triangle this is.
void palPatch_AddConcaveEdges(palPatch* patch, const palCollider* collider, int object,
                              int triangle);

/// Writes the runs whose box meets the box from `low` to `high` to `runs`, [pal_patchRunsMax].
/// Returns their number. Real-time.
int palPatch_Near(const palPatch* patch, palVec3 low, palVec3 high, int* runs);

#endif

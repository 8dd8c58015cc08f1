// SPDX-License-Identifier: Apache-2.0
// What `accurate`, `standard` and `penalty` have in common: the soft bodies and wires that their
// hands share (touch/soft_contact.h), and with tools the points and edges that they touch with
// (touch/tool_shell.h).
#ifndef PAL_RENDER_COMMON_H
#define PAL_RENDER_COMMON_H

#include "render/rigid_hands.h"
#include "touch/merged.h"
#include "touch/soft_contact.h"
#include "touch/tool_shell.h"

typedef struct palSoftShared
{
    palShared shared;
    palSoftContact* contact; // owned; NULL where nothing is soft
    palMerged* merged;       // owned, [colliderCount]: made when a hand first needs them; else NULL
    palRigidHands rigid;     // owned
} palSoftShared;

static inline palSoftContact* palSoftShared_Contact(const palMethod* method)
{
    return ((const palSoftShared*)method->shared)->contact;
}

/// The coarser copies of all objects, made for all hands at once.
palResult palSoftShared_Merge(const palMethod* method, const palMerged** merged, palError* error);

/// What scenes with rigid objects that move may have, and may not.
#define PAL_WITH_RIGID                                                                             \
    PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partFree) | PAL_ACCEPTS(pal_partJoint) |         \
        PAL_ACCEPTS(pal_partSlider)
#define PAL_NOT_WITH_FREE                                                                          \
    (PAL_ACCEPTS(pal_partSheet) | PAL_ACCEPTS(pal_partSoft) | PAL_ACCEPTS(pal_partWire) |          \
     PAL_ACCEPTS(pal_partPoints))

/// Contacts of hands with rigid bodies that move are rigid, or yield like the springs of `penalty`.
extern const palSharedOps pal_sharedSoft, pal_sharedYielding;

/// A method that moves a tool by its points begins with this.
typedef struct palShellMethod
{
    palMethod method;
    palToolShell shell;
} palShellMethod;

// Operations of such a method, see palMethodOps.
palResult palShellMethod_Init(palMethod* method, palError* error);
void palShellMethod_Place(palMethod* method, const palDeviceState* device);
palPointState palShellMethod_Point(const palMethod* method);
void palShellMethod_WriteState(const palMethod* method, palHapticHand* state);
void palShellMethod_Archive(palMethod* method, palArchive* archive);
/// The view and the pairs of a snapshot.
void palShellMethod_ArchiveSnapshot(const palMethod* method, palHandSnapshot* snapshot,
                                    palArchive* archive);
/// The view of a snapshot.
palResult palShellMethod_AddView(palHandSnapshot* snapshot, palError* error);
bool palShellMethod_View(const palMethod* method, const palHapticHand* hand, palToolView* view);
/// H2: coupling force and free motion of the tool. H5: its motion, and what the hand feels.
palTickStage palShellMethod_MoveFreely, palShellMethod_Correct;
/// Of such a method where rigid bodies move.
palVec3 palShellMethod_Stop(const palMethod* method, const palTick* tick, palPile* pile, int body);
extern const palRigidHandOps pal_shellRigidHand;
const palVec3* palShellMethod_Points(const palMethod* method, int* count);

/// What the tables of such methods have in common; `write` is their writeState.
#define PAL_SHELL_METHOD(common, write)                                                            \
    .hand = pal_handTool, .shared = &(common),                                                     \
    .accepts = PAL_WITH_RIGID | PAL_ACCEPTS(pal_partSheet) | PAL_ACCEPTS(pal_partSoft) |           \
               PAL_ACCEPTS(pal_partWire),                                                          \
    .notWithFree = PAL_NOT_WITH_FREE, .picksUp = true, .isNeverFrozen = true,                      \
    .place = palShellMethod_Place, .point = palShellMethod_Point, .writeState = write,             \
    .tool = palShellMethod_View, .points = palShellMethod_Points,                                  \
    .archiveSnapshot = palShellMethod_ArchiveSnapshot

#endif

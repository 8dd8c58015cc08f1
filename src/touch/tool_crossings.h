// SPDX-License-Identifier: Apache-2.0
// Edge-edge and face-vertex contacts of a tool, between two solves of a tick: features that would
// cross get rows.
//
// Everything is in the tool's frame, in which the tool does not move and the features of the
// surroundings move from their position at the start of the tick to that of the last solve. A
// convex edge is tested against the tool's convex edges (collide/sharp_feature.h), a vertex against
// the tool's triangles. A feature is not examined again until the tool has moved by its distance.
//
// Features of soft bodies move in the world too, under the forces of the last solve (tool_soft.h).
//
// The normal of an edge-edge row is perpendicular to both edges at the start of the tick, that of a
// face-vertex row is the normal of the tool's face. A contact persists from tick to tick as long as
// the closest points are within both edges, or the vertex over the face; then it is dropped, so
// that edges do not catch.
#ifndef PAL_TOUCH_TOOL_CROSSINGS_H
#define PAL_TOUCH_TOOL_CROSSINGS_H

#include "touch/tool_shell.h"

/// Examines all features near the tool, and adds contacts for some of those that would cross it.
/// Returns whether any were added. Real-time.
bool palToolCrossings_Review(palToolShell* shell, const palShellView* view);

/// Whether no feature of rigid surfaces crosses the tool on its way to shell->end; unless
/// `strictly`, overlap within the tolerance of a solve is allowed. Real-time.
bool palToolCrossings_AreFree(palToolShell* shell, const palShellView* view, bool strictly);
/// The same of all surfaces, strictly. Real-time.
bool palToolCrossings_AreNone(palToolShell* shell, const palShellView* view);

/// Marks the vertices of a soft feature as near (palToolSoft_Use). Real-time.
void palToolCrossings_Use(const palToolShell* shell, const palSoftFeature* soft);
/// Updates a contact of features to the tool at the start of a tick, and to the base position of
/// soft surfaces. Returns false where the closest points have left one of the features, which is
/// tested with the vertices of soft ones at `now`. Real-time.
bool palToolCrossings_Renew(const palToolShell* shell, const palVec3* now,
                            palShellContact* contact);

/// The gap of such a contact, less the surface offset, m, with the tool at `state` and the vertices
/// of soft surfaces at `surface`. Real-time.
double palToolCrossings_Gap(const palToolShell* shell, const palRigidState* state,
                            const palVec3* surface, const palShellContact* contact);

/// The smallest distance between features in contact whose closest points are within both, with the
/// tool at the end of the tick, m; NAN where there are none. Real-time.
double palToolCrossings_Distance(const palToolShell* shell);

#endif

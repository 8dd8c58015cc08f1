// SPDX-License-Identifier: Apache-2.0
// Edges on edges and faces on vertices, between two solves of a tick: what would cross gets a row.
//
// Everything is seen in the tool's frame, in which the tool stands still and the features of the
// surroundings move from where they are at the start of the tick to where the solve has them. A
// convex edge is tested against the tool's convex edges (collide/sharp_feature.h), a vertex against
// the tool's triangles. Features that are clear of the tool are not looked at again before the tool
// has gone as far as they are away.
//
// Features of soft bodies move in the world too: within the tick from where they were to where the
// forces put them (tool_soft.h).
//
// A row of two edges has their common normal at the start of the tick, that of a vertex the normal
// of the tool's face. What holds a tool goes on from tick to tick as long as the closest points are
// within both edges, or the vertex over the face; past their ends it is dropped, so that no edge
// catches on what it has left.
#ifndef PAL_TOUCH_TOOL_CROSSINGS_H
#define PAL_TOUCH_TOOL_CROSSINGS_H

#include "touch/tool_shell.h"

/// Looks at all features near the tool, and adds contacts for some of those that would cross it.
/// Returns whether there are any. Real-time.
bool palToolCrossings_Review(palToolShell* shell, const palShellView* view);

/// Whether no feature of rigid surfaces crosses the tool on its way to shell->end; where not
/// `strictly`, by no more than what solves may leave. Real-time.
bool palToolCrossings_AreFree(palToolShell* shell, const palShellView* view, bool strictly);

/// The vertices of a soft feature are near (tool_soft.h). Real-time.
void palToolCrossings_Use(const palToolShell* shell, const palSoftFeature* soft);
/// Takes a contact of features to where the tool is at the start of a tick, and soft surfaces will
/// be. False where it has left one of the features; soft ones are looked at with
/// their vertices at `now`. Real-time.
bool palToolCrossings_Renew(const palToolShell* shell, const palVec3* now,
                            palShellContact* contact);

/// The gap of such a contact, less the surface offset, m, with the tool and soft surfaces
/// somewhere. Real-time.
double palToolCrossings_Gap(const palToolShell* shell, const palRigidState* state,
                            const palVec3* surface, const palShellContact* contact);

/// The least distance between features that are in contact, and within each other's ends, with the
/// tool at the end of the tick, m; NAN where there are none. Real-time.
double palToolCrossings_Distance(const palToolShell* shell);

#endif

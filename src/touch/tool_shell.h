// SPDX-License-Identifier: Apache-2.0
// A rigid tool as a point shell (Knott and Kuhlen 2015, section 3.3): each point of its surface
// touches the surroundings as the point proxy does. Shared by `accurate`, `standard` and `penalty`
// with a tool.
//
// The tool is the rigid body of body/rigid.h; each contact plane on one of its points adds a row,
// with friction three,
//
//     J = (nᵀ, ((p - x) × n)ᵀ),   δ = n·p - d + h J u⁻ + ε + W λ,   W = h² J A⁻¹ Jᵀ
//
// (constraint/rows.h); on soft bodies the compliance of the surface is added (tool_soft.h). p is
// the point at the start of the tick. The rows are linear in the tool's velocity; ε is their error
// at the end of the tick, because the tool rotated, and is updated until it no longer changes.
//
// Not every point in contact needs a plane: three or four carry a flat face. A tick therefore uses
// constraint generation. It begins with the planes that had a force in the last tick; after each
// solve, points that would end inside get planes, a few at a time and far apart, and the tick is
// solved again.
//
// Contacts between the points, of edges with edges and of faces with vertices, add rows in the same
// way (shell_features.h, tool_crossings.h).
#ifndef PAL_TOUCH_TOOL_SHELL_H
#define PAL_TOUCH_TOOL_SHELL_H

#include "constraint/rows.h"
#include "touch/facing.h"
#include "touch/shell_features.h"
#include "world/hand.h"

enum
{
    pal_shellPointsMax = 1024,
    pal_crossingsMax = 64, // crossing features found by one review
};

/// A point of the shell near a surface. Written by palToolShell_FindNear.
typedef struct palNearPoint
{
    int point;        // index in the shell
    palVec3 at;       // its position with the tool at the described pose, m
    double clearance; // m, from there to the closest surface; 0 behind one
    palPlane plane;   // `standard`, `penalty`: its half-space
    int object;       // likewise: the object of the half-space
    palSoftSpot spot; // likewise: the material point of a soft surface that it is fixed to
    palExtent extent; // likewise
} palNearPoint;

/// The surroundings of a tool: palHandSnapshot.shell. Written by the low rate (L3).
typedef struct palShellView
{
    palRigidState pose; // of the tool
    double reach;       // m: surfaces are known within this distance of every point at that pose
    int count;
    palNearPoint near[pal_shellPointsMax]; // points within `reach` of a surface, by clearance
    palFacing facing[pal_shellPointsMax];  // `accurate`: the rigid faces around each of them
    palFeatureView features;               // edges and vertices within `reach` of the tool
} palShellView;

typedef enum palShellContactKind
{
    pal_shellPoint,  // a point of the shell and a plane
    pal_shellPair,   // a feature pair as a point of the tool and a plane, until the next snapshot
    pal_shellEdge,   // an edge of the tool and an edge of the surroundings
    pal_shellVertex, // a face of the tool and a vertex of the surroundings
} palShellContactKind;

/// A contact of the tool. Written at the high rate.
typedef struct palShellContact
{
    palShellContactKind kind;
    palLink link;     // end 0 on the tool, end 1 on the object
    int point;        // of the shell; -1: another kind of contact
    palPlane plane;   // n·p >= d; of an edge or a vertex: at the start of the tick
    palLimited face;  // `accurate`, of a point: the region in which the plane acts
    double error;     // ε, m
    bool transient;   // for this tick only
    palSoftSpot spot; // the place on a soft surface
    int slot;         // of that place (tool_soft.h)

    // Of an edge or a vertex.
    palSharpFeature feature; // of the surroundings, world frame; of a soft body: in the snapshot
    palSoftFeature soft;
    int part;    // edge or triangle of the tool
    double sign; // of two edges: palEdgeGap.sign
} palShellContact;

/// A place of the tool that would end inside.
typedef struct palShellCandidate
{
    int near;     // index in the view, or in the list of crossings
    double depth; // m
    palVec3 at;   // position, m
} palShellCandidate;

typedef struct palToolShell
{
    const palMethodDef* def; // borrowed
    palVec3* points;         // owned, [pointCount], tool's frame, m
    int pointCount;
    double extent; // m: largest distance of the surface from the centre of mass
    double cover;  // m: largest distance of the surface from the closest point of the shell
    palShellFeatures features;
    palToolSoft* soft; // owned; NULL where nothing is soft
    palVec3* places;   // owned, [pointCount]: workspace of the low rate

    // High rate: the tool, and its contacts in the last tick.
    palSteppedTool tool;
    int contactCount;
    palShellContact contacts[pal_shellContactsMax];
    int* slots;        // owned, [pointCount]: index in the view, valid for points that are in it
    uint64_t sequence; // of the snapshot of that view
    double travelled;  // m: bound of the path length of all places of tool and soft surfaces since
                       // the start
    double lookAgain[pal_shellFeaturesMax]; // m: value of `travelled` up to which a feature of the
                                            // view cannot touch the tool

    // The tick under way.
    palTwist alone;       // the free motion where no moving rigid body pushes
    bool isPushed;        // one does
    palRigidState end;    // of the last solve
    double surfaceOffset; // m: height of the planes above the surface
    double give;          // m/N: surface motion by the sum of all normal forces; 0: rigid
    double damped;        // share of the gap at the start that its damper counts
    palRows* rows;        // owned
    int sweeps;           // of all solves of the tick
    palShellContact crossings[pal_crossingsMax]; // workspace of tool_crossings.c
    palShellCandidate candidates[pal_crossingsMax];
} palToolShell;

/// `contact` is that of the hands with soft bodies; NULL where nothing is soft.
palResult palToolShell_Init(palToolShell* shell, const palMethodDef* def, palSoftContact* contact,
                            palError* error);
void palToolShell_Free(palToolShell* shell);

/// Between two ticks.
void palToolShell_Archive(palToolShell* shell, palArchive* archive);
/// What is used of a view.
void palShellView_Archive(palShellView* view, palArchive* archive);

// Low rate.

/// Puts the tool where the handle is, or just outside of what is there.
void palToolShell_Place(palToolShell* shell, const palHandle* handle);

/// An upper bound of the distance between any place of the tool in two poses, m.
double palToolShell_Apart(const palToolShell* shell, const palRigidState* a,
                          const palRigidState* b);
/// A lower bound of the distance from the tool to the nearest surface, m.
double palToolShell_Clearance(const palToolShell* shell, const palRigidState* pose);
/// L3: fills the view with the points within `reach` of a surface, m, with the tool at `pose`.
/// Where there are none view->reach grows to the closest surface.
void palToolShell_FindNear(const palToolShell* shell, const palRigidState* pose, double reach,
                           palShellView* view);

/// L4: finds the rigid faces around the points of a view, which are likely to go `way` from where
/// it has them, m.
void palToolShell_FindFacing(const palToolShell* shell, double way, palShellView* view);
/// L3: has the soft faces within the view's reach of its points described, with their motion
/// (palSoftSide_Describe).
void palToolShell_AskSoft(palToolShell* shell, const palShellView* view);
/// L4: fixes the half-spaces to them. Where there are more than a snapshot holds view->reach
/// shrinks.
void palToolShell_TakeSoft(const palToolShell* shell, const palSoftPatch* soft, palShellView* view);
/// L3: adds the edges and vertices within `reach` of the tool, m, to a view with its points. Where
/// there are more than it holds view->reach shrinks to the closest that is left out, at most to a
/// quarter.
void palToolShell_FindFeatures(palToolShell* shell, double reach, const palSoftPatch* soft,
                               palShellView* view);

// High rate. Real-time.

/// H2: the free motion of the tool.
void palToolShell_MoveFreely(palToolShell* shell, const palHandle* handle);
/// H3: its turn on soft surfaces. Clears what is near of those.
void palToolShell_Begin(palToolShell* shell, const palSnapshot* snapshot);
/// H3: finds the soft faces within `reach` of the points that may touch, m, and the probes on them.
void palToolShell_FindProbes(palToolShell* shell, const palShellView* view, double reach);
/// H3: keeps the contacts that had a force in the last tick and are still valid, and updates them.
void palToolShell_Keep(palToolShell* shell, const palHandSnapshot* snapshot);
/// The index of a point in the view; -1: it is not near.
int palToolShell_FindPoint(const palToolShell* shell, const palShellView* view, int point);
/// The position of a point of the shell, m.
palVec3 palToolShell_Point(const palToolShell* shell, const palRigidState* state, int point);
/// An upper bound by which a place of the tool has come closer to a surface since the description
/// with the tool at `pose`, m: by the motion of the tool and of soft surfaces.
double palToolShell_Moved(const palToolShell* shell, const palRigidState* pose);
/// The number of clearances up to a distance, m, among `count` in ascending order, `stride` bytes
/// apart.
int palCountWithin(const double* clearance, size_t stride, int count, double distance);
/// The number of points at the front of the view that may touch; the others cannot, wherever the
/// tool is between the start and the end of the tick.
int palToolShell_Examined(const palToolShell* shell, const palShellView* view);
/// Adds a contact with an initial guess of the force on the tool, N. Returns false where there is
/// no room.
bool palToolShell_Add(palToolShell* shell, const palShellContact* contact, palVec3 force);
/// The vertices of soft surfaces under the forces of the last tick, and under those of the last
/// solve, m; NULL where nothing is soft.
const palVec3* palToolShell_BaseSurface(const palToolShell* shell);
const palVec3* palToolShell_EndSurface(const palToolShell* shell);
/// The gap of a contact with the tool at `state` and the vertices of soft surfaces at `surface`, m.
double palToolShell_Gap(const palToolShell* shell, const palRigidState* state,
                        const palVec3* surface, const palShellContact* contact);
/// Removes the contacts that the free motion opens.
void palToolShell_RemoveOpen(palToolShell* shell);
/// Which soft surface a contact is on, as a part of the patch; -1: a rigid one.
static inline int palShellContact_SoftPart(const palShellContact* contact)
{
    return contact->spot.isSoft ? contact->spot.part : -1;
}
/// Removes the contacts of a point with a part of the soft patch, or (-1) with rigid surfaces.
void palToolShell_Remove(palToolShell* shell, int point, int softPart);
/// The force of those contacts on the point, N.
palVec3 palToolShell_Force(const palToolShell* shell, int point, int softPart);
/// Moves the candidate that is to get a plane next behind the first `chosen` ones: a deep one, far
/// from those.
void palPickCandidate(palShellCandidate* candidates, int count, int chosen);
/// H4: the tool before contact, as moving rigid bodies meet it; and before another solve, the free
/// motion where these push with a wrench about its centre of mass.
palRigidStep palToolShell_Motion(const palToolShell* shell);
void palToolShell_PushFrom(palToolShell* shell, palWrench wrench);
/// A contact as a stop of such bodies' problem (world/pile.h), with the force of the last solve.
palPileStop palToolShell_Stop(const palToolShell* shell, int index);
/// H4: the forces of all contacts, and shell->end under them.
void palToolShell_Solve(palToolShell* shell);
/// The pose after only a share of the solved motion.
palRigidState palToolShell_EndAt(const palToolShell* shell, double share);
/// H4, at its end: gives soft bodies the forces.
void palToolShell_Push(palToolShell* shell);
/// H5: moves the tool to shell->end, and reports the force on the hand and the contacts.
void palToolShell_End(palToolShell* shell, const palHandle* handle, palPointState* body,
                      palHighInfo* info);

#endif

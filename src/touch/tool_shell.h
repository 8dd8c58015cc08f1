// SPDX-License-Identifier: Apache-2.0
// A rigid tool that touches with points: its surface as a point shell (Knott and Kuhlen 2015,
// section 3.3), each of whose points meets its surroundings as the point proxy does. What the tool
// variants of `accurate`, `standard` and `penalty` share.
//
// The tool is the rigid body of body/rigid.h; each contact plane that holds one of its points makes
// a row, with friction three,
//
//     J = (nᵀ, ((p - x) × n)ᵀ),   δ = n·p - d + h J u⁻ + ε + W λ,   W = h² J A⁻¹ Jᵀ
//
// (constraint/rows.h); on soft bodies the compliance of the surface is added
// (tool_soft.h). p is where the point is at the start of the tick. The
// rows are linear in the tool's velocity; ε is what they are wrong by at the end, because the tool
// turned, and is put in until nothing changes.
//
// Not every point that touches needs a plane: of the points of a flat face three or four carry it.
// A tick therefore goes in passes. It begins with the planes that pushed in the last one, and after
// each solve the method looks at where the points would end; those that would end inside get their
// planes, a few at a time and far apart, and the tick is solved again (constraint generation).
//
// What touches between the points, edges on edges and faces on spikes, makes rows in the same way
// (shell_features.h, tool_crossings.h).
#ifndef PAL_TOUCH_TOOL_SHELL_H
#define PAL_TOUCH_TOOL_SHELL_H

#include "constraint/rows.h"
#include "touch/shell_features.h"
#include "world/hand.h"

enum
{
    pal_shellPointsMax = 1024,
    pal_crossingsMax = 64, // features that one review finds in the tool's way
};

/// A point near a surface.
typedef struct palNearPoint
{
    int point;        // of the shell
    palVec3 at;       // where it is with the tool at the described pose, m
    double clearance; // m, from there to the nearest surface; 0 behind one
    palPlane plane;   // `standard`: the half-space that holds it
    int object;       // likewise: whose it is
    palSoftSpot spot; // likewise: where it is fixed to a soft surface
} palNearPoint;

/// What is near a tool: palSnapshot.shell.
typedef struct palShellView
{
    palRigidState pose; // of the tool
    double reach;       // m: surfaces are known as far from every point's place at that pose
    int count;
    palNearPoint near[pal_shellPointsMax]; // points nearer than that, by their clearance
    palFeatureView features;               // edges and vertices nearer than that to the tool
} palShellView;

typedef enum palShellContactKind
{
    pal_shellPoint,  // a point of the shell and a plane
    pal_shellPair,   // a feature pair as a point of the tool and a plane, until the next snapshot
    pal_shellEdge,   // an edge of the tool and an edge of the surroundings
    pal_shellVertex, // a face of the tool and a vertex of the surroundings
} palShellContactKind;

/// What holds the tool at one of its places.
typedef struct palShellContact
{
    palShellContactKind kind;
    palLink link;     // of the place on the tool, end 0, and the one on the object
    int point;        // of the shell; -1: of another kind
    palPlane plane;   // n·p >= d; of an edge or a vertex: at the start of the tick
    palLimited face;  // `accurate`, of a point: where the plane acts
    double error;     // ε, m
    bool transient;   // for one tick only
    palSoftSpot spot; // the place on a soft surface
    int slot;         // of it (tool_soft.h)

    // Of an edge or a vertex.
    palSharpFeature feature; // of the surroundings, world frame; soft: in the snapshot
    palSoftFeature soft;
    int part;    // of the tool: the edge, or the triangle
    double sign; // of two edges: palEdgeGap.sign
} palShellContact;

/// A point that would end inside.
typedef struct palShellCandidate
{
    int near;     // in the view, or in the list of crossings
    double depth; // m
    palVec3 at;   // m
} palShellCandidate;

typedef struct palToolShell
{
    const palMethodDef* def; // borrowed
    palVec3* points;         // owned, [pointCount], tool's frame, m
    int pointCount;
    double extent; // m: the farthest place of the tool from the centre of mass
    double cover;  // m: no place of its surface is farther from a point
    palShellFeatures features;
    palToolSoft* soft; // owned; NULL where nothing is soft
    palVec3* places;   // owned, [pointCount]: workspace of the low rate

    // High rate: the tool, and what held it in the last tick.
    palSteppedTool tool;
    int contactCount;
    palShellContact contacts[pal_shellContactsMax];
    int* slots;        // owned, [pointCount]: where in the view a point may be
    uint64_t sequence; // of the snapshot whose view that is
    double travelled;  // m: no place of the tool, or of a soft surface, has gone farther since the
                       // start
    double lookAgain[pal_shellFeaturesMax]; // m, of `travelled`: up to there a feature of the view
                                            // is clear of the tool

    // The tick under way.
    palRigidState end;    // as solved last
    double surfaceOffset; // m: how far planes are lifted above the surface
    double give;   // m/N: of the surface, on the diagonal of every normal row; 0: it is rigid
    double damped; // share of the gap at the start that its damper counts
    palRows* rows; // owned
    int sweeps;    // of the whole tick
    palShellContact crossings[pal_crossingsMax]; // workspace of tool_crossings.c
    palShellCandidate candidates[pal_crossingsMax];
} palToolShell;

palResult palToolShell_Init(palToolShell* shell, const palMethodDef* def, palError* error);
void palToolShell_Free(palToolShell* shell);

// Low rate.

/// Puts the tool where the handle is, or just outside of what is there.
void palToolShell_Place(palToolShell* shell, const palHandle* handle);

/// How far any point of the tool is apart in two poses, at most, m.
double palToolShell_Apart(const palToolShell* shell, const palRigidState* a,
                          const palRigidState* b);
/// Fills the view with the points nearer than `reach` to a surface with the tool at `pose`. Nothing
/// near: the reach grows up to the nearest surface.
void palToolShell_FindNear(const palToolShell* shell, const palRigidState* pose, double reach,
                           palShellView* view);

/// L1, L5: the soft faces within the view's reach of its points, and their motion; fixes
/// half-spaces to them. Where they are more than a snapshot holds, view->reach shrinks.
void palToolShell_DescribeSoft(palToolShell* shell, palShellView* view, palSnapshot* snapshot,
                               palLowInfo* info);
/// Adds the edges and vertices within `reach` of the tool to a view whose points are found. Where
/// they are more than it holds, view->reach shrinks to the nearest that is left out, at most to a
/// quarter.
void palToolShell_FindFeatures(palToolShell* shell, double reach, const palSnapshot* snapshot,
                               palShellView* view);

// High rate. Real-time.

/// H2: the free motion of the tool and of soft surfaces. What is near of those is forgotten.
void palToolShell_Begin(palToolShell* shell, const palSnapshot* snapshot,
                        const palDeviceState* device);
/// The soft faces within `reach` of the points that may touch, and which of these are.
void palToolShell_FindProbes(palToolShell* shell, const palShellView* view, double reach);
/// Keeps the contacts that pushed in the last tick and are still near, where they are now.
void palToolShell_Keep(palToolShell* shell, const palSnapshot* snapshot);
/// Where a point is in the view; -1: it is not near.
int palToolShell_FindPoint(const palToolShell* shell, const palShellView* view, int point);
/// Where a point of the shell is, m.
palVec3 palToolShell_Point(const palToolShell* shell, const palRigidState* state, int point);
/// How far a place of the tool may have come nearer to a surface, at most, since it was described
/// with the tool at `pose`, m: by the tool's motion and by that of soft surfaces.
double palToolShell_Moved(const palToolShell* shell, const palRigidState* pose);
/// How many of `count` clearances, in ascending order and `stride` bytes apart, are within a
/// distance, m.
int palCountWithin(const double* clearance, size_t stride, int count, double distance);
/// The first points of the view, of which alone some may touch: the others are clear of everything
/// wherever the tool is between the start and the end of the tick.
int palToolShell_Examined(const palToolShell* shell, const palShellView* view);
/// Takes a contact in, with a first guess of the force on the tool. False where there is no room.
bool palToolShell_Add(palToolShell* shell, const palShellContact* contact, palVec3 force);
/// Where the vertices of soft surfaces are with the forces of the last tick, and with those of the
/// last solve; NULL where nothing is soft.
const palVec3* palToolShell_BaseSurface(const palToolShell* shell);
const palVec3* palToolShell_EndSurface(const palToolShell* shell);
/// The gap of a contact with the tool and soft surfaces somewhere, m.
double palToolShell_Gap(const palToolShell* shell, const palRigidState* state,
                        const palVec3* surface, const palShellContact* contact);
/// Takes out the contacts that the free motion opens.
void palToolShell_RemoveOpen(palToolShell* shell);
/// Which soft surface a contact is on, as a part of the patch; -1: a rigid one.
static inline int palShellContact_SoftPart(const palShellContact* contact)
{
    return contact->spot.isSoft ? contact->spot.part : -1;
}
/// Takes the contacts of a point with a part of the soft patch, or with rigid surfaces, out.
void palToolShell_Remove(palToolShell* shell, int point, int softPart);
/// Their force on the point, N.
palVec3 palToolShell_Force(const palToolShell* shell, int point, int softPart);
/// Puts the point that is to get a plane next, of those that would end inside, after the `chosen`
/// first ones: a deep one, and far from those.
void palPickCandidate(palShellCandidate* candidates, int count, int chosen);
/// H4: the forces of all contacts, and the end that they lead to.
void palToolShell_Solve(palToolShell* shell);
/// The end where only a share of the solved motion is made.
palRigidState palToolShell_EndAt(const palToolShell* shell, double share);
/// H5: the tool is at the end; what soft bodies get, what the hand feels, and what pushed.
void palToolShell_End(palToolShell* shell, const palSnapshot* snapshot,
                      const palDeviceState* device, palPointState* body, palHighInfo* info);

#endif

// SPDX-License-Identifier: Apache-2.0
// The low rate's side of a tool in soft surroundings: the visual tool, the soft bodies, and their
// contact, stepped together once a low-rate step (method `linear`, section 3, steps 1 to 5 and 7).
//
//     L1, L2   free motion of the tool and of the soft bodies, eqs. (3) and (6)
//     L3       continuous collision between the states before and after collide/tool_contact.h L4,
//     L5   rows of every touch, and their compliance, eqs. (8) and (11)    render/touch.h L6 λ,
//     post-collision state; the sanity pass
//
// Touches known from the end of the last step take part from the beginning; what collides on the
// way to the state that they lead to is added, and the step is solved again, until nothing new
// collides or the passes are used up. Gaps are linear in the velocities; what they are wrong by at
// the end of a pass, because the tool turned or the surface bent, the next pass adds.
//
// A touch keeps a clearance, so that a sweep always starts apart and knows the sides.
//
// Everything is allocated by Init.
#ifndef PAL_RENDER_TOOL_SIDE_H
#define PAL_RENDER_TOOL_SIDE_H

#include "render/method.h"
#include "render/touch.h"

#include <palpate/solve.h>

/// m, that a touch keeps between tool and surface.
#define PAL_TOOL_CLEARANCE 5e-5
/// m, inside which nobody minds.
#define PAL_TOOL_WELL_INSIDE 1e-5

enum
{
    pal_toolInsideMax = 1024, // vertices inside that are looked at
};

/// A soft body as the low rate steps it.
typedef struct palTissue
{
    palSoftStep* step; // owned: from one low-rate step to the next
    palSoftStep* fast; // owned: at the high rate's step, for its model; NULL where there is none
    bool isLinear;     // the body's linearisation is of where it is
    palTissueRows rows;
    palVec3* end;   // owned, [surface vertices]: where they are at the end of the step, m
    palVec3* push;  // owned, [nodes]: of the sanity pass
    double* weight; // owned, [nodes]
} palTissue;

typedef struct palToolSide
{
    const palMethodDef* def; // borrowed
    const palTool* tool;     // borrowed
    palRigidState visual;    // the visual tool, at `time`
    double time;             // s
    palHandle handle;        // of the last step
    int parts;               // that a low-rate step is taken in
    int calmSteps;           // since it is taken in so many, all kept apart

    palTissue* tissues[pal_collidersMax]; // owned; NULL for rigid objects
    palMovingSurface toolSurface;         // owned
    palMovingSurface* surfaces;           // owned, [colliderCount]
    palContactList found;                 // owned
    bool* looked;                         // owned, of `found`
    palInsideVertex* inside;              // owned, [pal_toolInsideMax]
    palVec3* toolStart;                   // owned, [tool vertices], m
    palVec3* toolEnd;                     // owned
    double spacing;                       // m, between touches at first

    int touchCount;
    palTouch touches[pal_touchesMax];

    // The step under way.
    palRigidStep step;
    palRigidState end; // of the tool
    palTouchRows rows;
    double depthMax;              // m: touches that seem deeper than this are none
    double error[pal_touchesMax]; // m: true gap at the end less the linear one
    double gapFree[pal_touchRowsMax];
    double lambda[pal_touchRowsMax];
    double velocity[pal_touchRowsMax];
    double W[pal_touchRowsMax * pal_touchRowsMax]; // m/N
    double A[pal_touchRowsMax * pal_touchRowsMax]; // workspace of `equality`
    palContactBlock blocks[pal_touchesMax];
    palSolveWorkspace* workspace; // owned
    palSolveInfo solved;

    // What went on, for who tests.
    int passes;     // of the last step
    int pushed;     // vertices that its sanity pass moved
    double deepest; // m: how deep a vertex was inside before that
    double left;    // m: and before the last round of it
    bool heldBack;  // the step was shortened
    bool overflow;  // more was near than could be looked at
    int failures;   // steps in which a soft body could not be moved
} palToolSide;

palResult palToolSide_Init(palToolSide* side, const palMethodDef* def, bool withFast,
                           palError* error);
void palToolSide_Free(palToolSide* side);

/// The end of the coupling that the hand moves, as the low rate and as the high rate know it.
palHandle palToolSide_Handle(const palHapticState* hand);
palHandle palToolSide_DeviceHandle(const palDeviceState* device);
/// Where a tool is held, and how that point moves.
palHandle palToolSide_Grip(const palTool* tool, const palRigidState* state);
/// The same as the point of the haptic body.
palPointState palToolSide_Body(const palTool* tool, const palRigidState* state);

/// For drawing: the visual tool. As the operation of methods says.
bool palToolSide_View(const palToolSide* side, int index, palToolView* view);

/// Puts the visual tool where the handle is, or just outside of what is there; time starts then.
void palToolSide_Place(palToolSide* side, const palHandle* handle, double time);

/// L1..L6 from the present time to `until`, with the handle as it is then. Where no time has passed
/// only the touches are found anew.
void palToolSide_Step(palToolSide* side, const palHandle* handle, double until, palLowInfo* info);

// Parts of a step: tool_touches.c

/// The vertices of an object's surface at the end of the step, m.
const palVec3* palToolSide_SurfaceEnd(const palToolSide* side, int object);
/// The distance along a touch's normal between its two points, with the tool at that state, m.
double palToolSide_Gap(const palToolSide* side, const palTouch* touch, const palRigidState* tool,
                       const palVec3* vertices);
/// Makes touches of the collisions in `found`, `spacing` apart, with their gaps at the beginning of
/// the step; touches between the same features go where they collide. Returns whether there is
/// anything to keep apart that was not.
bool palToolSide_TakeCollisions(palToolSide* side, int object, double spacing);
/// The touches of the present state, with the forces that those before them had.
void palToolSide_FindTouches(palToolSide* side);

// and tool_side.c, tool_apart.c.

/// Where everything is before and, as far as is known, after the step.
void palToolSide_MovePairs(palToolSide* side);
/// The sanity pass: pushes out what is inside, in rounds by at most `most`, m.
void palToolSide_PushOut(palToolSide* side, double most);
/// Stops tool and tissue before they collide, if they still do.
void palToolSide_HoldBack(palToolSide* side);

#endif

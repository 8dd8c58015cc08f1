// SPDX-License-Identifier: Apache-2.0
// What the two baselines share: half-spaces made at the low rate. One at the surface point closest
// to where the proxy will be; and one at the closest face below the proxy of every other body.
// On a soft body a half-space is fixed to a material point and moves with it. A hand that touches
// nothing meets a half-space only where the surface is (touch/extent.h).
//
// The tick solves all of them together (solve/planes.h). With a spring and a damper on the planes,
// λ = -k ψ - b ψ̇ at the end of the step, ψ̇ = (ψ - ψ_old) / h, they are planes that yield and that
// are shifted,
//
//     0 <= λ  ⟂  ψ - c ψ_old + λ / (k + b/h) >= 0,    c = (b/h) / (k + b/h)
//
// so that the compliance of each body gains nnᵀ / (k + b/h).
#ifndef PAL_RENDER_HALF_SPACE_H
#define PAL_RENDER_HALF_SPACE_H

#include "render/common.h"
#include "world/trail.h"

enum
{
    pal_halfSpacesMax = 4,
};

/// A half-space as it is at the end of this tick without a contact force.
typedef struct palHalfSpaceTouch
{
    const palLink* contact; // borrowed: along its normal, through its place on the surface
    int object;             // whose surface it is
    int part;               // of the soft patch; -1: rigid
    palModeShape shape;
    palVec3 moved; // since the snapshot, m
    palVec3 step;  // within this tick, m
    palMat3 W;     // of the surface, m/N; zero where it is rigid
    palVec3 force; // on the proxy, N
} palHalfSpaceTouch;

/// How the planes yield; all zero: they do not.
typedef struct palHalfSpaceSpring
{
    double stiffness; // k, N/m
    double damping;   // b, N·s/m
} palHalfSpaceSpring;

/// A method whose snapshot is half-spaces only.
typedef struct palHalfSpaceMethod
{
    palMethod method;
    palSoftContact* soft; // borrowed: what the hands share; NULL where nothing is soft
    double most;          // N, high rate: palPoint_HandForce
    double lastTouch;     // s: when something pushed the proxy last; before all time: nothing did
    uint64_t sequence;    // of the last snapshot,
    palMeeting meetings[pal_halfSpacesMax]; // and of its half-spaces
    palTrail recent;                        // where the proxy was since the time of that

    // The tick under way.
    palHalfSpaceSpring spring;
    palPointFree alone; // where no moving rigid body pushes
    palPointFree free;
    int count;
    palHalfSpaceTouch touches[pal_halfSpacesMax];
    palVec3 lambda; // on the proxy, N: sum of the forces; zero before they are found
} palHalfSpaceMethod;

/// H4: the forces of all half-spaces. Real-time.
palTickStage palHalfSpace_Solve;

// Its operations and stages, all but `solve`.
palResult palHalfSpace_Init(palMethod* method, palError* error);
palResult palHalfSpace_MakeSnapshot(const palMethod* method, palHandSnapshot* snapshot,
                                    palError* error);
void palHalfSpace_WriteState(const palMethod* method, palHapticHand* state);
void palHalfSpace_Archive(palMethod* method, palArchive* archive);
palLowStage palHalfSpace_Find, palHalfSpace_Describe;
palTickStage palHalfSpace_MoveFreely, palHalfSpace_FindGaps, palHalfSpace_Correct;
extern const palRigidHandOps pal_halfSpaceRigidHand;

/// The table of such a method: its name, what its hands share, and its H2.
#define PAL_HALF_SPACE_METHOD(called, common, begin)                                               \
    {                                                                                              \
        .name = called, .hand = pal_handPoint, .shared = &(common),                                \
        .accepts = PAL_WITH_RIGID | PAL_ACCEPTS(pal_partSheet) | PAL_ACCEPTS(pal_partSoft) |       \
                   PAL_ACCEPTS(pal_partPoints) | PAL_ACCEPTS(pal_partWire),                        \
        .notWithFree = PAL_NOT_WITH_FREE, .picksUp = true, .rigidHand = &pal_halfSpaceRigidHand,   \
        .size = sizeof(palHalfSpaceMethod), .trustShare = PAL_BOX_SHARE,                           \
        .init = palHalfSpace_Init, .makeSnapshot = palHalfSpace_MakeSnapshot,                      \
        .find = palHalfSpace_Find, .describe = palHalfSpace_Describe, .moveFreely = begin,         \
        .findGaps = palHalfSpace_FindGaps, .solve = palHalfSpace_Solve,                            \
        .correct = palHalfSpace_Correct, .writeState = palHalfSpace_WriteState,                    \
        .archive = palHalfSpace_Archive,                                                           \
    }

#endif

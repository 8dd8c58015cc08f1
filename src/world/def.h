// SPDX-License-Identifier: Apache-2.0
// The definition of a method (what it acts on), the haptic state that the high rate publishes, and
// what the two rates report.
#ifndef PAL_WORLD_DEF_H
#define PAL_WORLD_DEF_H

#include "body/glue.h"
#include "body/point.h"
#include "body/soft_factor.h"
#include "body/tool.h"
#include "body/wire.h"
#include "collide/collider.h"
#include "constraint/contact.h"
#include "constraint/link.h"
#include "solve/problem_copy.h"
#include "world/pile.h"
#include "world/settings.h"
#include "world/step.h"
#include "world/trail.h"

enum
{
    pal_loopsMax = 4, // slower than the high rate
};

/// What the method of one hand acts on. All but the first group is the same for all hands.
typedef struct palMethodDef
{
    int hand;                    // its index
    int rank;                    // hands before it that hold a point or a tool
    palPointModel body;          // the haptic body and its coupling
    const palTool* tool;         // borrowed: the haptic body of methods that use one; else NULL
    double tipRadius;            // m, of a point on soft bodies (body/tip.h); 0: none
    const palPilePart* toolPart; // borrowed: the tool as an exact shape; NULL: what its surface
                                 // holds
    int pick;                    // the button of the device that picks up; -1: none does

    double lowDt;   // ΔT, s
    double latency; // s, expected time from the start of a low-rate step to its snapshot
    double radius;  // of the proximity query around the proxy, m
    palMethodSettings settings;
    const bool* inRealTime; // borrowed: factors may be made by another thread (body/soft_factor.h);
                            // NULL: never
    palTies* ties;          // borrowed: ties between soft bodies, instead of contact; NULL: contact
    palCollider* colliders; // borrowed, [colliderCount]; the low rate moves the soft ones. Where a
                            // point is in the hand the surfaces of the wires follow them
    int colliderCount;
    const palWire* wires; // borrowed, [wireCount]
    int wireCount;
    const palLink* joints; // borrowed, [jointCount]
    int jointCount;
    const palRigidPileDef*
        pile;      // borrowed: all objects as rigid bodies, some of which move, and their
                   // joints; NULL: none moves
    int loopCount; // loops slower than the high rate, 1 or more; 0 means 1
    double loopDt[pal_loopsMax]; // s; the first is lowDt
} palMethodDef;

/// Whether soft bodies do not move between snapshots (`response: frozen`).
static inline bool palIsFrozen(const palMethodDef* def)
{
    return def->settings.soft.response == pal_softFrozen;
}

/// The settings for factoring the systems of soft bodies at ΔT.
static inline palSoftFactorDef palMethodDef_SoftFactor(const palMethodDef* def)
{
    return (palSoftFactorDef){
        .elementsAtOnce = def->settings.soft.elementsAtOnce,
        .h = def->lowDt,
        .lowDt = def->lowDt,
        .inRealTime = def->inRealTime,
    };
}

/// The wire with that body id. Wires come after the objects.
static inline const palWire* palMethodDef_Wire(const palMethodDef* def, int body)
{
    return &def->wires[body - def->colliderCount];
}

/// The number of surfaces that a point may touch: those of the objects, then those of the wires.
static inline int palMethodDef_Surfaces(const palMethodDef* def)
{
    return def->colliderCount + def->wireCount;
}

/// The body id of the point or tool in the hand: these come after the objects and the wires, in the
/// order of the hands.
static inline int palMethodDef_HandBody(const palMethodDef* def)
{
    return def->colliderCount + def->wireCount + def->rank;
}

/// One hand in the haptic state.
typedef struct palHapticHand
{
    palPointState body;         // the proxy
    palVec3 device;             // position of the device, m
    palVec3 deviceSpeed;        // its velocity, m/s
    palQuat deviceTurn;         // its orientation
    palVec3 deviceSpin;         // its angular velocity, rad/s
    palCouplingValues coupling; // as it is now
    palVec3 gravity;            // m/s², likewise
    bool held;                  // the description held the proxy back
    bool touched;               // of half-spaces: something pushed it in the tick that wrote this
    palTrail trail;             // then: the way that it has to catch up
    palRigidState tool;         // the haptic tool, where the hand holds one
    palWrench pushed;           // `linear`: what moving rigid bodies do to it, about its centre, in
                                // the mean over a low-rate step
} palHapticHand;

/// A rigid body that moves, for the low rate, drawings and readers.
typedef struct palRigidView
{
    int object;    // its id
    palPose pose;  // of its frame
    palPose moved; // from where it was at first
    palVec3 v;     // of its centre of mass, m/s
    palVec3 omega; // rad/s
    bool isAsleep;
} palRigidView;

/// The rigid bodies of a world together.
typedef struct palRigidTotals
{
    int bodies;       // that move as forces move them
    int asleep;       // of them
    int contacts;     // of them, and of what the hands hold, that have a force
    double kinetic;   // J
    double potential; // J, in the gravity, from the origin
    double deepest;   // m, the largest overlap in any step so far
} palRigidTotals;

/// The haptic state, which the high rate publishes for the low rate. Written in H6.
typedef struct palHapticState
{
    double time;                 // s
    struct palWireStates* wires; // owned by the runtime, one block; NULL: there are none
    int rigidCount;
    palRigidView* rigid; // owned by the runtime, [rigidCount]: bodies that move in the tick
    palHapticHand hands[pal_handsMax];
} palHapticState;

/// Statistics of one low-rate step: a row of low.csv. Times are written by the method.
typedef struct palLowInfo
{
    double freeMs;       // L1, L2
    double collideMs;    // L3
    double complianceMs; // L4, L5
    double solveMs;      // L6
    int contacts;
    int constraints; // rows
    int iterations;
    double residual; // m
    int failures;    // systems that could not be factored, in all steps so far

    // Of large soft bodies, see body/soft_factor.h.
    bool isLarge;         // there is one
    double factorAge;     // s, of the oldest factor
    double factorTime;    // s, to compute it
    int freeIterations;   // of conjugate gradients
    double workerSeconds; // s of factoring, excluded from the step time: in real time another
                          // thread does it
} palLowInfo;

/// Adds the statistics of the factor of a large soft body; of several bodies the oldest and slowest
/// count. Does nothing for other bodies.
void palLowInfo_AddFactor(palLowInfo* info, palSoftFactor* factor);
/// The same for the soft bodies of a world.
void palLowInfo_AddWorld(palLowInfo* info, const palWorldStep* world);

/// The results of one tick. Written by the method.
typedef struct palHighInfo
{
    palVec3 force;   // on the hand, N
    palVec3 torque;  // about the device point, N·m
    palQuat turn;    // orientation of the haptic body
    palVec3 carried; // N, of the force on the hand at rest what its contacts do not explain: the
                     // weight of what it holds, unless the method adds more; NAN: not known
    int constraints; // rows of the problem
    int active;      // rows with a force
    int iterations;
    double residual;            // m
    palContactReport* contacts; // contacts with a force; empty at first, memory of the runtime
    double surfaceGap; // m, signed distance of the proxy from the closest soft surface after the
                       // tick, negative inside; NAN where none is near
    bool impulse;      // this force is a collision impulse (device/safety.h)
    bool held;         // the description ended, and the proxy waits (world/trail.h)
    double behind;     // m, then: how far it is behind
    bool isJoined;     // joints tie bodies of different rates
    double jointGap;   // m: how far such a joint is open at most, and ...
    int joint;         // ... which
    bool converged;    // the solver reached its tolerance; true where there is none

    // Receives a copy of the last problem that this tick solved; NULL: not recorded.
    palProblemCopy* problem;
} palHighInfo;

#endif

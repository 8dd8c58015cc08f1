// SPDX-License-Identifier: Apache-2.0
// What a method acts on, what the two rates know of each other besides the snapshot, and what they
// report.
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
#include "world/settings.h"
#include "world/step.h"

enum
{
    pal_loopsMax = 4, // slower than the high rate
};

typedef struct palMethodDef
{
    palPointModel body; // the haptic body and its coupling
    double lowDt;       // ΔT, s
    double latency;     // s, expected from the start of a low-rate step to its snapshot
    double radius;      // of the proximity query around the proxy, m
    palMethodSettings settings;
    const bool* inRealTime; // borrowed: whether that thread is used (body/soft_factor.h), or NULL
    const palTool* tool;    // borrowed: the haptic body of methods that use one; else NULL
    palTies* ties;          // borrowed: ties soft bodies in place of contact; NULL: contact does
    palCollider* colliders; // borrowed, [colliderCount]; the low rate moves the soft ones. After
                            // them, where a point is in the hand, the surfaces of the wires
    int colliderCount;
    const palWire* wires; // borrowed, [wireCount]
    int wireCount;
    const palLink* joints; // borrowed, [jointCount]
    int jointCount;
    int loopCount;               // slower than the high rate, 1 or more; 0 means 1
    double loopDt[pal_loopsMax]; // s; the first is lowDt
} palMethodDef;

/// Whether soft bodies keep still between snapshots.
static inline bool palIsFrozen(const palMethodDef* def)
{
    return def->settings.soft.response == pal_softFrozen;
}

/// How the systems of soft bodies are factored, at the step ΔT.
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

/// The id of what the hand holds, where it is no wire: after the objects and the wires.
static inline int palMethodDef_HandBody(const palMethodDef* def)
{
    return def->colliderCount + def->wireCount;
}

/// How many surfaces a point may touch: those of the objects, then those of the wires.
static inline int palMethodDef_Surfaces(const palMethodDef* def)
{
    return def->colliderCount + def->wireCount;
}

/// What the high rate tells the low rate (H6).
typedef struct palHapticState
{
    double time;                 // s
    palPointState body;          // the proxy at that time
    palVec3 device;              // m
    palVec3 deviceSpeed;         // m/s
    palQuat deviceTurn;          // the device's orientation
    palVec3 deviceSpin;          // rad/s
    bool held;                   // the trust region held the proxy back
    palRigidState tool;          // where the hand holds one
    struct palWireStates* wires; // owned by the runtime, one block; NULL: there are none
} palHapticState;

/// What one low-rate step did; a row of low.csv. Times are filled by the method.
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
    int failures;    // systems of bodies that could not be factored, of all steps so far

    // Of large soft bodies, see body/soft_factor.h.
    bool isLarge;         // there is one
    double factorAge;     // s
    double factorTime;    // s that the factor took to make
    int freeIterations;   // of conjugate gradients
    double workerSeconds; // s of this step that are another thread's in real time
} palLowInfo;

/// Adds what the factor of a soft body did in this step; of several bodies the oldest and slowest
/// count. Nothing where the body is not large.
void palLowInfo_AddFactor(palLowInfo* info, palSoftFactor* factor);
/// The same for the soft bodies of a world.
void palLowInfo_AddWorld(palLowInfo* info, const palWorldStep* world);

/// What one high-rate step did.
typedef struct palHighInfo
{
    palVec3 force;   // on the hand, N
    palVec3 torque;  // about the device point, N·m
    palQuat turn;    // the orientation of the haptic body
    int constraints; // rows that could act
    int active;      // rows that do
    int iterations;
    double residual;            // m
    palContactReport* contacts; // given by the runtime, empty: those that push
    double surfaceGap; // m, from the proxy to the nearest soft surface as it is now, negative
                       // inside; NAN where none is near
    bool impulse;      // this force is a collision impulse (device/safety.h)
    bool held;         // the trust region held the proxy back
    bool converged;    // the solver reached its tolerance; true where there is none

    // Where to put the problem that this step solved last; NULL: nobody wants it.
    palProblemCopy* problem;
} palHighInfo;

#endif

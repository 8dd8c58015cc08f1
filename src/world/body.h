// SPDX-License-Identifier: Apache-2.0
// The bodies of the world step. A kind of body is one file with one table of operations,
// palWorldBodyOps (body.c for static ones, soft_body.c, rigid_body.c, wire_body.c). The step itself
// does not depend on the kinds; only the finders of contacts depend on their shape.
//
// Every body has two states: one at the beginning of the step, and a trial state at its end, which
// contact forces, the sanity pass and the hold-back change until commit() accepts it.
#ifndef PAL_WORLD_BODY_H
#define PAL_WORLD_BODY_H

#include "body/anchor.h"
#include "body/soft_step.h"
#include "body/tool.h"
#include "body/wire.h"
#include "collide/collider.h"
#include "collide/rigid_contact.h"
#include "collide/surface_pair.h"
#include "constraint/rows.h"

typedef struct palWorldBody palWorldBody;

/// The linearisations of a body.
typedef enum palWorldRate
{
    pal_rateStep, // of the world step
    pal_rateFast, // at the time step of the high rate, for its contact model
} palWorldRate;

/// The shape of a body, for the finders of contacts.
typedef enum palWorldShape
{
    pal_shapeSurface,
    pal_shapeWire,
    pal_shapeCount,
} palWorldShape;

typedef struct palWorldBodyOps
{
    bool moves; // contact forces can move it
    palWorldShape shape;

    /// L1, L2: linearises at the present state and computes the free motion over h, or uses the
    /// predicted one. At the end of the step a handle is at `share` of its way. Returns false where
    /// A(h) could not be factored: the body then stays where it is.
    bool (*begin)(palWorldBody* body, double h, double share);

    /// L4: builds J of this body for the rows that act on it. `predicted`, [2][rowCapacity of the
    /// rows], N: the forces that a predicted motion of the body at end 0, or at end 1, contains;
    /// NULL: none.
    void (*takeRows)(palWorldBody* body, const palRows* rows, const double* predicted);
    /// L5: adds its part of scale J A⁻¹ Jᵀ to W, [rows][stride], and of the velocities J v of its
    /// free or predicted motion, m/s; either may be NULL.
    void (*addCompliance)(palWorldBody* body, palWorldRate rate, double scale, double* W,
                          size_t stride, double* velocity);
    /// L6: the trial state under the forces λ, [rows], N.
    void (*evaluateTrial)(palWorldBody* body, const double* lambda);

    /// The place of a point on its surface; not for wires.
    palPlace (*place)(const palWorldBody* body, const palSurfacePlace* on);
    /// The position of a place at the beginning of the step, or in the trial state, m.
    palVec3 (*point)(const palWorldBody* body, const palPlace* place, bool isTrial);
    /// The orientation of the body at a place, likewise.
    palQuat (*orientation)(const palWorldBody* body, const palPlace* place, bool isTrial);
    /// Of surfaces that the nodes of a body move: where these are, m. NULL: vertices move.
    const palVec3* (*nodes)(const palWorldBody* body, bool isTrial);
    /// Of surfaces: the velocity of a place, m/s. Returns whether a force there can move it.
    bool (*velocity)(const palWorldBody* body, const palSurfacePlace* place, palVec3* velocity);

    /// The sanity pass, of surfaces: `push` accumulates that a place is to move by d, m, and its
    /// penetration depth, m; `movePushed` applies that to the trial state. Velocities stay.
    void (*push)(palWorldBody* body, const palSurfacePlace* place, palVec3 d, double depth);
    void (*movePushed)(palWorldBody* body);
    /// The hold-back: reduces the motion to the trial state to `share` of it, and the velocities to
    /// frame + share (v - frame), with `frame` the velocity of the group's centre of mass, m/s.
    void (*shorten)(palWorldBody* body, double share, palVec3 frame);
    /// Returns its mass, kg, and its momentum in the trial state, kg·m/s; 0 where something outside
    /// the world holds it.
    double (*momentum)(const palWorldBody* body, palVec3* momentum);

    /// Accepts the trial state as the present one.
    void (*commit)(palWorldBody* body);
    /// Sets the trial state to the present one.
    void (*reset)(palWorldBody* body);
    /// Its state between two steps, after its collider.
    void (*archive)(palWorldBody* body, palArchive* archive);
    void (*destroy)(palWorldBody* body);
} palWorldBodyOps;

struct palWorldBody
{
    const palWorldBodyOps* ops;
    int id;                   // index in the list of bodies
    palMovingSurface surface; // owned: both states, updated for each trial; not of wires
    palRigidShape* solid;     // owned: the same of a rigid body with an inside, in its own frame;
                              // NULL: it has none, or bends
    int pointCount;           // vertices of the surface, or nodes of the wire
    const palVec3* start;     // borrowed, [pointCount], at the beginning of the step, m; NULL where
                              // nodes move them
    palVec3* end;             // likewise, in the trial state; NULL also where it does not move.
                              // Owned by bodies with a surface
    double friction;          // Coulomb's coefficient; below 0: that of the other body
    double size;              // m, the diagonal of its surface
    double mobility;          // m/N: mean compliance of its rows; the sanity pass shares pushes in
                              // proportion. 0: it moves only where the other body cannot
    double travel;            // m, the largest displacement of a vertex in this step
};

/// A soft object.
typedef struct palWorldSoft
{
    palWorldBody base;
    palCollider* collider; // borrowed: body, skin and surface
    palSoftStep* step;     // owned: linearisation over the world step
    palSoftStep* fast;     // owned: at the time step of the high rate; NULL: none
    bool isLinear;         // K of the body is that of its present state
    bool isFree;           // nothing touches or pushes it in the trial, nor predicts its motion

    // Its rows, as sparse rows of linalg/reach.h. Written by takeRows. Arrays owned.
    int rowCapacity;
    int rowCount;
    int problemRows;      // of the whole problem
    int* rowOf;           // [rowCapacity]: number of the row in the problem
    bool* isAngular;      // [rowCapacity]: of rotation
    int* entryStart;      // [rowCapacity + 1]
    int* nodes;           // [rowCapacity * entries per row]: free nodes
    palVec3* values;      // likewise: J
    palSparseRows sparse; // of the arrays above
    double* W;            // [rowCount][rowCount], m/N: its own part
    double* vector;       // [rowCapacity]: velocities or forces of its own rows
    double* predicted;    // owned, [rowCapacity]: forces in the predicted motion, N
    double* present;      // owned, [rowCapacity]: the forces of the last step, N

    // The sanity pass. Arrays owned.
    palVec3* pushes; // [nodes], m: weighted sums
    double* weights; // [nodes]: sums of the weights

    // The predicted motion over the next step. Written by palWorldStep_Predict.
    const palVec3* predictedX; // borrowed, [nodes], m; NULL: free motion
    const double* predictedV;  // borrowed, [3 freeCount], m/s
} palWorldSoft;

/// A rigid tool, coupled to a handle.
typedef struct palWorldRigid
{
    palWorldBody base;
    const palTool* tool; // `own`
    palTool own;         // surface borrowed; coupling and gravity are those of the haptic state
    palRigidState state; // at the beginning of the step
    palRigidState trial; // at its end
    palRigidStep step;
    palHandle before;       // the handle at the end of the last step. Written by Advance
    palHandle handle;       // and of this one. Written by the caller of Advance
    palWrench load;         // likewise: what pushes it besides, about its centre of mass
    palVec3* startVertices; // owned, [vertices], m
    palVec3 move;           // m, translation by the sanity pass
    double moveDepth;       // m, the penetration that it comes from
    int rowCount;
    int* rowOf;      // owned, [rowCapacity]: number of the row in the problem
    palWrench* J;    // owned, [rowCapacity], with the sign of the end. Written by takeRows
    double* columns; // owned, [6][rowCapacity]: J by components, for vector loops
    int rowCapacity;
} palWorldRigid;

/// A wire.
typedef struct palWorldWire
{
    palWorldBody base;
    const palWire* wire;           // borrowed
    palBeamState state;            // owned: at the beginning of the step
    palBeamState trial;            // owned: at its end
    palBeamWork work;              // owned: the linearisation of the step
    palBeamWork fast;              // owned: that of a model at the high rate; empty: none
    bool isCommitted;              // `state` is that of the end of the step, as is `fast`
    bool failed;                   // A(h) could not be factored: it stays where it is
    const palBeamState* predicted; // borrowed: its motion over the next step; NULL: free motion
    double* freeMotion;            // owned, [6 nodes]: dv of the free motion; of a predicted one dx
    int rowCapacity;               // of this wire
    int rowCount;
    int* rowOf;       // owned, [rowCapacity]: number of the row in the problem
    palBeamRow* rows; // owned, [rowCapacity], with the sign of the end. Written by takeRows
    double* inside;   // owned, [rowCapacity]: forces in the predicted motion, N
    double* vector;   // owned, [rowCapacity]: workspace
    double* W;        // borrowed, [rowCapacity²]: workspace, shared by all wires, m/N
} palWorldWire;

/// The capacity of contacts of a wire; a contact with both ends on it counts twice.
int palWorldWire_Contacts(const palWire* wire, int contactsMax);

palResult palWorldStatic_Create(const palCollider* collider, palWorldBody** body, palError* error);
/// `anchorEntries`: what rows of joints have beyond three vertices. `fastDt`, s: of a second
/// linearisation; 0: none. Without rows it has no system: it is where its
/// collider is, and takes no step.
palResult palWorldSoft_Create(palCollider* collider, int rowCapacity, int anchorEntries,
                              const palSoftFactorDef* def, double fastDt, palWorldBody** body,
                              palError* error);
palResult palWorldRigid_Create(const palTool* tool, int rowCapacity, palWorldBody** body,
                               palError* error);

/// W is borrowed, [rowCapacity²].
palResult palWorldWire_Create(const palWire* wire, int rowCapacity, double* W, bool withFast,
                              palWorldBody** body, palError* error);

/// Linearises a soft body at its present state for the time step dt, s, into `fast`. Returns false
/// where A(dt) could not be factored.
bool palWorldSoft_BeginFast(palWorldSoft* soft, double dt);
/// The same for a wire.
bool palWorldWire_BeginFast(palWorldWire* wire, double dt);
/// Takes another state for the trial state.
void palWorldRigid_SetTrial(palWorldRigid* rigid, const palRigidState* state);
/// Jᵀ λ on a rigid body, for the rows of the last takeRows.
palWrench palWorldRigid_Wrench(const palWorldRigid* rigid, const double* lambda);

/// A row of the problem that acts on a body.
typedef struct palBodyRow
{
    const palLink* link; // borrowed
    int end;             // of the link, on the body: 0 or 1
    int k;               // number of the row within the link
    int row;             // number of the row in the problem
    palVec3 axis;        // unit, with the sign of the end
    bool isAngular;      // a row of rotation
    int position;        // of the iteration: 2 (index of the link) + end
} palBodyRow;

#define PAL_BEFORE_FIRST_ROW                                                                       \
    {                                                                                              \
        .position = -1                                                                             \
    }

/// Goes to the next row that acts on the body, in the order of the problem. Returns false after the
/// last.
bool palWorldBody_NextRow(const palWorldBody* body, const palRows* rows, palBodyRow* at);
/// palWorldBodyOps.momentum of bodies that something outside always holds: returns 0.
double palWorldBody_HeldMomentum(const palWorldBody* body, palVec3* momentum);

/// Initialises what all kinds with a surface share.
palResult palWorldBody_Init(palWorldBody* body, const palWorldBodyOps* ops,
                            const palSurface* surface, palError* error);
void palWorldBody_Free(palWorldBody* body);
/// Updates the moving surface, and `travel`, from `start` and `end` or the nodes.
void palWorldBody_MoveSurface(palWorldBody* body);
/// Gives a rigid body its solid, where the surface has an inside.
palResult palWorldBody_MakeSolid(palWorldBody* body, const palSurface* surface, palError* error);
/// Where the frame of a solid is, at the beginning of the step or in the trial state.
palPose palWorldBody_Pose(const palWorldBody* body, bool isTrial);
/// palWorldBodyOps.archive of what all kinds share.
void palWorldBody_Archive(palWorldBody* body, palArchive* archive);

#endif

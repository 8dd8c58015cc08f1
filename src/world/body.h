// SPDX-License-Identifier: Apache-2.0
// A body of the world step, whatever it is made of: what it must be able to do to take part in
// contact. A kind of body is one file with one palWorldBodyOps (body.c, soft_body.c, rigid_body.c,
// wire_body.c); the step itself knows no kinds, only what shape they have for the finders of
// contacts.
//
// Every body has two states: that of the beginning of the step and a trial state of its end, which
// contact forces, the sanity pass and the hold-back may change until commit() takes it.
#ifndef PAL_WORLD_BODY_H
#define PAL_WORLD_BODY_H

#include "body/soft_step.h"
#include "body/tool.h"
#include "body/wire.h"
#include "collide/collider.h"
#include "collide/surface_pair.h"
#include "constraint/rows.h"

typedef struct palWorldBody palWorldBody;

/// Which linearisation of a body.
typedef enum palWorldRate
{
    pal_rateStep, // of the world step
    pal_rateFast, // the second one of a soft body, for a model at the high rate
} palWorldRate;

/// What is looked for in contact.
typedef enum palWorldShape
{
    pal_shapeSurface,
    pal_shapeWire,
    pal_shapeCount,
} palWorldShape;

typedef struct palWorldBodyOps
{
    bool moves; // contact can move it
    palWorldShape shape;

    /// L1, L2: linearises at the present state and computes the free motion over h, or takes the
    /// predicted one. A handle has gone `share` of its way at the end. Returns false where the
    /// body's system could not be factored: it then stays still.
    bool (*begin)(palWorldBody* body, double h, double share);

    /// L4: which of the rows act on this body, and how. `predicted`, [2][rowCapacity of the rows],
    /// N: the forces that a predicted motion of the body at end 0, or at end 1, contains. NULL:
    /// none.
    void (*takeRows)(palWorldBody* body, const palRows* rows, const double* predicted);
    /// L5: adds its part of scale J A⁻¹ Jᵀ to W, [rows][stride], and of the velocities J v of its
    /// free or predicted motion, m/s; either may be NULL.
    void (*addCompliance)(palWorldBody* body, palWorldRate rate, double scale, double* W,
                          size_t stride, double* velocity);
    /// L6: the trial state under the forces λ, [rows], N.
    void (*evaluateTrial)(palWorldBody* body, const double* lambda);

    /// Makes a place of a point on its surface; not for wires.
    palPlace (*place)(const palWorldBody* body, const palSurfacePlace* on);
    /// Where a place is at the beginning of the step, or in the trial state, m.
    palVec3 (*point)(const palWorldBody* body, const palPlace* place, bool isTrial);
    /// How its surroundings are turned there.
    palQuat (*orientation)(const palWorldBody* body, const palPlace* place, bool isTrial);
    /// Of surfaces: the velocity of a place, m/s. Returns whether forces there move anything.
    bool (*velocity)(const palWorldBody* body, const palSurfacePlace* place, palVec3* velocity);

    /// The sanity pass, of surfaces: notes that a place is to move by d, and by how deep it is
    /// inside; then moves the trial state by what was noted. Velocities stay.
    void (*push)(palWorldBody* body, const palSurfacePlace* place, palVec3 d, double depth);
    void (*movePushed)(palWorldBody* body);
    /// Goes only a share of the way to the trial state, and changes the velocities to
    /// frame + share (v - frame).
    void (*shorten)(palWorldBody* body, double share, palVec3 frame);
    /// Its mass, kg, and its momentum in the trial state; 0 where something outside holds it.
    double (*momentum)(const palWorldBody* body, palVec3* momentum);

    /// Takes the trial state as the present one.
    void (*commit)(palWorldBody* body);
    /// Takes the present state as the trial state.
    void (*reset)(palWorldBody* body);
    void (*destroy)(palWorldBody* body);
} palWorldBodyOps;

struct palWorldBody
{
    const palWorldBodyOps* ops;
    int id;                   // index in the list of bodies
    palMovingSurface surface; // owned; moved once a trial, for all pairs; not of wires
    int pointCount;           // vertices of the surface, or nodes of the wire
    const palVec3* start;     // borrowed, [pointCount], at the beginning of the step, m
    palVec3* end;             // likewise, in the trial state; NULL where it does not move. Owned
                              // where there is a surface
    double friction;          // Coulomb's coefficient; below 0: that of the other body
    double size;              // m, the diagonal of its surface
    double mobility;          // m/N: mean compliance of its normal rows; the sanity pass shares by
                              // it. 0: moved only where the other body cannot move
    double travel;            // m, the longest way of a vertex in this step
};

/// A soft object.
typedef struct palWorldSoft
{
    palWorldBody base;
    palCollider* collider; // borrowed: body, skin and surface
    palSoftStep* step;     // owned: from one low-rate step to the next
    palSoftStep* fast;     // owned: at another step, for a model at the high rate; NULL: none
    bool isLinear;         // the body's linearisation is of where it is

    // Its rows, in the form that linalg/reach.h takes. Arrays owned.
    int rowCapacity;
    int rowCount;
    int problemRows;      // of the whole problem
    int* rowOf;           // [rowCapacity]: which row of the problem it is
    int* entryStart;      // [rowCapacity + 1]
    int* nodes;           // [rowCapacity * entries a row]
    palVec3* values;      // likewise
    palSparseRows sparse; // of the arrays above
    double* W;            // [rowCount][rowCount], m/N: its own part
    double* vector;       // [rowCapacity]: velocities or forces of its own rows
    double* predicted;    // owned, [rowCapacity]: forces in the predicted motion, N
    double* present;      // owned, [rowCapacity]: the forces of before, N

    // The sanity pass. Arrays owned.
    palVec3* pushes; // [nodes], m
    double* weights; // [nodes]

    // A motion that comes from elsewhere, for the next step.
    const palVec3* predictedX; // borrowed, [nodes], m; NULL: free motion
    const double* predictedV;  // borrowed, [3 freeCount], m/s
} palWorldSoft;

/// A rigid tool, coupled to a handle.
typedef struct palWorldRigid
{
    palWorldBody base;
    const palTool* tool; // borrowed
    palRigidState state; // at the beginning of the step
    palRigidState trial; // at its end
    palRigidStep step;
    palHandle before;       // the handle at the end of the last step
    palHandle handle;       // and of this one
    palVec3* startVertices; // owned, [vertices], m
    palVec3 move;           // m, of the sanity pass
    double moveDepth;       // m, the deepest that was noted
    int rowCount;
    int* rowOf;      // owned, [rowCapacity]
    palWrench* J;    // owned, [rowCapacity], with their sign
    double* columns; // owned, [6][rowCapacity]: the same by components
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
    bool isCommitted;              // the state is that of the end of the step, and of `fast`
    bool failed;                   // its system could not be factored: it stays where it is
    const palBeamState* predicted; // borrowed: its motion over the next step; NULL: free motion
    double* freeMotion;            // owned, [6 nodes]: dv of the free motion; of a predicted one dx
    int rowCapacity;               // own rows
    int rowCount;
    int* rowOf;       // owned, [rowCapacity]: which row of the problem it is
    palBeamRow* rows; // owned, [rowCapacity], with their sign
    double* inside;   // owned, [rowCapacity]: forces in the predicted motion, N
    double* vector;   // owned, [rowCapacity]
    double* W;        // borrowed, [rowCapacity²]: workspace, shared by all wires
} palWorldWire;

/// How many contacts a wire has room for at most, ends on it counted.
int palWorldWire_Contacts(const palWire* wire, int contactsMax);

palResult palWorldStatic_Create(const palCollider* collider, palWorldBody** body, palError* error);
/// `fastDt`, s: of a second linearisation; 0: none. Without rows it has no system: it is where its
/// collider is, and takes no step.
palResult palWorldSoft_Create(palCollider* collider, int rowCapacity, const palSoftFactorDef* def,
                              double fastDt, palWorldBody** body, palError* error);
palResult palWorldRigid_Create(const palTool* tool, int rowCapacity, palWorldBody** body,
                               palError* error);

/// With room for so many rows; W is borrowed, [rowCapacity²].
palResult palWorldWire_Create(const palWire* wire, int rowCapacity, double* W, bool withFast,
                              palWorldBody** body, palError* error);

/// Linearises a soft body at its present state for another step than that of the world; false where
/// that fails.
bool palWorldSoft_BeginFast(palWorldSoft* soft, double dt);
/// The same of a wire.
bool palWorldWire_BeginFast(palWorldWire* wire, double dt);
/// Jᵀ λ on a rigid body, for the rows that it took last.
palWrench palWorldRigid_Wrench(const palWorldRigid* rigid, const double* lambda);

/// What all kinds have in common.
palResult palWorldBody_Init(palWorldBody* body, const palWorldBodyOps* ops,
                            const palSurface* surface, palError* error);
void palWorldBody_Free(palWorldBody* body);
/// Puts the moving surface where start and trial state are.
void palWorldBody_MoveSurface(palWorldBody* body);

#endif

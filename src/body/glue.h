// SPDX-License-Identifier: Apache-2.0
// Rows that tie soft bodies to each other or to something fixed, such as contacts that stay closed:
// in the motions x of the bodies of an island C x = 0.
//
// Every vector is brought there by the forces Cᵀμ of the rows. Of answers x = A⁻¹ b
//
//     x - A⁻¹ Cᵀ μ,  S μ = C x,  S = C A⁻¹ Cᵀ
//
// is the answer of the tied bodies to b; of velocities and of the first instant, M in place of A.
// S is dense; its parts are computed body by body, by solves limited to the reach of the rows
// (linalg/reach.h). Rows that depend on others (contacts found from both sides) are
// left out by the pivots of the Cholesky factor of S.
#ifndef PAL_BODY_GLUE_H
#define PAL_BODY_GLUE_H

#include "body/response.h"
#include "linalg/reach.h"

/// Rows over the nodes of several bodies: row r has entries start[r] .. start[r + 1] - 1 and
/// (C v)_r = Σ values[e] · v[nodes[e] of bodies[e]]. All borrowed.
typedef struct palGlueRows
{
    int count;
    const int* start;      // [count + 1], start[0] = 0
    const int* bodies;     // [start[count]]: index of the body
    const int* nodes;      // [start[count]]: its node; held ones do not move
    const palVec3* values; // [start[count]]
} palGlueRows;

/// The rows that tie the soft bodies of a scene. Written by the world step, between two low-rate
/// steps of the method that reads them.
typedef struct palTies
{
    int maxRows;      // room, given at set-up
    int maxEntries;   // of all rows; 0: 48 a row
    palGlueRows rows; // bodies are the soft ones in the order of the scene
    double* forces;   // borrowed, [maxRows]: receives the mean forces of the rows over the last
                      // low-rate step, N; NULL: not needed
} palTies;

/// Pairs of bodies that slide on each other: their friction is part of the motion that islands
/// predict (body/modes.h). Written and read as palTies.
typedef struct palRubs
{
    int count;
    palGlueRows rows; // [count][pal_rubRows]
    double* limits;   // borrowed, N
    double* forces;   // borrowed: receives the mean forces of the rows over the last step, N
} palRubs;

/// A symmetric positive semi-definite matrix, factored with pivots.
typedef struct palPivoted
{
    double* S;  // owned, [max²]: the factor
    int* order; // owned, [max]: row of each pivot
    int count;  // rows
    int rank;   // independent ones
} palPivoted;

/// The rows of one body, in its free nodes.
typedef struct palGluePart
{
    palReach* reach; // owned
    int* start;      // owned, [maxRows + 1]
    int* nodes;      // owned, [maxEntries]: free index
    palVec3* values; // owned, [maxEntries]
    palVec3* turned; // owned, [maxEntries]: in the frames of the factor
    int* rows;       // owned, [maxRows]: which row of the island each is
    int count;       // rows
    int8_t* isTied;  // owned, [freeCount]: whether a row has an entry there
} palGluePart;

typedef struct palGlue
{
    int maxRows, maxEntries;
    int bodyCount;
    palGluePart* parts; // owned, [bodyCount]
    palPivoted byA;     // owned: S of the answers
    palPivoted byMass;  // owned: S of the first instant
    int* source;        // owned, [maxRows]: which of the rows given each is
    double* W;          // owned, [maxRows²]: one body's share of S
    double* right;      // owned, [pal_responseDenseMax + pal_responseUnitsMax][maxRows]
    int dropped;        // rows beyond the capacity, in all steps so far
} palGlue;

/// For the bodies of `responses`; at most maxRows rows with maxEntries entries in one island.
palResult palGlue_Create(palResponse* const* responses, int bodyCount, int maxRows, int maxEntries,
                         palGlue** glue, palError* error);
void palGlue_Destroy(palGlue* glue);

/// Takes the rows that are between the `count` bodies named, after they were factored. Returns how
/// many rows there are.
int palGlue_Take(palGlue* glue, palResponse* const* responses, const int* bodies, int count,
                 const palGlueRows* rows);

/// Brings the right-hand sides first .. first + vectors - 1 of the bodies, which hold answers, to
/// C x = 0.
void palGlue_Project(palGlue* glue, palResponse* const* responses, const int* bodies, int count,
                     int first, int vectors);
/// The same in the metric of M: velocities, and M⁻¹ times forces.
void palGlue_ProjectInstant(palGlue* glue, palResponse* const* responses, const int* bodies,
                            int count, int first, int vectors);

/// Right-hand side `index`, which holds answers A⁻¹ b, becomes the part Cᵀμ of b that the rows
/// balance.
void palGlue_Balance(palGlue* glue, palResponse* const* responses, const int* bodies, int count,
                     int index);

/// The forces of the rows, lambda[r] for row r of those given, that balance right-hand side `index`
/// as far as rows can: Cᵀλ + b = 0. It is overwritten; lambda of rows that are not taken stays.
void palGlue_Reaction(palGlue* glue, palResponse* const* responses, const int* bodies, int count,
                      int index, double* lambda);

#endif

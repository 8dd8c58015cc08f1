// SPDX-License-Identifier: Apache-2.0
// The rows of a tool's contacts that method `linear` gives to the high rate, `constraints:
// contact`.
//
// The tick knows at most pal_tickContactsMax contacts, so that its time is bounded. Where the tool
// has more,
//
//   - of the open ones those with the largest gap are left out;
//   - closed ones, λi > 0, are aggregated: neighbours that face alike make one group g, whose rows
//     are the means of theirs by their present share of its force,
//
//         J_g = Σ wi Ji,   δ_g = Σ wi δi,   wi = λi / Σ λ       (tangents in the frame of g)
//
// With P the matrix of these weights, λ_g = Σ λi the forces at the low rate, and the remainder
// r = λ - P λ_g, which has no normal part, the tick has
//
//     W_g = Pᵀ W P,   δ_free,g = Pᵀ δ_free + Pᵀ W r,   wrench = Jᵀ r + J_gᵀ λ_g
//
// While the tool stays where the low rate had it, λ_g solves this with exactly the gaps and the
// force and torque of all contacts: Pᵀ (δ_free + W (P λ_g + r)) = Pᵀ (δ_free + W λ).
//
// Contacts that a touched body has with others, which are closed at the low rate, are kept closed:
// their rows s are eliminated, so that what a body rests on is felt through it,
//
//     W -= W_ts W_ss⁻¹ W_st,   v -= W_ts W_ss⁻¹ v_s
#ifndef PAL_RENDER_LINEAR_ROWS_H
#define PAL_RENDER_LINEAR_ROWS_H

#include "render/linear_model.h"
#include "render/method.h"
#include "world/step.h"

enum
{
    pal_tickContactsMax = 96,
    pal_tickRowsMax = 3 * pal_tickContactsMax,
};

/// What a tick solves: part of a snapshot.
typedef struct palTickRows
{
    int contactCount;
    int count;                          // rows
    int closed;                         // contacts that push the visual tool: the first ones
    int leftOut;                        // open contacts that found no room
    int first[pal_tickContactsMax + 1]; // row of each contact's normal
    palContactBlock blocks[pal_tickContactsMax];
    palVec3 onTool[pal_tickContactsMax];  // tool's frame, m
    palVec3 point[pal_tickContactsMax];   // where that was, m
    palVec3 normal[pal_tickContactsMax];  // unit
    double gap[pal_tickContactsMax];      // m, clearance subtracted
    double depth[pal_tickContactsMax];    // m, by which the tissue gives way at the closed ones
    int object[pal_tickContactsMax];      // index of the collider
    palWrench J[pal_tickRowsMax];         // of the tool
    palVec3 along[pal_tickRowsMax];       // the direction of each
    double force[pal_tickRowsMax];        // λ of the low rate, N
    double softVelocity[pal_tickRowsMax]; // Ju u̇⁻, m/s
    double W[pal_tickRowsMax * pal_tickRowsMax];         // m/N, tool and soft bodies
    double R[pal_tickContactsMax * pal_tickContactsMax]; // normals: columns of the closed ones
    bool follows;                                        // R is there
    bool isAggregated;                                   // some contacts are groups
    palWrench remainder;                                 // Jᵀ r
    double remainderGap[pal_tickRowsMax];                // Pᵀ W r, m
} palTickRows;

/// The contact of the visual tool: palSnapshot.model.
typedef struct palToolModel
{
    palRigidState visual; // the visual tool at the snapshot's time
    palVec3 pressing;     // unit, the direction of the contact force; zero without
    palLinearModel model; // with `equality`
    palTickRows rows;     // with `contact`
} palToolModel;

/// One row of P.
typedef struct palTickEntries
{
    int count; // 0, 1 or 2
    int row[2];
    double value[2];
} palTickEntries;

/// Workspace of the low rate. Arrays owned.
typedef struct palTickBuilder
{
    palWorldStep* world; // borrowed
    palLinearWork* work; // borrowed
    palRows* fast;       // owned: soft bodies at the step of the model
    palRows* slow;       // owned: at that of the world, normals only
    palLink* links;      // [contactsMax]
    palLink* normals;    // [contactsMax]
    double* velocity;    // [rows]: m/s
    double* support;     // [rows]²: W_ss, factored
    double* vector;      // [rows]
    double* row;         // [rows]
    palWrench* J;        // [rows]
    int* group;          // [contactsMax]: the contact of the tick, or -1
    double* weight;      // [contactsMax]
    double* distance;    // [contactsMax]
    palTickEntries* P;   // [rows]: what a row of all contacts has in the rows of the tick
    int seeds[pal_tickContactsMax]; // a contact of each group
} palTickBuilder;

palResult palTickBuilder_Init(palTickBuilder* builder, palWorldStep* world, palLinearWork* work,
                              palError* error);
void palTickBuilder_Free(palTickBuilder* builder);

/// Fills `rows` with the compliance of the soft bodies for the first `count` contacts of the world,
/// the tool's: scale Ju A⁻¹ Juᵀ with what they rest on, and where velocity is not NULL Ju u̇⁻. With
/// `normalsOnly` one row a contact.
void palTickBuilder_FillSoft(palTickBuilder* builder, palRows* rows, int count, bool normalsOnly,
                             palWorldRate rate, double scale, double* velocity);

/// The rows that may act until the next snapshot, with the tool's step at the rate of the tick;
/// `closed` is the number of contacts with a force, which come first of the `count` ones. With
/// `follows` soft bodies under closed contacts follow the tool.
void palTickRows_Build(palTickRows* out, palTickBuilder* builder, const palRigidStep* tool,
                       int count, int closed, bool follows);

/// H3: δ_free of every row for the tool at `haptic`, with its free motion in `step`. Real-time.
void palTickRows_FreeGaps(const palTickRows* rows, const palRigidModel* model,
                          const palRigidState* haptic, const palRigidStep* step, double* gapFree);
/// Force and torque of all contacts on the tool. Real-time.
palWrench palTickRows_Wrench(const palTickRows* rows, const double* lambda);

#endif

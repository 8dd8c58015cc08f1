// SPDX-License-Identifier: Apache-2.0
// The contact rows that method `linear` with `constraints: contact` gives to the high rate.
//
// A tick has at most pal_tickContactsMax contacts, so that its time is bounded. Where the tool has
// more,
//
//   - the open ones with the largest gaps are left out;
//   - closed ones, λi > 0, are aggregated: neighbours with similar normals make one group g, whose
//     rows are the means of theirs, weighted by their share of its normal force,
//
//         J_g = Σ wi Ji,   δ_g = Σ wi δi,   wi = λi / Σ λ       (tangents in the frame of g)
//
// With P the matrix of these weights, λ_g = Σ λi the forces at the low rate, and the remainder
// r = λ - P λ_g, whose normal components are zero, the tick has
//
//     W_g = Pᵀ W P,   δ_free,g = Pᵀ δ_free + Pᵀ W r,   wrench = Jᵀ r + J_gᵀ λ_g
//
// While the tool stays where the low rate had it, λ_g solves this with exactly the gaps and the
// force and torque of all contacts: Pᵀ (δ_free + W (P λ_g + r)) = Pᵀ (δ_free + W λ).
//
// A joint with the tool is a contact of one row for each of its rows, which is always closed and
// also pulls.
//
// Contacts of a touched body with others that are closed at the low rate are kept closed: their
// rows s are eliminated from the tool's rows t, so that what a body rests on is felt through it,
//
//     W -= W_ts W_ss⁻¹ W_st,   v -= W_ts W_ss⁻¹ v_s
#ifndef PAL_TOUCH_LINEAR_ROWS_H
#define PAL_TOUCH_LINEAR_ROWS_H

#include "touch/linear_model.h"
#include "world/step.h"

enum
{
    pal_tickContactsMax = 96,
    pal_tickRowsMax = 3 * pal_tickContactsMax,
};

/// The contact problem of a tick: part of a snapshot. Written by palTickRows_Build at the low rate.
typedef struct palTickRows
{
    int contactCount;
    int count;                          // rows
    int closed;                         // contacts with λ > 0 at the low rate; they come first
    int leftOut;                        // open contacts beyond the capacity
    int first[pal_tickContactsMax + 1]; // row of each contact's normal
    palContactBlock blocks[pal_tickContactsMax];
    palVec3 onTool[pal_tickContactsMax];         // contact point in the tool's frame, m
    palVec3 point[pal_tickContactsMax];          // the same in the world, at the snapshot's time, m
    palVec3 normal[pal_tickContactsMax];         // unit; of rotation: times a length, m
    bool isAngular[pal_tickContactsMax];         // joints: a row of rotation about the normal
    palQuat orientation;                         // of the tool at the snapshot's time
    double gap[pal_tickContactsMax];             // m, less the clearance
    bool isRigid[pal_tickContactsMax];           // of two bodies that do not yield
    bool turns[pal_tickContactsMax];             // of these: the normal is one of the tool's
    double depth[pal_tickContactsMax];           // m, indentation of the tissue at closed ones
    int object[pal_tickContactsMax];             // body id
    int key[pal_tickContactsMax];                // of its features: palLink.key
    int aside[pal_tickContactsMax];              // the contact on the other side of its ridge, of
                                                 // which only the wider one acts; -1: there is none
    palWrench J[pal_tickRowsMax];                // of the tool, unit force and its torque
    palVec3 along[pal_tickRowsMax];              // unit direction of each row
    double force[pal_tickRowsMax];               // λ of the low rate, N
    double softVelocity[pal_tickRowsMax];        // Ju u̇⁻, m/s
    double W[pal_tickRowsMax * pal_tickRowsMax]; // m/N, tool and soft bodies
    // How the gaps of all normals change with the tool's motion at the closed contacts
    // (linear_model.h): columns of the closed ones.
    double R[pal_tickContactsMax * pal_tickContactsMax];
    bool follows;                         // R and depth are filled
    bool isAggregated;                    // closed contacts are groups
    palWrench remainder;                  // Jᵀ r
    double remainderGap[pal_tickRowsMax]; // Pᵀ W r, m
} palTickRows;

/// The contact of the visual tool: palHandSnapshot.model. Written by `describe` of linear.c.
typedef struct palToolModel
{
    palRigidState visual; // the visual tool at the snapshot's time
    palVec3 pressing;     // unit, direction of the contact force; zero without contact
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
    palWorldRigid* tool; // borrowed: whose contacts they are
    palLinearWork* work; // borrowed
    palRows* fast;       // owned: soft bodies at the time step of the model
    palRows* slow;       // owned: at that of the world, normals only
    palLink* links;      // [contactsMax]: of `fast`, the tool's first, then the supports
    palLink* normals;    // [contactsMax]: of `slow`
    palLink* axes;       // [jointRows]: a link for every row of the tool's joints
    int axisCount;
    double* velocity;               // [rows]: Ju u̇⁻, m/s
    double* support;                // [rows]²: factor of W_ss
    double* vector;                 // [rows]: workspace; then the remainder r, N
    double* row;                    // [rows]: workspace
    palWrench* J;                   // [rows]: of the tool
    int* group;                     // [contactsMax]: index of its contact in the tick; -1: left out
    int* aside;                     // [contactsMax]: the link on the other side of its ridge, or -1
    double* weight;                 // [contactsMax]: wi
    double* distance;               // [contactsMax]: to the closest seed, m
    palTickEntries* P;              // [rows]
    int seeds[pal_tickContactsMax]; // a contact of each group
} palTickBuilder;

palResult palTickBuilder_Init(palTickBuilder* builder, palWorldStep* world, palWorldRigid* tool,
                              palLinearWork* work, palError* error);
void palTickBuilder_Free(palTickBuilder* builder);

/// Finds the rows of the tool's joints.
void palTickBuilder_FindAxes(palTickBuilder* builder);

/// Fills `rows` with the compliance of the soft bodies, scale Ju A⁻¹ Juᵀ, for `count` links of the
/// tool, those of its joints and then the first contacts of the world, with the supports of these
/// bodies eliminated; and `velocity`, unless NULL, with Ju u̇⁻, m/s. With `normalsOnly` one row per
/// contact.
void palTickBuilder_FillSoft(palTickBuilder* builder, palRows* rows, int count, bool normalsOnly,
                             palWorldRate rate, double scale, double* velocity);

/// L4, L5: the rows of the tool's `count` contacts, of which the first `closed` have a force.
/// `tool` is the tool's step at the rate of the tick. With `follows` soft bodies under closed
/// contacts follow the tool between snapshots.
void palTickRows_Build(palTickRows* out, palTickBuilder* builder, const palRigidStep* tool,
                       int count, int closed, bool follows);

/// What is used of them.
void palTickRows_Archive(palTickRows* rows, palArchive* archive);

/// H3: δ_free of every row for the tool at `haptic`, with its free motion in `step`; infinite of
/// normals that cannot act in this tick. Real-time.
void palTickRows_FreeGaps(const palTickRows* rows, const palRigidModel* model,
                          const palRigidState* haptic, const palRigidStep* step, double* gapFree);
/// Force and torque of all contacts on the tool. Real-time.
palWrench palTickRows_Wrench(const palTickRows* rows, const double* lambda);

#endif

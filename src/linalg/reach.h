// SPDX-License-Identifier: Apache-2.0
// Solves with the rows of contacts: Z = L⁻¹ P Jᵀ, and from it W = J A⁻¹ Jᵀ = Zᵀ Z.
//
// A row of J touches a few nodes. Its column of Z is zero except on the ways from these nodes to
// the root of the elimination tree: its reach (J. R. Gilbert, SIAM J. Matrix Anal. Appl. 15(1),
// 1994). Columns are sorted by where their ways begin; since fronts are in postorder, those that
// pass a front are then neighbours, and a front works on that range of columns only:
//
//     front f:  Z_f [columns of f x columns of Z from first[f] to last[f]]
//     W       = Σ_f Z_fᵀ Z_f over the fronts of the reach
//
// Where the rows touch clearly fewer dofs than there are rows (several rows a contact, contacts
// that share nodes), Z is made for the dofs instead. With E the touched columns of the identity, J
// = S Eᵀ:
//     Z = L⁻¹ P E,  W = S (Zᵀ Z) Sᵀ,  J A⁻¹ b = S Zᵀ y
// The functions below give the same in both cases.
//
// Everything is allocated by Create for the most rows and entries; nothing afterwards. The results
// stay valid until the next palReach_Solve or palCholesky_Factor.
#ifndef PAL_LINALG_REACH_H
#define PAL_LINALG_REACH_H

#include "linalg/cholesky.h"

/// Rows of a Jacobian over the nodes, each with a few entries: row r has entries
/// start[r] .. start[r + 1] - 1, and (J v)_r = Σ values[e] · v[nodes[e]]. All borrowed.
typedef struct palSparseRows
{
    int count;
    const int* start;      // [count + 1], start[0] = 0
    const int* nodes;      // [start[count]]; a node may come twice in a row
    const palVec3* values; // [start[count]]
} palSparseRows;

typedef struct palReach
{
    const palCholesky* cholesky; // borrowed
    int maxRows;
    int maxEntries;
    size_t bytes; // of memory

    // The last rows.
    palSparseRows rows;    // borrowed
    palSparseRows columns; // what Z is made for: the same, or a row for each touched dof
    bool byDofs;           // the latter

    // The reach.
    int frontCount; // fronts in it
    int* fronts;    // owned, [frontCount], ascending
    int* first;     // owned, by front: first column, a multiple of four
    int* last;      // owned, by front: one past the last column, likewise; 0: not reached
    size_t* offset; // owned, by front: of Z_f in Z, row by row with last - first numbers each
    double* Z;      // owned

    int* column;       // owned, [maxRows]: where a row of `columns` is in Z
    uint64_t* keys;    // owned, [maxRows]: for sorting
    int* touchedIndex; // owned, [nodeCount]: number of a touched node, or -1
    int* dofStart;     // owned, [maxRows + 1]: the rows of the touched dofs
    int* dofNodes;     // owned, [maxRows]
    palVec3* dofAxes;  // owned, [maxRows]
    double* gram;      // owned, [maxRows + 4]²: Zᵀ Z
    double* mapped;    // owned, [maxRows + 4]²: Zᵀ Z Sᵀ
    double* vector;    // owned, [maxRows + 4]
    double* spare;     // owned, [maxRows + 4]: where rows of padding point
    double** below;    // owned: pointers to the rows below a front
    void* packed;      // owned: scratch of the kernels
} palReach;

/// For at most maxRows rows with maxEntries entries in all.
palResult palReach_Create(const palCholesky* cholesky, int maxRows, int maxEntries,
                          palReach** reach, palError* error);
void palReach_Destroy(palReach* reach);

/// Z = L⁻¹ P Jᵀ. The rows are borrowed until the next call. Returns false, and has no rows, where
/// they are more than was made for, name a node out of range, or the matrix is not factored.
bool palReach_Solve(palReach* reach, const palSparseRows* J);

/// W = scale J A⁻¹ Jᵀ: W[i * stride + j], both triangles.
void palReach_Gram(palReach* reach, double scale, double* W, size_t stride);

/// v = J A⁻¹ b, [rows], from y = L⁻¹ P b.
void palReach_Project(palReach* reach, const double* y, double* v);

/// y += scale L⁻¹ P Jᵀ λ
void palReach_Add(palReach* reach, double scale, const double* lambda, double* y);

#endif

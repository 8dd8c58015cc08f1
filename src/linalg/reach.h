// SPDX-License-Identifier: Apache-2.0
// Solves with the rows of contacts: Z = L⁻¹ P Jᵀ, and from it W = J A⁻¹ Jᵀ = Zᵀ Z.
//
// A row of J touches a few nodes. Its column of Z is zero except on the paths from these nodes to
// the root of the elimination tree: its reach (J. R. Gilbert, SIAM J. Matrix Anal. Appl. 15(1),
// 1994). Columns are sorted by the start of their paths; since fronts are in postorder, the columns
// that reach a front are then adjacent, and a front processes only that range of columns:
//
//     front f:  Z_f [columns of f x columns of Z from first[f] to last[f]]
//     W       = Σ_f Z_fᵀ Z_f over the fronts of the reach
//
// If the rows touch clearly fewer dofs than there are rows (several rows per contact, contacts that
// share nodes), Z is computed for the dofs instead. With E the touched columns of the identity and
// J = S Eᵀ:
//
//     Z = L⁻¹ P E,  W = S (Zᵀ Z) Sᵀ,  J A⁻¹ b = S Zᵀ y
//
// The functions below give the same results in both cases.
//
// Create allocates everything for the maximum number of rows and entries; nothing is allocated
// afterwards. The results stay valid until the next palReach_Solve or palCholesky_Factor.
#ifndef PAL_LINALG_REACH_H
#define PAL_LINALG_REACH_H

#include "linalg/cholesky.h"

/// Rows of a Jacobian over the nodes, each with a few entries: row r has entries
/// start[r] .. start[r + 1] - 1, and (J v)_r = Σ values[e] · v[nodes[e]]. All borrowed.
typedef struct palSparseRows
{
    int count;
    const int* start;      // [count + 1], start[0] = 0
    const int* nodes;      // [start[count]]; a node may occur twice in a row
    const palVec3* values; // [start[count]]
} palSparseRows;

typedef struct palReach
{
    const palCholesky* cholesky; // borrowed
    int maxRows;
    int maxEntries;
    size_t bytes; // of memory

    // The rows of the last Solve.
    palSparseRows rows;    // borrowed: J
    palSparseRows columns; // the columns of Z: the rows of J, or one for each touched dof
    bool byDofs;           // whether the latter

    // The reach.
    int frontCount; // fronts in it
    int* fronts;    // owned, [frontCount], ascending
    int* first;     // owned, by front: first column, a multiple of four
    int* last;      // owned, by front: one past the last column, likewise; 0: not reached
    size_t* offset; // owned, by front: start of Z_f in Z, row-major, last - first entries per row
    double* Z;      // owned

    int* column;       // owned, [maxRows]: the column of Z of a row of `columns`
    uint64_t* keys;    // owned, [maxRows]: for sorting
    int* touchedIndex; // owned, [nodeCount]: index of a touched node, or -1
    int* dofStart;     // owned, [maxRows + 1]: the rows of the touched dofs
    int* dofNodes;     // owned, [maxRows]
    palVec3* dofAxes;  // owned, [maxRows]
    double* gram;      // owned, [maxRows + 4]²: Zᵀ Z
    double* mapped;    // owned, [maxRows + 4]²: Zᵀ Z Sᵀ
    double* vector;    // owned, [maxRows + 4]
    double* spare;     // owned, [maxRows + 4]: target of padding rows
    double** below;    // owned: pointers to the rows below a front
    void* packed;      // owned: scratch of the kernels
} palReach;

/// For at most maxRows rows with a total of maxEntries entries.
palResult palReach_Create(const palCholesky* cholesky, int maxRows, int maxEntries,
                          palReach** reach, palError* error);
void palReach_Destroy(palReach* reach);

/// Z = L⁻¹ P Jᵀ. The rows are borrowed until the next call. Returns false, and has no rows, if
/// there are more than allocated for, a node is out of range, or the matrix is not factored.
bool palReach_Solve(palReach* reach, const palSparseRows* J);

/// W = scale J A⁻¹ Jᵀ: W[i * stride + j], both triangles.
void palReach_Gram(palReach* reach, double scale, double* W, size_t stride);

/// v = J A⁻¹ b, [rows], from y = L⁻¹ P b.
void palReach_Project(palReach* reach, const double* y, double* v);

/// y += scale L⁻¹ P Jᵀ λ
void palReach_Add(palReach* reach, double scale, const double* lambda, double* y);

#endif

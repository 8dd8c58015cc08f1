// SPDX-License-Identifier: Apache-2.0
// The bilateral rows of a sparse problem, solved together and exactly: bodies that joints hang on
// each other pass forces along all joints in one step of a sweep. Sweeps alone take the more of
// them, the longer a chain is and the more the masses of its bodies differ.
//
// W of these rows, J' J'ᵀ + R, is factored by Cholesky's method within its envelope: in each row
// what is right of its first entry. A row that depends on others, as of a second hinge on the same
// axis, is left to the sweeps.
#ifndef PAL_SOLVE_SPARSE_JOINTS_H
#define PAL_SOLVE_SPARSE_JOINTS_H

#include <stdbool.h>

enum
{
    pal_jointRowsMax = 512,
    pal_jointEntriesMax = 8192, // of the envelope
    pal_jointWorkMax = 200000,  // multiplications of the factorisation
};

struct palSparseWorkspace;

typedef struct palSparseJoints
{
    int unitCount; // 0: there are no two that share a body, or too many
    int rows;
    int units[pal_jointRowsMax];      // of the workspace
    int first[pal_jointRowsMax];      // [rows]: column of the first entry
    int entry[pal_jointRowsMax];      // [rows]: where it is in L
    double inverse[pal_jointRowsMax]; // [rows]: of the diagonal; 0: of a row that depends on others
    double change[pal_jointRowsMax];  // [rows]: scratch
    double L[pal_jointEntriesMax];    // row by row
} palSparseJoints;

/// Lists and factors the bilateral units of a workspace that is loaded.
void palSparseJoints_Load(struct palSparseWorkspace* workspace);

/// Solves them for the present λ of all others.
void palSparseJoints_Solve(struct palSparseWorkspace* workspace);

#endif

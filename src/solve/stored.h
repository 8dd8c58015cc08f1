// SPDX-License-Identifier: Apache-2.0
// Problems that own their arrays, and the readers of the file formats.
#ifndef PAL_SOLVE_STORED_H
#define PAL_SOLVE_STORED_H

#include "solve/text_scan.h"

#include <palpate/solve.h>

enum
{
    /// Maximum number of rows in a file; W is dense, 800 MB at this size.
    pal_storedRowsMax = 10000,
};

/// Allocates zeroed arrays for a problem of the given size; the caller fills them.
palResult palStoredProblem_Init(palStoredProblem* stored, int rows, int blockCount,
                                palError* error);

/// Sets `asymmetric` if W is asymmetric; differences below 1e-12 of the largest entry (rounding)
/// are averaged.
void palStoredProblem_Symmetrize(palStoredProblem* stored);

/// Eliminates the velocities v from a global problem, M v = B λ + f, δ = Bᵀ v + δ_free: W becomes
/// Bᵀ M⁻¹ B, and Bᵀ M⁻¹ f is added to δ_free. M, [n][n], is overwritten; Bt is [rows][n].
palResult palStoredProblem_Condense(palStoredProblem* stored, int n, double* M, const double* Bt,
                                    const double* f, palError* error);

/// Reads a problem from text in memory, in the palpate format or one of Siconos. `file` is used for
/// errors only.
palResult palStoredProblem_Parse(const char* file, const char* text, size_t length,
                                 palStoredProblem* stored, palError* error);

/// The text formats of Siconos Numerics.
palResult palStoredProblem_ParseSiconos(palTextScan* scan, palStoredProblem* stored);

/// FCLib's HDF5.
palResult palStoredProblem_ReadFclib(const char* path, palStoredProblem* stored, palError* error);

#endif

// SPDX-License-Identifier: Apache-2.0
// The sparse form of the palpate text format (docs/problems.md): bodies and rows instead of W.
#ifndef PAL_SOLVE_SPARSE_TEXT_H
#define PAL_SOLVE_SPARSE_TEXT_H

#include "solve/stored_sparse.h"
#include "solve/text_scan.h"

enum
{
    /// Maximum number of rows and of bodies in a file.
    pal_sparseRowsMax = 1000000,
};

/// Reads a file if it is a problem in the sparse form; *isSparse is false, and nothing is read, if
/// it is anything else that can be opened.
palResult palStoredSparse_Read(const char* path, bool* isSparse, palStoredSparse* stored,
                               palError* error);

/// The same from text in memory; `file` is used for errors only.
palResult palStoredSparse_Parse(const char* file, const char* text, size_t length, bool* isSparse,
                                palStoredSparse* stored, palError* error);

/// Reads what follows the word "step" of a problem of `rows` rows.
palResult palStoredSparse_ParseRest(palTextScan* scan, int rows, palStoredSparse* stored);

/// The same problem with W, at most pal_storedRowsMax rows.
palResult palStoredSparse_ToDense(const palStoredSparse* sparse, palStoredProblem* stored,
                                  palError* error);

/// Writes a problem, with a guess or a solution `lambda` unless it is NULL. Every number is read
/// back exactly; of an inertia those of the lower triangle.
palResult palSparseProblem_Write(const palSparseProblem* problem, const double* lambda,
                                 const char* path, palError* error);

#endif

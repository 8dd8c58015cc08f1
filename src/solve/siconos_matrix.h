// SPDX-License-Identifier: Apache-2.0
// The matrices in the text files of Siconos Numerics:
//
//     type, rows, columns, then
//     0, dense    rows, columns and the entries by columns
//     1, blocks   numbers of blocks, block rows and block columns; the end of each block row and of
//                 each block column; length of the list of starts, number of blocks again; the
//                 first block of each block row, and the end; the block column of each block; then
//                 each block: its index and its entries by columns
//     2, sparse   the form it came from, then what CSparse prints: a line about itself, a line
//                 "triplet: 3-by-3, nzmax: 9 nnz: 4" and entries "row column : value", or a line
//                 "3-by-3, nzmax: 9 nnz: 4, 1-norm: 2" and for each column "col 0 : locations 0 to
//                 1" and its entries "row : value"
#ifndef PAL_SOLVE_SICONOS_MATRIX_H
#define PAL_SOLVE_SICONOS_MATRIX_H

#include "solve/text_scan.h"

/// Where the entries go: rows `stride` apart, all zero before.
typedef struct palMatrixTarget
{
    double* A; // borrowed, [rows][stride]
    int rows, columns;
    size_t stride;
} palMatrixTarget;

/// Reads type, rows and columns, and moves to the entries. rows and columns hold the numbers that
/// they must have, or -1; they are at most `most`.
palResult palSiconosMatrix_Head(palTextScan* scan, int most, int* type, int* rows, int* columns);

/// Reads the entries of a matrix of this type.
palResult palSiconosMatrix_Entries(palTextScan* scan, int type, const palMatrixTarget* target);

#endif

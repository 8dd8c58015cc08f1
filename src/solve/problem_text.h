// SPDX-License-Identifier: Apache-2.0
// What the dense and the sparse form of the palpate text format share (docs/problems.md).
#ifndef PAL_SOLVE_PROBLEM_TEXT_H
#define PAL_SOLVE_PROBLEM_TEXT_H

#include "solve/stored.h"

#include <stdio.h>

/// The first word of a file.
extern const char* const pal_problemMagic;

/// Reads what follows that word: the version and the number of rows; of the sparse form also the
/// word that distinguishes it.
palResult palParseHead(palTextScan* scan, int* rows, bool* isSparse);

/// Reads all blocks into an array of at most `rows`, with their bodies if `ends` is not NULL.
palResult palParseBlocks(palTextScan* scan, int rows, palContactBlock* blocks, int* count,
                         int bodyCount, int (*ends)[2]);

/// One line of numbers.
void palWriteNumbers(FILE* file, size_t count, const double* numbers);
/// A block without the end of its line.
void palWriteBlock(FILE* file, const palContactBlock* block);

#endif

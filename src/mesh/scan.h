// SPDX-License-Identifier: Apache-2.0
// Reads words and numbers from text in memory and counts lines. The text need not be
// zero-terminated. Numbers are read in the "C" locale.
#ifndef PAL_MESH_SCAN_H
#define PAL_MESH_SCAN_H

#include <palpate/base.h>

typedef struct palScan
{
    const char* at;   // borrowed: the next character
    const char* end;  // one past the last
    const char* last; // start of the last word or number read
    int line;         // 1-based, of `at`
    char comment;     // starts a comment to the end of the line; 0: no comments
} palScan;

palScan palMakeScan(const void* text, size_t size, char comment);

/// Skips blanks, line ends and comments. Returns false at the end of the text.
bool palScan_Skip(palScan* scan);
/// Skips blanks within the line. Returns false at the end of the line or at a comment.
bool palScan_SkipInLine(palScan* scan);
/// Moves to the start of the next line.
void palScan_NextLine(palScan* scan);

/// The next word of the line, truncated to size - 1 characters; empty at the end of the line.
bool palScan_Word(palScan* scan, char* word, size_t size);

/// The text in double quotes at `at`, within the line, truncated like a word.
bool palScan_Quoted(palScan* scan, char* text, size_t size);

/// Reads the number at `at` and moves past it. It must be followed by a blank or the end. NaN and
/// infinity are accepted.
bool palScan_Number(palScan* scan, double* number);
/// The same for an integer in the range of int.
bool palScan_Whole(palScan* scan, int* number);

#endif

// SPDX-License-Identifier: Apache-2.0
// Words and numbers of a text in memory, with the line they stand on. The text need not end in a
// zero. Numbers are read the same under every locale.
#ifndef PAL_MESH_SCAN_H
#define PAL_MESH_SCAN_H

#include <palpate/base.h>

typedef struct palScan
{
    const char* at;   // borrowed: the next character
    const char* end;  // one past the last
    const char* last; // where the newest word or number began
    int line;         // 1-based, of `at`
    char comment;     // starts a comment up to the end of the line; 0 for none
} palScan;

palScan palMakeScan(const void* text, size_t size, char comment);

/// Skips blanks, line ends and comments. Returns false at the end of the text.
bool palScan_Skip(palScan* scan);
/// Skips blanks within the line. Returns false at the end of the line or where a comment begins.
bool palScan_SkipInLine(palScan* scan);
/// Moves behind the end of the line.
void palScan_NextLine(palScan* scan);

/// The next word of the line, cut to size - 1 characters; empty where the line has no more.
bool palScan_Word(palScan* scan, char* word, size_t size);

/// The text between the double quotes that begin at `at`, within the line, cut as a word is.
bool palScan_Quoted(palScan* scan, char* text, size_t size);

/// The number at `at`, which is left behind it. It must be followed by a blank or the end.
/// NaN and infinity are numbers here.
bool palScan_Number(palScan* scan, double* number);
/// The same for a whole number of int's range.
bool palScan_Whole(palScan* scan, int* number);

#endif

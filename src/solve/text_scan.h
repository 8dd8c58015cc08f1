// SPDX-License-Identifier: Apache-2.0
// Reads words and numbers from text in memory, with line and column for errors.
#ifndef PAL_SOLVE_TEXT_SCAN_H
#define PAL_SOLVE_TEXT_SCAN_H

#include <palpate/base.h>

typedef struct palTextScan
{
    const char* file; // borrowed, for errors
    const char* text; // borrowed, terminated
    size_t length;
    size_t at;
    int line; // of `at`, 1-based
    size_t lineStart;
    palError* error;
} palTextScan;

palTextScan palMakeTextScan(const char* file, const char* text, size_t length, palError* error);

/// Skips blanks and comments from # to the end of the line. Returns false at the end of the text.
bool palTextScan_Skip(palTextScan* scan);

/// The next word, up to a blank, truncated to `size`; empty at the end of the text.
void palTextScan_Word(palTextScan* scan, char* word, size_t size);
/// Consumes the next word if it equals `word`.
bool palTextScan_Take(palTextScan* scan, const char* word);

/// The next number; `what` names it in the error. Infinity is accepted only if `bound` is set.
palResult palTextScan_Number(palTextScan* scan, const char* what, bool bound, double* number);
/// The next integer, within low..high.
palResult palTextScan_Whole(palTextScan* scan, const char* what, int low, int high, int* number);
/// `count` finite numbers.
palResult palTextScan_Numbers(palTextScan* scan, const char* what, size_t count, double* numbers);

/// Checks that the rest of the text can contain this many numbers (two characters each).
palResult palTextScan_Expect(palTextScan* scan, const char* what, size_t count);

/// Sets the error with the current location.
palResult palTextScan_Fail(palTextScan* scan, const char* format, ...) PAL_PRINTF(2, 3);

#endif

// SPDX-License-Identifier: Apache-2.0
// Reading words and numbers from a text that is in memory, with places for the errors.
#ifndef PAL_SOLVE_CURSOR_H
#define PAL_SOLVE_CURSOR_H

#include <palpate/base.h>

typedef struct palCursor
{
    const char* file; // borrowed, for errors
    const char* text; // borrowed, terminated
    size_t length;
    size_t at;
    int line; // of `at`, 1-based
    size_t lineStart;
    palError* error;
} palCursor;

palCursor palMakeCursor(const char* file, const char* text, size_t length, palError* error);

/// Skips blanks and comments from # to the end of the line. Returns false at the end of the text.
bool palCursor_Skip(palCursor* cursor);

/// The next word, up to a blank, cut to `size`; empty at the end of the text.
void palCursor_Word(palCursor* cursor, char* word, size_t size);
/// Takes the next word if it is this one.
bool palCursor_Take(palCursor* cursor, const char* word);

/// The next number; `what` names it in the error. Infinity passes only where `bound` is set.
palResult palCursor_Number(palCursor* cursor, const char* what, bool bound, double* number);
/// The next whole number, within low..high.
palResult palCursor_Whole(palCursor* cursor, const char* what, int low, int high, int* number);
/// `count` finite numbers.
palResult palCursor_Numbers(palCursor* cursor, const char* what, size_t count, double* numbers);

/// Whether the rest of the text can hold this many numbers at all (two characters each).
palResult palCursor_Expect(palCursor* cursor, const char* what, size_t count);

/// Sets the error at the cursor's place.
palResult palCursor_Fail(palCursor* cursor, const char* format, ...) PAL_PRINTF(2, 3);

#endif

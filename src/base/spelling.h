// SPDX-License-Identifier: Apache-2.0
// Suggestions for misspelt words ("did you mean ...?").
#ifndef PAL_BASE_SPELLING_H
#define PAL_BASE_SPELLING_H

/// The candidate with the smallest edit distance to `word` (insert, delete, replace, swap
/// neighbours; a difference in case counts half), or NULL if none is similar enough. NULL
/// candidates are skipped.
const char* palNearestWord(const char* word, const char* const* candidates, int count);

#endif

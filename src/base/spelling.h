// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the known word nearest to a misspelt one.
#ifndef PAL_BASE_SPELLING_H
#define PAL_BASE_SPELLING_H

/// The candidate nearest to `word` (edits: insert, delete, replace, swap neighbours; case counts
/// half), or NULL where none is near enough to be meant. NULL candidates are skipped.
const char* palNearestWord(const char* word, const char* const* candidates, int count);

#endif

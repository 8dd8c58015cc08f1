// SPDX-License-Identifier: Apache-2.0
// The state of an object as bytes: one function for each type, palX_Archive(x, archive), lists what
// changes in a run, and serves to count the bytes, to save them and to restore them. What does not
// change in a run, and workspace, is not listed. Pointers are never written: what they point to is
// of the object that is restored into, which was made as the one that was saved.
//
// A function first gives the numbers that say how much is used, and then that part of the arrays,
// by the numbers that it just gave. What follows from the state is made anew after it is restored.
#ifndef PAL_BASE_ARCHIVE_H
#define PAL_BASE_ARCHIVE_H

#include <palpate/device.h>

struct palArchive
{
    unsigned char* bytes; // borrowed, [size]; NULL: the bytes are only counted
    size_t size;
    size_t used;      // bytes so far
    bool isRestoring; // from `bytes`; else to them
};

/// Gives what a field holds.
#define PAL_ARCHIVE(archive, field) palArchive_Block(archive, &(field), sizeof(field))
/// The same of the first `count` elements of an array that is given by a pointer.
#define PAL_ARCHIVE_ARRAY(archive, array, count)                                                   \
    palArchive_Block(archive, array, (size_t)(count) * sizeof *(array))

/// 64 bits by which to tell two blocks of bytes apart; `hash` is 0, or that of what comes before.
/// Of blocks that differ within eight bytes at one place it is always different.
uint64_t palHash(uint64_t hash, const void* bytes, size_t size);

#endif

// SPDX-License-Identifier: Apache-2.0
// Files as a whole: read into memory, and written whole or not at all; and what is said where that
// fails.
#ifndef PAL_BASE_FILE_H
#define PAL_BASE_FILE_H

#include <palpate/base.h>

#include <stdio.h>

/// Reads a file of at most `most` bytes into `data`, which the caller frees; NULL after a failure.
/// A zero byte follows the last one. The size need not be known beforehand: the file may be a pipe.
palResult palReadFile(const char* path, size_t most, char** data, size_t* size, palError* error);

/// Puts `data` into the file. Failures are seen by palWriteFile.
typedef void palFileWriter(const void* data, FILE* file);

/// Writes a file whole or not at all (a temporary file renamed); a pipe or a device as it is.
/// Numbers are written the same under every locale.
palResult palWriteFile(const char* path, palFileWriter* write, const void* data, palError* error);

/// Creates a directory and those above it; false, with errno, where one cannot be.
bool palMakeDirectories(const char* path);

/// The error of what could not be read or written, from errno.
palResult palCannotRead(const char* path, palError* error);
palResult palCannotWrite(const char* path, palError* error);

/// Whether the path ends in the extension, whose letters may be of either case.
bool palHasExtension(const char* path, const char* extension);

/// An extension, and what it stands for: a value of the caller's, not negative.
typedef struct palExtension
{
    const char* text; // with its dot
    int meaning;
} palExtension;

/// What the path's extension stands for; -1 where it is none of the table's.
int palFindExtension(const char* path, const palExtension* table, int count);

#endif

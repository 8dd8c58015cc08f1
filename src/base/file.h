// SPDX-License-Identifier: Apache-2.0
// Reading a whole file into memory, writing a file atomically, and the errors when that fails.
#ifndef PAL_BASE_FILE_H
#define PAL_BASE_FILE_H

#include <palpate/base.h>

#include <stdio.h>

/// Reads a file of at most `sizeMax` bytes into `data`, which the caller frees; NULL after a
/// failure. A zero byte follows the last one. The file may be a pipe, whose size is unknown.
palResult palReadFile(const char* path, size_t sizeMax, char** data, size_t* size, palError* error);

/// Writes `data` to the file. Write errors are detected by palWriteFile.
typedef void palFileWriter(const void* data, FILE* file);

/// Writes a file completely or not at all (a temporary file is renamed); writes directly to a pipe
/// or a device. Numbers are written in the "C" locale.
palResult palWriteFile(const char* path, palFileWriter* write, const void* data, palError* error);

/// Creates a directory and its parents. Returns false, with errno set, if one cannot be created.
bool palMakeDirectories(const char* path);

/// The error for a file that could not be read or written, from errno.
palResult palCannotRead(const char* path, palError* error);
palResult palCannotWrite(const char* path, palError* error);

/// Whether the path ends in the extension, ignoring case.
bool palHasExtension(const char* path, const char* extension);

/// A file extension and the caller's non-negative value for it.
typedef struct palExtension
{
    const char* text; // including the dot
    int meaning;
} palExtension;

/// The value of the path's extension; -1 if the table does not contain it.
int palFindExtension(const char* path, const palExtension* table, int count);

#endif

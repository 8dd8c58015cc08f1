// SPDX-License-Identifier: Apache-2.0
// Files as a whole: read into memory, which is what every mesh reader reads, and written whole or
// not at all.
#ifndef PAL_MESH_FILE_H
#define PAL_MESH_FILE_H

#include <palpate/base.h>

#include <stdio.h>

/// Reads a file to its end into `data`, which the caller frees; NULL after a failure. The size need
/// not be known beforehand: the file may be a pipe.
palResult palReadFile(const char* path, unsigned char** data, size_t* size, palError* error);

/// Puts `data` into the file. Failures are seen by palWriteFile.
typedef void palFileWriter(const void* data, FILE* file);

/// Writes a file whole or not at all (a temporary file renamed). Numbers are written the same under
/// every locale.
palResult palWriteFile(const char* path, palFileWriter* write, const void* data, palError* error);

/// Whether the path ends in the extension, whose letters may be of either case.
bool palHasExtension(const char* path, const char* extension);

#endif

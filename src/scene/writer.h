// SPDX-License-Identifier: Apache-2.0
// From a scene back to a file: every value, by the schema.
//
// What the scene's file or a --set gave is written as a value, everything else as a comment with
// the default, so that the copy is read back to the same values, bit for bit, and to the same
// defaults. A program that changes a value of a scene in memory marks it (given.h). Files are named
// relative to the copy where they lie below its directory, by their absolute path elsewhere.
#ifndef PAL_SCENE_WRITER_H
#define PAL_SCENE_WRITER_H

#include "scene/scene.h"

#include <stdio.h>

/// Writes the values as YAML to a stream, whose errors the caller detects. `directory` is that of
/// the file to which the text will belong; NULL: unknown. The caller sets the "C" locale.
void palScene_Print(const palScene* scene, const char* directory, FILE* file);

/// Adds all values to a hash, but for the names of files and of the scene itself: it is that of the
/// scene which a copy is read back to.
palResult palScene_Hash(const palScene* scene, uint64_t* hash, palError* error);

/// Writes a scene file, completely or not at all. It begins with comments: the version, the date,
/// the command line of the program, and `note` (one line; NULL: none).
palResult palScene_Write(const palScene* scene, const char* path, const char* note,
                         palError* error);

#endif

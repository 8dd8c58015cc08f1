// SPDX-License-Identifier: Apache-2.0
// The scenes that are shipped, for the viewer's first page.
#ifndef PAL_APP_VIEW_GALLERY_H
#define PAL_APP_VIEW_GALLERY_H

#include "scene_path.h"

typedef struct palGallery
{
    char directory[pal_scenePathMax]; // of the scene files; empty: none was found
} palGallery;

/// Looks where `given` says, or else where scenes are looked for by name.
palResult palGallery_Find(palGallery* gallery, const char* given, palError* error);

/// Every scene with its name, description, method, device and picture, or what is wrong with it, as
/// JSON. Returns NULL without memory; the caller frees it.
char* palGallery_Json(const palGallery* gallery);

/// The file of a scene, or of its picture, by name without suffix. Returns false for a name that is
/// no file's, or that would lead out of the directory.
bool palGallery_ScenePath(const palGallery* gallery, const char* name, char path[pal_scenePathMax]);
bool palGallery_PicturePath(const palGallery* gallery, const char* name,
                            char path[pal_scenePathMax]);

#endif

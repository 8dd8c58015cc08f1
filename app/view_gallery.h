// SPDX-License-Identifier: Apache-2.0
// The available scenes, for the viewer's first page.
#ifndef PAL_APP_VIEW_GALLERY_H
#define PAL_APP_VIEW_GALLERY_H

#include "scene_path.h"

typedef struct palGallery
{
    char directory[pal_scenePathMax]; // of the scene files; empty: none found
} palGallery;

/// Uses the requested directory, or if it is NULL the directories searched for scenes by name.
palResult palGallery_Find(palGallery* gallery, const char* requested, palError* error);

/// Every scene with its name, description, method, device and picture, or its error, as JSON.
/// Returns NULL if out of memory; the caller frees it.
char* palGallery_Json(const palGallery* gallery);

/// The file of a scene, or of its picture, by name without extension. Returns false if there is no
/// such file, or if the name would leave the directory.
bool palGallery_ScenePath(const palGallery* gallery, const char* name, char path[pal_scenePathMax]);
bool palGallery_PicturePath(const palGallery* gallery, const char* name,
                            char path[pal_scenePathMax]);

#endif

// SPDX-License-Identifier: Apache-2.0
// Scenes by name: `palpate run touch` finds scenes/touch.yaml in the current directory, or else the
// one installed with the program. The directory of a recording stands for its scene.yaml.
#ifndef PAL_APP_SCENE_PATH_H
#define PAL_APP_SCENE_PATH_H

#include <palpate/base.h>

enum
{
    pal_scenePathMax = 4096,
};

/// The path of the scene file for a name or path on the command line. A path (anything with a slash
/// or an extension) and the name of an existing file are returned unchanged, the directory of a
/// recording with /scene.yaml after it. For an unknown name the error lists the available scenes.
palResult palScenePath_Find(const char* scene, char path[pal_scenePathMax], palError* error);

/// The directories searched for scenes by index, in this order: ./scenes, and the one installed
/// with the program. Returns false past the end.
bool palScenePath_Directory(int index, char directory[pal_scenePathMax]);

#endif

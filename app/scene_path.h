// SPDX-License-Identifier: Apache-2.0
// Scenes by name: `palpate run touch` finds scenes/touch.yaml here, or else the one that was
// installed with the program.
#ifndef PAL_APP_SCENE_PATH_H
#define PAL_APP_SCENE_PATH_H

#include <palpate/base.h>

enum
{
    pal_scenePathMax = 4096,
};

/// Turns what the command line calls a scene into the path of its file. A path (anything with a
/// slash or an extension) and the name of a file that exists are left as they are. A bare name that
/// no scene has is an error that lists the scenes there are.
palResult palScenePath_Find(const char* scene, char path[pal_scenePathMax], palError* error);

/// Where scenes are looked for, one a call, in this order: ./scenes, and beside the program as
/// installed. Returns false past the end.
bool palScenePath_Directory(int index, char directory[pal_scenePathMax]);

#endif

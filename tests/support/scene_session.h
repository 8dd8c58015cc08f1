// SPDX-License-Identifier: Apache-2.0
// Sessions of the scenes that are shipped.
#ifndef PAL_TESTS_SCENE_SESSION_H
#define PAL_TESTS_SCENE_SESSION_H

#include "check.h"

#include <palpate/session.h>

/// The session of scenes/SCENE with these changes.
static inline palSession* createSession(const char* scene, const char* const* sets, int setCount)
{
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/%s", PAL_SOURCE_DIR, scene);
    palSessionDef def = palDefaultSessionDef();
    def.scene = path;
    def.sets = sets;
    def.setCount = setCount;
    palSession* session;
    palError error = {0};
    if (palSession_Create(&def, &session, &error) != pal_ok)
        fail_msg("%s: %s", error.file, error.text);
    return session;
}

/// Takes so many steps; *step is the last.
static inline void stepSession(palSession* session, int steps, palStep* step)
{
    for (int k = 0; k < steps; k++)
        palSession_Step(session, step);
}

#endif

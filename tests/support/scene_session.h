// SPDX-License-Identifier: Apache-2.0
// Sessions of the scenes that are shipped, and of those that a test writes.
#ifndef PAL_TESTS_SCENE_SESSION_H
#define PAL_TESTS_SCENE_SESSION_H

#include "check.h"

#include "api/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/// The session of a scene that a test writes, or the fault that it has.
static inline palResult createFromText(const char* text, palSession** session, palError* error)
{
    char file[] = "/tmp/palpate-scene-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    palSessionDef def = palDefaultSessionDef();
    def.scene = file;
    palResult result = palSession_Create(&def, session, error);
    unlink(file);
    return result;
}

/// The same where it must have none.
static inline palSession* startScene(const char* text)
{
    palSession* session;
    palError error = {0};
    if (createFromText(text, &session, &error) != pal_ok)
        fail_msg("line %d: %s\n%s", error.line, error.text, text);
    return session;
}

/// Takes so many steps; *step is the last.
static inline void stepSession(palSession* session, int steps, palStep* step)
{
    for (int k = 0; k < steps; k++)
        palSession_Step(session, step);
}

#endif

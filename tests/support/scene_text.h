// SPDX-License-Identifier: Apache-2.0
// A session of a scene that a test writes.
#ifndef PAL_TEST_SCENE_TEXT_H
#define PAL_TEST_SCENE_TEXT_H

#include "check.h"

#include "scene/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Fails the test where the scene has a fault.
static inline palSession* startScene(const char* text)
{
    char file[] = "/tmp/palpate-scene-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    palSessionDef def = palDefaultSessionDef();
    def.scene = file;
    palSession* session;
    palError error = {0};
    palResult result = palSession_Create(&def, &session, &error);
    unlink(file);
    if (result != pal_ok)
        fail_msg("line %d: %s\n%s", error.line, error.text, text);
    return session;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Worlds of scenes that a test writes, and where their rigid objects are.
#ifndef PAL_TESTS_SCENE_WORLD_H
#define PAL_TESTS_SCENE_WORLD_H

#include "check.h"

#include "math/vec3.h"

#include <palpate/world.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The world of a scene, or the fault that it has.
static inline palResult createWorld(const char* text, palWorld** world, palError* error)
{
    char file[] = "/tmp/palpate-scene-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    palResult result = palWorld_Load(file, NULL, 0, world, error);
    if (result == pal_ok)
        result = palWorld_Prepare(*world, error);
    unlink(file);
    return result;
}

/// The same where it must have none.
static inline palWorld* startWorld(const char* text)
{
    palWorld* world = NULL;
    palError error = {0};
    if (createWorld(text, &world, &error) != pal_ok)
        fail_msg("line %d: %s\n%s", error.line, error.text, text);
    return world;
}

static inline void stepWorld(palWorld* world, int steps)
{
    palError error = {0};
    for (int k = 0; k < steps; k++)
        if (palWorld_Step(world, &error) != pal_ok)
            fail_msg("%s", error.text);
}

/// A rigid object by its name.
static inline palBodyState bodyOf(const palWorld* world, const char* name)
{
    palBodyState state = palMakeBodyState();
    assert_int_equal(palWorld_GetBody(world, palWorld_FindBody(world, name), &state), pal_ok);
    return state;
}

/// The world must be refused at a line, with a message that has `what` and a remedy.
static inline void refuseWorld(const char* text, int line, const char* what)
{
    palWorld* world = NULL;
    palError error = {0};
    assert_int_equal(createWorld(text, &world, &error), pal_errorInput);
    palWorld_Destroy(world);
    if (strstr(error.text, what) == NULL || error.remedy[0] == '\0')
        fail_msg("%s (%s)", error.text, error.remedy);
    assert_int_equal(error.line, line);
}

/// Whether a warning has these words.
static inline bool isWarned(const palWorld* world, const char* what)
{
    bool isWarning;
    const palError* message;
    for (int i = 0; (message = palWorld_Message(world, i, &isWarning)) != NULL; i++)
        if (isWarning && strstr(message->text, what) != NULL)
            return true;
    return false;
}

#endif

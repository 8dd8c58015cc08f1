// SPDX-License-Identifier: Apache-2.0
// What the program may see of a session beyond the public header.
#ifndef PAL_SCENE_SESSION_H
#define PAL_SCENE_SESSION_H

#include "runtime/engine.h"
#include "runtime/measure.h"
#include "scene/world.h"

#include <palpate/session.h>

const palWorld* palSession_World(const palSession* session);
const palScene* palSession_Scene(const palSession* session);
const palEngine* palSession_Engine(const palSession* session);
const palMeasure* palSession_Measure(const palSession* session);

#endif

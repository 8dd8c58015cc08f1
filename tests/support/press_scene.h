// SPDX-License-Identifier: Apache-2.0
// A hand that presses a soft block, for values that change meanwhile.
#ifndef PAL_TESTS_PRESS_SCENE_H
#define PAL_TESTS_PRESS_SCENE_H

#include "scene_session.h"

// A point, or a flat tool, that presses a block and stays, or goes on to stroke it.
static inline palSession* makePress(const char* method, bool isStroke, const char* set)
{
    bool isTool = strcmp(method, "linear") == 0 || strcmp(method, "coupling") == 0 ||
                  strcmp(method, "compliance") == 0;
    double above = isTool ? 0.040 : 0.035, within = isTool ? 0.032 : 0.024;
    double aside = isStroke ? 0.013 : 0.003;
    char file[] = "/tmp/palpate-scene-XXXXXX";
    FILE* out = fdopen(mkstemp(file), "w");
    assert_non_null(out);
    fprintf(out,
            "palpate: 1\n"
            "gravity: [0, 0, 0]\n"
            "time: {seconds: 100, dt: 0.001, low_dt: 0.033, latency: 0.005}\n"
            "method: {name: %s, radius: 0.02}\n"
            "coupling: {stiffness: 1000}\n"
            "trajectory: {kind: path, points: [{t: 0, at: [0.003, %g, 0.002]},\n"
            "  {t: 0.4, at: [0.003, %g, 0.002]}, {t: 2.9, at: [%g, %g, 0.002]}]}\n"
            "%s"
            "objects:\n"
            "  - name: block\n"
            "    shape: {kind: box, size: [0.06, 0.06, 0.06]}\n"
            "    friction: 0.3\n"
            "    soft: {young: 10000, poisson: 0.3, elements: tets, resolution: 4, "
            "fixed: [{nodes: ymin}]}\n",
            method, above, within, aside, within,
            isTool ? "tool: {shape: {kind: box, size: [0.02, 0.01, 0.02], resolution: 2}, "
                     "density: 1000}\n"
                   : "");
    fclose(out);
    palSessionDef def = palDefaultSessionDef();
    def.scene = file;
    def.sets = &set;
    def.setCount = set != NULL;
    palSession* session;
    palError error = {0};
    if (palSession_Create(&def, &session, &error) != pal_ok)
        fail_msg("%s", error.text);
    unlink(file);
    return session;
}

static inline palEngine* engineOf(palSession* session)
{
    return (palEngine*)palSession_Engine(session);
}

#endif

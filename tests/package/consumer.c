// SPDX-License-Identifier: Apache-2.0
// A program outside the tree, as a user of the installed library would write it: presses a tool of
// its own against a block and checks the force.
//
// The tool rests at depth d below the block's upper side. The proxy stays on the surface, so once
// the coupling has come to rest the force on the hand is its spring alone: F = k d, straight up.
#include <palpate/session.h>

#include <math.h>
#include <stdio.h>

static const double depth = 0.002;      // m
static const double stiffness = 1000.0; // N/m

static const char* const sets[] = {
    "time.seconds=1",
    "coupling={stiffness: 1000, damping: 0.8, mass: 0.001}",
    "gravity=[0, 0, 0]",
    "objects=[{name: block, shape: {kind: box, size: [0.1, 0.04, 0.1]}, position: [0, -0.02, 0]}]",
    "trajectory={kind: line, start: [0.01, 0.001, 0.02], end: [0.01, -0.002, 0.02], speed: 0.05}",
};

int main(int argc, char** argv)
{
    palSessionDef def = palDefaultSessionDef();
    def.scene = argc > 1 ? argv[1] : "touch.yaml";
    def.sets = sets;
    def.setCount = sizeof sets / sizeof sets[0];
    palSession* session;
    palError error;
    if (palSession_Create(&def, &session, &error) != pal_ok)
    {
        char text[2048];
        palError_Format(&error, text, sizeof text);
        fprintf(stderr, "%s\n", text);
        return 1;
    }
    palStep step = {0};
    while (step.t < 0.9)
        palSession_Step(session, &step);
    palSession_Destroy(session);
    printf("palpate %s: %.6f %.6f %.6f N\n", palVersion(), step.force.x, step.force.y,
           step.force.z);
    return fabs(step.force.y - stiffness * depth) < 1e-4 && fabs(step.force.x) < 1e-4 &&
                   fabs(step.force.z) < 1e-4
               ? 0
               : 1;
}

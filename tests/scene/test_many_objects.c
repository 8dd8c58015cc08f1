// SPDX-License-Identifier: Apache-2.0
// A scene has room for as many objects as it names.
#include "scene_session.h"

#include <stdio.h>
#include <string.h>

// Rows of boxes 5 cm apart, every third of them soft; the last one is pressed. Returns the force.
static double pressLast(int count, const char* method)
{
    static char text[131072];
    char* end = text;
    end += sprintf(end,
                   "palpate: 1\ngravity: [0, 0, 0]\ntime: {seconds: 1}\n"
                   "method: {name: %s, radius: 0.01}\ntrajectory: {kind: path, points: "
                   "[{t: 0, at: [0, 0, 0.013]}, {t: 0.15, at: [0, 0, 0.007]}]}\nobjects:\n",
                   method);
    for (int i = 0; i < count; i++)
    {
        int place = count - 1 - i;
        end += sprintf(end,
                       "  - {shape: {kind: box, size: [0.02, 0.02, 0.02]}, position: "
                       "[%g, %g, 0]%s}\n",
                       0.05 * (place % 10), 0.05 * (place / 10),
                       place % 3 == 0 ? ", soft: {young: 10000, elements: tets, resolution: 2, "
                                        "fixed: [{nodes: zmin}]}"
                                      : "");
    }
    palSession* session = startScene(text);
    palStep step = {0};
    for (int k = 0; k < 200; k++)
        palSession_Step(session, &step);
    palSession_Destroy(session);
    return step.force.z;
}

static void many_objects_are_felt_as_one_of_them_alone(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const methods[] = {"accurate", "standard", "penalty"};
    for (int m = 0; m < 3; m++)
    {
        double alone = pressLast(1, methods[m]);
        ASSERT_BELOW(0.05, alone);
        ASSERT_NEAR(pressLast(200, methods[m]), alone, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_objects_are_felt_as_one_of_them_alone),
    };
    return RUN(tests);
}

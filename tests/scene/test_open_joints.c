// SPDX-License-Identifier: Apache-2.0
// What the verdict says of joints between bodies of different rates that come apart.
#include "scene_session.h"

#include "runtime/verdict.h"

static palVerdict swing(const char* path, double seconds)
{
    palSession* session = createSession("three-rates.yaml", &path, 1);
    palStep step;
    stepSession(session, (int)lround(1e3 * seconds), &step);
    palVerdict verdict = palMakeVerdict(palSession_Engine(session));
    palSession_Destroy(session);
    return verdict;
}

static void a_joint_that_a_fast_hand_opens_is_named(void** state)
{
    (void)state;
    palVerdict slow = swing("trajectory={kind: path, points: [{t: 0, at: [0.2, 0.05, 0]}, "
                            "{t: 0.4, at: [0.201, 0.052, 0]}]}",
                            0.4);
    assert_null(strstr(slow.text, "joints."));
    palVerdict fast = swing("trajectory={kind: path, points: [{t: 0, at: [0.2, 0.05, 0]}, "
                            "{t: 0.4, at: [0.15, 0.15, 0.05]}, {t: 0.8, at: [0.15, -0.05, 0]}, "
                            "{t: 1.2, at: [0.2, 0.15, -0.05]}]}",
                            1.2);
    assert_non_null(strstr(fast.text, "joints.0 of wire wire with wire rod was open by up to"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_joint_that_a_fast_hand_opens_is_named),
    };
    return RUN(tests);
}

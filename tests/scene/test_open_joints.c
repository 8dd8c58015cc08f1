// SPDX-License-Identifier: Apache-2.0
// What the verdict says of joints between bodies of different rates that come apart.
#include "scene_session.h"

#include "runtime/verdict.h"

typedef struct swung
{
    palVerdict verdict;
    double top;  // m/s, of the hand
    double held; // m/s, likewise as long as no joint was open by more than 0.1 mm
} swung;

static swung swing(const char* path, double seconds)
{
    palSession* session = createSession("three-rates.yaml", &path, 1);
    const palEngine* engine = palSession_Engine(session);
    swung run = {0};
    for (int k = 0; k < (int)lround(1e3 * seconds); k++)
    {
        palStep step;
        stepSession(session, 1, &step);
        run.top = fmax(run.top, palLength(engine->hands[0].device.velocity));
        if (engine->widestGap <= 1e-4)
            run.held = run.top;
    }
    run.verdict = palMakeVerdict(engine);
    palSession_Destroy(session);
    return run;
}

static void a_joint_that_a_fast_hand_opens_is_named(void** state)
{
    (void)state;
    swung slow = swing("trajectory={kind: path, points: [{t: 0, at: [0.2, 0.05, 0]}, "
                       "{t: 0.4, at: [0.201, 0.052, 0]}]}",
                       0.4);
    assert_null(strstr(slow.verdict.text, "joints."));
    swung fast = swing("trajectory={kind: path, points: [{t: 0, at: [0.2, 0.05, 0]}, "
                       "{t: 0.4, at: [0.15, 0.15, 0.05]}, {t: 0.8, at: [0.15, -0.05, 0]}, "
                       "{t: 1.2, at: [0.2, 0.15, -0.05]}]}",
                       1.2);
    assert_non_null(
        strstr(fast.verdict.text, "joints.0 of wire wire with wire rod was open by up to"));

    // No more is allowed than what was seen to hold.
    double covered = slow.verdict.reach / (0.005 + 0.001);
    ASSERT_BELOW(slow.top, 0.1 * covered);
    ASSERT_NEAR(slow.verdict.usableSpeed, slow.top, 1e-12);
    ASSERT_BELOW(fast.held, 0.9 * fast.top);
    ASSERT_NEAR(fast.verdict.usableSpeed, fmin(covered, fast.held), 0.02 * fast.held);
    print_message("up to %.3f of %.3f m/s; slow %.3f m/s\n", fast.held, fast.top, slow.top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_joint_that_a_fast_hand_opens_is_named),
    };
    return RUN(tests);
}

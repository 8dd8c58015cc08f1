// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "device/browser.h"

static int64_t clockNow; // ns

static int64_t testClock(void)
{
    return clockNow;
}

static palDevice* openWith(palBrowserSettings settings, palVec3 home, double maxSpeed)
{
    palDriverContext context = palDefaultDriverContext();
    palDevice* device;
    palError error;
    context.home = home;
    context.maxSpeed = maxSpeed;
    context.now = testClock;
    clockNow = 5000000000;
    assert_int_equal(pal_browserDevice.open(&context, &settings, &device, &error), pal_ok);
    return device;
}

static palDevice* openAt(palVec3 home, double maxSpeed)
{
    return openWith(palDefaultBrowserSettings(), home, maxSpeed);
}

static bool post(palDevice* device, double time, palVec3 x)
{
    const palHandSample sample = {.time = time, .position = x, .orientation = pal_identityQuat};
    return palBrowser_Post(device, &sample);
}

static palDeviceState readAt(palDevice* device, double seconds)
{
    palDeviceState state = {.size = sizeof state};
    clockNow = 5000000000 + (int64_t)llround(1e9 * seconds);
    pal_browserDevice.read(device, 0.0, &state);
    return state;
}

// A page that sends f(t) at 60 Hz, each sample `delay(i)` seconds under way; read at 1 kHz. The
// page's clock runs 100 s ahead of ours.
typedef struct Run
{
    double worstPosition; // m, from f(t - latency)
    double worstVelocity; // m/s, from its derivative
    double worstJump;     // m/s, of the velocity from one step to the next
} Run;

static const double frequency = 1.0; // Hz
static const double amplitude = 0.02;

static double path(double t)
{
    return amplitude * sin(2.0 * 3.14159265358979 * frequency * t);
}

static Run follow(double (*delay)(int))
{
    palDevice* device = openAt(pal_zeroVec3, 10.0);
    Run run = {0};
    int sent = 0;
    double last = NAN;
    for (int k = 0; k < 2000; k++)
    {
        double now = 1e-3 * k;
        clockNow = 5000000000 + (int64_t)llround(1e9 * now);
        for (; sent / 60.0 + delay(sent) <= now; sent++)
            assert_true(post(device, 100.0 + sent / 60.0, palMakeVec3(path(sent / 60.0), 0, 0)));
        palDeviceState state = readAt(device, now);
        double t = now - 0.04 - delay(0);
        if (t < 0.1)
            continue;
        double speed = (path(t + 1e-6) - path(t - 1e-6)) / 2e-6;
        run.worstPosition = fmax(run.worstPosition, fabs(state.position.x - path(t)));
        run.worstVelocity = fmax(run.worstVelocity, fabs(state.velocity.x - speed));
        if (!isnan(last))
            run.worstJump = fmax(run.worstJump, fabs(state.velocity.x - last));
        last = state.velocity.x;
    }
    pal_browserDevice.close(device);
    return run;
}

static double steady(int i)
{
    (void)i;
    return 0.002;
}

// Up to 6 ms late, never early.
static double unsteady(int i)
{
    return 0.002 + 0.001 * (i * 7 % 7 == 0 && i > 0 ? i * 5 % 7 : 0);
}

static void the_path_is_followed_with_the_stated_latency(void** state)
{
    (void)state;
    Run run = follow(steady);
    // The cubic's error is h³ w³ A / 60 = 4e-7 m; to that comes what the fitted clock slips by
    // between the samples that were quickest, 10⁻⁴ of 50 ms, at 0.13 m/s.
    ASSERT_BELOW(run.worstPosition, 1.1e-6);
    ASSERT_BELOW(run.worstVelocity, 1e-3);
    // Acceleration is at most w² A = 0.79 m/s²: velocity changes by no more than 0.8 mm/s a step.
    ASSERT_BELOW(run.worstJump, 1.3e-3);
}

static void an_unsteady_network_does_not_shake_the_hand(void** state)
{
    (void)state;
    Run run = follow(unsteady);
    // The quickest samples are 350 ms apart here.
    ASSERT_BELOW(run.worstPosition, 5.5e-6);
    ASSERT_BELOW(run.worstJump, 2e-3);
}

static void steady_motion_is_reproduced_exactly(void** state)
{
    (void)state;
    palDevice* device = openAt(pal_zeroVec3, 10.0);
    for (int i = 0; i < 10; i++)
    {
        clockNow = 5000000000 + i * 20000000;
        assert_true(post(device, 0.02 * i, palMakeVec3(0.1 * 0.02 * i, 0, 0)));
    }
    for (int k = 170; k < 180; k++)
        readAt(device, 1e-3 * k);
    for (int k = 180; k < 215; k++)
    {
        palDeviceState hand = readAt(device, 1e-3 * k);
        double t = 1e-3 * k - 0.04;
        ASSERT_NEAR(hand.position.x, 0.1 * t, 1e-9);
        ASSERT_NEAR(hand.velocity.x, 0.1, 1e-6);
        assert_true(hand.fresh);
    }
    pal_browserDevice.close(device);
}

static void velocity_is_the_derivative_of_position(void** state)
{
    (void)state;
    palDevice* device = openAt(pal_zeroVec3, 100.0);
    const double x[] = {0, 0.01, 0.013, 0.002, -0.004, 0.0, 0.02, 0.021};
    for (int i = 0; i < 8; i++)
    {
        clockNow = 5000000000 + i * 16000000 + (i % 3) * 1000000;
        post(device, 0.016 * i, palMakeVec3(x[i], -x[i], 2 * x[i]));
    }
    readAt(device, 0.11);
    palVec3 before = readAt(device, 0.1199).position;
    for (int k = 1200; k < 1480; k++)
    {
        palDeviceState hand = readAt(device, 1e-4 * k);
        palDeviceState after = readAt(device, 1e-4 * (k + 1));
        palVec3 slope = palScale(1.0 / 2e-4, palSub(after.position, before));
        // At a sample the acceleration jumps, by up to 2.4 · 12 · 0.02 m / (16 ms)².
        ASSERT_BELOW(palDistance(slope, hand.velocity), 0.06);
        before = hand.position;
    }
    pal_browserDevice.close(device);
}

static void a_hand_that_says_nothing_rests_and_is_stale(void** state)
{
    (void)state;
    palDevice* device = openAt(palMakeVec3(0.1, 0.2, 0.3), 1.0);
    palDeviceState hand = readAt(device, 0.001);
    assert_false(hand.fresh);
    ASSERT_NEAR(palDistance(hand.position, palMakeVec3(0.1, 0.2, 0.3)), 0.0, 0.0);
    clockNow = 5000000000;
    assert_true(post(device, 1.0, palMakeVec3(0.1, 0.2, 0.3)));
    assert_true(readAt(device, 0.05).fresh);
    assert_true(readAt(device, 0.0999).fresh);
    hand = readAt(device, 0.101);
    assert_false(hand.fresh);
    ASSERT_NEAR(palLength(hand.velocity), 0.0, 0.0);
    pal_browserDevice.close(device);
}

static void a_jump_becomes_a_motion(void** state)
{
    (void)state;
    palDevice* device = openAt(pal_zeroVec3, 0.5);
    readAt(device, 0.0);
    assert_true(post(device, 1.0, palMakeVec3(0, 0.05, 0)));
    palVec3 last = pal_zeroVec3;
    for (int k = 1; k < 200; k++)
    {
        palDeviceState hand = readAt(device, 1e-3 * k);
        ASSERT_BELOW(palDistance(hand.position, last), 0.5e-3 * 1.0001);
        last = hand.position;
    }
    // 40 ms of latency, then 100 ms at 0.5 m/s.
    ASSERT_NEAR(last.y, 0.05, 1e-12);
    pal_browserDevice.close(device);
}

static void the_settings_hold_in_place_of_what_the_session_proposes(void** state)
{
    (void)state;
    palBrowserSettings settings = {.latency = 0.02, .staleAfter = 0.3, .maxSpeed = 0.5};
    palDevice* device = openWith(settings, pal_zeroVec3, 10.0);
    ASSERT_NEAR(palBrowser_Latency(device), 0.02, 0.0);
    readAt(device, 0.0);
    assert_true(post(device, 1.0, palMakeVec3(0, 0.05, 0)));
    for (int k = 1; k <= 19; k++)
        ASSERT_NEAR(readAt(device, 1e-3 * k).position.y, 0.0, 0.0);
    for (int k = 20; k < 70; k++)
        readAt(device, 1e-3 * k);
    ASSERT_NEAR(readAt(device, 0.07).position.y, 0.0255, 1e-9); // 51 ms at 0.5 m/s
    assert_true(readAt(device, 0.29).fresh);
    assert_false(readAt(device, 0.31).fresh);
    pal_browserDevice.close(device);
}

static void what_is_no_sample_is_refused(void** state)
{
    (void)state;
    palDevice* device = openAt(pal_zeroVec3, 1.0);
    assert_true(post(device, 1.0, pal_zeroVec3));
    assert_false(post(device, 1.0, pal_zeroVec3));
    assert_false(post(device, NAN, pal_zeroVec3));
    assert_false(post(device, 2.0, palMakeVec3(0, INFINITY, 0)));
    const palHandSample unturned = {.time = 1.1};
    assert_false(palBrowser_Post(device, &unturned));
    // A page that was loaded anew has another clock.
    clockNow += 1000000;
    assert_true(post(device, 5000.0, pal_zeroVec3));
    pal_browserDevice.close(device);
}

static void a_reader_that_is_away_loses_nothing_but_old_samples(void** state)
{
    (void)state;
    palDevice* device = openAt(pal_zeroVec3, 100.0);
    int taken = 0;
    for (int i = 0; i < 1000; i++)
    {
        clockNow = 5000000000 + (int64_t)i * 10000000;
        taken += post(device, 0.01 * i, palMakeVec3(1e-3 * i, 0, 0));
    }
    assert_int_equal(taken, 64);
    readAt(device, 10.0);
    clockNow = 5000000000 + (int64_t)10010000000;
    assert_true(post(device, 10.01, palMakeVec3(1, 0, 0)));
    assert_true(readAt(device, 10.02).fresh);
    pal_browserDevice.close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_path_is_followed_with_the_stated_latency),
        cmocka_unit_test(an_unsteady_network_does_not_shake_the_hand),
        cmocka_unit_test(steady_motion_is_reproduced_exactly),
        cmocka_unit_test(velocity_is_the_derivative_of_position),
        cmocka_unit_test(a_hand_that_says_nothing_rests_and_is_stale),
        cmocka_unit_test(a_jump_becomes_a_motion),
        cmocka_unit_test(the_settings_hold_in_place_of_what_the_session_proposes),
        cmocka_unit_test(what_is_no_sample_is_refused),
        cmocka_unit_test(a_reader_that_is_away_loses_nothing_but_old_samples),
    };
    return RUN(tests);
}

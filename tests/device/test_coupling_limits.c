// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/random.h"
#include "device/coupling_limits.h"
#include "device/simulated.h"

static palCouplingRequest requestOn(const char* preset)
{
    return palDefaultCouplingRequest(&palFindDevicePreset(preset)->limits, 1e-3);
}

static void defaults_are_within_the_device(void** state)
{
    (void)state;
    palMessages messages = {0};
    palCouplingRequest request = requestOn("touch");
    palDeviceCoupling touch = palLimitCoupling(&request, &messages);
    ASSERT_NEAR(touch.stiffness, 400.0, 0.0);
    ASSERT_NEAR(touch.damping, 0.8 * sqrt(0.4), 1e-15);
    request = requestOn("omega.3");
    palDeviceCoupling omega = palLimitCoupling(&request, &messages);
    ASSERT_NEAR(omega.stiffness, 1000.0, 0.0);
    ASSERT_NEAR(omega.damping, 0.8, 1e-15);
    // A device of which nothing is known.
    request = palDefaultCouplingRequest(&(palDeviceLimits){0}, 1e-3);
    palDeviceCoupling unknown = palLimitCoupling(&request, &messages);
    ASSERT_NEAR(unknown.stiffness, 1000.0, 0.0);
    assert_int_equal(messages.count, 0);
}

static void wishes_within_the_device_are_granted_silently(void** state)
{
    (void)state;
    palMessages messages = {0};
    palCouplingRequest request = requestOn("omega.3");
    request.stiffness = 5000.0, request.damping = 0.0, request.limits.passiveDamping = 5.5;
    palDeviceCoupling coupling = palLimitCoupling(&request, &messages);
    ASSERT_NEAR(coupling.stiffness, 5000.0, 0.0);
    ASSERT_NEAR(coupling.damping, 0.0, 0.0);
    assert_int_equal(messages.count, 0);
}

static void wishes_beyond_the_device_are_cut_with_a_reason(void** state)
{
    (void)state;
    palMessages messages = {0};
    palCouplingRequest request = requestOn("touch");
    request.stiffness = 900.0, request.damping = 50.0;
    palDeviceCoupling coupling = palLimitCoupling(&request, &messages);
    ASSERT_NEAR(coupling.stiffness, 400.0, 0.0);
    ASSERT_NEAR(coupling.damping, 4.0, 0.0);
    assert_int_equal(palMessages_Count(&messages, pal_severityWarning), 2);
    const palError* first = &messages.items[0].what;
    assert_non_null(strstr(first->text, "stiffness of 900 N/m"));
    assert_non_null(strstr(first->text, "400 N/m is used"));
    assert_non_null(strstr(first->remedy, "400"));
    assert_non_null(strstr(messages.items[1].what.text, "damping of 50"));
    palMessages_Free(&messages);
}

static void a_stiffness_that_cannot_be_passive_is_cut_to_the_bound(void** state)
{
    (void)state;
    palMessages messages = {0};
    // 10 ms and 5 N·s/m: K <= 2 · 5 / 0.01 = 1000 N/m without damping.
    palCouplingRequest request = requestOn("lambda.7");
    request.dt = 0.01, request.limits.passiveDamping = 5.0, request.stiffness = 3000.0;
    palDeviceCoupling coupling = palLimitCoupling(&request, &messages);
    ASSERT_NEAR(coupling.stiffness, 1000.0, 1e-9);
    ASSERT_NEAR(coupling.damping, 0.0, 0.0);
    assert_int_equal(messages.count, 1);
    assert_non_null(strstr(messages.items[0].what.text, "passive"));
    assert_non_null(strstr(messages.items[0].what.text, "1000 N/m is used"));
    palMessages_Free(&messages);
}

static void a_default_gives_way_to_a_wish(void** state)
{
    (void)state;
    palMessages messages = {0};
    palCouplingRequest request = requestOn("omega.3");
    request.dt = 0.01, request.limits.passiveDamping = 5.0;
    request.stiffness = 900.0; // leaves 0.5 N·s/m
    palDeviceCoupling coupling = palLimitCoupling(&request, &messages);
    ASSERT_NEAR(coupling.stiffness, 900.0, 1e-9);
    ASSERT_NEAR(coupling.damping, 0.5, 1e-12);
    request.stiffness = NAN, request.damping = 4.0; // leaves 200 N/m
    coupling = palLimitCoupling(&request, &messages);
    ASSERT_NEAR(coupling.stiffness, 200.0, 1e-9);
    ASSERT_NEAR(coupling.damping, 4.0, 0.0);
    assert_int_equal(messages.count, 0);
}

static void two_wishes_share_what_there_is(void** state)
{
    (void)state;
    palMessages messages = {0};
    palCouplingRequest request = requestOn("omega.3");
    request.dt = 0.01, request.limits.passiveDamping = 4.0;
    request.stiffness = 2000.0, request.damping = 10.0;
    palDeviceCoupling coupling = palLimitCoupling(&request, &messages);
    ASSERT_NEAR(coupling.damping, 2.0, 1e-12);
    ASSERT_NEAR(coupling.stiffness, 400.0, 1e-9);
    assert_int_equal(messages.count, 2);
    palMessages_Free(&messages);
}

static void wishes_that_make_no_sense_become_the_default_with_a_warning(void** state)
{
    (void)state;
    palMessages messages = {0};
    palCouplingRequest request = requestOn("omega.3");
    request.stiffness = -5.0, request.damping = INFINITY;
    palDeviceCoupling coupling = palLimitCoupling(&request, &messages);
    ASSERT_NEAR(coupling.stiffness, 1000.0, 0.0);
    ASSERT_NEAR(coupling.damping, 0.8, 1e-15);
    assert_int_equal(palMessages_Count(&messages, pal_severityWarning), 2);
    palMessages_Free(&messages);
}

static void whatever_is_asked_the_result_is_within_every_bound(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(11);
    for (int i = 0; i < 20000; i++)
    {
        int preset = palRandom_Below(&random, 12);
        palCouplingRequest request =
            palDefaultCouplingRequest(&palDevicePresetAt(preset)->limits, 1e-3);
        request.dt = pow(10.0, palRandom_Range(&random, -4.0, -1.5));
        request.limits.passiveDamping = pow(10.0, palRandom_Range(&random, -2.0, 2.0));
        if (palRandom_Below(&random, 3) > 0)
            request.stiffness = pow(10.0, palRandom_Range(&random, 0.0, 7.0));
        if (palRandom_Below(&random, 3) > 0)
            request.damping = pow(10.0, palRandom_Range(&random, -3.0, 3.0));
        palDeviceCoupling coupling = palLimitCoupling(&request, NULL);
        ASSERT_BELOW(0.0, coupling.stiffness);
        ASSERT_BELOW(0.0, coupling.damping);
        ASSERT_BELOW(coupling.stiffness, request.limits.maxStiffness);
        ASSERT_BELOW(coupling.damping, request.limits.maxDamping);
        ASSERT_BELOW(coupling.stiffness * request.dt / 2.0 + coupling.damping,
                     request.limits.passiveDamping * (1.0 + 1e-12));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_within_the_device),
        cmocka_unit_test(wishes_within_the_device_are_granted_silently),
        cmocka_unit_test(wishes_beyond_the_device_are_cut_with_a_reason),
        cmocka_unit_test(a_stiffness_that_cannot_be_passive_is_cut_to_the_bound),
        cmocka_unit_test(a_default_gives_way_to_a_wish),
        cmocka_unit_test(two_wishes_share_what_there_is),
        cmocka_unit_test(wishes_that_make_no_sense_become_the_default_with_a_warning),
        cmocka_unit_test(whatever_is_asked_the_result_is_within_every_bound),
    };
    return RUN(tests);
}

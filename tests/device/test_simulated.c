// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "device/coupling_limits.h"
#include "device/simulated.h"

static const double dt = 1e-3;

// A hand whose target rests at the origin.
static palTrajectory* restingTarget(void)
{
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryFile);
    palTrajectory* trajectory;
    palError error;
    const char text[] = "t,x,y,z\n0,0,0,0\n";
    assert_int_equal(
        palTrajectory_CreateFromCsv(&def, text, sizeof text - 1, "rest", &trajectory, &error),
        pal_ok);
    return trajectory;
}

static palDevice* open(const palDevicePreset* preset, palHumanHandDef hand,
                       const palTrajectory* target)
{
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = target;
    context.dt = dt;
    palDevice* device;
    palError error = {0};
    if (palSimulated_Open(&context, preset, &hand, &device, &error) != pal_ok)
        fail_msg("%s", error.text);
    return device;
}

static palDeviceState read(palDevice* device, double t)
{
    palDeviceState state = {.size = sizeof state};
    pal_simulatedDevice.read(device, t, &state);
    return state;
}

static void push(palDevice* device, double x)
{
    const palDeviceOutput output = {
        .size = sizeof output, .channelCount = 1, .channels = {{.force = {x, 0, 0}}}};
    pal_simulatedDevice.write(device, &output);
}

static void response_equals_the_closed_form(void** state)
{
    (void)state;
    palTrajectory* target = restingTarget();
    // Under-damped, over-damped, and without a spring; 2 N from rest at t = 0.
    const palHumanHandDef hands[] = {{300.0, 5.0, 0.1}, {200.0, 40.0, 0.3}, {0.0, 3.0, 0.2}};
    for (int i = 0; i < 3; i++)
    {
        palDevicePreset preset = {.name = "ideal", .mass = 0.05, .damping = 0.4};
        palDevice* device = open(&preset, hands[i], target);
        double m = 0.05 + hands[i].mass, c = 0.4 + hands[i].damping, k = hands[i].stiffness;
        double F = 2.0;
        double d = c * c / (4 * m * m) - k / m;
        double a = c / (2 * m);
        read(device, 0.0);
        push(device, F);
        for (int step = 1; step <= 400; step++)
        {
            double t = step * dt, x;
            if (k == 0.0)
                x = F / c * (t - m / c * (1.0 - exp(-c / m * t)));
            else if (d < 0.0)
                x = F / k *
                    (1.0 - exp(-a * t) * (cos(sqrt(-d) * t) + a / sqrt(-d) * sin(sqrt(-d) * t)));
            else
                x = F / k *
                    (1.0 - exp(-a * t) * (cosh(sqrt(d) * t) + a / sqrt(d) * sinh(sqrt(d) * t)));
            ASSERT_NEAR(read(device, t).position.x, x, 1e-13);
        }
        pal_simulatedDevice.close(device);
    }
    palTrajectory_Destroy(target);
}

static void response_does_not_depend_on_when_it_is_read(void** state)
{
    (void)state;
    palTrajectory* target = restingTarget();
    palDevicePreset preset = {.name = "ideal", .mass = 0.05, .damping = 0.4};
    palDevice* regular = open(&preset, palDefaultHumanHandDef(), target);
    palDevice* late = open(&preset, palDefaultHumanHandDef(), target);
    read(regular, 0.0), read(late, 0.0);
    push(regular, 1.0), push(late, 1.0);
    for (int step = 1; step <= 100; step++)
        read(regular, step * dt);
    const int reads[] = {1, 5, 6, 17, 30, 49, 50, 69, 88, 100};
    palDeviceState state0 = {0};
    for (int i = 0; i < 10; i++)
        state0 = read(late, reads[i] * dt);
    ASSERT_NEAR(state0.position.x, read(regular, 100 * dt).position.x, 1e-13);
    pal_simulatedDevice.close(regular);
    pal_simulatedDevice.close(late);
    palTrajectory_Destroy(target);
}

static void hand_follows_its_target_with_the_lag_of_the_mechanism(void** state)
{
    (void)state;
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryLine);
    def.end = palMakeVec3(1.0, 0, 0), def.speed = 0.1;
    palTrajectory* target;
    assert_int_equal(palTrajectory_Create(&def, &target, NULL), pal_ok);
    palDevicePreset preset = {.name = "ideal", .mass = 0.05, .damping = 1.5};
    palDevice* device = open(&preset, palDefaultHumanHandDef(), target);
    palDeviceState seen = {0};
    for (int step = 0; step <= 2000; step++)
        seen = read(device, step * dt);
    // Steady: k (target - x) = b v.
    ASSERT_NEAR(seen.position.x, 0.1 * 2.0 - 1.5 * 0.1 / 300.0, 1e-9);
    ASSERT_NEAR(seen.velocity.x, 0.1, 1e-8);
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(target);
}

static void friction_holds_below_breakaway_and_not_above(void** state)
{
    (void)state;
    palTrajectory* target = restingTarget();
    palDevicePreset preset = {.name = "rubbing", .mass = 0.1, .friction = 0.5};
    palDevice* device = open(&preset, (palHumanHandDef){.stiffness = 100.0}, target);
    read(device, 0.0);
    push(device, 0.499);
    for (int step = 1; step <= 500; step++)
        assert_true(read(device, step * dt).position.x == 0.0);
    push(device, 0.501);
    ASSERT_BELOW(1e-9, read(device, 0.6).position.x + read(device, 0.61).position.x);
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(target);
}

static void sliding_and_stopping_follow_coulomb(void** state)
{
    (void)state;
    palTrajectory* target = restingTarget();
    palDevicePreset preset = {.name = "rubbing", .mass = 0.2, .friction = 0.5};
    palDevice* device = open(&preset, (palHumanHandDef){0}, target);
    read(device, 0.0);
    // 1.5 N for 0.1 s: a = (1.5 - 0.5) / 0.2 = 5 m/s².
    push(device, 1.5);
    int step = 1;
    for (; step <= 100; step++)
        ASSERT_NEAR(read(device, step * dt).position.x, 0.5 * 5.0 * step * step * dt * dt, 1e-12);
    // Then friction alone: 0.5 m/s is gone after v m / f = 0.2 s and v² m / 2 f = 50 mm.
    push(device, 0.0);
    for (; step <= 290; step++)
        ASSERT_NEAR(read(device, step * dt).position.x,
                    0.025 + 0.5 * (step * dt - 0.1) - 1.25 * pow(step * dt - 0.1, 2), 1e-12);
    double rest = 0.0;
    for (; step <= 400; step++)
        rest = read(device, step * dt).position.x;
    ASSERT_NEAR(rest, 0.075, 1e-9);
    assert_true(read(device, 0.41).position.x == rest);
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(target);
}

static void position_is_a_multiple_of_the_resolution(void** state)
{
    (void)state;
    palTrajectory* target = restingTarget();
    palDevicePreset coarse = {.name = "coarse", .mass = 0.05, .resolution = 1e-4};
    palDevicePreset fine = {.name = "fine", .mass = 0.05};
    palDevice* a = open(&coarse, palDefaultHumanHandDef(), target);
    palDevice* b = open(&fine, palDefaultHumanHandDef(), target);
    read(a, 0.0), read(b, 0.0);
    push(a, 1.0), push(b, 1.0);
    for (int step = 1; step <= 300; step++)
    {
        double x = read(a, step * dt).position.x;
        ASSERT_NEAR(x / 1e-4, round(x / 1e-4), 1e-9);
        ASSERT_NEAR(x, read(b, step * dt).position.x, 0.5e-4 + 1e-12);
    }
    pal_simulatedDevice.close(a);
    pal_simulatedDevice.close(b);
    palTrajectory_Destroy(target);
}

static void motors_saturate_at_the_limit(void** state)
{
    (void)state;
    palTrajectory* target = restingTarget();
    palDevicePreset preset = {.name = "weak", .mass = 0.1, .limits = {.maxForce = 2.0}};
    palDevice* device = open(&preset, (palHumanHandDef){0}, target);
    read(device, 0.0);
    push(device, 1e6);
    ASSERT_NEAR(read(device, dt).position.x, 0.5 * 20.0 * dt * dt, 1e-15);
    push(device, NAN);
    palDeviceState seen = read(device, 2 * dt);
    ASSERT_NEAR(seen.position.x, 0.5 * 20.0 * dt * dt + 20.0 * dt * dt, 1e-15);
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(target);
}

static void a_second_read_of_a_time_is_not_fresh_and_a_pause_settles_the_hand(void** state)
{
    (void)state;
    palTrajectory* target = restingTarget();
    palDevice* device = open(palFindDevicePreset("touch"), palDefaultHumanHandDef(), target);
    assert_true(read(device, 0.0).fresh);
    push(device, 3.0);
    palDeviceState moved = read(device, 0.01);
    assert_true(moved.fresh && moved.position.x > 0.0);
    palDeviceState again = read(device, 0.01);
    assert_false(again.fresh);
    assert_true(again.position.x == moved.position.x);
    palDeviceState later = read(device, 5.0);
    assert_true(later.fresh && later.position.x == 0.0 && later.velocity.x == 0.0);
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(target);
}

//--------------------------------------------------------------------------------------------------
// A wall

typedef struct Contact
{
    double depth;   // m, mean over the end of the hold
    double swing;   // m, peak to peak over it
    double energy;  // J that the wall gave to the device over it
    double toHand;  // J that the hand received over it
    double largest; // J, the most that it had received at any time
} Contact;

// The hand presses 5 mm into a spring and damper at x = 0 and holds.
static Contact pressWall(const palDevicePreset* preset, palDeviceCoupling wall)
{
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryPress);
    def.direction = palMakeVec3(-1, 0, 0), def.speed = 0.1, def.hold = 2.0;
    palTrajectory* target;
    assert_int_equal(palTrajectory_Create(&def, &target, NULL), pal_ok);
    palDevice* device = open(preset, palDefaultHumanHandDef(), target);
    double arrival = 0.5 * (palTrajectory_Duration(target) - def.hold);
    double low = INFINITY, high = -INFINITY;
    double energy = 0.0, force = 0.0, before = 0.0, sum = 0.0;
    double largest = 0.0, received = 0.0, receivedBefore = 0.0;
    int count = 0;
    for (double t = 0.0; t < arrival + 1.9; t += dt)
    {
        palDeviceState seen = read(device, t);
        double depth = -seen.position.x;
        received = seen.handEnergy;
        largest = fmax(largest, received);
        receivedBefore = t > arrival + 1.4 ? receivedBefore : received;
        if (t > arrival + 1.4)
        {
            low = fmin(low, depth), high = fmax(high, depth);
            sum += depth, count++;
            energy += force * (seen.position.x - before);
        }
        before = seen.position.x;
        force = depth > 0.0 ? wall.stiffness * depth - wall.damping * seen.velocity.x : 0.0;
        push(device, force);
    }
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(target);
    return (Contact){sum / count, high - low, energy, received - receivedBefore, largest};
}

static palDeviceCoupling couplingFor(const palDevicePreset* preset, double stiffness,
                                     palMessages* messages)
{
    palCouplingRequest request = palDefaultCouplingRequest(&preset->limits, dt);
    request.limits.passiveDamping = preset->damping + palDefaultHumanHandDef().damping;
    request.stiffness = stiffness;
    return palLimitCoupling(&request, messages);
}

// At rest the hand's spring, the wall and at most the friction balance:
//   k_hand (5 mm - d) = K d ± friction, and K sees d rounded to the encoder.
static void expectBalance(const palDevicePreset* preset, double K, const Contact* contact)
{
    double k = palDefaultHumanHandDef().stiffness;
    double most = preset->limits.maxForce;
    double d = k * 0.005 / (k + K);
    assert_true(K * d < most);
    ASSERT_NEAR(contact->depth, d,
                (preset->friction + K * preset->resolution) / (k + K) + preset->resolution);
}

static void every_preset_rests_on_a_wall_of_its_default_coupling(void** state)
{
    (void)state;
    for (int i = 0; palDevicePresetAt(i) != NULL; i++)
    {
        const palDevicePreset* preset = palDevicePresetAt(i);
        palDeviceCoupling coupling = couplingFor(preset, NAN, NULL);
        Contact contact = pressWall(preset, coupling);
        expectBalance(preset, coupling.stiffness, &contact);
        ASSERT_BELOW(contact.swing, 2.0 * preset->resolution);
        ASSERT_BELOW(contact.energy, 1e-9);
        ASSERT_BELOW(contact.toHand, 1e-9);
        ASSERT_BELOW(contact.largest, 1e-6);
    }
}

static void every_preset_rests_on_a_wall_of_its_greatest_stiffness(void** state)
{
    (void)state;
    for (int i = 0; palDevicePresetAt(i) != NULL; i++)
    {
        const palDevicePreset* preset = palDevicePresetAt(i);
        palDeviceCoupling coupling = couplingFor(preset, preset->limits.maxStiffness, NULL);
        Contact contact = pressWall(preset, coupling);
        expectBalance(preset, coupling.stiffness, &contact);
        ASSERT_BELOW(contact.swing, 2.0 * preset->resolution);
        ASSERT_BELOW(contact.energy, 1e-9);
        ASSERT_BELOW(contact.toHand, 1e-9);
        ASSERT_BELOW(contact.largest, 1e-6);
    }
}

static void a_wall_too_stiff_shakes_the_hand_until_it_is_limited(void** state)
{
    (void)state;
    for (int i = 0; palDevicePresetAt(i) != NULL; i++)
    {
        const palDevicePreset* preset = palDevicePresetAt(i);
        palDeviceCoupling excessive = {.stiffness = 100e3, .damping = 0.8};
        Contact shaking = pressWall(preset, excessive);
        ASSERT_BELOW(0.1e-3, shaking.swing);
        ASSERT_BELOW(1e-3, shaking.energy); // the sampled wall feeds it
        ASSERT_BELOW(1e-4, shaking.toHand);
        assert_true(shaking.toHand < shaking.energy); // the rest is lost in the mechanism
        palMessages messages = {0};
        palDeviceCoupling limited = couplingFor(preset, 100e3, &messages);
        assert_int_equal(palMessages_Count(&messages, pal_severityWarning), 1);
        palMessages_Free(&messages);
        ASSERT_BELOW(pressWall(preset, limited).swing, 0.1 * shaking.swing);
    }
}

static void a_device_opened_by_name_has_its_limits_and_the_damping_of_both(void** state)
{
    (void)state;
    palTrajectory* target = restingTarget();
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = target;
    palSimulatedSettings settings = {.preset = "touch", .hand = {300.0, 4.0, 0.1}};
    palDevice* device;
    assert_int_equal(pal_simulatedDevice.open(&context, &settings, &device, NULL), pal_ok);
    palDeviceLimits limits = {.size = sizeof limits};
    pal_simulatedDevice.limits(device, &limits);
    ASSERT_NEAR(limits.maxForce, 3.3, 0.0);
    ASSERT_NEAR(limits.passiveDamping, palFindDevicePreset("touch")->damping + 4.0, 0.0);
    pal_simulatedDevice.close(device);
    strcpy(settings.preset, "none");
    palError error = {0};
    assert_int_equal(pal_simulatedDevice.open(&context, &settings, &device, &error),
                     pal_errorInput);
    assert_null(device);
    palTrajectory_Destroy(target);
}

static void impossible_settings_are_refused(void** state)
{
    (void)state;
    palTrajectory* target = restingTarget();
    struct
    {
        palDriverContext context;
        const palDevicePreset* preset;
        palHumanHandDef hand;
    } bad[6];
    for (int i = 0; i < 6; i++)
    {
        bad[i].context = palDefaultDriverContext();
        bad[i].context.trajectory = target;
        bad[i].preset = palFindDevicePreset("falcon");
        bad[i].hand = palDefaultHumanHandDef();
    }
    palDevicePreset heavy = *bad[0].preset;
    heavy.mass = NAN;
    bad[0].preset = NULL;
    bad[1].context.trajectory = NULL;
    bad[2].context.dt = 0.0;
    bad[3].hand.stiffness = -1.0;
    bad[4].preset = &heavy;
    bad[5].hand.stiffness = 1e9;
    for (int i = 0; i < 6; i++)
    {
        palDevice* device;
        palError error = {0};
        assert_int_equal(
            palSimulated_Open(&bad[i].context, bad[i].preset, &bad[i].hand, &device, &error),
            pal_errorInput);
        assert_null(device);
        assert_true(error.text[0] != '\0' && error.remedy[0] != '\0');
    }
    palTrajectory_Destroy(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(response_equals_the_closed_form),
        cmocka_unit_test(response_does_not_depend_on_when_it_is_read),
        cmocka_unit_test(hand_follows_its_target_with_the_lag_of_the_mechanism),
        cmocka_unit_test(friction_holds_below_breakaway_and_not_above),
        cmocka_unit_test(sliding_and_stopping_follow_coulomb),
        cmocka_unit_test(position_is_a_multiple_of_the_resolution),
        cmocka_unit_test(motors_saturate_at_the_limit),
        cmocka_unit_test(a_second_read_of_a_time_is_not_fresh_and_a_pause_settles_the_hand),
        cmocka_unit_test(every_preset_rests_on_a_wall_of_its_default_coupling),
        cmocka_unit_test(every_preset_rests_on_a_wall_of_its_greatest_stiffness),
        cmocka_unit_test(a_wall_too_stiff_shakes_the_hand_until_it_is_limited),
        cmocka_unit_test(a_device_opened_by_name_has_its_limits_and_the_damping_of_both),
        cmocka_unit_test(impossible_settings_are_refused),
    };
    return RUN(tests);
}

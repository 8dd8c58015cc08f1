// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/random.h"
#include "device/safety.h"

static const double dt = 1e-3;

// Simple numbers: 2 N, 0.1 N·m, at most 0.5 N a step, fades within 10 steps.
static palSafety makeSafety(void)
{
    palSafetyDef def = {
        .maxForce = 2.0, .maxTorque = 0.1, .slewRate = 500.0, .staleAfter = 0.02, .fadeTime = 0.01};
    return palMakeSafety(&def);
}

// What is asked for on the first channel.
typedef struct Request
{
    palVec3 force;
    palVec3 torque;
    bool impulse;
} Request;

static palDeviceChannel applyStep(palSafety* safety, Request request, palSafetyStep step)
{
    palDeviceOutput output = {.size = sizeof output, .channelCount = 1};
    output.channels[0] = (palDeviceChannel){request.force, request.torque};
    step.impulse = request.impulse;
    palSafety_Apply(safety, &step, &output);
    assert_int_equal(output.channelCount, 1);
    assert_true(output.gripperForce == 0.0);
    return output.channels[0];
}

static palDeviceChannel apply(palSafety* safety, Request request)
{
    return applyStep(safety, request, (palSafetyStep){.dt = dt, .deviceFresh = true});
}

// With a snapshot of that age; or without news from the device.
static palDeviceChannel applyAged(palSafety* safety, Request request, double snapshotAge)
{
    return applyStep(safety, request,
                     (palSafetyStep){.dt = dt, .snapshotAge = snapshotAge, .deviceFresh = true});
}

static palDeviceChannel applySilent(palSafety* safety, Request request)
{
    return applyStep(safety, request, (palSafetyStep){.dt = dt});
}

static Request forceX(double x)
{
    return (Request){.force = {x, 0.0, 0.0}};
}

static Request hitX(double x)
{
    return (Request){.force = {x, 0.0, 0.0}, .impulse = true};
}

static void a_force_within_the_limits_passes_unchanged(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    for (int i = 0; i < 100; i++)
    {
        Request request = {.force = {sin(0.1 * i), 0.5 * cos(0.1 * i) - 0.5, 0.1},
                           .torque = {0.0, 0.01 * sin(0.1 * i), 0.0}};
        palDeviceChannel out = apply(&safety, request);
        ASSERT_NEAR(palDistance(out.force, request.force), 0.0, 0.0);
        ASSERT_NEAR(palDistance(out.torque, request.torque), 0.0, 0.0);
    }
    const palSafetyCounts none = {0};
    assert_memory_equal(&safety.counts, &none, sizeof none);
}

static void a_long_force_is_shortened_in_its_direction(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    Request request = {.force = {3e200, -4e200, 0.0}, .torque = {0.0, 0.0, 7.0}};
    palDeviceChannel out = {0};
    for (int i = 0; i < 10; i++)
        out = apply(&safety, request);
    ASSERT_NEAR(out.force.x, 1.2, 1e-14);
    ASSERT_NEAR(out.force.y, -1.6, 1e-14);
    ASSERT_NEAR(out.torque.z, 0.1, 1e-15);
    assert_int_equal(safety.counts.clamped, 10);
}

static void a_sudden_force_arrives_at_the_slew_rate(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    const double expected[] = {0.5, 1.0, 1.5, 1.6, 1.6};
    for (int i = 0; i < 5; i++)
        ASSERT_NEAR(apply(&safety, forceX(1.6)).force.x, expected[i], 1e-14);
    assert_int_equal(safety.counts.slewed, 3);
    const double down[] = {1.1, 0.6, 0.1, 0.0};
    for (int i = 0; i < 4; i++)
        ASSERT_NEAR(apply(&safety, forceX(0.0)).force.x, down[i], 1e-14);
    assert_int_equal(safety.counts.slewed, 6);
    assert_int_equal(safety.counts.clamped, 0);
}

static void torque_slews_in_proportion(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    Request request = {.torque = {0.1, 0.0, 0.0}};
    ASSERT_NEAR(apply(&safety, request).torque.x, 0.5 * 0.1 / 2.0, 1e-15);
    ASSERT_NEAR(apply(&safety, request).torque.x, 0.05, 1e-15);
    assert_int_equal(safety.counts.slewed, 2);
}

static void what_is_not_finite_becomes_zero_at_the_slew_rate(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    for (int i = 0; i < 3; i++)
        apply(&safety, forceX(1.2));
    ASSERT_NEAR(apply(&safety, forceX(NAN)).force.x, 0.7, 1e-14);
    ASSERT_NEAR(apply(&safety, forceX(-INFINITY)).force.x, 0.2, 1e-14);
    Request badTorque = {.force = {1.0, 0.0, 0.0}, .torque = {0.0, NAN, 0.0}};
    ASSERT_NEAR(apply(&safety, badTorque).force.x, 0.0, 0.0);
    assert_int_equal(safety.counts.notFinite, 3);
}

static void a_stale_snapshot_fades_the_force_and_a_new_one_brings_it_back(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    Request request = forceX(1.0);
    palDeviceChannel out;
    for (int i = 0; i < 5; i++)
        apply(&safety, request);
    for (int i = 1; i <= 15; i++)
    {
        out = applyAged(&safety, request, 0.0201);
        ASSERT_NEAR(out.force.x, fmax(0.0, 1.0 - 0.1 * i), 1e-12);
    }
    assert_int_equal(safety.counts.staleSnapshot, 15);
    for (int i = 1; i <= 12; i++)
    {
        out = applyAged(&safety, request, 0.0199);
        ASSERT_NEAR(out.force.x, fmin(1.0, 0.1 * i), 1e-12);
    }
    out = applyAged(&safety, request, NAN);
    assert_int_equal(safety.counts.staleSnapshot, 16);
    assert_int_equal(safety.counts.staleDevice, 0);
}

static void a_silent_device_fades_the_force(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    Request request = forceX(0.4);
    palDeviceChannel out;
    safety.def.staleAfter = 0.0205; // 20 steps of silence, rounding aside
    for (int i = 0; i < 20; i++)
        out = applySilent(&safety, request);
    ASSERT_NEAR(out.force.x, 0.4, 0.0);
    assert_int_equal(safety.counts.staleDevice, 0);
    for (int i = 1; i <= 12; i++)
    {
        out = applySilent(&safety, request);
        ASSERT_NEAR(out.force.x, 0.4 * fmax(0.0, 1.0 - 0.1 * i), 1e-12);
    }
    assert_int_equal(safety.counts.staleDevice, 12);
    // One fresh state ends it.
    out = applyAged(&safety, request, 0.0);
    ASSERT_NEAR(out.force.x, 0.04, 1e-12);
}

static void a_collision_gives_its_whole_impulse_within_the_clamp(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    for (int i = 0; i < 3; i++)
        apply(&safety, forceX(0.3));
    // 15.3 N for one step on top of nothing else; then 0.3 N sustained leaves 1.7 N of room.
    double given = apply(&safety, hitX(15.3)).force.x;
    ASSERT_NEAR(given, 2.0, 1e-14);
    double above = given;
    int steps = 0;
    for (; steps < 20; steps++)
    {
        double x = apply(&safety, forceX(0.3)).force.x;
        ASSERT_BELOW(x, 2.0 + 1e-12);
        above += x - 0.3;
    }
    ASSERT_NEAR(above, 15.3, 1e-12);
    assert_int_equal(safety.counts.impulses, 1);
    assert_int_equal(safety.counts.impulseTails, 8); // 13.3 N·step at 1.7 N a step
    assert_int_equal(safety.counts.slewed, 0);
    ASSERT_NEAR(apply(&safety, forceX(0.3)).force.x, 0.3, 0.0);
}

static void the_rest_of_a_collision_keeps_its_direction(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    Request sideways = {.force = {0.0, 0.4, 0.0}};
    apply(&safety, sideways);
    Request hit = {.force = {6.0, 0.0, 8.0}, .impulse = true};
    apply(&safety, hit);
    palVec3 tail = palSub(apply(&safety, sideways).force, sideways.force);
    // (3, 0, 4) / 5, as long as fits beside 0.4 N across.
    double length = sqrt(4.0 - 0.16);
    ASSERT_NEAR(palDistance(tail, palMakeVec3(0.6 * length, 0.0, 0.8 * length)), 0.0, 1e-14);
}

static void what_a_collision_owes_is_bounded_and_ends(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    for (int i = 0; i < 100; i++)
        apply(&safety, hitX(1e300));
    // At most 0.05 s of full force: 50 steps.
    for (int i = 0; i < 51; i++)
        apply(&safety, forceX(0.0));
    ASSERT_NEAR(apply(&safety, forceX(0.0)).force.x, 0.0, 0.0);
    // What finds no room within 0.1 s is dropped.
    for (int i = 0; i < 5; i++)
        apply(&safety, forceX(2.0));
    apply(&safety, hitX(40.0));
    for (int i = 0; i < 102; i++)
        apply(&safety, forceX(2.0));
    uint64_t tails = safety.counts.impulseTails;
    ASSERT_NEAR(apply(&safety, forceX(0.0)).force.x, 1.5, 1e-12);
    assert_int_equal(safety.counts.impulseTails, tails);
}

static void a_stale_world_cancels_what_a_collision_owes(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    apply(&safety, hitX(40.0));
    Request nothing = {0};
    palDeviceChannel out;
    out = applyAged(&safety, nothing, 1.0);
    ASSERT_NEAR(out.force.x, 0.0, 0.0);
    ASSERT_NEAR(apply(&safety, nothing).force.x, 0.0, 0.0);
    assert_int_equal(safety.counts.impulseTails, 0);
}

static void a_lowered_limit_holds_from_the_next_step_on(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    for (int i = 0; i < 6; i++)
        apply(&safety, forceX(2.0));
    safety.def.maxForce = 0.4;
    ASSERT_BELOW(apply(&safety, forceX(2.0)).force.x, 0.4 * (1.0 + 1e-12));
    apply(&safety, hitX(2.0));
    safety.def.maxForce = 0.1;
    ASSERT_BELOW(apply(&safety, forceX(2.0)).force.x, 0.1 * (1.0 + 1e-12));
}

static void settings_that_make_no_sense_give_no_force(void** state)
{
    (void)state;
    const double senseless[] = {NAN, -1.0, 0.0};
    for (int i = 0; i < 3; i++)
    {
        palSafety safety = makeSafety();
        safety.def.maxForce = senseless[i];
        ASSERT_NEAR(apply(&safety, hitX(1.0)).force.x, 0.0, 0.0);
        safety = makeSafety();
        safety.def.slewRate = senseless[i];
        ASSERT_NEAR(apply(&safety, forceX(1.0)).force.x, 0.0, 0.0);
    }
}

static void a_device_without_torque_is_no_intervention(void** state)
{
    (void)state;
    palSafety safety = makeSafety();
    safety.def.maxTorque = 0.0;
    palDeviceChannel out = apply(&safety, (Request){.torque = {1.0, 0.0, 0.0}});
    ASSERT_NEAR(palLength(out.torque), 0.0, 0.0);
    assert_int_equal(safety.counts.clamped + safety.counts.slewed, 0);
}

static void device_limits_bound_the_settings(void** state)
{
    (void)state;
    palSafetyDef def = palDefaultSafetyDef();
    def.maxForce = 5.0, def.maxTorque = NAN;
    palDeviceLimits weak = {.maxForce = 3.3};
    palSafetyDef limited = palLimitSafetyDef(def, &weak);
    ASSERT_NEAR(limited.maxForce, 3.3, 0.0);
    ASSERT_NEAR(limited.maxTorque, 0.0, 0.0);
    palDeviceLimits strong = {.maxForce = 20.0, .maxTorque = 0.2};
    limited = palLimitSafetyDef(def, &strong);
    ASSERT_NEAR(limited.maxForce, 5.0, 0.0);
    ASSERT_NEAR(limited.maxTorque, 0.2, 0.0);
    def.maxForce = NAN;
    ASSERT_NEAR(palLimitSafetyDef(def, &strong).maxForce, 20.0, 0.0);
    palDeviceLimits unknown = {0};
    limited = palLimitSafetyDef(def, &unknown);
    assert_true(limited.maxForce > 0.0 && limited.maxTorque > 0.0);
}

//--------------------------------------------------------------------------------------------------
// Several channels

// The same limits for the palm; 0.4 N and 0.01 N·m for each of five fingers, 1 N for the gripper.
static palSafety makeGlove(void)
{
    palSafetyDef def = makeSafety().def;
    const palDeviceLimits glove = {.maxForce = 2.0,
                                   .maxTorque = 0.1,
                                   .channelCount = pal_deviceChannelsMax,
                                   .maxFingerForce = 0.4,
                                   .maxFingerTorque = 0.01,
                                   .maxGripperForce = 1.0};
    def = palLimitSafetyDef(def, &glove);
    return palMakeSafety(&def);
}

// The same force and torque along x on every channel, and that force on the gripper.
static palDeviceOutput askAll(double force, double torque)
{
    palDeviceOutput output = {
        .size = sizeof output, .channelCount = pal_deviceChannelsMax, .gripperForce = force};
    for (int i = 0; i < pal_deviceChannelsMax; i++)
        output.channels[i] = (palDeviceChannel){{force, 0, 0}, {torque, 0, 0}};
    return output;
}

static const palSafetyStep freshStep = {.dt = 1e-3, .deviceFresh = true};

static void every_channel_is_clamped_and_slewed_by_its_own_limits(void** state)
{
    (void)state;
    palSafety safety = makeGlove();
    for (int k = 1; k <= 10; k++)
    {
        palDeviceOutput output = askAll(-10.0, 3.0);
        palSafety_Apply(&safety, &freshStep, &output);
        assert_int_equal(output.channelCount, 6);
        ASSERT_NEAR(output.channels[0].force.x, -fmin(2.0, 0.5 * k), 1e-12);
        ASSERT_NEAR(output.channels[0].torque.x, fmin(0.1, 0.025 * k), 1e-12);
        ASSERT_NEAR(output.gripperForce, -fmin(1.0, 0.5 * k), 1e-12);
        for (int i = 1; i < 6; i++)
        {
            ASSERT_NEAR(output.channels[i].force.x, -0.4, 1e-12);
            ASSERT_NEAR(output.channels[i].torque.x, 0.01, 1e-12);
        }
    }
    // One count a step, however many channels.
    assert_int_equal(safety.counts.clamped, 10);
    assert_int_equal(safety.counts.slewed, 3);
}

static void stale_data_fade_every_channel(void** state)
{
    (void)state;
    // A snapshot too old, a device that is silent, and one whose news are old.
    const palSafetyStep stale[] = {
        {.dt = dt, .snapshotAge = 0.03, .deviceFresh = true},
        {.dt = dt},
        {.dt = dt, .deviceAge = 0.03, .deviceFresh = true},
        {.dt = dt, .deviceAge = NAN, .deviceFresh = true},
    };
    for (int n = 0; n < 4; n++)
    {
        palSafety safety = makeGlove();
        palDeviceOutput output;
        for (int k = 0; k < 4; k++)
            output = askAll(0.3, 0.004), palSafety_Apply(&safety, &freshStep, &output);
        ASSERT_NEAR(output.channels[5].force.x, 0.3, 0.0);
        safety.deviceAge = n == 1 ? safety.def.staleAfter : 0.0;
        for (int k = 1; k <= 12; k++)
        {
            double left = fmax(0.0, 1.0 - 0.1 * k);
            output = askAll(0.3, 0.004);
            palSafety_Apply(&safety, &stale[n], &output);
            ASSERT_NEAR(output.gripperForce, 0.3 * left, 1e-12);
            for (int i = 0; i < 6; i++)
            {
                ASSERT_NEAR(output.channels[i].force.x, 0.3 * left, 1e-12);
                ASSERT_NEAR(output.channels[i].torque.x, 0.004 * left, 1e-12);
            }
        }
        assert_int_equal(safety.counts.staleSnapshot + safety.counts.staleDevice, 12);
    }
}

static void one_bad_number_takes_all_channels_to_zero_at_the_slew_rate(void** state)
{
    (void)state;
    for (int bad = 0; bad < 7; bad++)
    {
        palSafety safety = makeGlove();
        palDeviceOutput output;
        for (int k = 0; k < 4; k++)
            output = askAll(2.0, 0.0), palSafety_Apply(&safety, &freshStep, &output);
        output = askAll(2.0, 0.0);
        *(bad < 6 ? &output.channels[bad].torque.z : &output.gripperForce) = NAN;
        palSafety_Apply(&safety, &freshStep, &output);
        assert_int_equal(safety.counts.notFinite, 1);
        ASSERT_NEAR(output.channels[0].force.x, 1.5, 1e-12);
        ASSERT_NEAR(output.channels[5].force.x, 0.0, 0.0);
        ASSERT_NEAR(output.gripperForce, 0.5, 1e-12);
    }
}

static void a_channel_that_is_no_longer_asked_for_returns_to_zero(void** state)
{
    (void)state;
    palSafety safety = makeGlove();
    safety.def.maxFingerForce = 2.0;
    palDeviceOutput output;
    for (int k = 0; k < 4; k++)
        output = askAll(1.6, 0.0), palSafety_Apply(&safety, &freshStep, &output);
    for (int k = 1; k <= 4; k++)
    {
        output = askAll(1.6, 0.0);
        output.channelCount = 3;
        palSafety_Apply(&safety, &freshStep, &output);
        assert_int_equal(output.channelCount, 6);
        ASSERT_NEAR(output.channels[2].force.x, 1.6, 0.0);
        ASSERT_NEAR(output.channels[3].force.x, fmax(0.0, 1.6 - 0.5 * k), 1e-12);
        ASSERT_NEAR(output.channels[5].force.x, fmax(0.0, 1.6 - 0.5 * k), 1e-12);
    }
}

static void a_device_gets_no_more_channels_than_it_has(void** state)
{
    (void)state;
    palSafetyDef def = makeSafety().def;
    const palDeviceLimits pen = {.maxForce = 2.0, .channelCount = 2, .maxFingerForce = 5.0};
    def = palLimitSafetyDef(def, &pen);
    ASSERT_NEAR(def.maxFingerForce, 2.0, 0.0);  // the scene's limit holds for each
    ASSERT_NEAR(def.maxFingerTorque, 0.0, 0.0); // a known force without a torque: it has none
    palSafety safety = palMakeSafety(&def);
    palDeviceOutput output = askAll(0.1, 0.0);
    output.channels[4].force.y = NAN; // of nobody's concern
    palSafety_Apply(&safety, &freshStep, &output);
    assert_int_equal(output.channelCount, 2);
    ASSERT_NEAR(output.channels[1].force.x, 0.1, 0.0);
    assert_true(output.gripperForce == 0.0);
    assert_int_equal(safety.counts.notFinite, 0);
}

//--------------------------------------------------------------------------------------------------
// Garbage

static double garbage(palRandom* random)
{
    switch (palRandom_Below(random, 12))
    {
    case 0:
        return NAN;
    case 1:
        return INFINITY;
    case 2:
        return -1.7e308;
    case 3:
        return 1.7e308;
    case 4:
        return 5e-324;
    case 5:
        return 0.0;
    case 6:
        return palRandom_Normal(random) * pow(10.0, palRandom_Range(random, -300.0, 300.0));
    default:
        return 3.0 * palRandom_Normal(random);
    }
}

static Request garbageRequest(palRandom* random)
{
    Request request = {.impulse = palRandom_Below(random, 20) == 0};
    // Most requests are whole, so that clamp, slew and collisions get their turn.
    double* value[] = {&request.force.x,  &request.force.y,  &request.force.z,
                       &request.torque.x, &request.torque.y, &request.torque.z};
    bool wild = palRandom_Below(random, 3) == 0;
    for (int i = 0; i < 6; i++)
        *value[i] = wild ? garbage(random) : 3.0 * palRandom_Normal(random);
    return request;
}

static void whatever_comes_in_what_goes_out_is_safe(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    palSafety safety = makeSafety();
    palDeviceChannel last = {0};
    bool waivedBefore = false;
    for (int i = 0; i < 1000000; i++)
    {
        bool lowered = palRandom_Below(&random, 1000) == 0;
        if (lowered)
            safety.def.maxForce = palRandom_Range(&random, 0.5, 3.0);
        double step = palRandom_Below(&random, 50) == 0 ? garbage(&random) : dt;
        double age = palRandom_Below(&random, 4) == 0 ? garbage(&random) : 0.0;
        Request request = garbageRequest(&random);
        palSafetyCounts before = safety.counts;
        palDeviceChannel out;
        out = applyStep(&safety, request,
                        (palSafetyStep){.dt = step,
                                        .snapshotAge = age,
                                        .deviceFresh = palRandom_Below(&random, 8) != 0});
        double most = safety.def.maxForce;
        assert_true(palIsFinite(out.force) && palIsFinite(out.torque));
        ASSERT_BELOW(palLength(out.force), most * (1.0 + 1e-12));
        ASSERT_BELOW(palLength(out.torque), 0.1 * (1.0 + 1e-12));
        // Collisions, what they owe, and the fall after them may be quick; nothing else.
        bool waived = safety.counts.impulses > before.impulses ||
                      safety.counts.impulseTails > before.impulseTails;
        double slew = 500.0 * (step >= 1e-9 ? fmin(step, 1.0) : 0.0);
        if (!waived && !waivedBefore && !lowered)
        {
            ASSERT_BELOW(palDistance(out.force, last.force), slew + 1e-12);
            ASSERT_BELOW(palDistance(out.torque, last.torque), slew * 0.1 / most + 1e-12);
        }
        last = out;
        waivedBefore = waived;
    }
    const palSafetyCounts* counts = &safety.counts;
    assert_true(counts->notFinite > 0 && counts->clamped > 0 && counts->slewed > 0);
    assert_true(counts->staleSnapshot > 0 && counts->impulses > 0 && counts->impulseTails > 0);
}

static void garbage_on_six_channels_leaves_safe(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    palSafety safety = makeGlove();
    palDeviceOutput last = {0};
    bool waivedBefore = false;
    for (int k = 0; k < 100000; k++)
    {
        palDeviceOutput output = {.size = sizeof output};
        output.channelCount = (int)palRandom_Below(&random, 9) - 1;
        output.gripperForce = palRandom_Below(&random, 9) == 0 ? garbage(&random) : 2.0;
        Request request = {0};
        for (int i = 0; i < pal_deviceChannelsMax; i++)
        {
            request = garbageRequest(&random);
            output.channels[i] = (palDeviceChannel){request.force, request.torque};
        }
        const palSafetyStep step = {.dt = dt,
                                    .deviceAge = palRandom_Below(&random, 9) == 0 ? 1.0 : 0.0,
                                    .deviceFresh = palRandom_Below(&random, 9) != 0,
                                    .impulse = request.impulse};
        palSafetyCounts before = safety.counts;
        palSafety_Apply(&safety, &step, &output);
        bool waived = safety.counts.impulses > before.impulses ||
                      safety.counts.impulseTails > before.impulseTails;
        assert_int_equal(output.channelCount, 6);
        ASSERT_BELOW(fabs(output.gripperForce), 1.0 + 1e-12);
        for (int i = 0; i < pal_deviceChannelsMax; i++)
        {
            const palDeviceChannel* now = &output.channels[i];
            ASSERT_BELOW(palLength(now->force), (i == 0 ? 2.0 : 0.4) * (1.0 + 1e-12));
            ASSERT_BELOW(palLength(now->torque), (i == 0 ? 0.1 : 0.01) * (1.0 + 1e-12));
            if (!waived && !waivedBefore)
                ASSERT_BELOW(palDistance(now->force, last.channels[i].force), 0.5 + 1e-12);
        }
        last = output;
        waivedBefore = waived;
    }
    assert_true(safety.counts.notFinite > 0 && safety.counts.staleDevice > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_within_the_limits_passes_unchanged),
        cmocka_unit_test(a_long_force_is_shortened_in_its_direction),
        cmocka_unit_test(a_sudden_force_arrives_at_the_slew_rate),
        cmocka_unit_test(torque_slews_in_proportion),
        cmocka_unit_test(what_is_not_finite_becomes_zero_at_the_slew_rate),
        cmocka_unit_test(a_stale_snapshot_fades_the_force_and_a_new_one_brings_it_back),
        cmocka_unit_test(a_silent_device_fades_the_force),
        cmocka_unit_test(a_collision_gives_its_whole_impulse_within_the_clamp),
        cmocka_unit_test(the_rest_of_a_collision_keeps_its_direction),
        cmocka_unit_test(what_a_collision_owes_is_bounded_and_ends),
        cmocka_unit_test(a_stale_world_cancels_what_a_collision_owes),
        cmocka_unit_test(a_lowered_limit_holds_from_the_next_step_on),
        cmocka_unit_test(settings_that_make_no_sense_give_no_force),
        cmocka_unit_test(a_device_without_torque_is_no_intervention),
        cmocka_unit_test(device_limits_bound_the_settings),
        cmocka_unit_test(every_channel_is_clamped_and_slewed_by_its_own_limits),
        cmocka_unit_test(stale_data_fade_every_channel),
        cmocka_unit_test(one_bad_number_takes_all_channels_to_zero_at_the_slew_rate),
        cmocka_unit_test(a_channel_that_is_no_longer_asked_for_returns_to_zero),
        cmocka_unit_test(a_device_gets_no_more_channels_than_it_has),
        cmocka_unit_test(garbage_on_six_channels_leaves_safe),
        cmocka_unit_test(whatever_comes_in_what_goes_out_is_safe),
    };
    return RUN(tests);
}

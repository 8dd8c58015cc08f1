// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "device/safety.h"
#include "device/skeleton.h"
#include "math/quat.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static int64_t clockTime; // ns

static int64_t readClock(void)
{
    return clockTime;
}

static palDevice* openWith(palSkeletonSettings settings)
{
    palDriverContext context = palDefaultDriverContext();
    context.home = palMakeVec3(0.1, 0.2, 0.3);
    context.now = readClock;
    palDevice* device;
    assert_int_equal(pal_skeletonDevice.open(&context, &settings, &device, NULL), pal_ok);
    return device;
}

static palDevice* open(void)
{
    return openWith(palDefaultSkeletonSettings());
}

static palDeviceState read(palDevice* device)
{
    palDeviceState state = {.size = sizeof state};
    pal_skeletonDevice.read(device, 0.0, &state);
    return state;
}

// A sample with the palm there, turned by `angle` about z; fingertip i is i + 1 cm further along x.
static palSkeletonSample sampleAt(double time, palVec3 position, double angle, uint32_t buttons)
{
    palQuat turned = palMakeQuatRotationVector(palMakeVec3(0, 0, angle));
    palSkeletonSample sample = {
        .time = time, .position = position, .orientation = turned, .buttons = buttons};
    for (int i = 0; i < pal_deviceFingersMax; i++)
    {
        sample.fingers[i] = palMulAdd(position, 0.01 * (i + 1), palMakeVec3(1, 0, 0));
        sample.fingerOrientations[i] = turned;
    }
    return sample;
}

static void post(palDevice* device, double time, palVec3 position, uint32_t buttons)
{
    palSkeletonSample sample = sampleAt(time, position, 0.0, buttons);
    palSkeleton_Post(device, &sample);
}

static void it_rests_at_its_first_position_until_something_is_posted(void** state)
{
    (void)state;
    palDevice* device = open();
    palDeviceState seen = read(device);
    assert_false(seen.fresh);
    ASSERT_NEAR(seen.position.y, 0.2, 0.0);
    ASSERT_NEAR(seen.orientation.w, 1.0, 0.0);
    assert_int_equal(seen.fingerCount, 0);
    assert_int_equal(seen.features, 0);
    pal_skeletonDevice.close(device);
}

static void a_post_is_fresh_once_and_gives_a_velocity(void** state)
{
    (void)state;
    palDevice* device = open();
    post(device, 1.0, palMakeVec3(0.1, 0.0, 0.0), 0);
    palDeviceState first = read(device);
    assert_true(first.fresh);
    ASSERT_NEAR(first.velocity.x, 0.0, 0.0); // nothing to differ from
    assert_false(read(device).fresh);
    post(device, 1.5, palMakeVec3(0.2, 0.0, 0.0), 5);
    post(device, 2.0, palMakeVec3(0.4, 0.0, 0.0), 2);
    palDeviceState second = read(device);
    assert_true(second.fresh);
    ASSERT_NEAR(second.position.x, 0.4, 0.0); // the newest
    ASSERT_NEAR(second.velocity.x, 0.3, 1e-15);
    assert_int_equal(second.buttons, 2);
    pal_skeletonDevice.close(device);
}

static void six_degrees_of_freedom_fingers_gripper_and_sensor_arrive(void** state)
{
    (void)state;
    palDevice* device = open();
    palSkeletonSample sample = sampleAt(1.0, palMakeVec3(0.1, 0.0, 0.0), 0.2, 0);
    sample.gripperOpening = 0.05;
    palSkeleton_Post(device, &sample);
    read(device);
    sample = sampleAt(1.25, palMakeVec3(0.1, 0.0, 0.2), 0.3, 0);
    sample.gripperOpening = 0.03;
    sample.sensedForce = palMakeVec3(0.5, -1.0, 0.0);
    palSkeleton_Post(device, &sample);
    palDeviceState seen = read(device);
    ASSERT_NEAR(seen.orientation.z, sin(0.15), 1e-15);
    ASSERT_NEAR(seen.angularVelocity.z, 0.4, 1e-14);
    ASSERT_NEAR(seen.velocity.z, 0.8, 1e-14);
    assert_int_equal(seen.fingerCount, 5);
    for (int i = 0; i < 5; i++)
    {
        ASSERT_NEAR(seen.fingers[i].position.x, 0.1 + 0.01 * (i + 1), 1e-15);
        ASSERT_NEAR(seen.fingers[i].velocity.z, 0.8, 1e-14);
        ASSERT_NEAR(seen.fingers[i].orientation.z, sin(0.15), 1e-15);
        ASSERT_NEAR(seen.fingers[i].angularVelocity.z, 0.4, 1e-14);
    }
    assert_int_equal(seen.features, pal_featureGripper | pal_featureForceSensor);
    ASSERT_NEAR(seen.gripperOpening, 0.03, 0.0);
    ASSERT_NEAR(seen.gripperSpeed, -0.08, 1e-14);
    ASSERT_NEAR(seen.sensedForce.y, -1.0, 0.0);
    pal_skeletonDevice.close(device);
}

static void the_state_tells_how_old_it_is(void** state)
{
    (void)state;
    palDevice* device = open();
    ASSERT_NEAR(read(device).age, 0.0, 0.0);
    clockTime = 5000000;
    post(device, 1.0, pal_zeroVec3, 0);
    clockTime = 7000000;
    ASSERT_NEAR(read(device).age, 0.002, 1e-15);
    clockTime = 30000000;
    palDeviceState seen = read(device);
    assert_false(seen.fresh);
    ASSERT_NEAR(seen.age, 0.025, 1e-15);
    pal_skeletonDevice.close(device);
}

static void positions_are_placed_and_scaled_as_the_settings_say(void** state)
{
    (void)state;
    palDevice* device = openWith((palSkeletonSettings){
        .origin = {0.0, 1.0, 0.0}, .scale = 2.0, .buttons = 2, .maxForce = 1.0});
    post(device, 1.0, palMakeVec3(0.1, 0.0, 0.0), 0);
    read(device);
    post(device, 2.0, palMakeVec3(0.1, 0.2, 0.0), 7);
    palDeviceState seen = read(device);
    ASSERT_NEAR(palDistance(seen.position, palMakeVec3(0.2, 1.4, 0.0)), 0.0, 1e-15);
    ASSERT_NEAR(seen.velocity.y, 0.4, 1e-15);
    ASSERT_NEAR(palDistance(seen.fingers[4].position, palMakeVec3(0.3, 1.4, 0.0)), 0.0, 1e-15);
    assert_int_equal(seen.buttons, 3);
    palDeviceLimits limits = {.size = sizeof limits};
    pal_skeletonDevice.limits(device, &limits);
    assert_int_equal(limits.channelCount, 1);
    pal_skeletonDevice.close(device);
}

static void a_position_that_is_not_finite_is_refused(void** state)
{
    (void)state;
    palSkeletonSettings settings = palDefaultSkeletonSettings();
    palDriverContext context = palDefaultDriverContext();
    context.home.x = NAN;
    palDevice* device;
    palError error;
    assert_int_equal(pal_skeletonDevice.open(&context, &settings, &device, &error), pal_errorInput);
    assert_null(device);
}

// What a method asks for on palm, five fingertips and gripper, through the safety layer with the
// limits that the driver tells, to the device's thread.
static void six_channels_and_a_gripper_reach_the_device_within_its_limits(void** state)
{
    (void)state;
    palDevice* device = open();
    palDeviceLimits limits = {.size = sizeof limits};
    pal_skeletonDevice.limits(device, &limits);
    assert_int_equal(limits.channelCount, 6);
    palSafetyDef def = palDefaultSafetyDef();
    def.maxForce = def.maxTorque = NAN;
    def = palLimitSafetyDef(def, &limits);
    palSafety safety = palMakeSafety(&def);
    palDeviceOutput taken = {0};
    assert_false(palSkeleton_Take(device, &taken));
    for (int k = 0; k < 20; k++)
    {
        palDeviceOutput output = {.size = sizeof output, .channelCount = 6, .gripperForce = 40.0};
        for (int i = 0; i < 6; i++)
        {
            output.channels[i].force = palMakeVec3(0.0, i % 2 == 0 ? 40.0 : 1.0 + 0.1 * i, 0.0);
            output.channels[i].torque = palMakeVec3(0.0, 0.0, -1.0);
        }
        const palSafetyStep step = {.dt = 1e-3, .deviceFresh = true};
        palSafety_Apply(&safety, &step, &output);
        pal_skeletonDevice.write(device, &output);
    }
    assert_true(palSkeleton_Take(device, &taken));
    assert_false(palSkeleton_Take(device, &taken)); // each once
    assert_int_equal(taken.channelCount, 6);
    ASSERT_NEAR(taken.gripperForce, 2.5, 1e-12);
    ASSERT_NEAR(taken.channels[0].force.y, 5.0, 1e-12);
    ASSERT_NEAR(taken.channels[0].torque.z, -0.1, 1e-12);
    for (int i = 1; i < 6; i++)
    {
        ASSERT_NEAR(taken.channels[i].force.y, i % 2 == 0 ? 2.5 : 1.0 + 0.1 * i, 1e-12);
        ASSERT_NEAR(taken.channels[i].torque.z, -0.05, 1e-12);
    }
    pal_skeletonDevice.close(device);
}

//--------------------------------------------------------------------------------------------------
// Across threads

typedef struct Poster
{
    palDevice* device;
    atomic_bool done;
    double lastForce; // N, of the newest output that was taken
    bool torn;        // an output had parts of two
} Poster;

enum
{
    posts = 100000,
};

static void takeForce(Poster* poster)
{
    palDeviceOutput output;
    if (!palSkeleton_Take(poster->device, &output))
        return;
    double force = output.gripperForce;
    poster->torn = poster->torn || output.channels[0].force.x != force ||
                   output.channels[5].torque.z != -force || force < poster->lastForce;
    poster->lastForce = force;
}

static void* postMany(void* context)
{
    Poster* poster = context;
    for (int i = 1; i <= posts; i++)
    {
        palSkeletonSample sample = sampleAt(i, palMakeVec3(i, -i, 2 * i), 0.0, (uint32_t)i);
        sample.fingers[4].z = 3.0 * i;
        palSkeleton_Post(poster->device, &sample);
        takeForce(poster);
    }
    atomic_store(&poster->done, true);
    return NULL;
}

// The device's thread posts and takes as fast as it can: every state read is one that was posted,
// none is older than the one before, and the same holds for the forces that it takes.
static void states_and_forces_are_whole_and_in_order_across_threads(void** state)
{
    (void)state;
    Poster poster = {.device = open()};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, postMany, &poster), 0);
    double last = 0.0;
    double written = 0.0;
    bool done;
    do
    {
        done = atomic_load(&poster.done);
        palDeviceState seen = read(poster.device);
        palDeviceOutput output = {.size = sizeof output, .channelCount = 6};
        output.gripperForce = output.channels[0].force.x = ++written;
        output.channels[5].torque.z = -written;
        pal_skeletonDevice.write(poster.device, &output);
        if (!seen.fresh)
            continue;
        double i = seen.position.x;
        assert_true(seen.position.y == -i && seen.position.z == 2 * i && seen.buttons == i);
        assert_true(seen.fingers[4].position.z == 3 * i);
        assert_true(i > last);
        last = i;
    } while (!done);
    pthread_join(thread, NULL);
    takeForce(&poster);
    assert_true(last == posts);
    assert_true(poster.lastForce == written);
    assert_false(poster.torn);
    pal_skeletonDevice.close(poster.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_rests_at_its_first_position_until_something_is_posted),
        cmocka_unit_test(a_post_is_fresh_once_and_gives_a_velocity),
        cmocka_unit_test(six_degrees_of_freedom_fingers_gripper_and_sensor_arrive),
        cmocka_unit_test(the_state_tells_how_old_it_is),
        cmocka_unit_test(positions_are_placed_and_scaled_as_the_settings_say),
        cmocka_unit_test(a_position_that_is_not_finite_is_refused),
        cmocka_unit_test(six_channels_and_a_gripper_reach_the_device_within_its_limits),
        cmocka_unit_test(states_and_forces_are_whole_and_in_order_across_threads),
    };
    return RUN(tests);
}

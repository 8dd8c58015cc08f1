// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "device/target.h"
#include "math/quat.h"

#include <pthread.h>
#include <stdatomic.h>

static palDevice* openTarget(palTargetSettings settings)
{
    palDriverContext context = palDefaultDriverContext();
    palDevice* device;
    assert_int_equal(pal_targetDevice.open(&context, &settings, &device, NULL), pal_ok);
    return device;
}

static palDeviceState readAt(palDevice* device, int step)
{
    palDeviceState state = {.size = sizeof state};
    pal_targetDevice.read(device, 1e-3 * step, &state);
    assert_true(state.fresh);
    return state;
}

static void it_stays_where_it_starts(void** state)
{
    (void)state;
    palTargetSettings settings = palDefaultTargetSettings();
    settings.position = (palVec3){0.1, 0.2, 0.3};
    settings.rotation = (palVec3){0, 0, 90};
    palDevice* device = openTarget(settings);
    for (int step = 0; step < 3; step++)
    {
        palDeviceState seen = readAt(device, step);
        assert_memory_equal(&seen.position, &settings.position, sizeof seen.position);
        ASSERT_NEAR(seen.orientation.w, sqrt(0.5), 1e-15);
        ASSERT_NEAR(seen.orientation.z, sqrt(0.5), 1e-15);
        ASSERT_NEAR(palLength(seen.velocity), 0, 0);
    }
    pal_targetDevice.close(device);
}

static void a_pose_is_reached_evenly_after_the_interval(void** state)
{
    (void)state;
    palTargetSettings settings = palDefaultTargetSettings();
    settings.interval = 0.010;
    palDevice* device = openTarget(settings);
    readAt(device, 0);
    palVec3 goal = {0.001, 0, -0.002};
    palQuat turned = palMakeQuatRotationVector((palVec3){0, 0.5, 0});
    assert_true(palTarget_Post(device, goal, turned));
    for (int step = 1; step <= 10; step++)
    {
        palDeviceState seen = readAt(device, step);
        ASSERT_NEAR(palDistance(seen.position, palScale(0.1 * step, goal)), 0, 1e-15);
        ASSERT_NEAR(palDistance(seen.velocity, palScale(100.0, goal)), 0, 1e-12);
        ASSERT_NEAR(seen.angularVelocity.y, 50.0, 1e-9);
        ASSERT_NEAR(palRotationVector(seen.orientation).y, 0.05 * step, 1e-12);
    }
    palDeviceState seen = readAt(device, 11);
    assert_memory_equal(&seen.position, &goal, sizeof goal);
    ASSERT_NEAR(palLength(seen.velocity), 0, 0);
    pal_targetDevice.close(device);
}

static void a_jump_becomes_a_motion_of_the_largest_speed(void** state)
{
    (void)state;
    palTargetSettings settings = palDefaultTargetSettings();
    settings.maxSpeed = 0.5;
    palDevice* device = openTarget(settings);
    readAt(device, 0);
    assert_true(palTarget_Post(device, (palVec3){0.0012, 0, 0}, pal_identityQuat));
    ASSERT_NEAR(readAt(device, 1).position.x, 0.0005, 1e-15);
    ASSERT_NEAR(readAt(device, 2).position.x, 0.0010, 1e-15);
    ASSERT_NEAR(readAt(device, 3).position.x, 0.0012, 0);
    ASSERT_NEAR(readAt(device, 4).position.x, 0.0012, 0);
    pal_targetDevice.close(device);
}

static void the_last_of_several_poses_counts_and_bad_ones_are_refused(void** state)
{
    (void)state;
    palDevice* device = openTarget(palDefaultTargetSettings());
    readAt(device, 0);
    for (int i = 0; i < 100; i++)
        assert_true(palTarget_Post(device, (palVec3){1e-6 * i, 0, 0}, pal_identityQuat));
    assert_false(palTarget_Post(device, (palVec3){NAN, 0, 0}, pal_identityQuat));
    assert_false(palTarget_Post(device, (palVec3){0, INFINITY, 0}, pal_identityQuat));
    assert_false(palTarget_Post(device, pal_zeroVec3, (palQuat){0}));
    ASSERT_NEAR(readAt(device, 1).position.x, 99e-6, 0);
    pal_targetDevice.close(device);
}

enum
{
    writerCount = 4,
    postsEach = 20000,
};
typedef struct Writer
{
    palDevice* device;
    int number;
    _Atomic int* running;
} Writer;

// Every pose has its number in all three components, so that a mixture shows.
static void* post(void* argument)
{
    Writer* writer = argument;
    for (int i = 1; i <= postsEach; i++)
    {
        double token = 1e-9 * (writer->number * postsEach + i);
        while (!palTarget_Post(writer->device, (palVec3){token, token, token}, pal_identityQuat))
        {
        }
    }
    atomic_fetch_sub(writer->running, 1);
    return NULL;
}

static void threads_that_set_it_at_once_leave_whole_poses(void** state)
{
    (void)state;
    palDevice* device = openTarget(palDefaultTargetSettings());
    _Atomic int running = writerCount;
    pthread_t threads[writerCount];
    Writer writers[writerCount];
    for (int i = 0; i < writerCount; i++)
    {
        writers[i] = (Writer){device, i, &running};
        assert_int_equal(pthread_create(&threads[i], NULL, post, &writers[i]), 0);
    }
    int step = 0;
    while (atomic_load(&running) > 0)
    {
        palVec3 x = readAt(device, ++step).position;
        assert_true(x.x == x.y && x.y == x.z);
    }
    for (int i = 0; i < writerCount; i++)
        pthread_join(threads[i], NULL);
    // The last pose of one of them is left, and all slots but that one are free again.
    double last = readAt(device, step + 1).position.x / 1e-9 / postsEach;
    ASSERT_NEAR(last, round(last), 1e-6);
    assert_true(palTarget_Post(device, pal_zeroVec3, pal_identityQuat));
    pal_targetDevice.close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_stays_where_it_starts),
        cmocka_unit_test(a_pose_is_reached_evenly_after_the_interval),
        cmocka_unit_test(a_jump_becomes_a_motion_of_the_largest_speed),
        cmocka_unit_test(the_last_of_several_poses_counts_and_bad_ones_are_refused),
        cmocka_unit_test(threads_that_set_it_at_once_leave_whole_poses),
    };
    return RUN(tests);
}

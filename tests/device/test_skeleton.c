// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "device/skeleton.h"
#include "math/vec3.h"

#include <pthread.h>
#include <stdatomic.h>

static palDevice* openWith(palSkeletonSettings settings)
{
    palDriverContext context = palDefaultDriverContext();
    context.home = palMakeVec3(0.1, 0.2, 0.3);
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
    palDeviceState state;
    pal_skeletonDevice.read(device, 0.0, &state);
    return state;
}

static void it_rests_at_its_first_position_until_something_is_posted(void** state)
{
    (void)state;
    palDevice* device = open();
    palDeviceState seen = read(device);
    assert_false(seen.fresh);
    ASSERT_NEAR(seen.position.y, 0.2, 0.0);
    ASSERT_NEAR(seen.orientation.w, 1.0, 0.0);
    assert_false(pal_skeletonDevice.limits(device).hasForce);
    pal_skeletonDevice.close(device);
}

static void a_post_is_fresh_once_and_gives_a_velocity(void** state)
{
    (void)state;
    palDevice* device = open();
    palSkeleton_Post(device, 1.0, palMakeVec3(0.1, 0.0, 0.0), 0);
    palDeviceState first = read(device);
    assert_true(first.fresh);
    ASSERT_NEAR(first.velocity.x, 0.0, 0.0); // nothing to differ from
    assert_false(read(device).fresh);
    palSkeleton_Post(device, 1.5, palMakeVec3(0.2, 0.0, 0.0), 5);
    palSkeleton_Post(device, 2.0, palMakeVec3(0.4, 0.0, 0.0), 2);
    palDeviceState second = read(device);
    assert_true(second.fresh);
    ASSERT_NEAR(second.position.x, 0.4, 0.0); // the newest
    ASSERT_NEAR(second.velocity.x, 0.3, 1e-15);
    assert_int_equal(second.buttons, 2);
    pal_skeletonDevice.write(device, palMakeVec3(1, 2, 3), pal_zeroVec3);
    pal_skeletonDevice.close(device);
}

static void positions_are_placed_and_scaled_as_the_settings_say(void** state)
{
    (void)state;
    palDevice* device =
        openWith((palSkeletonSettings){.origin = {0.0, 1.0, 0.0}, .scale = 2.0, .buttons = 2});
    palSkeleton_Post(device, 1.0, palMakeVec3(0.1, 0.0, 0.0), 0);
    read(device);
    palSkeleton_Post(device, 2.0, palMakeVec3(0.1, 0.2, 0.0), 7);
    palDeviceState seen = read(device);
    ASSERT_NEAR(palDistance(seen.position, palMakeVec3(0.2, 1.4, 0.0)), 0.0, 1e-15);
    ASSERT_NEAR(seen.velocity.y, 0.4, 1e-15);
    assert_int_equal(seen.buttons, 3);
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

typedef struct Poster
{
    palDevice* device;
    atomic_bool done;
} Poster;

enum
{
    posts = 200000,
};

static void* postMany(void* context)
{
    Poster* poster = context;
    for (int i = 1; i <= posts; i++)
        palSkeleton_Post(poster->device, i, palMakeVec3(i, -i, 2 * i), (uint32_t)i);
    atomic_store(&poster->done, true);
    return NULL;
}

// Another thread posts as fast as it can: every state read is one that was posted, and none is
// older than the one before.
static void states_are_whole_and_in_order_across_threads(void** state)
{
    (void)state;
    Poster poster = {.device = open()};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, postMany, &poster), 0);
    double last = 0.0;
    bool done;
    do
    {
        done = atomic_load(&poster.done);
        palDeviceState seen = read(poster.device);
        if (!seen.fresh)
            continue;
        double i = seen.position.x;
        assert_true(seen.position.y == -i && seen.position.z == 2 * i && seen.buttons == i);
        assert_true(i > last);
        last = i;
    } while (!done);
    pthread_join(thread, NULL);
    assert_true(last == posts);
    pal_skeletonDevice.close(poster.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_rests_at_its_first_position_until_something_is_posted),
        cmocka_unit_test(a_post_is_fresh_once_and_gives_a_velocity),
        cmocka_unit_test(positions_are_placed_and_scaled_as_the_settings_say),
        cmocka_unit_test(a_position_that_is_not_finite_is_refused),
        cmocka_unit_test(states_are_whole_and_in_order_across_threads),
    };
    return RUN(tests);
}

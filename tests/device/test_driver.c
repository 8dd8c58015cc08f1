// SPDX-License-Identifier: Apache-2.0
// The structs that pass between drivers and who calls them grow at their end: callers and drivers
// of the first version, whose structs are shorter, get and give what they know.
#include "check.h"

#include "device/browser.h"
#include "device/replay.h"
#include "device/simulated.h"
#include "device/skeleton.h"

#include <stdlib.h>
#include <string.h>

enum
{
    guardBytes = 256,
    driverCount = 4,
};

// Every driver, twice opened alike, with something to tell.
static const palDeviceOps* const drivers[driverCount] = {&pal_replayDevice, &pal_simulatedDevice,
                                                         &pal_browserDevice, &pal_skeletonDevice};

static int64_t standingClock(void)
{
    return 1000000000;
}

static palDevice* openDriver(int i, const palTrajectory* path)
{
    const palSimulatedSettings simulated = palDefaultSimulatedSettings();
    const palBrowserSettings browser = palDefaultBrowserSettings();
    const palSkeletonSettings skeleton = palDefaultSkeletonSettings();
    const void* const settings[driverCount] = {NULL, &simulated, &browser, &skeleton};
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = path;
    context.home = palMakeVec3(0.1, 0.2, 0.3);
    context.now = standingClock;
    palDevice* device;
    assert_int_equal(drivers[i]->open(&context, settings[i], &device, NULL), pal_ok);
    if (drivers[i] == &pal_skeletonDevice)
    {
        const palSkeletonSample sample = {.time = 1.0,
                                          .position = {0.3, 0.2, 0.1},
                                          .orientation = pal_identityQuat,
                                          .gripperOpening = 0.05,
                                          .buttons = 3};
        palSkeleton_Post(device, &sample);
    }
    drivers[i]->read(device, 0.0, &(palDeviceState){.size = sizeof(palDeviceState)});
    return device;
}

static palTrajectory* makePath(void)
{
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryLine);
    def.start = palMakeVec3(0.1, 0.2, 0.3), def.end = palMakeVec3(1.0, 0.0, 0.0);
    palTrajectory* path;
    assert_int_equal(palTrajectory_Create(&def, &path, NULL), pal_ok);
    return path;
}

// Memory of exactly `size` bytes that holds a cleared struct, and a guard behind it.
static unsigned char* makeGuarded(size_t size)
{
    unsigned char* bytes = malloc(size + guardBytes);
    assert_non_null(bytes);
    memset(bytes, 0, size);
    memset(bytes + size, 0xA5, guardBytes);
    memcpy(bytes, &size, sizeof size);
    return bytes;
}

static void expectGuard(const unsigned char* bytes, size_t size)
{
    size_t kept;
    memcpy(&kept, bytes, sizeof kept);
    assert_true(kept == size);
    for (int i = 0; i < guardBytes; i++)
        assert_int_equal(bytes[size + (size_t)i], 0xA5);
}

static void an_older_caller_gets_the_state_that_it_has_room_for(void** state)
{
    (void)state;
    palTrajectory* path = makePath();
    const size_t sizes[] = {offsetof(palDeviceState, features), offsetof(palDeviceState, age),
                            offsetof(palDeviceState, fingers), sizeof(palDeviceState)};
    for (int i = 0; i < driverCount; i++)
        for (int k = 0; k < 4; k++)
        {
            palDevice* device = openDriver(i, path);
            palDevice* twin = openDriver(i, path);
            unsigned char* bytes = makeGuarded(sizes[k]);
            palDeviceState whole = {.size = sizeof whole};
            drivers[i]->read(device, 1e-3, (palDeviceState*)bytes);
            drivers[i]->read(twin, 1e-3, &whole);
            expectGuard(bytes, sizes[k]);
            size_t first = offsetof(palDeviceState, position);
            assert_memory_equal(bytes + first, (unsigned char*)&whole + first,
                                offsetof(palDeviceState, fresh) + 1 - first);
            if (k == 3 && drivers[i] == &pal_skeletonDevice)
                assert_int_equal(((palDeviceState*)bytes)->fingerCount, 5);
            free(bytes);
            drivers[i]->close(device);
            drivers[i]->close(twin);
        }
    palTrajectory_Destroy(path);
}

static void an_older_caller_gets_the_limits_that_it_has_room_for(void** state)
{
    (void)state;
    palTrajectory* path = makePath();
    const size_t sizes[] = {offsetof(palDeviceLimits, channelCount), sizeof(palDeviceLimits)};
    for (int i = 0; i < driverCount; i++)
        for (int k = 0; k < 2; k++)
        {
            palDevice* device = openDriver(i, path);
            unsigned char* bytes = makeGuarded(sizes[k]);
            palDeviceLimits whole = {.size = sizeof whole};
            drivers[i]->limits(device, (palDeviceLimits*)bytes);
            drivers[i]->limits(device, &whole);
            expectGuard(bytes, sizes[k]);
            size_t first = offsetof(palDeviceLimits, maxForce);
            assert_memory_equal(bytes + first, (unsigned char*)&whole + first,
                                offsetof(palDeviceLimits, hasForce) + 1 - first);
            free(bytes);
            drivers[i]->close(device);
        }
    palTrajectory_Destroy(path);
}

static void nothing_is_written_into_a_struct_without_a_size(void** state)
{
    (void)state;
    palDeviceState from = {.position = {1, 2, 3}, .fingerCount = 5}, to = {0};
    palDriver_GiveState(&from, &to);
    assert_true(to.position.x == 0.0 && to.fingerCount == 0 && to.size == 0);
}

static void drivers_of_the_library_say_their_size(void** state)
{
    (void)state;
    for (int i = 0; i < driverCount; i++)
        assert_true(drivers[i]->size == sizeof(palDeviceOps));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_caller_gets_the_state_that_it_has_room_for),
        cmocka_unit_test(an_older_caller_gets_the_limits_that_it_has_room_for),
        cmocka_unit_test(nothing_is_written_into_a_struct_without_a_size),
        cmocka_unit_test(drivers_of_the_library_say_their_size),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "device/replay.h"

static palTrajectory* fromCsv(const char* text)
{
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryFile);
    palTrajectory* trajectory;
    assert_int_equal(
        palTrajectory_CreateFromCsv(&def, text, strlen(text), "test.csv", &trajectory, NULL),
        pal_ok);
    return trajectory;
}

static palDevice* open(const palTrajectory* trajectory)
{
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = trajectory;
    palDevice* device;
    assert_int_equal(pal_replayDevice.open(&context, NULL, &device, NULL), pal_ok);
    return device;
}

static void it_follows_the_trajectory_whatever_force_it_gets(void** state)
{
    (void)state;
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectorySine);
    palTrajectory* sine;
    assert_int_equal(palTrajectory_Create(&def, &sine, NULL), pal_ok);
    palDevice* device = open(sine);
    for (int step = 0; step < 500; step++)
    {
        palDeviceState seen = {.size = sizeof seen};
        palVec3 expected;
        palQuat turned;
        pal_replayDevice.read(device, step * 1e-3, &seen);
        palTrajectory_At(sine, step * 1e-3, &expected, &turned);
        assert_memory_equal(&seen.position, &expected, sizeof expected);
        assert_true(seen.fresh);
        const palDeviceOutput output = {
            .size = sizeof output, .channelCount = 1, .channels = {{.force = {100.0, NAN, -3.0}}}};
        pal_replayDevice.write(device, &output);
    }
    palDeviceLimits limits = {.size = sizeof limits, .hasForce = true};
    pal_replayDevice.limits(device, &limits);
    assert_false(limits.hasForce);
    pal_replayDevice.close(device);
    palTrajectory_Destroy(sine);
}

static void velocities_are_backward_differences(void** state)
{
    (void)state;
    // 0.2 m/s along x from 0.1 s on, turning 1 rad/s about y.
    char text[256];
    snprintf(text, sizeof text,
             "t,x,y,z,qw,qx,qy,qz\n0.1,0,0,0,1,0,0,0\n1.1,0.2,0,0,%.17g,0,%.17g,0\n", cos(0.5),
             sin(0.5));
    palTrajectory* trajectory = fromCsv(text);
    palDevice* device = open(trajectory);
    palDeviceState seen = {.size = sizeof seen};
    pal_replayDevice.read(device, 0.05, &seen);
    ASSERT_NEAR(palLength(seen.velocity), 0.0, 0.0);
    pal_replayDevice.read(device, 0.1005, &seen); // half of the step is before the start
    ASSERT_NEAR(seen.velocity.x, 0.1, 1e-12);
    pal_replayDevice.read(device, 0.7, &seen);
    ASSERT_NEAR(seen.velocity.x, 0.2, 1e-12);
    ASSERT_NEAR(seen.angularVelocity.y, 1.0, 1e-10);
    ASSERT_NEAR(seen.angularVelocity.x, 0.0, 1e-10);
    pal_replayDevice.read(device, 2.0, &seen);
    ASSERT_NEAR(palLength(seen.velocity), 0.0, 0.0);
    pal_replayDevice.close(device);
    palTrajectory_Destroy(trajectory);
}

static void it_needs_a_trajectory_and_a_step(void** state)
{
    (void)state;
    palTrajectory* trajectory = fromCsv("t,x,y,z\n0,0,0,0\n");
    const palDriverContext bad[] = {
        {.dt = 1e-3}, {.trajectory = trajectory}, {.trajectory = trajectory, .dt = NAN}};
    for (int i = 0; i < 3; i++)
    {
        palDevice* device;
        palError error = {0};
        assert_int_equal(pal_replayDevice.open(&bad[i], NULL, &device, &error), pal_errorInput);
        assert_null(device);
        assert_true(error.remedy[0] != '\0');
    }
    palTrajectory_Destroy(trajectory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_follows_the_trajectory_whatever_force_it_gets),
        cmocka_unit_test(velocities_are_backward_differences),
        cmocka_unit_test(it_needs_a_trajectory_and_a_step),
    };
    return RUN(tests);
}

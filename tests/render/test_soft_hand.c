// SPDX-License-Identifier: Apache-2.0
// A hand that presses a soft body and then holds still, on every device that is simulated: the loop
// of device, hand and body settles and gives the hand no energy.
#include "../../bench/soft_press.h"
#include "check.h"

#include "device/simulated.h"

static double noPath(const void* user, double t)
{
    (void)user;
    (void)t;
    return -1e-3;
}

typedef struct holding
{
    double variance; // of the force in the last second, N²
    double energy;   // given to the hand in that second, J
    double force;    // mean, N
    double depth;    // mean of the proxy's, m
} holding;

// Down by 8 mm in half a second, then still. The force is watched from 2 s after that on.
static holding holdStill(const palDevicePreset* preset, const char* method, double friction)
{
    palTrajectoryDef path = palDefaultTrajectoryDef(pal_trajectoryPress);
    path.target = palMakeVec3(0.0, 0.0, 0.05);
    path.direction = palMakeVec3(0.0, 0.0, -1.0);
    path.gap = 1e-3;
    path.depth = 8e-3;
    path.speed = 18e-3;
    path.hold = 100.0;
    palTrajectory* trajectory;
    palDevice* device;
    assert_int_equal(palTrajectory_Create(&path, &trajectory, NULL), pal_ok);
    palSimulatedDef simulated = {preset, palDefaultHandDef(), trajectory, 1e-3};
    assert_int_equal(pal_simulatedDevice.open(&simulated, &device, NULL), pal_ok);

    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = 4;
    def.method = method;
    def.friction = friction;
    def.path = noPath;
    def.deviceOps = &pal_simulatedDevice;
    def.device = device;
    palSoftPress press;
    assert_int_equal(palSoftPress_Init(&press, &def, false, NULL), pal_ok);
    const int settling = 2500, watched = 700;
    double sum = 0.0, squares = 0.0;
    holding result = {0};
    palVec3 before = pal_zeroVec3;
    for (int k = 0; k < settling + watched; k++)
    {
        palTickRecord record;
        palLockstep_Step(press.engine, &record);
        assert_true(palIsFinite(record.force));
        if (k >= settling)
        {
            sum += record.force.z;
            squares += record.force.z * record.force.z;
            result.depth += (press.top - record.proxy.z) / watched;
            result.energy += palDot(record.force, palSub(record.device, before));
        }
        before = record.device;
    }
    result.force = sum / watched;
    result.variance = squares / watched - result.force * result.force;
    palSoftPress_Free(&press);
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(trajectory);
    return result;
}

static void aHandHoldingStillSettlesOnEveryDevice(void** state)
{
    (void)state;
    for (int i = 0; palDevicePresetAt(i) != NULL; i++)
    {
        const palDevicePreset* preset = palDevicePresetAt(i);
        holding held = holdStill(preset, "accurate", 0.5);
        assert_true(held.force > 0.1);
        double stiffness = held.force / held.depth;
        double step = stiffness * preset->resolution;
        ASSERT_BELOW(held.variance, 1e-4 + step * step);
        // No growth: nothing is given beyond what one encoder step is worth.
        ASSERT_BELOW(held.energy, held.force * fmax(preset->resolution, 1e-6));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aHandHoldingStillSettlesOnEveryDevice),
    };
    return RUN(tests);
}

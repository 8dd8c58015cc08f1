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
    double variance; // of the force vector while it is watched, N²
    double energy;   // the most given to the hand since the watching began, J
    double force;    // mean of its upward part, N
    double depth;    // mean of the proxy's, m
} holding;

typedef struct experiment
{
    const char* method;
    double friction;
    int cells;   // a side of the block
    double u, v; // m, from the middle of its top
} experiment;

static palTrajectory* pressAt(const experiment* e)
{
    palTrajectoryDef path = palDefaultTrajectoryDef(pal_trajectoryPress);
    path.target = palMakeVec3(e->u, e->v, 0.05);
    path.direction = palMakeVec3(0.0, 0.0, -1.0);
    path.gap = 1e-3;
    path.depth = 8e-3;
    path.speed = 18e-3;
    path.hold = 100.0;
    palTrajectory* trajectory;
    assert_int_equal(palTrajectory_Create(&path, &trajectory, NULL), pal_ok);
    return trajectory;
}

// Down by 8 mm in half a second, then still. The force is watched from 2 s after that on.
static holding watch(palSoftPress* press)
{
    const int settling = 2500, watched = 500;
    holding result = {0};
    palVec3 mean = pal_zeroVec3, before = pal_zeroVec3;
    double squares = 0.0, energy = 0.0;
    for (int k = 0; k < settling + watched; k++)
    {
        palTickRecord record;
        palLockstep_Step(press->engine, &record);
        assert_true(palIsFinite(record.hands[0].force));
        if (k >= settling)
        {
            mean = palMulAdd(mean, 1.0 / watched, record.hands[0].force);
            squares += palLengthSquared(record.hands[0].force) / watched;
            result.depth += (press->top - record.hands[0].proxy.z) / watched;
            energy += palDot(record.hands[0].force, palSub(record.hands[0].device, before));
            result.energy = fmax(result.energy, energy);
        }
        before = record.hands[0].device;
    }
    result.force = mean.z;
    result.variance = squares - palLengthSquared(mean);
    return result;
}

static holding holdStill(const palDevicePreset* preset, const experiment* e)
{
    palTrajectory* trajectory = pressAt(e);
    palDevice* device;
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = trajectory;
    palHumanHandDef hand = palDefaultHumanHandDef();
    assert_int_equal(palSimulated_Open(&context, preset, &hand, &device, NULL), pal_ok);
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = e->cells;
    def.method = e->method;
    def.friction = e->friction;
    def.path = noPath;
    def.deviceOps = &pal_simulatedDevice;
    def.device = device;
    palSoftPress press;
    assert_int_equal(palSoftPress_Init(&press, &def, false, NULL), pal_ok);
    holding result = watch(&press);
    palSoftPress_Free(&press);
    pal_simulatedDevice.close(device);
    palTrajectory_Destroy(trajectory);
    return result;
}

static void checkSettled(const palDevicePreset* preset, const experiment* e)
{
    holding held = holdStill(preset, e);
    assert_true(held.force > 0.5);
    double step = held.force / held.depth * preset->resolution;
    ASSERT_BELOW(held.variance, 1e-4 + step * step);
    // No growth: nothing is given beyond what one encoder step is worth.
    ASSERT_BELOW(held.energy, held.force * fmax(preset->resolution, 1e-6));
}

// In the middle of the top, where the dimple has a node at its bottom, and beside it on a face.
static void settleOnEveryDevice(const char* method, double friction)
{
    for (int i = 0; palDevicePresetAt(i) != NULL; i++)
    {
        bool beside = i % 2 == 1;
        checkSettled(palDevicePresetAt(i), &(experiment){method, friction, 2, beside ? 0.013 : 0.0,
                                                         beside ? 0.007 : 0.0});
    }
}

static void accurateSettlesWithoutFriction(void** state)
{
    (void)state;
    settleOnEveryDevice("accurate", 0.0);
}

static void accurateSettlesWithFriction(void** state)
{
    (void)state;
    settleOnEveryDevice("accurate", 0.5);
}

static void standardSettlesWithoutFriction(void** state)
{
    (void)state;
    settleOnEveryDevice("standard", 0.0);
}

static void standardSettlesWithFriction(void** state)
{
    (void)state;
    SKIP_SLOWED();
    settleOnEveryDevice("standard", 0.5);
}

// A light device that hardly rubs and one with coarse encoders, on the finer block.
static void theFinerBlockIsNoDifferent(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const presets[] = {"premium-1.5", "falcon"};
    for (int i = 0; i < 2; i++)
    {
        const palDevicePreset* preset = palFindDevicePreset(presets[i]);
        checkSettled(preset, &(experiment){"accurate", 0.0, 4, 0.0, 0.0});
        checkSettled(preset, &(experiment){"standard", 0.0, 4, 0.0, 0.0});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accurateSettlesWithoutFriction),
        cmocka_unit_test(accurateSettlesWithFriction),
        cmocka_unit_test(standardSettlesWithoutFriction),
        cmocka_unit_test(standardSettlesWithFriction),
        cmocka_unit_test(theFinerBlockIsNoDifferent),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// Both rates in one thread: which snapshot a tick sees, and that a run repeats bit for bit.
#include "rig.h"

static void startAbovePlane(rig* r, palEngineDef def)
{
    palShapeDef plane = rigPlane();
    rigShape(r, &plane, pal_identityQuat, pal_zeroVec3, 0.2);
    rigStart(r, def, palMakeVec3(0, 0, 0.01));
}

// The tick whose snapshot is in use at tick k, where low-rate steps start every `every` ticks and
// arrive `latency` later; those that would start while one is under way wait for the next turn.
static long expectedSource(long k, long every, long latency)
{
    long stride = (latency + every - 1) / every * every;
    stride = stride > 0 ? stride : every;
    long started = k - latency;
    return started >= 0 ? started / stride * stride : -1;
}

static void the_snapshot_in_use_is_the_one_that_has_had_time_to_arrive(void** state)
{
    (void)state;
    const int cases[][2] = {{33, 5}, {33, 0}, {33, 33}, {10, 1},
                            {1, 0},  {1, 1},  {20, 19}, {10, 25}};
    for (int i = 0; i < 8; i++)
    {
        int every = cases[i][0], latency = cases[i][1];
        palEngineDef def = rigDef("standard");
        def.lowDt = every * def.dt;
        def.latency = latency * def.dt;
        rig r;
        startAbovePlane(&r, def);
        for (long k = 0; k < 300; k++)
        {
            // A low-rate step of tick s sees the state that tick s - 1 left; the first two see the
            // state of time zero.
            long source = expectedSource(k, every, latency);
            long seen = source > 0 ? source - 1 : 0;
            ASSERT_NEAR(rigStep(&r).snapshotAgeMs, (double)(k - seen), 1e-9);
        }
        rigFree(&r);
    }
}

// A step of the hand that touches, slides and leaves.
static palVec3 pathAt(int k)
{
    double t = 1e-3 * k;
    return palMakeVec3(0.05 * t, 0.01 * sin(20 * t), 0.004 * cos(9 * t));
}

static void a_run_repeats_bit_for_bit(void** state)
{
    (void)state;
    for (int i = 0; palMethodAt(i) != NULL; i++)
    {
        if (!rigTakes(palMethodAt(i)->forms[pal_handPoint])) // others have tests of their own
            continue;
        rig r[2];
        for (int j = 0; j < 2; j++)
            startAbovePlane(&r[j], rigDef(palMethodAt(i)->name));
        int touching = 0;
        for (int k = 0; k < 1000; k++)
        {
            palTickRecord records[2];
            for (int j = 0; j < 2; j++)
            {
                r[j].device.position = pathAt(k);
                r[j].device.velocity = palScale(1e3, palSub(pathAt(k), pathAt(k - 1)));
                records[j] = rigStep(&r[j]);
                records[j].stepUs = 0.0;
            }
            assert_memory_equal(&records[0].hands[0].device, &records[1].hands[0].device,
                                sizeof(palVec3));
            assert_memory_equal(&records[0].hands[0].proxy, &records[1].hands[0].proxy,
                                sizeof(palVec3));
            assert_memory_equal(&records[0].hands[0].force, &records[1].hands[0].force,
                                sizeof(palVec3));
            assert_memory_equal(&records[0].hands[0].out, &records[1].hands[0].out,
                                sizeof(palVec3));
            assert_int_equal(records[0].hands[0].active, records[1].hands[0].active);
            assert_int_equal(records[0].hands[0].iterations, records[1].hands[0].iterations);
            touching += records[0].hands[0].active > 0;
        }
        assert_in_range(touching, 100, 900);
        for (int j = 0; j < 2; j++)
            rigFree(&r[j]);
    }
}

// Stops the engine at the first look.
static void stopAtOnce(void* user, palEngine* engine, double done)
{
    double* first = user;
    if (*first == 0.0)
        *first = done;
    atomic_store(&engine->stop, true);
}

static void a_stopped_run_ends_and_can_be_taken_up_again(void** state)
{
    (void)state;
    palEngineDef def = rigDef("standard");
    def.seconds = 3.0;
    rig r;
    startAbovePlane(&r, def);
    double first = 0.0;
    assert_int_equal(palRunLockstep(r.engine, stopAtOnce, &first, NULL), pal_ok);
    assert_int_equal(r.engine->nextTick, 1024);
    ASSERT_NEAR(first, 1024.0 / 3000.0, 1e-12);
    atomic_store(&r.engine->stop, false);
    assert_int_equal(palRunLockstep(r.engine, NULL, NULL, NULL), pal_ok);
    assert_int_equal(r.engine->nextTick, 3000);
    assert_int_equal(r.engine->highStatistics.steps, 3000);
    assert_int_equal(r.device.writes, 3000);
    rigFree(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_snapshot_in_use_is_the_one_that_has_had_time_to_arrive),
        cmocka_unit_test(a_run_repeats_bit_for_bit),
        cmocka_unit_test(a_stopped_run_ends_and_can_be_taken_up_again),
    };
    return RUN(tests);
}

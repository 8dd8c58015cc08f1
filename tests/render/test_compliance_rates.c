// SPDX-License-Identifier: Apache-2.0
// Three rates and the vibrations of a plucked wire.
#include "wire_rig.h"

#include <lapacke.h>

//--------------------------------------------------------------------------------------------------
// A chain of three wires, welded, each in a loop of its own

static wireRigDef third(int which)
{
    wireRigDef def = wireRigRubber();
    def.start = palMakeVec3(0.1 * which, 0, 0);
    def.end = palMakeVec3(0.1 * (which + 1), 0, 0);
    def.elements = 4;
    def.massDamping = 10.0;
    def.stiffnessDamping = 0.002;
    def.loop = 2 - which;
    def.heldStart = which == 0;
    def.hand = which == 2 ? 1 : -1;
    return def;
}

static void makeChain(wireRig* r)
{
    wireRigInit(r);
    for (int i = 0; i < 3; i++)
    {
        wireRigDef def = third(i);
        wireRigAdd(r, &def);
    }
    for (int i = 1; i < 3; i++)
        wireRigJoin(r, pal_linkWeld, i, (palBeamPlace){.element = 0, .s = 0.0}, i - 1,
                    (palBeamPlace){.element = 3, .s = 1.0});
    r->def.lowDt = 0.005;
    r->def.latency = 0.001;
    r->def.furtherCount = 1;
    r->def.furtherDt[0] = 0.033;
    r->def.furtherLatency[0] = 0.002;
    r->def.methodDef.loopCount = 2;
    r->def.methodDef.loopDt[1] = 0.033;
}

static void settle(wireRig* r, palVec3 to)
{
    palTickRecord record;
    for (int k = 1; k <= 500; k++)
    {
        r->device.position = palScale(k / 500.0, to);
        palLockstep_Step(r->engine, &record);
    }
    wireRigRun(r, 3.0);
}

static void three_loops_settle_where_one_wire_does(void** state)
{
    (void)state;
    static const palVec3 places[] = {{0.001, 0.03, 0.0}, {0.0, -0.02, 0.025}};
    for (int k = 0; k < 2; k++)
    {
        wireRig r, whole;
        makeChain(&r);
        wireRigStart(&r);
        settle(&r, places[k]);
        wireRigInit(&whole);
        wireRigDef def = third(0);
        def.end = palMakeVec3(0.3, 0, 0);
        def.elements = 12;
        def.loop = 0;
        def.hand = 1;
        wireRigAdd(&whole, &def);
        wireRigStart(&whole);
        settle(&whole, places[k]);
        for (int i = 0; i <= 12; i++)
        {
            int wire = i / 4 < 3 ? i / 4 : 2;
            palVec3 x = wireRigState(&r, wire)->x[i - 4 * wire];
            ASSERT_BELOW(palDistance(x, wireRigState(&whole, 0)->x[i]),
                         0.01 * palLength(places[k]));
        }
        wireRigFree(&r);
        wireRigFree(&whole);
    }
}

static void each_loop_takes_its_own_steps(void** state)
{
    (void)state;
    wireRig r;
    makeChain(&r);
    r.def.keepRecords = true;
    wireRigStart(&r);
    wireRigRun(&r, 0.99);
    palLowRecord record;
    int steps[2] = {0};
    while (palEngine_TakeLow(r.engine, &record))
        steps[record.loop]++;
    // One before the first tick, then one every 5 and every 33 ms.
    assert_int_equal(steps[0], 1 + 198);
    assert_int_equal(steps[1], 1 + 30);
    assert_int_equal(r.engine->loops[1].statistics.steps, steps[1]);
    wireRigFree(&r);
}

static void runs_repeat_bit_for_bit(void** state)
{
    (void)state;
    palTickRecord last[2];
    for (int k = 0; k < 2; k++)
    {
        wireRig r;
        makeChain(&r);
        wireRigStart(&r);
        r.device.position = palMakeVec3(0.0, 0.001, 0.0);
        last[k] = wireRigRun(&r, 0.3);
        wireRigFree(&r);
    }
    assert_memory_equal(&last[0].hands[0].force, &last[1].hands[0].force,
                        sizeof last[0].hands[0].force);
    assert_memory_equal(&last[0].hands[0].torque, &last[1].hands[0].torque,
                        sizeof last[0].hands[0].torque);
}

// Ends the run once every loop has made several steps, however long that takes.
static void stopAfterSteps(void* user, palEngine* engine, double done)
{
    (void)done;
    int* steps = user; // high rate, first and second loop
    palTickRecord tick;
    palLowRecord low;
    while (palRing_Take(&engine->tickRecords, &tick))
        steps[0]++;
    while (palEngine_TakeLow(engine, &low))
        steps[1 + low.loop]++;
    if (steps[0] >= 300 && steps[1] >= 3 && steps[2] >= 3)
        atomic_store(&engine->stop, true);
}

static void the_loops_run_in_threads_of_their_own(void** state)
{
    (void)state;
    wireRig r;
    palError error;
    int steps[1 + pal_loopsMax] = {0};
    makeChain(&r);
    r.def.keepRecords = true;
    wireRigStart(&r);
    assert_int_equal(palRunRealtime(r.engine, stopAfterSteps, steps, &error), pal_ok);
    assert_true(r.engine->highStatistics.steps >= 300);
    assert_true(r.engine->loops[0].statistics.steps >= 3);
    assert_true(r.engine->loops[1].statistics.steps >= 3);
    wireRigFree(&r);
}

// Every wire is drawn where its loop has it: exactly, once all is at rest.
static void wires_of_every_loop_are_drawn(void** state)
{
    (void)state;
    wireRig r;
    palError error;
    makeChain(&r);
    wireRigStart(&r);
    palReader* reader;
    bool isNew;
    assert_int_equal(palEngine_OpenReader(r.engine, false, &reader, &error), pal_ok);
    settle(&r, palMakeVec3(0.0, 0.02, 0.0));
    const palDrawing* drawing = palReader_Drawing(reader, &isNew);
    assert_true(isNew && drawing != NULL);
    assert_int_equal(drawing->wireCount, 3);
    for (int w = 0; w < 3; w++)
    {
        const palBeamState* truth = wireRigState(&r, w);
        assert_int_equal(drawing->wires[w].nodeCount, 5);
        ASSERT_NEAR(drawing->wires[w].radius, 0.002, 0);
        for (int i = 0; i < 5; i++)
            ASSERT_BELOW(palDistance(drawing->wires[w].positions[i], truth->x[i]), 1e-5);
    }
    wireRigFree(&r);
}

//--------------------------------------------------------------------------------------------------
// A plucked wire

// The lowest natural frequency of a wire clamped at both ends, Hz, from the dense eigenproblem
// K u = ω² M u of the free coordinates.
static double lowestFrequency(const wireRig* r)
{
    enum
    {
        sizeMax = 6 * 21,
    };
    static double K[sizeMax * sizeMax], M[sizeMax * sizeMax];
    double values[sizeMax];
    const palBeamModel* model = r->wires[0].model;
    palBeamState at;
    palBeamWork work;
    palError error;
    assert_int_equal(palBeamState_Init(&at, model, &error), pal_ok);
    assert_int_equal(palBeamWork_Init(&work, model, 0, &error), pal_ok);
    palBeam_Linearise(model, &at, &work);
    int n = 6 * model->nodeCount;
    int size = n - 12;
    for (int j = 0; j < size; j++)
    {
        double x[sizeMax + 12] = {0}, Kx[sizeMax + 12], Mx[sizeMax + 12];
        x[6 + j] = 1.0;
        palBlockTridiagonal_Multiply(&work.K, x, Kx);
        palBlockTridiagonal_Multiply(&work.M, x, Mx);
        for (int i = 0; i < size; i++)
        {
            K[i * size + j] = Kx[6 + i];
            M[i * size + j] = Mx[6 + i];
        }
    }
    assert_int_equal(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', size, K, size, M, size, values),
                     0);
    palBeamWork_Free(&work);
    palBeamState_Free(&at);
    return sqrt(values[0]) / (2.0 * M_PI);
}

// The frequency at which the force on the hand vibrates after a pluck: the peak of its spectrum,
// by the parabola through the three highest values.
static double pluckedFrequency(double theta, double* eigen)
{
    enum
    {
        ticks = 2000,
    };
    static double force[ticks];
    wireRig r;
    wireRigInit(&r);
    wireRigDef def = wireRigRubber();
    def.material = (palMaterial){.young = 6e10, .poisson = 0.3, .density = 6500.0};
    def.radius = 3e-4;
    def.elements = 20;
    def.massDamping = 1.0;
    def.heldStart = true;
    def.hand = 1;
    def.theta = theta;
    wireRigAdd(&r, &def);
    *eigen = lowestFrequency(&r);
    wireRigStart(&r);
    // The hand jerks aside by a tenth of a millimetre and stays.
    r.device.position = palMakeVec3(0.0, 1e-4, 0.0);
    for (int k = 0; k < ticks; k++)
    {
        palTickRecord record;
        palLockstep_Step(r.engine, &record);
        force[k] = record.hands[0].torque.z;
    }
    wireRigFree(&r);
    double mean = 0.0;
    for (int k = 0; k < ticks; k++)
        mean += force[k] / ticks;
    double best = 0.0, largest = -1.0, step = 0.25, power[3] = {0};
    for (double f = 0.5 * *eigen; f < 1.5 * *eigen; f += step)
    {
        power[0] = power[1];
        power[1] = power[2];
        double re = 0.0, im = 0.0;
        for (int k = 0; k < ticks; k++)
        {
            double window = 0.5 - 0.5 * cos(2.0 * M_PI * (k + 0.5) / ticks);
            re += window * (force[k] - mean) * cos(2.0 * M_PI * f * 1e-3 * k);
            im += window * (force[k] - mean) * sin(2.0 * M_PI * f * 1e-3 * k);
        }
        power[2] = re * re + im * im;
        if (power[1] > power[0] && power[1] > power[2] && power[1] > largest)
        {
            double bend = power[0] - 2.0 * power[1] + power[2];
            largest = power[1];
            best = f - step + 0.5 * step * (power[0] - power[2]) / bend;
        }
    }
    return best;
}

static void a_plucked_wire_vibrates_at_backward_eulers_frequency(void** state)
{
    (void)state;
    double eigen;
    const double dt = 1e-3;
    double found = pluckedFrequency(1.0, &eigen);
    double expected = atan(2.0 * M_PI * eigen * dt) / (2.0 * M_PI * dt);
    ASSERT_NEAR(found, expected, 0.02 * expected);
}

static void a_second_order_integrator_keeps_the_frequency(void** state)
{
    (void)state;
    double eigen;
    double found = pluckedFrequency(0.55, &eigen);
    ASSERT_NEAR(found, eigen, 0.01 * eigen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_loops_settle_where_one_wire_does),
        cmocka_unit_test(each_loop_takes_its_own_steps),
        cmocka_unit_test(runs_repeat_bit_for_bit),
        cmocka_unit_test(the_loops_run_in_threads_of_their_own),
        cmocka_unit_test(wires_of_every_loop_are_drawn),
        cmocka_unit_test(a_plucked_wire_vibrates_at_backward_eulers_frequency),
        cmocka_unit_test(a_second_order_integrator_keeps_the_frequency),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// What the engine adds to a method: safety on the way to the device, and a proxy that starts
// outside.
#include "rig.h"

//--------------------------------------------------------------------------------------------------
// A method that gives whatever the test asks for

static palVec3 asked; // N
static bool askedImpulse;

static void giveAsked(palMethod* method, palTick* tick)
{
    (void)method;
    tick->body->x = tick->device.position;
    tick->info.force = asked;
    tick->info.torque = asked;
    tick->info.impulse = askedImpulse;
}

static void startAsking(rig* r, palMethodOps* ops)
{
    palShapeDef plane = rigPlane();
    palEngineDef def = rigDef("standard");
    *ops = pal_methodStandard;
    ops->correct = giveAsked;
    def.hands[0].method = ops;
    asked = pal_zeroVec3;
    askedImpulse = false;
    rigShape(r, &plane, pal_identityQuat, pal_zeroVec3, 0.0);
    rigStart(r, def, palMakeVec3(0, 0, 0.01));
}

static void no_force_reaches_the_device_unless_finite_clamped_and_slew_limited(void** state)
{
    (void)state;
    const double bad[] = {NAN,    INFINITY, -INFINITY, 1e308, -1e308, 1e30,
                          1000.0, -1000.0,  1e-308,    0.0,   3.0,    -3.0};
    const int count = sizeof bad / sizeof bad[0];
    rig r;
    palMethodOps ops;
    startAsking(&r, &ops);
    const palSafetyDef* safety = &r.engine->def.hands[0].safety;
    for (int i = 0; i < count * count * count; i++)
    {
        asked = palMakeVec3(bad[i % count], bad[i / count % count], bad[i / count / count]);
        rigStep(&r);
    }
    assert_true(r.device.finite);
    ASSERT_BELOW(r.device.largest, safety->maxForce * (1 + 1e-12));
    ASSERT_BELOW(r.device.jump, safety->slewRate * r.engine->def.dt * (1 + 1e-9));
    // And something did get through.
    ASSERT_BELOW(0.5 * safety->maxForce, r.device.largest);
    assert_int_equal(r.device.writes, count * count * count);
    assert_true(r.engine->hands[0].safety.counts.notFinite > 0);
    assert_true(r.engine->hands[0].safety.counts.clamped > 0);
    assert_true(r.engine->hands[0].safety.counts.slewed > 0);
    rigFree(&r);
}

static void an_impulse_is_clamped_too(void** state)
{
    (void)state;
    rig r;
    palMethodOps ops;
    startAsking(&r, &ops);
    const double bad[] = {NAN, 1e308, 50.0, -1e30, INFINITY};
    askedImpulse = true;
    for (int i = 0; i < 500; i++)
    {
        asked = palMakeVec3(bad[i % 5], 0, bad[i / 5 % 5]);
        rigStep(&r);
    }
    assert_true(r.device.finite);
    ASSERT_BELOW(r.device.largest, r.engine->def.hands[0].safety.maxForce * (1 + 1e-12));
    rigFree(&r);
}

static void a_stale_snapshot_fades_the_force_to_zero_and_a_new_one_brings_it_back(void** state)
{
    (void)state;
    rig r;
    palMethodOps ops;
    startAsking(&r, &ops);
    const palSafetyDef* safety = &r.engine->def.hands[0].safety;
    asked = palMakeVec3(0, 0, 2.0);
    for (int k = 0; k < 100; k++)
        rigStep(&r);
    ASSERT_NEAR(r.device.force.z, 2.0, 1e-12);

    // The low rate stops: ticks only.
    double t = (double)r.engine->nextTick * r.engine->def.dt;
    double last = r.device.force.z;
    palTickRecord record;
    double end = t + safety->staleAfter + safety->fadeTime + 0.01;
    for (; t < end; t += r.engine->def.dt)
    {
        palEngine_Tick(r.engine, t, &record);
        ASSERT_BELOW(r.device.force.z, last);
        last = r.device.force.z;
        if (record.snapshotAgeMs < 1e3 * safety->staleAfter)
            ASSERT_NEAR(last, 2.0, 1e-12);
    }
    assert_true(r.device.force.z == 0.0);
    assert_true(r.engine->hands[0].safety.counts.staleSnapshot > 0);

    // It starts again.
    for (int k = 0; k < 200; k++, t += r.engine->def.dt)
    {
        if (k % 33 == 0)
        {
            palEngine_LowStep(r.engine, t);
            palEngine_Publish(r.engine);
        }
        palEngine_Tick(r.engine, t, &record);
    }
    ASSERT_NEAR(r.device.force.z, 2.0, 1e-12);
    rigFree(&r);
}

static void a_silent_device_fades_the_force_to_zero(void** state)
{
    (void)state;
    rig r;
    palMethodOps ops;
    startAsking(&r, &ops);
    asked = palMakeVec3(0, 0, 2.0);
    for (int k = 0; k < 100; k++)
        rigStep(&r);
    r.device.silent = true;
    for (int k = 0; k < 320; k++)
        rigStep(&r);
    assert_true(r.device.force.z == 0.0);
    assert_true(r.engine->hands[0].safety.counts.staleDevice > 0);
    rigFree(&r);
}

//--------------------------------------------------------------------------------------------------
// Every method

static void free_motion_never_gains_energy(void** state)
{
    (void)state;
    for (int i = 0; palMethodAt(i) != NULL; i++)
    {
        if (!rigTakes(palMethodAt(i)->forms[pal_handPoint])) // others have tests of their own
            continue;
        palShapeDef plane = rigPlane();
        rig r;
        rigShape(&r, &plane, pal_identityQuat, pal_zeroVec3, 0.3);
        palEngineDef def = rigDef(palMethodAt(i)->name);
        def.hands[0].body.damping = 0.0; // what the integrator loses, it loses without help
        rigStart(&r, def, palMakeVec3(0, 0, 0.5));

        // The device jumps by 30 mm and rests: a stretched spring, far from the surface.
        const palPointModel* body = &def.hands[0].body;
        rigStep(&r);
        r.device.position = palMakeVec3(0.01, 0.02, 0.52);
        double energy = INFINITY;
        for (int k = 0; k < 1000; k++)
        {
            assert_int_equal(rigStep(&r).hands[0].active, 0);
            double stretch = palDistance(r.engine->hands[0].body.x, r.device.position);
            double now = 0.5 * body->mass * palLengthSquared(r.engine->hands[0].body.v) +
                         0.5 * body->stiffness * stretch * stretch;
            ASSERT_BELOW(now, energy * (1 + 1e-12) + 1e-20);
            energy = now;
        }
        rigFree(&r);
    }
}

static void a_proxy_that_starts_inside_is_put_on_the_surface(void** state)
{
    (void)state;
    for (int i = 0; palMethodAt(i) != NULL; i++)
    {
        if (!rigTakes(palMethodAt(i)->forms[pal_handPoint])) // others have tests of their own
            continue;
        palShapeDef box = palDefaultShapeDef(pal_shapeBox);
        rig r;
        rigShape(&r, &box, pal_identityQuat, pal_zeroVec3, 0.0);
        rigStart(&r, rigDef(palMethodAt(i)->name), palMakeVec3(0.01, 0.045, 0.003));
        palVec3 outside = palMakeVec3(0.01, 0.05, 0.003);
        ASSERT_NEAR(palDistance(r.engine->hands[0].body.x, outside), 0.0, 1e-12);
        // And pushes out from the first tick on.
        ASSERT_BELOW(1.0, rigStep(&r).hands[0].force.y);
        rigFree(&r);
    }
}

static void the_run_has_as_many_ticks_as_fit_its_seconds(void** state)
{
    (void)state;
    const double cases[][3] = {{1.0, 1e-3, 1000}, {0.3, 1e-3, 300}, {2.5, 1e-4, 25000},
                               {0.0015, 1e-3, 2}, {1e-3, 1e-3, 1},  {0.7, 0.0007, 1000}};
    for (int i = 0; i < 6; i++)
    {
        palEngine engine = {.def = {.seconds = cases[i][0], .dt = cases[i][1]}};
        ASSERT_NEAR((double)palEngine_TickCount(&engine), cases[i][2], 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_force_reaches_the_device_unless_finite_clamped_and_slew_limited),
        cmocka_unit_test(an_impulse_is_clamped_too),
        cmocka_unit_test(a_stale_snapshot_fades_the_force_to_zero_and_a_new_one_brings_it_back),
        cmocka_unit_test(a_silent_device_fades_the_force_to_zero),
        cmocka_unit_test(free_motion_never_gains_energy),
        cmocka_unit_test(a_proxy_that_starts_inside_is_put_on_the_surface),
        cmocka_unit_test(the_run_has_as_many_ticks_as_fit_its_seconds),
    };
    return RUN(tests);
}

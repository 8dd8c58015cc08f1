// SPDX-License-Identifier: Apache-2.0
// Values that change while a run lasts: contact is kept, the force goes to what a run with the new
// value from the start has, and no step of it is larger than the change explains.
#include "press_scene.h"

enum
{
    changeTick = 1200,
    endTick = 2600,
};

typedef struct seen
{
    double before; // N, the force on the hand at the time of the change
    palVec3 end;   // N, at the end
    double jump;   // N, the largest change from tick to tick from then on
} seen;

typedef void Change(palEngine* engine);

// Presses, changes, and goes on.
static seen press(const char* method, bool isStroke, const char* set, Change* change)
{
    palSession* session = makePress(method, isStroke, set);
    seen s = {0};
    palStep step;
    palVec3 last;
    stepSession(session, changeTick, &step);
    s.before = palLength(step.force);
    last = step.force;
    if (change != NULL)
        change(engineOf(session));
    for (int k = changeTick; k < endTick; k++)
    {
        palSession_Step(session, &step);
        assert_true(step.active > 0);
        s.jump = fmax(s.jump, palDistance(step.force, last));
        last = step.force;
    }
    s.end = step.force;
    palSession_Destroy(session);
    return s;
}

static void doubleYoung(palEngine* engine)
{
    palError error;
    assert_int_equal(palEngine_SetYoung(engine, 0, 50000, &error), pal_ok); // the last one counts
    assert_int_equal(palEngine_SetYoung(engine, 0, 20000, &error), pal_ok);
}

static void stiffen(palEngine* engine)
{
    palError error;
    assert_int_equal(palEngine_SetStiffening(engine, 0, 100, &error), pal_ok);
}

static void addGravity(palEngine* engine)
{
    palError error;
    assert_int_equal(palEngine_SetGravity(engine, palMakeVec3(0, -5, 0), &error), pal_ok);
}

static void halveStiffness(palEngine* engine)
{
    palError error;
    const palCouplingValues wanted = {500, NAN, NAN, NAN};
    assert_int_equal(palEngine_SetCoupling(engine, 0, &wanted, NULL, &error), pal_ok);
}

static void lowerFriction(palEngine* engine)
{
    palError error;
    assert_int_equal(palEngine_SetFriction(engine, 0, 0.1, &error), pal_ok);
}

typedef struct oneChange
{
    Change* change;
    const char* set; // the same from the start
} oneChange;

static const oneChange changesOfPress[] = {
    {doubleYoung, "objects.0.soft.young=20000"},
    {stiffen, "objects.0.soft.stiffening=100"},
    {addGravity, "gravity=[0, -5, 0]"},
    {halveStiffness, "coupling.stiffness=500"},
};

// The way to the new value has pal_changeSteps parts, and the force changes by that part of what it
// changes by in all; an overshoot of a quarter is left to it.
static void checkPress(const char* method)
{
    for (size_t i = 0; i < sizeof changesOfPress / sizeof changesOfPress[0]; i++)
    {
        const oneChange* one = &changesOfPress[i];
        seen changed = press(method, false, NULL, one->change);
        seen truth = press(method, false, one->set, NULL);
        double change = fabs(palLength(changed.end) - changed.before);
        ASSERT_BELOW(0.05, change); // N: there is something to see
        ASSERT_BELOW(palDistance(changed.end, truth.end), 0.005 * palLength(truth.end));
        ASSERT_BELOW(changed.jump, 1.25 * change / pal_changeSteps + truth.jump);
    }
}

static void raiseYoung(palEngine* engine)
{
    palError error;
    assert_int_equal(palEngine_SetYoung(engine, 0, 200000, &error), pal_ok);
}

static void lowerYoung(palEngine* engine)
{
    palError error;
    assert_int_equal(palEngine_SetYoung(engine, 0, 3000, &error), pal_ok);
}

// Far from the value that was: the parts of the way are equal, what they do to the force is not. No
// step of it is larger than the largest part explains, which runs with the values between tell.
static void checkLargeChange(Change* change, double to)
{
    seen changed = press("accurate", false, NULL, change);
    double last = 0.0, part = 0.0, jump = 0.0;
    for (int i = 0; i <= pal_changeSteps; i++)
    {
        char set[64];
        snprintf(set, sizeof set, "objects.0.soft.young=%.9g",
                 10000.0 + i * (to - 10000.0) / pal_changeSteps);
        seen between = press("accurate", false, set, NULL);
        part = i > 0 ? fmax(part, fabs(palLength(between.end) - last)) : 0.0;
        last = palLength(between.end);
        jump = fmax(jump, between.jump);
    }
    print_message("%g kPa: %g N to %g N, largest part %g N, step %g N\n", 1e-3 * to, changed.before,
                  last, part, changed.jump);
    ASSERT_BELOW(fabs(palLength(changed.end) - last), 0.01 * last);
    ASSERT_BELOW(changed.jump, 1.25 * part + jump);
}

static void a_large_change_of_stiffness_is_as_smooth_as_its_parts(void** state)
{
    (void)state;
    SKIP_SLOWED();
    checkLargeChange(raiseYoung, 200000.0);
    checkLargeChange(lowerYoung, 3000.0);
}

// Less friction lets slide what stuck: the most that this sets free at once is Δμ N.
static void checkStroke(const char* method)
{
    seen changed = press(method, true, NULL, lowerFriction);
    seen truth = press(method, true, "objects.0.friction=0.1", NULL);
    seen without = press(method, true, NULL, NULL);
    ASSERT_BELOW(0.02 * palLength(truth.end), palDistance(without.end, truth.end));
    ASSERT_BELOW(palDistance(changed.end, truth.end), 0.005 * palLength(truth.end));
    ASSERT_BELOW(changed.jump, 0.2 * changed.before + fmax(truth.jump, without.jump));
}

static void under_accurate(void** state)
{
    (void)state;
    checkPress("accurate");
    checkStroke("accurate");
}

static void under_standard(void** state)
{
    (void)state;
    checkPress("standard");
    checkStroke("standard");
}

static void under_linear(void** state)
{
    (void)state;
    checkPress("linear");
    checkStroke("linear");
}

static void under_compliance(void** state)
{
    (void)state;
    checkPress("compliance");
    checkStroke("compliance");
}

static void what_makes_no_sense_is_refused(void** state)
{
    (void)state;
    palError error;
    palSession* session = makePress("accurate", false, NULL);
    palEngine* engine = engineOf(session);
    assert_int_equal(palEngine_SetFriction(engine, 1, 0.5, &error), pal_errorInput);
    assert_int_equal(palEngine_SetFriction(engine, 0, -0.5, &error), pal_errorInput);
    assert_int_equal(palEngine_SetYoung(engine, 0, 0.0, &error), pal_errorInput);
    assert_int_equal(palEngine_SetStiffening(engine, 0, -1.0, &error), pal_errorInput);
    assert_int_equal(palEngine_SetGravity(engine, palMakeVec3(NAN, 0, 0), &error), pal_errorInput);
    palSession_Destroy(session);

    session = createSession("sine-static.yaml", NULL, 0);
    assert_int_equal(palEngine_SetYoung(engineOf(session), 0, 1e4, &error), pal_errorInput);
    // A stiffness below zero falls back to the default, with a message.
    palMessages messages = {0};
    const palCouplingValues wanted = {-1, NAN, NAN, NAN};
    assert_int_equal(palEngine_SetCoupling(engineOf(session), 0, &wanted, &messages, &error),
                     pal_ok);
    assert_int_equal(messages.count, 1);
    assert_int_equal(palEngine_SetCoupling(engineOf(session), 1, &wanted, &messages, &error),
                     pal_errorInput); // there is one hand
    assert_true(engineOf(session)->def.hands[0].body.stiffness > 0.0);
    palMessages_Free(&messages);
    palSession_Destroy(session);

    // Contacts of this method have no room for friction where nothing rubs from the start.
    session = makePress("compliance", false, "objects.0.friction=0");
    assert_int_equal(palEngine_SetFriction(engineOf(session), 0, 0.5, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "no room"));
    palSession_Destroy(session);
}

static void the_coupling_keeps_the_limits_of_the_device(void** state)
{
    (void)state;
    palError error;
    palSession* session = createSession("block-soft.yaml", NULL, 0); // a simulated omega.3
    palEngine* engine = engineOf(session);
    double most = engine->changes.limits[0].maxStiffness;
    assert_true(most > 0.0);
    palMessages messages = {0};
    const palCouplingValues wanted = {3.0 * most, NAN, NAN, NAN};
    assert_int_equal(palEngine_SetCoupling(engine, 0, &wanted, &messages, &error), pal_ok);
    assert_true(messages.count > 0);
    ASSERT_BELOW(engine->changes.wanted.couplings[0].stiffness, most);
    palStep step;
    stepSession(session, 2 * pal_changeSteps * 33, &step);
    ASSERT_NEAR(engine->methods.methods[0]->def.body.stiffness,
                engine->changes.wanted.couplings[0].stiffness, 0.0);
    palMessages_Free(&messages);
    palSession_Destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(under_accurate),
        cmocka_unit_test(under_standard),
        cmocka_unit_test(under_linear),
        cmocka_unit_test(under_compliance),
        cmocka_unit_test(a_large_change_of_stiffness_is_as_smooth_as_its_parts),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(the_coupling_keeps_the_limits_of_the_device),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// Soft scenes run whole: on the deformed surface, in balance, repeatable.
#include "scene_session.h"

#include "math/vec3.h"

#include "api/session.h"

static void accurate_stays_on_the_soft_wave_and_standard_does_not(void** state)
{
    (void)state;
    double mean[2], jump[2];
    for (int i = 0; i < 2; i++)
    {
        const char* sets[] = {i == 0 ? "method.name=accurate" : "method.name=standard"};
        palSession* session = createSession("sine-soft.yaml", sets, 1);
        palStep step;
        stepSession(session, 600, &step);
        const palMeasure* measure = palSession_Measure(session);
        assert_true(measure->contactSteps > 300);
        mean[i] = palHistogram_Mean(&measure->surfaceDistance);
        jump[i] = palHistogram_Percentile(&measure->forceJump, 0.99);
        if (i == 0)
            ASSERT_BELOW(measure->surfaceDistance.max, 1e-7);
        palSession_Destroy(session);
    }
    ASSERT_BELOW(1e-4, mean[1]);
    ASSERT_BELOW(5.0 * jump[0], jump[1]);
}

// The force at rest under a hand that came down at `speed` on a block whose surface is so fine that
// a contact description reaches over a millimetre only.
static double forceOnFineSurface(double speed)
{
    char press[160];
    snprintf(press, sizeof press,
             "trajectory={kind: press, object: 0, direction: [0, -1, 0], gap: 0.005, depth: 0.002, "
             "speed: %g, hold: 1}",
             speed);
    const char* sets[] = {
        press,
        "method.radius=0.02",
        "objects.0.shape={kind: box, size: [0.02, 0.02, 0.02], resolution: 100}",
        "objects.0.soft={young: 20000, resolution: 4, fixed: "
        "[{plane: {point: [0, -0.009, 0], normal: [0, 1, 0]}}]}",
    };
    palSession* session = createSession("sine-soft.yaml", sets, 4);
    palStep step;
    stepSession(session, 800, &step);
    palSession_Destroy(session);
    return step.force.y;
}

// The fast ones are held back where the description ends, while the block gives way under them.
static void a_fine_surface_is_not_lost_under_a_fast_hand(void** state)
{
    (void)state;
    double slow = forceOnFineSurface(0.02);
    assert_true(slow > 0.1);
    ASSERT_NEAR(forceOnFineSurface(0.1), slow, 0.01 * slow);
    ASSERT_NEAR(forceOnFineSurface(0.3), slow, 0.01 * slow);
}

// A press on the block that has come to rest: what the hand holds is what the block is pushed with.
static palVec3 restingForce(const char* time)
{
    const char* sets[] = {"device.driver=replay", time};
    palSession* session = createSession("block-soft.yaml", sets, 2);
    palStep step;
    stepSession(session, 1700, &step);
    const palContactReport* last = &palSession_Engine(session)->contacts;
    assert_true(last->count > 0); // the bottom of the dimple is a corner of faces
    palVec3 sum = step.force;
    for (int i = 0; i < last->count; i++)
    {
        const palContactForce* contact = &last->items[i];
        assert_int_equal(contact->object, 0);
        sum = palAdd(sum, contact->force);
        ASSERT_BELOW(palDistance(contact->point, step.proxy), 1e-7);
        ASSERT_NEAR(palLength(contact->normal), 1.0, 1e-12);
        ASSERT_BELOW(0.5, contact->normal.y);
    }
    ASSERT_BELOW(palLength(sum), 1e-3 * palLength(step.force));
    palSession_Destroy(session);
    return step.force;
}

static void what_is_held_at_rest_does_not_depend_on_the_rates(void** state)
{
    (void)state;
    palVec3 base = restingForce("time.low_dt=0.033");
    assert_true(base.y > 0.3);
    palVec3 sooner = restingForce("time.latency=0");
    palVec3 oftener = restingForce("time.low_dt=0.02");
    ASSERT_BELOW(palDistance(sooner, base), 0.02 * base.y);
    ASSERT_BELOW(palDistance(oftener, base), 0.02 * base.y);
}

// How far the block moves within half a second under gravity, untouched, m.
static double swing(const char* start)
{
    const char* sets[] = {"gravity=[0, -9.81, 0]", start, "objects.0.soft.resolution=4",
                          "trajectory={kind: line, start: [0, 0.2, 0], end: [0, 0.2, 0.1]}"};
    palSession* session = createSession("block-soft.yaml", sets, 4);
    const palSoftBody* body = palSession_Bodies(session)->colliders[0].soft;
    size_t bytes = (size_t)body->nodeCount * sizeof(palVec3);
    palVec3* before = malloc(bytes);
    assert_non_null(before);
    memcpy(before, body->x, bytes);
    double farthest = 0.0;
    for (int k = 0; k < 500; k++)
    {
        palStep step;
        palSession_Step(session, &step);
        for (int i = 0; i < body->nodeCount; i++)
            farthest = fmax(farthest, palDistance(body->x[i], before[i]));
    }
    free(before);
    palSession_Destroy(session);
    return farthest;
}

static void a_settled_object_stays_where_it_starts(void** state)
{
    (void)state;
    ASSERT_BELOW(swing("objects.0.soft.start=settled"), 1e-9);
    ASSERT_BELOW(4e-3, swing("objects.0.soft.start=unloaded"));
}

// Also where factors are late.
static void a_soft_run_repeats_bit_for_bit(void** state)
{
    (void)state;
    static const char* const sets[] = {"method.elements_at_once=10000000",
                                       "method.elements_at_once=1"};
    for (int late = 0; late < 2; late++)
    {
        palStep steps[2];
        for (int i = 0; i < 2; i++)
        {
            palSession* session = createSession("statue-soft.yaml", &sets[late], 1);
            stepSession(session, 900, &steps[i]);
            const palEngine* engine = palSession_Engine(session);
            assert_int_equal(engine->loops[0].statistics.factorAge.count > 0, late);
            palSession_Destroy(session);
        }
        assert_true(palLength(steps[0].force) > 0.0);
        assert_memory_equal(&steps[0].force, &steps[1].force, sizeof steps[0].force);
        assert_memory_equal(&steps[0].proxy, &steps[1].proxy, sizeof steps[0].proxy);
    }
}

// A stroke over the soft wave with late factors feels as with a factor a step.
static void late_factors_feel_the_same(void** state)
{
    (void)state;
    const char* late[] = {"method.elements_at_once=1", "method.name=accurate"};
    const char* prompt[] = {"method.elements_at_once=10000000", "method.name=accurate"};
    palSession* sessions[2] = {createSession("sine-soft.yaml", late, 2),
                               createSession("sine-soft.yaml", prompt, 2)};
    double difference = 0.0, size = 0.0;
    for (int k = 0; k < 1200; k++)
    {
        palStep steps[2];
        for (int i = 0; i < 2; i++)
            palSession_Step(sessions[i], &steps[i]);
        difference += palLengthSquared(palSub(steps[0].force, steps[1].force));
        size += palLengthSquared(steps[1].force);
    }
    assert_true(difference > 0.0);
    ASSERT_BELOW(sqrt(difference / size), 0.05);
    for (int i = 0; i < 2; i++)
        palSession_Destroy(sessions[i]);
}

static void penalty_touches_soft_objects_too(void** state)
{
    (void)state;
    const char* sets[] = {"method.name=penalty"};
    palSessionDef def = palDefaultSessionDef();
    def.scene = PAL_SOURCE_DIR "/scenes/block-soft.yaml";
    def.sets = sets;
    def.setCount = 1;
    palSession* session;
    palError error = {0};
    assert_int_equal(palSession_Create(&def, &session, &error), pal_ok);
    palStep step;
    for (int k = 0; k < 2000; k++)
        palSession_Step(session, &step);
    assert_true(palLength(step.force) > 0.5);
    palSession_Destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accurate_stays_on_the_soft_wave_and_standard_does_not),
        cmocka_unit_test(a_fine_surface_is_not_lost_under_a_fast_hand),
        cmocka_unit_test(what_is_held_at_rest_does_not_depend_on_the_rates),
        cmocka_unit_test(a_settled_object_stays_where_it_starts),
        cmocka_unit_test(a_soft_run_repeats_bit_for_bit),
        cmocka_unit_test(late_factors_feel_the_same),
        cmocka_unit_test(penalty_touches_soft_objects_too),
    };
    return RUN(tests);
}

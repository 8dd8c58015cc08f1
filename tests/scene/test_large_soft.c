// SPDX-License-Identifier: Apache-2.0
// Soft objects of more than `method.elements_at_once` elements under the methods that hold a tool:
// with factors that come late the hand feels what it feels with a factor a step.
#include "scene_session.h"

#include "math/vec3.h"

#include "api/session.h"

static const char* const late = "method.elements_at_once=2000"; // of 2560
static const char* const prompt = "method.elements_at_once=10000000";

static palSession* makePress(const char* method, const char* factors)
{
    const char* sets[] = {method, factors,
                          "trajectory={kind: press, target: [0, 0.06, 0], direction: [0, -1, 0], "
                          "gap: 0.005, depth: 0.005, speed: 0.02, hold: 10}"};
    return createSession("tool-block.yaml", sets, 3);
}

// The mean force over the next steps, N.
static palVec3 meanForce(palSession* session, int steps)
{
    palVec3 sum = pal_zeroVec3;
    for (int k = 0; k < steps; k++)
    {
        palStep step;
        palSession_Step(session, &step);
        sum = palAdd(sum, step.force);
    }
    return palScale(1.0 / steps, sum);
}

static palVec3* copyNodes(const palSoftBody* body)
{
    palVec3* x = malloc((size_t)body->nodeCount * sizeof *x);
    assert_non_null(x);
    memcpy(x, body->x, (size_t)body->nodeCount * sizeof *x);
    return x;
}

// Pressed by 5 mm and held: the force, how it changes within half a second, and how far a node
// goes in that time.
static palVec3 forceAtRest(const char* method, const char* factors)
{
    palSession* session = makePress(method, factors);
    const palEngine* engine = palSession_Engine(session);
    const palSoftBody* body = palSession_Bodies(session)->colliders[0].soft;
    palStep step;
    stepSession(session, 1700, &step);
    palVec3* before = copyNodes(body);
    palVec3 first = meanForce(session, 100);
    stepSession(session, 300, &step);
    palVec3 last = meanForce(session, 100);
    double creep = 0.0;
    for (int i = 0; i < body->nodeCount; i++)
        creep = fmax(creep, palDistance(body->x[i], before[i]));
    print_message("%s, %s: %.4f N, changed by %.1e N, nodes by %.1e m\n", method, factors, last.y,
                  palDistance(first, last), creep);
    ASSERT_BELOW(palDistance(first, last), 0.01 * palLength(last));
    ASSERT_BELOW(creep, 1e-4);
    assert_int_equal(engine->loops[0].statistics.factorAge.count > 0, factors == late);
    assert_int_equal(engine->loops[0].failures, 0);
    free(before);
    palSession_Destroy(session);
    return last;
}

static void late_factors_press_back_with_the_same_force(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const methods[] = {"method.name=linear", "method.name=coupling",
                                          "method.name=compliance"};
    for (int i = 0; i < 3; i++)
    {
        palVec3 expected = forceAtRest(methods[i], prompt);
        palVec3 force = forceAtRest(methods[i], late);
        ASSERT_BELOW(1.0, expected.y);
        ASSERT_NEAR(force.y, expected.y, 0.01 * expected.y);
        // Across it friction holds what the way there left.
        ASSERT_BELOW(palDistance(force, expected), 0.03 * expected.y);
    }
}

// While it strokes the block, too.
static void a_stroke_with_late_factors_feels_the_same(void** state)
{
    (void)state;
    SKIP_SLOWED();
    const char* sets[2][1] = {{late}, {prompt}};
    palSession* sessions[2];
    double difference = 0.0, size = 0.0;
    for (int i = 0; i < 2; i++)
        sessions[i] = createSession("tool-block.yaml", sets[i], 1);
    for (int k = 0; k < 2500; k++)
    {
        palStep steps[2];
        for (int i = 0; i < 2; i++)
            palSession_Step(sessions[i], &steps[i]);
        difference += palLengthSquared(palSub(steps[0].force, steps[1].force));
        size += palLengthSquared(steps[1].force);
    }
    print_message("forces differ by %.2e\n", sqrt(difference / size));
    assert_true(difference > 0.0);
    ASSERT_BELOW(sqrt(difference / size), 0.02);
    for (int i = 0; i < 2; i++)
        palSession_Destroy(sessions[i]);
}

static void a_run_with_late_factors_repeats_bit_for_bit(void** state)
{
    (void)state;
    static const char* const methods[] = {"method.name=linear", "method.name=compliance"};
    for (int m = 0; m < 2; m++)
    {
        palStep steps[2];
        for (int i = 0; i < 2; i++)
        {
            palSession* session = makePress(methods[m], late);
            stepSession(session, 600, &steps[i]);
            palSession_Destroy(session);
        }
        ASSERT_BELOW(0.1, palLength(steps[0].force));
        assert_memory_equal(&steps[0].force, &steps[1].force, sizeof steps[0].force);
        assert_memory_equal(&steps[0].proxy, &steps[1].proxy, sizeof steps[0].proxy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_factors_press_back_with_the_same_force),
        cmocka_unit_test(a_stroke_with_late_factors_feels_the_same),
        cmocka_unit_test(a_run_with_late_factors_repeats_bit_for_bit),
    };
    return RUN(tests);
}

// SPDX-License-Identifier: Apache-2.0
// Soft objects that lie on other objects, under the point methods: they rest, and what lies below
// carries what the hand presses, whatever the rates.
#include "scene_session.h"

// A block that is held at its bottom, its top at y = 0, and a free cube of 50 mm 10 mm above it.
static const char sceneText[] =
    "palpate: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "time: {seconds: 10, dt: 0.001, low_dt: %g, latency: %g}\n"
    "method: {name: %s, radius: 0.02}\n"
    "trajectory: {kind: path, points: [%s]}\n"
    "objects:\n"
    "  - {name: block, shape: {kind: box, size: [0.1, 0.05, 0.1]}, position: [0, -0.025, 0],"
    " friction: 0.3%s}\n"
    "  - {name: cube, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [0, 0.035, 0],"
    " friction: 0.3, soft: {young: 10000, poisson: 0.3, elements: tets, resolution: 4, start: "
    "unloaded}}\n";

static const char softBlock[] = ", soft: {young: 20000, poisson: 0.3, elements: tets, resolution: "
                                "5, fixed: [{nodes: ymin}]}";
static const char away[] = "{t: 0, at: [0.002, 0.2, 0.003]}, {t: 10, at: [0.002, 0.2, 0.003]}";
// Down on the cube once it lies, there 2 mm up and down at 5 Hz, and held.
static const char pressing[] =
    "{t: 0, at: [0.002, 0.06, 0.003]}, {t: 0.6, at: [0.002, 0.06, 0.003]},"
    " {t: 1.1, at: [0.002, 0.043, 0.003]}, {t: 1.5, at: [0.002, 0.043, 0.003]},"
    " {t: 1.6, at: [0.002, 0.041, 0.003]}, {t: 1.7, at: [0.002, 0.043, 0.003]},"
    " {t: 1.8, at: [0.002, 0.041, 0.003]}, {t: 1.9, at: [0.002, 0.043, 0.003]}";

static palSession* makeSession(const char* method, const char* block, const char* path,
                               double lowDt, double latency)
{
    char text[4096];
    snprintf(text, sizeof text, sceneText, lowDt, latency, method, path, block);
    return startScene(text);
}

typedef struct state
{
    palVec3 centre, velocity; // of mass
    double mass;
    double lowest; // m, of its nodes
} state;

static state stateOf(const palSession* session, int object)
{
    const palSoftBody* body = palSession_Bodies(session)->colliders[object].soft;
    state sum = {.lowest = INFINITY};
    for (int i = 0; i < body->nodeCount; i++)
    {
        sum.centre = palMulAdd(sum.centre, body->mass[i], body->x[i]);
        sum.velocity = palMulAdd(sum.velocity, body->mass[i], body->v[i]);
        sum.mass += body->mass[i];
        sum.lowest = fmin(sum.lowest, body->x[i].y);
    }
    sum.centre = palScale(1.0 / sum.mass, sum.centre);
    sum.velocity = palScale(1.0 / sum.mass, sum.velocity);
    return sum;
}

static void run(palSession* session, double seconds, palStep* step)
{
    double until = step->t + seconds - 1e-9;
    while (step->t < until)
        palSession_Step(session, step);
}

// Dropped by 10 mm it comes to rest and stays: the centre of mass neither creeps nor sinks.
static void checkRest(const char* method, const char* block)
{
    palSession* session = makeSession(method, block, away, 0.033, 0.033);
    palStep step = {0};
    run(session, 2.0, &step);
    state first = stateOf(session, 1);
    run(session, 2.0, &step);
    state last = stateOf(session, 1);
    ASSERT_BELOW(palDistance(first.centre, last.centre), 5e-5);
    ASSERT_BELOW(palLength(last.velocity), 1e-3);
    // It carries its weight with a little of its height, and is not in the block.
    ASSERT_BELOW(0.02, last.centre.y);
    ASSERT_BELOW(last.centre.y, 0.026);
    ASSERT_BELOW(-0.003, last.lowest);
    palSession_Destroy(session);
}

static void a_soft_cube_rests_on_a_soft_block(void** s)
{
    (void)s;
    checkRest("accurate", softBlock);
    checkRest("standard", softBlock);
    checkRest("penalty", softBlock);
}

// With factors that come late: of the block, and of both.
static void a_soft_cube_rests_on_a_large_block(void** s)
{
    (void)s;
    checkRest("accurate, elements_at_once: 400", softBlock);
    checkRest("accurate, elements_at_once: 1", softBlock);
}

// Each update brings the contacts between the two; together they carry the cube.
static void checkReport(const char* method)
{
    palSession* session = makeSession(method, softBlock, away, 0.033, 0.033);
    const palEngine* engine = palSession_Engine(session);
    palStep step = {0};
    run(session, 3.0, &step);
    double weight = 9.81 * stateOf(session, 1).mass;
    int updates = 0;
    for (int k = 0; k < 100; k++)
    {
        palVec3 onBlock = pal_zeroVec3;
        palSession_Step(session, &step);
        for (int i = 0; i < engine->contacts.count; i++)
        {
            const palContactForce* contact = &engine->contacts.items[i];
            assert_int_equal(contact->hand, -1);
            assert_true(palDot(contact->force, contact->normal) < 0.0);
            assert_int_equal(contact->object + contact->other, 1);
            onBlock = palMulAdd(onBlock, contact->object == 0 ? 1.0 : -1.0, contact->force);
        }
        updates += engine->contacts.count > 0;
        if (engine->contacts.count > 0)
            ASSERT_NEAR(palDistance(onBlock, palMakeVec3(0, -weight, 0)), 0.0, 0.01 * weight);
    }
    assert_in_range(updates, 3, 4);
    palSession_Destroy(session);
}

static void contacts_between_objects_are_reported(void** s)
{
    (void)s;
    checkReport("accurate");
    checkReport("accurate, elements_at_once: 1");
}

static void a_soft_cube_rests_on_a_static_block(void** s)
{
    (void)s;
    checkRest("accurate", "");
    checkRest("standard", "");
}

static void what_is_pressed_on_another_body_is_felt_as_at_one_rate(void** s)
{
    (void)s;
    SKIP_SLOWED();
    palSession* fast = makeSession("accurate", softBlock, pressing, 0.001, 0.0);
    palSession* slow = makeSession("accurate", softBlock, pressing, 0.033, 0.033);
    palSession* half = makeSession("standard", softBlock, pressing, 0.033, 0.033);
    palStep a = {0}, b = {0}, c = {0};
    // From where the hand has pressed in: at rest, up and down at 5 Hz, and at rest again.
    run(fast, 1.05, &a);
    run(slow, 1.05, &b);
    run(half, 1.05, &c);
    for (int k = 0; k < 23; k++)
    {
        run(fast, 0.05, &a);
        run(slow, 0.05, &b);
        run(half, 0.05, &c);
        ASSERT_BELOW(0.5, a.force.y);
        ASSERT_NEAR(b.force.y, a.force.y, 0.03 * a.force.y);
        ASSERT_NEAR(c.force.y, a.force.y, 0.03 * a.force.y);
    }
    palSession_Destroy(fast);
    palSession_Destroy(slow);
    palSession_Destroy(half);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_soft_cube_rests_on_a_soft_block),
        cmocka_unit_test(a_soft_cube_rests_on_a_static_block),
        cmocka_unit_test(a_soft_cube_rests_on_a_large_block),
        cmocka_unit_test(contacts_between_objects_are_reported),
        cmocka_unit_test(what_is_pressed_on_another_body_is_felt_as_at_one_rate),
    };
    return RUN(tests);
}

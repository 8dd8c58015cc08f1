// SPDX-License-Identifier: Apache-2.0
// Soft objects that start at rest with what they lie on and hang from, under methods of all kinds.
#include "scene_session.h"

#include "runtime/engine.h"

#define AWAY "trajectory: {kind: line, start: [0, 0.5, 0], end: [0, 0.5, 0.01], speed: 0.001}\n"
#define TOOL AWAY "tool: {shape: {kind: sphere, radius: 0.005, resolution: 6}}\n"

static const char header[] =
    "palpate: 1\ngravity: [0, -9.81, 0]\ntime: {seconds: 4, dt: 0.001, low_dt: 0.033}\nmethod: "
    "{name: %s, radius: 0.02}\n%sobjects:\n%s";

#define SOFT_CUBE(y)                                                                               \
    "  - {name: cube, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [0, " y ", 0],"      \
    " friction: 0.3, soft: {young: 10000, poisson: 0.3, elements: tets, resolution: 4}}\n"

static const char cubeOnBlock[] =
    "  - {name: block, shape: {kind: box, size: [0.1, 0.05, 0.1]}, position: [0, -0.025, 0],"
    " friction: 0.3, soft: {young: 20000, poisson: 0.3, elements: tets, resolution: 5, fixed: "
    "[{nodes: ymin}]}}\n" SOFT_CUBE("0.026");

static palSession* makeSession(const char* method, const char* hand, const char* objects)
{
    char text[4096];
    snprintf(text, sizeof text, header, method, hand, objects);
    return startScene(text);
}

static const palSoftBody* bodyOf(const palSession* session, int object)
{
    return palSession_Bodies(session)->colliders[object].soft;
}

static palVec3 centreOf(const palSoftBody* body)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < body->nodeCount; i++)
        sum = palMulAdd(sum, body->mass[i], body->x[i]);
    return palScale(1.0 / palSoftBody_Mass(body), sum);
}

// Whether a message contains the text.
static bool says(const palSession* session, const char* text, const char* remedy)
{
    bool isWarning;
    for (int i = 0;; i++)
    {
        const palError* message = palSession_Message(session, i, &isWarning);
        if (message == NULL)
            return false;
        if (strstr(message->text, text) != NULL && strstr(message->remedy, remedy) != NULL)
            return message->line > 0;
    }
}

// Every report of the contacts between the two has the weight, and nothing moves for two seconds.
static void checkRest(const char* method, const char* hand)
{
    palSession* session = makeSession(method, hand, cubeOnBlock);
    const palEngine* engine = palSession_Engine(session);
    const palSoftBody* cube = bodyOf(session, 1);
    double weight = 9.81 * palSoftBody_Mass(cube);
    palVec3 start = centreOf(cube);
    double worst = 0.0, farthest = 0.0;
    int reports = 0;
    assert_false(says(session, "overlap", ""));
    for (int k = 0; k < 2000; k++)
    {
        palStep step;
        palVec3 onCube = pal_zeroVec3;
        palSession_Step(session, &step);
        for (int i = 0; i < engine->contacts.count; i++)
        {
            const palContactForce* contact = &engine->contacts.items[i];
            onCube = palMulAdd(onCube, contact->object == 1 ? 1.0 : -1.0, contact->force);
        }
        farthest = fmax(farthest, palDistance(centreOf(cube), start));
        reports += engine->contacts.count > 0;
        if (engine->contacts.count > 0)
            worst = fmax(worst, palDistance(onCube, palMakeVec3(0, weight, 0)) / weight);
    }
    print_message("%-10s %d reports, force off by %.2g of the weight, moved %.2g um\n", method,
                  reports, worst, 1e6 * farthest);
    assert_true(reports >= 59);
    ASSERT_BELOW(worst, 0.01);
    ASSERT_BELOW(farthest, 1e-5);
    palSession_Destroy(session);
}

static void a_cube_rests_on_a_block_under_every_method(void** state)
{
    (void)state;
    SKIP_SLOWED();
    checkRest("accurate", AWAY);
    checkRest("standard", AWAY);
    checkRest("linear", TOOL);
    checkRest("compliance", TOOL);
}

static void what_falls_is_warned_about_and_the_others_rest(void** state)
{
    (void)state;
    palSession* session = makeSession(
        "accurate", AWAY,
        "  - {name: block, shape: {kind: box, size: [0.1, 0.05, 0.1]}, position: [0, -0.025, 0]}\n"
        "  - {name: loose, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [0.5, 0, 0],"
        " soft: {elements: tets, resolution: 2}}\n" SOFT_CUBE("0.026"));
    assert_true(says(session,
                     "loose cannot start at rest: nothing holds it, and nothing is below it",
                     "soft.start: unloaded"));
    assert_true(says(session, "cube sags by ", ""));
    const palSoftBody* loose = bodyOf(session, 1);
    assert_memory_equal(loose->x, loose->rest, (size_t)loose->nodeCount * sizeof *loose->x);
    palSession_Destroy(session);
}

static void what_overlaps_is_warned_about(void** state)
{
    (void)state;
    palSession* session = makeSession(
        "accurate", AWAY,
        "  - {name: block, shape: {kind: box, size: [0.1, 0.05, 0.1]}, position: [0, -0.025, 0]}\n"
        "  - {name: cube, shape: {kind: box, size: [0.05, 0.05, 0.05]}, position: [0, 0.02, 0], "
        "soft: {elements: tets, resolution: 4, fixed: [{nodes: ymax}]}}\n");
    assert_true(says(session, "cube and block overlap at the start", "move them apart"));
    palSession_Destroy(session);
}

// A bar that is joined to the world at its end and lies on nothing turns down and hangs there.
static void what_is_joined_hangs(void** state)
{
    (void)state;
    SKIP_SLOWED();
    palSession* session = makeSession(
        "accurate", AWAY,
        "  - {name: bar, shape: {kind: box, size: [0.1, 0.02, 0.02]}, position: [0.05, 0, 0], "
        "soft: {young: 1.0e+6, elements: tets, resolution: 10}}\njoints:\n  - {kind: hinge, body: "
        "bar, to: world, point: [0, 0, 0], axis: [0, 0, 1], radius: 0.0145}\n");
    palVec3 centre = centreOf(bodyOf(session, 0));
    palStep step;
    stepSession(session, 1000, &step);
    palVec3 later = centreOf(bodyOf(session, 0));
    print_message("hangs at %.4f %.4f %.4f, moves by %.2g um\n", centre.x, centre.y, centre.z,
                  1e6 * palDistance(centre, later));
    ASSERT_NEAR(centre.x, 0.0, 1e-5);
    ASSERT_NEAR(centre.y, -0.05, 1e-3);
    ASSERT_BELOW(palDistance(centre, later), 1e-5);
    palSession_Destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_rests_on_a_block_under_every_method),
        cmocka_unit_test(what_falls_is_warned_about_and_the_others_rest),
        cmocka_unit_test(what_overlaps_is_warned_about),
        cmocka_unit_test(what_is_joined_hangs),
    };
    return RUN(tests);
}

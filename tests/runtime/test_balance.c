// SPDX-License-Identifier: Apache-2.0
// Whether the force on a hand at rest is explained by contacts, weight and what it holds.
#include "scene_session.h"

#include "runtime/balance.h"
#include "runtime/engine.h"

// A hand that rests with this force, is told of these contacts, and carries a weight of 2 N.
static double judge(double force, int contacts, double each, int dropped, bool reports)
{
    palContactForce items[4] = {{0}};
    palContactReport report = {
        .items = items, .capacity = 4, .count = contacts, .dropped = dropped};
    for (int i = 0; i < contacts; i++)
        items[i] = (palContactForce){.hand = 1, .force = {0.0, -each, 0.0}};
    palHighInfo info = {
        .force = {0.0, force, 0.0}, .carried = {0.0, -2.0, 0.0}, .contacts = &report};
    palBalanceTick tick = {.hand = 1, .info = &info, .reports = reports};
    palBalance balance = {.hasBegun = false};
    double last = NAN;
    for (int k = 0; k < 300; k++)
    {
        tick.t = 1e-3 * k;
        last = palBalance_Judge(&balance, &tick);
        if (k < 200)
            assert_true(isnan(last)); // it is not known to be at rest yet
    }
    return last;
}

static void a_force_at_rest_is_contacts_and_weight(void** state)
{
    (void)state;
    ASSERT_NEAR(judge(1.0, 3, 1.0, 0, true), 0.0, 1e-12);
    ASSERT_NEAR(judge(1.06, 3, 1.0, 0, true), 0.06, 1e-12);
    ASSERT_NEAR(judge(0.0, 0, 0.0, 0, true), 2.0, 1e-12);
    // Contacts that found no room, or are not told in this tick, are not known.
    assert_true(isnan(judge(1.0, 3, 1.0, 1, true)));
    assert_true(isnan(judge(1.0, 3, 1.0, 0, false)));
}

static void a_hand_that_moves_is_not_judged(void** state)
{
    (void)state;
    palContactReport report = {0};
    palHighInfo info = {.force = {5.0, 0.0, 0.0}, .contacts = &report};
    palBalanceTick tick = {.info = &info, .reports = true};
    palBalance balance = {.hasBegun = false};
    for (int k = 0; k < 1000; k++)
    {
        tick.t = 1e-3 * k;
        tick.proxy.x = 1e-3 * 1e-3 * k; // 1 mm/s
        assert_true(isnan(palBalance_Judge(&balance, &tick)));
    }
}

//--------------------------------------------------------------------------------------------------
// Methods

typedef struct Case
{
    const char* method;
    const char* hand;
    const char* objects;
} Case;

// clang-format off
#define TOOL "tool: {shape: {kind: box, size: [0.02, 0.02, 0.02]}, mass: 0.05}\n"
#define FIXED "objects:\n  - {name: table, shape: {kind: box, size: [0.1, 0.02, 0.1], " \
    "resolution: 4}, position: [0, -0.01, 0], friction: 0.4}\n"
#define SOFT "objects:\n  - {name: block, shape: {kind: box, size: [0.06, 0.03, 0.06]}, " \
    "position: [0, -0.015, 0], friction: 0.5, soft: {young: 20000, elements: tets, " \
    "resolution: 2, fixed: [{nodes: ymin}]}}\n"
#define BOX "  - {name: box, shape: {kind: box, size: [0.04, 0.02, 0.04]}, " \
    "position: [0, 0.01, 0], friction: 0.4, motion: free, mass: 0.2}\n"
// clang-format on

// Pressed down at an angle and held there: what the hand feels is judged, and explained.
static void check(const Case* it)
{
    char text[2048];
    bool isFree = strstr(it->objects, "free") != NULL;
    double y = (it->hand[0] != '\0' ? 0.012 : 0.002) + (isFree ? 0.02 : 0.0);
    snprintf(text, sizeof text,
             "palpate: 1\ngravity: [0, -9.81, 0]\nmethod: {name: %s}\ntime: {seconds: 2, low_dt: "
             "0.02}\ncoupling: {stiffness: 800}\n%strajectory: {kind: path, points: [{t: 0, at: "
             "[0.001, %g, 0]}, {t: 0.4, at: [0.002, %g, 0.001]}]}\n%s",
             it->method, it->hand, y, y - 0.005, it->objects);
    palSession* session = startScene(text);
    int judged = 0;
    double most = 0.0, force = 0.0;
    for (int k = 0; k < 1000; k++)
    {
        palStep step;
        palSession_Step(session, &step);
        force = palLength(step.force);
        const palEngine* engine = palSession_Engine(session);
        double off = engine->hands[0].unexplained;
        judged += !isnan(off);
        most = fmax(most, off);
    }
    if (judged == 0 || !(most < PAL_UNEXPLAINED_FORCE) || force < 0.5)
        fail_msg("%s, %s: judged %d times, off by %g N of %g N", it->method,
                 it->hand[0] != '\0' ? "tool" : "point", judged, most, force);
    palSession_Destroy(session);
}

static void the_force_of_every_method_at_rest_is_explained(void** state)
{
    (void)state;
    static const Case cases[] = {
        {"accurate", "", FIXED},         {"standard", "", FIXED},
        {"penalty", "", FIXED},          {"impulse", "", FIXED},
        {"accurate", TOOL, FIXED},       {"standard", TOOL, FIXED},
        {"penalty", TOOL, FIXED},        {"linear", TOOL, FIXED},
        {"coupling", TOOL, FIXED},       {"compliance", TOOL, FIXED},
        {"impulse", TOOL, FIXED},        {"accurate", "", SOFT},
        {"accurate", TOOL, SOFT},        {"linear", TOOL, SOFT},
        {"compliance", TOOL, SOFT},      {"impulse", TOOL, FIXED BOX},
        {"compliance", TOOL, FIXED BOX}, {"accurate", "", FIXED BOX},
        {"accurate", TOOL, FIXED BOX},   {"standard", "", FIXED BOX},
        {"penalty", TOOL, FIXED BOX},    {"impulse", "", FIXED BOX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_at_rest_is_contacts_and_weight),
        cmocka_unit_test(a_hand_that_moves_is_not_judged),
        cmocka_unit_test(the_force_of_every_method_at_rest_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

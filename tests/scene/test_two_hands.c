// SPDX-License-Identifier: Apache-2.0
// What two hands do together with one soft body: the scenes that are shipped, and variants of them.
#include "scene_session.h"

#include <stdio.h>

// The energy that each hand has received, at most, J.
typedef struct Received
{
    double largest[2];
} Received;

// Takes steps until t; the record of the last.
static palTickRecord runUntil(palSession* session, double t, Received* received)
{
    palTickRecord record = {0};
    while (record.t < t - 1e-9)
    {
        palLockstep_Step((palEngine*)palSession_Engine(session), &record);
        for (int i = 0; i < record.handCount && received != NULL; i++)
        {
            assert_true(isfinite(record.hands[i].handEnergy));
            received->largest[i] = fmax(received->largest[i], record.hands[i].handEnergy);
        }
    }
    return record;
}

// The weight of the block and of the pads.
static const double blockWeight = 9.81 * 1000.0 * (0.05 * 0.05 * 0.05 + 2 * 0.006 * 0.02 * 0.02);

// At rest both carry the weight, and press against each other.
static void checkHeld(const palTickRecord* record, double weight, const char* what)
{
    palVec3 one = record->hands[0].force, other = record->hands[1].force;
    print_message("%s: %.4f N and %.4f N across, %.5f N of %.5f N down\n", what, one.x, other.x,
                  -one.y - other.y, weight);
    ASSERT_BELOW(1.0, -one.x);
    ASSERT_NEAR(one.x, -other.x, 0.01 * -one.x);
    ASSERT_NEAR(one.z, -other.z, 0.01 * -one.x);
    ASSERT_NEAR(-one.y - other.y, weight, 0.01 * weight);
    ASSERT_NEAR(one.y, other.y, 0.1 * weight);
}

// The scene with some changes: held in the air before and after it is shaken, and no hand gets
// energy from it.
static void carryBlock(const char* const* sets, int setCount, double weight, const char* what)
{
    palSession* session = createSession("two-hands-block.yaml", sets, setCount);
    Received received = {{0}};
    palTickRecord record = runUntil(session, 3.55, &received);
    checkHeld(&record, weight, what);
    record = runUntil(session, 6.15, &received);
    checkHeld(&record, weight, what);
    ASSERT_BELOW(received.largest[0], 1e-3);
    ASSERT_BELOW(received.largest[1], 1e-3);
    palSession_Destroy(session);
}

static void two_hands_carry_a_block(void** state)
{
    (void)state;
    SKIP_SLOWED();
    carryBlock(NULL, 0, blockWeight, "as shipped");
    const char* const others[][2] = {
        {"method.name=compliance", "objects.1.friction=0.9"},
        {"method.name=linear", "objects.1.soft.young=50000"},
        {"method.name=standard", "time.low_dt=0.01"},
        {"method.name=penalty", "time.low_dt=0.01"},
        {"method.name=compliance", "objects.1.soft.young=100000"},
        {"method.name=accurate", "objects.1.soft.young=100000"},
        {"method.name=accurate", "time.latency=0"},
    };
    for (int i = 0; i < (isLongRun() ? 7 : 1); i++)
        carryBlock(others[i], 2, blockWeight, others[i][0]);
}

// The lighter it is the faster it turns over under given forces.
static void a_light_block_is_held_as_steadily(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const sets[][2] = {
        {"objects.1.soft.density=100", "method.name=accurate"},
        {"objects.1.soft.density=300", "method.name=accurate"},
        {"objects.1.soft.density=100", "method.name=standard"},
    };
    for (int i = 0; i < (isLongRun() ? 3 : 1); i++)
    {
        double density = i == 1 ? 300.0 : 100.0;
        double weight = blockWeight - 9.81 * 0.000125 * (1000.0 - density);
        carryBlock(sets[i], 2, weight, sets[i][0]);
        // At rest in the air the force does not change.
        palSession* session = createSession("two-hands-block.yaml", sets[i], 2);
        palVec3 before = runUntil(session, 3.3, NULL).hands[0].force;
        double jump = 0.0;
        for (int k = 1; k <= 250; k++)
        {
            palVec3 now = runUntil(session, 3.3 + 1e-3 * k, NULL).hands[0].force;
            jump = fmax(jump, palDistance(now, before));
            before = now;
        }
        print_message("%s: changes by %.2g N per tick at rest\n", sets[i][0], jump);
        ASSERT_BELOW(jump, 1e-3);
        palSession_Destroy(session);
    }
}

// Too little friction: the block stays on the table.
static void a_slippery_block_is_not_lifted(void** state)
{
    (void)state;
    SKIP_SLOWED();
    const char* const sets[] = {"objects.1.friction=0.2"};
    palSession* session = createSession("two-hands-block.yaml", sets, 1);
    palTickRecord record = runUntil(session, 3.0, NULL);
    // The step of each hand by the public functions.
    palStep steps[3];
    palSession_Step(session, &steps[0]);
    palSession_HandStep(session, 1, &steps[1]);
    palSession_HandStep(session, 2, &steps[2]);
    assert_true(steps[0].device.x < -0.01 && steps[1].device.x > 0.01 && steps[0].t > record.t);
    assert_true(steps[1].t == steps[0].t && steps[2].t == 0.0);
    double pads = blockWeight - 9.81 * 0.125;
    ASSERT_NEAR(-record.hands[0].force.y - record.hands[1].force.y, pads, 0.01 * pads);
    palSession_Destroy(session);
}

#define AWAY(hand, x)                                                                              \
    "hands." hand ".trajectory={kind: path, points: [{t: 0, at: [" x ", 0.08, 0]}, {t: 1, at: "    \
    "[" x ", 0.08, 0]}]}"

// 50 mm apart on an organ that is held close below, each probe is felt as if it were alone; the
// organ itself couples them by half a percent.
static void probes_far_apart_are_felt_as_each_alone(void** state)
{
    (void)state;
    SKIP_SLOWED();
    // Not compliance: it keeps the spots where a probe first stuck, and where those are, to 1 % of
    // the force, depends on the way.
    static const char* const methods[] = {"method.name=linear", "method.name=accurate"};
    static const char* const others[] = {NULL, AWAY("1", "0.005"), AWAY("0", "-0.045")};
    for (int m = 0; m < (isLongRun() ? 2 : 1); m++)
    {
        palTickRecord records[3];
        for (int i = 0; i < 3; i++)
        {
            const char* const sets[] = {methods[m], "method.radius=0.015", others[i]};
            palSession* session = createSession("two-tools-organ.yaml", sets, i == 0 ? 2 : 3);
            records[i] = runUntil(session, 2.9, NULL);
            palSession_Destroy(session);
        }
        for (int hand = 0; hand < 2; hand++)
        {
            palVec3 both = records[0].hands[hand].force,
                    alone = records[1 + hand].hands[hand].force;
            print_message("%s, hand %d: %.4f N alone, %.4f N beside the other\n", methods[m], hand,
                          alone.y, both.y);
            ASSERT_BELOW(0.8, alone.y);
            ASSERT_BELOW(palDistance(both, alone), 0.01 * palLength(alone));
            ASSERT_BELOW(palLength(records[2 - hand].hands[hand].force), 1e-9);
        }
    }
}

// Pads on a block that lies fixed: one of 16 mm, or its halves in two hands with half of its spring
// each. They do not tilt.
static double pressPads(const char* method, int count)
{
    char text[2048];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "palpate: 1\ngravity: [0, 0, 0]\ntime: {low_dt: 0.01, latency: 0.01}\n"
        "method: {name: %s, radius: 0.01}\nobjects: [{name: block, shape: {kind: box, size: [0.06, "
        "0.03, 0.06]}, position: [0, -0.015, 0], friction: 1, soft: {young: 10000, elements: tets, "
        "resolution: 6, fixed: [{nodes: ymin}]}}]\nhands:\n",
        method);
    for (int i = 0; i < count; i++)
    {
        double x = count == 1 ? 0.0 : 0.008 * i - 0.004;
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "  - {coupling: {stiffness: %d, turn_stiffness: 100}, tool: {shape: {kind: box, size: "
            "[%g, 0.004, 0.016], resolution: %d}, spacing: 0.002}, trajectory: {kind: path, "
            "points: "
            "[{t: 0, at: [%g, 0.003, 0]}, {t: 0.3, at: [%g, -0.001, 0]}]}}\n",
            1000 / count, 0.016 / count, 4, x, x);
    }
    palSession* session = startScene(text);
    palTickRecord record = runUntil(session, 1.2, NULL);
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += record.hands[i].force.y;
    palSession_Destroy(session);
    return sum;
}

static void two_halves_of_a_pad_are_felt_as_the_whole(void** state)
{
    (void)state;
    SKIP_SLOWED();
    static const char* const methods[] = {"accurate", "linear", "compliance", "standard"};
    for (int m = 0; m < 4; m++)
    {
        double whole = pressPads(methods[m], 1), halves = pressPads(methods[m], 2);
        print_message("%s: %.4f N the whole, %.4f N the halves\n", methods[m], whole, halves);
        ASSERT_BELOW(0.3, whole);
        ASSERT_NEAR(halves, whole, 0.01 * whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_hands_carry_a_block),
        cmocka_unit_test(a_light_block_is_held_as_steadily),
        cmocka_unit_test(a_slippery_block_is_not_lifted),
        cmocka_unit_test(probes_far_apart_are_felt_as_each_alone),
        cmocka_unit_test(two_halves_of_a_pad_are_felt_as_the_whole),
    };
    return RUN(tests);
}

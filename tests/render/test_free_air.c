// SPDX-License-Identifier: Apache-2.0
// A hand in free air feels nothing, however fast it goes and however near to things; what it
// touches after that it touches at the right place.
#include "course.h"

// Goes over the whole course. Returns the largest force, N; *held is in how many ticks the proxy
// was held back, *behind how far it was from the device at most.
static double fly(palRig* rig, int* held, double* behind)
{
    palTickRecord record;
    double most = 0.0;
    *held = 0;
    *behind = 0.0;
    rigStart(rig);
    while (rigStep(rig, &record))
    {
        const palHandRecord* hand = &record.hands[0];
        most = fmax(most, palLength(hand->force));
        *held += hand->held;
        *behind = fmax(*behind, palDistance(hand->proxy, hand->device));
        ASSERT_BELOW(-rigGap(rig, hand->proxy), 1e-9);
        assert_int_equal(hand->active, 0);
    }
    return most;
}

// Goes past all things under a method. Returns in how many ticks the proxy was held back.
static int flyPastAll(const char* method)
{
    static const double distances[] = {5e-4, 0.01, 2e-3, 0.025, 0.05}; // m
    static const double speeds[] = {2.0, 0.4, 0.1, 1.0};               // m/s
    static Course course;
    bool isLong = isLongRun();
    int heldOfAll = 0;
    for (int thing = 0; thing < things; thing++)
    {
        palRig rig;
        rigInit(&rig, &(palRigDef){.method = method, .path = along, .user = &course});
        addThing(&rig, thing, 0.2);
        for (int seed = 0; seed < (isLong ? 10 : 1); seed++)
            for (int way = 0; way < ways; way++)
                for (int d = 0; d < (isLong ? 5 : 2); d++)
                    for (int v = 0; v < (isLong ? 4 : 2); v++)
                    {
                        int held;
                        double behind;
                        plan(&course, thing, way, distances[d], speeds[v], seed);
                        double most = fly(&rig, &held, &behind);
                        heldOfAll += held;
                        if (isLong || most > 0.05)
                            print_message("%s, %s, %s at %g mm, %g m/s: %.4f N, held %d, %.1f mm\n",
                                          method, names[thing], wayNames[way], 1e3 * distances[d],
                                          speeds[v], most, held, 1e3 * behind);
                        ASSERT_BELOW(most, 0.05);
                    }
        rigFree(&rig);
    }
    return heldOfAll;
}

static void a_hand_in_free_air_feels_nothing(void** state)
{
    (void)state;
    assert_true(flyPastAll("accurate") > 0); // else nothing was tested
}

static void nor_does_it_under_methods_of_half_spaces(void** state)
{
    (void)state;
    flyPastAll("standard");
    flyPastAll("penalty");
}

static void what_is_met_after_it_is_met_at_the_right_place(void** state)
{
    (void)state;
    static Course course;
    const double stiffness = 1000.0; // N/m, of the rig
    palRandom random = palMakeRandom(3);
    int heldOfAll = 0;
    for (int thing = 0; thing < things; thing++)
    {
        palRig rig;
        rigInit(&rig, &(palRigDef){.method = "accurate", .path = along, .user = &course});
        rig.def.seconds = 0.5;
        addThing(&rig, thing, 0.0);
        for (int i = 0; i < (isLongRun() ? 200 : 20); i++)
        {
            // Of the plate right through it: it must be met on the side where the hand came from.
            palVec3 u = thing == plate ? palMakeVec3(0.0, 0.0, 1.0) : randomDirection(&random);
            double depth = thing == plate ? 0.004 : 0.002;
            palTickRecord record;
            bool isMet = false;
            planDive(&course, thing, u, depth, 0.5 + 0.1 * i);
            rigStart(&rig);
            while (rigStep(&rig, &record))
            {
                ASSERT_BELOW(-rigGap(&rig, record.hands[0].proxy), 1e-9);
                if (thing == plate)
                    ASSERT_BELOW(0.5 * plateSize.z, record.hands[0].proxy.z);
                heldOfAll += record.hands[0].held;
                isMet = isMet || record.hands[0].active > 0;
                if (!isMet)
                    ASSERT_BELOW(palLength(record.hands[0].force), 0.05);
            }
            const palHandRecord* end = &record.hands[0];
            ASSERT_BELOW(rigGap(&rig, end->proxy), 1e-8);
            // No place of the surface near by is nearer to the hand.
            palNearest nearest;
            assert_true(palColliders_Nearest(rig.colliders, 1, end->device, INFINITY, &nearest));
            double most = (thing == plate ? depth : nearest.closest.distance) + 2e-6;
            if (thing == ball || thing == plate)
                ASSERT_BELOW(palDistance(end->proxy, end->device), most);
            ASSERT_NEAR(palLength(end->force), stiffness * palDistance(end->proxy, end->device),
                        1e-6);
        }
        rigFree(&rig);
    }
    assert_true(heldOfAll > 0);
}

// Inside it until the next query, but then out at the nearest place.
static void a_half_space_meets_a_ball_at_the_right_place(void** state)
{
    (void)state;
    static Course course;
    palRandom random = palMakeRandom(3);
    palRig rig;
    rigInit(&rig, &(palRigDef){.method = "standard", .path = along, .user = &course});
    rig.def.seconds = 0.5;
    addThing(&rig, ball, 0.0);
    for (int i = 0; i < (isLongRun() ? 200 : 20); i++)
    {
        palTickRecord record;
        planDive(&course, ball, randomDirection(&random), 0.002, 0.1 + 0.1 * i);
        rigStart(&rig);
        while (rigStep(&rig, &record))
            if (rigGap(&rig, record.hands[0].device) > 5e-4 && record.hands[0].active == 0)
                ASSERT_BELOW(palLength(record.hands[0].force), 0.05);
        const palHandRecord* end = &record.hands[0];
        palNearest nearest;
        assert_true(palColliders_Nearest(rig.colliders, 1, end->device, INFINITY, &nearest));
        if (nearest.gap > 0.0)
            continue; // it is not there yet
        ASSERT_NEAR(rigGap(&rig, end->proxy), 0.0, 1e-8);
        ASSERT_BELOW(palDistance(end->proxy, end->device), nearest.closest.distance + 2e-6);
    }
    rigFree(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_in_free_air_feels_nothing),
        cmocka_unit_test(nor_does_it_under_methods_of_half_spaces),
        cmocka_unit_test(what_is_met_after_it_is_met_at_the_right_place),
        cmocka_unit_test(a_half_space_meets_a_ball_at_the_right_place),
    };
    return RUN(tests);
}

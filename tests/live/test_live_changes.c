// SPDX-License-Identifier: Apache-2.0
// Values that change while people watch: the clock goes on, the bodies stay, and what touches stays
// in touch. Other values build the scene anew, as before.
#include "live_page.h"

static const palVec3 pressed = {0, 0.04, 0}; // 10 mm into the block

// On a busy machine nothing is stale for ten seconds, and forces do not fade.
static palLive* startPatiently(Page* page)
{
    palLive* live = start("block-soft", "device.stale_after=10");
    *page = (Page){0};
    AWAIT(live, page, page->t > 0.0);
    uint32_t epoch = page->reader.epoch;
    say(live, "set safety.stale_after=10");
    AWAIT(live, page, page->reader.epoch != epoch);
    return live;
}

// Holds the hand in the block until the force on it stays over several low-rate steps, however long
// these take, and gives it, N.
static double settle(palLive* live, Page* page)
{
    double before = INFINITY;
    HOLD_UNTIL(live, page, pressed, isAt(page, pressed) && page->out[1] > 0.0);
    for (double beginning = secondsNow(); fabs(page->out[1] - before) > 2e-4;)
    {
        unsigned since = page->drawings;
        before = page->out[1];
        HOLD_UNTIL(live, page, pressed, page->drawings >= since + 8);
        checkPatience(beginning, page, "settled");
        assert_true(page->active > 0);
    }
    return page->out[1];
}

static void values_change_while_the_clock_goes_on(void** state)
{
    (void)state;
    Page page;
    palLive* live = startPatiently(&page);
    double soft = settle(live, &page);
    uint32_t epoch = page.reader.epoch;
    uint32_t values = page.reader.values;
    double t = page.t;

    say(live, "set objects.0.soft.young=20000");
    HOLD_UNTIL(live, &page, pressed, page.reader.values != values);
    HOLD_UNTIL(live, &page, pressed, page.out[1] > 1.3 * soft);
    settle(live, &page);
    assert_int_equal(page.reader.epoch, epoch);
    assert_true(page.t > t);

    // Back again, and to the same force.
    t = page.t;
    say(live, "unset objects.0.soft.young");
    say(live, "set objects.0.friction=0.5");
    say(live, "set gravity=[0, 0, 0]");
    say(live, "set coupling.stiffness=900");
    awaitStatus(live, &page, "\"stiffness\": 900");
    say(live, "unset coupling.stiffness");
    awaitStatus(live, &page, "\"stiffness\": 1000");
    HOLD_UNTIL(live, &page, pressed, fabs(page.out[1] - soft) < 0.005 * soft);
    assert_int_equal(page.reader.epoch, epoch);

    // What the scene refuses changes nothing.
    say(live, "set objects.0.friction=-1");
    awaitStatus(live, &page, "out of range");
    assert_int_equal(page.reader.epoch, epoch);
    ASSERT_NEAR(settle(live, &page), soft, 0.005 * soft);

    // Other values take a new scene, with those that were changed before.
    t = page.t;
    say(live, "set objects.0.soft.poisson=0.3");
    HOLD_UNTIL(live, &page, pressed, page.reader.epoch != epoch);
    AWAIT(live, &page, page.t < t);
    palFrame_Free(&page.frame);
    palLive_Destroy(live);
}

static void values_change_while_it_is_paused(void** state)
{
    (void)state;
    Page page;
    palLive* live = startPatiently(&page);
    double soft = settle(live, &page);
    say(live, "pause");
    awaitStatus(live, &page, "\"mode\": \"paused\"");
    uint32_t epoch = page.reader.epoch, values = page.reader.values;
    double t = page.t;
    say(live, "set objects.0.soft.young=20000");
    AWAIT(live, &page, page.reader.values != values);
    assert_non_null(strstr(page.status, "\"mode\": \"paused\""));
    ASSERT_NEAR(page.t, t, 0.0);
    say(live, "resume");
    HOLD_UNTIL(live, &page, pressed, page.out[1] > 1.3 * soft);
    assert_int_equal(page.reader.epoch, epoch);
    palFrame_Free(&page.frame);
    palLive_Destroy(live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_change_while_the_clock_goes_on),
        cmocka_unit_test(values_change_while_it_is_paused),
    };
    return RUN_LIVE(tests);
}

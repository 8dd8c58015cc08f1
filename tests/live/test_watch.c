// SPDX-License-Identifier: Apache-2.0
// Soft bodies in a live session: recorded, shown again, coloured.
#include "live_page.h"

// How long the surface has not moved, in steps of the low rate, which alone moves it.
typedef struct Rest
{
    unsigned drawings; // of the page, when it was last looked at
    double deepest;    // m
    int steps;
} Rest;

static bool isPressedAndRests(const Page* page, Rest* rest)
{
    if (page->drawings == rest->drawings)
        return false;
    rest->steps = fabs(page->deepest - rest->deepest) < 1e-5 ? rest->steps + 1 : 0;
    rest->drawings = page->drawings;
    rest->deepest = page->deepest;
    return page->deepest > 2e-3 && rest->steps >= 10;
}

// Presses the block until its surface has come to rest.
static void press(palLive* live, Page* page)
{
    const palVec3 below = {0, 0.04, 0};
    Rest rest = {0};
    HOLD_UNTIL(live, page, below, isAt(page, below));
    HOLD_UNTIL(live, page, below, isPressedAndRests(page, &rest));
}

// The shape of the soft block is part of the recording: pressed at its end, flat at its begin.
static void a_soft_body_is_shown_as_it_was(void** state)
{
    (void)state;
    palLive* live = start("block-soft", NULL);
    Page page = {0};
    const palVec3 above = {0, 0.055, 0};
    hold(live, &page, above);
    ASSERT_BELOW(page.deepest, 1e-4);
    say(live, "record");
    awaitStatus(live, &page, "\"recording\": \"recording-");
    hold(live, &page, above);
    unsigned drawings = page.drawings;
    HOLD_UNTIL(live, &page, above, page.drawings >= drawings + 3);
    press(live, &page);
    double pressed = page.deepest;
    say(live, "stop");
    awaitStatus(live, &page, "\"recording\": \"\"");
    hold(live, &page, palMakeVec3(0, 0.06, 0));
    say(live,
        strstr(page.status, "recording-2") != NULL ? "replay recording-2" : "replay recording-1");
    say(live, "pause");
    awaitStatus(live, &page, "\"playing\": false");
    assert_non_null(strstr(page.status, "\"bodies\": true"));
    say(live, "seek 1000");
    AWAIT(live, &page, page.deepest > 0.8 * pressed);
    ASSERT_NEAR(page.deepest, pressed, 0.2 * pressed);
    say(live, "seek 0");
    AWAIT(live, &page, page.deepest < 1e-4);
    palFrame_Free(&page.frame);
    palLive_Destroy(live);
}

// Whoever asks for the stress gets it, also while the run rests; others do not.
static void the_stress_is_there_for_who_asks(void** state)
{
    (void)state;
    palLive* live = start("block-soft", NULL);
    Page page = {0}, other = {0};
    page.reader.field = pal_fieldStress;
    hold(live, &page, palMakeVec3(0, 0.055, 0));
    press(live, &page);
    HOLD_UNTIL(live, &page, palMakeVec3(0, 0.04, 0), page.field == pal_fieldStress);
    assert_true(page.most > 100.0f && page.most < 1e5f);
    take(live, &other);
    assert_int_equal(other.field, pal_fieldNone);
    say(live, "pause");
    awaitStatus(live, &page, "\"mode\": \"paused\"");
    other.reader.field = pal_fieldDisplacement;
    AWAIT(live, &other, other.field == pal_fieldDisplacement);
    ASSERT_NEAR(other.most, other.deepest, 2e-3);
    other.reader.field = pal_fieldStress;
    AWAIT(live, &other, other.field == pal_fieldStress);
    ASSERT_NEAR(other.most, page.most, 0.3 * page.most);
    palFrame_Free(&page.frame);
    palFrame_Free(&other.frame);
    palLive_Destroy(live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_soft_body_is_shown_as_it_was),
        cmocka_unit_test(the_stress_is_there_for_who_asks),
    };
    return RUN_LIVE(tests);
}

// SPDX-License-Identifier: Apache-2.0
// Soft bodies in a live session: recorded, shown again, coloured.
#include "live_page.h"

// Presses the block and waits until its surface has come to rest, however slowly this machine moves
// it.
static void press(palLive* live, Page* page)
{
    double before = -1.0;
    for (int i = 0; i < 40 && (page->deepest < 2e-3 || fabs(page->deepest - before) > 1e-4); i++)
    {
        before = page->deepest;
        hold(live, page, palMakeVec3(0, 0.04, 0));
    }
    assert_true(page->deepest > 2e-3);
}

// The shape of the soft block is part of the recording: pressed at its end, flat at its begin.
static void a_soft_body_is_shown_as_it_was(void** state)
{
    (void)state;
    palLive* live = start("block-soft", NULL);
    Page page = {0};
    hold(live, &page, palMakeVec3(0, 0.055, 0));
    ASSERT_BELOW(page.deepest, 1e-4);
    say(live, "record");
    awaitStatus(live, &page, "\"recording\": \"recording-");
    hold(live, &page, palMakeVec3(0, 0.055, 0));
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
    for (int i = 0; i < 200 && page.deepest < 0.8 * pressed; i++)
        take(live, &page);
    ASSERT_NEAR(page.deepest, pressed, 0.2 * pressed);
    say(live, "seek 0");
    for (int i = 0; i < 200 && page.deepest > 1e-4; i++)
        take(live, &page);
    ASSERT_BELOW(page.deepest, 1e-4);
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
    assert_int_equal(page.field, pal_fieldStress);
    assert_true(page.most > 100.0f && page.most < 1e5f);
    take(live, &other);
    assert_int_equal(other.field, pal_fieldNone);
    say(live, "pause");
    awaitStatus(live, &page, "\"mode\": \"paused\"");
    other.reader.field = pal_fieldDisplacement;
    for (int i = 0; i < 200 && other.field != pal_fieldDisplacement; i++)
        take(live, &other);
    ASSERT_NEAR(other.most, other.deepest, 2e-3);
    other.reader.field = pal_fieldStress;
    for (int i = 0; i < 200 && other.field != pal_fieldStress; i++)
        take(live, &other);
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

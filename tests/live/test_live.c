// SPDX-License-Identifier: Apache-2.0
#include "live_page.h"

#include "live/playback.h"

// The ball of touch.yaml has radius 40 mm; 2 mm inside, at 1000 N/m, is 2 N.
static void a_hand_in_the_ball_feels_its_surface(void** state)
{
    (void)state;
    palLive* live = start("touch", NULL);
    Page page = {0};
    take(live, &page);
    assert_int_equal(page.bodies, 1);
    hold(live, &page, palMakeVec3(0, 0.05, 0));
    assert_int_equal(page.active, 0);
    const palVec3 inside = {0, 0.038, 0};
    hold(live, &page, inside);
    HOLD_UNTIL(live, &page, inside, fabs(page.out[1] - 2.0) < 0.1);
    ASSERT_NEAR(page.device[1], 0.038, 1e-9);
    ASSERT_NEAR(page.proxy[1], 0.040, 1e-4);
    assert_true(page.active > 0);
    assert_int_equal(page.bodies, 0);
    palFrame_Free(&page.frame);
    palLive_Destroy(live);
}

static void a_paused_run_rests_and_steps_one_by_one(void** state)
{
    (void)state;
    palLive* live = start("touch", NULL);
    Page page = {0};
    AWAIT(live, &page, page.t > 0.0);
    assert_non_null(strstr(page.status, "\"mode\": \"running\""));
    say(live, "pause");
    awaitStatus(live, &page, "\"mode\": \"paused\"");
    double t = page.t;
    for (int i = 0; i < 2; i++) // a status each
    {
        take(live, &page);
        ASSERT_NEAR(page.t, t, 0);
        assert_int_equal(page.ticks, 0);
    }
    say(live, "step 3");
    AWAIT(live, &page, page.t > t + 0.0029);
    ASSERT_NEAR(page.t - t, 0.003, 1e-9);
    say(live, "resume");
    awaitStatus(live, &page, "\"mode\": \"running\"");
    AWAIT(live, &page, page.t >= t + 0.1);
    palFrame_Free(&page.frame);
    palLive_Destroy(live);
}

static void another_method_brings_its_own_constraints(void** state)
{
    (void)state;
    palLive* live = start("touch", "method.name=standard");
    Page page = {0};
    hold(live, &page, palMakeVec3(0, 0.038, 0));
    assert_int_equal(page.limited, 0);
    say(live, "set method.name=accurate");
    awaitStatus(live, &page, "\"method\": \"accurate\"");
    hold(live, &page, palMakeVec3(0, 0.05, 0));
    HOLD_UNTIL(live, &page, palMakeVec3(0, 0.038, 0), page.limited > 0 && page.sets > 0);
    palFrame_Free(&page.frame);
    palLive_Destroy(live);
}

static void a_change_that_the_scene_refuses_changes_nothing(void** state)
{
    (void)state;
    palLive* live = start("touch", NULL);
    Page page = {0};
    say(live, "set coupling.stiffness=-5");
    awaitStatus(live, &page, "out of range");
    assert_non_null(strstr(page.status, "\"mode\": \"running\""));
    say(live, "set coupling.stiffness=500");
    awaitStatus(live, &page, "\"stiffness\": 500");
    say(live, "unset coupling.stiffness");
    awaitStatus(live, &page, "\"stiffness\": 1000");
    palFrame_Free(&page.frame);
    palLive_Destroy(live);
}

static void a_recording_is_shown_as_it_was(void** state)
{
    (void)state;
    palLive* live = start("touch", NULL);
    Page page = {0};
    hold(live, &page, palMakeVec3(0, 0.05, 0));
    say(live, "record");
    awaitStatus(live, &page, "\"recording\": \"recording-1\"");
    hold(live, &page, palMakeVec3(0, 0.038, 0));
    say(live, "stop");
    awaitStatus(live, &page, "\"recording\": \"\"");
    say(live, "replay recording-1");
    say(live, "pause");
    awaitStatus(live, &page, "\"playing\": false");

    char path[128];
    palPlayback rows;
    palError error;
    snprintf(path, sizeof path, "%s/recording-1/haptic.csv", recordings);
    assert_int_equal(palPlayback_Load(path, &rows, &error), pal_ok);
    assert_true(rows.count > 0 && rows.rows[rows.count - 1].t - rows.rows[0].t > 0.3);
    for (int k = 0; k < 5; k++)
    {
        int row = k * (rows.count - 1) / 4;
        char seek[64];
        snprintf(seek, sizeof seek, "seek %.17g", rows.rows[row].t - rows.rows[0].t + 1e-9);
        say(live, seek);
        AWAIT(live, &page, page.t == rows.rows[row].t);
        ASSERT_NEAR(page.device[1], rows.rows[row].hands[0].device.y, 0);
        ASSERT_NEAR(page.proxy[1], rows.rows[row].hands[0].proxy.y, 0);
        ASSERT_NEAR(page.out[1], rows.rows[row].hands[0].out.y, 0);
    }
    palPlayback_Free(&rows);
    say(live, "live");
    awaitStatus(live, &page, "\"mode\": \"running\"");
    palFrame_Free(&page.frame);
    palLive_Destroy(live);
}

static void a_missing_scene_or_recording_is_told(void** state)
{
    (void)state;
    const palLiveDef def = {.scene = "no-such.yaml", .recordings = recordings};
    palLive* live;
    palError error = {0};
    assert_int_not_equal(palLive_Create(&def, &live, &error), pal_ok);
    assert_non_null(strstr(error.file, "no-such.yaml"));
    live = start("touch", NULL);
    Page page = {0};
    say(live, "replay no-such");
    awaitStatus(live, &page, "haptic.csv: cannot read");
    assert_non_null(strstr(page.status, "\"mode\": \"running\""));
    palFrame_Free(&page.frame);
    palLive_Destroy(live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_in_the_ball_feels_its_surface),
        cmocka_unit_test(a_paused_run_rests_and_steps_one_by_one),
        cmocka_unit_test(another_method_brings_its_own_constraints),
        cmocka_unit_test(a_change_that_the_scene_refuses_changes_nothing),
        cmocka_unit_test(a_recording_is_shown_as_it_was),
        cmocka_unit_test(a_missing_scene_or_recording_is_told),
    };
    return RUN_LIVE(tests);
}

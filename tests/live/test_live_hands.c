// SPDX-License-Identifier: Apache-2.0
// A live session of a scene with several hands, of which the mouse takes one.
#include "live_page.h"

#include "live/state.h"

static const char scene[] =
    "palpate: 1\ngravity: [0, 0, 0]\ntime: {seconds: 2}\nmethod: {name: standard, radius: 0.02}\n"
    "hands:\n"
    "  - {device: {driver: simulated}, trajectory: {kind: path, points: [{t: 0, at: [-0.03, 0.03, "
    "0]}, {t: 100, at: [-0.03, 0.02, 0]}, {t: 200, at: [-0.03, 0.03, 0]}]}}\n"
    "  - {trajectory: {kind: path, points: [{t: 0, at: [0.03, 0.005, 0]}, {t: 1, at: [0.03, 0.01, "
    "0]}]}}\n"
    "objects: [{name: plate, shape: {kind: box, size: [0.2, 0.02, 0.1]}, position: [0, -0.01, "
    "0]}]\n";

static palLive* startText(const char* text)
{
    char path[96];
    snprintf(path, sizeof path, "%s/hands.yaml", recordings);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    // As `palpate view` gives it: for the hand of a scene that has one.
    const char* sets[] = {"device.driver=browser"};
    const palLiveDef def = {.scene = path, .sets = sets, .setCount = 1, .recordings = recordings};
    palLive* live;
    palError error = {0};
    if (palLive_Create(&def, &live, &error) != pal_ok)
        fail_msg("%s", error.text);
    return live;
}

static void moveTo(palLive* live, double x, double y)
{
    palHandSample sample = {secondsNow(), {x, y, 0}, {1, 0, 0, 0}, 1};
    palLive_Hand(live, &sample);
}

// Until the mouse takes one both go their way; then the first goes on, and the second presses the
// plate, and rests where it is left.
static void the_mouse_takes_one_of_two_hands(void** state)
{
    (void)state;
    palLive* live = startText(scene);
    Page page = {0};
    AWAIT(live, &page, page.handCount == 2 && page.t > 1.1);
    ASSERT_NEAR(page.devices[1][1], 0.01, 1e-9);
    double before = page.devices[0][1];
    assert_non_null(strstr(page.status, "\"steered\": -1"));
    moveTo(live, 0.03, 0.2); // nobody's
    palLive_Steer(live, 1);
    AWAIT(live, &page, (moveTo(live, 0.03, -0.003), page.outs[1][1] > 1.0));
    AWAIT(live, &page, strstr(page.status, "\"steered\": 1") != NULL);
    ASSERT_BELOW(fabs(page.outs[0][1]), 0.01);
    AWAIT(live, &page, (moveTo(live, 0.03, -0.003), page.devices[0][1] < before - 1e-4));
    // Left there it goes on pressing, though no sample comes any more.
    AWAIT(live, &page, (moveTo(live, 0.03, -0.003), fabs(page.devices[1][1] + 0.003) < 1e-5));
    palLive_Steer(live, 0);
    double left = page.t;
    AWAIT(live, &page, (moveTo(live, -0.03, -0.002), page.t > left + 0.5 && page.outs[0][1] > 1.0));
    ASSERT_NEAR(page.devices[1][1], -0.003, 1e-5);
    ASSERT_BELOW(1.0, page.outs[1][1]);
    // Reset: both are the scene's again.
    say(live, "reset");
    AWAIT(live, &page, strstr(page.status, "\"steered\": -1") != NULL && page.t < left);
    AWAIT(live, &page, page.t > 1.1 && fabs(page.devices[1][1] - 0.01) < 1e-9);
    palFrame_Free(&page.frame);
    palLive_Destroy(live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mouse_takes_one_of_two_hands),
    };
    return RUN_LIVE(tests);
}

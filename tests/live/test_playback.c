// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "live/playback.h"
#include "runtime/recording.h"

#include <unistd.h>

static char directory[64];

// Writes a file of that text and loads it.
static palResult load(const char* text, palPlayback* playback, palError* error)
{
    char path[96];
    snprintf(path, sizeof path, "%s/haptic.csv", directory);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    *error = (palError){0};
    return palPlayback_Load(path, playback, error);
}

static palTickRecord rowAt(int k)
{
    return (palTickRecord){
        .t = 0.5 + 1e-3 * k,
        .hands[0].device = {0.1 * k, 1.0 / 3.0, -k},
        .hands[0].proxy = {k, 2, 3},
        .handCount = 1,
        .hands[0].force = {k, 0.1, 0},
        .hands[0].out = {2, 0, 0},
        .hands[0].active = k % 4,
        .hands[0].iterations = k,
        .hands[0].residual = 1e-9,
    };
}

// The columns of further hands, by their prefix; the work of each.
static void a_recording_of_two_hands_is_read_back(void** state)
{
    (void)state;
    palRecording recording;
    palPlayback playback;
    palError error;
    assert_int_equal(palRecording_Open(&recording, directory, 3, true, &error), pal_ok);
    for (int k = 0; k < 10; k++)
    {
        palTickRecord row = rowAt(k);
        row.handCount = 3;
        for (int i = 0; i < 3; i++)
            row.hands[i].proxyTurn = row.hands[i].deviceTurn = pal_identityQuat;
        row.hands[2].device = (palVec3){0.2 * k, 0, 0};
        row.hands[2].out = (palVec3){-3, 0, 0};
        row.hands[2].active = k;
        palRecording_Tick(&recording, &row);
    }
    assert_int_equal(palRecording_Close(&recording, &error), pal_ok);
    char path[96];
    snprintf(path, sizeof path, "%s/haptic.csv", directory);
    assert_int_equal(palPlayback_Load(path, &playback, &error), pal_ok);
    const palTickRecord* last = &playback.rows[9];
    assert_int_equal(last->handCount, 3);
    ASSERT_NEAR(last->hands[0].force.x, 9, 0);
    ASSERT_NEAR(last->hands[2].device.x, 0.2 * 9, 0);
    assert_int_equal(last->hands[2].active, 9);
    ASSERT_NEAR(last->hands[2].proxyTurn.w, 1, 0);
    ASSERT_NEAR(playback.energy[9][0], 2 * 0.9, 1e-12);
    ASSERT_NEAR(playback.energy[9][1], 0, 0);
    ASSERT_NEAR(playback.energy[9][2], -3 * 1.8, 1e-12);
    palPlayback_Free(&playback);
}

static void what_was_recorded_is_read_back_bit_for_bit(void** state)
{
    (void)state;
    palRecording recording;
    palPlayback playback;
    palError error;
    assert_int_equal(palRecording_Open(&recording, directory, 1, false, &error), pal_ok);
    for (int k = 0; k < 5000; k++)
    {
        palTickRecord row = rowAt(k);
        palRecording_Tick(&recording, &row);
    }
    assert_int_equal(palRecording_Close(&recording, &error), pal_ok);
    char path[96];
    snprintf(path, sizeof path, "%s/haptic.csv", directory);
    assert_int_equal(palPlayback_Load(path, &playback, &error), pal_ok);
    assert_int_equal(playback.count, 5000);
    for (int k = 0; k < 5000; k++)
    {
        palTickRecord row = rowAt(k);
        const palTickRecord* read = &playback.rows[k];
        ASSERT_NEAR(read->t, row.t, 0);
        ASSERT_NEAR(palDistance(read->hands[0].device, row.hands[0].device), 0, 0);
        ASSERT_NEAR(palDistance(read->hands[0].out, row.hands[0].out), 0, 0);
        assert_int_equal(read->hands[0].iterations, k);
        // A force of 2 N over 0.1 m a row.
        ASSERT_NEAR(playback.energy[k][0], 0.2 * k, 1e-9);
    }
    ASSERT_NEAR(palPlayback_Seconds(&playback), 4.999, 1e-9);
    palPlayback_Free(&playback);
}

static void a_time_finds_its_row(void** state)
{
    (void)state;
    palPlayback playback;
    palError error;
    const char text[] = "t,dev_x,dev_y,dev_z,proxy_x,proxy_y,proxy_z,force_x,force_y,force_z\n"
                        "1,0,0,0,0,0,0,0,0,0\n2,0,0,0,0,0,0,0,0,0\n4,0,0,0,0,0,0,0,0,0\n";
    assert_int_equal(load(text, &playback, &error), pal_ok);
    assert_int_equal(palPlayback_RowAt(&playback, -5), 0);
    assert_int_equal(palPlayback_RowAt(&playback, 0), 0);
    assert_int_equal(palPlayback_RowAt(&playback, 0.999), 0);
    assert_int_equal(palPlayback_RowAt(&playback, 1), 1);
    assert_int_equal(palPlayback_RowAt(&playback, 2.9), 1);
    assert_int_equal(palPlayback_RowAt(&playback, 3), 2);
    assert_int_equal(palPlayback_RowAt(&playback, 99), 2);
    palPlayback_Free(&playback);
}

// Even where what is left of the last row could be read as one.
static void a_recording_cut_short_is_good_up_to_there(void** state)
{
    (void)state;
    const char text[] = "t,dev_x,dev_y,dev_z,proxy_x,proxy_y,proxy_z,force_x,force_y,force_z\n"
                        "1,0,0,0,0,0,0,0,0,0\n2,0,0,0,0,0,0,0,0,0\n4,0,0,0,0,0,0,0,0,0.25\n";
    size_t whole = strlen(text);
    for (size_t cut = 1; cut < 15; cut++)
    {
        char left[sizeof text];
        palPlayback playback;
        palError error;
        snprintf(left, sizeof left, "%.*s", (int)(whole - cut), text);
        assert_int_equal(load(left, &playback, &error), pal_ok);
        assert_int_equal(playback.count, 2);
        palPlayback_Free(&playback);
    }
}

static void what_is_no_recording_is_refused_with_its_line(void** state)
{
    (void)state;
#define HEADER "t,dev_x,dev_y,dev_z,proxy_x,proxy_y,proxy_z,force_x,force_y,force_z\n"
    const struct
    {
        const char* text;
        int line;
        const char* says;
    } wrong[] = {
        {"", 1, "empty"},
        {"t,dev_x\n", 1, "dev_y"},
        {HEADER, 2, "no rows"},
        {HEADER "1,2,3\n", 2, "not a row"},
        {HEADER "0,0,0,0,0,0,0,0,0,0\n1,0,0,x,0,0,0,0,0,0\n", 3, "not a row"},
        {HEADER "0,0,0,0,0,0,0,0,0,nan\n", 2, "not a row"},
        {HEADER "1,0,0,0,0,0,0,0,0,0\n1,0,0,0,0,0,0,0,0,0\n", 3, "time"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    {
        palPlayback playback;
        palError error;
        assert_int_equal(load(wrong[i].text, &playback, &error), pal_errorInput);
        assert_int_equal(error.line, wrong[i].line);
        assert_non_null(strstr(error.text, wrong[i].says));
        assert_null(playback.rows);
    }
    palPlayback playback;
    palError error = {0};
    assert_int_equal(palPlayback_Load("/no/such/file", &playback, &error), pal_errorFile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_recorded_is_read_back_bit_for_bit),
        cmocka_unit_test(a_recording_of_two_hands_is_read_back),
        cmocka_unit_test(a_time_finds_its_row),
        cmocka_unit_test(a_recording_cut_short_is_good_up_to_there),
        cmocka_unit_test(what_is_no_recording_is_refused_with_its_line),
    };
    snprintf(directory, sizeof directory, "/tmp/palpate-playback-XXXXXX");
    if (mkdtemp(directory) == NULL)
        return 1;
    int failures = RUN(tests);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command) != 0 || failures != 0;
}

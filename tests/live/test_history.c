// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "live/frame.h"

#include <malloc.h>

static palHistory makeHistory(double seconds, double dt)
{
    palHistory history = {0};
    palError error;
    assert_int_equal(palHistory_Init(&history, seconds, dt, 2, &error), pal_ok);
    return history;
}

static void put(palHistory* history, int k)
{
    const palTickRecord record = {.t = 1e-3 * k,
                                  .handCount = 2,
                                  .hands[0] = {.force = {k, 0, 0}, .iterations = k % 7},
                                  .hands[1] = {.force = {-k, 0, 0}}};
    palHistory_Put(history, &record, (double[2]){2.0 * k, 3.0 * k});
}

static void ten_seconds_at_full_rate_are_kept(void** state)
{
    (void)state;
    palHistory history = makeHistory(10.0, 1e-3);
    palHistoryCursor cursor = {0};
    for (int k = 0; k < 50000; k++)
        put(&history, k);
    uint64_t from;
    bool restart;
    int count = palHistory_Unseen(&history, &cursor, 1 << 20, &from, &restart);
    assert_true(restart);
    assert_true(count >= 10000);
    for (int i = 0; i < count; i++)
    {
        const palTickSample* sample = palHistory_At(&history, from + (uint64_t)i, 0);
        const palTickSample* other = palHistory_At(&history, from + (uint64_t)i, 1);
        ASSERT_NEAR(other->values[0], -sample->values[0], 0);
        ASSERT_NEAR(other->values[9], 1.5 * sample->values[9], 1e-2);
        ASSERT_NEAR(sample->t, 1e-3 * (50000 - count + i), 1e-12);
        ASSERT_NEAR(sample->values[0], 50000 - count + i, 0);
    }
    palHistory_Free(&history);
}

static void each_reader_sees_every_step_once(void** state)
{
    (void)state;
    palHistory history = makeHistory(10.0, 1e-3);
    palHistoryCursor cursors[2] = {{0}};
    palFrame frame = {0};
    const palFrameHead head = {0};
    int seen[2] = {0};
    for (int k = 0; k < 3000; k++)
    {
        put(&history, k);
        for (int reader = 0; reader < 2; reader++)
        {
            if (k % (reader == 0 ? 17 : 400) != 0)
                continue;
            palFrame_Begin(&frame, &head);
            palFrame_Ticks(&frame, &history, &cursors[reader], 1 << 20);
            uint32_t count;
            memcpy(&count, frame.bytes + 40, 4);
            float first;
            memcpy(&first, frame.bytes + 40 + 24 + 4, 4); // force x of the first row
            ASSERT_NEAR(first, seen[reader], 0);
            seen[reader] += (int)count;
            assert_int_equal(seen[reader], k + 1);
        }
    }
    palFrame_Free(&frame);
    palHistory_Free(&history);
}

static void a_cleared_history_makes_readers_start_over(void** state)
{
    (void)state;
    palHistory history = makeHistory(1.0, 1e-3);
    palFrame frame = {0};
    palHistoryCursor cursor = {0};
    const palFrameHead head = {0};
    uint64_t from;
    bool restart;
    put(&history, 1);
    palFrame_Begin(&frame, &head);
    palFrame_Ticks(&frame, &history, &cursor, 100);
    assert_int_equal(palHistory_Unseen(&history, &cursor, 100, &from, &restart), 0);
    assert_false(restart);
    palHistory_Clear(&history);
    put(&history, 5);
    put(&history, 6);
    assert_int_equal(palHistory_Unseen(&history, &cursor, 100, &from, &restart), 2);
    assert_true(restart);
    palFrame_Free(&frame);
    palHistory_Free(&history);
}

// Another hand: its samples of the ten seconds are sent, as a restart.
static void a_reader_may_change_to_another_hand(void** state)
{
    (void)state;
    palHistory history = makeHistory(1.0, 1e-3);
    palFrame frame = {0};
    palHistoryCursor cursor = {0};
    for (int k = 0; k < 10; k++)
        put(&history, k);
    for (int hand = 0; hand < 2; hand++)
    {
        cursor = (palHistoryCursor){.hand = hand};
        palFrame_Begin(&frame, &(palFrameHead){0});
        palFrame_Ticks(&frame, &history, &cursor, 100);
        uint32_t head[3]; // count, columns, restart
        float last;
        memcpy(head, frame.bytes + 40, sizeof head);
        memcpy(&last, frame.bytes + 40 + 24 + 9 * 4 * (1 + pal_historyColumns) + 4, 4);
        assert_int_equal(head[0], 10);
        assert_true(head[2]);
        ASSERT_NEAR(last, hand == 0 ? 9 : -9, 0);
        assert_int_equal(cursor.hand, hand);
    }
    palFrame_Free(&frame);
    palHistory_Free(&history);
}

// A client that acknowledges at random, now and then only after a minute: the largest frame and the
// memory in use are the same in the last half hour as in the first.
static void nothing_grows_in_an_hour(void** state)
{
    (void)state;
    palHistory history = makeHistory(10.0, 1e-3);
    palHistoryCursor cursor = {0};
    palFrame frame = {0};
    const palFrameHead head = {0};
    size_t largest[2] = {0, 0};
    size_t memory[2] = {0, 0};
    unsigned random = 1;
    int next = 0;
    const int hour = 3600000;
    for (int k = 0; k < hour; k++)
    {
        put(&history, k);
        if (k < next)
            continue;
        random = 1664525u * random + 1013904223u;
        next = k + (random >> 24 == 0 ? 60000 : 16 + (int)(random >> 16) % 800);
        palFrame_Begin(&frame, &head);
        palFrame_Ticks(&frame, &history, &cursor, (int)history.capacity);
        int half = k >= hour / 2;
        largest[half] = frame.length > largest[half] ? frame.length : largest[half];
        memory[half] = mallinfo2().uordblks;
    }
    assert_int_equal(largest[0], largest[1]);
    assert_int_equal(memory[0], memory[1]);
    assert_true(largest[1] <= 32 + 8 + 24 + 4 * (1 + pal_historyColumns) * 16384);
    palFrame_Free(&frame);
    palHistory_Free(&history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_seconds_at_full_rate_are_kept),
        cmocka_unit_test(each_reader_sees_every_step_once),
        cmocka_unit_test(a_cleared_history_makes_readers_start_over),
        cmocka_unit_test(a_reader_may_change_to_another_hand),
        cmocka_unit_test(nothing_grows_in_an_hour),
    };
    return RUN(tests);
}
